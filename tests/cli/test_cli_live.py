"""The live view shows time, cost, gap, fleet and curve, whatever the moment."""

import io

import pytest

from fripn.budget import Budget
from fripn.cli.live import LiveView, sparkline
from fripn.cli.progress import count_up
from fripn.problem import Solution
from fripn.problem.generate import paper_instance
from fripn.run import Progress


def make_view(elapsed, **changes):
    fields = {
        "instance": paper_instance(3, 1, num_types=2),
        "budget": Budget(seconds=10.0),
        "best_known": None,
        "clock": lambda: elapsed,
    } | changes
    return LiveView(**fields)


PLAN = Solution.of([(0, (1,)), (0, (2,)), (1, (3,))])


def test_before_the_first_plan_only_time_is_told():
    """Nothing is claimed before there is a plan."""
    rows = dict(make_view(0.2).lines())
    assert "9.8 s left" in rows["time"]
    assert rows["cost"] == "looking for a first plan"
    assert "fleet" not in rows


def test_best_plan_is_told_with_gap_and_fleet():
    """The last improvement counts."""
    view = make_view(5.0, best_known=100.0)
    view.take(Progress(0.1, 130.0, PLAN))
    view.take(Progress(2.5, 110.0, PLAN))
    rows = dict(view.lines())
    assert rows["cost"] == "110.00, found at 2.5 s, +10.00 % to the best known"
    assert rows["fleet"] == "2 × A, 1 × B"
    assert rows["curve"].endswith("from 130.00")
    assert "bound" not in rows
    view.take(Progress(3.0, 110.0, lower_bound=99.0))
    assert dict(view.lines())["bound"] == "99.00, 10.00 % below the cost"
    assert rows["time"].startswith("━" * 16 + "─")


def test_time_beyond_the_limit_and_no_limit():
    """The bar never overflows; without a limit there is none."""
    assert "0.0 s left" in dict(make_view(12.0).lines())["time"]
    assert dict(make_view(12.0, budget=Budget(iterations=5)).lines())["time"] == "12.0 s"


def test_view_fits_any_terminal():
    """Rows are cut, not wrapped, so that the view redraws in place."""
    from rich.console import Console

    view = make_view(1.0)
    view.take(Progress(0.1, 130.0, PLAN))
    view.take(Progress(0.5, 120.0, PLAN))
    out = io.StringIO()
    Console(file=out, width=24, force_terminal=True).print(view)
    assert len(out.getvalue().splitlines()) == len(view.lines())


@pytest.mark.parametrize("width", [1, 8, 40])
def test_sparkline_falls_from_high_to_low(width):
    """One sign per column, never rising, lowest at the end."""
    found = [(0.0, 100.0), (1.0, 60.0), (2.0, 55.0), (6.0, 50.0)]
    text = sparkline(found, 8.0, width)
    assert len(text) == width
    assert list(text) == sorted(text, reverse=True)
    assert text[-1] == "▁"


def test_the_bar_of_a_batch_counts_failures_and_nodes(capsys):
    """What is finished, how many failed, and on how many nodes of a cluster it runs."""
    with count_up(3, lambda: 2) as advance:
        advance("first", 0)
        advance("second", 1)
    shown = capsys.readouterr().err
    assert "second, 1 failed, 2 nodes" in shown
    assert "2/3" in shown
