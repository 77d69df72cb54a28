"""Mutated files of labels, checkpoints and weights, numbered like those of `reader_fuzz`.

The tests run some hundreds. For a long run, from the folder of the repository::

    python tests/train/hostile_files.py --inputs 30000

which prints, per sort of file, how many inputs were accepted and the slowest one in processor
time; it ends with exit code 1 at the first input that breaks a promise, and names it.

Bytes anywhere, and, since checksums find those, also values inside of well-formed files: numbers at
the edges, other shapes and types, parts that are missing or stand in another's place.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import tempfile
import time
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load, save
from train_helpers import NETWORK, make_labels_of

from fripn.errors import CheckpointMismatch, InvalidFile
from fripn.policy.config import PolicyConfig
from fripn.policy.weights import load_weights, random_weights, save_weights
from fripn.train.config import parse_config
from fripn.train.encoded import encode
from fripn.train.fused import fused_log_probs
from fripn.train.imitation import draw_examples, imitation_loss, route_ends
from fripn.train.labels import load_settings, load_shard, save_shard
from fripn.train.network import Policy
from fripn.train.resume import (
    load_checkpoint,
    load_optimiser,
    require_fit,
    require_same_settings,
    save_checkpoint,
)

FILES = ("labels", "checkpoint", "weights")

#: What a mutation puts in place of a number, as far as the type of the array holds it.
NUMBERS = (0, 1, -1, 7, 127, -128, 1023, 1024, 32767, 1e-30, 1e16, 1e300, np.nan, np.inf, -np.inf)

#: What it puts in place of anything else.
VALUES: tuple[Any, ...] = (None, True, -1, 2**70, 0.5, float("nan"), "", "x", [], {}, [1.0, "x"])

DTYPES = (np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.bool_, np.complex64)


@cache
def network() -> Policy:
    """Return a small network."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Policy(PolicyConfig(**NETWORK))


@cache
def originals() -> dict[str, bytes]:
    """Return a correct file of each sort."""
    policy, config = network(), parse_config({"policy": NETWORK})
    optimiser = torch.optim.Adam(policy.parameters())
    for parameter in policy.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimiser.step()
    content = {
        "settings": json.dumps(config.to_dict()),
        "step": 1,
        "seconds": 1.0,
        "instances": 2,
        "best": 3.0,
        "sums": {"imitation": [1.0], "cost": []},
        "policy": policy.state_dict(),
        "average": policy.state_dict(),
        "optimiser": optimiser.state_dict(),
    }
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        save_shard(path, [make_labels_of(3, given=1)[1]], {"seed": 1})
        found["labels"] = path.read_bytes()
        save_checkpoint(path, content)
        found["checkpoint"] = path.read_bytes()
        save_weights(random_weights(PolicyConfig(**NETWORK), 1), path)
        found["weights"] = path.read_bytes()
    return found


def mutated(file: str, number: int) -> bytes:
    """Return input `number` of a sort of file."""
    rng = random.Random(f"{file} {number}")
    content = originals()[file]
    if rng.random() < 0.3:
        return _mutated_bytes(content, rng)
    if file == "labels":
        return _mutated_labels(content, rng)
    if file == "weights":
        return _mutated_weights(content, rng)
    return _mutated_checkpoint(content, rng)


def check(file: str, path: Path) -> bool:
    """Read a file and use what was read; return whether it was accepted.

    Either one of our messages, or values that the next step of training can use.
    """
    try:
        if file == "labels":
            _use_labels(path)
        elif file == "weights":
            load_weights(path)
        else:
            _use_checkpoint(path)
    except (InvalidFile, CheckpointMismatch) as error:
        sentence = str(error)
        assert len(sentence) < 1000, sentence
        assert sentence.isprintable(), sentence
        return False
    return True


def _use_labels(path: Path) -> None:
    load_settings(path)
    for labels in load_shard(path):
        batch, actions, counts = draw_examples(labels, 2, np.random.default_rng(0))
        ends = torch.as_tensor(route_ends(labels))
        # The core's pass over the plans, which once read beyond its arrays.
        loss = imitation_loss(encode(network(), batch), actions, counts, ends, fused_log_probs)
        loss.backward()  # type: ignore[no-untyped-call]
        for index in range(len(labels)):
            labels.plan(index)


def _use_checkpoint(path: Path) -> None:
    policy = Policy(PolicyConfig(**NETWORK))
    saved = load_checkpoint(path)
    require_same_settings(path, saved["settings"], parse_config({"policy": NETWORK}))
    for part in ("policy", "average"):
        require_fit(path, saved[part], policy.state_dict())
    optimiser = torch.optim.Adam(policy.parameters())
    load_optimiser(path, optimiser, saved["optimiser"])
    for parameter in policy.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimiser.step()
    assert all(bool(torch.isfinite(part).all()) for part in policy.state_dict().values())


