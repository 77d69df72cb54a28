"""Lines that only look like ours are named by file, line, field and value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fripn.bench.lines import read_lines
from fripn.bench.report import FORMATS, summarize
from fripn.errors import InvalidFile

pytestmark = pytest.mark.pure

GOOD = {
    "suite": "s",
    "instance": "a",
    "method": "m",
    "seed": 0,
    "threads": 1,
    "time_limit": 1.0,
    "iterations": None,
    "cost": 10.0,
    "seconds": 1.0,
    "best_known": None,
}
NEEDED = list(GOOD)


def write(tmp_path, *lines):
    path = tmp_path / "raw.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_names_of_earlier_versions_are_read_as_the_present_ones(tmp_path):
    """Published files say fixed and travel; readers see one name for each cost."""
    (line,) = read_lines(write(tmp_path, GOOD | {"fixed": 7.0, "travel": 3.0}))
    assert line == GOOD | {"fixed_cost": 7.0, "travel_cost": 3.0}


def test_a_line_without_extras_is_enough(tmp_path):
    """What no table needs may be missing, as in lines of earlier versions."""
    lines = read_lines(write(tmp_path, GOOD, GOOD | {"best_known": 9, "commit": None, "n": "x"}))
    for form in FORMATS.values():
        assert form(summarize(lines))


@pytest.mark.parametrize("field", NEEDED)
def test_a_missing_field_is_named(tmp_path, field):
    """Every field that tables use must be there."""
    bad = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(InvalidFile, match=rf"raw\.jsonl, line 2 has no '{field}'.*remove the line"):
        read_lines(write(tmp_path, GOOD, bad))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("suite", 1),
        ("instance", None),
        ("method", ["m"]),
        ("seed", [1]),
        ("seed", -1),
        ("seed", True),
        ("threads", 0),
        ("time_limit", "fast"),
        ("time_limit", 0),
        ("iterations", 1.5),
        ("cost", "cheap"),
        ("cost", float("nan")),
        ("cost", 10**400),
        ("seconds", "soon"),
        ("seconds", None),
        ("best_known", 0),
        ("best_known", -3.5),
        ("commit", 7),
        ("version", {}),
        ("cpus", "two"),
        ("weights", 3),
    ],
)
def test_a_wrong_value_is_named(tmp_path, field, value):
    """The sentence has line, field, value and remedy; nothing else is raised."""
    with pytest.raises(InvalidFile, match=rf"line 1 has .*{field}.*; give .*remove the line"):
        read_lines(write(tmp_path, GOOD | {field: value}))


@pytest.mark.parametrize("name", ["baselines", "engine", "hybrid", "hybrid_early"])
def test_the_published_lines_can_be_read(name):
    """The files behind the tables of docs/benchmarks.md are lines in this sense."""
    folder = Path(__file__).parents[2] / "docs" / "results"
    assert read_lines(folder / f"{name}.jsonl")
