"""Exact solution of small instances, and bounds for larger ones."""

from __future__ import annotations

import importlib
import importlib.util
import math
from dataclasses import dataclass, field
from typing import Literal

from fripn.baselines.first_plan import first_plan
from fripn.baselines.milp.backend import Backend, Limits
from fripn.baselines.milp.bound import radial_bound
from fripn.baselines.milp.model import Strengthening, build_model
from fripn.budget import Budget
from fripn.errors import MissingExtra
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.problem.instance import FloatArray
from fripn.result import OnImprovement, Result, Status
from fripn.search import core_instance
from fripn.settings import check_fields

SolverName = Literal["highs", "cplex", "gurobi"]

#: Module and function behind each solver, the package it needs, and how to get that.
_BACKENDS: dict[SolverName, tuple[str, str, str, str]] = {
    "highs": ("highs", "solve_with_highs", "highspy", "pip install highspy"),
    "cplex": ("cplex", "solve_with_cplex", "cplex", "pip install cplex"),
    "gurobi": ("gurobi", "solve_with_gurobi", "gurobipy", "pip install gurobipy"),
}


#: Seconds for which HiGHS may be deaf, per entry of the matrix, as measured.
_LAG_PER_ENTRY = 1.5e-6

#: Share of the time limit that a solver may take longer before it is left to itself.
_GRACE_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Milp:
    """The paper's mixed-integer model, solved to optimality if time allows.

    Iterations are branch-and-bound nodes. The solver begins with the `start` or with the savings
    plan, whichever is cheaper, as a plan in hand lets it cut off much of the tree.

    Parameters
    ----------
    solver
        ``highs`` comes with the package; ``cplex`` and ``gurobi`` need their own installations.
    strengthening
        Valid inequalities added to the paper's equations; `Strengthening.none` for none.
    """

    solver: SolverName = "highs"
    strengthening: Strengthening = field(default_factory=Strengthening)

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(
        self,
        instance: Instance,
        budget: Budget,
        *,
        seed: int = 0,
        threads: int = 1,
        start: Solution | None = None,
        on_improvement: OnImprovement | None = None,
    ) -> Result:
        """Solve the instance within the budget (see `Method`)."""
        solve_model = load_backend(self.solver)
        best = Incumbent(instance, budget, start, on_improvement)
        model = build_model(instance, self.strengthening)
        first_plan(instance, core_instance(instance), best, seed=seed)

        bound = radial_bound(instance)
        # Solvers look at clock and signals only between steps, whose length grows with the model.
        lag = _LAG_PER_ENTRY * model.num_entries
        seconds = best.seconds_left - lag
        if seconds <= lag:
            note = f"{budget.seconds} s are too short for {self.solver} to start on this model"
            return best.result("milp", seed=seed, lower_bound=min(bound, best.cost), notes=(note,))

        def take(values: FloatArray) -> None:
            best.offer(model.solution_of(values))

        limits = Limits(
            seconds=seconds,
            grace=lag + _GRACE_SHARE * (budget.seconds or math.inf),
            nodes=budget.iterations,
            stall_nodes=budget.stall,
            target=budget.target,
            threads=threads,
            seed=seed,
        )
        first = None if best.solution is None else model.values_of(best.solution)
        outcome = solve_model(model, limits, first, take)
        if outcome.is_interrupted:
            status = Status.INTERRUPTED
        else:
            status = Status.OPTIMAL if outcome.is_proven else Status.FEASIBLE
        return best.result(
            "milp",
            status=status,
            seed=seed,
            iterations=outcome.nodes,
            # Proven up to the solver's tolerances: no bound may exceed a plan in hand.
            lower_bound=min(max(bound, outcome.bound), best.cost),
            notes=(f"solved with {self.solver}",),
        )


def load_backend(solver: SolverName) -> Backend:
    """Import a solver's side of the model.

    Raises
    ------
    MissingExtra
        When its package is not installed.
    """
    module, function, package, remedy = _BACKENDS[solver]
    if importlib.util.find_spec(package) is None:
        raise MissingExtra(
            f"solver {solver!r} needs the package {package!r}, which is not installed; "
            f"run: {remedy} (a licence may be needed), or choose solver 'highs'"
        )
    backend: Backend = getattr(importlib.import_module(f"fripn.baselines.milp.{module}"), function)
    return backend
