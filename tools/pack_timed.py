"""Pack the benchmark sets with time windows, access and several depots into the package's data.

Usage: python tools/pack_timed.py FOLDER, which has ``solomon/*.txt``, ``sdvrptw/*.vrp`` and
``*.sol``, ``mdvrp/*`` with ``best_known.json``, and ``vehicle_types_liu_shen_1999.csv``. Writes
``src/fripn/data/timed`` and prints the rows for ``best_known.csv``.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fripn.problem import Instance, evaluate
from fripn.problem.io import read_instance, read_solution
from fripn.problem.io.cordeau_text import instance_from_cordeau
from fripn.problem.io.solomon_text import instance_from_solomon

TARGET = Path(__file__).parent.parent / "src" / "fripn" / "data" / "timed"


def main() -> None:
    """Pack all sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    TARGET.mkdir(exist_ok=True)
    shutil.copyfile(folder / "vehicle_types_liu_shen_1999.csv", TARGET / "fsmtw-types.csv")
    pack_solomon(sorted((folder / "solomon").glob("*.txt")))
    rows = pack_depots(folder / "mdvrp")
    rows += pack_sites(sorted((folder / "sdvrptw").glob("*.vrp")))
    print("\n".join(rows))


def pack_solomon(paths: Sequence[Path]) -> None:
    """Write Solomon's instances: those of a class share everything but their windows."""
    classes: dict[str, dict[str, Any]] = {}
    for path in paths:
        instance = instance_from_solomon(path.read_text(), path.stem)
        vehicle = instance.vehicle_types[0]
        assert instance.time_windows is not None
        assert instance.coordinates is not None
        shared = {
            "x": plain(instance.coordinates[:, 0]),
            "y": plain(instance.coordinates[:, 1]),
            "demand": plain(instance.demands),
            "service": plain(instance.service_times),
            "capacity": vehicle.capacity,
            "vehicles": vehicle.available,
        }
        group = classes.setdefault(path.stem.rstrip("0123456789") + path.stem[-3], {})
        if not group:
            group |= shared
            group["windows"] = {}
        assert all(group[key] == value for key, value in shared.items()), path
        group["windows"][path.stem] = {
            "open": plain([windows[0][0] for windows in instance.time_windows]),
            "close": plain([windows[0][1] for windows in instance.time_windows]),
        }
    write("solomon.json", classes)


def pack_depots(folder: Path) -> list[str]:
    """Write Cordeau's multi-depot instances."""
    best = json.loads((folder / "best_known.json").read_text())
    packed, rows = {}, []
    for path in sorted(folder.glob("p*")):
        instance = instance_from_cordeau(path.read_text(), path.name)
        packed[path.name] = columns(instance) | {
            "depots": instance.num_depots,
            "types": [
                [one.capacity, one.available, one.max_duration] for one in instance.vehicle_types
            ],
        }
        cost = best[path.name]["best_known_cost"]
        rows.append(f"mdvrp-{path.name},MDVRP,{cost},best-known,listed value")
    write("mdvrp.json", packed)
    return rows


def pack_sites(paths: Sequence[Path]) -> list[str]:
    """Write the site-dependent instances with their published routes."""
    packed, rows = {}, []
    for path in paths:
        instance = read_instance(path)
        solution = read_solution(path.with_suffix(".sol"), instance)
        evaluation = evaluate(instance, solution)
        assert evaluation.is_feasible, path
        assert instance.time_windows is not None
        assert instance.allowed_types is not None
        packed[path.stem] = columns(instance) | {
            "open": plain([windows[0][0] for windows in instance.time_windows]),
            "close": plain([windows[0][1] for windows in instance.time_windows]),
            # one bit per vehicle type
            "access": [
                sum(1 << k for k in range(instance.num_types) if instance.may_serve(k, stop))
                for stop in range(1, instance.num_customers + 1)
            ],
            "types": [
                [one.capacity, one.available, one.max_duration] for one in instance.vehicle_types
            ],
            "routes": [[route.vehicle_type, *route.customers] for route in solution.routes],
        }
        rows.append(
            f"sdvrptw-{path.stem},SDVRPTW,{evaluation.cost:.4f},best-known,"
            "recomputed from published routes"
        )
    write("sdvrptw.json", packed)
    return rows


def columns(instance: Instance) -> dict[str, Any]:
    """Return what every stop has, column by column."""
    assert instance.coordinates is not None
    return {
        "x": plain(instance.coordinates[:, 0]),
        "y": plain(instance.coordinates[:, 1]),
        "demand": plain(instance.demands),
        "service": plain(
            np.zeros(instance.num_nodes)
            if instance.service_times is None
            else instance.service_times
        ),
    }


def plain(values: Any) -> list[float]:
    """Return numbers as a list, integers without a decimal point."""
    numbers = [float(value) for value in values]
    return [int(number) if number == int(number) else number for number in numbers]


def write(name: str, value: dict[str, Any]) -> None:
    """Write compact JSON, one entry per line."""
    entries = (
        f"{json.dumps(key)}:{json.dumps(value[key], separators=(',', ':'))}" for key in value
    )
    (TARGET / name).write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
