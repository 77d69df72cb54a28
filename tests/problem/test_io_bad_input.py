"""Whatever a file holds, readers answer with one sentence of ours and nothing else."""

import contextlib
import json
import random
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fripn.errors import InvalidFile, InvalidInput
from fripn.problem import library
from fripn.problem.io import (
    instance_to_dict,
    read_instance,
    read_solution,
    write_instance,
    write_solution,
)
from fripn.problem.io.atomic import write_all_atomically, write_atomically

OWN = {
    "format": "fripn-instance",
    "version": 1,
    "name": "own",
    "metric": "euclidean",
    "depot": {"x": 0, "y": 0},
    "customers": [{"x": 3, "y": 4, "demand": 2}, {"x": 0, "y": 8, "demand": 3}],
    "vehicle_types": [{"name": "A", "capacity": 5, "fixed_cost": 1, "unit_cost": 1}],
}

NAN, INF = float("nan"), float("inf")


def at(value, *path, to):
    """Return a copy of a JSON value with one entry changed."""
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return copy


def without(value, key):
    return {name: entry for name, entry in value.items() if name != key}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (without(OWN, "depot"), "has no key 'depot'; add it"),
        (without(OWN, "format"), '"format" is missing'),
        (at(OWN, "format", to="other"), "\"format\" is 'other'"),
        (at(OWN, "version", to=3), "this release reads version 1"),
        (at(OWN, "version", to=True), "this release reads version 1"),
        (at(OWN, "metrics", to=1), "unknown key 'metrics'; did you mean 'metric'"),
        (at(OWN, "metric", to="euclid"), "did you mean 'euclidean'"),
        (at(OWN, "metric", to=[1]), "use 'euclidean'"),
        (at(OWN, "metric", to="great_circle"), "unknown key 'x'"),
        (at(OWN, "customers", to={}), '"customers" is {}; give a list'),
        (at(OWN, "customers", to=[]), "no customers"),
        (at(OWN, "customers", 1, to=5), "customer 2 is 5; give an object"),
        (at(OWN, "customers", 1, "demnd", to=5), "customer 2 has the unknown key 'demnd'"),
        (at(OWN, "customers", 1, "demand", to="5"), "'demand' of customer 2 is '5'; give a number"),
        (at(OWN, "customers", 1, "demand", to=None), "'demand' of customer 2 is None"),
        (at(OWN, "customers", 1, "demand", to=True), "'demand' of customer 2 is True"),
        (at(OWN, "customers", 1, "demand", to=NAN), "a number is NaN; give a finite number"),
        (at(OWN, "customers", 1, "demand", to=INF), "a number is Infinity"),
        (at(OWN, "customers", 1, "demand", to=10**400), "give a finite number"),
        (at(OWN, "customers", 1, "demand", to=-1), "customer 2 has demand -1"),
        (at(OWN, "customers", 1, "demand", to=6), "customer 2 has demand 6, but the largest"),
        (at(OWN, "customers", 1, "name", to=7), "'name' of customer 2 is 7; give a string"),
        (
            at(OWN, "customers", 1, "name", to="\ud800"),
            "not a character that can be shown",
        ),
        (at(OWN, "depot", "demand", to=3), "the depot has demand 3"),
        (at(OWN, "vehicle_types", to=[]), "no vehicle types"),
        (at(OWN, "vehicle_types", to=None), '"vehicle_types" is None'),
        (at(OWN, "vehicle_types", 0, "capacity", to=0), "has capacity 0; it must be positive"),
        (at(OWN, "vehicle_types", 0, "capasity", to=0), "did you mean 'capacity'"),
        (at(OWN, "vehicle_types", 0, "fixed_cost", to=-1), "has fixed_cost -1"),
        (at(OWN, "vehicle_types", 0, "available", to=1.5), "'available' of vehicle type 1 is 1.5"),
        (at(OWN, "vehicle_types", 0, "available", to=0), "no vehicle of any type is available"),
        (at(OWN, "vehicle_types", 0, "name", to=""), "has the name ''"),
        (at(OWN, "matrix", to=[[0]]), "matrix is given, but the metric is 'euclidean'"),
        (at(without(OWN, "metric"), "matrix", to=[[0, 1], [1, 0]]), r"shape \(2, 2\)"),
        (at(without(OWN, "metric"), "matrix", to=[[0, 1], [1]]), "row 1 of the matrix has 1 entr"),
        (at(without(OWN, "metric"), "matrix", to=[[0, "1"], [1, 2]]), r"entry \(0, 1\)"),
        (at(without(OWN, "metric"), "matrix", to=5), '"matrix" is 5; give a list'),
        ({"depot": [0, 0], "customers": [[1, 2]], "vehicle_types": []}, r"give \[x, y, demand\]"),
        (
            {"depot": [0], "customers": [], "vehicle_types": []},
            r"the depot is \[0\]; give \[x, y\]",
        ),
        ([1, 2], "must hold one JSON object"),
    ],
)
def test_bad_json_instances_are_refused(tmp_path, value, message):
    """With file, key, value and remedy, in one line."""
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InvalidInput, match=message) as caught:
        read_instance(path)
    assert "bad.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"\x00\x01", "binary data"),
        (b"\x89PNG\r\n", "not UTF-8"),
        (b'{"format": ', "cut off"),
        (b"{,}", "line 1, column 2: not valid JSON"),
        (b"[" * 100_000, "brackets"),
        (b'{"a": ' * 100_000, "brackets"),
        (b'{"name": 1, "name": 2}', "the key 'name' appears twice"),
        (b'{"a": -Infinity}', "a number is -Infinity"),
        (b'{"a": ' + b"9" * 5000 + b"}", "thousands of digits"),
    ],
)
def test_unreadable_content_is_refused(tmp_path, content, message):
    """Truncated, binary, nested, repeated: always a sentence."""
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=message):
        read_instance(path)


