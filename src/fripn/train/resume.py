"""Checkpoints: written whole or not at all, read strictly."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import torch

from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.problem.io.atomic import write_atomically

FORMAT = "fripn-checkpoint-1"


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint in place of the last one, in one step.

    Raises
    ------
    InvalidFile
        When the disk is full or the folder cannot be written; the last checkpoint is untouched.
    """
    packed = io.BytesIO()
    torch.save({"format": FORMAT, **content}, packed)
    try:
        write_atomically(path, packed.getvalue())
    except InvalidFile as error:
        raise InvalidFile(
            f"the checkpoint {error}; the last one is kept, free some space and continue with "
            "--resume"
        ) from None


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
