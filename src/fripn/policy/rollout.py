"""Trajectories of the policy: batches of encoded problems in, actions and costs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fripn import _core
from fripn.policy.scale import ScaledInstance, straight_lines
from fripn.policy.weights import Float32Array
from fripn.problem import Solution
from fripn.problem.instance import FloatArray

ActionArray = npt.NDArray[np.int32]


def core_problems(instances: Sequence[ScaledInstance]) -> _core.PolicyProblems:
    """Stack scaled instances of one size for the core, which checks them."""
    matrix = None
    if any(one.matrix is not None for one in instances):
        matrix = np.stack(
            [
                straight_lines(one.coordinates) if one.matrix is None else one.matrix
                for one in instances
            ]
        )
    return _core.PolicyProblems(
        coordinates=np.stack([one.coordinates for one in instances]),
        demands=np.stack([one.demands for one in instances]),
        capacities=np.stack([one.capacities for one in instances]),
        fixed_costs=np.stack([one.fixed_costs for one in instances]),
        unit_costs=np.stack([one.unit_costs for one in instances]),
        available=np.stack([one.available for one in instances]),
        load_units=np.array([one.load_unit for one in instances]),
        load_cells=np.stack([one.load_cells for one in instances]),
        matrix=matrix,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """J trajectories for each of B encoded instances.

    Parameters
    ----------
    actions
        Shape (B, J, T), int32: ``type * N + node``; -1 after the end.
    costs
        Shape (B, J), in scaled units; infinity where there is no plan, because a limited fleet
        ran out or a stop came first.
    log_probs
        Shape (B, J, T): of each decision; 0 after the end.
    """

    actions: ActionArray
    costs: FloatArray
    log_probs: Float32Array


def rollout(
    decoder: _core.PolicyDecoder,
    embeddings: Float32Array,
    problems: _core.PolicyProblems,
    *,
    trajectories: int = 1,
    greedy: bool = False,
    draw_first_type: bool | None = None,
    temperature: float = 1.0,
    top_k: int = 0,
    seed: int = 0,
    first_stream: int = 0,
    stream_period: int = 0,
    threads: int = 1,
    stop: _core.StopFlag | None = None,
) -> Trajectories:
    """Build trajectories.

    Parameters
    ----------
    decoder
        From `fripn.policy.fold.fold`.
    embeddings
        Shape (B, N, D), from the encoder; B is a multiple of the number of problems, and the
        symmetries of a problem lie together.
    problems
        The scaled problems, from `core_problems`.
    trajectories
        J, per encoded instance.
    greedy
        Take the most probable action each time.
    draw_first_type
        Draw each trajectory's first type uniformly; by default when sampling.
    temperature, top_k
        Scores are divided by the temperature; only the `top_k` best actions (0: all) are drawn
        from.
    seed, first_stream, stream_period
        Trajectory t of this call draws from stream ``first_stream + t`` of the seed (t modulo the
        period, if there is one), whatever the number of threads.
    threads
        Threads to use.
    stop
        Checked before every decision; unfinished trajectories have infinite cost.
    """
    return rollout_tables(
        decoder,
        decoder.tables(embeddings, threads, stop),
        problems,
        trajectories=trajectories,
        greedy=greedy,
        draw_first_type=not greedy if draw_first_type is None else draw_first_type,
        temperature=temperature,
        top_k=top_k,
        seed=seed,
        first_stream=first_stream,
        stream_period=stream_period,
        threads=threads,
        stop=stop,
    )


def follow(
    decoder: _core.PolicyDecoder,
    embeddings: Float32Array,
    problems: _core.PolicyProblems,
    actions: npt.NDArray[np.integer],
    *,
    first_type_given: bool = False,
    threads: int = 1,
) -> Trajectories:
    """Cost and log-probabilities of given trajectories (B, J, T).

    With `first_type_given`, the first decision is among the nodes of its type only. A decision
    that is not available ends its trajectory with infinite cost.
    """
    longest = 2 * (problems.num_nodes - 1) - 1
    padded = np.full((*actions.shape[:2], longest), -1, dtype=np.int32)
    steps = min(longest, actions.shape[2])
    padded[:, :, :steps] = actions[:, :, :steps]
    return rollout_tables(
        decoder,
        decoder.tables(embeddings, threads),
        problems,
        trajectories=actions.shape[1],
        greedy=False,
        draw_first_type=first_type_given,
        threads=threads,
        forced=padded,
    )


def rollout_tables(
    decoder: _core.PolicyDecoder,
    tables: Float32Array,
    problems: _core.PolicyProblems,
    *,
    trajectories: int,
    greedy: bool,
    draw_first_type: bool,
    temperature: float = 1.0,
    top_k: int = 0,
    seed: int = 0,
    first_stream: int = 0,
    stream_period: int = 0,
    threads: int = 1,
    forced: ActionArray | None = None,
    stop: _core.StopFlag | None = None,
) -> Trajectories:
    """Do what `rollout` and `follow` do, given the tables of ``decoder.tables``.

    Use it to roll out the same encoded instances more than once.
    """
    actions, costs, log_probs = decoder.rollout(
        tables,
        problems,
        trajectories=trajectories,
        greedy=greedy,
        draw_first_type=draw_first_type,
        temperature=temperature,
        top_k=top_k,
        seed=seed,
        first_stream=first_stream,
        stream_period=stream_period,
        threads=threads,
        forced=forced,
        stop=stop,
    )
    shape = (len(tables), trajectories)
    return Trajectories(
        actions=actions.reshape(*shape, -1),
        costs=costs.reshape(shape),
        log_probs=log_probs.reshape(*shape, -1),
    )


def read_plan(actions: npt.NDArray[np.integer], num_nodes: int) -> Solution:
    """Read the plan off one trajectory (T,), routes in the order they were begun."""
    routes: list[tuple[int, list[int]]] = []
    on_road: dict[int, list[int]] = {}
    for action in actions.tolist():
        if action < 0:
            break
        vehicle_type, node = divmod(action, num_nodes)
        if node == 0:
            del on_road[vehicle_type]
        elif vehicle_type in on_road:
            on_road[vehicle_type].append(node)
        else:
            on_road[vehicle_type] = [node]
            routes.append((vehicle_type, on_road[vehicle_type]))
    return Solution.of(routes)
