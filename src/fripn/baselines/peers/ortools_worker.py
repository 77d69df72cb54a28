"""OR-Tools in a process of its own, run by `fripn.baselines.peers.ortools`.

OR-Tools and highspy bring different versions of the HiGHS library under one name, and a process
can load only one of them. So this file is run by `worker_loop` and imports nothing of fripn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ortools.constraint_solver import pywrapcp, routing_enums_pb2

#: Share of the time left in which a strategy has to find a first plan of a working day.
_FIRST_SHARE = 0.1


def solve(job: dict[str, Any], write: Callable[[dict[str, Any]], None]) -> None:
    """Search, and report the number of solutions."""
    end = time.perf_counter() + job["milliseconds"] / 1000.0
    initial = job["initial"]
    if initial is None and "fallbacks" in job:
        initial = _first_routes(job, write, end)
        if initial is not None and job["solution_limit"] is not None:
            job = {**job, "solution_limit": max(1, job["solution_limit"] - 1)}
    model = _model(job)
    reporter = _Reporter(model, write)
    model.routing.AddAtSolutionCallback(reporter)
    parameters = _parameters(job, job["first_solution"], _milliseconds_to(end))
    if initial is None:
        model.routing.SolveWithParameters(parameters)
    else:
        model.routing.CloseModelWithParameters(parameters)
        routes = [[model.node_of(customer) for customer in route] for route in initial]
        assignment = model.routing.ReadAssignmentFromRoutes(routes, True)
        model.routing.SolveFromAssignmentWithParameters(assignment, parameters)
    write({"solutions": reporter.count})


def _first_routes(
    job: dict[str, Any], write: Callable[[dict[str, Any]], None], end: float
) -> list[list[int]] | None:
    """Return the first plan that one of several strategies finds in its share of the time.

    A strategy that fails at the limits of time would try all values until the time is over.
    """
    for strategy in (job["first_solution"], *job["fallbacks"]):
        model = _model(job)
        reporter = _Reporter(model, write)
        model.routing.AddAtSolutionCallback(reporter)
        milliseconds = max(1, round(_FIRST_SHARE * _milliseconds_to(end)))
        model.routing.SolveWithParameters(
            _parameters({**job, "solution_limit": 1}, strategy, milliseconds)
        )
        if reporter.best is not None:
            return reporter.best
    return None


def _milliseconds_to(end: float) -> int:
    return max(1, round(1000.0 * (end - time.perf_counter())))


def _model(job: dict[str, Any]) -> _PlainModel | _DayModel:
    return _DayModel(job) if "fleets" in job else _PlainModel(job)


class _PlainModel:
    """Loads and travel costs, all vehicles at one depot; node numbers are those of customers."""

    def __init__(self, job: dict[str, Any]) -> None:
        vehicles = job["vehicles"]
        self.num_vehicles = len(vehicles)
        self.manager = pywrapcp.RoutingIndexManager(len(job["demands"]), len(vehicles), 0)
        self.routing = pywrapcp.RoutingModel(self.manager)
        travel = [self.routing.RegisterTransitMatrix(costs.tolist()) for costs in job["profiles"]]
        for number, vehicle in enumerate(vehicles):
            self.routing.SetArcCostEvaluatorOfVehicle(travel[vehicle["profile"]], number)
            self.routing.SetFixedCostOfVehicle(vehicle["fixed_cost"], number)
        load = self.routing.RegisterUnaryTransitVector(job["demands"])
        capacities = [vehicle["capacity"] for vehicle in vehicles]
        self.routing.AddDimensionWithVehicleCapacity(load, 0, capacities, True, "load")

    def node_of(self, customer: int) -> int:
        return customer

    def customer_of(self, node: int) -> int:
        return node


class _DayModel:
    """All of a working day.

    Nodes are the customers, the depots in use, and a last one where open routes end: every node
    that is not the start or end of a vehicle would have to be visited.
    """

    def __init__(self, job: dict[str, Any]) -> None:
        self._job = job
        self._fleets = [fleet for fleet in job["fleets"] for _ in range(fleet["count"])]
        self._num_customers = len(job["allowed"]) - 1
        depots = sorted({fleet["depot"] for fleet in self._fleets})
        self._stops = [*range(1, self._num_customers + 1), *depots]
        self._nowhere = len(self._stops)
        is_open = any(not fleet["returns"] for fleet in self._fleets)
        self.num_vehicles = len(self._fleets)
        starts = [self._num_customers + depots.index(fleet["depot"]) for fleet in self._fleets]
        ends = [
            start if fleet["returns"] else self._nowhere
            for start, fleet in zip(starts, self._fleets, strict=True)
        ]
        self.manager = pywrapcp.RoutingIndexManager(
            len(self._stops) + is_open, self.num_vehicles, starts, ends
        )
        self.routing = pywrapcp.RoutingModel(self.manager)
        self._add_nowhere = is_open
        self._add_costs()
        self._add_loads()
        self._add_times()
        self._add_access()

    def node_of(self, customer: int) -> int:
        return customer - 1

    def customer_of(self, node: int) -> int:
        return node + 1

    def _register(self, matrix: Any, services: list[int] | None = None) -> int:
        """Register a matrix over all stops, in the order of the nodes."""
        rows = matrix[self._stops][:, self._stops].tolist()
        if self._add_nowhere:
            rows = [[*row, 0] for row in rows] + [[0] * (len(rows) + 1)]
        if services is not None:
            for node, stop in enumerate(self._stops):
                rows[node] = [time + services[stop] for time in rows[node]]
        index: int = self.routing.RegisterTransitMatrix(rows)
        return index

    def _register_unary(self, values: list[int]) -> int:
        own = [values[stop] for stop in self._stops] + [0] * self._add_nowhere
        index: int = self.routing.RegisterUnaryTransitVector(own)
        return index

    def _add_costs(self) -> None:
        travel = [self._register(costs) for costs in self._job["costs"]]
        for number, fleet in enumerate(self._fleets):
            self.routing.SetArcCostEvaluatorOfVehicle(travel[fleet["profile"]], number)
            self.routing.SetFixedCostOfVehicle(fleet["fixed_cost"], number)

    def _add_loads(self) -> None:
        for load in range(len(self._fleets[0]["capacities"])):
            index = self._register_unary([row[load] for row in self._job["demands"]])
            limits = [fleet["capacities"][load] for fleet in self._fleets]
            self.routing.AddDimensionWithVehicleCapacity(index, 0, limits, True, f"load{load}")
        if any(fleet["max_stops"] is not None for fleet in self._fleets):
            ones = [
                int(1 <= node <= self._num_customers) for node in range(len(self._job["demands"]))
            ]
            index = self._register_unary(ones)
            limits = [
                self._num_customers if fleet["max_stops"] is None else fleet["max_stops"]
                for fleet in self._fleets
            ]
            self.routing.AddDimensionWithVehicleCapacity(index, 0, limits, True, "stops")
        if self._job["distances"] is not None:
            index = self._register(self._job["distances"])
            most = int(self._job["distances"].max()) * (self._num_customers + 1)
            limits = [
                most if fleet["max_distance"] is None else fleet["max_distance"]
                for fleet in self._fleets
            ]
            self.routing.AddDimensionWithVehicleCapacity(index, 0, limits, True, "distance")

    def _add_times(self) -> None:
        if not self._job["limits_time"]:
            return
        horizon = self._job["horizon"]
        travel = [self._register(times, self._job["services"]) for times in self._job["times"]]
        by_vehicle = [travel[fleet["profile"]] for fleet in self._fleets]
        self.routing.AddDimensionWithVehicleTransits(by_vehicle, horizon, horizon, False, "time")
        times = self.routing.GetDimensionOrDie("time")
        for number, fleet in enumerate(self._fleets):
            latest = horizon if fleet["latest"] is None else min(horizon, fleet["latest"])
            for index in (self.routing.Start(number), self.routing.End(number)):
                times.CumulVar(index).SetRange(fleet["earliest"], latest)
            if fleet["max_duration"] is not None:
                times.SetSpanUpperBoundForVehicle(fleet["max_duration"], number)
            times.SetSpanCostCoefficientForVehicle(fleet["time_cost"], number)
            self.routing.AddVariableMaximizedByFinalizer(times.CumulVar(self.routing.Start(number)))
            self.routing.AddVariableMinimizedByFinalizer(times.CumulVar(self.routing.End(number)))
        for customer in range(1, self._num_customers + 1):
            windows = self._job["windows"][customer]
            if windows:
                start = times.CumulVar(self.manager.NodeToIndex(self.node_of(customer)))
                start.SetRange(windows[0][0], windows[-1][1])
                for (_, closes), (opens, _) in pairwise(windows):
                    if closes + 1 < opens:
                        start.RemoveInterval(closes + 1, opens - 1)

    def _add_access(self) -> None:
        for customer, types in enumerate(self._job["allowed"]):
            if types is not None and customer:
                vehicles = [
                    number
                    for number, fleet in enumerate(self._fleets)
                    if fleet["vehicle_type"] in types
                ]
                index = self.manager.NodeToIndex(self.node_of(customer))
                self.routing.VehicleVar(index).SetValues(vehicles)


def _parameters(job: dict[str, Any], strategy: str, milliseconds: int) -> Any:
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = getattr(routing_enums_pb2.FirstSolutionStrategy, strategy)
    parameters.local_search_metaheuristic = (
        routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    )
    parameters.time_limit.FromMilliseconds(milliseconds)
    if job["solution_limit"] is not None:
        parameters.solution_limit = job["solution_limit"]
    return parameters


class _Reporter:
    """Called at every solution; writes those that are better than all before."""

    def __init__(
        self, model: _PlainModel | _DayModel, write: Callable[[dict[str, Any]], None]
    ) -> None:
        self._model = model
        self._write = write
        self._least: int | None = None
        self.best: list[list[int]] | None = None
        self.count = 0

    def __call__(self) -> None:
        self.count += 1
        cost = self._model.routing.CostVar().Value()
        if self._least is None or cost < self._least:
            self._least = cost
            self.best = [self._route(number) for number in range(self._model.num_vehicles)]
            self._write({"routes": self.best})

    def _route(self, number: int) -> list[int]:
        customers = []
        model = self._model
        index = model.routing.NextVar(model.routing.Start(number)).Value()
        while not model.routing.IsEnd(index):
            customers.append(model.customer_of(model.manager.IndexToNode(index)))
            index = model.routing.NextVar(index).Value()
        return customers
