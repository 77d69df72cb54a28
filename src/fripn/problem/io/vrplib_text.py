"""VRPLIB in PyVRP's dialect; see ``docs/data-format.md``.

The dialect lists vehicles, not types: equal rows make one type. A type of which there are as many
vehicles as customers counts as unlimited. Distances are not rounded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np

from fripn.errors import InvalidFile, Unsupported
from fripn.messages import named, shown
from fripn.problem.instance import FloatArray, Instance, Metric, VehicleType, type_name
from fripn.problem.io.vrplib_sections import VrplibFile, parse_sections

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
    demands = file.column("DEMAND")
    dimension = file.integer("DIMENSION", len(demands))
    if dimension != len(demands):
        raise InvalidFile(
            f"DIMENSION is {{value}}, but DEMAND_SECTION has {len(demands)} rows",
            field="DIMENSION",
            value=dimension,
            remedy="make them agree (is the file complete?)",
        )
    depots = [node for node in file.sections.get("DEPOT_SECTION", [1.0]) if node != -1]
    if depots != [1]:
        raise InvalidFile(
            f"DEPOT_SECTION names {shown([shown(node) for node in depots])}",
            field="DEPOT_SECTION",
            value=depots,
            remedy="exactly one depot is possible, and it must be node 1",
        )
    return Instance(
        name=file.specifications.get("NAME") or default_name,
        coordinates=file.rows("NODE_COORD") if file.has("NODE_COORD") else None,
        demands=demands,
        vehicle_types=_vehicle_types(file, len(demands) - 1),
        metric=_metric(file),
        matrix=_matrix(file, len(demands)) if file.has("EDGE_WEIGHT") else None,
    )


def vrplib_text(instance: Instance) -> str:
    """Return the instance as a VRPLIB file that PyVRP reads too.

    Names of stops and types are lost: the format has no place for them.

    Raises
    ------
    Unsupported
        When the stops are given by latitude and longitude, which the format cannot hold.
    """
    if instance.metric == "great_circle":
        raise Unsupported(
            f"{named(instance.name)} has latitudes and longitudes, which VRPLIB cannot hold",
            field="metric",
            value=instance.metric,
            remedy="write .json or .csv",
        )
    types = [instance.vehicle_types[index] for index in vehicle_order(instance)]
    lines = [
        f"NAME: {re.sub(r'[^!-~]+|EOF|_SECTION', '-', instance.name)}",
        "TYPE: HFVRP",
        f"DIMENSION: {instance.num_customers + 1}",
        f"VEHICLES: {len(types)}",
        f"EDGE_WEIGHT_TYPE: {'EUC_2D' if instance.matrix is None else 'EXPLICIT'}",
    ]
    if instance.matrix is not None:
        lines += ["EDGE_WEIGHT_FORMAT: FULL_MATRIX", "EDGE_WEIGHT_SECTION"]
        lines += ["\t".join(map(_plain, row)) for row in instance.matrix.tolist()]
    if instance.coordinates is not None:
        lines += _numbered("NODE_COORD_SECTION", instance.coordinates.tolist())
    lines += _numbered("DEMAND_SECTION", ([demand] for demand in instance.demands.tolist()))
    lines += ["DEPOT_SECTION", "1", "-1"]
    lines += _numbered("CAPACITY_SECTION", ([vehicle.main_capacity] for vehicle in types))
    lines += _numbered("VEHICLES_FIXED_COST_SECTION", ([vehicle.fixed_cost] for vehicle in types))
    lines += _numbered(
        "VEHICLES_UNIT_DISTANCE_COST_SECTION", ([vehicle.unit_cost] for vehicle in types)
    )
    return "\n".join([*lines, "EOF", ""])


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


def _vehicle_types(file: VrplibFile, num_customers: int) -> tuple[VehicleType, ...]:
    if not file.has("CAPACITY") and "CAPACITY" not in file.specifications:
        raise InvalidFile(
            "neither CAPACITY nor CAPACITY_SECTION is given", field="CAPACITY", remedy="add one"
        )
    names = ("CAPACITY", "VEHICLES_FIXED_COST", "VEHICLES_UNIT_DISTANCE_COST")
    listed = {name: file.column(name) for name in names if file.has(name)}
    common = {
        name: file.number(name, default)
        for name, default in zip(names, (None, 0.0, 1.0), strict=True)
        if name not in listed
    }
    lengths = {len(column) for column in listed.values()}
    stated = file.integer("VEHICLES", min(lengths, default=num_customers))
    if lengths - {stated}:
        raise InvalidFile(
            f"a section of the vehicles has {(lengths - {stated}).pop()} rows, but there are "
            "{value} vehicles",
            field="VEHICLES",
            value=stated,
            remedy="give one row for each",
        )
    if listed:
        columns = [
            listed[name].tolist() if name in listed else [common[name]] * stated for name in names
        ]
        counts = Counter(zip(*columns, strict=True))
    else:
        counts = Counter({tuple(common[name] for name in names): stated})
    return tuple(
        VehicleType(
            type_name(index),
            capacity,
            fixed_cost,
            unit_cost,
            None if count == num_customers else count,
        )
        for index, ((capacity, fixed_cost, unit_cost), count) in enumerate(counts.items())
    )


def _numbered(section: str, rows: Iterable[list[float]]) -> list[str]:
    return [
        section,
        *("\t".join([str(number), *map(_plain, row)]) for number, row in enumerate(rows, start=1)),
    ]


def _plain(value: float) -> str:
    """Write 5.0 as 5: readers that require integers can then read the file."""
    return str(int(value)) if math.floor(value) == value else repr(value)