def test_missing_files_folders_and_suffixes(tmp_path):
    """The first things that go wrong."""
    instance = library.load("golden-03")
    for suffix in (".json", ".vrp"):
        with pytest.raises(InvalidFile, match="does not exist"):
            read_instance(tmp_path / f"none{suffix}")
        (tmp_path / f"folder{suffix}").mkdir()
        with pytest.raises(InvalidFile, match="is a folder"):
            read_instance(tmp_path / f"folder{suffix}")
    with pytest.raises(InvalidFile, match=r"did you mean '\.json'"):
        read_instance(tmp_path / "a.jsn")
    with pytest.raises(InvalidFile, match="not a format for a solution"):
        read_solution(tmp_path / "a.vrp", instance)
    with pytest.raises(InvalidFile, match=r"ends in ''"):
        write_instance(instance, tmp_path / "a")
    with pytest.raises(InvalidInput, match=r"vehicles 'v\.csv' is given, but"):
        read_instance(tmp_path / "a.json", vehicles="v.csv")
    with pytest.raises(InvalidInput, match="depot 'hub' is given, but"):
        read_instance(tmp_path / "a.vrp", depot="hub")


def test_missing_output_folder(tmp_path):
    """For every format, before anything is written."""
    instance = library.load("golden-03")
    solution = library.best_known_solution("golden-03")
    for suffix in (".json", ".vrp", ".csv"):
        with pytest.raises(InvalidFile, match=r"the folder .* does not exist; create it first"):
            write_instance(instance, tmp_path / "none" / f"a{suffix}")
    for suffix in (".json", ".sol", ".csv"):
        with pytest.raises(InvalidFile, match=r"the folder .* does not exist; create it first"):
            write_solution(instance, solution, tmp_path / "none" / f"a{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, '"format" is missing'),
        ({"format": "fripn-solution", "version": 1}, "no key 'routes'"),
        ({"route": []}, "unknown key 'route'; did you mean 'routes'"),
        ({"routes": 5}, '"routes" is 5; give a list'),
        ({"routes": [5]}, "route 1 is 5; give an object"),
        ({"routes": [{"customers": [1]}]}, "route 1 has no key 'vehicle_type'"),
        ({"routes": [{"vehicle_type": "Z", "customers": [1]}]}, "the vehicle type 'Z', which"),
        ({"routes": [{"vehicle_type": 1, "customers": [1]}]}, "'vehicle_type' of route 1 is 1"),
        ({"routes": [{"vehicle_type": "A", "customers": ["1"]}]}, "position 1 of route 1 is '1'"),
        ({"routes": [{"vehicle_type": "A", "customers": [1.5]}]}, "position 1 of route 1 is 1.5"),
        ({"routes": [{"vehicle_type": "A", "customers": [1], "names": []}]}, "1 customers but 0"),
        ({"routes": [{"vehicle_type": "A"}]}, "route 1 has no key 'customers'; add it, or 'ids'"),
        ({"routes": [{"vehicle_type": "A", "ids": 1}]}, "'ids' of route 1 is 1; give a list"),
        ({"routes": [{"vehicle_type": "A", "ids": [None]}]}, "id at position 1 of route 1 is None"),
        ({"routes": [{"vehicle_type": "A", "names": [1]}]}, "name at position 1 of route 1 is 1"),
        (
            {"routes": [{"vehicle_type": "A", "ids": [21]}]},
            "position 1 of route 1: no stop of golden-03 has the id '21'; did you mean",
        ),
        (
            {"routes": [{"vehicle_type": "A", "customers": [1, 2], "ids": [1, 3]}]},
            "position 2 of route 1: customer 2 has the id '2' in golden-03, not '3'; correct one",
        ),
    ],
)
def test_bad_json_solutions_are_refused(tmp_path, value, message):
    """With the route and the key."""
    if "routes" in value or "route" in value:
        value = {"format": "fripn-solution", "version": 1} | value
    if "route" in value:
        value["routes"] = []
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InvalidInput, match=message):
        read_solution(path, library.load("golden-03"))


