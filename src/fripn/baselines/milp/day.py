"""What a working day adds to the strengthened model: times, durations, distances, stops, loads.

In the arc variables of a type, 0 stands for the type's own depot; the arc to it costs nothing where
the type does not return. Per customer j there are, as far as the instance needs them:

- t_j, the start of the service, in one of the windows of j;
- e_j, the time from departure to t_j, for largest durations;
- w_j, the waiting from departure to t_j, and c_j, what it costs on the route that ends with j;
- l_j, the distance from the depot to j, and p_j, the number of stops up to j;
- y_j of every load dimension but the first, as in equations (5) and (6).

A vehicle departs so that it need not wait at its first customer, hence w_j = 0 there. Travel and
service are paid with the arcs, which makes the bound stronger than paying for the duration as a
whole. All constraints that hold on an arc only if it is used have a large constant M, which the
bounds of the variables determine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fripn.baselines.integers import integer_loads_of
from fripn.baselines.milp import constraints as family
from fripn.baselines.milp.constraints import Rows
from fripn.baselines.milp.variables import Variables
from fripn.problem import Instance, Route, VehicleType
from fripn.problem.evaluate import evaluate
from fripn.problem.instance import FloatArray, IntArray
from fripn.problem.limits import SEARCH_LOAD_TOLERANCE
from fripn.problem.schedule import RouteSchedule
from fripn.problem.serviceability import shift_of
from fripn.problem.solution import Solution

#: Times and distances are scaled to this range: solvers accept a constraint broken by a millionth,
#: which is then no more than `evaluate` tolerates.
_RANGE = 1000.0


class TypeTables:
    """Distances and travel times of each type, its own depot in place 0.

    Parameters
    ----------
    instance
        The problem.

    Attributes
    ----------
    distances, times
        Shape (K, n + 1, n + 1), in the units of the instance; 0 on the way back of types that do
        not return.
    services
        Shape (n + 1,); 0 in place 0.
    """

    def __init__(self, instance: Instance) -> None:
        nodes = np.arange(instance.num_nodes)
        distances = instance.distance_matrix()
        travel = instance.travel_times(nodes[:, None], nodes[None, :])
        shape = (instance.num_types, instance.num_customers + 1, instance.num_customers + 1)
        self.distances, self.times = np.zeros(shape), np.zeros(shape)
        for k, vehicle in enumerate(instance.vehicle_types):
            stops = np.arange(instance.num_customers + 1)
            stops[0] = instance.depot_node(vehicle.depot)
            own = np.ix_(stops, stops)
            self.distances[k] = distances[own]
            self.times[k] = travel[own] / vehicle.speed
            for table in (self.distances, self.times):
                if not vehicle.returns:
                    table[k, :, 0] = 0.0
                np.fill_diagonal(table[k], 0.0)
        self.services = np.zeros(shape[1])
        if instance.service_times is not None:
            self.services[1:] = instance.service_times[1 : shape[1]]

    def arc_costs(self, instance: Instance, k: int, vehicle: VehicleType) -> FloatArray:
        """Return the cost of each arc of a type, with the travel and service times it pays."""
        rate = vehicle.cost_per_hour / instance.hour
        costs: FloatArray = vehicle.unit_cost * self.distances[k]
        costs = costs + rate * (self.times[k] + self.services[None, :])
        costs[0] += vehicle.fixed_cost
        np.fill_diagonal(costs, 0.0)
        return costs


@dataclass(frozen=True, slots=True)
class DayPart:
    """Columns, constraints and costs of a working day, beside those of the plain model.

    Parameters
    ----------
    start, elapsed, waiting, wait_cost, length, stop
        Shape (n + 1,) or empty: the columns of t, e, w, c, l and p; place 0 is fixed at 0.
    loads
        The columns of y per load dimension after the first, each of shape (n + 1,).
    window
        Per customer (place 0 unused) the columns that choose one of several windows.
    time_scale, time_origin, distance_scale
        t = (time - origin) × scale, and so on.
    """

    start: IntArray
    elapsed: IntArray
    waiting: IntArray
    wait_cost: IntArray
    length: IntArray
    stop: IntArray
    loads: tuple[IntArray, ...]
    window: tuple[IntArray, ...]
    time_scale: float
    time_origin: float
    distance_scale: float

    def values_of_route(
        self, instance: Instance, route: Route, values: FloatArray, demands: FloatArray
    ) -> None:
        """Write the times, distances and loads of a route into the values of a plan.

        Parameters
        ----------
        instance
            The problem.
        route
            A route that keeps all rules.
        values
            Values of all columns; those of the customers of the route are set.
        demands
            Shape (L, n + 1): the loads of each dimension in the unit of the model.
        """
        customers = list(route.customers)
        own = evaluate(instance, Solution((route,))).routes[0]
        for columns, load in zip(self.loads, demands[1:], strict=True):
            values[columns[customers]] = np.cumsum(load[customers])
        if self.stop.size:
            values[self.stop[customers]] = np.arange(1, len(customers) + 1)
        if self.length.size:
            lengths = TypeTables(instance).distances[route.vehicle_type]
            arcs = lengths[[0, *customers[:-1]], customers]
            values[self.length[customers]] = np.cumsum(arcs) * self.distance_scale
        if self.start.size:
            assert own.schedule is not None
            self._write_schedule(instance, route, own.schedule, values)

    def _write_schedule(
        self, instance: Instance, route: Route, schedule: RouteSchedule, values: FloatArray
    ) -> None:
        vehicle = instance.vehicle_types[route.vehicle_type]
        rate = vehicle.cost_per_hour / instance.hour
        waited = 0.0
        for visit in schedule.visits:
            place = visit.stop
            values[self.start[place]] = (visit.start - self.time_origin) * self.time_scale
            if self.elapsed.size:
                elapsed = visit.start - schedule.departure
                values[self.elapsed[place]] = elapsed * self.time_scale
            waited += visit.waiting
            if self.waiting.size:
                values[self.waiting[place]] = waited * self.time_scale
            if self.window[place].size:
                assert instance.time_windows is not None
                # The nearest, as a start may be late within the tolerance.
                misses = [
                    max(opens - visit.start, visit.start - closes, 0.0)
                    for opens, closes in instance.time_windows[place]
                ]
                values[self.window[place][int(np.argmin(misses))]] = 1.0
        if self.wait_cost.size:
            values[self.wait_cost[schedule.visits[-1].stop]] = rate * waited


def add_day(
    instance: Instance, variables: Variables
) -> tuple[Variables, DayPart, list[Rows], FloatArray]:
    """Extend the variables of the plain model by those of a working day.

    Parameters
    ----------
    instance
        The problem.
    variables
        Of the plain model, whose arcs that cannot be used are fixed at 0 here.

    Returns
    -------
    tuple
        All variables, the columns of the day, its constraints, and the costs per column.
    """
    return _Builder(instance, variables).build()


def day_loads(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Return demands (L, n + 1) and capacities (L, K), integers where possible."""
    usable = np.array([vehicle.available != 0 for vehicle in instance.vehicle_types])
    limits = np.array([vehicle.capacities for vehicle in instance.vehicle_types], dtype=np.float64)
    demands, capacities = [], []
    for column, limit in zip(instance.load_matrix.T, limits.T, strict=True):
        loads = integer_loads_of(column, limit, usable)
        if loads.is_exact:
            demands.append(loads.demands.astype(np.float64))
            capacities.append(loads.capacities.astype(np.float64))
        else:
            unit = float(limit.max()) / 1000.0
            demands.append(column / unit)
            capacities.append(limit * (1.0 + SEARCH_LOAD_TOLERANCE) / unit)
    return np.array(demands), np.array(capacities)


class _Builder:
    """Collects the columns and rows of one instance."""

    def __init__(self, instance: Instance, variables: Variables) -> None:
        self._instance = instance
        self._variables = variables
        self._tables = TypeTables(instance)
        self._size = instance.num_customers + 1
        self._lower: list[FloatArray] = [variables.lower]
        self._upper: list[FloatArray] = [variables.upper]
        self._is_integer = [variables.is_integer]
        self._count = variables.count
        self._rows: list[Rows] = []
        self._names: list[str] = []
        i, j = np.nonzero(~np.eye(self._size - 1, dtype=np.bool_))
        self._i, self._j = i.astype(np.int64) + 1, j.astype(np.int64) + 1

    def build(self) -> tuple[Variables, DayPart, list[Rows], FloatArray]:
        instance = self._instance
        types = instance.vehicle_types
        self._forbid_access()
        loads = self._add_loads()
        none = np.empty(0, dtype=np.int64)
        stop = none
        if any(vehicle.max_stops is not None for vehicle in types):
            stop = self._add_stops()
        length, distance_scale = none, 1.0
        if any(vehicle.max_distance is not None for vehicle in types):
            length, distance_scale = self._add_lengths()
        start = elapsed = waiting = wait_cost = none
        window: tuple[IntArray, ...] = (none,) * self._size
        times = _Times(instance, self._tables)
        if instance.limits_time:
            start, window = self._add_starts(times)
            if any(vehicle.max_duration is not None for vehicle in types):
                elapsed = self._add_elapsed(times, start)
            if any(vehicle.cost_per_hour > 0 for vehicle in types):
                waiting, wait_cost = self._add_waiting(times, start)
        variables = replace(
            self._variables,
            lower=np.concatenate(self._lower),
            upper=np.concatenate(self._upper),
            is_integer=np.concatenate(self._is_integer),
            day_names=tuple(self._names),
        )
        costs = np.zeros(variables.count)
        for k, vehicle in enumerate(types):
            costs[variables.arc[k]] = self._tables.arc_costs(instance, k, vehicle)
        costs[wait_cost] = 1.0
        part = DayPart(
            start,
            elapsed,
            waiting,
            wait_cost,
            length,
            stop,
            loads,
            window,
            times.scale,
            times.origin,
            distance_scale,
        )
        return variables, part, self._rows, costs

    # -- columns and rows ----------------------------------------------------------------------

    def _take(
        self, name: str, lower: FloatArray, upper: FloatArray, *, is_integer: bool = False
    ) -> IntArray:
        """Return new columns with these bounds."""
        first = self._count
        self._count += len(lower)
        self._lower.append(lower)
        self._upper.append(upper)
        self._is_integer.append(np.full(len(lower), is_integer))
        self._names += [f"{name}[{place}]" for place in range(len(lower))]
        return np.arange(first, self._count, dtype=np.int64)

    def _customers(self, lower: float, upper: float) -> tuple[FloatArray, FloatArray]:
        low, high = np.full(self._size, lower), np.full(self._size, upper)
        low[0] = high[0] = 0.0
        return low, high

    def _add(self, name: str, columns: IntArray, values: FloatArray, upper: FloatArray) -> None:
        lower = np.full(len(columns), -np.inf)
        self._rows.append(Rows(name, columns, values, lower, upper))

    def _accumulate(
        self, name: str, columns: IntArray, step: FloatArray, large: FloatArray
    ) -> None:
        """Add a_j ≥ a_i + Σ_k step_kij x_kij − M_ij (1 − x_ij) for all pairs of customers."""
        i, j = self._i, self._j
        arcs = self._variables.arc[:, i, j].T
        of_arcs = step[:, i, j].T + large[:, None]
        values = np.column_stack([np.ones(len(i)), -np.ones(len(i)), of_arcs])
        self._add(name, np.column_stack([columns[i], columns[j], arcs]), values, large)

    def _forbid_access(self) -> None:
        instance, arc = self._instance, self._variables.arc
        for k in range(instance.num_types):
            for customer in range(1, self._size):
                if not instance.may_serve(k, customer):
                    self._variables.upper[arc[k, customer]] = 0.0
                    self._variables.upper[arc[k, :, customer]] = 0.0

    def _add_loads(self) -> tuple[IntArray, ...]:
        demands, capacities = day_loads(self._instance)
        columns: list[IntArray] = []
        for load, limits in zip(demands[1:], capacities[1:], strict=True):
            largest = float(limits.max())
            upper = np.full(self._size, largest)
            upper[0] = 0.0
            column = self._take(f"y{len(columns) + 2}", load.copy(), upper)
            view = replace(self._variables, load=column)
            self._rows.append(family.carry_load(view, load, largest))
            self._rows.append(family.respect_capacity(view, limits))
            columns.append(column)
        return tuple(columns)

    def _add_stops(self) -> IntArray:
        most = self._size - 1
        column = self._take("p", *self._customers(1.0, float(most)))
        ones = np.ones((self._instance.num_types, self._size, self._size))
        self._accumulate("count_stops", column, ones, np.full(len(self._i), float(most)))
        limits = [
            float(most if one.max_stops is None else min(most, one.max_stops))
            for one in self._instance.vehicle_types
        ]
        view = replace(self._variables, load=column)
        self._rows.append(
            replace(family.respect_capacity(view, np.array(limits)), name="max_stops")
        )
        return column

    def _add_lengths(self) -> tuple[IntArray, float]:
        types, distances = self._instance.vehicle_types, self._tables.distances
        farthest = float(distances.max()) * self._size
        limits = np.array(
            [farthest if one.max_distance is None else one.max_distance for one in types]
        )
        longest = min(farthest, float(limits.max()))
        scale = _RANGE / longest if longest > 0 else 1.0
        column = self._take("l", *self._customers(0.0, longest * scale))
        large = np.full(len(self._i), longest * scale)
        self._accumulate("add_distance", column, distances * scale, large)
        self._start_at_least("first_distance", column, distances[:, 0, 1:] * scale)
        back = distances[:, 1:, 0] * scale
        self._end_at_most("max_distance", column, back, limits * scale, longest * scale)
        return column, scale

    def _start_at_least(self, name: str, column: IntArray, least: FloatArray) -> None:
        """Add a_j ≥ Σ_k least_kj x_k0j."""
        arcs = self._variables.arc[:, 0, 1:].T
        count = self._size - 1
        columns = np.column_stack([column[1:], arcs])
        self._add(name, columns, np.column_stack([-np.ones(count), least.T]), np.zeros(count))

    def _end_at_most(
        self, name: str, column: IntArray, more: FloatArray, limits: FloatArray, most: float
    ) -> None:
        """Add a_j + more_kj ≤ limit_k + M (1 − x_kj0) for types with a limit; a_j ≤ most."""
        for k, limit in enumerate(limits):
            large = most + more[k] - limit
            binding = np.flatnonzero(large > 0.0)
            if not len(binding):
                continue
            columns = np.column_stack([column[1:], self._variables.arc[k, 1:, 0]])[binding]
            values = np.column_stack([np.ones(len(binding)), large[binding]])
            self._add(name, columns, values, limit - more[k, binding] + large[binding])

    # -- times ---------------------------------------------------------------------------------

    def _add_starts(self, times: _Times) -> tuple[IntArray, tuple[IntArray, ...]]:
        column = self._take("t", times.lower, times.upper)
        i, j = self._i, self._j
        services = times.services
        large = np.maximum(0.0, times.upper[i] + services[i] - times.lower[j])
        step = times.travel + services[None, :, None]
        # t_j ≥ t_i + s_i + travel if the arc is used, and t_i + s_i − M ≤ t_j in any case.
        arcs = self._variables.arc[:, i, j].T
        values = np.column_stack(
            [np.ones(len(i)), -np.ones(len(i)), times.travel[:, i, j].T + large[:, None]]
        )
        columns = np.column_stack([column[i], column[j], arcs])
        self._add("follow_in_time", columns, values, large - services[i])
        too_late = times.lower[i] + step[:, i, j] > times.upper[j] * (1 + 1e-9) + 1e-9
        self._variables.upper[arcs.T[too_late]] = 0.0
        for k, (earliest, latest) in enumerate(times.shifts):
            least = earliest + times.travel[k, 0, 1:]
            binding = np.flatnonzero(least > times.lower[1:])
            if len(binding):
                rise = (least - times.lower[1:])[binding]
                columns = np.column_stack([column[1:], self._variables.arc[k, 0, 1:]])[binding]
                values = np.column_stack([-np.ones(len(binding)), rise])
                self._add("earliest_departure", columns, values, -times.lower[1:][binding])
            if math.isfinite(latest):
                back = services[1:] + times.travel[k, 1:, 0]
                large = np.maximum(0.0, times.upper[1:] + back - latest)
                columns = np.column_stack([column[1:], self._variables.arc[k, 1:, 0]])
                values = np.column_stack([np.ones(self._size - 1), large])
                self._add("latest_end", columns, values, latest - back + large)
        return column, self._add_windows(times, column)

    def _add_windows(self, times: _Times, start: IntArray) -> tuple[IntArray, ...]:
        """Choose one window where a customer has several."""
        chosen = [np.empty(0, dtype=np.int64)] * self._size
        for customer in range(1, self._size):
            windows = times.windows[customer]
            if len(windows) < 2:
                continue
            count = len(windows)
            column = self._take(f"v{customer}", np.zeros(count), np.ones(count), is_integer=True)
            opens, closes = (np.array(ends) for ends in zip(*windows, strict=True))
            one = np.ones(1)
            self._rows.append(Rows("one_window", column[None, :], np.ones((1, count)), one, one))
            columns = np.concatenate([[start[customer]], column])[None, :]
            self._add("window_opens", columns, np.concatenate([[-1.0], opens])[None, :], 0.0 * one)
            self._add(
                "window_closes", columns, np.concatenate([[1.0], -closes])[None, :], 0.0 * one
            )
            chosen[customer] = column
        return tuple(chosen)

    def _add_elapsed(self, times: _Times, start: IntArray) -> IntArray:
        """Add e_j ≥ e_i + t_j − t_i on arcs, and limit it by the duration at the last customer."""
        limits = np.array(
            [
                math.inf if one.max_duration is None else one.max_duration * times.scale
                for one in self._instance.vehicle_types
            ]
        )
        most = min(_RANGE, float(limits.max()))
        column = self._take("e", *self._customers(0.0, most))
        i, j = self._i, self._j
        large = most + np.maximum(0.0, times.upper[j] - times.lower[i])
        self._follow("elapse", column, start, np.zeros_like(times.travel), large)
        self._start_at_least("first_elapsed", column, times.travel[:, 0, 1:])
        more = times.services[None, 1:] + times.travel[:, 1:, 0]
        # A type without a limit of its own needs none: its e_j is bounded by the range of times.
        self._end_at_most("max_duration", column, more, np.minimum(limits, 3 * _RANGE), most)
        return column

    def _add_waiting(self, times: _Times, start: IntArray) -> tuple[IntArray, IntArray]:
        """Add w_j ≥ w_i + (t_j − t_i − s_i − travel) on arcs, and its cost at the last customer."""
        column = self._take("w", *self._customers(0.0, _RANGE))
        i, j = self._i, self._j
        step = times.travel + times.services[None, :, None]
        large = _RANGE + np.maximum(0.0, times.upper[j] - times.lower[i])
        self._follow("wait", column, start, -step, large)
        rates = [one.cost_per_hour / self._instance.hour for one in self._instance.vehicle_types]
        most = max(rates) * _RANGE / times.scale
        cost = self._take("c", *self._customers(0.0, most))
        count = self._size - 1
        for k, rate in enumerate(rates):
            if rate > 0.0:
                # In the unit of w, so that costs of any size leave the constraint well scaled.
                per_unit = times.scale / rate
                columns = np.column_stack([column[1:], cost[1:], self._variables.arc[k, 1:, 0]])
                values = np.tile([1.0, -per_unit, _RANGE], (count, 1))
                self._add("pay_waiting", columns, values, np.full(count, _RANGE))
        return column, cost

    def _follow(
        self, name: str, column: IntArray, start: IntArray, step: FloatArray, large: FloatArray
    ) -> None:
        """Add a_j ≥ a_i + t_j − t_i + Σ_k step_kij x_kij − M_ij (1 − x_ij)."""
        i, j = self._i, self._j
        arcs = self._variables.arc[:, i, j].T
        ones = np.ones(len(i))
        values = np.column_stack([ones, -ones, ones, -ones, step[:, i, j].T + large[:, None]])
        columns = np.column_stack([column[i], column[j], start[j], start[i], arcs])
        self._add(name, columns, values, large)


class _Times:
    """Times in the unit of the model: from 0, the earliest departure of all, to `_RANGE`."""

    def __init__(self, instance: Instance, tables: TypeTables) -> None:
        size = instance.num_customers + 1
        shifts = [shift_of(instance, vehicle) for vehicle in instance.vehicle_types]
        drive = float(tables.times.max()) * size + float(tables.services.sum())
        named = [time for own in instance.time_windows or () for pair in own for time in pair]
        finite = [time for time in (*named, *sum(shifts, ())) if math.isfinite(time)]
        self.origin = min([0.0, *finite])
        if any(earliest == -math.inf for earliest, _ in shifts):
            # No route needs to start earlier than this to be in time for its first window.
            self.origin -= drive
        last = max([0.0, *finite]) + drive
        self.scale = _RANGE / (last - self.origin) if last > self.origin else 1.0
        self.travel = tables.times * self.scale
        self.services = tables.services * self.scale
        self.shifts = [
            (max(0.0, self._point(earliest)), self._point(latest)) for earliest, latest in shifts
        ]
        self.lower, self.upper = np.zeros(size), np.full(size, _RANGE)
        self.upper[0] = 0.0
        self.windows: list[list[tuple[float, float]]] = [[] for _ in range(size)]
        for customer in range(1, size):
            own = instance.time_windows[customer] if instance.time_windows is not None else ()
            self.windows[customer] = [
                (max(0.0, self._point(opens)), min(_RANGE, self._point(closes)))
                for opens, closes in own
            ]
            if own:
                self.lower[customer] = self.windows[customer][0][0]
                self.upper[customer] = self.windows[customer][-1][1]

    def _point(self, time: float) -> float:
        return float((time - self.origin) * self.scale)
