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
from helpers import NoPlan


@pytest.fixture
def folder(tmp_path):
    """Return a folder of six instances, one of them broken."""
    place = tmp_path / "instances"
    place.mkdir()
    for number in range(5):
        write_instance(paper_instance(8, number), place / f"day-{number}.json")
    (place / "day-9.json").write_text('{"format": ')
    return place


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_one_failing_instance_does_not_stop_the_rest(fripn, folder, tmp_path):
    """Five plans, one line that says what is wrong, exit code 2."""
    out = tmp_path / "out.jsonl"
    outcome = fripn("solve-many", folder, "-o", out, "--method", "savings", "--jobs", 2)
    assert outcome.code == 2
    assert "1 instance failed; its line in" in outcome.err
    lines = {line["source"]: line for line in read(out)}
    assert len(lines) == 6
    failed = lines.pop(str(folder / "day-9.json"))
    assert "day-9.json" in failed["error"]
    assert (failed["status"], failed["digest"]) == ("unreadable", None)
    assert all(line["error"] is None and line["cost"] > 0 for line in lines.values())
    assert all(line["routes"] for line in lines.values())


def test_finished_instances_are_not_repeated(fripn, folder, tmp_path):
    """A second call adds nothing; failed ones are repeated on request, torn lines always."""
    out = tmp_path / "out.jsonl"
    arguments = ("solve-many", folder, "-o", out, "--method", "savings", "--jobs", 1, "--quiet")
    fripn(*arguments)
    assert fripn(*arguments).code == 2
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
    """Stops alone are not an instance; with --vehicles every CSV of the folder is one."""
    out = tmp_path / "out.jsonl"
    days = tmp_path / "days"
    days.mkdir()
    for day in ("mon", "tue"):
        (days / f"{day}.csv").write_text(tables[0].read_text())
    message = refused("solve-many", days, "-o", out)
    assert "holds no file" in message
    assert "--vehicles" in message
    outcome = fripn(
        "solve-many", days, "-o", out, "--vehicles", tables[1], "--method", "savings", "-q"
    )
    assert outcome.code == 0
    assert len(read(out)) == 2


def test_vehicles_are_for_tables_alone(fripn, refused, tables, tmp_path):
    """A folder may hold both formats; the vehicles that convert writes are not stops."""
    out = tmp_path / "out.jsonl"
    days = tmp_path / "days"
    days.mkdir()
    write_instance(paper_instance(8, 1), days / "sun.json")
    write_instance(paper_instance(8, 2), days / "mon.csv")
    (days / "vehicles.csv").write_text((days / "mon-vehicles.csv").read_text())
    call = ("solve-many", "-o", out, "--vehicles", days / "vehicles.csv", "--method", "savings")
    assert fripn(*call, days, "golden-03", "--jobs", 1).code == 0
    assert {line["source"]: line["vehicles_file"] for line in read(out)} == {
        str(days / "mon.csv"): str(days / "vehicles.csv"),
        str(days / "sun.json"): None,
        "golden-03": None,
    }
    assert "none of the instances is a table" in refused(*call, days / "sun.json")
    assert "given as an instance and for another part" in refused(*call, days / "vehicles.csv")
    assert "given as an instance and for another part" in refused(*call, out, days)


def test_the_depot_of_tables_can_be_named(fripn, tables, tmp_path):
    """The option that the message about a missing depot names."""
    out = tmp_path / "out.jsonl"
    tables[0].write_text(tables[0].read_text().replace("0,Depot,0,0,0,1", "7,Hub,0,0,0,"))
    call = ("solve-many", tables[0], "-o", out, "--vehicles", tables[1], "--method", "savings")
    assert fripn(*call, "--jobs", 1).code == 2
    assert "--depot" in read(out)[0]["error"]
    assert fripn(*call, "--jobs", 1, "--depot", 7).code == 0
    assert read(out)[1]["depot"] == "7"
    assert len(read(out)) == 2


