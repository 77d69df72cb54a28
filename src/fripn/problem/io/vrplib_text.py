"""VRPLIB in PyVRP's dialect, and CVRPLIB solutions; see ``docs/data-format.md``.

The dialect lists vehicles, not types: equal rows make one type. A type of which there are as many
vehicles as customers counts as unlimited. Distances are not rounded.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fripn.errors import InvalidFile, InvalidSolution, Unsupported
from fripn.messages import nearest, shown
from fripn.problem.instance import Instance, VehicleType, type_name
from fripn.problem.io.text import finite, located, read_text
from fripn.problem.solution import Solution

#: More vehicle rows than this would only be a way to say "unlimited".
MAX_VEHICLE_ROWS = 2_000_000

_KEYS = (
    "name",
    "comment",
    "type",
    "dimension",
    "vehicles",
    "capacity",
    "edge_weight_type",
    "edge_weight_format",
    "node_coord_type",
    "display_data_type",
    "node_coord",
    "demand",
    "depot",
    "edge_weight",
    "vehicles_fixed_cost",
    "vehicles_unit_distance_cost",
)

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBERS = re.compile(rf"{_NUMBER}(?:\s+{_NUMBER})*", re.ASCII)

#: How the rows of a section look: number of entries, and their meaning.
_ROWS = {
    "NODE_COORD_SECTION": (3, "node x y"),
    "DEMAND_SECTION": (2, "node demand"),
    "DEPOT_SECTION": (1, "a node"),
    "CAPACITY_SECTION": (2, "vehicle capacity"),
    "VEHICLES_FIXED_COST_SECTION": (2, "vehicle cost"),
    "VEHICLES_UNIT_DISTANCE_COST_SECTION": (2, "vehicle cost"),
}

_ROUTE = re.compile(r"Route\s*#?\s*\d+\s*:(.*)", re.ASCII | re.IGNORECASE)


def read_vrplib(path: Path) -> Instance:
    """Read an instance from a VRPLIB file.

    Raises
    ------
    InvalidFile, InvalidInstance
        With the line or section that is wrong.
    """
    text = read_text(path)
    with located(path):
        _check_lines(text)
        data = _parse(text)
        for key in data:
            if key not in _KEYS:
                raise InvalidFile(
                    f"{key.upper()} is not part of this problem; {nearest(key, _KEYS)}"
                )
        demands = _column(data, "demand")
        dimension = data.get("dimension", len(demands))
        if dimension != len(demands):
            raise InvalidFile(
                f"DIMENSION is {shown(dimension)}, but DEMAND_SECTION has {len(demands)} rows; "
                "make them agree (is the file complete?)"
            )
        depot = np.asarray(data.get("depot", [0])).tolist()
        if depot != [0]:
            raise InvalidFile(
                f"DEPOT_SECTION names {[entry + 1 for entry in depot]}; "
                "exactly one depot is possible, and it must be node 1"
            )
        found = re.search(r"^[ \t]*NAME[ \t]*:[ \t]*(\S.*?)[ \t\r]*$", text, re.MULTILINE)
        return Instance(
            name=found.group(1) if found else path.stem,
            coordinates=_coordinates(data),  # type: ignore[arg-type]
            demands=demands,  # type: ignore[arg-type]
            vehicle_types=_vehicle_types(data, len(demands) - 1),
            metric=_metric(data),
            matrix=data.get("edge_weight"),
        )


def vrplib_text(instance: Instance) -> str:
    """Give the instance as a VRPLIB file that PyVRP reads too.

    Names of stops and types are lost: the format has no place for them.

    Raises
    ------
    Unsupported
        When the stops are given by latitude and longitude, which the format cannot hold.
    """
    import vrplib

    if instance.metric == "great_circle":
        raise Unsupported(
            f"{instance.name} has latitudes and longitudes, which VRPLIB cannot hold; "
            "write .json or .csv"
        )
    vehicles = vehicle_order(instance)
    types = [instance.vehicle_types[index] for index in vehicles]
    data: dict[str, Any] = {
        "NAME": re.sub(r"[^!-~]+|EOF|_SECTION", "-", instance.name),
        "TYPE": "HFVRP",
        "DIMENSION": instance.num_customers + 1,
        "VEHICLES": len(vehicles),
        "EDGE_WEIGHT_TYPE": "EUC_2D" if instance.matrix is None else "EXPLICIT",
    }
    if instance.matrix is not None:
        data["EDGE_WEIGHT_FORMAT"] = "FULL_MATRIX"
        data["EDGE_WEIGHT_SECTION"] = [_plain(row) for row in instance.matrix.tolist()]
    if instance.coordinates is not None:
        data["NODE_COORD_SECTION"] = [_plain(row) for row in instance.coordinates.tolist()]
    data |= {
        "DEMAND_SECTION": _plain(instance.demands.tolist()),
        "DEPOT_SECTION": [1, -1],
        "CAPACITY_SECTION": _plain([vehicle.capacity for vehicle in types]),
        "VEHICLES_FIXED_COST_SECTION": _plain([vehicle.fixed_cost for vehicle in types]),
        "VEHICLES_UNIT_DISTANCE_COST_SECTION": _plain([vehicle.unit_cost for vehicle in types]),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "instance.vrp")
        vrplib.write_instance(path, data)
        return path.read_text()


def vehicle_order(instance: Instance) -> list[int]:
    """Give the type of each vehicle as the dialect lists them: type by type.

    An unlimited type has as many vehicles as there are customers.
    """
    counts = [
        instance.num_customers if vehicle.available is None else vehicle.available
        for vehicle in instance.vehicle_types
    ]
    if sum(counts) > MAX_VEHICLE_ROWS:
        raise Unsupported(
            f"{instance.name} has {sum(counts)} vehicles, which VRPLIB lists one by one; "
            f"at most {MAX_VEHICLE_ROWS} are possible, so lower 'available' or write .json"
        )
    return [index for index, count in enumerate(counts) for _ in range(count)]


def read_sol(path: Path, instance: Instance) -> Solution:
    """Read a CVRPLIB solution: the k-th route is driven by the k-th vehicle of `vehicle_order`.

    Raises
    ------
    InvalidFile, InvalidSolution
        With the line that is wrong.
    """
    from vrplib.parse import parse_solution

    text = read_text(path)
    with located(path):
        for number, line in _lines(text):
            found = _ROUTE.fullmatch(line)
            if found is None:
                if "route" in line.lower():
                    raise InvalidFile(f"line {number} is {shown(line)}; write 'Route #1: 4 7 2'")
                continue
            for token in found.group(1).split():
                if not re.fullmatch(r"\d{1,18}", token, re.ASCII):
                    raise InvalidFile(
                        f"line {number}: {shown(token)} is no customer number; "
                        "write 'Route #1: 4 7 2'"
                    )
        # the parser splits routes at single blanks and knows the word in one spelling only
        tidy = "\n".join(
            " ".join(["Route", "#0:", *found.group(1).split()])
            for _, line in _lines(text)
            if (found := _ROUTE.fullmatch(line))
        )
        routes = parse_solution(tidy)["routes"]
        if not any(routes):
            raise InvalidFile("the file has no line 'Route #1: …'; is it a CVRPLIB solution?")
        vehicles = vehicle_order(instance)
        if len(routes) > len(vehicles):
            raise InvalidSolution(
                f"the file has {len(routes)} routes, but {instance.name} has {len(vehicles)} "
                "vehicles; the k-th route belongs to the k-th vehicle"
            )
        return Solution.of(zip(vehicles, routes, strict=False))


def sol_text(instance: Instance, solution: Solution, cost: float) -> str:
    """Give the plan as a CVRPLIB solution; vehicles that stay at home have an empty route."""
    waiting: dict[int, list[tuple[int, ...]]] = {}
    for route in reversed(solution.routes):
        if route.customers:
            waiting.setdefault(route.vehicle_type, []).append(route.customers)
    lines: list[str] = []
    for kind in vehicle_order(instance):
        if not any(waiting.values()):
            break
        customers = waiting[kind].pop() if waiting.get(kind) else ()
        lines.append(" ".join([f"Route #{len(lines) + 1}:", *map(str, customers)]))
    lines.append(f"Cost {cost!r}")
    return "\n".join(lines) + "\n"


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with content, and their numbers; ``#`` starts a comment."""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _check_lines(text: str) -> None:
    """Find what the parser would pass over: texts among the numbers, rows out of order."""
    section, row = "", 0
    for number, line in _lines(text):
        if "EOF" in line:
            return
        if "_SECTION" in line:
            section, row = line.strip(" :"), 0
            continue
        if not section:
            continue
        row += 1
        tokens = line.split()
        if not _NUMBERS.fullmatch(line):
            wrong = next(token for token in tokens if not _NUMBERS.fullmatch(token))
            raise InvalidFile(f"line {number}: {section} has {shown(wrong)}; give numbers")
        width, form = _ROWS.get(section, (len(tokens), ""))
        if len(tokens) != width:
            raise InvalidFile(
                f"line {number}: {section} has {shown(line)}; write {form} in each row"
            )
        if section in ("NODE_COORD_SECTION", "DEMAND_SECTION") and tokens[0] != str(row):
            raise InvalidFile(
                f"line {number}: {section} has node {tokens[0]} where node {row} belongs; "
                "number the nodes 1, 2, 3, … in this order"
            )


