"""Every script beside the package explains itself and refuses wrong arguments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

ROOT = Path(__file__).parents[2]
FOLDERS = ("benchmarks", "experiments", "runs", "tools")
SCRIPTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in FOLDERS
    for path in (ROOT / folder).glob("*.py")
    if "__main__" in path.read_text(encoding="utf-8")
)

#: A wrong value for an option of each script, and what is said about it.
WRONG = {
    "benchmarks/cancel_latency.py": (["--methods", "hgz"], "--methods: 'hgz' is not one of hybrid"),
    "benchmarks/day_first_plan.py": (["--customers", "1"], "--customers: 1 is out of range"),
    "benchmarks/cluster_overhead.py": (["--items", "0"], "--items: 0 is out of range; give 1"),
    "benchmarks/first_plan.py": (["--repeats", "0"], "--repeats: 0 is out of range; give 1"),
    "benchmarks/huge_instance.py": (["--places", "x"], "--places: 'x' is not one of uniform"),
    "benchmarks/large_instance.py": (["--customers", "x"], "'x' is not an integer; give 1 or more"),
    "benchmarks/many_instances.py": (["x", "--jobs", "0"], "--jobs: 0 is out of range; give 1"),
    "benchmarks/parts_model.py": (["--places", "x"], "--places: 'x' is not one of uniform"),
    "benchmarks/policy_decoder.py": (["--pair-width", "-1"], "--pair-width: -1 is out of range"),
    "benchmarks/policy_gradient.py": (["--pair-width", "x"], "'x' is not an integer; give 0 or"),
    "benchmarks/route_by_route.py": (["--weights", "none"], "no weights file none"),
    "benchmarks/train_throughput.py": (["--turns", "0"], "--turns: 0 is out of range; give 1"),
    "benchmarks/wide_thousand.py": (["--time-limit", "0"], "'0' is not a number above 0"),
    "experiments/long_runs.py": (["--every", "0"], "--every: 0 is out of range; give 1"),
    "experiments/policy_start.py": (["--sizes", "60,y"], "--sizes: 'y' is not an integer"),
    "experiments/policy_share.py": (["--shares", "1"], "--shares is [1.0]; give numbers from 0"),
    "experiments/probe_inputs.py": (["--labels", "none"], "no labels in none"),
    "runs/ablation.py": (["--networks", "papr"], "--networks: 'papr' is not one of without-graph"),
    "runs/baselines_table.py": (["--suites", "gold"], "--suites: 'gold' is not one of golden"),
    "runs/day_table.py": (["--rows", "golden"], "--rows: 'golden' is not one of fsmtw"),
    "runs/engine_table.py": (["--rows", "golden-2"], "--rows: 'golden-2' is not one of golden-1.5"),
    "runs/hybrid_table.py": (["--budgets", "1,-1"], "--budgets: '-1' is not a number above 0"),
    "runs/learning_table.py": (["--types", "7"], "--types: '7' is not one of few, 15, 30"),
    "runs/paper.py": (["--only", "table3"], "--only: 'table3' is not one of table1, table2"),
    "runs/policy_table.py": (["--sizes", "21"], "--sizes: the paper has 20, 50, 75, 100, not 21"),
    "runs/policy_unseen.py": (["--sets", "gold"], "--sets: 'gold' is not one of golden, xh, large"),
    "tools/best_plans.py": (["none.jsonl"], "there is no file none.jsonl"),
    "tools/compare_weights.py": (["none.safetensors"], "no weights file none.safetensors"),
    "tools/paper_training.py": (["--size", "x"], "--size: 'x' is not an integer; give 1 or"),
    "tools/ship_weights.py": (["a.safetensors", "none"], "none has no curve.csv; name the folder"),
}

#: Scripts that publish a table or a figure.
PUBLISHING = [script for script in SCRIPTS if script.startswith("runs/")]


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_tells_what_a_script_does(script, run_script):
    """The first line of the docstring, how it is called, and its options."""
    ended = run_script(ROOT / script, "--help")
    assert ended.code == 0
    first_line = (ROOT / script).read_text(encoding="utf-8").split('"""')[1].splitlines()[0]
    assert first_line.split(":")[0] in " ".join(ended.out.split())


@pytest.mark.parametrize("script", sorted(WRONG))
def test_a_wrong_argument_gets_one_sentence(script, run_script, monkeypatch, tmp_path):
    """Exit code 2, the option, the value and the remedy; nothing is measured or written."""
    monkeypatch.chdir(tmp_path)
    arguments, message = WRONG[script]
    ended = run_script(ROOT / script, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert ended.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("script", PUBLISHING)
def test_an_option_that_would_do_nothing_is_refused(script, run_script):
    """Partial tables are a question only when the docs are updated."""
    ended = run_script(ROOT / script, "--report", "--partial")
    assert ended.code == 2
    assert "--partial does nothing without --update-docs" in ended.err


def test_scripts_that_the_pages_name_exist():
    """A script that moved is found under its new name."""
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("**/*.md"),
        *(ROOT / "src").glob("**/*.toml"),
    ]
    names = rf"\b(?:{'|'.join(FOLDERS)})/\w+\.py"
    for page in pages:
        for name in re.findall(names, page.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{page.relative_to(ROOT)} names {name}"


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_unknown_option_is_refused(script, run_script):
    """Nothing is guessed from the beginning of a name."""
    ended = run_script(ROOT / script, "--no-such-option")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err
