"""Find the best mix of vehicles, and solve its alternatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from fripn.budget import Budget
from fripn.errors import NoPlanFound
from fripn.executors import Executor
from fripn.fleet_comparison.changes import InterruptedScenario
from fripn.fleet_comparison.comparison import FleetComparison, Scenario
from fripn.fleet_comparison.scenarios import (
    OnScenario,
    Planner,
    all_at_once,
    changes_of,
    one_by_one,
    share_plans,
)
from fripn.problem import Instance, evaluate
from fripn.result import Result, Status
from fripn.run import Stop
from fripn.solve import DEFAULT_METHOD, solve

#: Called with the best mix, and with every scenario that has been solved.
OnBest = Callable[[Result], None]
OnPlan = Callable[[Scenario], None]

#: Better plans may turn up in a scenario; the comparison starts again from them at most this often.
_MAX_ROUNDS = 3


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
        if best.why_impossible is not None or best.why_unlikely is not None:
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
        changes = changes_of(instance, best)
        done: dict[int, Scenario] = {}
        if on_best is not None:
            on_best(best)
        try:
            if executor is None:
                finished = one_by_one(changes, planner, report)
            else:
                finished = all_at_once(changes, remote_planner or planner, executor, report)
            for number, scenario in finished:
                done[number] = scenario
                if on_plan is not None:
                    on_plan(scenario)
        except (KeyboardInterrupt, InterruptedScenario):
            kept = tuple(done[number] for number in sorted(done))
            return FleetComparison(best, share_plans(best, kept), is_complete=False)
        scenarios = share_plans(best, tuple(done[number] for number in sorted(done)))
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
