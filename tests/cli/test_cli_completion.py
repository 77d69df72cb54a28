"""What the shell offers after a tab."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def completed(*words, cwd=None):
    """Return what bash would offer for the last word."""
    environment = {
        **os.environ,
        "_FRIPN_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("fripn", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-m", "fripn"],
        env=environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sol",), ["solve", "solve-many"]),
        (("bench", "re"), ["report"]),
        (("solve", "golden-20", "-m", "h"), ["hybrid", "hgs"]),
        (("bench", "run", "-m", "hgs,sav"), ["hgs,savings"]),
        (("solve", "golden-17"), ["golden-17", "golden-17-FSM-V", "golden-17-FSM-FV"]),
        (("solve", "golden-20", "--time"), ["--time-limit"]),
    ],
)
def test_words_are_completed(words, expected):
    """Commands, options, methods and instances of the library."""
    assert completed(*words)[: len(expected)] == expected


def test_files_are_completed(tmp_path):
    """Beside the library; folders with a slash, hidden files not at all."""
    (tmp_path / "days").mkdir()
    for name in ("days/monday.json", "days/tuesday.json", "golden.json", ".golden"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert completed("solve", "day", cwd=tmp_path) == ["days/"]
    assert completed("solve", "days/m", cwd=tmp_path) == ["days/monday.json"]
    assert completed("solve", "golden.", cwd=tmp_path) == ["golden.json"]
    assert completed("solve", "nowhere/x", cwd=tmp_path) == []


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("convert",),
        ("convert", "plan.csv", "plan.html", "--instance"),
        ("improve",),
        ("solve-many", "golden-03"),
    ],
)
def test_every_command_completes_instances(words, tmp_path):
    """Names of the library and files, for the second file as well."""
    (tmp_path / "golden-own.csv").write_text("")
    found = completed(*words, "golden-", cwd=tmp_path)
    assert found[:2] == ["golden-own.csv", "golden-03"]
