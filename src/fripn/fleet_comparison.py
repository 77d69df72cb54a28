"""The best mix of vehicles, and what other mixes would cost.

Every alternative is a problem of its own, solved in the same manner:

- *without* a type, or with *only* one: only the other types, or only that one, can be hired;
- *one fewer* of a type: at most one less than the best plan hires is available;
- *one more*: exactly one more than the best plan hires. The type is offered that many times at no
  fixed cost; all plans that hire them all save the same amount, so the cheapest of those under the
  changed prices is the cheapest under the true ones. Where even free vehicles are not used, the
  best plan is changed instead: a route changes to the type, or is cut in two, one part for it.

From all these plans follows a *break-even price* per type: the fixed cost up to which hiring it is
not more expensive than doing without it.

All figures are true costs from `evaluate`. As the solver is a heuristic, each is an upper bound on
the cost of its mix. A plan that keeps the rule of another scenario too counts there as well, and
one that turns out cheaper than the best becomes the best.

A method that proves bounds also tells how much more a mix costs *at least*: its own bound less the
cost of the best plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from fripn.budget import Budget
from fripn.errors import InvalidInstance, NoPlanFound
from fripn.executors import Executor, Workers
from fripn.problem import Instance, Route, Solution, evaluate
from fripn.result import Result, Status
from fripn.run import Stop
from fripn.solve import DEFAULT_METHOD, solve

Change = Literal["without", "only", "fewer", "more"]

#: Solves one problem; the only connection of this module to a solver. With an executor it is sent
#: to other processes, so it is a function of a module.
Planner = Callable[[Instance], Result]

#: A scenario at work: yields its problem, if it has one, is sent the result (None when its process
#: died), and returns what came of it.
Planning = Generator[Instance, Result | None, "_Attempt"]

#: Called before each problem: what is solved now, how many are done, how many there are.
OnScenario = Callable[[str, int, int], None]

#: Called with the best mix, and with every scenario that has been solved.
OnBest = Callable[[Result], None]
OnPlan = Callable[["Scenario"], None]

#: The reason of a scenario that may have a plan.
_NOT_FOUND = "no plan was found in the time"

#: Better plans may turn up in a scenario; the comparison starts again from them at most this often.
_MAX_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Scenario:
    """One alternative to the best mix.

    Parameters
    ----------
    change
        The change to the fleet.
    vehicle_type
        Index of the type that the change concerns.
    label
        The change in words.
    solution, cost
        Its plan and true cost; None when there is none.
    reason
        Why there is no plan, or a remark about it; may be empty.
    lower_bound
        No plan with this fleet costs less; None when the method proves nothing.
    """

    change: Change
    vehicle_type: int
    label: str
    solution: Solution | None
    cost: float | None
    reason: str = ""
    lower_bound: float | None = None


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The fixed cost up to which hiring a type is not more expensive than doing without it.

    Parameters
    ----------
    vehicle_type
        Index of the type.
    price
        The fixed cost per vehicle; negative when the type does not pay even for free. None when
        it is needed at any price, or when the plans found do not tell.
    is_needed
        Whether there is no plan without the type.
    """

    vehicle_type: int
    price: float | None
    is_needed: bool = False


