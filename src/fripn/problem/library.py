"""The instances and best-known values that ship with the package.

Names: ``golden-03`` … ``golden-20`` and their variants (``golden-13-FSM-V``, ``-FSM-FV``,
``-HVRP-V``, ``-HVRP-FV``); ``X101-FSMFD`` …, also as ``xh/X101-FSMFD``; ``brandao-N1`` … and
``brandao-N1-FSM-V``; ``li-H1`` …; ``paper:20:17``, the paper's test instance 17 of size 20; and
the sets of a working day (`fripn.problem.timed_sets`): ``fsmtw-R101a`` …, ``fsmtw-R101a-T`` …,
``solomon-R101`` …, ``sdvrptw-PR01`` …, ``mdvrp-p01`` ….
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from fripn.errors import InvalidSetting
from fripn.messages import nearest
from fripn.problem import papersets, timed_sets
from fripn.problem.instance import Instance
from fripn.problem.io.instance_json import instance_from_dict
from fripn.problem.proofs import Proof, proofs
from fripn.problem.solution import Solution

_DATA = Path(__file__).parent.parent / "data"

_FOLDERS = ("golden", "xh", "brandao", "li")
_GOLDEN_VARIANTS = ("FSM-V", "FSM-FV", "HVRP-V", "HVRP-FV")
_XH_VARIANTS = {
    "FSMF": "FSM-F",
    "FSMD": "FSM-V",
    "FSMFD": "FSM-FV",
    "HD": "HVRP-V",
    "HVRP": "HVRP-FV",
}
#: The variant of which the files of a set are.
_NATIVE_VARIANTS = {
    "golden": "FSM-F",
    "brandao": "HVRP-V",
    "li": "HVRP-V",
    "sdvrptw": "SDVRPTW",
    "mdvrp": "MDVRP",
}
#: Published costs are rounded to 0.01.
_ROUNDING = 0.005

_PAPER_NAME = re.compile(r"paper:(\d{1,9}):(\d{1,9})", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BestKnown:
    """The best cost known for an instance.

    Parameters
    ----------
    cost
        Some sources round it to 0.01, so compare with that tolerance.
    status
        ``optimal`` when proven, else ``best-known``.
    source
        Where the value comes from.
    """

    cost: float
    status: Literal["optimal", "best-known"]
    source: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where an instance is stored, and its variant (None: as in the file)."""

    folder: str
    base: str
    variant: str | None


def suites() -> list[str]:
    """Return the names of all suites: sets of instances that belong in one table."""
    papers = [f"paper-{size}" for size in papersets.SIZES]
    return [*_shipped_suites(), *papers, *timed_sets.suites()]


def suite(name: str) -> list[str]:
    """Return the names of the instances of a suite, smallest first.

    Raises
    ------
    InvalidSetting
        When there is no such suite.
    """
    return _names_of(name)


def names(suite: str | None = None) -> list[str]:
    """Return the names of all instances of a suite, or of all that ship as files of their own."""
    return list(_entries()) if suite is None else _names_of(suite)


def load(name: str) -> Instance:
    """Return an instance by its name.

    Raises
    ------
    InvalidSetting
        When there is none; the message names the nearest.
    """
    name = resolve(name)
    if found := _PAPER_NAME.fullmatch(name):
        return papersets.paper_test_instance(int(found[1]), int(found[2]))
    if name in _timed_names():
        return timed_sets.load(name)
    entry = _entries()[name]
    value = _read_json(_DATA / entry.folder / f"{entry.base}.json")
    instance = instance_from_dict(value)
    if entry.variant is None:
        return instance
    return _vary(instance.replace(name=name), value["vehicle_types"], entry.variant)


def best_known(name: str) -> BestKnown | None:
    """Return the best-known cost of an instance, or None when none is on record.

    Raises
    ------
    InvalidSetting
        When there is no such instance.
    """
    value = published(name)
    found = _found_plan(name)
    if found is not None and (value is None or found.cost < value.cost - _ROUNDING):
        value = BestKnown(found.cost, "best-known", found.source)
    proven = proof(name)
    if proven is None:
        return value
    is_better = value is None or proven.cost < value.cost - _ROUNDING
    if is_better or (proven.is_optimal and value is not None and value.status != "optimal"):
        status: Literal["optimal", "best-known"] = "optimal" if proven.is_optimal else "best-known"
        return BestKnown(proven.cost, status, proven.command)
    return value


def proof(name: str) -> Proof | None:
    """Return what the exact method proved about an instance, or None when nothing is on record.

    Raises
    ------
    InvalidSetting
        When there is no such instance.
    """
    return proofs().get(resolve(name))


def published(name: str) -> BestKnown | None:
    """Return the best cost of other sources, which plans found here may have beaten, or None.

    Raises
    ------
    InvalidSetting
        When there is no such instance.
    """
    name = resolve(name)
    if found := _PAPER_NAME.fullmatch(name):
        if int(found[1]) != 20:
            return None
        return BestKnown(_paper_optima()[int(found[2])], "optimal", "exact dynamic program")
    return _published().get(name)


def best_known_of(instance: Instance) -> BestKnown | None:
    """Return the best-known cost if this is an instance of the library, under its own name."""
    if not is_name(instance.name):
        return None
    # A user's own file may be called golden-20 too, with another best cost.
    return best_known(instance.name) if load(instance.name) == instance else None


