"""Bad input: exit code 2, one sentence with place and value, nothing on stdout, nothing written."""

from __future__ import annotations

import json
import os

import pytest

from helpers import STOPS, VEHICLES, OneByOne


@pytest.fixture
def refused_tables(refused, tmp_path):
    """Solve a pair of tables that must be refused, with an output file that must not appear."""

    def call(stops: str = STOPS, vehicles: str = VEHICLES) -> str:
        (tmp_path / "stops.csv").write_text(stops, encoding="utf-8")
        (tmp_path / "vehicles.csv").write_text(vehicles, encoding="utf-8")
        plan = tmp_path / "plan.json"
        sentence = refused(
            "solve", tmp_path / "stops.csv", tmp_path / "vehicles.csv", "--json", "-o", plan
        )
        assert not plan.exists()
        return sentence

    return call


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("demand", "demnd", ("demnd", "demand")),
        (",demand,depot", ",note,depot", ("demand",)),
        ("10,Ada,3,4,2", "10,Ada,three,4,2", ("three",)),
        ("10,Ada,3,4,2", "10,Ada,3,4,nan", ("nan",)),
        ("10,Ada,3,4,2", "10,Ada,inf,4,2", ("inf",)),
        ("10,Ada,3,4,2", "10,Ada,3,4,-2", ("-2", "line 3")),
        ("20,Bo", "10,Bo", ("10",)),
        ("20,Bo,6,8,3", "20,Bo,6,8,9", ("9", "truck", "6")),
        ("0,Depot,0,0,0,1", "0,Hub,0,0,0,", ("depot",)),
        ("10,Ada,3,4,2,\n20,Bo,6,8,3,\n30,Cy,0,5,1,\n", "", ("customer",)),
    ],
)
def test_wrong_stops(refused_tables, old, new, words):
    """What can be wrong in a table of stops is named."""
    assert old in STOPS
    sentence = refused_tables(stops=STOPS.replace(old, new))
    for word in words:
        assert word in sentence


def test_latitude_out_of_range(refused_tables):
    """Swapped latitude and longitude are the usual reason."""
    stops = STOPS.replace("x,y", "lat,lon").replace("20,Bo,6,8", "20,Bo,96,8")
    assert "latitude" in refused_tables(stops=stops)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("van,4,10,1,", "van,-4,10,1,", ("van", "-4")),
        ("van,4,10,1,", "van,4,-10,1,", ("van", "-10")),
        ("van,4,10,1,", "van,4,10,x,", ("x",)),
        ("van,4,10,1,", "truck,4,10,1,", ("truck",)),
        ("van,4,10,1,\ntruck,6,15,2,3\n", "", ("vehicle",)),
        ("van,4,10,1,\ntruck,6,15,2,3", "truck,3,15,2,1", ("6", "3")),
        ("available", "availabel", ("availabel", "available")),
    ],
)
def test_wrong_vehicles(refused_tables, old, new, words):
    """What can be wrong in a table of vehicles is named."""
    assert old in VEHICLES
    sentence = refused_tables(vehicles=VEHICLES.replace(old, new))
    for word in words:
        assert word in sentence


