"""``fripn solve-many``: memory does not grow with the number of instances."""

from __future__ import annotations

import os
import sys
import tracemalloc

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


@pytest.fixture
def peak_memory(fripn, stubs, tmp_path):
    """Return a function: the peak of Python objects while it solves so many instances."""

    def peak(count, output):
        folder = tmp_path / str(count)
        if not folder.exists():
            folder.mkdir()
            for number in range(count):
                (folder / f"{number:05}.json").touch()
        tracemalloc.start()
        try:
            outcome = fripn("solve-many", folder, "-o", tmp_path / f"{count}{output}", "--jobs", 1)
            return tracemalloc.get_traced_memory()[1], outcome
        finally:
            tracemalloc.stop()

    return peak


def assert_no_growth(measure):
    """Fail when memory grows in each of three attempts.

    Once it may: another thread, or a table of the interpreter that is enlarged, adds to a peak too.
    """
    attempts = []
    while not attempts or attempts[-1] >= MAX_BYTES * (MANY - FEW):
        assert len(attempts) < 3, f"memory grew by {attempts} bytes"
        attempts.append(max(measure(len(attempts))))


def test_memory_does_not_grow_with_the_number_of_instances(peak_memory):
    """Neither in the first call nor in one that finds all lines in the file."""
    peak_memory(10, ".jsonl")  # modules and caches

    def measure(attempt):
        for is_repeated in (False, True):
            few, _ = peak_memory(FEW, f"-{attempt}.jsonl")
            many, outcome = peak_memory(MANY, f"-{attempt}.jsonl")
            assert outcome.code == 0
            assert (f"{MANY} of {MANY} instances were done before" in outcome.err) is is_repeated
            assert f"… {MANY - 60} more instances are in the total" in outcome.out
            yield many - few

    assert_no_growth(measure)


def test_memory_does_not_grow_with_the_number_of_plans(peak_memory, tmp_path):
    """The page of a folder has a row for every instance, but not in memory."""
    peak_memory(10, "-plans")

    def measure(attempt):
        few, _ = peak_memory(FEW, f"-plans-{attempt}")
        many, outcome = peak_memory(MANY, f"-plans-{attempt}")
        assert outcome.code == 0
        yield many - few

    assert_no_growth(measure)
    page = (tmp_path / f"{MANY}-plans-0" / "index.html").read_text("utf-8")
    assert page.count("<tr") == MANY + 2  # the header and the total


def test_memory_does_not_grow_with_the_lines_that_are_converted(peak_memory, fripn, tmp_path):
    """Neither into a table nor into a folder."""
    for count in (10, FEW, MANY):
        peak_memory(count, ".jsonl")

    def converted(count, target):
        tracemalloc.start()
        try:
            assert fripn("convert", tmp_path / f"{count}.jsonl", tmp_path / target).code == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    for target in ("table.csv", "folder"):
        converted(10, target)
        assert_no_growth(lambda _, to=target: [converted(MANY, to) - converted(FEW, to)])
    converted(MANY, "table.csv")
    assert len((tmp_path / "table.csv").read_text("utf-8").splitlines()) == MANY + 1
