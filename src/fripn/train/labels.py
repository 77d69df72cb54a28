"""Labelled instances: near-optimal plans of the engine, compact in memory and on disk.

Instances are stored as the network sees them (see `policy.scale`), grouped by numbers of customers
and of types. A plan is stored as its customers in the order of its routes, with the vehicle
type where a route begins and −1 elsewhere.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fripn.errors import InvalidFile
from fripn.policy.scale import ScaledInstance
from fripn.problem import Route, Solution
from fripn.problem.io.atomic import write_atomically

Size = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """L labelled instances with n customers and K types each.

    Parameters
    ----------
    coordinates
        (L, N, 2) float32.
    demands
        (L, N) float64.
    capacities, fixed_costs, unit_costs
        (L, K) float64.
    customers
        (L, n) int16, the customers route by route.
    starts
        (L, n) int8, the vehicle type where a route begins, −1 elsewhere.
    given
        (L,) int16: so many leading customers belong to routes that are taken as given (they were
        made by a policy); only the rest is the engine's answer and worth imitating.
    costs
        (L,) float64 cost of the plan.
    load_units
        (L,) float64 width of a cell of load, see `fripn.policy.cells`: counted before scaling,
        which leaves no round demands.
    load_cells
        (L, N) int16 demands in whole cells.
    """

    coordinates: npt.NDArray[np.float32]
    demands: npt.NDArray[np.float64]
    capacities: npt.NDArray[np.float64]
    fixed_costs: npt.NDArray[np.float64]
    unit_costs: npt.NDArray[np.float64]
    customers: npt.NDArray[np.int16]
    starts: npt.NDArray[np.int8]
    given: npt.NDArray[np.int16]
    costs: npt.NDArray[np.float64]
    load_units: npt.NDArray[np.float64]
    load_cells: npt.NDArray[np.int16]

    def __len__(self) -> int:
        """L."""
        return len(self.costs)

    @property
    def size(self) -> Size:
        """(n, K)."""
        return self.customers.shape[1], self.capacities.shape[1]

    def __getitem__(self, index: slice | npt.NDArray[Any]) -> Labels:
        """Select some."""
        return Labels(*(getattr(self, field.name)[index] for field in fields(self)))

    @classmethod
    def of(
        cls,
        instances: Sequence[ScaledInstance],
        plans: Sequence[Solution],
        costs: Sequence[float],
        given: Sequence[int] | None = None,
    ) -> Labels:
        """Pack plans of instances of one size; the first `given` routes of each are given."""
        customers, starts, lead = [], [], []
        for number, plan in enumerate(plans):
            customers.append([customer for route in plan.routes for customer in route.customers])
            starts.append([s for route in plan.routes for s in _starts(route)])
            taken = plan.routes[: given[number]] if given is not None else ()
            lead.append(sum(len(route.customers) for route in taken))
        return cls(
            coordinates=np.stack([one.coordinates for one in instances]).astype(np.float32),
            demands=np.stack([one.demands for one in instances]),
            capacities=np.stack([one.capacities for one in instances]),
            fixed_costs=np.stack([one.fixed_costs for one in instances]),
            unit_costs=np.stack([one.unit_costs for one in instances]),
            customers=np.array(customers, dtype=np.int16),
            starts=np.array(starts, dtype=np.int8),
            given=np.array(lead, dtype=np.int16),
            costs=np.array(costs, dtype=np.float64),
            load_units=np.array([one.load_unit for one in instances]),
            load_cells=np.stack([one.load_cells for one in instances]).astype(np.int16),
        )

    def plan(self, index: int) -> Solution:
        """Unpack one plan."""
        begins = np.flatnonzero(self.starts[index] >= 0)
        parts = np.split(self.customers[index], begins[1:])
        return Solution.of(
            (int(self.starts[index, begin]), part.tolist())
            for begin, part in zip(begins, parts, strict=True)
        )


def merge(parts: Iterable[Labels]) -> dict[Size, Labels]:
    """Join labels by size."""
    by_size: dict[Size, list[Labels]] = {}
    for part in parts:
        by_size.setdefault(part.size, []).append(part)
    return {
        size: Labels(
            *(
                np.concatenate([getattr(part, field.name) for part in group])
                for field in fields(Labels)
            )
        )
        for size, group in sorted(by_size.items())
    }


def save_shard(path: Path, labels: Iterable[Labels], settings: dict[str, Any]) -> None:
    """Write labels of any sizes into one file, atomically, with the settings that made them."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for part in labels:
        n, K = part.size
        for field in fields(Labels):
            arrays[f"{n}x{K}/{field.name}"] = getattr(part, field.name)
    arrays["settings"] = np.frombuffer(json.dumps(settings).encode(), dtype=np.uint8)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]
    try:
        write_atomically(path, packed.getvalue())
    except InvalidFile as error:
        raise InvalidFile(
            f"the shard {error}; free some space and run the same command again, finished shards "
            "are kept"
        ) from None


def load_shard(path: Path) -> list[Labels]:
    """Read the labels of one file."""
    try:
        with np.load(path) as file:
            names = [name for name in file.files if "/" in name]
            sizes = sorted({name.split("/")[0] for name in names})
            return [
                Labels(*(file[f"{size}/{field.name}"] for field in fields(Labels)))
                for size in sizes
            ]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise InvalidFile(
            f"{path} is no file of labels ({error}); delete it and run `fripn train label` again"
        ) from None


def load_labels(folder: Path) -> dict[Size, Labels]:
    """Read all shards of a folder, by size."""
    shards = sorted(folder.glob("*.npz"))
    if not shards:
        raise InvalidFile(
            f"there are no labels in {folder}; make some with `fripn train label --out {folder}`"
        )
    return merge(part for shard in shards for part in load_shard(shard))


def _starts(route: Route) -> list[int]:
    return [route.vehicle_type] + [-1] * (len(route.customers) - 1)
