"""Problems that the page offers to start with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fripn.problem.library import load
from fripn.serve.problems import Refusal
from fripn.serve.tables import Validation, tables_of, validate_files


@dataclass(frozen=True, slots=True)
class Example:
    """A problem to start with.

    Parameters
    ----------
    id
        Its name in addresses.
    title
        What the page calls it.
    tables
        Names of the files of stops and of vehicles among the data of the package; none for a
        problem of the library.
    """

    id: str
    title: str
    tables: tuple[str, str] | None = None


EXAMPLES = (
    Example("bakery", "A bakery delivers in Leipzig", ("bakery.csv", "bakery-vehicles.csv")),
    Example(
        "bakery-hours",
        "A bakery with opening hours and shifts",
        ("bakery-hours.csv", "bakery-hours-vehicles.csv"),
    ),
    Example("golden-20", "Benchmark of Golden et al. (1984)"),
    Example("li-H1", "Benchmark of Li et al. (2007)"),
)


@cache
def example(name: str) -> tuple[str, Validation]:
    """Return the title and the data of an example.

    Raises
    ------
    Refusal
        When there is no such example.
    """
    found = next((one for one in EXAMPLES if one.id == name), None)
    if found is None:
        raise Refusal(
            404,
            "there is no example {value}",
            field="id",
            value=name,
            remedy=f"choose one of {', '.join(one.id for one in EXAMPLES)}",
        )
    if found.tables is None:
        instance = load(found.id)
        return found.title, Validation(instance, tables_of(instance))
    folder = files("fripn") / "data" / "examples"
    contents = [(one, (folder / one).read_bytes()) for one in found.tables]
    return found.title, validate_files(contents)
