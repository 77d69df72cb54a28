"""Tools and experiments, on the smallest cases."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fripn.policy.weights import default_weights, load_weights, save_weights
from fripn.train.curve import Row, write_curve
from fripn.train.labelling import LabelSettings, make_labels

ROOT = Path(__file__).parents[2]


def test_weights_are_compared_instance_by_instance(run_script):
    """The same weights twice differ by nothing."""
    call = ["shipped", "shipped", "--sizes", 5, "--instances", 2, "--decodings", "greedy x8"]
    ended = run_script(ROOT / "tools" / "compare_weights.py", *call)
    assert ended.code == 0
    assert ended.out.startswith("paper n = 5, greedy x8: ")
    assert ended.out.endswith(" +0.00 ± 0.00 %\n")


def test_shipped_weights_tell_where_they_come_from(checkout, run_script, tmp_path):
    """Settings and hours of every run, without the paths of a machine."""
    run = tmp_path / "training" / "stage-1"
    run.mkdir(parents=True)
    settings = {
        "steps": 7,
        "imitation": {"labels": str(tmp_path / "training" / "labels")},
        "validation": {"labels": "/elsewhere/validation"},
        "init": "given.safetensors",
    }
    (run / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    write_curve(run, [Row(7, 0.5, 224, 1.0, float("nan"), 1e-4, 60.0, 59.0, 2.0, 1.0)])
    shipped = default_weights()
    weights = type(shipped)(shipped.config, shipped.tensors, {"labels": {"shards": 3}})
    save_weights(weights, run / "last.safetensors")
    script = checkout("tools/ship_weights.py")
    call = [run / "last.safetensors", f"{run}:2"]
    ended = run_script(script, *call)
    assert (ended.code, ended.err) == (0, "")
    made = load_weights(tmp_path / "src/fripn/data/weights/fripn.safetensors")
    assert made.provenance["labels"] == {"shards": 3}
    (stage,) = made.provenance["stages"]
    assert (stage["run"], stage["steps"], stage["cpu_hours"]) == ("stage-1", 7, 1.0)
    assert stage["settings"] == settings | {
        "imitation": {"labels": "labels"},
        "validation": {"labels": "validation"},
    }
    assert run_script(script, *call, "--after", "shipped").code == 0
    made = load_weights(tmp_path / "src/fripn/data/weights/fripn.safetensors")
    assert [stage["run"] for stage in made.provenance["stages"]] == ["stage-1", "stage-1"]
    ended = run_script(script, *call, "--after", run / "last.safetensors")
    assert ended.code == 2
    assert "its file does not name the runs that made it" in ended.err
    assert run_script(script, *call, "--name", "paper-20").code == 0
    made = load_weights(tmp_path / "src/fripn/data/weights/paper-20.safetensors")
    assert made.fingerprint == load_weights(run / "last.safetensors").fingerprint
    ended = run_script(script, *call, "--name", "../x")
    assert ended.code == 2
    assert "--name is '../x'; give small letters" in ended.err


@pytest.mark.slow
def test_the_papers_networks_are_trained_in_stages(checkout, run_script, tmp_path):
    """All see as many instances; a stage can be made longer, and shipped; one imitates first."""
    script = checkout("tools/paper_training.py")
    shutil.copy(ROOT / "tools" / "ship_weights.py", script.parent)
    out = tmp_path / "training"

    def trained(instances):
        call = [sys.executable, script, "--size", 3, "--instances", instances, "--out", out]
        subprocess.run([*map(str, call)], check=True, capture_output=True)

    trained(32)
    trained(40)
    for name in ("paper-3", "paper-3-without-graph"):
        weights = load_weights(out / name / "last.safetensors")
        assert weights.provenance["instances"] == 64
        assert weights.config.remaining_graph == (name == "paper-3")
    assert run_script(script, "--size", 3, "--out", out, "--ship").code == 0
    made = load_weights(tmp_path / "src/fripn/data/weights/paper-3.safetensors")
    assert (made.provenance["instances"], len(made.provenance["stages"])) == (64, 1)
    settings = out / "paper-3" / "settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_text("utf-8")) | {"seed": 64}), "utf-8")
    again = [sys.executable, script, "--size", 3, "--instances", 32, "--out", out]
    ended = subprocess.run([*map(str, again)], capture_output=True, text=True)
    assert ended.returncode == 2
    assert "paper-3 holds an earlier stage; name another folder with --out" in ended.stderr
    call = ["--size", 3, "--instances", 32, "--out", out, "--imitation"]
    subprocess.run(
        [sys.executable, script, *map(str, call), "--labels", "4"], check=True, capture_output=True
    )
    assert run_script(script, *call, "--ship").code == 0
    made = load_weights(tmp_path / "src/fripn/data/weights/paper-3-imitation.safetensors")
    assert made.provenance["instances"] == 64
    start, after = made.provenance["stages"]
    assert start["settings"]["imitation"]["labels"] == "labels-3"
    assert (start["instances"], after["instances"]) == (32, 32)
    assert after["settings"]["init"] == "paper-3-imitation-start/last.safetensors"
    ended = run_script(script, "--size", 4, "--out", out, "--ship")
    assert ended.code == 2
    assert "has no last.safetensors; train first, or name another folder" in ended.err


def test_starts_are_compared_by_the_share_of_fixed_costs(run_script):
    """A table of the shares that occur."""
    call = ["--sizes", 8, "--instances", 3]
    ended = run_script(ROOT / "experiments" / "policy_start.py", *call)
    assert ended.code == 0
    header, rule, *rows = ended.out.splitlines()
    assert header.startswith("| share of fixed costs | instances |")
    assert rule == "| --- | ---: | ---: | ---: |"
    assert sum(int(row.split("|")[2]) for row in rows) == 3


def test_an_input_is_worth_what_it_lowers_the_loss(run_script, tmp_path):
    """Each set of inputs gets a number; too few labels are refused."""
    labels = LabelSettings((5,), 0.0, 1, 30, 0, "")
    make_labels(labels, tmp_path / "labels", 1, threads=1, report=lambda line: None)
    script = ROOT / "experiments" / "probe_inputs.py"
    call = ["--labels", tmp_path / "labels", "--steps", 2, "--threads", 1]
    ended = run_script(script, *call, "--only", "two nearest", "--drop", "local")
    assert ended.code == 0
    first, second = ended.out.splitlines()
    assert first == f"weights {default_weights().fingerprint}, without local"
    assert float(second.removeprefix("two nearest: ")) > 0


def test_proofs_are_kept_when_they_are_better(run_script, tmp_path):
    """An optimum replaces a bound, a smaller bound replaces nothing."""
    output = tmp_path / "proofs.csv"

    def ship(status, bound, seconds, instance="golden-20", suite="golden-17"):
        line = {
            "suite": suite, "instance": instance, "method": "exact", "seed": 0, "threads": 2,
            "time_limit": 60.0, "iterations": None, "best_known": None, "n": 100, "types": 3,
            "status": status, "cost": 4037.9, "fixed_cost": 0.0, "travel_cost": 0.0,
            "seconds": seconds, "iterations_done": 1, "lower_bound": bound, "gap_percent": None,
            "error": None, "version": "0.1.0", "commit": "abc", "cpus": 2, "weights": None,
        }  # fmt: skip
        lines = tmp_path / "lines.jsonl"
        lines.write_text(json.dumps(line) + "\n", encoding="utf-8")
        run_script(ROOT / "tools" / "ship_proofs.py", lines, "--output", output)
        return output.read_text("utf-8").splitlines()[1:] if output.exists() else []

    assert ship("feasible", 12.0, 1.0, "paper:20:0", "paper-20") == []
    assert ship("feasible", 4000.0, 60.0)[0].startswith("golden-20,bound,4000.000000,4037.9")
    assert ship("feasible", 3999.0, 60.0)[0].startswith("golden-20,bound,4000.000000,4037.9")
    assert ship("optimal", 4037.9, 50.0)[0].startswith("golden-20,optimal,4037.9")
    assert "50.00" in ship("feasible", 4037.8, 5.0)[0]
