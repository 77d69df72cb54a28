"""Run the command line inside the test process, and return what it printed."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fripn.cli import main
from helpers import STOPS, VEHICLES, OneByOne


@dataclass(frozen=True)
class Outcome:
    """What a call came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def fripn(capsys):
    """Call the command line: ``fripn("solve", "golden-20")``."""

    def call(*arguments: object) -> Outcome:
        with pytest.raises(SystemExit) as exit_info:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(int(exit_info.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture
def refused(fripn):
    """Call the command line with bad input: exit code 2, one sentence, nothing on stdout."""

    def call(*arguments: object) -> str:
        outcome = fripn(*arguments)
        assert outcome.code == 2, outcome
        assert outcome.out == ""
        assert outcome.err.startswith("fripn: ")
        assert outcome.err.count("\n") == 1, outcome.err
        assert "Traceback" not in outcome.err
        return outcome.err

    return call


@pytest.fixture
def last_run(register):
    """Register a method ``fake``; return a function that returns its last run."""
    runs = []

    class Recorder(OneByOne):
        def __call__(self, instance, run):
            runs.append(run)
            return super().__call__(instance, run)

    register("fake", Recorder)
    return lambda: runs[-1]


@pytest.fixture
def tables(tmp_path):
    """Return a pair of CSV files: three customers, vans and trucks."""
    stops, vehicles = tmp_path / "stops.csv", tmp_path / "vehicles.csv"
    stops.write_text(STOPS, encoding="utf-8")
    vehicles.write_text(VEHICLES, encoding="utf-8")
    return stops, vehicles
