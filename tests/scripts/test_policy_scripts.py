"""The tables of the policy alone."""

from __future__ import annotations

import json

import pytest

from fripn.policy.weights import default_weights


@pytest.fixture
def decoded():
    """Return a maker of lines with the shipped weights."""
    mark = default_weights().fingerprint

    def make(instance, decoding, **more):
        samples = 1 if decoding.startswith("greedy") else 1000
        line = {"instance": instance, "decoding": decoding, "samples": samples, "weights": mark}
        return line | more

    return make


@pytest.mark.pure
def test_costs_stand_beside_those_of_the_paper(checkout, run_script, decoded):
    """Means of all 1,000, estimates from some beside all of greedy ×8, or the first ones."""
    lines = [
        decoded(f"paper:20:{index}", "greedy x8", size=20, cost=60.0 + 10 * (index % 2))
        for index in range(1000)
    ]
    lines += [decoded(f"paper:20:{i}", "sampling", size=20, cost=59.0 + 9 * i) for i in range(2)]
    lines += [decoded("paper:50:0", "greedy", size=50, cost=155.0)]
    script = checkout("runs/policy_table.py", ["policy_table"], policy_table=lines)
    ended = run_script(script, "--report")
    assert ended.code == 0
    assert "| greedy x8 | 65.00 (65.27) | – (153.50) |" in ended.out
    assert "| sampling | ≈ 63.50 ± 0.38, from 2 (64.55) | – (152.01) |" in ended.out
    assert "| greedy | – (66.66) | 155.00 on the first 1 (155.54) |" in ended.out
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "lack runs: greedy, n = 20; greedy, n = 50;" in ended.err
    assert "greedy x8, n = 20" not in ended.err


@pytest.mark.pure
def test_gaps_are_means_over_a_set(checkout, run_script, decoded):
    """With the number of instances, and what the set is compared with."""
    common = {"reference": 100.0, "set": "golden", "cost": 101.0}
    lines = [
        {"set": "golden"} | decoded(name, "greedy x8", gap_percent=gap, **common)
        for name, gap in (("golden-03", 1.0), ("golden-04", 2.0))
    ]
    script = checkout("runs/policy_unseen.py", ["policy_unseen"], policy_unseen=lines)
    ended = run_script(script, "--report")
    assert "| golden | +1.50 (2) |  |  |\n\ngolden: the native variant, against" in ended.out
    ended = run_script(script, "--report", "--update-docs")
    assert ended.code == 2
    assert "lack runs: golden, sampling x8; golden, sampling x8, split; xh, greedy x8;" in ended.err


@pytest.mark.pure
@pytest.mark.parametrize("script", ["runs/policy_table.py", "runs/policy_unseen.py"])
@pytest.mark.parametrize("wrong", [("--weights", "x"), ("--samples", 10), ("--temperature", 1)])
def test_only_the_shipped_weights_and_all_samples_are_published(
    script, wrong, checkout, run_script
):
    """What stands above the tables says so."""
    ended = run_script(checkout(script), "--report", "--update-docs", *wrong)
    assert ended.code == 2
    assert f"; leave {wrong[0]} out" in ended.err


def test_decodings_are_measured_once(checkout, run_script, tmp_path):
    """Lines name instance, decoding and weights; the next call has nothing to do."""
    script = checkout("runs/policy_table.py", ["policy_table"])
    call = ["--sizes", 20, "--instances", 2, "--samples", 3, "--threads", 1]
    ended = run_script(script, *call)
    assert ended.code == 0
    new = tmp_path / "out" / "policy_table.jsonl"
    text = new.read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["instance"], line["decoding"], line["samples"]) for line in lines[:4]] == [
        ("paper:20:0", "greedy", 1),
        ("paper:20:0", "greedy x8", 1),
        ("paper:20:0", "sampling", 3),
        ("paper:20:0", "sampling x8", 3),
    ]
    assert run_script(script, *call).out == ended.out
    assert new.read_text("utf-8") == text


def test_another_temperature_is_another_run_where_it_matters(checkout, run_script, tmp_path):
    """Not of greedy decoding, nor where it is the default; tables do not mix them."""
    script = checkout("runs/policy_table.py", ["policy_table"])
    new = tmp_path / "out" / "policy_table.jsonl"
    call = ["--sizes", "20,50", "--instances", 1, "--samples", 4, "--threads", 1]
    default = run_script(script, *call).out
    count = new.read_text("utf-8").count("\n")
    hot = run_script(script, *call, "--temperature", 3)
    added = [json.loads(line) for line in new.read_text("utf-8").splitlines()[count:]]
    assert {(line["size"], line["decoding"]) for line in added} == {
        (size, decoding) for size in (20, 50) for decoding in ("sampling", "sampling x8")
    }
    assert {line["temperature"] for line in added} == {3.0}
    assert hot.out != default
    assert run_script(script, *call).out == default
    count = new.read_text("utf-8").count("\n")
    run_script(script, *call, "--temperature", 1)
    added = [json.loads(line) for line in new.read_text("utf-8").splitlines()[count:]]
    assert {line["size"] for line in added} == {50}
