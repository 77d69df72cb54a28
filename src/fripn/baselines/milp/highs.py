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

#: Entries of the matrix that are passed to HiGHS in one call: some 10 ms.
_ENTRIES_PER_CALL = 200_000


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
    _pass_model(solver, model)
    if start is not None:
        plan = highspy.HighsSolution()
        plan.col_value = start
        solver.setSolution(plan)
    return solver


def _pass_model(solver: Any, model: Model) -> None:
    """Pass rows without entries, then columns in parts.

    No other thread runs within a call, not even the one that cancels, so none may take long. The
    matrix goes in by columns, as HiGHS would turn it within one call otherwise.
    """
    rows, variables = model.sparse_rows(), model.variables
    empty = np.zeros(0, dtype=np.int32)
    no_starts = np.zeros(model.num_rows, dtype=np.int32)
    solver.addRows(model.num_rows, rows.lower, rows.upper, 0, no_starts, empty, np.zeros(0))
    order = np.argsort(rows.columns, kind="stable")
    row_of = np.repeat(np.arange(model.num_rows, dtype=np.int32), np.diff(rows.starts))[order]
    values = rows.values[order]
    counts = np.bincount(rows.columns, minlength=variables.count)
    starts = np.concatenate([[0], np.cumsum(counts)])
    first = 0
    while first < variables.count:
        begin = starts[first]
        fitting = int(np.searchsorted(starts, begin + _ENTRIES_PER_CALL, side="right")) - 1
        last = max(fitting, first + 1)
        end = starts[last]
        solver.addCols(
            last - first,
            model.costs[first:last],
            variables.lower[first:last],
            variables.upper[first:last],
            int(end - begin),
            (starts[first:last] - begin).astype(np.int32),
            row_of[begin:end],
            values[begin:end],
        )
        first = last
    whole = np.flatnonzero(variables.is_integer).astype(np.int32)
    types = np.full(len(whole), int(highspy.HighsVarType.kInteger), dtype=np.uint8)
    solver.changeColsIntegrality(len(whole), whole, types)
