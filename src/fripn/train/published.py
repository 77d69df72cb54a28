"""Checkpoints of the code that the paper's authors published, as weights of this package.

Their network (``FSMVRPModel.py`` of FSMVRP-DRL) is a `PolicyConfig` with ``attention = "joint"``.
Two pairs of their maps are one map here: the remaining graph passes through a matrix of its own
before it enters the vehicles' inputs, and the pointer's keys are the embeddings themselves. Ten
tensors of theirs belong to layers that are built and never used; they are checked and left out.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.policy.config import PolicyConfig
from fripn.policy.weights import PolicyWeights, save_weights
from fripn.problem.io.atomic import reason
from fripn.settings import LARGEST_COUNT
from fripn.train.resume import UNREADABLE

#: Their settings: width 128, 6 layers, 8 heads, feed-forward 512, clip 10.
PUBLISHED = PolicyConfig(attention="joint")

#: Where the code is.
SOURCE = "https://github.com/PFW-coder/FSMVRP-DRL"

#: The order of the scalars in the input of their ``context_linear``, behind the two embeddings.
SCALARS = ("remaining_load", "capacity", "fixed_cost", "unit_cost")

_REMEDY = "give a checkpoint-N.pt that their training wrote"


def published_shapes() -> dict[str, tuple[int, ...]]:
    """Return name and shape of every tensor in a ``model_state_dict`` of theirs."""
    return {**_used_shapes(), **_unused_shapes()}


def import_checkpoint(path: str | Path) -> PolicyWeights:
    """Read a checkpoint of the published code.

    Parameters
    ----------
    path
        A ``checkpoint-N.pt`` of theirs, or a file with its ``model_state_dict`` alone. Tensors and
        plain values are read, no code is run.

    Raises
    ------
    InvalidFile
        When there is no such file or it cannot be read.
    CheckpointMismatch
        When it holds anything but their network: the sentence names the first tensor that is
        missing, left over or of another shape.
    """
    path = Path(path)
    content, digest = _read(path)
    is_whole = isinstance(content, dict) and "model_state_dict" in content
    tensors = content["model_state_dict"] if is_whole else content
    if not isinstance(tensors, Mapping) or not all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in tensors.items()
    ):
        raise CheckpointMismatch(
            f"{path} holds neither a model_state_dict nor tensors by name",
            field="checkpoint",
            value=path,
            remedy=_REMEDY,
        )
    _require_shapes(path, tensors)
    provenance: dict[str, Any] = {
        "origin": "checkpoint of the code that the paper's authors published",
        "code": SOURCE,
        "file": path.name,
        "sha256": digest,
    }
    epoch = content.get("epoch") if is_whole else None
    if isinstance(epoch, int) and 0 <= epoch <= LARGEST_COUNT:
        provenance["epoch"] = epoch
    arrays = {name: value.numpy() for name, value in _renamed(tensors).items()}
    return PolicyWeights(PUBLISHED, arrays, provenance)


def convert_checkpoint(path: str | Path, target: str | Path) -> PolicyWeights:
    """Read a checkpoint of the published code and write it as a weights file, in float32.

    Raises
    ------
    InvalidFile, CheckpointMismatch
        See `import_checkpoint`; also when the file cannot be written.
    """
    weights = import_checkpoint(path)
    save_weights(weights, target, half=False)
    return weights


def _read(path: Path) -> tuple[Any, str]:
    if not path.is_file():
        raise InvalidFile(
            f"there is no checkpoint {path}",
            field="checkpoint",
            value=path,
            remedy="check the path",
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidFile(
            f"{path} cannot be read: {reason(error)}",
            field="checkpoint",
            value=path,
            remedy="make it readable",
        ) from None
    packed = io.BytesIO(data)
    try:
        # Torch does not verify the checksums of the archive.
        with zipfile.ZipFile(packed) as archive:
            damaged = archive.testzip()
        if damaged is not None:
            raise zipfile.BadZipFile(damaged)
        packed.seek(0)
        with warnings.catch_warnings():  # of tensors that are refused below
            warnings.simplefilter("ignore")
            content = torch.load(packed, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise InvalidFile(
            f"{path} holds Python objects beside tensors and plain values, which are not loaded, "
            "as they could run code",
            field="checkpoint",
            value=path,
            remedy="save its model_state_dict alone with torch.save",
        ) from None
    except UNREADABLE:
        raise InvalidFile(
            f"{path} is damaged or not a file of torch.save",
            field="checkpoint",
            value=path,
            remedy=_REMEDY,
        ) from None
    return content, hashlib.sha256(data).hexdigest()


def _require_shapes(path: Path, tensors: Mapping[str, Tensor]) -> None:
    used, unused = _used_shapes(), _unused_shapes()
    for name, shape in {**used, **unused}.items():
        if name not in tensors:
            if name in unused:
                continue
            if f"module.{name}" in tensors:
                raise CheckpointMismatch(
                    f"{path} holds module.{name} instead of {name}, as DataParallel writes it",
                    field=name,
                    value=path,
                    remedy="save the state dict of the model inside it, model.module",
                )
            raise CheckpointMismatch(
                f"{path} lacks {name}, which the published network has",
                field=name,
                value=path,
                remedy=_REMEDY,
            )
        if not _is_plain(tensors[name]):
            raise CheckpointMismatch(
                f"{name} in {path} is not a dense tensor with its values",
                field=name,
                value=path,
                remedy=_REMEDY,
            )
        found = tuple(tensors[name].shape)
        if found != shape:
            raise CheckpointMismatch(
                f"{name} in {path} has shape {found}, but the published network has {shape}",
                field=name,
                value=found,
                remedy=_REMEDY,
            )
        if not tensors[name].dtype.is_floating_point:
            raise CheckpointMismatch(
                f"{name} in {path} holds {tensors[name].dtype} instead of decimals",
                field=name,
                value=str(tensors[name].dtype),
                remedy=_REMEDY,
            )
    for name in tensors:
        if name not in used and name not in unused:
            raise CheckpointMismatch(
                f"{path} holds {name}, which the published network does not have",
                field=name,
                value=path,
                remedy=_REMEDY,
            )


def _is_plain(tensor: Tensor) -> bool:
    """Whether a tensor is an array of numbers: not sparse, nested, quantised or without values."""
    is_dense = tensor.layout is torch.strided and not (tensor.is_nested or tensor.is_quantized)
    return is_dense and tensor.device.type == "cpu"


def _used_shapes() -> dict[str, tuple[int, ...]]:
    D, F = PUBLISHED.width, PUBLISHED.ff_width
    shapes = {
        "encoder.embedding_depot.weight": (D, 2),
        "encoder.embedding_depot.bias": (D,),
        "encoder.embedding_node.weight": (D, 3),
        "encoder.embedding_node.bias": (D,),
    }
    for layer in range(PUBLISHED.num_layers):
        name = f"encoder.layers.{layer}"
        shapes |= _attention_shapes(name) | _layer_shapes(name, D, F)
    shapes |= {
        "decoder.context_linear.weight": (D, 2 * D + len(SCALARS)),
        "decoder.left_graph_embedding.weight": (D, D),
        "decoder.Wq_context.weight": (D, D),
        "decoder.Wk.weight": (D, D),
        "decoder.Wv.weight": (D, D),
        "decoder.multi_head_combine.weight": (D, D),
        "decoder.multi_head_combine.bias": (D,),
    }
    return shapes | _attention_shapes("decoder.layers.0")


def _unused_shapes() -> dict[str, tuple[int, ...]]:
    D, F = PUBLISHED.width, PUBLISHED.ff_width
    return {
        "decoder.Wq_last.weight": (D, 2 * D + len(SCALARS)),
        "decoder.layers.0.context_layer.weight": (D, D),
        **_layer_shapes("decoder.layers.0", D, F),
    }


def _attention_shapes(name: str) -> dict[str, tuple[int, ...]]:
    D = PUBLISHED.width
    maps: dict[str, tuple[int, ...]] = {f"{name}.W{part}.weight": (D, D) for part in "qkv"}
    combine = f"{name}.multi_head_combine"
    return {**maps, f"{combine}.weight": (D, D), f"{combine}.bias": (D,)}


def _layer_shapes(name: str, D: int, F: int) -> dict[str, tuple[int, ...]]:
    """Return what a layer has beside its attention: two normalisations and the feed-forward."""
    shapes: dict[str, tuple[int, ...]] = {}
    for number in (1, 2):
        norm = f"{name}.add_n_normalization_{number}.norm"
        shapes |= {f"{norm}.weight": (D,), f"{norm}.bias": (D,)}
    feed = f"{name}.feed_forward"
    return shapes | {
        f"{feed}.W1.weight": (F, D),
        f"{feed}.W1.bias": (F,),
        f"{feed}.W2.weight": (D, F),
        f"{feed}.W2.bias": (D,),
    }


def _renamed(theirs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the parameters under the names of `fripn.train.network`."""
    D = PUBLISHED.width
    ours: dict[str, Tensor] = {}

    def take(new: str, old: str, *parts: str) -> None:
        for part in parts:
            ours[f"{new}.{part}"] = theirs[f"{old}.{part}"].detach().float()

    def take_attention(new: str, old: str) -> None:
        for part in ("query", "key", "value"):
            take(f"{new}.{part}", f"{old}.W{part[0]}", "weight")
        take(f"{new}.output", f"{old}.multi_head_combine", "weight", "bias")

    take("encoder.depot", "encoder.embedding_depot", "weight", "bias")
    take("encoder.customer", "encoder.embedding_node", "weight", "bias")
    for layer in range(PUBLISHED.num_layers):
        name = f"encoder.layers.{layer}"
        take_attention(name, name)
        for number in (1, 2):
            norm = f"{name}.add_n_normalization_{number}.norm"
            take(f"{name}.norm{number}", norm, "weight", "bias")
            take(f"{name}.ff{number}", f"{name}.feed_forward.W{number}", "weight", "bias")
    inputs = theirs["decoder.context_linear.weight"].detach().double()
    place, graph, scalars = inputs[:, :D], inputs[:, D : 2 * D], inputs[:, 2 * D :]
    graph = graph @ theirs["decoder.left_graph_embedding.weight"].detach().double()
    order = [SCALARS.index(name) for name in PUBLISHED.scalar_names]
    ours["vehicle.input.weight"] = torch.cat([place, scalars[:, order], graph], 1).float()
    ours["vehicle.input.bias"] = torch.zeros(D)
    take_attention("vehicle", "decoder.layers.0")
    take("decoder.query", "decoder.Wq_context", "weight")
    take("decoder.key", "decoder.Wk", "weight")
    take("decoder.value", "decoder.Wv", "weight")
    take("decoder.output", "decoder.multi_head_combine", "weight", "bias")
    ours["decoder.pointer_key.weight"] = torch.eye(D)
    return ours