def test_truncated_json(refused, fripn, tmp_path):
    """Half a file is refused with its name."""
    whole = tmp_path / "whole.json"
    assert fripn("convert", "golden-03", whole).code == 0
    half = tmp_path / "half.json"
    text = whole.read_text(encoding="utf-8")
    half.write_text(text[: len(text) // 2], encoding="utf-8")
    assert "half.json" in refused("solve", half)


def test_unknown_key_names_the_nearest(refused, fripn, tmp_path):
    """A misspelt key is not silently ignored."""
    path = tmp_path / "instance.json"
    fripn("convert", "golden-03", path)
    record = json.loads(path.read_text(encoding="utf-8"))
    record["vehicle_typs"] = record.pop("vehicle_types")
    path.write_text(json.dumps(record), encoding="utf-8")
    assert "vehicle_types" in refused("solve", path)


def test_matrix_of_the_wrong_shape(refused, fripn, tmp_path):
    """Rows and columns must match the stops."""
    path = tmp_path / "instance.json"
    fripn("convert", "golden-03", path)
    record = json.loads(path.read_text(encoding="utf-8"))
    record["metric"] = "matrix"
    record["matrix"] = [[0, 1], [1, 0]]
    path.write_text(json.dumps(record), encoding="utf-8")
    assert "matrix" in refused("solve", path)


def test_missing_files(refused, tmp_path, tables):
    """Every file that is named must be there."""
    assert "nowhere.json" in refused("solve", tmp_path / "nowhere.json")
    assert "nowhere.csv" in refused("solve", tables[0], tmp_path / "nowhere.csv")
    assert "nowhere.sol" in refused("check", "golden-03", tmp_path / "nowhere.sol")
    assert "folder" in refused("solve", tmp_path)
    assert "--vehicles" in refused("solve", tables[0])
    assert "twice" in refused("solve", *tables, "--vehicles", tables[1])
    assert "leave" in refused("solve", "golden-03", "--vehicles", tables[1])


def test_unknown_names_get_the_nearest(refused):
    """Typing errors are answered with what was meant."""
    assert "did you mean 'golden-20'" in refused("solve", "golden-2O")
    assert "did you mean 'savings'" in refused("solve", "golden-20", "-m", "saving")
    assert "1000" in refused("solve", "paper:20:1000") or "999" in refused("solve", "paper:20:1000")


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--time-limit", "0"], "time limit"),
        (["--time-limit", "nan"], "time limit"),
        (["--time-limit", "soon"], "--time-limit"),
        (["--iterations", "-1"], "iterations"),
        (["--threads", "0"], "threads"),
        (["--seed", "-1"], "seed"),
        (["--target", "inf"], "target"),
        (["--progress", "loud"], "--progress"),
        (["--frobnicate"], "--frobnicate"),
        (["--start", "nowhere.json"], "nowhere.json"),
    ],
)
def test_wrong_flags(refused, flags, word):
    """A flag out of range is named."""
    assert word in refused("solve", "golden-03", "-m", "savings", *flags)


def test_wrong_calls(refused):
    """Usage errors are one sentence too."""
    assert "INSTANCE" in refused("solve")
    assert "slove" in refused("slove")
    assert "bench" in refused("bench", "rnu")


def test_outputs_are_refused_before_solving(refused, register, tmp_path, tables):
    """Nobody waits an hour to learn that the folder does not exist."""

    class Never(OneByOne):
        def __call__(self, *arguments, **options):
            raise AssertionError("solved before the outputs were checked")

    register("never", Never)

    def solve(*words: object) -> str:
        return refused("solve", *tables, "-m", "never", *words)

    assert "does not exist" in solve("-o", tmp_path / "nowhere" / "plan.json")
    assert "does not exist" in solve("--plot", tmp_path / "nowhere" / "plan.svg")
    assert ".sol" in solve("-o", tmp_path / "plan.docx")
    assert "ending" in solve("-o", tmp_path / "plan")
    assert ".svg" in solve("--plot", tmp_path / "plan.json")
    assert "twice" in solve("-o", tmp_path / "a.json", "-o", tmp_path / "a.json")
    assert "input" in solve("-o", tables[0])
    assert "latitude" in solve("-o", tmp_path / "plan.geojson")
    (tmp_path / "folder.json").mkdir()
    assert "folder" in solve("-o", tmp_path / "folder.json")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(refused, tmp_path):
    """A folder without permission is named before solving."""
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    assert "permission" in refused("solve", "golden-03", "-m", "savings", "-o", folder / "a.json")


def test_start_must_be_a_valid_plan(refused, fripn, tmp_path):
    """A start that breaks a rule is refused with the rule."""
    path = tmp_path / "plan.json"
    fripn("solve", "golden-03", "-m", "savings", "-q", "-o", path)
    record = json.loads(path.read_text(encoding="utf-8"))
    record["routes"] = record["routes"][1:]
    path.write_text(json.dumps(record), encoding="utf-8")
    sentence = refused("solve", "golden-03", "-m", "savings", "--start", path)
    assert "is not visited" in sentence


def test_without_a_command_there_is_help(fripn):
    """The bare name prints the commands."""
    outcome = fripn()
    assert outcome.code == 2
    assert "solve" in outcome.out + outcome.err


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_instance_name_is_not_called_a_folder(refused, name):
    """An unset variable in a script is the usual cause."""
    sentence = refused("solve", name)
    assert f"the empty string {name!r}" in sentence
    assert "folder" not in sentence
