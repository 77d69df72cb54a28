"""Rows per instance, comparisons in pairs, and curves, against numbers worked out by hand."""

from __future__ import annotations

import csv
import io
import itertools

import pytest

from fripn.bench.convergence import plot_convergence
from fripn.bench.details import (
    by_instance,
    compare_pairs,
    instance_table,
    pair_table,
    signed_rank_test,
)
from fripn.bench.report import summarize
from fripn.errors import InvalidFile, MissingExtra


def line(instance, method, cost, seed=0, best_known=100.0, curve=None):
    record = {
        "suite": "s",
        "instance": instance,
        "method": method,
        "seed": seed,
        "threads": 1,
        "time_limit": 2.0,
        "iterations": None,
        "cost": cost,
        "seconds": None if cost is None else 2.0,
        "best_known": best_known,
        "error": "failed" if cost is None else None,
    }
    return record if curve is None else {**record, "curve": curve}


LINES = [
    line("a", "m", 102.0, 0), line("a", "m", 104.0, 1), line("b", "m", 101.0, 0),
    line("b", "m", 101.0, 1), line("a", "k", 101.0, 0), line("a", "k", 101.0, 1),
    line("b", "k", None, 0), line("b", "k", 103.0, 1),
]  # fmt: skip


def test_rows_per_instance():
    """Best, mean and spread over the seeds; failures are counted and left out."""
    rows = {(row.instance, row.method): row for row in by_instance(LINES)}
    first = rows["a", "m"]
    assert (first.best_cost, first.mean_cost, first.reference) == (102.0, 103.0, 100.0)
    assert first.cost_spread == pytest.approx(2.0**0.5)
    assert (first.mean_gap, first.worst_gap) == (pytest.approx(3.0), pytest.approx(4.0))
    failed = rows["b", "k"]
    assert (failed.runs, failed.failures, failed.cost_spread) == (2, 1, None)


def test_spread_over_seeds():
    """Mean gaps of 1.5 and 2.5 % by seed: a standard deviation of 0.707."""
    row = next(row for row in summarize(LINES).rows if row.method == "m")
    assert row.mean_gap == pytest.approx(2.0)
    assert row.seed_spread == pytest.approx(0.5**0.5)
    (alone,) = summarize(LINES[:1]).rows
    assert alone.seed_spread is None


def test_pairs_are_compared_by_instance():
    """On the mean costs of the instances that both solved."""
    (pair,) = compare_pairs(LINES)
    assert (pair.first, pair.second, pair.instances) == ("m", "k", 2)
    assert (pair.better, pair.worse) == (1, 1)
    assert pair.mean_difference == pytest.approx((100 * 2 / 101 - 100 * 2 / 103) / 2)
    assert pair.p_value == 1.0


def all_signs(sizes):
    """Return the p-value by counting every choice of signs."""
    ranks = dict.fromkeys(sizes, 0.0)
    for size in ranks:
        places = [i + 1 for i, other in enumerate(sorted(map(abs, sizes))) if other == abs(size)]
        ranks[size] = sum(places) / len(places)
    mine = sum(ranks[size] for size in sizes if size > 0)
    sums = [
        sum(rank for rank, sign in zip((ranks[s] for s in sizes), signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=len(sizes))
    ]
    low = sum(value <= mine for value in sums) / len(sums)
    high = sum(value >= mine for value in sums) / len(sums)
    return min(1.0, 2 * min(low, high))


@pytest.mark.parametrize(
    "sizes",
    [[1.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, -2.0, 3.0, 4.0, -5.0, 6.0], [1.0, 1.0, 1.0, -1.0, 2.0],
     [-3.0, -1.0, -2.0, -4.0, 0.5, -6.0, -7.0, -8.0]],
)  # fmt: skip
def test_signed_ranks_against_all_signs(sizes):
    """The exact distribution, with and without equal sizes."""
    assert signed_rank_test(sizes) == pytest.approx(all_signs(sizes))
    assert signed_rank_test([*sizes, 0.0, 0.0]) == pytest.approx(all_signs(sizes))
    assert signed_rank_test([-size for size in sizes]) == pytest.approx(all_signs(sizes))


def test_many_pairs_are_approximated(monkeypatch):
    """The normal approximation is near the exact value; nothing to compare has none."""
    sizes = [(-1.0 if i % 3 == 0 else 1.0) * (i + 1) for i in range(60)]
    exact = signed_rank_test(sizes)
    monkeypatch.setattr("fripn.bench.details.MOST_EXACT", 10)
    assert signed_rank_test(sizes) == pytest.approx(exact, rel=0.1)
    assert signed_rank_test([0.0, 0.0]) is None


@pytest.mark.parametrize("form", ["md", "text", "csv"])
def test_tables(form):
    """All rows in every format; CSV has all digits."""
    instances = instance_table(by_instance(LINES), form)
    pairs = pair_table(compare_pairs(LINES), form)
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(instances)))
        assert [row["mean_cost"] for row in rows] == ["103.0", "101.0", "101.0", "103.0"]
        assert next(csv.DictReader(io.StringIO(pairs)))["p_value"] == "1.0"
    else:
        assert instances.count("\n") == 5 + (form == "md")
        assert "1.0000" in pairs
        assert "-0.0" not in instances + pairs


def test_curves_are_drawn(tmp_path, monkeypatch):
    """The mean gap over time; without a curve, a package or an .svg file one sentence says so."""
    curves = [
        line("a", "m", 102.0, 0, curve=[[0.1, 110.0], [1.0, 102.0]]),
        line("a", "m", 104.0, 1, curve=[[0.2, 104.0]]),
        line("a", "k", 101.0, 0, curve=[[0.0, 101.0]]),
    ]
    plot_convergence(curves, tmp_path / "x.svg")
    drawn = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "mean gap %" in drawn
    assert "k, 2 s, threads: 1" in drawn
    with pytest.raises(InvalidFile, match="no line has a curve; run fripn bench run with --curve"):
        plot_convergence(LINES, tmp_path / "y.svg")
    with pytest.raises(InvalidFile, match=r"y\.png does not end in \.svg"):
        plot_convergence(curves, tmp_path / "y.png")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="matplotlib"):
        plot_convergence(curves, tmp_path / "z.svg")