def _mutated_bytes(content: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 3, 20))):
        start = rng.randrange(len(content) + 1)
        end = start + rng.choice((0, 1, 8, 200))
        piece = rng.randbytes(rng.choice((0, 1, 8, 200)))
        content = content[:start] + piece + content[end:]
    return content


def _changed(array: Any, rng: random.Random) -> Any:
    """Return an array with one number, its shape or its type changed."""
    array = np.array(array)
    match rng.randrange(5):
        case 0 | 1 if array.size:
            value = rng.choice(NUMBERS)
            with np.errstate(all="ignore"):
                array.flat[rng.randrange(array.size)] = np.array(value).astype(array.dtype)
        case 2:
            array = array[: rng.randrange(len(array) + 1)] if array.ndim else array[None]
        case 3:
            with np.errstate(all="ignore"):
                array = array.astype(rng.choice(DTYPES))
        case _:
            array = array.reshape(-1) if rng.random() < 0.5 else array[None]
    return array


def _mutated_labels(content: bytes, rng: random.Random) -> bytes:
    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(sorted(arrays))
        match rng.randrange(5):
            case 0:
                arrays[rng.choice((*arrays, "0x0/x", "6x99999999/x", "a/b"))] = arrays.pop(name)
            case 1 if name == "settings":
                text = rng.choice(("[1]", "{", "1" * 5000, "[" * 100_000, '"\\ud800"'))
                arrays[name] = np.frombuffer(text.encode(), np.uint8)
            case _:
                arrays[name] = _changed(arrays[name], rng)
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    if rng.random() < 0.1:  # a shape that the bytes do not fill
        return packed.getvalue().replace(b"(3, ", b"(%d, " % rng.choice((4, 9)))
    return packed.getvalue()


def _mutated_weights(content: bytes, rng: random.Random) -> bytes:
    tensors = load(content)
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    match rng.randrange(4):
        case 0:
            config = json.loads(metadata["config"])
            config[rng.choice(sorted(config))] = rng.choice((*VALUES, 3, 2**31 - 1))
            metadata["config"] = json.dumps(config)
        case 1:
            metadata[rng.choice(sorted(metadata))] = rng.choice(
                ("", "[1]", "{", "1" * 5000, "[" * 100_000, "\x1b[31m")
            )
        case 2:
            tensors[rng.choice((*tensors, "x"))] = tensors.pop(rng.choice(sorted(tensors)))
        case _:
            name = rng.choice(sorted(tensors))
            tensors[name] = _changed(tensors[name], rng)
    try:
        return save(tensors, metadata=metadata)
    except (SafetensorError, KeyError):  # a type that the format does not have
        return _mutated_bytes(content, rng)


def _mutated_checkpoint(content: bytes, rng: random.Random) -> bytes:
    whole = torch.load(io.BytesIO(content), weights_only=True)
    if rng.random() < 0.3:
        return _mutated_archive(content, rng)
    place: Any = whole
    while True:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.9:
            place = inner
            continue
        if isinstance(inner, torch.Tensor) and rng.random() < 0.8:
            place[key] = torch.as_tensor(_changed(inner.numpy(), rng))
        elif isinstance(place, dict) and rng.random() < 0.3:
            del place[key]
        else:
            place[key] = rng.choice(VALUES)
        break
    packed = io.BytesIO()
    torch.save(whole, packed)
    return packed.getvalue()


def _mutated_archive(content: bytes, rng: random.Random) -> bytes:
    """Change bytes of the pickle inside, under a checksum that fits."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(packed, "w") as after:
        for name in before.namelist():
            part = before.read(name)
            after.writestr(name, _mutated_bytes(part, rng) if name.endswith(".pkl") else part)
    return packed.getvalue()


def main(words: list[str] | None = None) -> int:
    """Run many inputs and report what was seen."""
    parser = argparse.ArgumentParser(description="Feed mutated files to training.")
    parser.add_argument("--inputs", type=int, default=3_000, help="over all sorts of files")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    options = parser.parse_args(words)
    per_file = max(1, options.inputs // len(FILES))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.npz"
        for file in FILES:
            accepted, slowest = 0, (0.0, 0)
            for number in range(options.first, options.first + per_file):
                path.write_bytes(mutated(file, number))
                began = time.process_time()
                try:
                    accepted += check(file, path)
                except Exception as error:
                    print(f"{file} {number}: {type(error).__name__}: {error}")
                    return 1
                slowest = max(slowest, (time.process_time() - began, number))
            print(
                f"{file:10} {per_file} inputs, {accepted} accepted; slowest {slowest[0]:.3f} s "
                f"(number {slowest[1]})"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
