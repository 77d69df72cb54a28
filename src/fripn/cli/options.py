"""Arguments and options that several commands share."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.progress import ProgressMode
from fripn.plugins import METHODS_GROUP, entry_points
from fripn.solve import METHODS

#: Units of time limits, in seconds.
_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """Return a time limit in seconds: ``5``, ``5s``, ``2min``, ``1.5h``.

    Raises
    ------
    typer.BadParameter
        When it is not a time; typer adds the option.
    """
    found = re.fullmatch(r"([-+0-9.,e]+|nan|inf)\s*([a-z]*)", str(text).strip().lower())
    try:
        if found is not None and found[2] in _UNITS:
            return float(found[1].replace(",", ".")) * _UNITS[found[2]]
    except ValueError:
        pass
    raise typer.BadParameter(f"{text!r} is not a time such as 5, 5s or 2min.")


def find_modules_here(name: str) -> None:
    """Let a name such as ``my_module:MyMethod`` mean a file of the current folder too."""
    if ":" in name and str(Path.cwd()) not in sys.path:
        # Last, so that nothing installed is hidden by a file here.
        sys.path.append(str(Path.cwd()))


def method_name(text: str) -> str:
    """Return the name of a method as we write it, where it differs in case alone."""
    find_modules_here(text)
    name, colon, settings = text.partition(":")
    return f"{name.lower()}{colon}{settings}" if name.lower() in METHODS else text


def complete_method(incomplete: str) -> list[str]:
    """Return the methods that begin so, for the shell."""
    before, comma, last = incomplete.rpartition(",")
    known = [*METHODS, *entry_points(METHODS_GROUP)]
    return [f"{before}{comma}{name}" for name in known if name.startswith(last.lower())]


def complete_instance(incomplete: str) -> list[str]:
    """Return the files and the instances of the library that begin so, for the shell."""
    here = Path(incomplete)
    folder = here if incomplete.endswith("/") else here.parent
    try:
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError:
        entries = []
    files = [
        f"{entry}/" if entry.is_dir() else str(entry)
        for entry in entries
        if not entry.name.startswith(".")
    ]
    from fripn.problem import library

    return [name for name in (*files, *library.names()) if name.startswith(incomplete)]


InstanceArgument = Annotated[
    str,
    typer.Argument(
        metavar="INSTANCE",
        autocompletion=complete_instance,
        help="A file (.json, .vrp, .xlsx, or a .csv of stops), - for the standard input, a "
        "library name such as golden-20, or paper:20:17.",
        show_default=False,
    ),
]
VehicleFileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="VEHICLES",
        help="The vehicle types that go with a table of stops: fripn solve stops.csv vehicles.csv.",
    ),
]
VehiclesOption = Annotated[
    Path | None,
    typer.Option("--vehicles", metavar="FILE", help="Vehicle types that go with a table of stops."),
]
DepotOption = Annotated[
    str | None,
    typer.Option("--depot", metavar="ID", help="Which row of a table of stops is the depot."),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="WORD=COLUMN",
        help="What a column of your tables is, such as Menge=demand; WORD=keep keeps it as it "
        "is. May be repeated.",
    ),
]
DecimalOption = Annotated[
    str | None,
    typer.Option(
        "--decimal", metavar="MARK", help="The decimal mark of the tables, . or , (usually found)."
    ),
]
MatrixOption = Annotated[
    Path | None,
    typer.Option("--matrix", metavar="FILE", help="A table with the distance between all stops."),
]
DurationsOption = Annotated[
    Path | None,
    typer.Option(
        "--durations", metavar="FILE", help="A table with the travel time between all stops."
    ),
]
RoadFactorOption = Annotated[
    float | None,
    typer.Option(
        "--road-factor",
        metavar="F",
        help="Multiply straight lines by this, as roads are longer: 1.3.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")
]
ProveOption = Annotated[
    bool,
    typer.Option("--prove", help="Short for --method exact: plans and a lower bound beside."),
]
MethodOption = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        metavar="M",
        parser=method_name,
        autocompletion=complete_method,
        help=f"One of {', '.join(METHODS)}, of an installed package, or your own as "
        "module:attribute; settings may follow: policy:decode=greedy,samples=100.",
    ),
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        "-t",
        metavar="S",
        parser=seconds,
        help="Seconds, or a time such as 2min. Without any limit: 0.1 s per customer, at least "
        "2 s, at most 60 s; less only when the plan is proven optimal.",
    ),
]
GapOption = Annotated[
    float | None,
    typer.Option(
        "--gap",
        metavar="PERCENT",
        help="Stop once no plan can save more of the cost; for methods that prove a bound.",
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="T",
        help="Threads. Default: all cores; 1 with --iterations, so that it can be repeated.",
    ),
]
OutputOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the plan: .json .sol .csv .xlsx .geojson .png .svg, .html (the report), .pdf "
        "(driver sheets); may be repeated.",
    ),
]
LinesOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Lines of JSON are appended here; what it already holds is not run again.",
        show_default=False,
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Write a picture of the routes: .svg, or .png (extra 'plot').",
    ),
]
TimelineOption = Annotated[
    Path | None,
    typer.Option(
        "--timeline",
        metavar="FILE",
        help="Write a picture of the times of all vehicles: .svg, or .png (extra 'plot').",
    ),
]
ProgressOption = Annotated[
    ProgressMode,
    typer.Option("--progress", help="What to show on stderr while it runs."),
]
DecodeOption = Annotated[
    str | None,
    typer.Option("--decode", metavar="HOW", help="Method policy: greedy or sampling (default)."),
]
SamplesOption = Annotated[
    int | None,
    typer.Option(
        "--samples",
        metavar="N",
        help="Method policy: trajectories per symmetry, with no time limit unless you name one; "
        "without it, until the time is over.",
    ),
]
AugmentOption = Annotated[
    bool | None,
    typer.Option("--augment/--no-augment", help="Method policy: decode all eight symmetries."),
]
SplitOption = Annotated[
    bool | None,
    typer.Option("--split/--no-split", help="Method policy: cut each tour again at least cost."),
]
TemperatureOption = Annotated[
    float | None,
    typer.Option(
        "--temperature",
        metavar="T",
        help="Method policy: divide the scores by T when sampling; without it, 1 up to 25 "
        "customers and less beyond.",
    ),
]
DecodingOption = Annotated[
    str | None,
    typer.Option(
        "--decoding",
        metavar="paper",
        help="Method policy: short for --temperature 1 --no-split and, unless you name a number, "
        "--samples 1000.",
    ),
]
WeightsOption = Annotated[
    Path | None,
    typer.Option(
        "--weights", metavar="FILE", help="Methods policy and hybrid: weights of your own."
    ),
]
SolverOption = Annotated[
    str | None,
    typer.Option("--solver", metavar="NAME", help="Method milp: highs (default), cplex or gurobi."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Method milp: paper (its equations as they stand) or strengthened (default).",
    ),
]
StartPlanOption = Annotated[
    bool | None,
    typer.Option(
        "--start-plan/--no-start-plan", help="Method milp: let the solver begin with a plan."
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.")]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE", help="Write a page for the browser, complete in itself: .html."
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors (and --json).")
]
