"""The model through HiGHS, the solver that comes with the package."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

import highspy
import numpy as np

from fripn.baselines.milp.backend import Found, Limits, Outcome
from fripn.baselines.milp.model import Model
from fripn.baselines.watch import OverdueError, finish_or_cancel, run_watched
from fripn.problem.instance import FloatArray

#: Seconds for which a cancelled run waits for HiGHS, whose factorisations cannot be interrupted.
_CANCEL_GRACE = 0.04


def solve_with_highs(
    model: Model,
    limits: Limits,
    start: FloatArray | None,
    on_found: Callable[[Found], None],
) -> Outcome:
    """Solve the model with HiGHS (see `Backend`)."""
    solver = finish_or_cancel(lambda: _load(model, limits, start), limits.stop)
    found: queue.SimpleQueue[Found] = queue.SimpleQueue()
    stop = threading.Event()
    bound = -np.inf

    def look(event: Any) -> None:
        nonlocal bound
        event.interrupt(stop.is_set())
        if bound < event.data_out.mip_dual_bound < np.inf:
            bound = float(event.data_out.mip_dual_bound)
            found.put(bound)

    solver.cbMipInterrupt.subscribe(look)
    for hook in (solver.cbSimplexInterrupt, solver.cbIpmInterrupt):
        hook.subscribe(lambda event: event.interrupt(stop.is_set()))
    solver.cbMipImprovingSolution.subscribe(
        lambda event: found.put(np.array(event.data_out.mip_solution))
    )

    def run() -> None:
        solver.run()
        # Each thread that runs HiGHS has workers of its own: let them go with it.
        highspy.Highs.resetGlobalScheduler(False)

    try:
        run_watched(
            run,
            stop.set,
            found,
            on_found,
            seconds=limits.seconds,
            grace=limits.grace,
            stop=limits.stop,
            cancel_grace=_CANCEL_GRACE,
        )
    except OverdueError:
        # Its factorisations do not look at the clock; what it has found has been received already.
        return Outcome(bound=bound, is_proven=False, nodes=0)
    info = solver.getInfo()
    return Outcome(
        bound=float(info.mip_dual_bound),
        is_proven=solver.getModelStatus() == highspy.HighsModelStatus.kOptimal,
        nodes=max(int(info.mip_node_count), 0),
    )


def _load(model: Model, limits: Limits, start: FloatArray | None) -> Any:
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", limits.threads)
    solver.setOptionValue("random_seed", limits.seed % 2**31)
    # Unless the budget names a gap, nothing cheaper may be left: not HiGHS's usual 0.01 %.
    solver.setOptionValue("mip_rel_gap", max(limits.gap, 1e-9))
    solver.setOptionValue("mip_abs_gap", 1e-9)
    if np.isfinite(limits.seconds):
        solver.setOptionValue("time_limit", limits.seconds)
    if limits.nodes is not None:
        solver.setOptionValue("mip_max_nodes", limits.nodes)
    if limits.stall_nodes is not None:
        solver.setOptionValue("mip_max_stall_nodes", limits.stall_nodes)
    if limits.target is not None:
        solver.setOptionValue("objective_target", limits.target)
    solver.passModel(_as_lp(model))
    if start is not None:
        plan = highspy.HighsSolution()
        plan.col_value = start
        solver.setSolution(plan)
    return solver


def _as_lp(model: Model) -> Any:
    variables = model.variables
    lp = highspy.HighsLp()
    lp.num_col_ = variables.count
    lp.num_row_ = model.num_rows
    lp.col_cost_ = model.costs
    lp.col_lower_ = variables.lower
    lp.col_upper_ = variables.upper
    matrix = model.sparse_rows()
    lp.row_lower_ = matrix.lower
    lp.row_upper_ = matrix.upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_ = variables.count
    lp.a_matrix_.num_row_ = model.num_rows
    lp.a_matrix_.start_ = matrix.starts
    lp.a_matrix_.index_ = matrix.columns
    lp.a_matrix_.value_ = matrix.values
    lp.integrality_ = [
        highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
        for whole in variables.is_integer
    ]
    return lp
