"""Raw lines of scripts: published, new, and moved from one to the other."""

from __future__ import annotations

import json

import pytest

from fripn.batch.lines import LineFormat, iter_lines
from fripn.bench.publish import Lines, is_clean
from fripn.bench.run import bench_item
from fripn.bench.suites import Case
from fripn.budget import Budget
from fripn.errors import InvalidSetting
from fripn.settings import NonNegative

FORMAT = LineFormat("a script", {"name": str, "cost": NonNegative})


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
def test_published_lines_that_may_not_be_do_not_count(files):
    """Those of an earlier protocol, for example: they go when new ones are published."""
    lines = lines_of(*files, is_publishable=lambda line: line["cost"] != 1)
    assert costs(lines) == {"b": 9, "é": 3, "c": 8}
    lines.publish()
    assert [json.loads(line)["cost"] for line in files[0].read_text("utf-8").splitlines()] == [
        3,
        9,
        8,
    ]


@pytest.mark.pure
def test_new_lines_that_may_not_be_published_are_refused(files):
    """One sentence with the file, how many, and their commits."""
    lines = lines_of(*files, is_publishable=lambda line: line["cost"] != 8)
    with pytest.raises(InvalidSetting, match=r"1 lines of .*lines\.jsonl are not of the table"):
        lines.refuse_unpublishable()
    lines_of(*files).refuse_unpublishable()


@pytest.mark.pure
@pytest.mark.parametrize(
    ("commit", "expected"), [("1324cfeee7b6", True), ("1324cfeee7b6+", False), (None, False)]
)
def test_a_line_of_a_checkout_with_changes_is_not_clean(commit, expected):
    """Nor is one of an unknown commit."""
    assert is_clean({"commit": commit}) is expected


def test_runs_that_cannot_be_published_are_announced(tmp_path, capsys, monkeypatch):
    """Before they start, not after an hour."""
    monkeypatch.setattr("fripn.bench.publish.current_commit", lambda: "abc+")
    files = tmp_path / "published.jsonl", tmp_path / "new.jsonl"
    items = [
        bench_item(Case("golden", "golden-03", None, 961.03), "savings", 0, 1, Budget(seconds=1.0))
    ]
    Lines(*files, is_publishable=is_clean).run(items, 1)
    assert capsys.readouterr().err.startswith("these runs cannot be published: they are of commit ")


def test_runs_are_done_once_or_again(tmp_path, capsys):
    """Published runs are repeated on request, new ones never."""
    lines = Lines(tmp_path / "published.jsonl", tmp_path / "out" / "new.jsonl")
    case = Case("golden", "golden-03", None, 961.03)
    items = [bench_item(case, "savings", 0, 1, Budget(seconds=1.0))]
    lines.run(items, 1)
    assert capsys.readouterr().err.startswith("golden-03, savings, seed 0, 1 s: ")
    lines.run(items, 1)
    lines.run(items, 1, again=True)
    assert capsys.readouterr().err == ""
    lines.publish()
    lines.run(items, 1)
    assert not lines.new.exists()
    lines.run(items, 1, again=True)
    assert capsys.readouterr().err.count("golden-03") == 1
    assert len(lines.all()) == 1