def _parse(text: str) -> dict[str, Any]:
    from vrplib.parse import parse_vrplib

    try:
        data: dict[str, Any] = parse_vrplib(text, compute_edge_weights=False)
    except (ValueError, RuntimeError, LookupError, TypeError, OverflowError) as error:
        raise InvalidFile(f"not a VRPLIB file ({shown(str(error))}); check its sections") from None
    return data


def _metric(data: dict[str, Any]) -> Any:
    kind = data.get("edge_weight_type")
    if kind == "EUC_2D":
        if "edge_weight" in data:
            raise InvalidFile(
                "EDGE_WEIGHT_TYPE is EUC_2D, but an EDGE_WEIGHT_SECTION is given; "
                "write EXPLICIT or remove the section"
            )
        return "euclidean"
    if kind == "EXPLICIT":
        return "matrix"
    raise InvalidFile(f"EDGE_WEIGHT_TYPE is {shown(kind)}; use EUC_2D or EXPLICIT")


def _coordinates(data: dict[str, Any]) -> list[list[float]] | None:
    if "node_coord" not in data:
        return None
    if not isinstance(data["node_coord"], np.ndarray):
        raise InvalidFile(f"NODE_COORD is {shown(data['node_coord'])}; give a NODE_COORD_SECTION")
    rows = data["node_coord"]
    values = _finite_values(rows.ravel(), "NODE_COORD_SECTION", per_row=2)
    return [values[place : place + 2] for place in range(0, len(values), 2)]


