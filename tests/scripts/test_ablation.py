"""The learning curves: from points to a table and a picture."""

from __future__ import annotations

import pytest

from fripn.train.labelling import LabelSettings, make_labels

HEADER = (
    "network,step,hours,instances,imitation_loss,reinforce_cost,learning_rate,greedy,sampled,"
    "greedy_gap,sampled_gap\n"
)
ROW = "{network},{step},0.01,40,1.5,nan,0.0006,100,72,{gap},9.839\n"


@pytest.mark.pure
def test_the_end_of_each_curve_is_printed(checkout, run_script, tmp_path):
    """From the published points; the docs are updated only with all published networks."""
    script = checkout("runs/ablation.py")
    points = tmp_path / "docs" / "results" / "ablation_reinforce.csv"
    rows = [("without-graph", 10, 30), ("without-graph", 1234, 22.694), ("paper", 20, 23)]
    text = "".join(ROW.format(network=n, step=s, gap=g) for n, s, g in rows)
    points.write_text(HEADER + text, encoding="utf-8")
    call = ["--report", "--method", "reinforce"]
    ended = run_script(script, *call)
    assert ended.out == (
        "| network | steps | greedy, % | best of the samples, % |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| without-graph | 1,234 | +22.69 | +9.84 |\n"
        "| paper | 20 | +23.00 | +9.84 |\n"
    )
    ended = run_script(script, *call, "--update-docs")
    assert ended.code == 2
    assert "these cells lack runs: cover; local-residual-pair; measure them" in ended.err
    picture = tmp_path / "docs" / "ablation-reinforce.png"
    assert not picture.exists()
    assert run_script(script, *call, "--update-docs", "--partial").code == 0
    assert picture.exists()


@pytest.mark.pure
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ([], "--validation is not given; name a folder"),
        (["--validation", "x"], "imitation needs --labels, a folder"),
        (["--validation", "x", "--labels", "y"], "no labels in"),
        (["--report"], "ablation.csv; train first, without --report"),
    ],
)
def test_missing_folders_are_named(call, message, checkout, run_script):
    """One sentence each."""
    ended = run_script(checkout("runs/ablation.py"), *call)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_networks_are_trained_once(checkout, run_script, tmp_path):
    """A run per network, and points and picture of all; the docs stay as they are."""
    labels = LabelSettings((5,), 0.0, 1, 40, 0, "")
    make_labels(labels, tmp_path / "validation", 1, threads=1, report=lambda line: None)
    script = checkout("runs/ablation.py")
    call = ["--validation", tmp_path / "validation", "--method", "reinforce", "--hours", "1e-6"]
    ended = run_script(script, *call, "--networks", "paper")
    assert ended.code == 0
    assert "\n| paper | 1 | " in ended.out
    out = tmp_path / "out" / "ablation"
    assert (out / "ablation-reinforce.png").is_file()
    assert (out / "ablation-reinforce.csv").read_text("utf-8").startswith(HEADER)
    assert run_script(script, *call, "--networks", "paper").out == ended.out
    assert sorted(path.name for path in (tmp_path / "docs").rglob("*")) == [
        "benchmarks.md",
        "results",
    ]
