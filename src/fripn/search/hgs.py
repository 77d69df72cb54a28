"""The search engine as a method."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from fripn import _core
from fripn.budget import Budget, check_threads
from fripn.errors import InvalidSetting, InvalidSolution
from fripn.problem import Instance, Solution, evaluate
from fripn.result import Improvement, OnImprovement, Result, Status
from fripn.search.core_instance import core_instance
from fripn.settings import NonNegative, Share, Size, SizeOrZero, check_fields

#: Seconds that judging a plan takes per customer, and the most of a time limit kept for it.
JUDGING_PER_CUSTOMER = 4e-6
MOST_JUDGING = 0.02


@dataclass(frozen=True, slots=True)
class Hgs:
    """Settings of the search engine; calling it solves an instance.

    A hybrid genetic search (giant tours, optimal split, local search, managed population), then
    simulated annealing over ruin and recreate, then decomposition; see ``docs/algorithm.md``.

    Parameters
    ----------
    genetic_share
        Share of the budget for the genetic phase; None chooses it by size and kind of fleet.
    decomposition_share
        Share of the budget, at its end, in which neighbouring routes are searched as problems of
        their own; None chooses it by size and kind of fleet.
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
        pieces of giant tours, cut anew.
    target_feasible
        Share of children without overload that the penalty aims at.
    restart_after
        Children without improvement before the population starts afresh; None chooses by size.
    partition_period
        Children between two calls of set partitioning over the routes seen (unlimited fleets);
        0 for none, None chooses by size.
    burst_rate, burst_length
        Chance that a child goes through ruin and recreate (None chooses by size), and for how many
        steps per customer.
    start_temperature, end_temperature
        Annealing temperatures as multiples of the mean cost of driving one leg.
    mean_removed
        Customers removed per ruin, on average.
    max_string
        Longest piece of a route removed at once.
    whole_route_rate
        Chance that whole neighbouring routes are removed rather than pieces.
    keep_types_rate
        Chance that vehicles keep their type while customers return.
    hire_rate
        Chance that vehicles of random types are hired before customers return.
    blink_rate
        Chance that the best place for a customer is overlooked.

    Raises
    ------
    InvalidSetting
        When a setting is out of its range.

    References
    ----------
    .. [1] T. Vidal (2022), doi 10.1016/j.cor.2021.105643.
    .. [2] J. Christiaens and G. Vanden Berghe (2020), doi 10.1287/trsc.2019.0914.
    """

    #: About one life of a population, which is seconds for a hundred customers.
    default_stall: ClassVar[int] = 5_000

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
        """Solve the instance; see `fripn.result.Method`."""
        return search(
            instance,
            budget,
            settings=self,
            seed=seed,
            threads=threads,
            initial=() if start is None else (start,),
            on_improvement=on_improvement,
        )

    def _for_core(self) -> _core.EngineSettings:
        settings = _core.EngineSettings()
        for field in fields(self):
            if (value := getattr(self, field.name)) is not None:
                setattr(settings, field.name, value)
        return settings


def search(
    instance: Instance,
    budget: Budget,
    *,
    settings: Hgs | None = None,
    seed: int = 0,
    threads: int = 1,
    initial: Sequence[Solution] = (),
    with_savings: bool = True,
    on_improvement: OnImprovement | None = None,
) -> Result:
    """Search from any number of initial plans.

    Parameters
    ----------
    instance
        The problem.
    budget
        When to stop; without any limit the search ends once it has stalled for long.
    settings
        The engine's settings.
    seed, threads, on_improvement
        See `fripn.result.Method`.
    initial
        Plans to start from; the result is never worse than the best of them. Plans that break a
        limit of the fleet or a capacity are left out.
    with_savings
        Whether the plan of savings joins them; it does in any case where there are none.

    Raises
    ------
    InvalidSolution
        When an initial plan does not visit every customer exactly once.
    """
    began = time.perf_counter()
    check_threads(threads)
    for plan in initial:
        _check_visits(instance, plan)
    feasible = [plan for plan in initial if evaluate(instance, plan).is_feasible]
    report = None
    if on_improvement is not None:
        callback = on_improvement

        def report(seconds: float, cost: float, routes: list[tuple[int, list[int]]]) -> None:
            callback(seconds, cost, Solution.of(routes))

    stall = Hgs.default_stall if budget.is_open_ended and budget.target is None else budget.stall
    core = core_instance(instance)
    seconds = budget.seconds
    if seconds is not None:
        # What copying took, and judging the plan will take, is part of the time allowed.
        judging = min(JUDGING_PER_CUSTOMER * instance.num_customers, MOST_JUDGING * seconds)
        seconds = max(seconds - judging - (time.perf_counter() - began), 1e-3)
    routes, iterations, interrupted, curve = _core.search(
        core,
        (settings or Hgs())._for_core(),
        initial=[[(r.vehicle_type, list(r.customers)) for r in plan.routes] for plan in feasible],
        seconds=seconds,
        iterations=budget.iterations,
        stall=stall,
        target=budget.target,
        seed=seed,
        threads=threads,
        with_savings=with_savings,
        on_improvement=report,
    )
    # The core keeps to half the tolerance on loads, so a plan at its very edge is compared here.
    plans = [Solution.of(routes), *feasible] if routes else feasible
    best = plans[0] if plans else None
    if len(plans) > 1:
        best = min(plans, key=lambda plan: evaluate(instance, plan).cost)
    return Result.judged(
        instance,
        best,
        method="hgs",
        status=Status.INTERRUPTED if interrupted else Status.FEASIBLE,
        seconds=time.perf_counter() - began,
        seed=seed,
        iterations=iterations,
        curve=tuple(Improvement(seconds, cost) for seconds, cost in curve),
    )


def search_many(
    instances: Sequence[Instance],
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    settings: Hgs | None = None,
    seed: int = 0,
    threads: int = 1,
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

    Returns
    -------
    list
        A plan per instance, None where a limited fleet left none to be found.
    """
    if seconds is None and iterations is None:
        raise InvalidSetting("neither seconds nor iterations are given; give one of them")
    found = _core.search_many(
        [core_instance(instance) for instance in instances],
        (settings or Hgs())._for_core(),
        seconds=seconds,
        iterations=iterations,
        seed=seed,
        threads=threads,
    )
    return [Solution.of(routes) if routes else None for routes in found]


def _check_visits(instance: Instance, plan: Solution) -> None:
    visits = sorted(customer for route in plan.routes for customer in route.customers)
    if visits != list(range(1, instance.num_customers + 1)):
        raise InvalidSolution(
            f"an initial plan for {instance.name} has {len(visits)} visits; "
            f"it must visit each customer from 1 to {instance.num_customers} exactly once"
        )