def test_options_of_tables_and_roads_are_those_of_solve(fripn, refused, tables, tmp_path):
    """Own words for columns, the decimal mark, a matrix and a road factor; lines name them."""
    out, one = tmp_path / "out.jsonl", tmp_path / "one.json"
    stops, vehicles = tables
    text = stops.read_text()
    stops.write_text(text.replace("demand", "Anzahl", 1))
    tables_options = ("--vehicles", vehicles, "--map", "Anzahl=demand", "--decimal", ".")
    options = (*tables_options, "--road-factor", "1.5", "--method", "savings")
    assert fripn("solve", stops, *options, "-o", one, "-q").code == 0
    folder = tmp_path / "plans"
    assert fripn("solve-many", stops, *options, "-o", folder, "--jobs", 1, "-q").code == 0
    (line,) = read(folder / "lines.jsonl")
    assert line["cost"] == json.loads(one.read_text())["cost"]
    assert line["input"] == {"columns": {"Anzahl": "demand"}, "decimal": ".", "road_factor": 1.5}
    # The reports of the folder are made from the line: it must say how to read the tables.
    assert "href=" in (folder / "index.html").read_text("utf-8")
    assert fripn("convert", folder / "lines.jsonl", tmp_path / "again").code == 0
    assert (tmp_path / "again" / f"{stops.stem}.html").is_file()
    call = ("solve-many", stops, "-o", out, "--jobs", 1, "-q", *options[:-4], "--method", "savings")
    assert fripn(*call).code == 0
    assert fripn(*call, "--road-factor", "2").code == 0
    assert [line["input"].get("road_factor") for line in read(out)] == [None, 2.0]
    assert "there is no file none.csv" in refused(*call, "--matrix", "none.csv")
    assert "map {'Anzahl': 'demand'} is given, but none" in refused(
        "solve-many", "golden-03", "-o", out, "--map", "Anzahl=demand"
    )


def test_a_matrix_replaces_straight_lines(fripn, tables, tmp_path):
    """The same file goes with every instance; one that it does not fit fails alone."""
    out = tmp_path / "out.jsonl"
    stops, vehicles = tables
    size = len(stops.read_text().strip().splitlines()) - 1
    matrix = tmp_path / "km.csv"
    rows = [",".join("0" if i == j else "7" for j in range(size)) for i in range(size)]
    matrix.write_text("\n".join(rows) + "\n")
    call = ("solve-many", "-o", out, "--vehicles", vehicles, "--matrix", matrix, "--jobs", 1)
    assert fripn(*call, stops, "golden-03", "--method", "savings").code == 2
    fitting, other = read(out)
    assert fitting["distance"] % 7 == 0
    assert fitting["input"] == {"matrix": str(matrix)}
    assert "km.csv" in other["error"]


@pytest.mark.parametrize(
    "wrong", [{"road_factor": "x"}, {"columns": [1]}, {"other": 1}, {"matrix": 5}]
)
def test_lines_with_a_wrong_input_are_refused(fripn, tables, tmp_path, wrong):
    """One row of the page says so; nothing breaks."""
    out = tmp_path / "out.jsonl"
    call = ("solve-many", tables[0], "-o", out, "--vehicles", tables[1], "--method", "savings")
    assert fripn(*call, "--jobs", 1, "-q").code == 0
    (line,) = read(out)
    out.write_text(json.dumps(line | {"input": wrong}) + "\n")
    assert fripn("convert", out, tmp_path / "plans").code == 0
    page = (tmp_path / "plans" / "index.html").read_text("utf-8")
    assert "names its input in another way" in page


def test_a_changed_instance_is_solved_anew(fripn, tables, tmp_path):
    """Stops, vehicles and the name of their file count; so does a change that is taken back."""
    out = tmp_path / "out.jsonl"
    stops, vehicles = tables
    other = tmp_path / "other.csv"
    other.write_text(vehicles.read_text())

    def costs(vehicles_file=vehicles):
        outcome = fripn(
            "solve-many", stops, "-o", out, "--vehicles", vehicles_file, "--method", "savings",
            "--jobs", 1,
        )  # fmt: skip
        assert outcome.code == 0
        return [line["cost"] for line in read(out)], "have changed since" in outcome.err

    first, _ = costs()
    assert costs() == (first, False)
    before = vehicles.read_text()
    vehicles.write_text(
        before.replace("van,4,10", "van,4,100").replace("truck,6,15", "truck,6,150")
    )
    second, message = costs()
    assert message
    assert len(second) == 2
    assert second[1] > first[0]
    assert costs() == (second, False)
    vehicles.write_text(before + "\n")
    third, message = costs()
    assert (third, message) == ([*second, first[0]], True)
    stops.write_text(stops.read_text().replace("20,Bo,6,8,3", "20,Bo,60,8,3"))
    fourth, message = costs()
    assert message
    assert fourth[3] > first[0]
    assert len(costs(other)[0]) == 5
    digests = [line["digest"] for line in read(out)]
    assert digests[0] == digests[2] != digests[1]
    assert digests[3] == digests[4]


