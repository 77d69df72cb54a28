"""Readers take the content of a file as well as its path."""

import json

import pytest

from fripn.errors import InvalidCell, InvalidFile, InvalidInput, InvalidSetting
from fripn.problem import Solution, library
from fripn.problem.io import (
    parse_instance,
    parse_solution,
    read_instance,
    read_solution,
    vehicles_path,
    write_instance,
    write_solution,
)

STOPS = "id,x,y,demand,depot\nhub,0,0,0,1\na,3,4,2,\nb,0,8,3,\n"
VEHICLES = "type,capacity,fixed_cost,unit_cost\nvan,5,10,1\n"
PLAN = "route,vehicle_type,id\n1,van,a\n1,van,b\n"


@pytest.mark.parametrize("form", ["json", "csv", "vrp"])
@pytest.mark.parametrize("encode", [str, str.encode, lambda text: b"\xef\xbb\xbf" + text.encode()])
def test_instances_from_text(tmp_path, form, encode):
    """Text, bytes and a byte-order mark give what the file gives."""
    path = tmp_path / f"golden-13.{form}"
    write_instance(library.load("golden-13"), path)
    vehicles = vehicles_path(path) if form == "csv" else None
    read = read_instance(path, vehicles=vehicles)
    parsed = parse_instance(
        encode(path.read_text()),
        form,
        vehicles=None if vehicles is None else encode(vehicles.read_text()),
        name="golden-13",
    )
    assert parsed == read


@pytest.mark.parametrize("form", ["json", "csv", "sol"])
def test_plans_from_text(tmp_path, form):
    """The same for plans."""
    instance, plan = library.load("golden-13"), library.best_known_solution("golden-13")
    path = tmp_path / f"plan.{form}"
    write_solution(instance, plan, path)
    parsed = parse_solution(path.read_bytes(), form, instance)
    assert parsed == read_solution(path, instance)
    assert sorted(route.customers for route in parsed.routes) == sorted(
        route.customers for route in plan.routes
    )


def test_messages_call_the_text_by_its_name():
    """Place, field, value and remedy, also where the instance itself is refused."""
    with pytest.raises(InvalidFile) as caught:
        parse_instance(STOPS.replace("3,4,2", "3,four,2"), "csv", vehicles=VEHICLES, name="orders")
    error = caught.value
    assert (error.place, error.field, error.value) == (("orders", "line 3"), "y", "four")
    assert str(error) == "orders: line 3: y is 'four'; give a number"
    with pytest.raises(InvalidCell) as refused:
        parse_instance(STOPS.replace("3,4,2", "3,4,9"), "csv", vehicles=VEHICLES, name="orders")
    assert (refused.value.place, refused.value.row) == (("orders", "line 3"), 3)
    assert (refused.value.field, refused.value.value) == ("demand", 9.0)
    with pytest.raises(InvalidFile) as wrong:
        parse_instance(STOPS, "csv", vehicles="type,capacity\nvan,5\n", name="orders")
    assert wrong.value.place == ("orders, vehicles",)
    with pytest.raises(InvalidInput) as broken:
        parse_instance("{", "json", name="body")
    assert broken.value.place[0] == "body"


def test_the_name_is_the_default_of_the_instance():
    """A table has no name of its own."""
    assert parse_instance(STOPS, "csv", vehicles=VEHICLES, name="orders").name == "orders"


def test_calls_that_make_no_sense():
    """One sentence each."""
    instance = parse_instance(STOPS, "csv", vehicles=VEHICLES)
    assert parse_solution(PLAN, "csv", instance) == Solution.of([(0, [1, 2])])
    with pytest.raises(InvalidFile, match="give the table of vehicles too"):
        parse_instance(STOPS, "csv")
    with pytest.raises(InvalidSetting, match="is given, but body is not a table of stops"):
        parse_instance("{}", "json", vehicles=VEHICLES, name="body")
    with pytest.raises(InvalidFile, match=r"ends in '\.xml', which is not a format"):
        parse_instance("<x/>", "xml")
    with pytest.raises(InvalidFile, match="plan: the file is empty"):
        parse_solution(b" \n", "json", instance)


def test_size_is_limited_and_the_limit_can_be_raised(tmp_path):
    """Refused before it is parsed, by path and as text."""
    path = tmp_path / "large.json"
    write_instance(library.load("golden-03"), path)
    text = path.read_text()
    for call in (
        lambda most: read_instance(path, max_bytes=most),
        lambda most: parse_instance(text, "json", max_bytes=most),
        lambda most: parse_instance(text.encode(), "json", max_bytes=most),
    ):
        with pytest.raises(InvalidFile, match=r"more than 0\.0001 MB.*--max-size MB"):
            call(100)
        assert call(len(text)).num_customers == 20
    instance = library.load("golden-03")
    with pytest.raises(InvalidFile, match="more than"):
        parse_solution(json.dumps({"format": "fripn-solution"}), "json", instance, max_bytes=10)


def test_the_environment_may_raise_the_limit(monkeypatch):
    """For worker processes, too; what is not a number is refused."""
    text = "{" + " " * 1_100_000
    monkeypatch.setenv("FRIPN_MAX_SIZE", "1")
    with pytest.raises(InvalidFile, match="more than 1 MB"):
        parse_instance(text, "json")
    monkeypatch.setenv("FRIPN_MAX_SIZE", "2")
    with pytest.raises(InvalidFile, match="not valid JSON"):
        parse_instance(text, "json")
    for wrong in ("many", "0", "-1", "1" * 50):
        monkeypatch.setenv("FRIPN_MAX_SIZE", wrong)
        with pytest.raises(InvalidSetting, match=r"FRIPN_MAX_SIZE is .*; give an integer"):
            parse_instance(text, "json")
