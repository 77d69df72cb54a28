"""The page on working days: its file and its code run as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fripn import solve
from fripn.cli.main import main
from fripn.problem import evaluate
from fripn.problem.io import read_instance

PAGE = Path(__file__).parents[1] / "docs" / "working-day.md"


def blocks(language):
    """Return the code blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.S)


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    """The file is a valid instance, the plan is feasible, and the sentence is as shown."""
    monkeypatch.chdir(tmp_path)
    (file,) = blocks("json")
    Path("day.json").write_text(file, encoding="utf-8")
    names: dict[str, object] = {}
    for code in blocks("python"):
        exec(compile(code, str(PAGE), "exec"), names)
    result = names["result"]
    assert evaluate(read_instance("day.json"), result.solution).is_feasible
    out = capsys.readouterr().out
    shown = re.findall(r"^    # (.*)$", blocks("python")[1], re.M)
    assert " ".join(shown) in out


def test_the_shown_files_can_be_solved(tmp_path, monkeypatch):
    """The command of the page writes a plan with a schedule."""
    monkeypatch.chdir(tmp_path)
    Path("day.json").write_text(blocks("json")[0], encoding="utf-8")
    assert "fripn solve day.json -o plan.json" in blocks("console")[0]
    with pytest.raises(SystemExit) as ended:
        main(["solve", "day.json", "-o", "plan.json", "--time-limit", "1"])
    assert not ended.value.code
    assert '"schedule"' in Path("plan.json").read_text("utf-8")


def test_the_tables_are_a_working_day(tmp_path):
    """Clock times are minutes, speeds kilometres per minute, and the plan is feasible."""
    stops, vehicles = blocks("csv")
    (tmp_path / "stops.csv").write_text(stops, encoding="utf-8")
    (tmp_path / "vehicles.csv").write_text(vehicles, encoding="utf-8")
    instance = read_instance(tmp_path / "stops.csv", vehicles=tmp_path / "vehicles.csv")
    assert instance.time_windows[1] == ((480, 540),)
    assert instance.allowed_types == (None, None, None, (0,))
    van, lorry = instance.vehicle_types
    assert (van.shift_start, van.shift_end, lorry.max_duration) == (420, 900, 540)
    result = solve(instance, time_limit=1)
    assert evaluate(instance, result.solution).is_feasible