def test_a_mended_file_is_solved_without_asking(fripn, tmp_path):
    """A file that could not be read is another one once it can."""
    place, out = tmp_path / "day.json", tmp_path / "out.jsonl"
    place.write_text("{")
    call = ("solve-many", place, "-o", out, "--method", "savings", "--jobs", 1)
    assert [fripn(*call).code for _ in range(2)] == [2, 2]
    assert len(read(out)) == 1
    write_instance(paper_instance(6, 1), place)
    assert fripn(*call).code == 0
    assert [line["error"] is None for line in read(out)] == [False, True]


def test_lines_without_a_digest_are_done_again(fripn, folder, tmp_path):
    """Files of earlier versions can be gone on with, but do not vouch for their plans."""
    out = tmp_path / "out.jsonl"
    call = ("solve-many", folder / "day-1.json", "-o", out, "--method", "savings", "--jobs", 1)
    fripn(*call)
    old = {
        name: value
        for name, value in read(out)[0].items()
        if name not in ("digest", "vehicles_file", "depot")
    }
    out.write_text(json.dumps(old) + "\n")
    outcome = fripn(*call)
    assert outcome.code == 0
    assert "1 of 1 instances have changed since" in outcome.err
    assert len(read(out)) == 2


def test_no_plan_for_a_valid_instance_is_exit_code_1(fripn, folder, tmp_path, register):
    """Also when an earlier call found that out; 2 as soon as a file cannot be read."""
    register("fake", NoPlan)
    out = tmp_path / "out.jsonl"
    call = ("solve-many", "-o", out, "--method", "fake", "--jobs", 1)
    assert [fripn(*call, folder / "day-1.json").code for _ in range(2)] == [1, 1]
    assert read(out)[0]["status"] == "no_plan"
    assert fripn(*call, folder).code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "nowhere/out.jsonl"), "does not exist"),
        (("-o", "/dev/full"), "not an ordinary file"),
        (("-o", "out.jsonl", "--jobs", "0"), "--jobs is 0"),
        (("-o", "out.jsonl", "--method", "hsg"), "no method"),
        (("-o", "out.jsonl", "--vehicles", "none.csv"), "none.csv"),
        (("-o", "out.jsonl", "--depot", "0"), "depot '0' is given, but none"),
        (("-o", "out.jsonl", "-t", "nan"), "time limit is nan; give a finite number above 0"),
        (("-o", "out.jsonl", "-t", "inf"), "time limit is inf; give a finite number above 0"),
        (("-o", "out.jsonl", "-t", "-1"), "time limit is -1; give a number above 0"),
        (("-o", "out.jsonl", "--seed", "-1"), "seed is -1; give an integer, 0 or more"),
        (
            ("-o", "out.jsonl", "--seed", f"{10**23}"),
            f"seed is {10**23}; give an integer from 0 to",
        ),
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
    while process.poll() is None and not (out.exists() and out.stat().st_size > 3000):
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
    while not (out.exists() and out.read_bytes().endswith(b"\n")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in err
    assert "Traceback" not in err
    assert [line["source"] for line in read(out)] == [str(place / "0.json")]


@pytest.mark.parametrize("content", ['{"my":"precious"}', "my diary", '{"my": "precious"}\n'])
def test_a_file_of_somebody_else_is_left_alone(refused, folder, tmp_path, content):
    """Refused before anything is solved, whether or not it ends in a newline."""
    out = tmp_path / "precious.jsonl"
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
