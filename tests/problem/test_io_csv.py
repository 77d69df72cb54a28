"""Tables as practitioners have them."""

import pytest

from fripn.errors import InvalidInput
from fripn.problem import VehicleType
from fripn.problem.io import read_instance

STOPS = """id,x,y,demand,depot
hub,0,0,0,1
a,3,4,2,
b,0,8,3.5,0
"""

VEHICLES = """type,capacity,fixed_cost,unit_cost,available
van,4,10,1,
truck,10,25,1.5,2
"""


@pytest.fixture
def read(tmp_path):
    """Write the two tables and read them."""

    def _read(stops=STOPS, vehicles=VEHICLES, depot=None, encoding="utf-8"):
        (tmp_path / "stops.csv").write_bytes(stops.encode(encoding))
        (tmp_path / "vehicles.csv").write_bytes(vehicles.encode(encoding))
        return read_instance(
            tmp_path / "stops.csv", vehicles=str(tmp_path / "vehicles.csv"), depot=depot
        )

    return _read


def test_plain_tables(read):
    """Stops in file order without the depot; an empty `available` means no limit."""
    instance = read()
    assert instance.name == "stops"
    assert instance.stop_ids == ("hub", "a", "b")
    assert instance.stop_names is None
    assert instance.stop_name(1) == "a"
    assert instance.demands.tolist() == [0, 2, 3.5]
    assert instance.vehicle_types == (
        VehicleType("van", 4, 10, 1),
        VehicleType("truck", 10, 25, 1.5, 2),
    )


def test_the_former_name_of_available_is_read(read):
    """Tables written with `max_count` mean the same."""
    assert read(vehicles=VEHICLES.replace("available", "max_count")) == read()


def test_semicolons_decimal_commas_and_a_byte_order_mark(read):
    """As a German spreadsheet saves it."""
    stops = "id;x;y;demand;depot\r\nhub;0;0;0;1\r\na;3;4;2;\r\nb;0;8;3,5;0\r\n"
    vehicles = (
        "Type;Capacity;Fixed cost;Cost per km;Max-count\r\nvan;4;10;1;\r\ntruck;10;25;1,5;2\r\n"
    )
    assert read(stops, vehicles, encoding="utf-8-sig") == read()


def test_tabs_quotes_blank_lines_and_blanks(read):
    """Other habits of spreadsheets."""
    stops = (
        'id\tx\ty\tdemand\tdepot\t\nhub\t0\t0\t0\tyes\t\n\n"a"\t 3\t4 \t2\n\t\t\t\t\nb\t0\t8\t3.5\n'
    )
    assert read(stops) == read()


@pytest.mark.parametrize("header", ["lat,lon", "Latitude,Longitude", "LAT,LNG", "lat,long"])
def test_latitude_and_longitude_in_any_spelling(read, header):
    """Stored as (longitude, latitude); distances in kilometres."""
    stops = f"id,{header},demand\ndepot,52.52,13.405,\np,48.8566,2.3522,1\n"
    instance = read(stops)
    assert instance.metric == "great_circle"
    assert instance.coordinates[1].tolist() == [2.3522, 48.8566]
    assert instance.stop_ids == ("depot", "p")


def test_depot_by_option_and_anywhere_in_the_file(read):
    """By id or by name; the option wins over nothing else."""
    stops = "id,name,x,y,demand\na,Ann,3,4,2\nh,Hub,0,0,\nb,Bob,0,8,3.5\n"
    by_id, by_name = read(stops, depot="h"), read(stops, depot="Hub")
    assert by_id == by_name
    assert by_id.stop_names == ("Hub", "Ann", "Bob")
    assert by_id.stop_ids == ("h", "a", "b")
    assert by_id.demands.tolist() == [0, 2, 3.5]


def test_equal_names_are_told_apart_by_their_ids(read):
    """Two bakeries are two stops."""
    stops = (
        "id,name,x,y,demand,depot\n0,Hub,0,0,0,1\n7,Bakery,1,1,1,0\n9,Bakery,2,2,1,0\n4,,3,3,1,\n"
    )
    instance = read(stops)
    assert instance.stop_names == ("Hub", "Bakery", "Bakery", "4")
    assert instance.stop_ids == ("0", "7", "9", "4")
    assert [instance.stop_label(k) for k in (1, 2, 3)] == ["Bakery (7)", "Bakery (9)", "4"]


