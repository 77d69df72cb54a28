"""The search engine as a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from fripn import _core
from fripn.core import to_core
from fripn.errors import InvalidSetting, InvalidSolution
from fripn.features import ROUTING, WORKING_DAY, Feature
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution
from fripn.result import Improvement, Result
from fripn.run import Run, Stop
from fripn.settings import NonNegative, Share, Size, SizeOrZero, check_fields

#: Seconds that evaluating a plan takes per customer, and the most of a time limit kept for it.
EVALUATION_PER_CUSTOMER = 4e-6
MOST_EVALUATION = 0.02

#: Iterations without improvement that end a run for which no limit is named: about one life of a
#: population, which is seconds for a hundred customers.
UNLIMITED_STALL = 5_000


@dataclass(frozen=True, slots=True)
class Hgs:
    """Settings of the search engine; calling it solves an instance.

    A hybrid genetic search (giant tours, optimal split, local search, managed population), then
    simulated annealing over ruin and recreate, then decomposition; see ``docs/algorithm.md``.

    Parameters
    ----------
    genetic_share
        Share of the budget for the genetic phase; None chooses it by size and fleet limits.
    decomposition_share
        Share of the budget, at its end, in which neighbouring routes are searched as problems of
        their own; None chooses it by size and fleet limits.
    decomposition_customers, decomposition_children
        Customers of such a problem, about, and children of its own genetic search.
    min_population, generation
        Survivors of a selection, and children until the next one.
    num_initial
        Individuals made at random to begin with.
    num_neighbours
        Nearest customers that local search considers.
    route_crossover_rate
        Share of children, 0 to 1, that inherit whole routes of both parents; the others inherit
        pieces of giant tours, which are split again.
    target_feasible
        Share of children without overload that the penalty aims at.
    restart_after
        Children without improvement before the population starts afresh; None chooses by size.
    partition_period
        Children between two calls of set partitioning over the routes seen (unlimited fleets);
        0 for none, None chooses by size.
    burst_rate, burst_length
        Probability that a child goes through ruin and recreate (None chooses by size), and for how
        many steps per customer.
    start_temperature, end_temperature
        Annealing temperatures as multiples of the mean cost of an arc.
    mean_removed
        Customers removed per ruin, on average.
    max_string
        Longest piece of a route removed at once.
    whole_route_rate
        Probability that whole neighbouring routes are removed rather than pieces.
    keep_types_rate
        Probability that vehicles keep their type while customers return.
    hire_rate
        Probability that vehicles of random types are hired before customers return.
    blink_rate
        Probability that the best place for a customer is overlooked.

    Raises
    ------
    InvalidSetting
        When a setting is out of its range.

    References
    ----------
    .. [1] T. Vidal (2022), doi 10.1016/j.cor.2021.105643.
    .. [2] J. Christiaens and G. Vanden Berghe (2020), doi 10.1287/trsc.2019.0914.
    """

    name: ClassVar[str] = "hgs"
    supports: ClassVar[frozenset[Feature]] = ROUTING | WORKING_DAY
    ends_by_itself: ClassVar[bool] = False

    genetic_share: Share | None = None
    decomposition_share: Share | None = None
    decomposition_customers: Size = 60
    decomposition_children: Size = 200
    min_population: Size = 8
    generation: Size = 15
    num_initial: Size = 16
    num_neighbours: Size = 8
    route_crossover_rate: Share = 0.3
    target_feasible: Share = 0.4
    restart_after: Size | None = None
    partition_period: SizeOrZero | None = None
    burst_rate: Share | None = None
    burst_length: NonNegative = 20.0
    start_temperature: NonNegative = 0.3
    end_temperature: NonNegative = 0.02
    mean_removed: NonNegative = 10.0
    max_string: Size = 10
    whole_route_rate: Share = 0.2
    keep_types_rate: Share = 0.9
    hire_rate: Share = 0.2
    blink_rate: Share = 0.01

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    def __call__(self, instance: Instance, run: Run) -> Result:
        """Solve the instance; see `fripn.Method`."""
        return search(instance, run, settings=self)

    def for_core(self) -> _core.EngineSettings:
        """Return the settings as the core takes them."""
        settings = _core.EngineSettings()
        for field in fields(self):
            if (value := getattr(self, field.name)) is not None:
                setattr(settings, field.name, value)
        return settings


def search(
    instance: Instance,
    run: Run,
    *,
    settings: Hgs | None = None,
    initial: Sequence[Solution] = (),
    with_savings: bool = True,
) -> Result:
    """Search from any number of initial plans.

    Parameters
    ----------
    instance
        The problem.
    run
        How to solve it; without any limit the search ends once it has stalled for
        `UNLIMITED_STALL` iterations.
    settings
        The engine's settings.
    initial
        Plans to start from beside the start of the run; the result is never worse than the best of
        them. Plans that break a limit of the fleet or a capacity are left out.
    with_savings
        Whether the plan of savings joins them; it does in any case where there are none.

    Raises
    ------
    InvalidSolution
        When an initial plan does not visit every customer exactly once.
    """
    best = Incumbent(instance, run, Hgs.name)
    for plan in initial:
        _check_visits(instance, plan)
    feasible = [plan for plan in initial if best.consider(plan).is_feasible]
    plans = feasible if run.start is None else [run.start, *feasible]
    iterations = search_from(best, plans, settings=settings, with_savings=with_savings)
    return best.result(iterations=iterations)


def search_from(
    best: Incumbent,
    initial: Sequence[Solution],
    *,
    settings: Hgs | None = None,
    with_savings: bool = True,
) -> int:
    """Search for better plans than the best there is, until the run ends.

    Parameters
    ----------
    best
        The run; receives the plans found and the curve.
    initial
        Valid plans to start from.
    settings, with_savings
        As for `search`.

    Returns
    -------
    int
        Iterations done.
    """
    run, budget = best.run, best.run.budget
    core = to_core(best.instance)
    began = best.seconds

    def report(seconds: float, cost: float, routes: list[tuple[int, list[int]]]) -> None:
        best.take(Solution.of(routes), began + seconds)

    is_unlimited = budget.is_open_ended and budget.target is None
    seconds = None
    if budget.seconds is not None:
        # What evaluating the plan will take is part of the time allowed.
        left = best.seconds_left
        kept = min(EVALUATION_PER_CUSTOMER * best.instance.num_customers, MOST_EVALUATION * left)
        seconds = max(left - kept, 1e-3)
    routes, iterations, is_interrupted, curve = _core.search(
        core,
        (settings or Hgs()).for_core(),
        initial=[plan.pairs() for plan in initial],
        seconds=seconds,
        iterations=budget.iterations,
        stall=UNLIMITED_STALL if is_unlimited else budget.stall,
        target=budget.target,
        seed=run.seed,
        threads=run.threads,
        with_savings=with_savings,
        # Evaluating every improvement takes time; without a callback it is not needed.
        on_improvement=report if best.is_watched else None,
        stop=run.flag,
    )
    if is_interrupted:
        best.interrupt()
    points = [Improvement(began + seconds, cost) for seconds, cost in curve]
    if routes:
        best.take(Solution.of(routes), points[-1].seconds)
    best.trace(points)
    return iterations


def search_many(
    instances: Sequence[Instance],
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    settings: Hgs | None = None,
    seed: int = 0,
    threads: int = 1,
    stop: Stop | None = None,
) -> list[Solution | None]:
    """Solve many instances at once, each on one thread within the same limits.

    Parameters
    ----------
    instances
        The problems.
    seconds, iterations
        Limits per instance; give at least one. With `iterations` alone the plans do not depend on
        the number of threads.
    settings, seed
        As for `search`; instance i is searched with seed + i.
    threads
        Instances searched side by side.
    stop
        Ends the search when it is set, from any thread.

    Returns
    -------
    list
        A plan per instance, None where a limited fleet or the stop left none to be found.
    """
    if seconds is None and iterations is None:
        raise InvalidSetting(
            "neither seconds nor iterations are given", field="seconds", remedy="give one of them"
        )
    found = _core.search_many(
        [to_core(instance) for instance in instances],
        (settings or Hgs()).for_core(),
        seconds=seconds,
        iterations=iterations,
        seed=seed,
        threads=threads,
        stop=None if stop is None else stop.flag,
    )
    return [Solution.of(routes) if routes else None for routes in found]


def _check_visits(instance: Instance, plan: Solution) -> None:
    visits = sorted(customer for route in plan.routes for customer in route.customers)
    if visits != list(range(1, instance.num_customers + 1)):
        raise InvalidSolution(
            f"an initial plan for {instance.name} has {len(visits)} visits",
            field="visits",
            value=len(visits),
            remedy=f"it must visit each customer from 1 to {instance.num_customers} exactly once",
        )
