"""Scripts of the folders beside the package, run in this process."""

from __future__ import annotations

import json
import runpy
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Outcome(NamedTuple):
    """What a script left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run_script(monkeypatch, capsys) -> Callable[..., Outcome]:
    """Run a script as the command line does, with arguments, and return how it ended."""

    def run(path: Path, *arguments: Any) -> Outcome:
        monkeypatch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        monkeypatch.syspath_prepend(path.parent)
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(path), run_name="__main__")
        return Outcome(ended.value.code or 0, *capsys.readouterr())

    return run


@pytest.fixture
def checkout(tmp_path) -> Callable[..., Path]:
    """Copy a script to a checkout that has results, and pages with marks, and nothing else."""

    def make(script: str, marks: Iterable[str] = (), **results: Iterable[dict[str, Any]]) -> Path:
        page = "".join(
            f"<!-- {mark}: begin -->\nto be made\n<!-- {mark}: end -->\n" for mark in marks
        )
        folder = tmp_path / "docs" / "results"
        folder.mkdir(parents=True)
        (tmp_path / "docs" / "benchmarks.md").write_text(page, encoding="utf-8")
        (tmp_path / "README.md").write_text(page, encoding="utf-8")
        for name, lines in results.items():
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        copy = tmp_path / script
        copy.parent.mkdir()
        shutil.copy(ROOT / script, copy)
        return copy

    return make


@pytest.fixture
def bench_line() -> Callable[..., dict[str, Any]]:
    """Return a maker of raw lines of runs, with what tables need."""

    def make(
        suite: str, instance: str, method: str, seconds: float, cost: float | None, **more: Any
    ) -> dict[str, Any]:
        line = {
            "suite": suite,
            "instance": instance,
            "n": 20,
            "method": method,
            "seed": 0,
            "threads": 1,
            "time_limit": seconds,
            "iterations": None,
            "cost": cost,
            "seconds": None if cost is None else seconds,
            "best_known": None,
            "gap_percent": None,
            "error": "no plan was found" if cost is None else None,
            "commit": "abc",
        }
        return line | more

    return make
