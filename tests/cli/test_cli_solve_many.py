"""``fripn solve-many``: every instance gets a line, whatever happens to the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from fripn.problem.generate import paper_instance
from fripn.problem.io import write_instance


@pytest.fixture
def folder(tmp_path):
    """Give a folder of six instances, one of them broken."""
    place = tmp_path / "instances"
    place.mkdir()
    for number in range(5):
        write_instance(paper_instance(8, number), place / f"day-{number}.json")
    (place / "day-9.json").write_text('{"format": ')
    return place


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_one_failing_instance_does_not_stop_the_rest(fripn, folder, tmp_path):
    """Five plans, one line that says what is wrong, exit code 1."""
    out = tmp_path / "out.jsonl"
    outcome = fripn("solve-many", folder, "-o", out, "--method", "savings", "--jobs", 2)
    assert outcome.code == 1
    assert "1 instance failed; its line in" in outcome.err
    lines = {line["source"]: line for line in read(out)}
    assert len(lines) == 6
    failed = lines.pop(str(folder / "day-9.json"))
    assert "day-9.json" in failed["error"]
    assert all(line["error"] is None and line["cost"] > 0 for line in lines.values())
    assert all(line["routes"] for line in lines.values())


def test_finished_instances_are_not_repeated(fripn, folder, tmp_path):
    """A second call adds nothing; failed ones are repeated when asked, torn lines always."""
    out = tmp_path / "out.jsonl"
    arguments = ("solve-many", folder, "-o", out, "--method", "savings", "--jobs", 1, "--quiet")
    fripn(*arguments)
    assert fripn(*arguments).code == 0
    assert len(read(out)) == 6
    fripn(*arguments, "--retry-failed")
    assert len(read(out)) == 7
    torn = out.read_bytes()[:-20]
    out.write_bytes(torn)
    fripn(*arguments, "--retry-failed")
    lines = read(out)
    assert len({line["source"] for line in lines}) == 6
    fripn(*arguments, "--seed", 1)
    assert len(read(out)) == len(lines) + 6


def test_csv_files_of_a_folder_need_vehicles(fripn, refused, tables, tmp_path):
    """Stops alone are no instance; with --vehicles every CSV of the folder is one."""
    out = tmp_path / "out.jsonl"
    days = tmp_path / "days"
    days.mkdir()
    for day in ("mon", "tue"):
        (days / f"{day}.csv").write_text(tables[0].read_text())
    assert "holds no file" in refused("solve-many", days, "-o", out)
    outcome = fripn(
        "solve-many", days, "-o", out, "--vehicles", tables[1], "--method", "savings", "-q"
    )
    assert outcome.code == 0
    assert len(read(out)) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "nowhere/out.jsonl"), "does not exist"),
        (("-o", "/dev/full"), "no ordinary file"),
        (("-o", "out.jsonl", "--jobs", "0"), "--jobs is 0"),
        (("-o", "out.jsonl", "--method", "hsg"), "no method"),
        (("-o", "out.jsonl", "--vehicles", "none.csv"), "none.csv"),
    ],
)
def test_bad_calls_are_refused(refused, folder, tmp_path, monkeypatch, arguments, words):
    """One sentence, before anything is solved or written."""
    monkeypatch.chdir(tmp_path)
    assert words in refused("solve-many", folder, *arguments)
    assert not (tmp_path / "out.jsonl").exists()


def test_kill_loses_no_finished_line(tmp_path):
    """After SIGKILL the lines in the file are whole, and the same command does the rest."""
    place = tmp_path / "instances"
    place.mkdir()
    for number in range(40):
        write_instance(paper_instance(6, number), place / f"{number:02}.json")
    out = tmp_path / "out.jsonl"
    command = [
        sys.executable, "-m", "fripn", "solve-many", str(place), "-o", str(out),
        "--method", "savings", "--jobs", "1",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ)
    limit = time.monotonic() + 20
    while time.monotonic() < limit and not (out.exists() and out.stat().st_size > 3000):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    whole = out.read_bytes().rsplit(b"\n", 1)[0].splitlines()
    assert whole
    for line in whole:
        json.loads(line)
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=os.environ)
    assert len({line["source"] for line in read(out)}) == 40
    assert len(read(out)) == 40


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_says_where_the_finished_lines_are(tmp_path, jobs):
    """Exit code 130 and a sentence; what was finished before stays."""
    place = tmp_path / "instances"
    place.mkdir()
    (place / "0.json").write_text("{")  # a line that says so is there at once
    for number in range(1, 4):
        write_instance(paper_instance(30, number), place / f"{number}.json")
    out = tmp_path / "out.jsonl"
    command = [
        sys.executable, "-m", "fripn", "solve-many", str(place), "-o", str(out),
        "--time-limit", "1000", "--jobs", str(jobs), "--quiet",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    limit = time.monotonic() + 60
    while not (out.exists() and out.read_bytes().endswith(b"\n")):
        assert process.poll() is None
        assert time.monotonic() < limit
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert [line["source"] for line in read(out)] == [str(place / "0.json")]


@pytest.mark.parametrize("content", ['{"my":"precious"}', "dear diary", '{"my": "precious"}\n'])
def test_a_file_of_somebody_else_is_left_alone(refused, folder, tmp_path, content):
    """Refused before anything is solved, whether or not it ends in a newline."""
    out = tmp_path / "precious.json"
    out.write_text(content)
    assert "name another file" in refused("solve-many", folder, "-o", out, "--method", "savings")
    assert out.read_text() == content


def test_the_lines_of_bench_are_not_ours(fripn, refused, folder, tmp_path):
    """Neither command writes into a file of the other."""
    ours, theirs = tmp_path / "many.jsonl", tmp_path / "bench.jsonl"
    fripn("solve-many", "golden-03", "-o", ours, "--method", "savings", "--jobs", 1)
    bench = ("bench", "run", "--suite", "golden", "--limit", 1, "-m", "savings", "-t", 1)
    fripn(*bench, "-o", theirs)
    before = ours.read_bytes(), theirs.read_bytes()
    assert "fripn solve-many did not write it" in refused("solve-many", folder, "-o", theirs)
    assert "fripn bench run did not write it" in refused(*bench, "-o", ours)
    assert (ours.read_bytes(), theirs.read_bytes()) == before
