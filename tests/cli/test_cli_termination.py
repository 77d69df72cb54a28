"""SIGTERM ends a command as Ctrl-C does: what is finished is kept, and nothing is left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from fripn.problem import evaluate
from fripn.problem.generate import paper_instance
from fripn.problem.io import read_solution, write_instance

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such signals")


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "fripn", *map(str, arguments)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def started_batch(tmp_path, jobs, **options):
    """Start a batch that has a line at once, of an unreadable file, and others much later."""
    folder, lines = tmp_path / "days", tmp_path / "lines.jsonl"
    folder.mkdir()
    (folder / "0.json").write_text("{")
    for number in range(1, 4):
        write_instance(paper_instance(30, number), folder / f"{number}.json")
    command = ("solve-many", folder, "-o", lines, "--time-limit", 600, "--jobs", jobs, "--quiet")
    process = start(*command, start_new_session=True, **options)
    while not (lines.exists() and lines.read_bytes().endswith(b"\n")):
        assert process.poll() is None
        time.sleep(0.01)
    return process, lines


def is_any_left(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(("jobs", "send"), [(1, os.kill), (2, os.killpg)])
def test_a_batch_keeps_what_is_finished(tmp_path, jobs, send):
    """Also where the signal goes to its workers too, as service managers send it."""
    process, lines = started_batch(tmp_path, jobs)
    send(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in err
    assert "Traceback" not in err
    assert "leaked" not in err
    (line,) = map(json.loads, lines.read_text().splitlines())
    assert line["source"].endswith("0.json")
    deadline = time.monotonic() + 60
    while is_any_left(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_where_ctrl_c_is_ignored_sigterm_still_ends_the_program(tmp_path):
    """Shells start background jobs of scripts like that."""
    process, _ = started_batch(
        tmp_path, 1, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM


def test_a_search_keeps_its_plan(tmp_path):
    """It is written as at the end of the time."""
    instance, plan = paper_instance(100, 1), tmp_path / "plan.json"
    write_instance(instance, tmp_path / "day.json")
    command = ("solve", tmp_path / "day.json", "-o", plan, "-t", 600, "--progress", "plain")
    process = start(*command)
    process.stderr.readline()  # there is a plan
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert evaluate(instance, read_solution(plan, instance)).is_feasible
