"""Methods and readers of the user's own on the command line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from plugin_code import OWN_FORMAT, OWN_METHOD, POINTS

#: As the installed command starts: the current folder is not on the path.
START = "import sys; from fripn.cli import main; main(sys.argv[1:])"


@pytest.fixture
def here(tmp_path):
    """Return a function that calls the command in a folder with code and files of the user."""
    (tmp_path / "own_code.py").write_text(OWN_METHOD + OWN_FORMAT, encoding="utf-8")
    (tmp_path / "days").mkdir()
    (tmp_path / "days" / "day.points").write_text(POINTS, encoding="utf-8")

    def call(*arguments):
        return subprocess.run(
            [sys.executable, "-P", "-c", START, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def test_solve_with_code_of_the_current_folder(here):
    """Method and reader of a file that no package contains."""
    done = here(
        "solve", "own_code:read@days/day.points", "-m", "own_code:InOrder:backwards=yes", "--json"
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["method"] == "in order"
    assert {stop for route in record["routes"] for stop in route["customers"]} == {1, 2, 3}


def test_bench_with_code_of_the_current_folder(here, tmp_path):
    """In worker processes too; settings are part of the name in the lines."""
    here("convert", "own_code:read@days/day.points", "days/day.json")
    done = here(
        "bench", "run", "--suite", "days", "-m", "own_code:InOrder:backwards=yes,savings",
        "-o", "runs.jsonl", "--jobs", "2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert {line["method"] for line in lines} == {"own_code:InOrder --backwards", "savings"}
    assert all(line["cost"] > 0 for line in lines)


def test_a_missing_module_is_one_sentence(refused):
    """And no traceback."""
    sentence = refused("solve", "golden-03", "-m", "no_such_module:Method")
    assert "there is no module 'no_such_module'; check the name" in sentence


def test_a_setting_given_twice_is_refused(refused):
    """Behind the name and as a flag."""
    sentence = refused("solve", "golden-03", "-m", "policy:samples=3", "--samples", 5)
    assert sentence == "fripn: --samples is given, and samples behind 'policy' too; leave one out\n"


def test_settings_behind_the_name_are_flags(fripn, tmp_path):
    """Both spellings are one method in the lines, so nothing runs twice."""
    path = tmp_path / "runs.jsonl"
    run = ("bench", "run", "--suite", "golden", "--limit", 1, "--iterations", 1, "-o", path)
    assert fripn(*run, "-m", "policy:decode=greedy,augment=no").code == 0
    assert fripn(*run, "-m", "policy", "--decode", "greedy", "--no-augment").code == 0
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["method"] == "policy --decode greedy --no-augment"
