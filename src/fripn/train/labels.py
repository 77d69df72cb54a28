"""Labelled instances: near-optimal plans of the engine, compact in memory and on disk.

`label` makes them from instances and plans of any origin, `save_shard` writes them, and
`load_labels` reads a folder.

Instances are stored in scaled form (see `policy.scale`), grouped by numbers of customers
and of types. A plan is stored as its customers in the order of its routes, with the vehicle
type where a route begins and −1 elsewhere.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from fripn.errors import InvalidFile, InvalidSolution, Unsupported
from fripn.policy.scale import scale
from fripn.problem import Instance, Solution, evaluate
from fripn.problem.io.atomic import write_atomically
from fripn.train.label_faults import MAX_CUSTOMERS, MAX_TYPES, fault_of

#: Bytes of the arrays of one file, unpacked, at most.
MAX_UNPACKED = 4 * 2**30

Size = tuple[int, int]

#: How the arrays of a size are named.
_NAME = re.compile(r"([1-9][0-9]{0,5}x[1-9][0-9]{0,5})/")

_REMEDY = "remove it and run `fripn train label` again"

#: What reading a damaged archive of arrays ends in.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    RuntimeError,  # encrypted members, and methods of compression that are not implemented
    MemoryError,
    struct.error,
    tokenize.TokenError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
)


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
        (L,) int16: this many leading customers belong to routes that are taken as given (they were
        made by a policy); only the rest comes from the engine and is imitated.
    costs
        (L,) float64 cost of the plan, in the scaled instance's units.
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

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def plan(self, index: int) -> Solution:
        """Unpack one plan."""
        begins = np.flatnonzero(self.starts[index] >= 0)
        parts = np.split(self.customers[index], begins[1:])
        return Solution.of(
            (int(self.starts[index, begin]), part.tolist())
            for begin, part in zip(begins, parts, strict=True)
        )


def label(
    instances: Sequence[Instance],
    plans: Sequence[Solution | None],
    given: Sequence[int] | None = None,
) -> list[Labels]:
    """Pack plans with their instances, for `save_shard`.

    Parameters
    ----------
    instances
        In their own units and of any sizes; the distances are straight lines and there are as many
        vehicles of each type as needed.
    plans
        One valid plan per instance, as good as possible.
    given
        This many leading routes of each plan are taken as given and not imitated; None for none.

    Returns
    -------
    list of Labels
        One per size.

    Raises
    ------
    InvalidSolution
        When a plan is missing or breaks a rule.
    Unsupported
        When an instance has another metric or a limited fleet, or is too large.
    """
    if not instances or len(instances) != len(plans):
        raise InvalidSolution(
            f"there are {len(instances)} instances and {len(plans)} plans",
            field="plans",
            value=len(plans),
            remedy="give one plan for each instance, and at least one instance",
        )
    leads = given or [0] * len(instances)
    packed = []
    for number, (instance, plan, lead) in enumerate(zip(instances, plans, leads, strict=True)):
        name = f"instance {number} ({instance.name})"
        check_learnable(instance, name)
        if plan is None:
            raise InvalidSolution(f"{name} has no plan", field="plan", remedy="leave it out")
        verdict = evaluate(instance, plan)
        if verdict.violations:
            raise InvalidSolution(
                f"the plan of {name} breaks a rule: {verdict.violations[0].message}",
                field="plan",
                value=verdict.violations[0].code,
                remedy="repair the plan or leave the instance out",
            )
        part = _pack(instance, plan, verdict.cost, lead)
        if fault := fault_of(part.arrays(), *part.size):
            raise Unsupported(
                f"{name} cannot be learned from once it is scaled: {fault}",
                field="instance",
                value=name,
                remedy="leave the instance out",
            )
        packed.append(part)
    return list(merge(packed).values())


def check_learnable(instance: Instance, name: str) -> None:
    """Refuse instances that training does not support."""
    if instance.metric != "euclidean":
        raise Unsupported(
            f"{name} has the metric {instance.metric}, but training uses straight lines between "
            "coordinates",
            field="metric",
            value=instance.metric,
            remedy="give instances with the metric euclidean",
        )
    for vehicle_type in instance.vehicle_types:
        if vehicle_type.available is not None:
            raise Unsupported(
                f"{name} has at most {vehicle_type.available} vehicles of type "
                f"{vehicle_type.name}, but training needs unlimited fleets",
                field="available",
                value=vehicle_type.available,
                remedy="give instances without such limits",
            )
    if instance.num_customers > MAX_CUSTOMERS or instance.num_types > MAX_TYPES:
        raise Unsupported(
            f"{name} has {instance.num_customers} customers and {instance.num_types} types",
            field="customers",
            value=instance.num_customers,
            remedy=f"training takes up to {MAX_CUSTOMERS} and {MAX_TYPES}",
        )


def _pack(instance: Instance, plan: Solution, cost: float, given: int) -> Labels:
    """Pack one valid plan, whose first `given` routes are given."""
    scaled = scale(instance)
    starts: list[int] = []
    for route in plan.routes:
        starts += [route.vehicle_type, *[-1] * len(route.customers)][: len(route.customers)]
    lead = sum(len(route.customers) for route in plan.routes[:given])
    customers = [customer for route in plan.routes for customer in route.customers]
    return Labels(
        coordinates=scaled.coordinates.astype(np.float32)[None],
        demands=scaled.demands[None],
        capacities=scaled.capacities[None],
        fixed_costs=scaled.fixed_costs[None],
        unit_costs=scaled.unit_costs[None],
        customers=np.array([customers], dtype=np.int16),
        starts=np.array([starts], dtype=np.int8),
        given=np.array([lead], dtype=np.int16),
        costs=np.array([cost / scaled.cost_scale]),
        load_units=np.array([scaled.load_unit]),
        load_cells=scaled.load_cells.astype(np.int16)[None],
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


def save_shard(
    path: Path, labels: Iterable[Labels], settings: Mapping[str, Any] | None = None
) -> None:
    """Write labels of any sizes into one file, atomically, with the settings they were made with.

    The file's name must end in ``.npz`` for `load_labels` to find it.
    """
    arrays: dict[str, npt.NDArray[Any]] = {}
    for (n, K), part in merge(labels).items():
        arrays.update({f"{n}x{K}/{name}": array for name, array in part.arrays().items()})
    text = json.dumps(dict(settings or {}))
    arrays["settings"] = np.frombuffer(text.encode(), dtype=np.uint8)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]
    try:
        write_atomically(path, packed.getvalue())
    except InvalidFile as error:
        raise InvalidFile(
            f"the shard {error}",
            field="shard",
            remedy="free some space and run the same command again, finished shards are kept",
        ) from None


def load_shard(path: Path) -> list[Labels]:
    """Read the labels of one file.

    Raises
    ------
    InvalidFile
        When it is not a file of labels, or a plan has customers or types that its instance lacks.
    """
    arrays = _read_shard(path)
    found = []
    for size in _sizes(arrays):
        part = {field.name: arrays[f"{size}/{field.name}"] for field in fields(Labels)}
        num_customers, num_types = map(int, size.split("x"))
        fault = fault_of(part, num_customers, num_types)
        if fault:
            raise InvalidFile(
                f"the labels {size} are damaged: {fault}", remedy=_REMEDY, place=str(path)
            )
        found.append(Labels(**part))
    return found


def _sizes(names: Iterable[str]) -> list[str]:
    """Return the sizes that arrays of these names are for."""
    return sorted({found[1] for name in names if (found := _NAME.match(name))})


def load_settings(path: Path) -> dict[str, Any]:
    """Read the settings that one file was made with.

    Raises
    ------
    InvalidFile
        When it is not a file of labels, or has no settings that can be read.
    """
    packed = _read_shard(path, "settings")["settings"]
    try:
        settings = json.loads(packed.tobytes())
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        raise InvalidFile("the settings are damaged", remedy=_REMEDY, place=str(path))
    return settings


def _read_shard(path: Path, only: str = "") -> dict[str, npt.NDArray[Any]]:
    """Read the arrays whose names begin with `only`, of a file that has all of a shard's."""
    try:
        # Opened here, because numpy does not close a damaged file.
        with path.open("rb") as raw:
            _check_unpacked(raw)
            # Objects would be pickles, which can run code: they are refused.
            with np.load(raw, allow_pickle=False) as file:
                names = set(file.files)
                arrays = {name: file[name] for name in names if name.startswith(only)}
    except _UNREADABLE as error:
        raise InvalidFile(
            f"this is not a file of labels, or a damaged one ({error})",
            remedy=_REMEDY,
            place=str(path),
        ) from None
    sizes = _sizes(names)
    if not sizes or "settings" not in names:
        raise InvalidFile(
            "this is not a file of labels", remedy="move it out of the folder", place=str(path)
        )
    for size in sizes:
        for field in fields(Labels):
            if f"{size}/{field.name}" not in names:
                raise InvalidFile(
                    f"it was made by an older version of fripn and lacks {field.name}",
                    remedy="run `fripn train label` again, in a new folder",
                    place=str(path),
                )
    return arrays


