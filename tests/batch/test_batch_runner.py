"""The runner: every item has one line, finished ones are kept, and memory stays what it is."""

from __future__ import annotations

import gc
import json
import os
import sys
import tracemalloc
from contextlib import closing
from functools import partial

import pytest

from fripn.batch import InProcess, LineFormat, Outcome, Processes, Record, WorkItem, run_batch
from fripn.batch.runner import run_item
from fripn.budget import Budget
from fripn.errors import InvalidFile, InvalidSetting
from fripn.features import ROUTING
from fripn.problem.generate import paper_instance
from fripn.settings import Count

RECORD = Record(
    LineFormat("a test", {"name": str, "seed": Count}, {"digest": str | None}),
    key=("name", "seed"),
    label="name",
    checks_instance=True,
)


def describe(outcome: Outcome):
    instance, result = outcome.instance, outcome.result
    return {
        **outcome.item.fields,
        "digest": None if instance is None else instance.digest,
        "status": outcome.status,
        "cost": None if result is None else result.cost,
        "error": outcome.error,
    }


def item(name, source, seed=0, method="savings"):
    return WorkItem({"name": name, "seed": seed}, source, method, describe, Budget(), seed)


def day(number):
    return item(f"day {number}", partial(paper_instance, 6, number))


def unreadable():
    raise OSError("the disk is gone")


def entries_of(items, path=None, **options):
    return list(run_batch(items, RECORD, output=path, **options))


def origins(entries):
    return [(entry.line["name"], entry.origin) for entry in entries]


def test_an_item_carries_its_instance_or_what_reads_it():
    """Both give the same line, here and in other processes."""
    here = [run_item(item("one", paper_instance(6, 1))), run_item(item("one", day(1).source))]
    assert here[0] == here[1]
    there = entries_of(
        [item("one", paper_instance(6, 1)), item("two", day(1).source)], executor=Processes(2)
    )
    costs = {entry.line["cost"] for entry in there}
    assert costs == {here[0]["cost"]}


def test_finished_items_are_yielded_from_the_file(tmp_path):
    """They are not run again, and their lines come in their place."""
    path = tmp_path / "lines.jsonl"
    first = entries_of(map(day, range(3)), path)
    assert {entry.origin for entry in first} == {"new"}
    written = path.read_bytes()
    assert [json.loads(line) for line in written.splitlines()] == [e.line for e in first]
    second = entries_of(map(day, range(4)), path)
    assert origins(second) == [(f"day {n}", "earlier" if n < 3 else "new") for n in range(4)]
    assert [entry.line for entry in second[:3]] == [entry.line for entry in first]
    assert path.read_bytes().startswith(written)


def test_without_an_output_all_items_run():
    """Nothing is kept."""
    assert {entry.origin for _ in range(2) for entry in entries_of([day(1)])} == {"new"}


def test_the_last_line_of_an_item_counts(tmp_path):
    """A changed instance is run again; back as it was, once more."""
    path = tmp_path / "lines.jsonl"
    found = [
        entries_of([item("day", paper_instance(6, seed))], path)[0].origin
        for seed in (1, 1, 2, 2, 1)
    ]
    assert found == ["new", "earlier", "again", "earlier", "again"]
    assert len(path.read_bytes().splitlines()) == 3


def test_a_record_may_trust_its_lines(tmp_path):
    """Where instances are known by name alone, nothing is read to find that they are done."""
    trusting = Record(RECORD.form, RECORD.key, RECORD.label)
    path = tmp_path / "lines.jsonl"
    list(run_batch([day(1)], trusting, output=path))
    entries = run_batch([item("day 1", unreadable)], trusting, output=path)
    assert [entry.origin for entry in entries] == ["earlier"]


def test_failures_are_lines_and_can_be_tried_again(tmp_path):
    """Errors of fripn appear with their message, others with their type."""
    path = tmp_path / "lines.jsonl"
    items = [item("a", unreadable), item("b", paper_instance(5, 1), method="nothing"), day(1)]
    a, b, good = entries_of(items, path)
    assert (a.is_unreadable, a.line["error"]) == (True, "OSError: the disk is gone")
    assert (b.has_failed, b.is_unreadable, b.line["status"]) == (True, False, "error")
    assert b.line["error"].startswith("there is no method 'nothing'")
    assert not good.has_failed
    assert {entry.origin for entry in entries_of(items, path)} == {"earlier"}
    again = entries_of(items, path, retry_failed=True)
    assert sorted(origins(again)) == [("a", "new"), ("b", "new"), ("day 1", "earlier")]


class Exits:
    """A method of somebody else that ends the program."""

    name, supports, ends_by_itself = "exits", ROUTING, True

    def __call__(self, instance, run):
        """End it."""
        sys.exit(3)


def exits():
    sys.exit("no licence")


@pytest.mark.parametrize("executor", [InProcess(), Processes(2)])
def test_code_that_exits_fails_alone(executor):
    """Neither a method nor a reader ends the batch, here or from a worker."""
    items = [item("method", paper_instance(6, 1), method=Exits()), item("reader", exits), day(1)]
    lines = {entry.line["name"]: entry.line for entry in entries_of(items, executor=executor)}
    assert {name: line["error"] for name, line in lines.items()} == {
        "method": "SystemExit: 3",
        "reader": "SystemExit: no licence",
        "day 1": None,
    }


def test_two_items_that_look_alike_are_refused(tmp_path):
    """Their lines could not be distinguished."""
    entries = run_batch([day(1), day(2), day(1)], RECORD, output=tmp_path / "lines.jsonl")
    assert [next(entries).line["name"] for _ in range(1)] == ["day 1"]
    with pytest.raises(InvalidSetting, match="'day 1' comes twice"):
        list(entries)


def test_a_wrong_file_is_refused_before_anything_is_asked_for(tmp_path):
    """Nothing runs, and the file is left as it is."""
    path = tmp_path / "mine.txt"
    path.write_text("my diary\n")
    with pytest.raises(InvalidFile, match="a test did not write"):
        run_batch([day(1)], RECORD, output=path)
    assert path.read_text() == "my diary\n"


def test_equal_numbers_are_the_same_item(tmp_path):
    """Files written with 5 go on where 5.0 is given."""
    path = tmp_path / "lines.jsonl"
    entries_of([item("day", paper_instance(6, 1), seed=5)], path)
    path.write_bytes(path.read_bytes().replace(b'"seed": 5,', b'"seed": 5, "time": 1,'))
    timed = Record(RECORD.form, ("name", "time"), "name")
    given = item("day", paper_instance(6, 1), seed=5)
    given.fields["time"] = 1.0
    assert next(run_batch([given], timed, output=path)).origin == "earlier"


def held_at_the_end(number, path):
    """Return what a run still holds at its last item; so does the next one, that finds all done."""
    held = []
    for _ in range(2):
        items = (item(f"{n:06}", unreadable) for n in range(number))
        tracemalloc.start()
        with closing(run_batch(items, RECORD, output=path)) as entries:
            for _ in range(number):
                next(entries)
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    return held


def test_memory_does_not_grow_with_the_number_of_items(tmp_path, monkeypatch):
    """Neither while they run nor when all are found done."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which takes longer than the rest
    few = held_at_the_end(200, tmp_path / "few.jsonl")
    many = held_at_the_end(1200, tmp_path / "many.jsonl")
    for small, large in zip(few, many, strict=True):
        assert large < small + 10_000  # 10 bytes an item: less than its key
