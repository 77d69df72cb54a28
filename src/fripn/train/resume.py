"""Checkpoints: written whole or not at all, read strictly."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.problem.io.atomic import reason, write_atomically
from fripn.train.config import TrainConfig
from fripn.train.settings_file import differences

FORMAT = "fripn-checkpoint-1"

#: What a checkpoint holds beside its format.
CONTENT: dict[str, type] = {
    "settings": str,
    "step": int,
    "seconds": float,
    "instances": int,
    "best": float,
    "sums": dict,
    "policy": dict,
    "average": dict,
    "optimiser": dict,
}

#: Keys a resumed run may change: they say how long and where to work, not what is learned.
RESUMABLE = {
    "steps",
    "hours",
    "device",
    "threads",
    "fused",
    "checkpoint_minutes",
    "validate_minutes",
}

#: Folders may move: the paths say where the labels are, not what they are.
FOLDERS = ("imitation.labels", "validation.labels", "instances.folder")

#: What to do about a checkpoint that cannot be used.
REMEDY = (
    "start without --resume in another folder, or from the run's best weights with --set init=FILE"
)


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
        packed = io.BytesIO(path.read_bytes())
    except OSError as error:
        raise InvalidFile(
            f"the checkpoint {path} cannot be read: {reason(error)}; make it readable"
        ) from None
    try:
        # Torch does not look at the checksums of the archive.
        with zipfile.ZipFile(packed) as archive:
            damaged = archive.testzip()
        if damaged is not None:
            raise zipfile.BadZipFile(damaged)
        packed.seek(0)
        content = torch.load(packed, map_location="cpu", weights_only=True)
    except (
        zipfile.BadZipFile,
        zlib.error,
        pickle.UnpicklingError,
        OSError,
        EOFError,
        RuntimeError,  # also of archives with features that are not implemented
        ValueError,
        LookupError,
    ):
        raise InvalidFile(f"the checkpoint {path} is damaged or no checkpoint; {REMEDY}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise CheckpointMismatch(
            f"{path} has format {found!r} instead of {FORMAT!r}; give a folder of `fripn train`"
        )
    for key, kind in CONTENT.items():
        if not isinstance(content.get(key), kind):
            raise CheckpointMismatch(f"the checkpoint {path} has no {key} that fits; {REMEDY}")
    return content


def require_same_settings(path: Path, saved: str, config: TrainConfig) -> None:
    """Refuse to continue a run with settings that would make it another one.

    Parameters
    ----------
    path
        The checkpoint, for the message.
    saved
        Settings of the run, as JSON; what it does not name has its default.
    config
        The settings now.
    """
    try:
        before = _filled(TrainConfig().to_dict(), json.loads(saved))
    except (ValueError, TypeError, AttributeError):
        raise CheckpointMismatch(
            f"the checkpoint {path} has no settings that fit; {REMEDY}"
        ) from None
    now = json.loads(json.dumps(config.to_dict()))
    but = set(RESUMABLE)
    for key in FOLDERS:
        table, name = key.split(".")
        # With labels or without is another question: then the best score means something else.
        if bool(before[table][name]) == bool(now[table][name]):
            but.add(key)
    if now["validation"]["labels"]:
        but.add("validation.sizes")  # not used
    found = differences(before, now, "in the run", but)
    if found:
        raise CheckpointMismatch(
            f"the run in {path.parent} has other settings: {'; '.join(found)}; keep those of the "
            "run, or start another one with --set init=FILE"
        )


def require_fit(path: Path, saved: Mapping[str, Tensor], like: Mapping[str, Tensor]) -> None:
    """Refuse tensors with other names or shapes than those they are for."""
    for name in dict.fromkeys([*like, *saved]):
        shapes = [tuple(part[name].shape) if name in part else None for part in (saved, like)]
        if shapes[0] != shapes[1]:
            had, needed = ("none" if shape is None else f"shape {shape}" for shape in shapes)
            raise CheckpointMismatch(
                f"the checkpoint {path} does not fit the policy: of {name} it has {had}, but there "
                f"must be {needed}; {REMEDY}"
            )


def load_optimiser(path: Path, optimiser: torch.optim.Optimizer, saved: dict[str, Any]) -> None:
    """Give an optimiser its moments back; those of other parameters are refused."""
    try:
        optimiser.load_state_dict(saved)
        is_fit = all(
            isinstance(value, Tensor) and value.shape in ((), parameter.shape)
            for parameter, state in optimiser.state.items()
            for value in state.values()
        )
    except (LookupError, ValueError, TypeError, AttributeError):
        is_fit = False
    if not is_fit:
        raise CheckpointMismatch(f"the checkpoint {path} has no optimiser that fits; {REMEDY}")


def _filled(defaults: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Complete nested tables, as plain values of JSON."""
    whole = {**json.loads(json.dumps(defaults)), **table}
    return {
        key: _filled(defaults[key], value) if isinstance(defaults.get(key), Mapping) else value
        for key, value in whole.items()
    }