@dataclass(frozen=True, slots=True)
class FleetComparison:
    """The best mix found, and its alternatives.

    ``is_complete`` is False when Ctrl-C or a stop ended the comparison: the scenarios are those
    done before. ``as_given`` is the best plan before prices were changed, where they were.
    """

    best: Result
    scenarios: tuple[Scenario, ...]
    is_complete: bool = True
    as_given: Result | None = None

    @property
    def break_even(self) -> tuple[BreakEven, ...]:
        """The break-even price of every type, as far as the plans found here show.

        At another fixed cost p of type k, a plan with c vehicles of it costs (p − f) c more. The
        highest p at which some plan with k costs no more than the best one without it is the
        price.
        """
        if not self.is_complete:
            return ()
        instance = self.best.instance
        return tuple(self._break_even_of(index) for index in range(instance.num_types))

    def _break_even_of(self, vehicle_type: int) -> BreakEven:
        without = next(
            scenario
            for scenario in self.scenarios
            if scenario.change == "without" and scenario.vehicle_type == vehicle_type
        )
        if without.cost is None:
            return BreakEven(vehicle_type, None, is_needed=without.reason != _NOT_FOUND)
        plans = [(self.best.solution, self.best.cost)]
        plans += [
            (scenario.solution, scenario.cost) for scenario in self.scenarios if scenario.cost
        ]
        fixed_cost = self.best.instance.vehicle_types[vehicle_type].fixed_cost
        prices = [
            fixed_cost + (without.cost - cost) / count
            for plan, cost in plans
            if plan is not None and cost is not None
            if (count := _counts(plan)[vehicle_type])
        ]
        return BreakEven(vehicle_type, max(prices, default=None))

    def extra_cost(self, scenario: Scenario) -> float | None:
        """Return the cost of the alternative above the best mix; None when it has no plan."""
        return None if scenario.cost is None else scenario.cost - self.best.cost

    def proven_extra_cost(self, scenario: Scenario) -> float | None:
        """Return how much more than the best plan the alternative costs at least.

        None when nothing is proven: the method gives no bounds, or the bound is not above the
        cost of the best plan.
        """
        if scenario.lower_bound is None:
            return None
        extra = scenario.lower_bound - self.best.cost
        return extra if extra > 1e-9 * self.best.cost else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        instance = self.best.instance
        return {
            "instance": instance.name,
            "method": self.best.method,
            "cost": self.best.cost,
            "lower_bound": self.best.lower_bound,
            "vehicles": _vehicles(instance, self.best.solution),
            "is_complete": self.is_complete,
            "cost_as_given": None if self.as_given is None else self.as_given.cost,
            "break_even": [
                {
                    "vehicle_type": instance.vehicle_types[item.vehicle_type].name,
                    "fixed_cost": instance.vehicle_types[item.vehicle_type].fixed_cost,
                    "price": item.price,
                    "is_needed": item.is_needed,
                }
                for item in self.break_even
            ],
            "scenarios": [
                {
                    "change": scenario.change,
                    "vehicle_type": instance.vehicle_types[scenario.vehicle_type].name,
                    "label": scenario.label,
                    "cost": scenario.cost,
                    "extra_cost": self.extra_cost(scenario),
                    "lower_bound": scenario.lower_bound,
                    "proven_extra_cost": self.proven_extra_cost(scenario),
                    "vehicles": _vehicles(instance, scenario.solution),
                    "remark": scenario.reason,
                }
                for scenario in self.scenarios
            ],
        }


