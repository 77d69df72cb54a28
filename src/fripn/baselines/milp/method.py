"""Exact solution of small instances, and bounds for larger ones."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from fripn import _core
from fripn.baselines.first_plan import first_plan
from fripn.baselines.milp.backend import Backend, Found, Limits
from fripn.baselines.milp.bound import radial_bound
from fripn.baselines.milp.model import (
    Model,
    Strengthening,
    build_model,
    build_paper_model,
    check_size,
)
from fripn.baselines.watch import finish_or_cancel
from fripn.core import to_core
from fripn.errors import InvalidSetting, MissingExtra, Unsupported
from fripn.features import ROUTING, WORKING_DAY, Feature, features_of
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Result, saving_percent
from fripn.run import Cancelled, Run
from fripn.settings import check_fields

SolverName = Literal["highs", "cplex", "gurobi"]

ModelName = Literal["paper", "strengthened"]

#: Module and function behind each solver, the package it needs, and how to get that.
_BACKENDS: dict[SolverName, tuple[str, str, str, str]] = {
    "highs": ("highs", "solve_with_highs", "highspy", "pip install highspy"),
    "cplex": ("cplex", "solve_with_cplex", "cplex", "pip install cplex"),
    "gurobi": ("gurobi", "solve_with_gurobi", "gurobipy", "pip install gurobipy"),
}


#: Percent of the cost that may lie between a proven optimum and its bound: solvers' tolerances.
_CLOSED = 1e-4

#: Seconds for which HiGHS may not look at its clock, per entry of the matrix, as measured.
_LAG_PER_ENTRY = 1.5e-6

#: Share of the time limit that a solver may take longer before it is left running.
_GRACE_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Milp:
    """A mixed-integer model of the problem, solved to optimality if time allows.

    Iterations are branch-and-bound nodes.

    Parameters
    ----------
    solver
        ``highs`` comes with the package; ``cplex`` and ``gurobi`` need their own installations.
    model
        ``paper``: equations (1) to (9) of the paper as they stand, and no bound but the solver's.
        ``strengthened``: one load per customer, with valid inequalities.
    start_plan
        Whether the solver begins with the savings plan, unless the run has a plan to start from: a
        plan in hand lets it cut off much of the tree.
    strengthening
        Which valid inequalities the strengthened model has; `Strengthening.none` for none.

    Raises
    ------
    InvalidSetting
        When there is no such solver or model, or the paper's model is to be strengthened.
    """

    name: ClassVar[str] = "milp"
    supports: ClassVar[frozenset[Feature]] = ROUTING | WORKING_DAY
    ends_by_itself: ClassVar[bool] = False

    solver: SolverName = "highs"
    model: ModelName = "strengthened"
    start_plan: bool = True
    strengthening: Strengthening = field(default_factory=Strengthening)

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)
        if self.model == "paper" and self.strengthening != Strengthening():
            raise InvalidSetting(
                "the paper's model has no strengthening",
                field="strengthening",
                value=self.strengthening,
                remedy="leave it out, or choose model 'strengthened'",
            )

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        is_day = bool(features_of(instance) & WORKING_DAY)
        if is_day and self.model == "paper":
            raise Unsupported(
                f"{instance.name} has a working day, which the paper's model does not know",
                field="model",
                value=self.model,
                remedy="choose model 'strengthened'",
            )
        solve_model = load_backend(self.solver)
        best = Incumbent(instance, run, self.name)
        check_size(instance)
        if self.start_plan:
            self._take_first_plan(best, is_day)
        if self.model == "strengthened" and not is_day:
            best.raise_bound(radial_bound(instance), "radial bound")
        nodes = 0
        notes: tuple[str, ...] = ()
        with contextlib.suppress(Cancelled):
            nodes, notes = self._solve(solve_model, best)
        return best.result(iterations=nodes, notes=notes)

    def _take_first_plan(self, best: Incumbent, is_day: bool) -> None:
        if not is_day:
            first_plan(to_core(best.instance), best)
        elif best.solution is None:
            routes = _core.savings(to_core(best.instance), best.run.flag, best.seconds_left)
            best.offer(Solution.of(routes))

    def _solve(self, solve_model: Backend, best: Incumbent) -> tuple[int, tuple[str, ...]]:
        """Build the model and solve it; return the number of nodes and what to remark."""
        run, budget = best.run, best.run.budget
        model = finish_or_cancel(lambda: self._build(best.instance), run.stop)
        # Solvers look at clock and signals only between steps, whose length grows with the model.
        lag = _LAG_PER_ENTRY * model.num_entries
        seconds = best.seconds_left - lag
        if seconds <= lag:
            note = f"{budget.seconds} s are too short for {self.solver} to start on this model"
            return 0, (note,)
        proof = f"branch and bound by {self.solver}"
        refused = math.inf

        def take(found: Found) -> None:
            nonlocal refused
            if isinstance(found, float):
                best.raise_bound(found, proof)
                return
            evaluation = best.consider(model.solution_of(found))
            if not evaluation.is_feasible:
                refused = min(refused, evaluation.cost)

        limits = Limits(
            seconds=seconds,
            grace=lag + _GRACE_SHARE * (budget.seconds or math.inf),
            nodes=budget.iterations,
            stall_nodes=budget.stall,
            target=budget.target,
            gap=(budget.gap or 0.0) / 100.0,
            stop=run.stop,
            threads=run.threads,
            seed=run.seed,
        )
        first = None if best.solution is None else model.values_of(best.solution)
        outcome = solve_model(model, limits, first, take)
        best.raise_bound(outcome.bound, proof)
        # A solver with a gap as limit calls what is within it optimal. And a plan may keep a limit
        # within the tolerance of the solver and break it within ours.
        is_misled = refused < best.cost
        is_exact = not limits.gap and model.day is None and not is_misled
        is_closed = is_exact or saving_percent(best.cost, outcome.bound) <= _CLOSED
        if outcome.is_proven and is_closed:
            best.prove_optimal(proof)
        notes = [f"solved with {self.solver}"]
        if is_misled:
            notes.append(
                f"{self.solver} found a cheaper plan that breaks a limit within its tolerance"
            )
        return outcome.nodes, tuple(notes)

    def _build(self, instance: Instance) -> Model:
        if self.model == "paper":
            return build_paper_model(instance)
        return build_model(instance, self.strengthening)


def load_backend(solver: SolverName) -> Backend:
    """Import the function of a solver.

    Raises
    ------
    MissingExtra
        When its package is not installed.
    """
    module, function, package, remedy = _BACKENDS[solver]
    if importlib.util.find_spec(package) is None:
        raise MissingExtra(
            f"solver {solver!r} needs the package {package!r}, which is not installed",
            field="solver",
            value=solver,
            remedy=f"run: {remedy} (a licence may be needed), or choose solver 'highs'",
        )
    backend: Backend = getattr(importlib.import_module(f"fripn.baselines.milp.{module}"), function)
    return backend