def test_plan_for_another_instance_is_noticed_by_its_names(tmp_path):
    """Numbers and names must mean the same stops."""
    instance = library.load("golden-03")
    named = instance.replace(stop_names=["d", *(f"c{k}" for k in range(1, 21))])
    write_solution(named, library.best_known_solution("golden-03"), tmp_path / "plan.json")
    other = instance.replace(stop_names=["d", *(f"e{k}" for k in range(1, 21))])
    with pytest.raises(InvalidInput, match="is this a plan for another instance"):
        read_solution(tmp_path / "plan.json", other)
    assert read_solution(tmp_path / "plan.json", named)


# -- mutations -------------------------------------------------------------------------------------

JUNK = [
    "", "0", "-1", "1e999", "NaN", "null", "[]", "{}", '"', ",", ";", ":", "\n", "é", "\0", "x",
    "EOF", "_SECTION", "99999999999999999999", "[[", "]", "true", "1.5", "\ufeff", "#",
]  # fmt: skip


def mutate(text, seed):
    """Cut, copy, swap and replace pieces at random."""
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 1, 2, 5, 20, 200]))
        piece = rng.choice([rng.choice(JUNK), rng.choice(JUNK), text[start:end] * 2, ""])
        text = text[:start] + piece + text[end:]
        if rng.random() < 0.1:
            text = text[: rng.randrange(len(text) + 1)]
    return text


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """One file of each format, and a folder for their mutations."""
    folder = tmp_path_factory.mktemp("originals")
    instance = library.load("golden-03")
    solution = library.best_known_solution("golden-03")
    matrix = instance.replace(metric="matrix", matrix=instance.distance_matrix())
    for suffix in (".json", ".vrp", ".csv"):
        write_instance(instance, folder / f"a{suffix}")
    write_instance(matrix, folder / "m.vrp")
    (folder / "m.json").write_text(json.dumps(instance_to_dict(matrix)))
    for suffix in (".json", ".sol", ".csv"):
        write_solution(instance, solution, folder / f"plan{suffix}")
    for suffix in (".json", ".csv"):
        write_instance(with_ids(instance), folder / f"i{suffix}")
        write_solution(with_ids(instance), solution, folder / f"own{suffix}")
    return folder


def with_ids(instance):
    """Return names, some of them equal, and ids that look like numbers."""
    count = instance.num_customers + 1
    return instance.replace(
        stop_names=[f"stop {k // 2}" for k in range(count)], stop_ids=range(count, 0, -1)
    )


@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(0, 2**32))
def test_mutated_files_end_in_our_errors_only(originals, seed):
    """Any other exception fails this test."""
    instance = library.load("golden-03")
    for name in (
        "a.json", "m.json", "i.json", "a.vrp", "m.vrp", "a.csv", "i.csv", "a-vehicles.csv",
    ):  # fmt: skip
        path = originals / f"mutated{name}"
        path.write_text(mutate((originals / name).read_text(), seed), encoding="utf-8")
        vehicles, stops = originals / "a-vehicles.csv", path
        if name == "a-vehicles.csv":
            vehicles, stops = path, originals / "a.csv"
        with contextlib.suppress(InvalidInput):
            read_instance(stops, vehicles=vehicles if name.endswith(".csv") else None)
    for name in ("plan.json", "plan.sol", "plan.csv", "own.json", "own.csv"):
        path = originals / f"mutated{name}"
        path.write_text(mutate((originals / name).read_text(), seed), encoding="utf-8")
        with contextlib.suppress(InvalidInput):
            read_solution(path, with_ids(instance) if name.startswith("own") else instance)


# -- atomic writing --------------------------------------------------------------------------------


def test_failed_writes_leave_the_old_file_and_nothing_else(tmp_path):
    """Two files that belong together: the second cannot be written, so the first is not either."""
    good, bad = tmp_path / "good.txt", tmp_path / "none" / "bad.txt"
    good.write_text("old")
    with pytest.raises(InvalidFile):
        write_all_atomically({good: "new", bad: "new"})
    assert good.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["good.txt"]
    with pytest.raises(UnicodeEncodeError):
        write_atomically(good, "\ud800")
    assert [path.name for path in tmp_path.iterdir()] == ["good.txt"]
    with pytest.raises(InvalidFile, match="is a folder"):
        write_atomically(tmp_path, "new")


def test_replaced_files_keep_their_permissions(tmp_path):
    """A private file stays private; a new one is an ordinary one."""
    path = tmp_path / "plan.json"
    path.write_text("old")
    path.chmod(0o600)
    write_atomically(path, b"new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("")
    write_atomically(ours, "")
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
