"""The scenarios of a best plan: solved one by one or at once, with plans shared among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fripn.executors import Executor, Workers
from fripn.fleet_comparison.changes import Attempt, Planning, plan_change
from fripn.fleet_comparison.comparison import Change, Scenario, hired_counts
from fripn.problem import Instance, evaluate
from fripn.result import Result

#: Solves one problem; the only connection of this package to a solver. With an executor it is sent
#: to other processes, so it is a function of a module.
Planner = Callable[[Instance], Result]

#: Called before each problem: what is solved now, how many are done, how many there are.
OnScenario = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class PlannedChange:
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

    def _scenario(self, attempt: Attempt) -> Scenario:
        solution = attempt.solution
        cost = None if solution is None else evaluate(self.best.instance, solution).cost
        # What holds for all plans holds for those with this fleet.
        bounds = [bound for bound in (self.best.lower_bound, attempt.bound) if bound is not None]
        bound = max(bounds, default=None) if solution is not None else None
        return Scenario(
            self.change, self.vehicle_type, self.label, solution, cost, attempt.reason, bound
        )


def changes_of(instance: Instance, best: Result) -> list[PlannedChange]:
    """Return the alternatives to a best plan, in the order shown."""
    assert best.solution is not None
    counts = hired_counts(best.solution)
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
        planning = plan_change(instance, best, change, vehicle_type)
        made.append(PlannedChange(best, change, vehicle_type, label, planning))
    return made


def one_by_one(
    changes: Sequence[PlannedChange], planner: Planner, report: OnScenario
) -> Iterator[tuple[int, Scenario]]:
    """Yield the scenarios with their numbers, solved in this process."""
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


def all_at_once(
    changes: Sequence[PlannedChange], planner: Planner, executor: Executor, report: OnScenario
) -> Iterator[tuple[int, Scenario]]:
    """Yield the scenarios with their numbers as they are finished on the workers of an executor."""
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


def share_plans(best: Result, scenarios: tuple[Scenario, ...]) -> tuple[Scenario, ...]:
    """Assign to every scenario the cheapest of all plans that keep its rule.

    A plan with one type alone is also a plan without the others; separate searches may end with
    a costlier plan for the weaker rule.
    """
    assert best.solution is not None
    hired = hired_counts(best.solution)
    found = sorted(
        (scenario for scenario in scenarios if scenario.cost is not None),
        key=lambda scenario: scenario.cost or 0.0,
    )
    shared = []
    for scenario in scenarios:
        for other in found if scenario.cost is not None else ():
            assert other.solution is not None
            if _keeps_rule(scenario, hired_counts(other.solution), hired):
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
