"""Settings that ship: a TOML file each, with what differs from the defaults.

The paper trains one network per number of customers, with and without the remaining graph
embedding. That is one file, ``paper.toml``, with names for its variants: ``paper-50``,
``paper-50-without-graph``.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from fripn.errors import InvalidFile

FOLDER = Path(__file__).parent

#: Sizes of the paper's networks; names with other sizes work too.
PAPER_SIZES = (20, 50, 75, 100)

_SIZED = re.compile(r"paper-([1-9][0-9]*)(-without-graph)?")


def preset_names() -> list[str]:
    """Return the names of all presets, those of the paper with the paper's sizes."""
    files = [path.stem for path in FOLDER.glob("*.toml")]
    sized = [f"paper-{size}{end}" for size in PAPER_SIZES for end in ("", "-without-graph")]
    return sorted(files + sized)


def find_settings(name: Path | str) -> tuple[Path, list[str]]:
    """Return the file of that path if there is one, else what the preset of that name stands for.

    Returns
    -------
    tuple
        The TOML file, and the changes that the name makes to it, in the form of ``--set``.

    Raises
    ------
    InvalidFile
        When there is neither.
    """
    path, names = Path(name), preset_names()
    if path.is_file():
        return path, []
    if sized := _SIZED.fullmatch(str(name)):
        size, without_graph = sized.groups()
        changes = [f"instances.sizes=[{size}]", f"reinforce.trajectories={size}"]
        changes += ["policy.remaining_graph=false"] if without_graph else []
        return FOLDER / "paper.toml", changes
    if str(name) in names:
        return FOLDER / f"{name}.toml", []
    close = difflib.get_close_matches(path.stem, names, n=1)
    hint = f"did you mean the preset {close[0]}?" if close else f"presets: {', '.join(names)}"
    raise InvalidFile(
        f"there is no configuration {name}, neither a file nor a preset",
        field="configuration",
        value=name,
        remedy=hint,
    )
