"""OR-Tools in a process of its own, run by `fripn.baselines.peers.ortools`.

OR-Tools and highspy bring different versions of the HiGHS library under one name, and a process
can load only one of them. So this file is run by `worker_loop` and imports nothing of fripn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ortools.constraint_solver import pywrapcp, routing_enums_pb2


def solve(job: dict[str, Any], write: Callable[[dict[str, Any]], None]) -> None:
    """Search, and report the number of solutions."""
    vehicles = job["vehicles"]
    manager = pywrapcp.RoutingIndexManager(len(job["demands"]), len(vehicles), 0)
    routing = pywrapcp.RoutingModel(manager)
    travel = [routing.RegisterTransitMatrix(costs.tolist()) for costs in job["profiles"]]
    for number, vehicle in enumerate(vehicles):
        routing.SetArcCostEvaluatorOfVehicle(travel[vehicle["profile"]], number)
        routing.SetFixedCostOfVehicle(vehicle["fixed_cost"], number)
    load = routing.RegisterUnaryTransitVector(job["demands"])
    capacities = [vehicle["capacity"] for vehicle in vehicles]
    routing.AddDimensionWithVehicleCapacity(load, 0, capacities, True, "load")

    reporter = _Reporter(routing, manager, len(vehicles), write)
    routing.AddAtSolutionCallback(reporter)
    parameters = _parameters(job)
    if job["initial"] is None:
        routing.SolveWithParameters(parameters)
    else:
        routing.CloseModelWithParameters(parameters)
        initial = routing.ReadAssignmentFromRoutes(job["initial"], True)
        routing.SolveFromAssignmentWithParameters(initial, parameters)
    write({"solutions": reporter.count})


def _parameters(job: dict[str, Any]) -> Any:
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = getattr(
        routing_enums_pb2.FirstSolutionStrategy, job["first_solution"]
    )
    parameters.local_search_metaheuristic = (
        routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    )
    parameters.time_limit.FromMilliseconds(job["milliseconds"])
    if job["solution_limit"] is not None:
        parameters.solution_limit = job["solution_limit"]
    return parameters


class _Reporter:
    """Called at every solution; writes those that are better than all before."""

    def __init__(
        self, routing: Any, manager: Any, num_vehicles: int, write: Callable[[dict[str, Any]], None]
    ) -> None:
        self._routing, self._manager, self._num_vehicles = routing, manager, num_vehicles
        self._write = write
        self._least: int | None = None
        self.count = 0

    def __call__(self) -> None:
        self.count += 1
        cost = self._routing.CostVar().Value()
        if self._least is None or cost < self._least:
            self._least = cost
            self._write({"routes": [self._route(number) for number in range(self._num_vehicles)]})

    def _route(self, number: int) -> list[int]:
        customers = []
        index = self._routing.NextVar(self._routing.Start(number)).Value()
        while not self._routing.IsEnd(index):
            customers.append(self._manager.IndexToNode(index))
            index = self._routing.NextVar(index).Value()
        return customers
