"""What should I hire? The best mix of vehicles, and what other mixes would cost.

Every alternative is a problem of its own, solved like the first one:

- *without* a type, or with *only* one: the other types alone are on offer;
- *one fewer* of a type: at most one less than the best plan hires is available;
- *one more*: exactly one more than the best plan hires. The type is offered that many times at no
  fixed cost; all plans that hire them all save the same amount, so the cheapest of those under the
  changed prices is the cheapest under the true ones. Should even free vehicles not be taken, the
  best plan is changed by hand: a route is given to the type, or cut in two, one part for the type.

All figures are true costs from `evaluate`. As the solver is a heuristic, each is an upper bound on
the cost of its mix. A plan that keeps the rule of another scenario too counts there as well, and
one that turns out cheaper than the best becomes the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fripn.errors import InvalidInstance, NoPlanFound
from fripn.problem import Instance, Route, Solution, evaluate
from fripn.result import Result, Status
from fripn.run import Stop
from fripn.solve import DEFAULT_METHOD, solve

ScenarioKind = Literal["without", "only", "fewer", "more"]

#: Gives the plan of one problem; what stands between this module and the solver.
Planner = Callable[[Instance], Result]

#: Called before each problem: what is solved now, how many are done, how many there are.
OnScenario = Callable[[str, int, int], None]

#: Better plans may turn up in a scenario; the comparison starts again from them at most this often.
_MAX_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Scenario:
    """One alternative to the best mix.

    Parameters
    ----------
    kind
        Which change it is.
    vehicle_type
        Index of the type that the change concerns.
    label
        The change in words.
    solution, cost
        Its plan and true cost; None when there is none.
    reason
        Why there is no plan, or what a reader should know about it; may be empty.
    """

    kind: ScenarioKind
    vehicle_type: int
    label: str
    solution: Solution | None
    cost: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FleetComparison:
    """The best mix found, and its alternatives.

    ``is_complete`` is False when Ctrl-C or a stop ended the comparison: the scenarios are those
    done before.
    """

    best: Result
    scenarios: tuple[Scenario, ...]
    is_complete: bool = True

    def extra_cost(self, scenario: Scenario) -> float | None:
        """Give what the alternative costs on top of the best mix; None when it has no plan."""
        return None if scenario.cost is None else scenario.cost - self.best.cost

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        instance = self.best.instance
        return {
            "instance": instance.name,
            "method": self.best.method,
            "cost": self.best.cost,
            "vehicles": _vehicles(instance, self.best.solution),
            "is_complete": self.is_complete,
            "scenarios": [
                {
                    "change": scenario.kind,
                    "vehicle_type": instance.vehicle_types[scenario.vehicle_type].name,
                    "label": scenario.label,
                    "cost": scenario.cost,
                    "extra_cost": self.extra_cost(scenario),
                    "vehicles": _vehicles(instance, scenario.solution),
                    "remark": scenario.reason,
                }
                for scenario in self.scenarios
            ],
        }


def no_plan(instance: Instance, method: str) -> dict[str, Any]:
    """Give the keys of `FleetComparison.to_dict` for an instance without any plan."""
    return {
        "instance": instance.name,
        "method": method,
        "cost": None,
        "vehicles": None,
        "is_complete": True,
        "scenarios": [],
    }


def _vehicles(instance: Instance, solution: Solution | None) -> dict[str, int] | None:
    """Return the number of vehicles of every type by name; None without a plan."""
    if solution is None:
        return None
    counts = _counts(solution)
    return {vehicle.name: counts[index] for index, vehicle in enumerate(instance.vehicle_types)}


def compare_fleets(
    instance: Instance,
    method: str = DEFAULT_METHOD,
    *,
    time_limit: float = 2.0,
    seed: int = 0,
    threads: int = 1,
    on_scenario: OnScenario | None = None,
    stop: Stop | None = None,
) -> FleetComparison:
    """Find the best mix, and what the plan would cost with other fleets.

    Parameters
    ----------
    instance
        The problem.
    method
        Name of the method that solves each scenario.
    time_limit
        Seconds per scenario; there are up to four per vehicle type.
    seed, threads, stop
        As for `fripn.solve`.
    on_scenario
        Called with what is being solved.

    Raises
    ------
    NoPlanFound
        When not even the full fleet gives a plan in the time.
    """

    def planner(problem: Instance) -> Result:
        return solve(problem, method, time_limit=time_limit, seed=seed, threads=threads, stop=stop)

    return compare_with(instance, planner, on_scenario)


def compare_with(
    instance: Instance, planner: Planner, on_scenario: OnScenario | None = None
) -> FleetComparison:
    """Do the work of `compare_fleets` with any planner."""
    tell = on_scenario or (lambda label, done, total: None)
    tell("best mix", 0, 1 + 4 * instance.num_types)
    best = planner(instance)
    if best.solution is None:
        raise NoPlanFound(
            f"no plan was found for {instance.name}, so there is nothing to compare; "
            "allow more time or more vehicles"
        )
    if best.status is Status.INTERRUPTED:
        return FleetComparison(best, (), is_complete=False)
    for _ in range(_MAX_ROUNDS):
        done: list[Scenario] = []
        try:
            for scenario in _scenarios(instance, best, planner, tell):
                done.append(scenario)
        except (KeyboardInterrupt, _InterruptedError):
            return FleetComparison(best, _share_plans(best, tuple(done)), is_complete=False)
        scenarios = _share_plans(best, tuple(done))
        cheapest = min(scenarios, key=lambda s: float("inf") if s.cost is None else s.cost)
        if cheapest.cost is None or cheapest.cost >= best.cost * (1 - 1e-9):
            break
        assert cheapest.solution is not None
        note = f"The best plan came from the scenario {cheapest.label!r}."
        best = replace(
            best,
            solution=cheapest.solution,
            evaluation=evaluate(instance, cheapest.solution),
            notes=(*best.notes, note),
        )
    return FleetComparison(best, scenarios)


def _scenarios(
    instance: Instance, best: Result, planner: Planner, tell: OnScenario
) -> Iterator[Scenario]:
    assert best.solution is not None
    counts = _counts(best.solution)
    everything = range(instance.num_types)
    changes: list[tuple[ScenarioKind, int]] = [("without", kind) for kind in everything]
    if instance.num_types > 1:
        changes += [("only", kind) for kind in everything]
    # One fewer than one is the scenario without the type.
    changes += [("fewer", kind) for kind in everything if counts[kind] > 1]
    changes += [("more", kind) for kind in everything if counts[kind]]
    for done, (change, kind) in enumerate(changes, start=1):
        name = instance.vehicle_types[kind].name
        label = {
            "without": f"without {name}",
            "only": f"only {name}",
            "fewer": f"one {name} fewer ({counts[kind] - 1})",
            "more": f"one {name} more ({counts[kind] + 1})",
        }[change]
        tell(label, done, 1 + len(changes))
        solution, reason = _solve_change(instance, best.solution, change, kind, planner)
        cost = None if solution is None else evaluate(instance, solution).cost
        yield Scenario(change, kind, label, solution, cost, reason)


def _share_plans(best: Result, scenarios: tuple[Scenario, ...]) -> tuple[Scenario, ...]:
    """Give every scenario the cheapest of all plans that keep its rule.

    A plan with one type alone is also one without the others; searched apart, the looser rule may
    have ended with the dearer plan.
    """
    assert best.solution is not None
    hired = _counts(best.solution)
    found = sorted(
        (scenario for scenario in scenarios if scenario.cost is not None),
        key=lambda scenario: scenario.cost or 0.0,
    )
    shared = []
    for scenario in scenarios:
        for other in found if scenario.cost is not None else ():
            assert other.solution is not None
            if _keeps_rule(scenario, _counts(other.solution), hired):
                scenario = replace(scenario, solution=other.solution, cost=other.cost)
                break
        shared.append(scenario)
    return tuple(shared)


def _keeps_rule(scenario: Scenario, counts: Counter[int], best: Counter[int]) -> bool:
    kind = scenario.vehicle_type
    if scenario.kind == "without":
        return counts[kind] == 0
    if scenario.kind == "only":
        return set(counts) == {kind}
    if scenario.kind == "fewer":
        return counts[kind] < best[kind]
    return counts[kind] == best[kind] + 1


def _solve_change(
    instance: Instance, best: Solution, change: ScenarioKind, kind: int, planner: Planner
) -> tuple[Solution | None, str]:
    """Plan under one change; gives the plan, or None and the reason."""
    count = _counts(best)[kind]
    others = [index for index in range(instance.num_types) if index != kind]
    if change == "without":
        if not count:
            return best, "not hired anyway"
        if not others:
            return None, "it is the only type"
        return _plan_with_types(instance, others, planner)
    if change == "only":
        return _plan_with_types(instance, [kind], planner)
    if change == "fewer":
        return _plan(_with_type(instance, kind, available=count - 1), planner)
    limit = instance.vehicle_types[kind].available
    if limit is not None and count + 1 > limit:
        return None, f"only {limit} available"
    return _plan_one_more(instance, best, kind, planner)


def _plan_with_types(
    instance: Instance, kept: Sequence[int], planner: Planner
) -> tuple[Solution | None, str]:
    try:
        smaller = instance.replace(
            vehicle_types=tuple(instance.vehicle_types[index] for index in kept)
        )
    except InvalidInstance as error:
        # What follows the semicolon is advice on mending the file, which is not at fault here.
        return None, str(error).split("; ")[0]
    solution, reason = _plan(smaller, planner)
    if solution is not None:
        solution = Solution(
            tuple(Route(kept[route.vehicle_type], route.customers) for route in solution.routes)
        )
    return solution, reason


class _InterruptedError(Exception):
    """A scenario was cut short."""


def _plan(problem: Instance | None, planner: Planner) -> tuple[Solution | None, str]:
    if problem is None:
        return None, "the vehicles left cannot carry everything"
    result = planner(problem)
    if result.status is Status.INTERRUPTED:
        # Half a scenario is none: it would look more expensive than it is.
        raise _InterruptedError
    solution = result.solution
    return solution, "" if solution is not None else "no plan was found in the time"


def _with_type(instance: Instance, kind: int, **changes: Any) -> Instance | None:
    """Change one vehicle type; None when the fleet can then not serve everyone."""
    types = list(instance.vehicle_types)
    types[kind] = types[kind].replace(**changes)
    try:
        return instance.replace(vehicle_types=tuple(types))
    except InvalidInstance:
        return None


def _plan_one_more(
    instance: Instance, best: Solution, kind: int, planner: Planner
) -> tuple[Solution | None, str]:
    wanted = _counts(best)[kind] + 1
    candidates = list(_one_route_more(instance, best, kind))
    offered = _with_type(instance, kind, available=wanted, fixed_cost=0.0)
    solution, _ = _plan(offered, planner)
    if solution is not None and _counts(solution)[kind] == wanted:
        candidates.append(solution)
    valid = [plan for plan in candidates if evaluate(instance, plan).is_feasible]
    if not valid:
        return None, "no plan was found that uses one more"
    return min(valid, key=lambda plan: evaluate(instance, plan).cost), ""


def _one_route_more(instance: Instance, best: Solution, kind: int) -> Iterator[Solution]:
    """Plans with one more route of a type that differ from a plan in one of its routes.

    For each route the cheapest such change alone is given, so that there are as many as routes.
    """
    limit = instance.vehicle_types[kind].load_limit
    for place, route in enumerate(best.routes):
        rest = best.routes[:place] + best.routes[place + 1 :]
        changed: list[tuple[Route, ...]] = []
        if route.vehicle_type != kind:
            changed.append((Route(kind, route.customers),))
        for cut in range(1, len(route.customers)):
            head, tail = route.customers[:cut], route.customers[cut:]
            changed.append((Route(kind, head), Route(route.vehicle_type, tail)))
            changed.append((Route(route.vehicle_type, head), Route(kind, tail)))
        fitting = [
            routes
            for routes in changed
            if all(
                instance.demands[list(part.customers)].sum() <= limit
                for part in routes
                if part.vehicle_type == kind
            )
        ]
        if fitting:
            cheapest = min(fitting, key=lambda routes: _cost_of_routes(instance, routes))
            yield Solution(rest + cheapest)


def _cost_of_routes(instance: Instance, routes: tuple[Route, ...]) -> float:
    return evaluate(instance, Solution(routes)).cost


def _counts(solution: Solution) -> Counter[int]:
    return Counter(route.vehicle_type for route in solution.routes if route.customers)
