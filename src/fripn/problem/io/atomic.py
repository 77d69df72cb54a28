"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from fripn.errors import InvalidFile

#: What a file is to hold: text, bytes, or the parts of a long text.
Content = str | bytes | Iterable[str]


def write_atomically(path: Path | str, content: Content) -> None:
    """Write one file whole or not at all; see `write_all_atomically`."""
    write_all_atomically({Path(path): content})


def write_all_atomically(contents: Mapping[Path, Content]) -> None:
    """Write files that belong together: none takes its place before all are on the disk.

    Parameters
    ----------
    contents
        What to write, by path; text is written as UTF-8. The parts of a long text are taken one by
        one.

    Raises
    ------
    InvalidFile
        When a folder does not exist or cannot be written to. Nothing is written then.
    """
    staged: list[tuple[Path, Path]] = []
    try:
        for path, content in contents.items():
            staged.append((_stage(path, content), path))
        for temporary, path in staged:
            try:
                temporary.replace(path)
            except OSError as error:
                raise unwritable(path, reason(error), "name another file") from None
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)


def reason(error: OSError) -> str:
    """Return the message of the operating system."""
    return (error.strerror or str(error)).lower()


def unwritable(path: Path, why: str, remedy: str) -> InvalidFile:
    """Return the error about a file that cannot be written."""
    return InvalidFile(f"{path} cannot be written: {why}", field="path", value=path, remedy=remedy)


def _stage(path: Path, content: Content) -> Path:
    """Write the content to a temporary file beside `path`, down to the disk."""
    if not path.parent.is_dir():
        raise unwritable(path, f"the folder {path.parent} does not exist", "create it first")
    if path.is_dir():
        raise unwritable(path, "it is a folder", "name a file")
    temporary = path.with_name(f".{path.name[:50]}.{os.urandom(6).hex()}")
    try:
        with temporary.open("xb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                parts = (content,) if isinstance(content, str) else content
                file.writelines(part.encode() for part in parts)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            temporary.chmod(path.stat().st_mode & 0o777)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unwritable(path, reason(error), "name another file") from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary
