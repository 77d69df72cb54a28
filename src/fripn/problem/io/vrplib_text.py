"""VRPLIB in PyVRP's dialect; see ``docs/data-format.md``.

The dialect lists vehicles, not types: equal rows make one type. A type of which there are as many
vehicles as customers counts as unlimited. Distances are not rounded, and travel times are
distances. Depots are the first nodes of the file, and their windows are shifts of the vehicles.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np

from fripn.errors import InvalidFile, Unsupported
from fripn.messages import named, shown
from fripn.problem.instance import FloatArray, Instance, Metric
from fripn.problem.instance_fields import Windows
from fripn.problem.io.vrplib_sections import VrplibFile, parse_sections
from fripn.problem.io.vrplib_vehicles import vehicles_of
from fripn.problem.limits import MAX_NUMBER
from fripn.problem.serviceability import shift_of

#: Stands for no limit in a column of limits, unless a route can be longer; PyVRP's largest value
#: when scaled by 1000.
_NO_LIMIT = 1_000_000_000.0

#: More vehicle rows than this would only mean "unlimited".
MAX_VEHICLE_ROWS = 500_000


def instance_from_vrplib(text: str, default_name: str) -> Instance:
    """Build an instance from the text of a VRPLIB file.

    Raises
    ------
    InvalidFile, InvalidInstance
        With the line or section that is wrong.
    """
    file = parse_sections(text)
    demands = file.rows("DEMAND")
    dimension = file.integer("DIMENSION", len(demands))
    if dimension != len(demands):
        raise InvalidFile(
            f"DIMENSION is {{value}}, but DEMAND_SECTION has {len(demands)} rows",
            field="DIMENSION",
            value=dimension,
            remedy="make them agree (is the file complete?)",
        )
    num_depots = _num_depots(file, dimension)
    # The file has all depots first; an instance has the first depot, the customers, the others.
    order = [0, *range(num_depots, dimension), *range(1, num_depots)]
    num_customers = dimension - num_depots
    fleet = vehicles_of(file, num_customers, num_depots)
    matrix = _matrix(file, dimension) if file.has("EDGE_WEIGHT") else None
    wanted = demands[:, 0] if demands.shape[1] == 1 else demands
    for node in range(1, num_depots):
        if demands[node].any():
            raise InvalidFile(
                f"depot {node + 1} has the demand {{value}}",
                field="DEMAND_SECTION",
                value=demands[node].tolist(),
                remedy="it must be 0",
            )
    return Instance(
        name=file.specifications.get("NAME") or default_name,
        coordinates=_of_nodes(file, "NODE_COORD", order) if file.has("NODE_COORD") else None,
        demands=wanted[order[: num_customers + 1]],
        vehicle_types=fleet.types,
        metric=_metric(file),
        matrix=None if matrix is None else matrix[np.ix_(order, order)],
        num_depots=num_depots,
        service_times=_service_times(file, order, num_customers),
        time_windows=_time_windows(file, order),
        allowed_types=fleet.allowed_types,
    )


def _num_depots(file: VrplibFile, dimension: int) -> int:
    depots = [node for node in file.sections.get("DEPOT_SECTION", [1.0]) if node != -1]
    if not depots or depots != list(range(1, len(depots) + 1)) or len(depots) >= dimension:
        raise InvalidFile(
            f"DEPOT_SECTION names {shown([shown(node) for node in depots])}",
            field="DEPOT_SECTION",
            value=depots,
            remedy="depots must be the first nodes: 1, or 1 and 2, …",
        )
    return len(depots)


def _of_nodes(file: VrplibFile, name: str, order: list[int]) -> FloatArray:
    """Return the rows of a section with a row per node, in the order of an instance."""
    rows = file.rows(name)
    if len(rows) != len(order):
        raise InvalidFile(
            f"{name}_SECTION has {{value}} rows, but there are {len(order)} nodes",
            field=f"{name}_SECTION",
            value=len(rows),
            remedy="give one row per node (is the file complete?)",
        )
    return rows[order]


def _service_times(file: VrplibFile, order: list[int], num_customers: int) -> FloatArray | None:
    if file.has("SERVICE_TIME"):
        return _of_nodes(file, "SERVICE_TIME", order)[:, 0]
    if "SERVICE_TIME" not in file.specifications:
        return None
    services = np.zeros(len(order))
    services[1 : num_customers + 1] = file.number("SERVICE_TIME")
    return services


def _time_windows(file: VrplibFile, order: list[int]) -> tuple[Windows, ...] | None:
    if not file.has("TIME_WINDOW"):
        return None
    rows = _of_nodes(file, "TIME_WINDOW", order).tolist()
    return tuple(((opens, closes),) for opens, closes in rows)


def vrplib_text(instance: Instance) -> str:
    """Return the instance as a VRPLIB file that PyVRP reads too.

    Names of stops, types and units are lost: the format has no place for them. Required tags
    become lists of allowed clients, and shifts become windows of the depots.

    Raises
    ------
    Unsupported
        When the format cannot hold something that the instance uses.
    """
    if instance.metric == "great_circle":
        raise Unsupported(
            f"{named(instance.name)} has latitudes and longitudes, which VRPLIB cannot hold",
            field="metric",
            value=instance.metric,
            remedy="write .json or .csv",
        )
    _check_day(instance)
    vehicles = vehicle_order(instance)
    types = [instance.vehicle_types[index] for index in vehicles]
    # The file has all depots first.
    num_customers, num_depots = instance.num_customers, instance.num_depots
    order = [0, *range(num_customers + 1, instance.num_nodes), *range(1, num_customers + 1)]
    demands = np.zeros((instance.num_nodes, instance.num_loads))
    demands[: num_customers + 1] = instance.load_matrix
    lines = [
        f"NAME: {re.sub(r'[^!-~]+|EOF|_SECTION', '-', instance.name)}",
        "TYPE: HFVRP",
        f"DIMENSION: {instance.num_nodes}",
        f"VEHICLES: {len(types)}",
        f"EDGE_WEIGHT_TYPE: {'EUC_2D' if instance.matrix is None else 'EXPLICIT'}",
    ]
    if instance.matrix is not None:
        lines += ["EDGE_WEIGHT_FORMAT: FULL_MATRIX", "EDGE_WEIGHT_SECTION"]
        rows = instance.matrix[np.ix_(order, order)].tolist()
        lines += ["\t".join(map(_plain, row)) for row in rows]
    if instance.coordinates is not None:
        lines += _numbered("NODE_COORD_SECTION", instance.coordinates[order].tolist())
    lines += _numbered("DEMAND_SECTION", demands[order].tolist())
    if instance.service_times is not None:
        services = instance.service_times[order].tolist()
        lines += _numbered("SERVICE_TIME_SECTION", ([service] for service in services))
    windows = written_windows(instance)
    if windows is not None:
        lines += _numbered("TIME_WINDOW_SECTION", [list(windows[node]) for node in order])
    lines += ["DEPOT_SECTION", *map(str, range(1, num_depots + 1)), "-1"]
    lines += _numbered("CAPACITY_SECTION", (list(vehicle.capacities) for vehicle in types))
    lines += _numbered("VEHICLES_FIXED_COST_SECTION", ([vehicle.fixed_cost] for vehicle in types))
    lines += _numbered(
        "VEHICLES_UNIT_DISTANCE_COST_SECTION", ([vehicle.unit_cost] for vehicle in types)
    )
    for section, limits in (
        ("VEHICLES_MAX_DURATION_SECTION", [vehicle.max_duration for vehicle in types]),
        ("VEHICLES_MAX_DISTANCE_SECTION", [vehicle.max_distance for vehicle in types]),
    ):
        if any(limit is not None for limit in limits):
            no_limit = min(max(_NO_LIMIT, _longest_day(instance)), MAX_NUMBER)
            column = ([no_limit if limit is None else limit] for limit in limits)
            lines += _numbered(section, column)
    if num_depots > 1:
        lines += _numbered("VEHICLES_DEPOT_SECTION", ([vehicle.depot + 1] for vehicle in types))
    if instance.allowed_types is not None or instance.requires is not None:
        lines += _allowed_lines(instance, vehicles)
    return "\n".join([*lines, "EOF", ""])


def _check_day(instance: Instance) -> None:
    """Refuse what the dialect has no place for."""
    types = instance.vehicle_types
    windows = instance.time_windows or ()
    shifts: dict[int, set[tuple[float, float]]] = {}
    for vehicle in types:
        shifts.setdefault(vehicle.depot, set()).add(shift_of(instance, vehicle))
    for uses, what, field in (
        (instance.durations is not None, "travel times that differ from distances", "durations"),
        (any(one.speed != 1.0 for one in types) and instance.limits_time, "speeds", "speed"),
        (any(one.cost_per_hour > 0 for one in types), "costs per hour", "cost_per_hour"),
        (any(one.max_stops is not None for one in types), "numbers of stops", "max_stops"),
        (not all(one.returns for one in types), "vehicles that do not return", "returns"),
        (any(len(own) > 1 for own in windows), "several windows per stop", "time_windows"),
        (
            any(len(of_depot) > 1 for of_depot in shifts.values()),
            "different shifts at one depot",
            "shift_start",
        ),
        (
            any(opens < 0 for opens, _ in written_windows(instance) or ()),
            "times before 0",
            "time_windows",
        ),
        (
            written_windows(instance) is not None
            and any(start == -math.inf for of_depot in shifts.values() for start, _ in of_depot),
            "time windows and a depot that is open at all times",
            "time_windows",
        ),
    ):
        if uses:
            raise Unsupported(
                f"{named(instance.name)} has {what}, which VRPLIB cannot hold",
                field=field,
                remedy="write .json",
            )


def written_windows(instance: Instance) -> list[tuple[float, float]] | None:
    """Return a window with finite ends per node, those of depots cut to the shifts; None if none.

    A stop that is always open has a window that no feasible route can leave.
    """
    depots = {
        instance.depot_node(vehicle.depot): shift_of(instance, vehicle)
        for vehicle in instance.vehicle_types
    }
    if instance.time_windows is None and all(
        shift == (-math.inf, math.inf) for shift in depots.values()
    ):
        return None
    own = [
        depots.get(node, (-math.inf, math.inf))
        if instance.is_depot(node)
        else (windows[0] if windows else (-math.inf, math.inf))
        for node, windows in enumerate(instance.time_windows or [()] * instance.num_nodes)
    ]
    finite = [time for window in own for time in window if math.isfinite(time)]
    start = math.floor(min([0.0, *finite]))
    end = math.ceil(max([0.0, *finite]) + _longest_trip(instance))
    return [
        (opens if math.isfinite(opens) else start, closes if math.isfinite(closes) else end)
        for opens, closes in own
    ]


def _longest_trip(instance: Instance) -> float:
    """Return a time, and a distance, that no route exceeds unless it waits."""
    services = 0.0 if instance.service_times is None else math.fsum(instance.service_times)
    return services + 2.0 * instance.num_nodes * float(instance.distance_matrix().max())


def _longest_day(instance: Instance) -> float:
    """Return a duration that no route exceeds, waiting included."""
    return 2.0 * instance.horizon + _longest_trip(instance)


def _allowed_lines(instance: Instance, vehicles: list[int]) -> list[str]:
    first = instance.num_depots + 1
    lists = [
        "\t".join(
            str(first + customer)
            for customer in range(instance.num_customers)
            if instance.may_serve(k, customer + 1)
        )
        for k in range(instance.num_types)
    ]
    return [
        "VEHICLES_ALLOWED_CLIENTS_SECTION",
        *(f"{number}\t{lists[k]}" for number, k in enumerate(vehicles, start=1)),
    ]


def vehicle_order(instance: Instance) -> list[int]:
    """Return the type of each vehicle as the dialect lists them: type by type.

    An unlimited type has as many vehicles as there are customers.

    Raises
    ------
    Unsupported
        When there are too many to be listed.
    """
    counts = [
        instance.num_customers if vehicle.available is None else vehicle.available
        for vehicle in instance.vehicle_types
    ]
    if sum(counts) > MAX_VEHICLE_ROWS:
        raise Unsupported(
            f"{named(instance.name)} has {{value}} vehicles, which VRPLIB lists one by one",
            field="available",
            value=sum(counts),
            remedy=f"at most {MAX_VEHICLE_ROWS} are possible, so lower 'available' or write .json",
        )
    return [index for index, count in enumerate(counts) for _ in range(count)]


def _metric(file: VrplibFile) -> Metric:
    weight_type = file.specifications.get("EDGE_WEIGHT_TYPE")
    if weight_type == "EXPLICIT":
        return "matrix"
    if weight_type != "EUC_2D":
        raise InvalidFile(
            field="EDGE_WEIGHT_TYPE", value=weight_type, remedy="use EUC_2D or EXPLICIT"
        )
    if file.has("EDGE_WEIGHT"):
        raise InvalidFile(
            "EDGE_WEIGHT_TYPE is EUC_2D, but an EDGE_WEIGHT_SECTION is given",
            field="EDGE_WEIGHT_TYPE",
            value=weight_type,
            remedy="write EXPLICIT or remove the section",
        )
    return "euclidean"


def _matrix(file: VrplibFile, num_stops: int) -> FloatArray:
    """Return the distance matrix; its numbers may be split over lines at any place."""
    values = np.frombuffer(file.sections["EDGE_WEIGHT_SECTION"], dtype=np.float64)
    form = file.specifications.get("EDGE_WEIGHT_FORMAT")
    expected = {
        "FULL_MATRIX": num_stops * num_stops,
        "LOWER_ROW": num_stops * (num_stops - 1) // 2,
    }
    if form not in expected:
        raise InvalidFile(
            field="EDGE_WEIGHT_FORMAT", value=form, remedy="use FULL_MATRIX or LOWER_ROW"
        )
    if len(values) != expected[form]:
        raise InvalidFile(
            f"EDGE_WEIGHT_SECTION has {{value}} numbers, but {num_stops} stops need "
            f"{expected[form]} as {form}",
            field="EDGE_WEIGHT_SECTION",
            value=len(values),
            remedy="give a number for each pair (is the file complete?)",
        )
    if form == "FULL_MATRIX":
        return values.reshape(num_stops, num_stops)
    matrix = np.zeros((num_stops, num_stops))
    matrix[np.tril_indices(num_stops, k=-1)] = values
    return matrix + matrix.T


def _numbered(section: str, rows: Iterable[list[float]]) -> list[str]:
    return [
        section,
        *("\t".join([str(number), *map(_plain, row)]) for number, row in enumerate(rows, start=1)),
    ]


def _plain(value: float) -> str:
    """Write 5.0 as 5: readers that require integers can then read the file."""
    return str(int(value)) if math.floor(value) == value else repr(value)
