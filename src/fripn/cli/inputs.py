"""From the arguments and options of a command to an instance, with remarks on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fripn.cli.options import (
    DecimalOption,
    DepotOption,
    DurationsOption,
    MapOption,
    MatrixOption,
    RoadFactorOption,
    VehiclesOption,
    find_modules_here,
)
from fripn.cli.repeated import check_keys
from fripn.errors import InvalidSetting
from fripn.messages import named
from fripn.problem.inputs import (
    STANDARD_INPUT,
    Input,
    InputOptions,
    is_plan_table,
    is_vehicle_table,
    open_input,
)
from fripn.problem.io.suffixes import TABLE_SUFFIXES, TEXT_TABLES


def read_problem(source: str, options: ProblemOptions, *, quiet: bool = False) -> Input:
    """Return the instance of a command; remarks and warnings about it go to stderr.

    Parameters
    ----------
    source
        The argument that names it.
    options
        What belongs to it.
    quiet
        Whether to print nothing.

    Raises
    ------
    InvalidInput
        When it cannot be read.
    """
    find_modules_here(source)
    found = open_input(source, options.input_options())
    if not quiet:
        for note in found.notes:
            print(f"note: {note}", file=sys.stderr)
        for warning in found.warnings:
            print(f"warning: {warning}", file=sys.stderr)
    return found


@dataclass(frozen=True, slots=True)
class ProblemOptions:
    """What belongs to an instance beside its file: vehicles, columns of tables, road distances."""

    vehicles: VehiclesOption = None
    depot: DepotOption = None
    columns: MapOption = None
    decimal: DecimalOption = None
    matrix: MatrixOption = None
    durations: DurationsOption = None
    road_factor: RoadFactorOption = None

    def with_vehicles(self, argument: Path | None) -> ProblemOptions:
        """Return the options with a file of vehicle types that was named as an argument.

        Raises
        ------
        InvalidSetting
            When another one was named as an option.
        """
        if argument is None:
            return self
        if self.vehicles is not None:
            raise InvalidSetting(
                f"vehicles are given twice ({argument}, {self.vehicles})",
                field="vehicles",
                remedy="give one",
            )
        return replace(self, vehicles=argument)

    def files(self) -> tuple[Path | None, ...]:
        """Return the files that are read beside that of the instance."""
        return self.vehicles, self.matrix, self.durations

    def input_options(self) -> InputOptions:
        """Return the options as a value of the library.

        Raises
        ------
        InvalidSetting
            When an entry of ``--map`` is not of the form WORD=COLUMN, or a word occurs twice.
        """
        mapping: dict[str, str] = {}
        words: list[str] = []
        for entry in self.columns or ():
            word, sign, column = entry.rpartition("=")
            if not sign or not word.strip() or not column.strip():
                raise InvalidSetting(
                    "{field} is {value}",
                    field="--map",
                    value=entry,
                    remedy="give WORD=COLUMN, such as --map Menge=demand",
                )
            words.append(word.strip())
            mapping[words[-1]] = column.strip().lower()
        check_keys("--map", words)
        return InputOptions(
            self.vehicles,
            self.depot,
            mapping or None,
            self.decimal,
            self.matrix,
            self.durations,
            self.road_factor,
        )


def split_files(
    files: Sequence[str], vehicles: Path | None
) -> tuple[str, Path | None, Path | None]:
    """Return the instance, the file of vehicles and the plan among the arguments of a command.

    Parameters
    ----------
    files
        ``INSTANCE [VEHICLES] [PLAN]``.
    vehicles
        The file named by ``--vehicles``.

    Raises
    ------
    InvalidSetting
        When there are more files than that.
    """
    first, rest = files[0], [Path(file) for file in files[1:]]
    if rest and vehicles is None and (len(rest) > 1 or _holds_vehicles(first, rest[0])):
        vehicles = rest.pop(0)
    plan = rest.pop(0) if rest else None
    if rest:
        raise InvalidSetting(
            f"{named(str(rest[0]))} is one file too many",
            field="files",
            value=str(rest[0]),
            remedy="give an instance, perhaps its vehicles, and a plan"
            if vehicles is None
            else "give the vehicles as the second file or with --vehicles, not both",
        )
    return first, vehicles, plan


def _holds_vehicles(first: str, second: Path) -> bool:
    """Return whether the second of two files holds the vehicles of the first, and not a plan."""
    is_table = first == STANDARD_INPUT or Path(first).suffix.lower() in TABLE_SUFFIXES
    if not is_table or second.suffix.lower() not in (*TABLE_SUFFIXES, ""):
        return False
    return second.suffix.lower() not in TEXT_TABLES or not is_plan_table(second)


def split_vehicles(
    instances: Sequence[str], vehicles: Path | None
) -> tuple[list[str], Path | None]:
    """Return the instances of a command, and the table of vehicles that stands among them.

    Parameters
    ----------
    instances
        Files, folders and names; at most one of them is a table of vehicles.
    vehicles
        The file named by ``--vehicles``.
    """
    if vehicles is not None:
        return list(instances), vehicles
    tables = [given for given in instances if is_vehicle_table(Path(given))]
    if len(tables) != 1 or len(instances) == 1:
        return list(instances), None
    return [given for given in instances if given != tables[0]], Path(tables[0])
