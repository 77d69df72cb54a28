"""HiGHS for the core: its C library where highspy ships it, else its Python interface."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import numpy.typing as npt

from fripn import _core

#: What the library is called on the systems highspy is built for.
_LIBRARIES = ("libhighs.so.1", "libhighs.1.dylib", "highs.dll")

_Ints = npt.NDArray[np.int32]
_Floats = npt.NDArray[np.float64]

_PRIMAL_SIMPLEX, _DUAL_SIMPLEX = 4, 1


@cache
def lp_solver() -> _core.LpSolver:
    """Return the solver for linear and integer programs, opened once."""
    library = find_library()
    if library is not None:
        try:
            return _core.open_highs(str(library))
        except RuntimeError:
            pass  # a library of another version: the interface that goes with it is there
    return _core.LpInterface(HighsInterface())


def find_library() -> Path | None:
    """Return the C library that highspy ships; None where it was linked into the module."""
    folder = Path(highspy.__file__).parent
    return next((folder / name for name in _LIBRARIES if (folder / name).exists()), None)


class HighsInterface:
    """Programs for the core; ``cpp/exact/lp.h`` documents each call."""

    def linear_program(self) -> LinearProgram:
        """Return an empty linear program."""
        return LinearProgram()

    def solve_integer(
        self,
        costs: list[float],
        upper: list[float],
        row_lower: list[float],
        row_upper: list[float],
        starts: list[int],
        indices: list[int],
        values: list[float],
        cutoff: float,
        seconds: float,
    ) -> tuple[bool, list[float]]:
        """Solve an integer program: whether to the end, and the best solution, if any."""
        highs = _quiet_highs()
        for option, value in (
            ("mip_rel_gap", 1e-9),
            ("mip_abs_gap", 1e-9),
            ("objective_bound", cutoff),
        ):
            highs.setOptionValue(option, value)
        if np.isfinite(seconds):
            highs.setOptionValue("time_limit", max(seconds, 0.01))
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(costs), len(row_lower)
        lp.col_cost_ = np.array(costs)
        lp.col_lower_ = np.zeros(len(costs))
        lp.col_upper_ = np.array(upper)
        lp.row_lower_ = np.array(row_lower)
        lp.row_upper_ = np.array(row_upper)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = len(costs), len(row_lower)
        lp.a_matrix_.start_ = np.array(starts)
        lp.a_matrix_.index_ = np.array(indices)
        lp.a_matrix_.value_ = np.array(values)
        lp.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
        highs.passModel(lp)
        highs.run()
        status = highs.getModelStatus()
        ended = highspy.HighsModelStatus
        is_solved = status in (ended.kOptimal, ended.kInfeasible, ended.kObjectiveBound)
        has_solution = highs.getInfo().primal_solution_status == 2
        return is_solved, list(highs.getSolution().col_value) if has_solution else []


class LinearProgram:
    """A linear program that grows and shrinks between solves."""

    def __init__(self) -> None:
        self._highs = _quiet_highs()
        self._highs.setOptionValue("solver", "simplex")

    def add_rows(
        self, lower: _Floats, upper: _Floats, starts: _Ints, indices: _Ints, values: _Floats
    ) -> None:
        """Add rows with their entries in the columns there are."""
        self._highs.addRows(len(lower), lower, upper, len(indices), starts[:-1], indices, values)

    def add_columns(
        self,
        costs: _Floats,
        lower: _Floats,
        upper: _Floats,
        starts: _Ints,
        indices: _Ints,
        values: _Floats,
    ) -> None:
        """Add columns with their entries in the rows there are."""
        self._highs.addCols(
            len(costs), costs, lower, upper, len(indices), starts[:-1], indices, values
        )

    def set_column_bounds(self, column: int, lower: float, upper: float) -> None:
        """Change the bounds of a column."""
        self._highs.changeColBounds(column, lower, upper)

    def set_column_cost(self, column: int, cost: float) -> None:
        """Change the cost of a column."""
        self._highs.changeColCost(column, cost)

    def set_row_bounds(self, row: int, lower: float, upper: float) -> None:
        """Change the bounds of a row."""
        self._highs.changeRowBounds(row, lower, upper)

    def delete_columns(self, columns: _Ints) -> None:
        """Delete columns by their numbers."""
        self._highs.deleteCols(len(columns), columns)

    def delete_rows(self, rows: _Ints) -> None:
        """Delete rows by their numbers."""
        self._highs.deleteRows(len(rows), rows)

    def solve(self, rows_changed: bool) -> str:
        """Solve from the last basis; return ``optimal``, ``infeasible`` or ``failed``."""
        first = _DUAL_SIMPLEX if rows_changed else _PRIMAL_SIMPLEX
        for strategy, tolerance in (
            (first, 1e-9),
            (_DUAL_SIMPLEX, 1e-9),
            (_PRIMAL_SIMPLEX, 1e-9),
            (_DUAL_SIMPLEX, 1e-7),
        ):
            self._highs.setOptionValue("simplex_strategy", strategy)
            self._highs.setOptionValue("presolve", "off" if tolerance < 1e-8 else "on")
            self._highs.setOptionValue("dual_feasibility_tolerance", tolerance)
            self._highs.setOptionValue("primal_feasibility_tolerance", tolerance)
            self._highs.run()
            status = self._highs.getModelStatus()
            if status == highspy.HighsModelStatus.kOptimal:
                return "optimal"
            if status == highspy.HighsModelStatus.kInfeasible:
                return "infeasible"
            # Unknown: the basis may be of no use any more.
            self._highs.clearSolver()
        return "failed"

    def solution(self) -> tuple[float, list[float], list[float]]:
        """Return the objective, the values of the columns and the dual values of the rows."""
        solution = self._highs.getSolution()
        objective = float(self._highs.getInfo().objective_function_value)
        return objective, list(solution.col_value), list(solution.row_dual)


def _quiet_highs() -> Any:
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    return highs
