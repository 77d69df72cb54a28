"""Weights of the policy: one safetensors file with its configuration and its provenance."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.policy.config import PolicyConfig
from fripn.problem.io.atomic import write_atomically

Float32Array = npt.NDArray[np.float32]

FORMAT = "fripn-policy-1"

#: How files of weights end.
SUFFIX = ".safetensors"

#: The shipped weights that are used where none are named.
DEFAULT_NAME = "fripn"


@dataclass(frozen=True, slots=True, eq=False)
class PolicyWeights:
    """Every parameter of a network, by the names of the torch modules.

    Parameters
    ----------
    config
        The network they belong to.
    tensors
        float32 arrays; names and shapes are those of ``config.shapes()``.
    provenance
        Where they come from: the run, its settings, the data it saw. Plain JSON values.

    Raises
    ------
    CheckpointMismatch
        When a parameter is missing, left over, of another shape, or not finite.
    """

    config: PolicyConfig
    tensors: Mapping[str, Float32Array]
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the parameters: twelve hexadecimal digits."""
        content = hashlib.sha256()
        for name in sorted(self.tensors):
            content.update(self.tensors[name].tobytes())
        return content.hexdigest()[:12]

    def __post_init__(self) -> None:
        """Freeze the arrays and compare them with the configuration."""
        shapes = self.config.shapes()
        frozen: dict[str, Float32Array] = {}
        for name, shape in shapes.items():
            if name not in self.tensors:
                raise CheckpointMismatch(
                    f"the weights lack {name}, which a network with {_describe(self.config)} has",
                    field=name,
                    remedy="use weights made for it",
                )
            array = np.array(self.tensors[name], dtype=np.float32, order="C")
            if array.shape != shape:
                raise CheckpointMismatch(
                    f"{name} has shape {array.shape}, but a network with "
                    f"{_describe(self.config)} needs {shape}",
                    field=name,
                    value=array.shape,
                    remedy="use weights made for it",
                )
            if not np.isfinite(array).all():
                raise CheckpointMismatch(
                    f"{name} holds values that are not finite",
                    field=name,
                    remedy="the training run diverged, use an earlier checkpoint",
                )
            array.setflags(write=False)
            frozen[name] = array
        for name in self.tensors:
            if name not in shapes:
                raise CheckpointMismatch(
                    f"the weights hold {name}, which a network with {_describe(self.config)} "
                    "does not have",
                    field=name,
                    remedy="use weights made for it",
                )
        object.__setattr__(self, "tensors", frozen)
        object.__setattr__(self, "provenance", dict(self.provenance))


def save_weights(weights: PolicyWeights, path: str | Path, *, half: bool = True) -> None:
    """Write weights with their configuration and provenance in the header.

    The file is written whole or not at all.

    Parameters
    ----------
    weights
        What to write.
    path
        The file.
    half
        Whether to write float16, which halves the file; `load_weights` returns float32, rounded
        once. Else float32, as they are.
    """
    for name, array in weights.tensors.items():
        if half and np.abs(array).max() > np.finfo(np.float16).max:
            raise CheckpointMismatch(
                f"{name} holds a value beyond the range of float16 (65504)",
                field=name,
                remedy="the training run diverged, use an earlier checkpoint",
            )
    dtype = np.float16 if half else np.float32
    tensors = {name: array.astype(dtype) for name, array in weights.tensors.items()}
    metadata = {
        "format": FORMAT,
        "config": json.dumps(weights.config.to_dict(), sort_keys=True),
        "provenance": json.dumps(weights.provenance, sort_keys=True),
    }
    write_atomically(path, save(tensors, metadata=metadata))


