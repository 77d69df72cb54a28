"""One instance and the policy: encoded once per symmetry, then decoded as often as wanted."""

from __future__ import annotations

import atexit
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from fripn import _core
from fripn.core import arrays_to_core
from fripn.policy.encoder import encode
from fripn.policy.fold import fold
from fripn.policy.rollout import ActionArray, core_problems, read_plan, rollout_tables
from fripn.policy.scale import ScaledInstance, scale
from fripn.policy.weights import Float32Array, PolicyWeights
from fripn.problem import Instance, Solution
from fripn.problem.instance import FloatArray

_Float = TypeVar("_Float", np.float32, np.float64)

#: The symmetries of the square.
NUM_SYMMETRIES = 8

#: Trajectories of one call, and tables of one batch, take about this much memory at most.
MAX_BYTES = 64 * 2**20


def mirrored(coordinates: npt.NDArray[_Float], symmetry: int) -> npt.NDArray[_Float]:
    """Apply one of the eight symmetries of the unit square to coordinates (…, 2); 0 is none."""
    x, y = coordinates[..., 0], coordinates[..., 1]
    if symmetry & 4:
        x, y = y, x
    if symmetry & 1:
        x = 1.0 - x
    if symmetry & 2:
        y = 1.0 - y
    return np.stack([x, y], axis=-1)


@functools.lru_cache(maxsize=4)
def folded(weights: PolicyWeights) -> _core.PolicyDecoder:
    """Fold weights once per process; they never change."""
    return fold(weights.config, weights.tensors)


# The binding warns about objects that outlive it.
atexit.register(folded.cache_clear)


def table_bytes(decoder: _core.PolicyDecoder, num_nodes: int) -> int:
    """Memory of one table."""
    return 4 * decoder.num_columns * num_nodes


