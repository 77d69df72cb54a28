"""``fripn solve-many``: memory does not grow with the number of instances."""

from __future__ import annotations

import gc
import os
import sys
import tracemalloc
from contextlib import contextmanager

import pytest

from fripn.batch import runner
from fripn.cli import plan_folder

pytestmark = pytest.mark.slow

#: Bytes of Python objects per instance, at most; a path alone has more than 100. The bar keeps the
#: times of the last 1,000 items, which is a part of it.
MAX_BYTES = 50

#: More than the items that are on their way at a time, which are up to 2,000: chunks grow with the
#: speed of the machine.
FEW, MANY = 3_000, 7_000


@pytest.fixture
def stubs(monkeypatch):
    """Replace what reads, solves and draws one instance, and do not wait for the disk."""

    def run_item(item):
        plan = {"status": "feasible", "cost": 1.5, "distance": 2.5, "vehicles": {"A": 1}}
        return {**item.fields, "digest": "0", **plan, "routes": [], "error": None}

    def write(folder, line):
        folder._stem(line["source"])
        return plan_folder.day_of_line(line)

    monkeypatch.setattr(runner, "run_item", run_item)
    monkeypatch.setattr(runner, "_digest_now", lambda item: "0")
    monkeypatch.setattr(plan_folder.PlanFolder, "_write", write)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    # Paths intern their parts. The table of interned strings does not grow with the number of
    # items, but it is enlarged in steps of megabytes, which would hide what is measured.
    monkeypatch.setattr(sys, "intern", str)


@contextmanager
def traced():
    """Trace memory without collections of garbage.

    Each call leaves some hundred kilobytes of it, whatever the number of items; when it is
    collected would decide about the peak.
    """
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.fixture
def peak_memory(fripn, stubs, tmp_path):
    """Return a function: the peak of Python objects while it solves so many instances."""

    def peak(count, output):
        folder = tmp_path / str(count)
        if not folder.exists():
            folder.mkdir()
            for number in range(count):
                (folder / f"{number:05}.json").touch()
        with traced():
            outcome = fripn("solve-many", folder, "-o", tmp_path / f"{count}{output}", "--jobs", 1)
            return tracemalloc.get_traced_memory()[1], outcome

    return peak


def test_memory_does_not_grow_with_the_number_of_instances(peak_memory):
    """Neither in the first call nor in one that finds all lines in the file."""
    peak_memory(10, ".jsonl")  # modules and caches
    for is_repeated in (False, True):
        few, _ = peak_memory(FEW, ".jsonl")
        many, outcome = peak_memory(MANY, ".jsonl")
        assert outcome.code == 0
        assert (f"{MANY} of {MANY} instances were done before" in outcome.err) is is_repeated
        assert f"… {MANY - 60} more instances are in the total" in outcome.out
        assert many - few < MAX_BYTES * (MANY - FEW)


def test_memory_does_not_grow_with_the_number_of_plans(peak_memory, tmp_path):
    """The page of a folder has a row for every instance, but not in memory."""
    peak_memory(10, "-plans")
    few, _ = peak_memory(FEW, "-plans")
    many, outcome = peak_memory(MANY, "-plans")
    assert outcome.code == 0
    assert many - few < MAX_BYTES * (MANY - FEW)
    page = (tmp_path / f"{MANY}-plans" / "index.html").read_text("utf-8")
    assert page.count("<tr") == MANY + 2  # the header and the total


def test_memory_does_not_grow_with_the_lines_that_are_converted(peak_memory, fripn, tmp_path):
    """Neither into a table nor into a folder."""
    peaks = {}
    for count in (10, FEW, MANY):
        peak_memory(count, ".jsonl")
        for target in ("table.csv", "folder"):
            with traced():
                assert fripn("convert", tmp_path / f"{count}.jsonl", tmp_path / target).code == 0
                peaks[count, target] = tracemalloc.get_traced_memory()[1]
    for target in ("table.csv", "folder"):
        assert peaks[MANY, target] - peaks[FEW, target] < MAX_BYTES * (MANY - FEW)
    assert len((tmp_path / "table.csv").read_text("utf-8").splitlines()) == MANY + 1
