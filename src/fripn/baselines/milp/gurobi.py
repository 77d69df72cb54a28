"""The model through Gurobi, if it is installed."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

import gurobipy
import numpy as np
from gurobipy import GRB

from fripn.baselines.milp.backend import Found, Limits, Outcome
from fripn.baselines.milp.model import Model
from fripn.baselines.watch import run_watched
from fripn.problem.instance import FloatArray


def solve_with_gurobi(
    model: Model,
    limits: Limits,
    start: FloatArray | None,
    on_found: Callable[[Found], None],
) -> Outcome:
    """Solve the model with Gurobi (see `Backend`)."""
    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as solver:
        columns = _load(solver, model, limits, start)
        found: queue.SimpleQueue[Found] = queue.SimpleQueue()

        def on_event(callback_model: Any, where: int) -> None:
            if where == GRB.Callback.MIPSOL:
                found.put(np.array(callback_model.cbGetSolution(columns)))
                found.put(float(callback_model.cbGet(GRB.Callback.MIPSOL_OBJBND)))
            elif where == GRB.Callback.MIP:
                found.put(float(callback_model.cbGet(GRB.Callback.MIP_OBJBND)))

        run_watched(
            lambda: solver.optimize(on_event),
            solver.terminate,
            found,
            on_found,
            seconds=limits.seconds,
            stop=limits.stop,
        )
        return Outcome(
            bound=float(solver.ObjBound),
            is_proven=solver.Status == GRB.OPTIMAL,
            nodes=int(solver.NodeCount),
        )


def _load(solver: Any, model: Model, limits: Limits, start: FloatArray | None) -> list[Any]:
    variables, matrix = model.variables, model.sparse_rows()
    columns = list(
        solver.addVars(
            variables.count,
            lb=variables.lower.tolist(),
            ub=variables.upper.tolist(),
            obj=model.costs.tolist(),
            vtype=[GRB.INTEGER if whole else GRB.CONTINUOUS for whole in variables.is_integer],
        ).values()
    )
    for row, (first, last) in enumerate(zip(matrix.starts, matrix.starts[1:], strict=False)):
        terms = gurobipy.LinExpr(
            matrix.values[first:last].tolist(),
            [columns[column] for column in matrix.columns[first:last]],
        )
        if matrix.lower[row] == matrix.upper[row]:
            solver.addConstr(terms == matrix.lower[row])
            continue
        if np.isfinite(matrix.lower[row]):
            solver.addConstr(terms >= matrix.lower[row])
        if np.isfinite(matrix.upper[row]):
            solver.addConstr(terms <= matrix.upper[row])
    settings: dict[str, float | None] = {
        "MIPGap": limits.gap,
        "MIPGapAbs": 1e-9,
        "Threads": limits.threads,
        "Seed": limits.seed % 2_000_000_000,
        "TimeLimit": limits.seconds if np.isfinite(limits.seconds) else None,
        "NodeLimit": limits.nodes,
        "BestObjStop": limits.target,
    }
    for name, value in settings.items():
        if value is not None:
            solver.setParam(name, value)
    if start is not None:
        for column, value in zip(columns, start.tolist(), strict=True):
            column.Start = value
    return columns