def _column(data: dict[str, Any], key: str) -> list[float]:
    """Give a section that has one number per row."""
    name = f"{key.upper()}_SECTION"
    if key not in data:
        raise InvalidFile(f"{name} is missing; add it")
    rows = data[key]
    if not isinstance(rows, np.ndarray):
        raise InvalidFile(f"{key.upper()} is {shown(rows)}; give a {name}")
    return _finite_values(rows, name)


def _finite_values(values: np.ndarray[Any, Any], section: str, per_row: int = 1) -> list[float]:
    """Turn parsed entries into floats; integers beyond 64 bits come as Python objects."""
    if values.dtype != object and np.isfinite(values).all():
        numbers: list[float] = values.astype(np.float64).tolist()
        return numbers
    return [
        _number(value, f"{section} row {place // per_row + 1}")
        for place, value in enumerate(values)
    ]


def _number(value: Any, where: str) -> float:
    return finite(value.item() if isinstance(value, np.generic) else value, where)


def _vehicle_types(data: dict[str, Any], num_customers: int) -> tuple[VehicleType, ...]:
    if "capacity" not in data:
        raise InvalidFile("neither CAPACITY nor CAPACITY_SECTION is given; add one")
    capacities = _per_vehicle(data, "capacity", 0.0)
    fixed_costs = _per_vehicle(data, "vehicles_fixed_cost", 0.0)
    unit_costs = _per_vehicle(data, "vehicles_unit_distance_cost", 1.0)
    keys = ("capacity", "vehicles_fixed_cost", "vehicles_unit_distance_cost")
    lengths = {len(data[key]) for key in keys if isinstance(data.get(key), np.ndarray)}
    stated = data.get("vehicles", min(lengths, default=num_customers))
    if isinstance(stated, bool) or not isinstance(stated, int) or stated < 1:
        raise InvalidFile(f"VEHICLES is {shown(stated)}; give a whole number, 1 or more")
    if lengths - {stated}:
        raise InvalidFile(
            f"a section of the vehicles has {(lengths - {stated}).pop()} rows, but there are "
            f"{stated} vehicles; give one row for each"
        )
    counts: Counter[tuple[float, float, float]] = Counter()
    if lengths:
        full = (
            column if len(column) == stated else column * stated
            for column in (capacities, fixed_costs, unit_costs)
        )
        counts.update(zip(*full, strict=True))
    else:
        counts[capacities[0], fixed_costs[0], unit_costs[0]] = stated
    return tuple(
        VehicleType(type_name(index), *row, None if count == num_customers else count)
        for index, (row, count) in enumerate(counts.items())
    )


def _per_vehicle(data: dict[str, Any], key: str, default: float) -> list[float]:
    """Give a section's values, or the one value that holds for all vehicles."""
    value = data.get(key, default)
    if isinstance(value, np.ndarray):
        return _column(data, key)
    return [_number(value, key.upper())]


def _plain(values: list[float]) -> list[float | int]:
    """Write 5.0 as 5: a reader that wants integers gets them where the data are."""
    return [int(value) if value.is_integer() else value for value in values]
