"""Solomon's and Cordeau's text formats."""

import pytest

from benchmark_texts import CORDEAU, SOLOMON, WINDOWS
from fripn.errors import InvalidInput
from fripn.problem import Solution, VehicleType, evaluate
from fripn.problem.io import parse_input, parse_instance, read_instance

VEHICLES = "type,capacity,fixed_cost,unit_cost\nsmall,30,50,1\nlarge,50,80,1\n"


def test_solomon(tmp_path):
    """Windows, service times, and one type of limited number."""
    path = tmp_path / "R1.txt"
    path.write_text(SOLOMON)
    instance = read_instance(path)
    assert instance.name == "R1"
    assert instance.vehicle_types == (VehicleType("A", 200, available=25),)
    assert instance.time_windows == (((0, 230),), ((161, 171),), ((50, 60),), ((116, 126),))
    assert instance.service_times.tolist() == [0, 10, 10, 10]
    assert parse_instance(SOLOMON, "txt") == instance


def test_solomon_with_a_table_of_vehicles(tmp_path):
    """The table stands in place of the file's one type, as a file or as its content."""
    (tmp_path / "R1.txt").write_text(SOLOMON)
    (tmp_path / "fleet.csv").write_text(VEHICLES)
    instance = read_instance(tmp_path / "R1.txt", vehicles=tmp_path / "fleet.csv")
    assert [vehicle.name for vehicle in instance.vehicle_types] == ["small", "large"]
    assert parse_instance(SOLOMON, "txt", vehicles=VEHICLES) == instance


def test_times_of_a_table_of_vehicles_are_minutes():
    """Costs per hour are paid per 60 units, as largest hours are 60 units."""
    vehicles = "type,capacity,fixed_cost,unit_cost,cost_per_hour,max_hours\nvan,200,0,0,6,4\n"
    instance = parse_instance(SOLOMON, "txt", vehicles=vehicles)
    assert (instance.hour, instance.time_unit) == (60, "min")
    assert instance.vehicle_types[0].max_duration == 240
    cost = evaluate(instance, Solution.of([(0, [1])]))
    assert cost.time_cost == pytest.approx(6 * cost.duration / 60)
    plain = parse_instance(SOLOMON, "txt", vehicles=VEHICLES)
    assert (plain.hour, plain.time_unit) == (1, None)


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("speed_kmh", "", "line 3: speed_kmh is empty, but there are times; give a speed"),
        ("depot", "hub2", "line 3: vehicle type 'lorry' starts at 'hub2', which is not a depot"),
    ],
)
def test_a_table_of_vehicles_says_nothing_in_vain(column, cell, message):
    """Neither an empty speed nor a depot that the file does not have is passed over."""
    fits = {"speed_kmh": "60", "depot": "depot"}[column]
    vehicles = f"type,capacity,fixed_cost,unit_cost,{column}\nvan,200,0,0,{fits}\nlorry,200,0,0,"
    parse_instance(SOLOMON, "txt", vehicles=f"{vehicles}{fits}\n")
    with pytest.raises(InvalidInput, match=message):
        parse_instance(SOLOMON, "txt", vehicles=f"{vehicles}{cell}\n")


def test_unknown_columns_of_vehicles_are_noted():
    """As for tables of stops."""
    found = parse_input(SOLOMON, "txt", vehicles=VEHICLES.replace("unit_cost", "unit_cost,plate"))
    assert found.notes == ("instance, vehicles: not used: plate.",)


def test_cordeau(tmp_path):
    """A type per depot; the file may have no ending; 0 is no limit of duration."""
    path = tmp_path / "p99"
    path.write_text(CORDEAU)
    instance = read_instance(path)
    assert instance.name == "p99"
    assert instance.num_depots == 2
    assert instance.coordinates.tolist() == [[20, 20], [37, 52], [49, 49], [30, 40]]
    assert instance.vehicle_types == (
        VehicleType("A", 80, available=4, max_duration=60),
        VehicleType("B", 70, available=4, depot=1),
    )
    assert instance.service_times.tolist() == [0, 5, 0, 0]


def test_cordeau_with_windows():
    """Type 6 ends its rows with the time window."""
    instance = parse_instance(WINDOWS, "txt")
    assert instance.time_windows == (((0, 200),), ((20, 90),), ((30, 95),))


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (SOLOMON, "  25         200", "  2.5  200", "line 5: VEHICLE has '2.5  200'; write the"),
        (SOLOMON, "    2          35", "    3          35", "has stop 3 where stop 2 belongs"),
        (SOLOMON, "10     161", "10", "line 11: CUSTOMER has"),
        (SOLOMON, "161         171", "171  161", "customer 1 opens at 171 and closes at 161"),
        (SOLOMON, "161         171", "x  171", "line 11: CUSTOMER has 'x'; give numbers"),
        (SOLOMON, SOLOMON[SOLOMON.index("    0 ") :], "", "no table of vehicles, or no stops"),
        (CORDEAU, "2 4 2 2", "1 4 2 2", "the type of the problem is 1; only 2"),
        (CORDEAU, "2 4 2 2", "2 4 3 2", "the file ends before stop 5; check"),
        (CORDEAU, "60 80", "60", "line 2: the line has .*; write the largest duration"),
        (CORDEAU, " 4 30 40 0   0 0 0", " 4 30", "line 7: the line has .*; write number, x, y"),
        (CORDEAU, "60 80", "20 80", "no vehicle type can serve customer 2|B|A"),
    ],
)
def test_mistakes_are_named(text, old, new, message):
    """Line, value and remedy in one sentence."""
    assert old in text
    if message.startswith("no vehicle"):
        new = "20 80"
    with pytest.raises(InvalidInput, match=message):
        parse_instance(text.replace(old, new).replace("0 70", "20 70"), "txt")


def test_options_that_do_not_fit():
    """A file of Cordeau's has its own vehicles, and both have their own depot."""
    with pytest.raises(InvalidInput, match=r"vehicles .* is given, but instance has"):
        parse_instance(CORDEAU, "txt", vehicles=VEHICLES)
    with pytest.raises(InvalidInput, match="depot 'x' is given"):
        parse_instance(SOLOMON, "txt", depot="x")


def test_other_texts_are_tables(tmp_path):
    """A .txt file that is neither is a table of stops."""
    with pytest.raises(InvalidInput, match="give the table of vehicles too"):
        parse_instance("id,x,y,demand\nd,0,0,0\na,1,1,1\n", "txt")
    (tmp_path / "notes").write_text("hello\n")
    with pytest.raises(InvalidInput, match="not a format for an instance"):
        read_instance(tmp_path / "notes")
