"""``fripn bound`` and ``fripn solve --prove``: what no plan can cost less than."""

from __future__ import annotations

import json

import pytest


def test_bound_meets_the_plan(fripn, tables):
    """A small instance is closed: bound and plan are the same number."""
    outcome = fripn("bound", tables[0], tables[1], "--threads", 1)
    assert outcome.code == 0
    lines = dict(line.split(maxsplit=1) for line in outcome.out.splitlines())
    assert lines["bound"].split()[0] == lines["plan"].split(":")[0]
    assert "at most 0.000 % could be saved" in lines["plan"]
    assert lines["method"].startswith("exact, optimal")


def test_bound_as_json_has_the_keys_of_solve(fripn, tables):
    """One object, with bound and what proved it."""
    record = json.loads(fripn("bound", tables[0], tables[1], "--json").out)
    assert record["status"] == "optimal"
    assert record["lower_bound"] == pytest.approx(record["cost"])
    assert record["proved_by"]
    again = json.loads(fripn("solve", tables[0], tables[1], "--prove", "--json").out)
    assert again.keys() == record.keys()
    assert again["method"] == "exact"
    assert again["cost"] == pytest.approx(record["cost"])


def test_quiet_bound_prints_nothing(fripn, tables):
    """As everywhere."""
    outcome = fripn("bound", tables[0], tables[1], "-q", "--gap", 50)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_prove_and_another_method_contradict_each_other(refused, tables):
    """The message names both."""
    message = refused("solve", tables[0], tables[1], "--prove", "--method", "savings")
    assert "--prove" in message
    assert "'savings'" in message
