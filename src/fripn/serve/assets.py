"""The files of the page, as they are shipped with the package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "page"

_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page.

    Parameters
    ----------
    content
        What is in it.
    media_type
        As in HTTP.
    etag
        Changes with the content.
    """

    content: bytes
    media_type: str
    etag: str


class Assets:
    """The files of the page by name.

    They are looked up in a list that is made from the folder; what a client asks for is never
    opened as a path.
    """

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}
        self._read: dict[str, tuple[int, Asset]] = {}
        self._scan()

    def find(self, name: str) -> Asset | None:
        """Return a file; None if there is none of this name."""
        if name not in self._paths:
            self._scan()  # a file may be new, while the page is being written
        if name not in self._paths:
            return None
        path = self._paths[name]
        changed = path.stat().st_mtime_ns
        known = self._read.get(name)
        if known is None or known[0] != changed:
            content = path.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            known = (changed, Asset(content, _MEDIA_TYPES[path.suffix], etag))
            self._read[name] = known
        return known[1]

    def _scan(self) -> None:
        self._paths = {
            path.relative_to(self._folder).as_posix(): path
            for path in sorted(self._folder.rglob("*"))
            if path.is_file() and path.suffix in _MEDIA_TYPES
        }
