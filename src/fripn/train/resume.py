"""Checkpoints: written whole or not at all, read strictly."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import torch

from fripn.errors import CheckpointMismatch, InvalidFile

FORMAT = "fripn-checkpoint-1"


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write beside the target, flush to disk, then put it in place in one step.

    Raises
    ------
    InvalidFile
        When the disk is full or the folder cannot be written; the last checkpoint is untouched.
    """
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            torch.save({"format": FORMAT, **content}, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except (OSError, RuntimeError) as error:
        temporary.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else str(error).splitlines()[0]
        raise InvalidFile(
            f"the checkpoint {path} cannot be written ({reason}); the last one is kept, free some "
            "space and continue with --resume"
        ) from error


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Read a checkpoint; tensors and plain values only, no code is run.

    Raises
    ------
    InvalidFile
        When there is none, or it cannot be read.
    CheckpointMismatch
        When the file is something else.
    """
    if not path.is_file():
        raise InvalidFile(f"there is no checkpoint {path}; start without --resume")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError, ValueError, KeyError):
        raise InvalidFile(
            f"the checkpoint {path} is damaged or no checkpoint; start without --resume in "
            "another folder, or from the run's best weights with --set init=FILE"
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise CheckpointMismatch(
            f"{path} has format {found!r} instead of {FORMAT!r}; give a folder of `fripn train`"
        )
    return content