def scaled_to_core(scaled: ScaledInstance) -> _core.Instance:
    """Copy a scaled instance into the core, for the split of its trajectories."""
    return arrays_to_core(
        metric="euclidean" if scaled.matrix is None else "matrix",
        coordinates=scaled.coordinates,
        matrix=scaled.matrix,
        demands=scaled.demands,
        capacities=scaled.capacities,
        fixed_costs=scaled.fixed_costs,
        unit_costs=scaled.unit_costs,
        available=scaled.available,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Drafts:
    """Plans for one instance that have not been evaluated yet.

    Parameters
    ----------
    costs
        Shape (M,), in the instance's own units; infinity where there is no plan.
    actions
        Shape (M, T), the trajectories.
    tours
        Shape (M, n), the giant tours behind the split; None without it.
    is_split
        Shape (M,), whether the cost is that of the split.
    num_nodes
        N, depot included.
    core
        The instance in the core, for the split.
    """

    costs: FloatArray
    actions: ActionArray
    tours: ActionArray | None
    is_split: npt.NDArray[np.bool_]
    num_nodes: int
    core: _core.Instance | None

    def plan(self, index: int) -> Solution:
        """Return one plan; its cost must be finite."""
        if self.core is not None and self.tours is not None and self.is_split[index]:
            return Solution.of(_core.split(self.core, self.tours[index].tolist()))
        return read_plan(self.actions[index], self.num_nodes)


def make_drafts(
    scaled: ScaledInstance,
    core: _core.Instance | None,
    actions: ActionArray,
    costs: FloatArray,
    threads: int,
    stop: _core.StopFlag | None = None,
    seconds: float = math.inf,
) -> Drafts:
    """Repair trajectories (M, T) with scaled costs (M,), if a core instance is given.

    The split can only lower a cost: where it does not, the trajectory stays as it is. After a
    `stop`, or so many `seconds`, the trajectories that are left stay as they are.
    """
    tours, is_split = None, np.zeros(len(costs), dtype=np.bool_)
    if core is not None:
        split_costs, tours = _core.repair_trajectories(core, actions, threads, stop, seconds)
        is_split = split_costs < costs
        costs = np.minimum(costs, split_costs)
    num_nodes = scaled.num_customers + 1
    return Drafts(costs * scaled.cost_scale, actions, tours, is_split, num_nodes, core)


class Session:
    """Encoded symmetries of one instance.

    Parameters
    ----------
    weights
        The policy.
    instance
        The problem; must have coordinates.
    num_symmetries
        1 or 8.
    with_split
        Whether trajectories are repaired by the optimal split.
    seed, threads
        For `sample`.
    stop
        Ends encoding and decoding early. After it, drafts that are not finished cost infinity, and
        symmetries that are not encoded are never decoded.
    seconds_left
        Returns the seconds left for the split repair; by default there is no limit.
    """

    def __init__(
        self,
        weights: PolicyWeights,
        instance: Instance,
        *,
        num_symmetries: int,
        with_split: bool,
        seed: int,
        threads: int,
        stop: _core.StopFlag | None = None,
        seconds_left: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self._weights = weights
        self._decoder = folded(weights)
        self._scaled = scale(instance)
        self._problems = core_problems([self._scaled])
        self._core = scaled_to_core(self._scaled) if with_split else None
        self._num_symmetries = num_symmetries
        self._seed = seed
        self._threads = threads
        self._stop = stop
        self._seconds_left = seconds_left
        self._embeddings: list[Float32Array] = []
        self._num_sampled = 0
        self._num_greedy = 0

    @property
    def num_encoded(self) -> int:
        """Symmetries encoded so far."""
        return len(self._embeddings)

    @property
    def num_symmetries(self) -> int:
        """Symmetries that are to be encoded in the end."""
        return self._num_symmetries

    def encode(self, count: int) -> None:
        """Encode symmetries until there are `count`."""
        first, last = self.num_encoded, min(count, self._num_symmetries)
        if first >= last:
            return
        views = np.stack([mirrored(self._scaled.coordinates, s) for s in range(first, last)])
        demands = np.broadcast_to(self._scaled.demands, views.shape[:2])
        weights = self._weights
        self._embeddings.extend(
            encode(weights.config, weights.tensors, views, demands, self._threads, self._stop)
        )

    def greedy(self) -> Drafts:
        """Decode greedily those encoded symmetries that have not been yet."""
        drafts = self._decode(self._num_greedy, 1, greedy=True, temperature=1.0, top_k=0)
        self._num_greedy = self.num_encoded
        return drafts

    def sample(self, trajectories: int, *, temperature: float, top_k: int) -> Drafts:
        """Sample this many trajectories per encoded symmetry; each call draws new ones."""
        drafts = self._decode(0, trajectories, greedy=False, temperature=temperature, top_k=top_k)
        self._num_sampled += trajectories * self.num_encoded
        return drafts

    def _decode(
        self, start: int, trajectories: int, *, greedy: bool, temperature: float, top_k: int
    ) -> Drafts:
        batch = max(1, MAX_BYTES // table_bytes(self._decoder, self._scaled.num_customers + 1))
        parts = []
        for first in range(start, self.num_encoded, batch):
            embeddings = np.stack(self._embeddings[first : first + batch])
            parts.append(
                rollout_tables(
                    self._decoder,
                    self._decoder.tables(embeddings, self._threads, self._stop),
                    self._problems,
                    trajectories=trajectories,
                    greedy=greedy,
                    draw_first_type=not greedy,
                    temperature=temperature,
                    top_k=top_k,
                    seed=self._seed,
                    first_stream=self._num_sampled + first * trajectories,
                    threads=self._threads,
                    stop=self._stop,
                )
            )
        # A stop may have come before any symmetry was encoded.
        steps = 2 * self._scaled.num_customers - 1
        actions = np.concatenate(
            [np.empty((0, steps), np.int32), *(part.actions.reshape(-1, steps) for part in parts)]
        )
        costs = np.concatenate([np.empty(0), *(part.costs.ravel() for part in parts)])
        return make_drafts(
            self._scaled,
            self._core,
            actions,
            costs,
            self._threads,
            self._stop,
            self._seconds_left(),
        )
