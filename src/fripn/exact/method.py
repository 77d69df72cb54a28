"""The exact method: engine for plans, column generation for bounds, side by side."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar

from fripn import _core
from fripn.core import to_core
from fripn.exact.engine import EngineThread, Routes, first_plans
from fripn.exact.highs import lp_solver
from fripn.features import ROUTING, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.problem.instance import LOAD_TOLERANCE
from fripn.result import Result
from fripn.run import Run
from fripn.settings import Count, Range, check_fields

#: Integer loads go up to this. Beyond, they are rounded, which is still a valid bound.
MAX_CAPACITY = 20_000

#: Labels are sorted by load for every pair of stops: this many places are filled quickly.
_PLACES = 1e8

#: Loads are never rounded to fewer steps than this.
_LEAST_CAPACITY = 500

#: Descriptions of the proofs of the core.
_PROOFS = {
    "root": "column generation at the root",
    "enumeration": "enumeration of routes",
    "branching": "branch, cut and price",
    "customer sets": "a dynamic program over sets of customers",
    "": "column generation",
}


#: What may end the proof early, apart from limits.
_FAILURES = {
    "linear program": "HiGHS could not solve one of the linear programs",
    "memory": "the memory ran out",
}


@dataclass(frozen=True, slots=True)
class Exact:
    """Settings of the exact method; calling it bounds the cost of all plans and finds plans.

    Set partitioning over routes of all types by column generation, with cuts, enumeration of the
    routes that can be part of a better plan, and branching; see ``docs/exact.md``. The search
    engine finds the plans to compare with: before, and with two threads or more also beside. The
    bound is valid from the first moment and grows until it meets the plan or the run ends. The
    method counts nodes of the branching tree as iterations.

    Parameters
    ----------
    ng_size
        Customers that a partial route remembers around each of its stops, at most 12.
    fleet_cuts
        Whether to use cuts on the numbers of vehicles.
    capacity_cuts
        Whether to use cuts on how often routes leave a set of customers.
    subset_cuts
        Whether to use cuts over three or five customers.
    smoothing
        Whether to price halfway to the best dual values.
    dual_ascent
        Whether dual ascent gives the first bound where there are 150 customers or more.
    fixing
        Whether to remove arcs and types that no better plan can use.
    enumeration
        Whether to enumerate the routes that a better plan can use.
    branching
        Whether to branch where nothing else closes the gap.
    strong_branching
        Whether to try several ways to branch and take the most promising one.
    customer_sets
        Whether a dynamic program over all sets of customers takes over, with up to 20 customers and
        an unlimited fleet, where the routes are too many to enumerate.
    max_labels
        Partial routes at which an enumeration gives up.
    engine
        Whether the engine looks for plans beside the proof, on threads that are left.

    References
    ----------
    .. [1] R. Baldacci, A. Mingozzi (2009), doi 10.1007/s10107-008-0218-9.
    .. [2] A. Pessoa, R. Sadykov, E. Uchoa (2018), doi 10.1016/j.ejor.2018.04.009.
    """

    name: ClassVar[str] = "exact"
    supports: ClassVar[frozenset[Feature]] = ROUTING
    ends_by_itself: ClassVar[bool] = False

    ng_size: Annotated[int, Range(least=0, most=12)] = 8
    fleet_cuts: bool = True
    capacity_cuts: bool = True
    subset_cuts: bool = True
    smoothing: bool = True
    dual_ascent: bool = True
    fixing: bool = True
    enumeration: bool = True
    branching: bool = True
    strong_branching: bool = True
    customer_sets: bool = True
    max_labels: Count = 2_000_000
    engine: bool = True

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        best = Incumbent(instance, run, self.name)
        lp = lp_solver()
        core = to_core(instance)
        routes = first_plans(best, core)
        if best.is_over:
            return best.result()
        beside = EngineThread(best, core) if self.engine and run.threads > 1 else None
        try:
            outcome = self._prove(best, core, lp, routes, beside)
        finally:
            if beside is not None:
                beside.end()
        return best.result(iterations=outcome.nodes, notes=_notes(outcome, best))

    def _prove(
        self,
        best: Incumbent,
        core: _core.Instance,
        lp: _core.LpSolver,
        routes: Routes,
        beside: EngineThread | None,
    ) -> _core.ExactOutcome:
        def poll() -> float | None:
            if beside is not None:
                beside.hand_over()
            return None if best.is_over else best.cost

        def take_bound(bound: float) -> None:
            # A bound that closes the gap is recorded with the proof.
            if bound < best.cost:
                best.raise_bound(bound, _PROOFS[""])

        outcome = _core.solve_exact(
            core,
            lp,
            self._for_core(best.run),
            load_tolerance=LOAD_TOLERANCE,
            max_capacity=max_capacity(best.instance.num_customers),
            plan_cost=best.cost,
            routes=routes,
            seconds=best.seconds_left,
            on_bound=take_bound,
            on_plan=lambda _, plan: best.offer(Solution.of(plan)),
            poll=poll,
        )
        # The core may count on a plan at the edge of a tolerance that `evaluate` does not accept.
        is_known = best.cost <= outcome.known_cost * (1.0 + _core.EXACT_TOLERANCE)
        if outcome.is_optimal and is_known:
            best.prove_optimal(_PROOFS[outcome.proof])
        return outcome

    def _for_core(self, run: Run) -> _core.ExactSettings:
        settings = _core.ExactSettings()
        for field in fields(self):
            if field.name != "engine":
                setattr(settings, field.name, getattr(self, field.name))
        settings.num_threads = run.threads
        if run.budget.gap is not None:
            settings.gap = run.budget.gap / 100.0
        if run.budget.iterations is not None:
            settings.max_nodes = min(run.budget.iterations, settings.max_nodes)
        return settings


def max_capacity(num_customers: int) -> int:
    """Return the largest scaled capacity for which pricing stays quick."""
    affordable = int(_PLACES / num_customers**2)
    return max(_LEAST_CAPACITY, min(MAX_CAPACITY, affordable))


def _notes(outcome: _core.ExactOutcome, best: Incumbent) -> tuple[str, ...]:
    cuts = outcome.fleet_cuts + outcome.capacity_cuts + outcome.subset_cuts
    work = (
        f"{_count(outcome.nodes, 'node')}, {_count(outcome.columns, 'column')}, "
        f"{_count(cuts, 'cut')}, {_count(outcome.enumerated, 'route')} enumerated, "
        f"{best.seconds:.2f} s"
    )
    what = f"proven by {_PROOFS[outcome.proof]}" if outcome.is_optimal else "not closed"
    if outcome.is_infeasible:
        what = "no plan exists"
    notes = [f"{what}: {work}"]
    if outcome.failure:
        notes.append(f"{_FAILURES[outcome.failure]}; the bound proven before stands")
    if not outcome.has_exact_loads:
        notes.append(
            "the demands are rounded to fewer steps for the bound, which may keep a gap open"
        )
    return tuple(notes)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