def no_plan(instance: Instance, method: str) -> dict[str, Any]:
    """Return the keys of `FleetComparison.to_dict` for an instance without any plan."""
    return {
        "instance": instance.name,
        "method": method,
        "cost": None,
        "lower_bound": None,
        "vehicles": None,
        "is_complete": True,
        "cost_as_given": None,
        "break_even": [],
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
    threads: int | None = None,
    on_scenario: OnScenario | None = None,
    stop: Stop | None = None,
    as_given: Instance | None = None,
    on_best: OnBest | None = None,
    on_plan: OnPlan | None = None,
    executor: Executor | None = None,
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
        Called before each problem; see `OnScenario`.
    as_given
        The problem before its prices were changed; its best plan is part of the comparison then.
    on_best, on_plan
        Called with the best mix and with every scenario as they are found. Later plans may still
        improve both: the comparison that is returned is final.
    executor
        Where the alternatives are solved, each on one thread unless `threads` says otherwise; one
        after the other in this process when None. The best mix is always found here.

    Raises
    ------
    NoPlanFound
        When no plan with the whole fleet is found in the time.
    """

    def planner(problem: Instance) -> Result:
        return solve(problem, method, time_limit=time_limit, seed=seed, threads=threads, stop=stop)

    given = None
    if as_given is not None:
        if on_scenario is not None:
            on_scenario("prices as given", 0, 2 + 4 * instance.num_types)
        given = planner(as_given)
    remote = partial(_solve, method=method, time_limit=time_limit, seed=seed, threads=threads or 1)
    comparison = compare_with(
        instance,
        planner,
        on_scenario,
        on_best=on_best,
        on_plan=on_plan,
        executor=executor,
        remote_planner=remote,
    )
    return replace(comparison, as_given=given)


def _solve(problem: Instance, *, method: str, time_limit: float, seed: int, threads: int) -> Result:
    return solve(problem, method, time_limit=time_limit, seed=seed, threads=threads)


def compare_with(
    instance: Instance,
    planner: Planner,
    on_scenario: OnScenario | None = None,
    *,
    on_best: OnBest | None = None,
    on_plan: OnPlan | None = None,
    executor: Executor | None = None,
    remote_planner: Planner | None = None,
) -> FleetComparison:
    """Compare fleets with any planner; see `compare_fleets`.

    Parameters
    ----------
    instance, on_scenario, on_best, on_plan, executor
        As for `compare_fleets`.
    planner
        Solves the best mix, and all alternatives where there is no executor.
    remote_planner
        Solves the alternatives that the executor has; the planner, when None.
    """
    report = on_scenario or (lambda label, done, total: None)
    report("best mix", 0, 1 + 4 * instance.num_types)
    best = planner(instance)
    if best.solution is None:
        if best.why_impossible is not None:
            best.require_plan(Budget())
        raise NoPlanFound(
            f"no plan was found for {instance.name}, so there is nothing to compare",
            field="instance",
            value=instance.name,
            remedy="allow more time or more vehicles",
        )
    if best.status is Status.INTERRUPTED:
        return FleetComparison(best, (), is_complete=False)
    for _ in range(_MAX_ROUNDS):
        changes = _changes(instance, best)
        done: dict[int, Scenario] = {}
        if on_best is not None:
            on_best(best)
        try:
            if executor is None:
                finished = _one_by_one(changes, planner, report)
            else:
                finished = _all_at_once(changes, remote_planner or planner, executor, report)
            for number, scenario in finished:
                done[number] = scenario
                if on_plan is not None:
                    on_plan(scenario)
        except (KeyboardInterrupt, _InterruptedError):
            kept = tuple(done[number] for number in sorted(done))
            return FleetComparison(best, _share_plans(best, kept), is_complete=False)
        scenarios = _share_plans(best, tuple(done[number] for number in sorted(done)))
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


@dataclass(frozen=True, slots=True)
class _Change:
    """A scenario before it is planned."""

    best: Result
    change: Change
    vehicle_type: int
    label: str
    planning: Planning

    def begin(self) -> Instance | Scenario:
        """Return the problem to solve, or the scenario where there is none."""
        try:
            return next(self.planning)
        except StopIteration as end:
            return self._scenario(end.value)

    def end(self, result: Result | None) -> Scenario:
        """Return the scenario with the result of its problem; None when its process died."""
        try:
            self.planning.send(result)
        except StopIteration as end:
            return self._scenario(end.value)
        raise AssertionError("a scenario has one problem")

    def _scenario(self, attempt: _Attempt) -> Scenario:
        solution = attempt.solution
        cost = None if solution is None else evaluate(self.best.instance, solution).cost
        # What holds for all plans holds for those with this fleet.
        bounds = [bound for bound in (self.best.lower_bound, attempt.bound) if bound is not None]
        bound = max(bounds, default=None) if solution is not None else None
        return Scenario(
            self.change, self.vehicle_type, self.label, solution, cost, attempt.reason, bound
        )


def _changes(instance: Instance, best: Result) -> list[_Change]:
    assert best.solution is not None
    counts = _counts(best.solution)
    everything = range(instance.num_types)
    changes: list[tuple[Change, int]] = [("without", vehicle_type) for vehicle_type in everything]
    if instance.num_types > 1:
        changes += [("only", vehicle_type) for vehicle_type in everything]
    # One fewer than one is the scenario without the type.
    changes += [("fewer", vehicle_type) for vehicle_type in everything if counts[vehicle_type] > 1]
    changes += [("more", vehicle_type) for vehicle_type in everything]
    made = []
    for change, vehicle_type in changes:
        name = instance.vehicle_types[vehicle_type].name
        label = {
            "without": f"without {name}",
            "only": f"only {name}",
            "fewer": f"one {name} fewer ({counts[vehicle_type] - 1})",
            "more": f"one {name} more ({counts[vehicle_type] + 1})",
        }[change]
        planning = _solve_change(instance, best, change, vehicle_type)
        made.append(_Change(best, change, vehicle_type, label, planning))
    return made


def _one_by_one(
    changes: Sequence[_Change], planner: Planner, report: OnScenario
) -> Iterator[tuple[int, Scenario]]:
    for number, change in enumerate(changes):
        report(change.label, number + 1, 1 + len(changes))
        problem = change.begin()
        if isinstance(problem, Scenario):
            yield number, problem
        else:
            yield number, change.end(planner(problem))


_Numbered = tuple[int, Instance, Planner]
_Workers = Workers[_Numbered, tuple[int, Result | None]]


def _plan_numbered(item: _Numbered) -> tuple[int, Result | None]:
    number, problem, planner = item
    return number, planner(problem)


def _lose_numbered(item: _Numbered) -> tuple[int, Result | None]:
    return item[0], None


def _all_at_once(
    changes: Sequence[_Change], planner: Planner, executor: Executor, report: OnScenario
) -> Iterator[tuple[int, Scenario]]:
    num_done, num_running = 0, 0

    def finish(number: int, scenario: Scenario) -> tuple[int, Scenario]:
        nonlocal num_done
        num_done += 1
        report(scenario.label, num_done, 1 + len(changes))
        return number, scenario

    def next_finished(workers: _Workers) -> tuple[int, Scenario]:
        number, result = workers.wait()
        return finish(number, changes[number].end(result))

    with executor.open(_plan_numbered, _lose_numbered) as workers:
        for number, change in enumerate(changes):
            problem = change.begin()
            if isinstance(problem, Scenario):
                yield finish(number, problem)
                continue
            while num_running >= workers.capacity:
                yield next_finished(workers)
                num_running -= 1
            workers.submit((number, problem, planner))
            num_running += 1
        for _ in range(num_running):
            yield next_finished(workers)


def _share_plans(best: Result, scenarios: tuple[Scenario, ...]) -> tuple[Scenario, ...]:
    """Assign to every scenario the cheapest of all plans that keep its rule.

    A plan with one type alone is also a plan without the others; separate searches may end with
    a costlier plan for the weaker rule.
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
    vehicle_type = scenario.vehicle_type
    if scenario.change == "without":
        return counts[vehicle_type] == 0
    if scenario.change == "only":
        return set(counts) == {vehicle_type}
    if scenario.change == "fewer":
        return counts[vehicle_type] < best[vehicle_type]
    return counts[vehicle_type] == best[vehicle_type] + 1


class _Attempt(NamedTuple):
    """A plan under one change, or the reason why there is none, and a bound if one was proven."""

    solution: Solution | None
    reason: str = ""
    bound: float | None = None


def _solve_change(instance: Instance, best: Result, change: Change, vehicle_type: int) -> Planning:
    """Plan under one change."""
    assert best.solution is not None
    count = _counts(best.solution)[vehicle_type]
    others = [index for index in range(instance.num_types) if index != vehicle_type]
    if change == "without":
        if not count:
            return _Attempt(best.solution, "not hired anyway")
        if not others:
            return _Attempt(None, "it is the only type")
        return (yield from _plan_with_types(instance, others))
    if change == "only":
        return (yield from _plan_with_types(instance, [vehicle_type]))
    if change == "fewer":
        return (yield from _plan(_with_type(instance, vehicle_type, available=count - 1)))
    limit = instance.vehicle_types[vehicle_type].available
    if limit is not None and count + 1 > limit:
        return _Attempt(None, f"only {limit} available")
    return (yield from _plan_one_more(instance, best.solution, vehicle_type))


def _plan_with_types(instance: Instance, kept: Sequence[int]) -> Planning:
    try:
        smaller = instance.with_types(kept)
    except InvalidInstance as error:
        # What follows the semicolon is advice on correcting the file, which is right here.
        return _Attempt(None, str(error).split("; ")[0])
    attempt = yield from _plan(smaller)
    if attempt.solution is None:
        return attempt
    routes = attempt.solution.routes
    solution = Solution(tuple(Route(kept[route.vehicle_type], route.customers) for route in routes))
    return attempt._replace(solution=solution)


class _InterruptedError(Exception):
    """A scenario was cut short."""


def _plan(problem: Instance | None) -> Planning:
    if problem is None:
        return _Attempt(None, "the vehicles left cannot carry everything")
    result = yield problem
    if result is None:
        return _Attempt(None, _NOT_FOUND)
    if result.status is Status.INTERRUPTED:
        # An interrupted scenario is left out: it would look more expensive than it is.
        raise _InterruptedError
    reason = "" if result.solution is not None else _NOT_FOUND
    return _Attempt(result.solution, reason, result.lower_bound)


def _with_type(instance: Instance, vehicle_type: int, **changes: Any) -> Instance | None:
    """Change one vehicle type; None when the fleet cannot serve all customers then."""
    types = list(instance.vehicle_types)
    types[vehicle_type] = types[vehicle_type].replace(**changes)
    try:
        return instance.replace(vehicle_types=tuple(types))
    except InvalidInstance:
        return None


def _plan_one_more(instance: Instance, best: Solution, vehicle_type: int) -> Planning:
    wanted = _counts(best)[vehicle_type] + 1
    candidates = list(_one_route_more(instance, best, vehicle_type))
    offered = _with_type(instance, vehicle_type, available=wanted, fixed_cost=0.0)
    attempt = yield from _plan(offered)
    if attempt.solution is not None and _counts(attempt.solution)[vehicle_type] == wanted:
        candidates.append(attempt.solution)
    valid = [plan for plan in candidates if evaluate(instance, plan).is_feasible]
    if not valid:
        return _Attempt(None, "no plan was found that uses one more")
    # A plan that hires them all pays their fixed costs on top of its cost in the changed problem.
    price = wanted * instance.vehicle_types[vehicle_type].fixed_cost
    bound = None if attempt.bound is None else attempt.bound + price
    return _Attempt(min(valid, key=lambda plan: evaluate(instance, plan).cost), "", bound)


def _one_route_more(instance: Instance, best: Solution, vehicle_type: int) -> Iterator[Solution]:
    """Yield plans with one more route of a type that differ from a plan in one of its routes.

    For each route only the cheapest such change is yielded.
    """
    limits = np.array(instance.vehicle_types[vehicle_type].load_limits)
    for place, route in enumerate(best.routes):
        rest = best.routes[:place] + best.routes[place + 1 :]
        changed: list[tuple[Route, ...]] = []
        if route.vehicle_type != vehicle_type:
            changed.append((Route(vehicle_type, route.customers),))
        for cut in range(1, len(route.customers)):
            head, tail = route.customers[:cut], route.customers[cut:]
            changed.append((Route(vehicle_type, head), Route(route.vehicle_type, tail)))
            changed.append((Route(route.vehicle_type, head), Route(vehicle_type, tail)))
        fitting = [
            routes
            for routes in changed
            if all(
                np.all(instance.load_matrix[list(part.customers)].sum(axis=0) <= limits)
                for part in routes
                if part.vehicle_type == vehicle_type
            )
        ]
        if fitting:
            cheapest = min(fitting, key=lambda routes: _rank_of_routes(instance, routes))
            yield Solution(rest + cheapest)


def _rank_of_routes(instance: Instance, routes: tuple[Route, ...]) -> tuple[int, float]:
    """Return the broken limits of the routes and their cost: feasible ones come first."""
    evaluation = evaluate(instance, Solution(routes))
    broken = sum(violation.route is not None for violation in evaluation.violations)
    return broken, evaluation.cost


def _counts(solution: Solution) -> Counter[int]:
    return Counter(route.vehicle_type for route in solution.routes if route.customers)
