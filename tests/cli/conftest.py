"""Run the command line inside the test process, and tell what it printed."""

from __future__ import annotations

import signal
import sys
import types
from dataclasses import dataclass, replace

import pytest
from cli_helpers import STOPS, VEHICLES, one_by_one

from fripn.cli import main
from fripn.features import ROUTING
from fripn.incumbent import Incumbent
from fripn.result import Improvement
from fripn.solve import METHODS, MethodInfo


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
def register(monkeypatch):
    """Register a class as a method for this test: ``register("fake", Fake)``."""

    def add(name: str, method: type) -> None:
        module = types.ModuleType("fripn_fake_methods")
        module.Fake = method  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "fripn_fake_methods", module)
        monkeypatch.setitem(METHODS, name, MethodInfo("fripn_fake_methods", "Fake", "a fake"))

    return add


class OneByOne:
    """A method that serves every customer alone."""

    name = "fake"
    supports = ROUTING
    ends_by_itself = False

    def __call__(self, instance, run):
        """Solve."""
        best = Incumbent(instance, run, self.name)
        best.take(one_by_one(instance), 0.5)
        return replace(best.result(), seconds=0.5)


class NoPlan(OneByOne):
    """A method that finds nothing."""

    def __call__(self, instance, run):
        """Solve."""
        return replace(Incumbent(instance, run, self.name).result(), seconds=0.25, seed=3)


class Interrupted(OneByOne):
    """A method that finds a plan and is then interrupted by Ctrl-C."""

    def __call__(self, instance, run):
        """Solve."""
        best = Incumbent(instance, run, self.name)
        best.take(one_by_one(instance), 0.1)
        signal.raise_signal(signal.SIGINT)
        assert run.is_cancelled
        return best.result()


@pytest.fixture
def fakes():
    """Give the fake methods by name."""
    return types.SimpleNamespace(
        OneByOne=OneByOne, NoPlan=NoPlan, Interrupted=Interrupted, Improvement=Improvement
    )


@pytest.fixture
def last_run(register):
    """Register a method ``fake``; return a function that tells what run it was last asked for."""
    runs = []

    class Recorder(OneByOne):
        def __call__(self, instance, run):
            runs.append(run)
            return super().__call__(instance, run)

    register("fake", Recorder)
    return lambda: runs[-1]


@pytest.fixture
def tables(tmp_path):
    """Give a pair of CSV files: three customers, vans and trucks."""
    stops, vehicles = tmp_path / "stops.csv", tmp_path / "vehicles.csv"
    stops.write_text(STOPS, encoding="utf-8")
    vehicles.write_text(VEHICLES, encoding="utf-8")
    return stops, vehicles
