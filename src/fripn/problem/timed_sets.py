"""The benchmark sets of a working day that ship with the package, built when they are loaded.

``solomon-R101`` …: time windows, one vehicle type. ``fsmtw-R101a`` …: the same stops with the mixed
fleets of Liu and Shen (1999); the letters a, b and c have ever cheaper vehicles. Their objective is
fixed cost plus distance; with ``-T`` it is fixed cost plus duration, from which the literature
subtracts the sum of the service times. ``sdvrptw-PR01`` …: access, windows and durations.
``mdvrp-p01`` …: several depots.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fripn.problem.instance import Instance, VehicleType, type_name
from fripn.problem.solution import Solution

_DATA = Path(__file__).parent.parent / "data" / "timed"

#: Cost classes of the mixed fleets.
_CLASSES = ("a", "b", "c")


@cache
def suites() -> dict[str, list[str]]:
    """Return the names of the instances by suite."""
    solomon = sorted(name for group in _read("solomon").values() for name in group["windows"])
    mixed = [f"fsmtw-{name}{letter}" for letter in _CLASSES for name in solomon]
    return {
        "solomon": [f"solomon-{name}" for name in solomon],
        "fsmtw": mixed,
        "fsmtw-T": [f"{name}-T" for name in mixed],
        "sdvrptw": [f"sdvrptw-{name}" for name in _read("sdvrptw")],
        "mdvrp": [f"mdvrp-{name}" for name in _read("mdvrp")],
    }


def load(name: str) -> Instance:
    """Return an instance by a name of `suites`."""
    suite, _, rest = name.partition("-")
    if suite == "sdvrptw":
        return _site_dependent(name, _read("sdvrptw")[rest])
    if suite == "mdvrp":
        return _multi_depot(name, _read("mdvrp")[rest])
    if suite == "solomon":
        return _solomon(name, rest)
    base, _, objective = rest.partition("-")
    return _mixed_fleet(name, base[:-1], base[-1], objective == "T")


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """The best plan that runs of this package's benchmarks found for an instance.

    Parameters
    ----------
    cost
        As `evaluate` computes it.
    source
        The method, the time limit and the commit of the run.
    solution
        The plan.
    """

    cost: float
    source: str
    solution: Solution


def found_plan(name: str) -> FoundPlan | None:
    """Return the best plan found here; None where no run was as good as the published value.

    ``tools/best_plans.py`` takes these plans from the lines of ``runs/day_table.py``.
    """
    record = _read("best_plans").get(name)
    if record is None:
        return None
    plan = Solution.of((route[0], route[1:]) for route in record["routes"])
    return FoundPlan(record["cost"], record["source"], plan)


def published_solution(name: str) -> Solution | None:
    """Return the published plan of an instance, where it is known."""
    suite, _, rest = name.partition("-")
    if suite != "sdvrptw":
        return None
    return Solution.of((route[0], route[1:]) for route in _read("sdvrptw")[rest]["routes"])


def _solomon(name: str, base: str) -> Instance:
    group = _read("solomon")[_group(base)]
    vehicle = VehicleType(type_name(0), group["capacity"], available=group["vehicles"])
    return Instance(
        name=name,
        vehicle_types=(vehicle,),
        time_windows=_windows(group["windows"][base]),
        **_stops(group),
    )


def _mixed_fleet(name: str, base: str, letter: str, pays_time: bool) -> Instance:
    group = _read("solomon")[_group(base)]
    return Instance(
        name=name,
        vehicle_types=tuple(
            VehicleType(
                row["type"],
                float(row["capacity"]),
                float(row[f"fixed_cost_{letter}"]),
                unit_cost=0.0 if pays_time else 1.0,
                cost_per_hour=1.0 if pays_time else 0.0,
            )
            for row in _fleets()
            if row["class"] == _group(base)
        ),
        time_windows=_windows(group["windows"][base]),
        **_stops(group),
    )


def _site_dependent(name: str, record: dict[str, Any]) -> Instance:
    types = range(len(record["types"]))
    return Instance(
        name=name,
        vehicle_types=_limited_types(record["types"], with_depots=False),
        time_windows=_windows(record),
        allowed_types=(
            None,
            *(tuple(k for k in types if bits >> k & 1) for bits in record["access"]),
        ),
        **_stops(record),
    )


def _multi_depot(name: str, record: dict[str, Any]) -> Instance:
    return Instance(
        name=name,
        vehicle_types=_limited_types(record["types"], with_depots=True),
        num_depots=record["depots"],
        **_stops(record),
    )


def _limited_types(
    rows: list[tuple[float, int, float | None]], with_depots: bool
) -> tuple[VehicleType, ...]:
    return tuple(
        VehicleType(
            type_name(index),
            capacity,
            available=available,
            max_duration=max_duration,
            depot=index if with_depots else 0,
        )
        for index, (capacity, available, max_duration) in enumerate(rows)
    )


def _stops(record: dict[str, Any]) -> dict[str, Any]:
    return {
        "coordinates": np.column_stack([record["x"], record["y"]]),
        "demands": np.array(record["demand"]),
        "service_times": np.array(record["service"]),
    }


def _windows(record: dict[str, Any]) -> Any:
    return [[pair] for pair in zip(record["open"], record["close"], strict=True)]


def _group(base: str) -> str:
    """Return the class of an instance of Solomon's: R1 for R101."""
    return base[:-2]


@cache
def _fleets() -> tuple[dict[str, str], ...]:
    with (_DATA / "fsmtw-types.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def _read(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))
    return value
