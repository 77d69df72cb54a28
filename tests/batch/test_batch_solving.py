"""``fripn.batch.solve_many``: many instances from Python."""

from __future__ import annotations

import pytest

from fripn import Budget, solve
from fripn.batch import Processes, plan_of_line, solve_many
from fripn.errors import InvalidSetting
from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance


def days(number):
    return (paper_instance(8, seed).replace(name=f"day {seed}") for seed in range(number))


def test_objects_files_and_names_go_together(tmp_path):
    """Every line holds the plan of its instance, and what it is known by."""
    path = tmp_path / "day.json"
    write_instance(paper_instance(8, 5), path)
    instance = paper_instance(8, 1).replace(name="mine")
    lines = list(solve_many([instance, path, "golden-03"], "savings"))
    assert [line["source"] for line in lines] == ["mine", str(path), "golden-03"]
    assert lines[0]["digest"] == instance.digest
    assert lines[2]["best_known"] == 961.03
    assert plan_of_line(lines[0], instance) == solve(instance, "savings").solution
    (failed,) = solve_many(["nowhere.json"], "savings")
    assert plan_of_line(failed, instance) is None


def test_processes_find_the_same_plans():
    """With a budget of iterations, whoever executes the items."""
    budget = Budget(iterations=30)
    here = {line["source"]: line for line in solve_many(days(3), "hgs", budget=budget, seed=2)}
    there = solve_many(days(3), "hgs", budget=budget, seed=2, executor=Processes(2))
    for line in there:
        assert line["routes"] == here[line["source"]]["routes"]
        assert line["limits"] == {"iterations": 30}
        assert line["time_limit"] is None


def test_an_interrupted_call_can_be_repeated(tmp_path):
    """All lines are yielded, those of the first call too; another budget is another run."""
    path = tmp_path / "lines.jsonl"
    first = solve_many(days(3), "savings", output=path)
    kept = next(first)
    first.close()
    lines = list(solve_many(days(3), "savings", output=path))
    assert lines[0] == kept
    assert len(lines) == len(path.read_bytes().splitlines()) == 3
    list(solve_many(days(3), "savings", output=path, budget=Budget(iterations=1)))
    list(solve_many(days(3), "savings", output=path, time_limit=5))
    assert len(path.read_bytes().splitlines()) == 9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "savngs"}, "did you mean 'savings'"),
        ({"time_limit": -1.0}, "time limit is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"time_limit": 1.0, "budget": Budget()}, "both time_limit and budget"),
    ],
)
def test_bad_arguments_are_refused_at_once(options, words):
    """Before the first line is requested."""
    with pytest.raises(InvalidSetting, match=words):
        solve_many(days(1), **options)


def test_instances_of_one_name_are_refused():
    """Their lines would be taken for each other's."""
    lines = solve_many([paper_instance(5, 1), paper_instance(5, 1)], "savings")
    with pytest.raises(InvalidSetting, match="comes twice"):
        list(lines)
