"""The decoder's forward and backward pass over given trajectories, fused in the core; CPU only.

Torch folds the weights and encodes the nodes (`train.encoded`), so that its autograd carries the
gradient on to the parameters; between the folded tables and the log-probabilities lies one native
pass over each trajectory, without any tensor per step. `train.teacher` is the readable form, and
the tests tie the two together.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from fripn.train.encoded import Encoded


def fused_log_probs(
    encoded: Encoded,
    actions: Tensor,
    *,
    ends: Tensor | None = None,
    first_type_given: bool = False,
    weights: Tensor | None = None,
) -> Tensor:
    """Do what `teacher.decision_log_probs` does.

    With `weights`, the gradient is computed in the same pass as the log-probabilities, which are
    then 0 where the weight is. If the loss weighs the decisions differently, the gradient is
    computed again.
    """
    call = _Call(encoded, actions, weights, ends, first_type_given)
    folded = encoded.weights.folded
    logs: Tensor = _Fused.apply(call, encoded.tables, *folded)  # type: ignore[no-untyped-call]
    return logs


class _Call:
    """Arguments without a gradient."""

    def __init__(
        self,
        encoded: Encoded,
        actions: Tensor,
        weights: Tensor | None,
        ends: Tensor | None,
        first_type_given: bool,
    ) -> None:
        # For the temperature now: it may have changed when the gradient is computed.
        self.decoder = encoded.weights.decoder()
        self.problems = encoded.problems
        self.weights = None if weights is None else weights.detach().to(torch.float32)
        self.options: dict[str, Any] = {
            "actions": actions.to(torch.int32).contiguous().numpy(),
            "ends": None if ends is None else ends.to(torch.uint8).contiguous().numpy(),
            "first_type_given": first_type_given,
            "threads": torch.get_num_threads(),
        }

    def gradient(self, tables: Tensor, weights: Tensor) -> tuple[Tensor, ...]:
        """Log-probabilities, and the gradients of the sum of weights times log-probabilities."""
        logs, *gradients = self.decoder.gradient(
            tables.detach().numpy(),
            self.problems,
            weights=(-weights).contiguous().numpy(),
            **self.options,
        )
        return (torch.from_numpy(logs), *(torch.from_numpy(array) for array in gradients))

    def log_probs(self, tables: Tensor) -> Tensor:
        found = self.decoder.log_probs(tables.detach().numpy(), self.problems, **self.options)
        return torch.from_numpy(found)


class _Fused(torch.autograd.Function):
    """Log-probabilities of decisions from tables and folded weights."""

    @staticmethod
    def forward(ctx: Any, call: _Call, tables: Tensor, *folded: Tensor) -> Tensor:
        ctx.call = call
        if call.weights is None:
            ctx.save_for_backward(tables)
            return call.log_probs(tables)
        logs, *gradients = call.gradient(tables, call.weights)
        ctx.save_for_backward(tables, *gradients)
        return logs

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        call: _Call = ctx.call
        tables, *gradients = ctx.saved_tensors
        weights = outer[0].to(torch.float32)
        factor = None if call.weights is None else _factor(weights, call.weights)
        if factor is None:
            _, *gradients = call.gradient(tables, weights)
            factor = 1.0
        d_tables, *d_folded = (factor * gradient for gradient in gradients)
        # The first of the folded weights is already part of the tables.
        return (None, d_tables, None, *d_folded)


def _factor(weights: Tensor, expected: Tensor) -> float | None:
    """Return the factor of the expected weights; None if there is none."""
    square = float((expected * expected).sum())
    factor = float((weights * expected).sum()) / square if square > 0 else 0.0
    difference = float((weights - factor * expected).abs().max())
    return factor if difference <= 1e-6 * float(weights.abs().max()) else None
