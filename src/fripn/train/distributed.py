"""Several processes as one: each takes a share of every batch, gradients are summed.

Start with ``torchrun --nproc-per-node=2 -m fripn train …``; gloo on CPUs, nccl on GPUs, of which
each process has its own. Every process draws the whole batch (cheap), keeps its share, and samples
from its own random streams; all use the time of the slowest. So a step is the same for any number
of processes (except for the samples of torch, on a GPU), and a run can resume with another number.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import Tensor

from fripn.errors import InvalidSetting


def start(device: str) -> None:
    """Join the group that torchrun set up; nothing to do in a process of its own."""
    if "WORLD_SIZE" not in os.environ or dist.is_initialized():
        return
    if device == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")


def finish() -> None:
    """Leave the group."""
    if dist.is_initialized():
        dist.destroy_process_group()


def rank() -> int:
    """Return the number of this process, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size() -> int:
    """Return the number of processes."""
    return dist.get_world_size() if dist.is_initialized() else 1


def share(count: int) -> slice:
    """Return this process's part of a batch of `count` instances."""
    if count < world_size():
        raise InvalidSetting(
            f"a batch of {count} instances cannot be shared by {world_size()} processes",
            field="batch_size",
            value=count,
            remedy="raise the batch size or start fewer processes",
        )
    return slice(rank() * count // world_size(), (rank() + 1) * count // world_size())


def sum_gradients(parameters: Iterable[Tensor]) -> None:
    """Add the gradients of all processes, in place, in one message."""
    if world_size() == 1:
        return
    owners = [p for p in parameters if p.requires_grad]
    pieces = [torch.zeros_like(p) if p.grad is None else p.grad for p in owners]
    flat = torch.cat([piece.reshape(-1) for piece in pieces])
    dist.all_reduce(flat)
    for owner, piece in zip(owners, torch.split(flat, [p.numel() for p in owners]), strict=True):
        owner.grad = piece.reshape(owner.shape)


def any_process(flag: bool, device: str) -> bool:
    """Return whether the flag is set anywhere, so that all processes act alike."""
    return largest(float(flag), device) > 0


def largest(value: float, device: str) -> float:
    """Return the largest value of all processes."""
    if world_size() == 1:
        return value
    shared = torch.tensor(value, dtype=torch.float64, device=device)
    dist.all_reduce(shared, op=dist.ReduceOp.MAX)
    return float(shared)
