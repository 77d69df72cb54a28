"""The model through CPLEX, the solver of the paper, if it is installed."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

import cplex
import numpy as np
from cplex.callbacks import Context

from fripn.baselines.milp.backend import Found, Limits, Outcome
from fripn.baselines.milp.model import Model
from fripn.baselines.watch import run_watched
from fripn.problem.instance import FloatArray


class _Candidates:
    """Puts candidate plans and bounds into a queue; CPLEX calls it from its own threads."""

    def __init__(self, found: queue.SimpleQueue[Found]) -> None:
        self._found = found

    def invoke(self, context: Any) -> None:
        if context.is_candidate_point():
            self._found.put(np.array(context.get_candidate_point()))
            self._found.put(float(context.get_double_info(Context.info.best_bound)))


def solve_with_cplex(
    model: Model,
    limits: Limits,
    start: FloatArray | None,
    on_found: Callable[[Found], None],
) -> Outcome:
    """Solve the model with CPLEX (see `Backend`)."""
    with cplex.Cplex() as solver:
        _load(solver, model, limits, start)
        found: queue.SimpleQueue[Found] = queue.SimpleQueue()
        solver.set_callback(_Candidates(found), Context.id.candidate)
        aborter = solver.use_aborter(cplex.Aborter())
        run_watched(
            solver.solve,
            aborter.abort,
            found,
            on_found,
            seconds=limits.seconds,
            stop=limits.stop,
        )
        status = solver.solution.status
        return Outcome(
            bound=float(solver.solution.MIP.get_best_objective()),
            is_proven=solver.solution.get_status()
            in (status.MIP_optimal, status.optimal_tolerance),
            nodes=int(solver.solution.progress.get_num_nodes_processed()),
        )


def _load(solver: Any, model: Model, limits: Limits, start: FloatArray | None) -> None:
    for stream in ("log", "results", "warning", "error"):
        getattr(solver, f"set_{stream}_stream")(None)
    variables, matrix = model.variables, model.sparse_rows()
    solver.variables.add(
        obj=model.costs.tolist(),
        lb=variables.lower.tolist(),
        ub=np.minimum(variables.upper, cplex.infinity).tolist(),
        types="".join("I" if whole else "C" for whole in variables.is_integer),
    )
    senses, sides = [], []
    for lower, upper in zip(matrix.lower, matrix.upper, strict=True):
        is_equal = lower == upper
        senses.append("E" if is_equal else ("L" if np.isfinite(upper) else "G"))
        sides.append(float(upper if np.isfinite(upper) else lower))
    solver.linear_constraints.add(
        lin_expr=[
            cplex.SparsePair(
                matrix.columns[first:last].tolist(), matrix.values[first:last].tolist()
            )
            for first, last in zip(matrix.starts, matrix.starts[1:], strict=False)
        ],
        senses="".join(senses),
        rhs=sides,
    )
    settings = solver.parameters
    settings.mip.tolerances.mipgap.set(limits.gap)
    settings.mip.tolerances.absmipgap.set(1e-9)
    settings.threads.set(limits.threads)
    settings.randomseed.set(limits.seed % 2_000_000_000)
    if np.isfinite(limits.seconds):
        settings.timelimit.set(limits.seconds)
    if limits.nodes is not None:
        settings.mip.limits.nodes.set(limits.nodes)
    if limits.target is not None:
        settings.mip.limits.lowerobjstop.set(limits.target)
    if start is not None:
        solver.MIP_starts.add(
            cplex.SparsePair(list(range(variables.count)), start.tolist()),
            solver.MIP_starts.effort_level.check_feasibility,
        )
