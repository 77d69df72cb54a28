"""The engine's part in a proof: plans to compare the bound with, and first routes."""

from __future__ import annotations

import itertools
import queue
import threading

from fripn import _core
from fripn.exact.partition import cheapest_partition
from fripn.incumbent import Incumbent
from fripn.problem import Solution, evaluate
from fripn.run import Stop

#: Children of the engine's genetic search per customer before the proof begins, and at most this
#: share of the time limit.
CHILDREN_PER_CUSTOMER = 20
FIRST_SHARE = 0.15

#: Iterations without improvement after which the engine leaves its threads to the proof.
PATIENCE_PER_CUSTOMER = 200

#: Seconds for an integer program over the routes of all plans, and at most this share of the limit.
PARTITION_SECONDS = 10.0
PARTITION_SHARE = 0.02

Routes = list[tuple[int, list[int]]]


class SeenRoutes:
    """The routes of all plans that were best for a while, each once."""

    def __init__(self) -> None:
        self._routes: dict[tuple[int, tuple[int, ...]], None] = {}

    def add(self, routes: Routes) -> None:
        """Remember the routes of a plan."""
        for vehicle_type, customers in routes:
            self._routes[vehicle_type, tuple(customers)] = None

    def all(self) -> Routes:
        """Return them, oldest first."""
        return [(vehicle_type, list(customers)) for vehicle_type, customers in self._routes]

    def recombine(
        self, best: Incumbent, cost: float, stop: _core.StopFlag | None
    ) -> Solution | None:
        """Return a plan of these routes that costs less, by an integer program; None without one.

        Where routes are short, this often finds one in a fraction of a second.
        """
        return cheapest_partition(
            best.instance,
            self.all(),
            cutoff=cost * (1.0 - _core.EXACT_TOLERANCE),
            seconds=min(PARTITION_SECONDS, max(PARTITION_SHARE * best.seconds_left, 1e-3)),
            stop=stop,
        )


def first_plans(best: Incumbent, core: _core.Instance) -> Routes:
    """Find a first plan with the engine, and return the routes of all its improvements."""
    budget, size = best.run.budget, best.instance.num_customers
    seen = SeenRoutes()

    def take(seconds: float, cost: float, routes: Routes) -> None:
        best.offer(Solution.of(routes))
        seen.add(routes)

    seconds = None if budget.seconds is None else max(FIRST_SHARE * best.seconds_left, 1e-3)
    routes, _, is_interrupted, _ = _core.search(
        core,
        _core.EngineSettings(),
        initial=[] if best.solution is None else [best.solution.pairs()],
        seconds=seconds,
        iterations=CHILDREN_PER_CUSTOMER * size,
        stall=None,
        target=budget.target,
        seed=best.run.seed,
        threads=1,
        with_savings=True,
        on_improvement=take,
        stop=best.run.flag,
    )
    if is_interrupted:
        best.interrupt()
    seen.add(routes)
    if best.is_over:
        return seen.all()
    try:
        plan = seen.recombine(best, best.cost, best.run.flag)
    except KeyboardInterrupt:
        best.interrupt()
        return seen.all()
    if plan is not None:
        best.offer(plan)
        seen.add(plan.pairs())
    return seen.all()


class EngineThread:
    """The engine on threads of its own while the proof goes on.

    Its plans are queued for the thread of the run, the only one that changes the incumbent.
    """

    def __init__(self, best: Incumbent, core: _core.Instance) -> None:
        self._best = best
        self._found: queue.SimpleQueue[Routes] = queue.SimpleQueue()
        self._stop = Stop()
        self._thread = threading.Thread(target=self._search, args=(core,), daemon=True)
        self._thread.start()

    def _search(self, core: _core.Instance) -> None:
        best, seen = self._best, SeenRoutes()
        initial = [] if best.solution is None else [best.solution.pairs()]

        def take(seconds: float, cost: float, routes: Routes) -> None:
            self._found.put(routes)
            seen.add(routes)

        for turn in itertools.count(1):
            routes, _, _, _ = _core.search(
                core,
                _core.EngineSettings(),
                initial=initial,
                seconds=None if best.run.budget.seconds is None else max(best.seconds_left, 1e-3),
                iterations=None,
                stall=PATIENCE_PER_CUSTOMER * best.instance.num_customers,
                target=best.run.budget.target,
                seed=best.run.seed + turn,
                threads=best.run.threads - 1,
                with_savings=False,
                on_improvement=take,
                stop=self._stop.flag,
            )
            seen.add(routes)
            if self._stop.is_set or best.seconds_left <= 0.0:
                return
            cost = evaluate(best.instance, Solution.of(routes)).cost
            plan = seen.recombine(best, cost, self._stop.flag)
            if plan is None:
                return
            take(best.seconds, cost, plan.pairs())
            initial = [plan.pairs()]

    def hand_over(self) -> None:
        """Offer the plans found since the last time; on the thread of the run."""
        while not self._found.empty():
            self._best.offer(Solution.of(self._found.get()))

    def end(self) -> None:
        """Stop the engine, wait for it, and take what it still had."""
        self._stop.set()
        self._thread.join()
        self.hand_over()