def best_known_solution(name: str) -> Solution | None:
    """Return a plan that reaches the best-known cost, where one ships.

    These are golden (FSM-F), sdvrptw, and the instances of a working day for which a run of this
    package's benchmarks found one.
    """
    name = resolve(name)
    if name in _timed_names():
        found = _found_plan(name)
        return timed_sets.published_solution(name) if found is None else found.solution
    record = _read_json(_DATA / "golden" / "solutions.json").get(name)
    if record is None:
        return None
    types = [vehicle.name for vehicle in load(name).vehicle_types]
    return Solution.of((types.index(name), customers) for name, customers in record["routes"])


def resolve(name: str) -> str:
    """Return the canonical form of an instance name: ``xh/X101-FSMFD`` is ``X101-FSMFD``.

    Raises
    ------
    InvalidSetting
        When there is no such instance; the message names the nearest.
    """
    folder, slash, base = name.rpartition("/")
    if slash and base in _entries() and _entries()[base].folder == folder:
        return base
    if name in _entries() or name in _timed_names():
        return name
    if found := _PAPER_NAME.fullmatch(name):
        size, index = int(found[1]), int(found[2])
        if size in papersets.SIZES and index < papersets.NUM_INSTANCES:
            return f"paper:{size}:{index}"
        sizes = ", ".join(map(str, papersets.SIZES))
        raise InvalidSetting(
            "there is no instance {value}",
            field="instance",
            value=name,
            remedy=f"the paper's sets have the sizes {sizes} and the indices 0 to "
            f"{papersets.NUM_INSTANCES - 1}",
        )
    known = [*_entries(), *_timed_names()]
    by_case = {one.lower(): one for one in known}
    other_case = by_case.get(base.lower())
    if other_case is not None:
        is_there = other_case in _entries() and _entries()[other_case].folder == folder.lower()
        if is_there or not slash:
            return other_case
    hint = nearest(name, [*known, "paper:20:0"])
    if hint.startswith("use one of"):
        hint = "the suites are " + ", ".join(suites())
    raise InvalidSetting("there is no instance {value}", field="instance", value=name, remedy=hint)


def is_name(name: str) -> bool:
    """Return whether `load` accepts this name."""
    try:
        resolve(name)
    except InvalidSetting:
        return False
    return True


def _names_of(name: str) -> list[str]:
    for shipped in (_shipped_suites(), timed_sets.suites()):
        if name in shipped:
            return list(shipped[name])
    if name in suites():
        size = int(name.removeprefix("paper-"))
        return [f"paper:{size}:{index}" for index in range(papersets.NUM_INSTANCES)]
    raise InvalidSetting(
        "there is no suite {value}", field="suite", value=name, remedy=nearest(name, suites())
    )


def _found_plan(name: str) -> timed_sets.FoundPlan | None:
    name = resolve(name)
    return timed_sets.found_plan(name) if name in _timed_names() else None


@cache
def _timed_names() -> dict[str, None]:
    """Return the names of the sets of a working day, in order."""
    return {name: None for suite in timed_sets.suites().values() for name in suite}


@cache
def _entries() -> dict[str, _Entry]:
    entries = {}
    for folder in _FOLDERS:
        paths = (path for path in (_DATA / folder).glob("*.json") if path.stem != "solutions")
        for path in sorted(paths, key=lambda path: _size_key(path.stem)):
            base = path.stem
            entries[base] = _Entry(folder, base, None)
            for variant in _variants(folder, base):
                entries[f"{base}-{variant}"] = _Entry(folder, base, variant)
    return entries


def _variants(folder: str, base: str) -> tuple[str, ...]:
    if folder == "brandao":
        return ("FSM-V",)
    if folder == "golden":
        # the four instances of 20 customers have no limited fleet on record
        return _GOLDEN_VARIANTS if base >= "golden-13" else _GOLDEN_VARIANTS[:2]
    return ()


def _size_key(base: str) -> tuple[int, str]:
    found = re.search(r"\d+", base)
    return (int(found[0]) if found else 0, base)


@cache
def _shipped_suites() -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {folder: [] for folder in _FOLDERS}
    for name, entry in _entries().items():
        group = entry.folder if entry.variant is None else f"{entry.folder}-{entry.variant}"
        groups.setdefault(group, []).append(name)
    return groups


def _vary(instance: Instance, rows: list[dict[str, Any]], variant: str) -> Instance:
    """Turn an instance into one of its variants, from the extra columns of its file."""
    fleet, _, costs = variant.partition("-")
    change: dict[str, Callable[[dict[str, Any]], Any]] = {
        "unit_cost": lambda row: row["variable_unit_cost"],
        "available": lambda row: row["hvrp_available"] if fleet == "HVRP" else None,
    }
    if costs == "V":
        change["fixed_cost"] = lambda row: 0.0
    return instance.replace(
        vehicle_types=tuple(
            vehicle.replace(**{field: value(row) for field, value in change.items()})
            for vehicle, row in zip(instance.vehicle_types, rows, strict=True)
        )
    )


@cache
def _published() -> dict[str, BestKnown]:
    table = {}
    with (_DATA / "best_known.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            base, variant = row["instance"], row["variant"]
            native = _NATIVE_VARIANTS.get(base.split("-")[0], _XH_VARIANTS.get(base.split("-")[-1]))
            status: Literal["optimal", "best-known"] = (
                "optimal" if row["status"] == "optimal" else "best-known"
            )
            name = base if variant == native else f"{base}-{variant}"
            table[name] = BestKnown(float(row["cost"]), status, row["source"])
    return table


@cache
def _paper_optima() -> tuple[float, ...]:
    with (_DATA / "paper-20-optima.csv").open(encoding="utf-8", newline="") as file:
        return tuple(float(row["cost"]) for row in csv.DictReader(file))


def _read_json(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value
