"""Checkpoints: written whole or not at all, read strictly."""

from __future__ import annotations

import io
import json
import math
import pickle
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.problem.io.atomic import reason, write_atomically
from fripn.settings import LARGEST_COUNT
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

#: What a checkpoint of an earlier version may lack, with the value it stands for.
OPTIONAL = {"origin": "{}"}

#: Keys a resumed run may change: they set how long and where it runs, not what is learned.
RESUMABLE = {
    "steps",
    "hours",
    "device",
    "threads",
    "fused",
    "checkpoint_minutes",
    "validate_minutes",
}

#: Folders may move: the paths locate the labels and do not define them.
FOLDERS = ("imitation.labels", "validation.labels", "instances.folder")

#: What to do about a checkpoint that cannot be used.
REMEDY = (
    "start without --resume in another folder, or from the run's best weights with --set init=FILE"
)


#: What torch and its archives raise for a file that is damaged or something else.
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    pickle.UnpicklingError,
    OSError,
    EOFError,
    RuntimeError,  # also of archives with features that are not implemented
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
    struct.error,
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
            f"the checkpoint {error}",
            field="checkpoint",
            remedy="the last one is kept, free some space and continue with --resume",
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
        raise InvalidFile(
            f"there is no checkpoint {path}",
            field="checkpoint",
            value=path,
            remedy="start without --resume",
        )
    try:
        packed = io.BytesIO(path.read_bytes())
    except OSError as error:
        raise InvalidFile(
            f"the checkpoint {path} cannot be read: {reason(error)}",
            field="checkpoint",
            value=path,
            remedy="make it readable",
        ) from None
    try:
        # Torch does not verify the checksums of the archive.
        with zipfile.ZipFile(packed) as archive:
            damaged = archive.testzip()
        if damaged is not None:
            raise zipfile.BadZipFile(damaged)
        packed.seek(0)
        content = torch.load(packed, map_location="cpu", weights_only=True)
    except UNREADABLE:
        raise InvalidFile(
            f"the checkpoint {path} is damaged or not a checkpoint",
            field="checkpoint",
            value=path,
            remedy=REMEDY,
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise CheckpointMismatch(
            f"{path} has format {found!r} instead of {FORMAT!r}",
            field="format",
            value=found,
            remedy="give a folder of `fripn train`",
        )
    content = {**OPTIONAL, **content}
    for key, expected in {**CONTENT, **dict.fromkeys(OPTIONAL, str)}.items():
        if not isinstance(content.get(key), expected) or not _is_in_range(key, content[key]):
            raise CheckpointMismatch(
                f"the checkpoint {path} has no {key} that fits",
                field=key,
                value=path,
                remedy=REMEDY,
            )
    return content


def _is_in_range(key: str, value: Any) -> bool:
    """Whether a part of a checkpoint is one that `save_checkpoint` could have been given."""
    if key in ("step", "instances"):
        return not isinstance(value, bool) and bool(0 <= value <= LARGEST_COUNT)
    if key == "origin":
        return _is_origin(value)
    if key == "seconds":
        return bool(0.0 <= value < math.inf)
    if key == "best":
        return bool(value >= 0.0)  # infinite before the first validation
    if key == "sums":
        return all(
            isinstance(means, list) and all(type(mean) is float for mean in means)
            for means in value.values()
        )
    if key in ("policy", "average"):
        return all(
            isinstance(name, str) and isinstance(part, Tensor) and part.dtype == torch.float32
            for name, part in value.items()
        )
    return True


def _is_origin(text: str) -> bool:
    try:
        origin = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(origin, dict) and (not origin or type(origin.get("instances")) is int)


def require_same_settings(path: Path, saved: str, config: TrainConfig) -> None:
    """Refuse to continue a run with settings that change what is learned.

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
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise CheckpointMismatch(
            f"the checkpoint {path} has no settings that fit",
            field="settings",
            value=path,
            remedy=REMEDY,
        ) from None
    now = json.loads(json.dumps(config.to_dict()))
    but = set(RESUMABLE)
    for key in FOLDERS:
        table, name = key.split(".")
        # With labels or without must not change: best scores would not be comparable.
        if bool(before[table][name]) == bool(now[table][name]):
            but.add(key)
    if now["validation"]["labels"]:
        but.add("validation.sizes")  # not used
    found = differences(before, now, "in the run", but)
    if found:
        raise CheckpointMismatch(
            f"the run in {path.parent} has other settings: {' and '.join(found)}",
            field="settings",
            value=found,
            remedy="keep those of the run, or start another one with --set init=FILE",
        )


def require_fit(path: Path, saved: Mapping[str, Tensor], like: Mapping[str, Tensor]) -> None:
    """Refuse tensors with other names or shapes than those they are for, or not finite ones."""
    for name in dict.fromkeys([*like, *saved]):
        shapes = [tuple(part[name].shape) if name in part else None for part in (saved, like)]
        if shapes[0] != shapes[1]:
            had, needed = ("none" if shape is None else f"shape {shape}" for shape in shapes)
            raise CheckpointMismatch(
                f"the checkpoint {path} does not fit the policy: of {name} it has {had}, but there "
                f"must be {needed}",
                field=name,
                value=had,
                remedy=REMEDY,
            )
        if not bool(torch.isfinite(saved[name]).all()):
            raise CheckpointMismatch(
                f"the checkpoint {path} has numbers in {name} that are not finite",
                field=name,
                value=path,
                remedy=REMEDY,
            )


#: What Adam keeps for a parameter.
_MOMENTS = {"step", "exp_avg", "exp_avg_sq"}


def load_optimiser(path: Path, optimiser: torch.optim.Optimizer, saved: dict[str, Any]) -> None:
    """Restore the moments of an optimiser; those of other parameters are refused.

    Everything else stays as the settings have it: the file cannot change how steps are taken.
    """
    own = optimiser.state_dict()["param_groups"]
    try:
        places = [group["params"] for group in saved["param_groups"]]
        is_fit = places == [group["params"] for group in own]
        if is_fit:
            optimiser.load_state_dict({"state": saved["state"], "param_groups": own})
            is_fit = all(
                isinstance(state, dict)
                and set(state) in (set(), _MOMENTS)  # none before the first step, all after it
                and all(_is_moment(name, state[name], parameter) for name in state)
                for parameter, state in optimiser.state.items()
            )
    except (LookupError, ValueError, TypeError, AttributeError, RuntimeError):
        is_fit = False
    if not is_fit:
        raise CheckpointMismatch(
            f"the checkpoint {path} has no optimiser that fits",
            field="optimiser",
            value=path,
            remedy=REMEDY,
        )


def _is_moment(name: str, value: object, parameter: Tensor) -> bool:
    if not isinstance(value, Tensor):
        return False
    shape = () if name == "step" else parameter.shape
    # Steps and squares are never negative; the root of the squares is what is divided by.
    least = -math.inf if name == "exp_avg" else 0.0
    return (
        value.shape == shape
        and value.dtype == torch.float32
        and bool(((value >= least) & torch.isfinite(value)).all())
    )


def _filled(defaults: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Complete nested tables, as plain values of JSON."""
    whole = {**json.loads(json.dumps(defaults)), **table}
    return {
        key: _filled(defaults[key], value) if isinstance(defaults.get(key), Mapping) else value
        for key, value in whole.items()
    }