def test_ids_that_just_count_say_nothing(read):
    """Stops numbered 0, 1, 2, … need no ids, unless two of them have the same name."""
    counted = read("id,x,y,demand,depot\n0,0,0,0,1\n1,3,4,2,\n2,0,8,3,\n")
    assert counted.stop_names is None
    assert counted.stop_ids is None
    twice = read("id,name,x,y,demand,depot\n0,H,0,0,0,1\n1,Bo,3,4,2,\n2,Bo,0,8,3,\n")
    assert twice.stop_ids == ("0", "1", "2")
    swapped = read("id,x,y,demand,depot\n0,0,0,0,1\n2,3,4,2,\n1,0,8,3,\n")
    assert swapped.stop_ids == ("0", "2", "1")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "demand",
            "demands",
            r"stops.csv: unknown column 'demands'; did you mean 'demand'\? rename it, or keep it",
        ),
        (",demand", ",name", "the column 'demand' is missing"),
        ("id,x,y", "id,x,x", "the column 'x' appears twice"),
        ("id,x,y", "id,x,lat", "both x/y and lat/lon"),
        (
            "id,x,y",
            "id,x,name",
            r"the column 'y' is missing \(the header has .*\); give x and y, or lat and lon",
        ),
        ("a,3,4,2", "a,3,4,two", "line 3: demand is 'two'; give a number"),
        ("a,3,4,2", "a,,4,2", "line 3: x is empty"),
        ("a,3,4,2", "a,nan,4,2", "line 3: x is 'nan'; give a finite number"),
        ("a,3,4,2", "a,-inf,4,2", "line 3: x is '-inf'; give a finite number"),
        ("a,3,4,2", "a,1e999,4,2", "line 3: x is '1e999'; give a finite number"),
        ("a,3,4,2", "a,1_0,4,2", "line 3: x is '1_0'; give a number"),
        ("a,3,4,2", 'a,"1,000",4,2', "line 3: x is '1,000', which may mean 1000 or 1; write"),
        ("a,3,4,2", "a,3,4,-2", "line 3: demand is '-2'; it must be 0 or more"),
        (
            "a,3,4,2",
            "a,3,4,12",
            r"line 3: demand is 12, but the largest vehicle \(truck\) carries 10; split",
        ),
        ("a,3,4,2", "a,3e20,4,2", "line 3: x is '3e20'; it must be between -1e"),
        ("a,3,4,2", "b,3,4,2", "line 4: the id 'b' is already used in line 3"),
        ("a,3,4,2", ",3,4,2", "line 3: id is empty"),
        ("a,3,4,2", "a,3,4,2,0,7", "line 3: 6 cells|line 3: 7 cells"),
        ("a,3,4,2,", "a,3,4,2,1", "lines 2 and 3 are both the depot"),
        ("a,3,4,2,", "a,3,4,2,maybe", "line 3: depot is 'maybe'"),
        ("hub,0,0,0,1", "hub,0,0,0,", "no row is the depot"),
        ("hub,0,0,0,1", "hub,0,0,5,1", "line 2: the depot has demand 5"),
        ("a,3,4,2,\nb,0,8,3.5,0\n", "", "no customers"),
        ("hub,0,0,0,1\na,3,4,2,\nb,0,8,3.5,0\n", "", "a header but no rows"),
        ("a,3", '"a,3', "not a valid table"),
    ],
)
def test_bad_stops_are_refused(read, old, new, message):
    """With file, line, value and remedy."""
    assert old in STOPS
    with pytest.raises(InvalidInput, match=message) as caught:
        read(STOPS.replace(old, new, 1))
    assert "stops.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("capacity", "capcity", "did you mean 'capacity'"),
        (",fixed_cost", "", "the column 'fixed_cost' is missing"),
        ("van,4", "van,four", "line 2: capacity is 'four'"),
        ("van,4", "van,-4", "line 2: vehicle type 'van' has capacity -4"),
        ("van,4,10", "van,4,-10", "has fixed_cost -10"),
        ("truck,", "van,", "line 3: the type 'van' is already given in line 2"),
        ("truck,", ",", "line 3: a vehicle type has the name ''"),
        ("1.5,2", "1.5,2.5", "line 3: available is '2.5'; give an integer"),
        ("1.5,2", "1.5,-2", "line 3: vehicle type 'truck' has available -2"),
        ("van,4,10,1,\ntruck,10,25,1.5,2\n", "", "at least one vehicle type"),
    ],
)
def test_bad_vehicles_are_refused(read, old, new, message):
    """With file, line, value and remedy."""
    assert old in VEHICLES
    with pytest.raises(InvalidInput, match=message) as caught:
        read(vehicles=VEHICLES.replace(old, new, 1))
    assert "vehicles.csv" in str(caught.value)
    assert str(caught.value).count("line 3: ") <= 1


def test_latitude_outside_its_range(read):
    """Swapped columns are the usual cause; the depot need not be in the first line."""
    with pytest.raises(
        InvalidInput, match=r"line 2: lat is '113\.4'; it must be between -90 and 90 \(are latitude"
    ):
        read("id,lat,lon,demand\np,113.4,48,1\ndepot,52,13,\n")
    with pytest.raises(InvalidInput, match=r"line 2: lon is '181'; it must be between"):
        read("id,lat,lon,demand\np,48,181,1\ndepot,52,13,\n")


def test_fleet_too_small_in_total(read):
    """Known before any search starts."""
    with pytest.raises(InvalidInput, match=r"demand 5\.5 in total, but all available vehicles"):
        read(vehicles="type,capacity,fixed_cost,unit_cost,available\nvan,4,1,1,1\n")


def test_unknown_depot_option(read):
    """The nearest id is suggested."""
    with pytest.raises(InvalidInput, match="given as the depot; did you mean 'hub'"):
        read(depot="hubb")
    many = "id,x,y,demand\n" + "".join(f"{k},0,{k},1\n" for k in range(1, 100))
    with pytest.raises(InvalidInput, match=r"as the depot; use one of 1, 2, 3, 4, 5, …$"):
        read(many, depot="hub")


def test_stops_without_vehicles(tmp_path):
    """The message says how to name the second file."""
    (tmp_path / "stops.csv").write_text(STOPS)
    with pytest.raises(InvalidInput, match=r"holds stops only; name the table of vehicles too"):
        read_instance(tmp_path / "stops.csv")
    (tmp_path / "vehicles.csv").write_text(VEHICLES)
    with pytest.raises(InvalidInput, match=r"add --vehicles .*vehicles\.csv"):
        read_instance(tmp_path / "stops.csv")
    with pytest.raises(InvalidInput, match="does not exist"):
        read_instance(tmp_path / "none.csv")
    with pytest.raises(InvalidInput, match=r"none\.csv: the file does not exist"):
        read_instance(tmp_path / "stops.csv", vehicles=tmp_path / "none.csv")
