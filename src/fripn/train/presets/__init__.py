"""Settings that ship: a TOML file each, with what differs from the defaults."""

from __future__ import annotations

import difflib
from pathlib import Path

from fripn.errors import InvalidFile

FOLDER = Path(__file__).parent


def preset_names() -> list[str]:
    """Give the names of all presets."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find_settings(name: Path | str) -> Path:
    """Give the file of that path if there is one, else the preset of that name.

    Raises
    ------
    InvalidFile
        When there is neither.
    """
    path, names = Path(name), preset_names()
    if path.is_file():
        return path
    if str(name) in names:
        return FOLDER / f"{name}.toml"
    close = difflib.get_close_matches(path.stem, names, n=1)
    hint = f"did you mean the preset {close[0]}?" if close else f"presets: {', '.join(names)}"
    raise InvalidFile(f"there is no configuration {name}, neither a file nor a preset; {hint}")