def load_weights(path: str | Path) -> PolicyWeights:
    """Read weights written by `save_weights`.

    Parameters
    ----------
    path
        The file, or the name of weights that ship with the package (`shipped_weights`).

    Raises
    ------
    InvalidFile
        When the file is missing or not a safetensors file.
    CheckpointMismatch
        When it does not hold a policy, or one that differs from its own configuration.
    """
    path = Path(path)
    if not path.is_file():
        if str(path) in shipped_weights():
            with resources.as_file(_shipped(str(path))) as shipped:
                return load_weights(shipped)
        raise InvalidFile(
            f"there is no weights file {path}",
            field="weights",
            value=path,
            remedy=(f"check the path, or take shipped weights: {', '.join(shipped_weights())}"),
        )
    try:
        with safe_open(str(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise CheckpointMismatch(
                    f"{path} has format {metadata.get('format')!r} instead of {FORMAT!r}",
                    field="format",
                    value=metadata.get("format"),
                    remedy="give a file written by fripn",
                )
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, AttributeError, KeyError, TypeError) as error:
        raise InvalidFile(
            f"{path} cannot be read as safetensors ({error})",
            field="weights",
            value=path,
            remedy="give a file written by fripn",
        ) from None
    try:
        config = PolicyConfig.from_dict(json.loads(metadata["config"]))
        provenance = json.loads(metadata.get("provenance", "{}"))
        if not isinstance(provenance, dict):
            raise TypeError("the provenance is not a table")
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CheckpointMismatch(
            f"the header of {path} does not describe a network of this version ({error})",
            field="weights",
            value=path,
            remedy="use weights and program of the same release",
        ) from None
    # Each layer has tensors of its own; a header that claims more than there are costs nothing.
    if config.num_layers > len(tensors):
        raise CheckpointMismatch(
            f"{path} has {len(tensors)} tensors, but its header describes a network with "
            f"{config.num_layers} layers",
            field="weights",
            value=path,
            remedy="give a file written by fripn",
        )
    for name, array in tensors.items():
        if array.dtype not in (np.float16, np.float32):
            raise CheckpointMismatch(
                f"{path} holds {name} as {array.dtype} instead of float16 or float32",
                field=name,
                value=str(array.dtype),
                remedy="give a file written by fripn",
            )
    return PolicyWeights(config, tensors, provenance)


@functools.cache
def default_weights() -> PolicyWeights:
    """Return the weights that ship with the package; read once per process."""
    resource = _shipped(DEFAULT_NAME)
    if not resource.is_file():
        raise InvalidFile(
            "this installation ships no policy weights",
            field="weights",
            remedy=("give a file with --weights or Policy(weights=...), or choose another method"),
        )
    with resources.as_file(resource) as path:
        return load_weights(path)


def shipped_weights() -> list[str]:
    """Return the names of the weights that ship with the package."""
    folder = resources.files("fripn") / "data" / "weights"
    return sorted(
        one.name.removesuffix(SUFFIX) for one in folder.iterdir() if one.name.endswith(SUFFIX)
    )


def _shipped(name: str) -> Traversable:
    return resources.files("fripn") / "data" / "weights" / f"{name}{SUFFIX}"


def random_weights(config: PolicyConfig, seed: int) -> PolicyWeights:
    """Draw untrained weights: for tests and for measuring speed.

    Linear maps are uniform within 1/√inputs, as torch draws them; scale and shift of the norms are
    off 1 and 0, so that tests cover them.
    """
    rng = np.random.default_rng(seed)
    shapes = config.shapes()
    tensors = {}
    for name, shape in shapes.items():
        layer, parameter = name.rsplit(".", 1)
        if ".norm" in name:
            values = rng.uniform(-0.2, 0.2, shape) + (parameter == "weight")
        else:
            bound = 1.0 / math.sqrt(shapes[f"{layer}.weight"][1])
            values = rng.uniform(-bound, bound, shape)
        tensors[name] = values.astype(np.float32)
    return PolicyWeights(config, tensors, {"origin": f"random, seed {seed}"})


def _describe(config: PolicyConfig) -> str:
    parts = [
        f"width {config.width}",
        f"{config.num_layers} layers",
        f"{config.num_heads} heads",
        f"{config.features} features",
    ]
    if not config.remaining_graph:
        parts.append("no remaining graph")
    if config.vehicle_residual:
        parts.append("vehicle residual")
    if config.pair_width:
        parts.append(f"pair width {config.pair_width}")
    if config.route_by_route:
        parts.append("route by route")
    if config.is_joint:
        parts.append("joint attention")
    return ", ".join(parts)
