"""The engine's part in a proof: plans to compare the bound with, and first routes."""

from __future__ import annotations

import queue
import threading

from fripn import _core
from fripn.incumbent import Incumbent
from fripn.problem import Solution
from fripn.run import Stop

#: Children of the engine's genetic search per customer before the proof begins, and at most this
#: share of the time limit.
CHILDREN_PER_CUSTOMER = 20
FIRST_SHARE = 0.15

#: Iterations without improvement after which the engine leaves its threads to the proof.
PATIENCE_PER_CUSTOMER = 200

Routes = list[tuple[int, list[int]]]


def first_plans(best: Incumbent, core: _core.Instance) -> Routes:
    """Find a first plan with the engine, and return the routes of all its improvements."""
    budget, size = best.run.budget, best.instance.num_customers
    seen: dict[tuple[int, tuple[int, ...]], None] = {}

    def take(seconds: float, cost: float, routes: Routes) -> None:
        best.offer(Solution.of(routes))
        seen.update(
            dict.fromkeys((vehicle_type, tuple(customers)) for vehicle_type, customers in routes)
        )

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
    seen.update(
        dict.fromkeys((vehicle_type, tuple(customers)) for vehicle_type, customers in routes)
    )
    return [(vehicle_type, list(customers)) for vehicle_type, customers in seen]


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
        best = self._best
        _core.search(
            core,
            _core.EngineSettings(),
            initial=[] if best.solution is None else [best.solution.pairs()],
            seconds=None if best.run.budget.seconds is None else max(best.seconds_left, 1e-3),
            iterations=None,
            stall=PATIENCE_PER_CUSTOMER * best.instance.num_customers,
            target=best.run.budget.target,
            seed=best.run.seed + 1,
            threads=best.run.threads - 1,
            with_savings=False,
            on_improvement=lambda seconds, cost, routes: self._found.put(routes),
            stop=self._stop.flag,
        )

    def hand_over(self) -> None:
        """Offer the plans found since the last time; on the thread of the run."""
        while not self._found.empty():
            self._best.offer(Solution.of(self._found.get()))

    def end(self) -> None:
        """Stop the engine, wait for it, and take what it still had."""
        self._stop.set()
        self._thread.join()
        self.hand_over()