def _check_unpacked(raw: BinaryIO) -> None:
    """Refuse an archive whose arrays claim more memory than they have bytes."""
    with zipfile.ZipFile(raw) as archive:
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        if unpacked > MAX_UNPACKED:
            raise ValueError(f"{unpacked} bytes of arrays, more than {MAX_UNPACKED}")
        for member in members:
            with archive.open(member) as array:
                _check_header(member.filename, array, member.file_size)
    raw.seek(0)


def _check_header(name: str, array: IO[bytes], size: int) -> None:
    """Refuse an array whose shape needs more bytes than there are: numpy allocates them first."""
    version = np.lib.format.read_magic(array)
    if version != (1, 0):  # what `save_shard` writes; longer headers have no use here
        raise ValueError(f"{name} has the version {version} of the format of arrays")
    shape, _, dtype = np.lib.format.read_array_header_1_0(array)
    if dtype.hasobject:
        raise ValueError(f"{name} holds objects")
    if array.tell() + math.prod(shape) * dtype.itemsize != size:
        raise ValueError(f"{name} has the shape {shape}, but {size} bytes")


def load_labels(folder: Path) -> dict[Size, Labels]:
    """Read all shards of a folder, by size."""
    shards = sorted(folder.glob("*.npz"))
    if not shards:
        raise InvalidFile(
            f"there are no labels in {folder}",
            field="labels",
            value=folder,
            remedy=f"make some with `fripn train label --out {folder}`",
        )
    return merge(part for shard in shards for part in load_shard(shard))
