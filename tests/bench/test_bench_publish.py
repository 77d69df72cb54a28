"""Raw lines of scripts: published, new, and moved from one to the other."""

from __future__ import annotations

import json

import pytest

from fripn.batch.lines import AMOUNT, TEXT, LineFormat, iter_lines
from fripn.bench.publish import Lines
from fripn.bench.run import bench_item
from fripn.bench.suites import Case
from fripn.budget import Budget

FORMAT = LineFormat("a script", {"name": TEXT, "cost": AMOUNT})


@pytest.fixture
def files(tmp_path):
    """Return published and new lines; a run of each stands in both files."""
    published, new = tmp_path / "docs" / "lines.jsonl", tmp_path / "out" / "lines.jsonl"
    for path, costs in ((published, {"a": 1, "b": 2, "é": 3}), (new, {"b": 9, "c": 8})):
        path.parent.mkdir()
        rows = [{"name": name, "cost": cost} for name, cost in costs.items()]
        path.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )
    return published, new


def lines_of(published, new, **more):
    return Lines(
        published,
        new,
        lambda path: [line for _, _, line in iter_lines(path, FORMAT)],
        lambda line: line["name"],
        **more,
    )


def costs(lines):
    return {line["name"]: line["cost"] for line in lines.all()}


@pytest.mark.pure
def test_the_newer_line_of_a_run_counts(files):
    """In the place of the older one; files that do not exist hold nothing."""
    assert list(costs(lines_of(*files)).items()) == [("a", 1), ("b", 9), ("é", 3), ("c", 8)]
    files[1].unlink()
    assert costs(lines_of(*files)) == {"a": 1, "b": 2, "é": 3}
    files[0].unlink()
    assert costs(lines_of(*files)) == {}


@pytest.mark.pure
def test_publishing_moves_the_new_lines(files):
    """Lines that stay are not touched, byte for byte; nothing new means nothing to do."""
    published, new = files
    first, _, third = published.read_text("utf-8").splitlines()
    lines = lines_of(*files)
    lines.publish()
    text = published.read_text("utf-8")
    assert text.splitlines()[:2] == [first, third]
    assert costs(lines) == {"a": 1, "é": 3, "b": 9, "c": 8}
    assert not new.exists()
    lines.publish()
    assert published.read_text("utf-8") == text


@pytest.mark.pure
def test_lines_that_may_not_be_published_stay(files):
    """Those of other weights, for example."""
    published, new = files
    lines_of(*files, is_publishable=lambda line: line["cost"] == 8).publish()
    assert [json.loads(line)["cost"] for line in published.read_text("utf-8").splitlines()] == [
        1,
        2,
        3,
        8,
    ]
    assert json.loads(new.read_text("utf-8")) == {"name": "b", "cost": 9}


def test_runs_are_done_once_or_again(tmp_path, capsys):
    """Published runs are repeated on request, new ones never."""
    lines = Lines(tmp_path / "published.jsonl", tmp_path / "out" / "new.jsonl")
    case = Case("golden", "golden-03", None, 961.03)
    items = [bench_item(case, "savings", 0, 1, Budget(seconds=1.0))]
    lines.run(items, 1)
    assert capsys.readouterr().err.startswith("golden-03, savings, 1 s: ")
    lines.run(items, 1)
    lines.run(items, 1, again=True)
    assert capsys.readouterr().err == ""
    lines.publish()
    lines.run(items, 1)
    assert not lines.new.exists()
    lines.run(items, 1, again=True)
    assert capsys.readouterr().err.count("golden-03") == 1
    assert len(lines.all()) == 1
