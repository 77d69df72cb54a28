"""A working day in tables: opening hours, service, shifts, access, several loads and depots."""

import math
from datetime import time, timedelta

import pytest
import xlsxwriter

from fripn.errors import InvalidInput, InvalidTable
from fripn.problem.io import TableOptions, parse_input, parse_instance, read_instance

STOPS = """id;lat;lon;demand;open;close;service_min;vehicle_types;requires
depot;51,34;12,37;;06:00;18:00;;;
a;51,35;12,38;2;08:30;12:00;10;;
b;51,36;12,31;3;600;;5,5;Van, Lkw;Kühlung
c;51,30;12,35;1;;;;van;
"""
VEHICLES = """type;capacity;fixed_cost;unit_cost;max_hours;max_km;max_stops;\
cost_per_hour;shift_start;shift_end;speed_kmh;offers
Van;5;58;0,38;8:30;150;20;18,50 €;07:00;17:00;50;Kühlung, Rampe
Lkw;20;135;0,71;;;;;;;30;Kühlung
"""


def read(stops=STOPS, vehicles=VEHICLES, **options):
    return parse_instance(stops, "csv", vehicles=vehicles, **options)


def test_all_columns():
    """Clock times and minutes alike; times are minutes, speeds kilometres per minute."""
    instance = read()
    assert instance.time_windows == (
        ((360, 1080),),
        ((510, 720),),
        ((600, math.inf),),
        (),
    )
    assert instance.service_times.tolist() == [0, 10, 5.5, 0]
    assert instance.allowed_types == (None, None, (0, 1), (0,))
    assert instance.requires == ((), (), ("Kühlung",), ())
    assert (instance.hour, instance.time_unit, instance.distance_unit) == (60, "min", "km")
    van, lkw = instance.vehicle_types
    assert (van.max_duration, van.max_distance, van.max_stops) == (510, 150, 20)
    assert (van.cost_per_hour, van.shift_start, van.shift_end) == (18.5, 420, 1020)
    assert van.speed == pytest.approx(50 / 60)
    assert van.offers == ("Kühlung", "Rampe")
    assert (lkw.max_duration, lkw.shift_end, lkw.cost_per_hour) == (None, None, 0)
    assert instance.extra_columns is None


def test_german_words():
    """Zeitfenster, Standzeit, Stundensatz: the same."""
    stops = (
        "Nr;Breite;Länge;Menge;Zeitfenster;Standzeit\ndepot;51,34;12,37;;;\n"
        "a;51,35;12,38;2;08:30-12:00, 14:00 bis 16:00 Uhr;10\nb;51,36;12,31;3;;5\n"
    )
    vehicles = (
        "Fahrzeug;Nutzlast;Tagesmiete;€/km;Stundensatz;Schichtbeginn;Geschwindigkeit\n"
        "Van;5;58;0,38;20;06:00;45\n"
    )
    instance = read(stops, vehicles)
    assert instance.time_windows == ((), ((510, 720), (840, 960)), ())
    assert instance.service_times.tolist() == [0, 10, 5]
    assert instance.vehicle_types[0].cost_per_hour == 20
    assert instance.vehicle_types[0].shift_start == 360


def test_a_table_without_a_day_is_as_before():
    """A speed alone changes nothing."""
    plain = "id,x,y,demand\ndepot,0,0,\na,3,4,2\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,speed_kmh\nvan,4,10,1,50\n"
    instance = read(plain, vehicles)
    assert not instance.uses_working_day
    assert (
        instance.digest == read(plain, vehicles.replace(",speed_kmh", "").replace(",50", "")).digest
    )


def test_times_need_speeds_or_durations():
    """No speed is invented; a table of travel times makes speeds superfluous."""
    vehicles = "type,capacity,fixed_cost,unit_cost\nvan,5,10,1\nLkw,5,10,1\n"
    stops = "id,x,y,demand,open\ndepot,0,0,,\na,3,4,2,08:00\n"
    with pytest.raises(InvalidInput, match="have times, but the vehicles no speed; add a column"):
        read(stops, vehicles)
    options = TableOptions(has_durations=True)
    instance = parse_input(stops, "csv", vehicles=vehicles, options=options).instance
    assert [vehicle.speed for vehicle in instance.vehicle_types] == [1, 1]
    with_speed = vehicles.replace("unit_cost", "unit_cost,speed_kmh").replace(",1\n", ",1,50\n")
    instance = parse_input(stops, "csv", vehicles=with_speed, options=options).instance
    assert [vehicle.speed for vehicle in instance.vehicle_types] == [1, 1]


def test_several_loads():
    """demand_kg and demand_m3 beside capacity_kg and capacity_m3; one alone is the demand."""
    stops = "id,x,y,demand_kg,demand_m3\ndepot,0,0,,\na,3,4,200,1.5\nb,0,8,300,0\n"
    vehicles = "type,capacity_kg,capacity_m3,fixed_cost,unit_cost\nvan,400,4,10,1\n"
    instance = read(stops, vehicles)
    assert instance.load_names == ("kg", "m3")
    assert instance.demands.tolist() == [[0, 0], [200, 1.5], [300, 0]]
    assert instance.vehicle_types[0].capacity == (400, 4)
    with pytest.raises(InvalidInput, match="the column 'capacity_m3' is missing"):
        read(stops, "type,capacity_kg,fixed_cost,unit_cost\nvan,400,10,1\n")
    with pytest.raises(InvalidInput, match="line 3: demand_m3 is empty"):
        read(stops.replace("200,1.5", "200,"), vehicles)
    one = read(
        "id,x,y,demand_kg\ndepot,0,0,\na,3,4,200\n",
        "type,capacity_kg,fixed_cost,unit_cost\nvan,400,10,1\n",
    )
    assert one.load_names is None
    assert one.demands.tolist() == [0, 200]


def test_several_depots():
    """Flagged rows, and a column of the vehicles that says where each starts."""
    stops = "id,name,x,y,demand,depot\na,Ann,3,4,2,\nn,Nord,0,9,,1\ns,Süd,0,0,,1\nb,Bob,0,8,3,0\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,depot\nvan,5,10,1,nord\nbike,5,5,1,s\n"
    instance = read(stops, vehicles)
    assert instance.num_depots == 2
    assert instance.stop_names == ("Nord", "Ann", "Bob", "Süd")
    assert instance.coordinates.tolist() == [[0, 9], [3, 4], [0, 8], [0, 0]]
    assert instance.demands.tolist() == [0, 2, 3]
    assert [vehicle.depot for vehicle in instance.vehicle_types] == [0, 1]
    with pytest.raises(InvalidInput, match="lines 3 and 4 are both the depot; keep one, or say in"):
        read(stops, "type,capacity,fixed_cost,unit_cost\nvan,5,10,1\n")
    with pytest.raises(InvalidInput, match="starts at 'west', which is not a depot"):
        read(stops, vehicles.replace("nord", "west"))
    with pytest.raises(InvalidInput, match="depot is empty, but there are several depots"):
        read(stops, vehicles.replace("nord", ""))


def test_a_shift_that_ends_before_it_starts():
    """The sentence has times of day, as the table; the error has minutes."""
    stops = "id,x,y,demand\ndepot,0,0,\na,3,4,2\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,shift_start,shift_end,speed_kmh\n"
    with pytest.raises(
        InvalidInput, match="starts at 09:00 and ends at 08:30, before it"
    ) as caught:
        read(stops, vehicles + "van,5,10,1,09:00,08:30,50\n")
    assert (caught.value.field, caught.value.value) == ("shift_end", 510)


def test_open_routes():
    """A column `returns`."""
    stops = "id,x,y,demand\ndepot,0,0,\na,3,4,2\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,returns\nvan,5,10,1,nein\nbike,5,5,1,\n"
    assert [one.returns for one in read(stops, vehicles).vehicle_types] == [False, True]
    with pytest.raises(InvalidInput, match="returns is 'maybe'; write 1 where the vehicle returns"):
        read(stops, vehicles.replace("nein", "maybe"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("08:30", "8.30 am", "line 3: open is '8.30 am'; give a time such as 08:30"),
        ("08:30", "8", "line 3: open is '8', which may mean hours or minutes; write it as 08:00"),
        ("08:30", "25:70", "line 3: open is '25:70'; give a time"),
        ("08:30", "13:00", "line 3: close is '12:00', before it opens at 13:00; give a later time"),
        (";10;", ";-10;", "line 3: service_min is '-10'; it must be 0 or more"),
        ("Van, Lkw", "Van, Bus", "line 4: vehicle_types has 'Bus', which is not a vehicle type"),
        ("Kühlung", "Kran", "Kran"),
    ],
)
def test_mistakes_of_stops(old, new, message):
    """With line, value and remedy."""
    with pytest.raises(InvalidInput, match=message):
        read(STOPS.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("8:30", "lang", "line 2: max_hours is 'lang'; give a number"),
        ("07:00", "morgens", "line 2: shift_start is 'morgens'; give a time such as 08:30"),
        (";20;18", ";2,5;18", "line 2: max_stops is '2,5'; give an integer"),
        ("17:00;50", "17:00;0", "line 2: speed_kmh is '0'; it must be more than 0"),
    ],
)
def test_mistakes_of_vehicles(old, new, message):
    """With line, value and remedy."""
    with pytest.raises(InvalidInput, match=message):
        read(vehicles=VEHICLES.replace(old, new, 1))


def test_windows_in_both_forms():
    """Either a window or open and close, for each stop; all mistakes at once."""
    stops = (
        "id,x,y,demand,open,close,time_window\ndepot,0,0,,,,\na,3,4,2,08:00,09:00,10:00-11:00\n"
        "b,3,4,2,,,immer\nc,3,4,2,,,08:00-09:00\n"
    )
    vehicles = "type,capacity,fixed_cost,unit_cost,speed_kmh\nvan,5,10,1,50\n"
    with pytest.raises(InvalidTable) as caught:
        read(stops, vehicles)
    assert [mistake.row for mistake in caught.value.mistakes] == [3, 4]
    assert "give times such as 08:00-12:00, 14:00-17:00" in str(caught.value.mistakes[1])


def test_seconds_of_clock_times_count():
    """08:30:45 is later than 08:30, alone and in a window."""
    instance = read(STOPS.replace("08:30;12:00", "08:30:45;12:00:15"))
    assert instance.time_windows[1] == ((510.75, 720.25),)
    stops = "id,x,y,demand,time_window\ndepot,0,0,,\na,3,4,2,08:00:30-09:00:59\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,speed_kmh\nvan,5,10,1,50\n"
    assert read(stops, vehicles).time_windows[1] == ((480.5, pytest.approx(540 + 59 / 60)),)
    with pytest.raises(InvalidInput, match="time_window is '08:00:30-09:00:75'; give times"):
        read(stops.replace(":59", ":75"), vehicles)


def test_no_speed_is_invented_for_a_row():
    """An empty speed is asked for where there are times, and only there."""
    vehicles = VEHICLES.replace(";;30;", ";;;")
    with pytest.raises(InvalidInput, match="line 3: speed_kmh is empty, but there are times"):
        read(vehicles=vehicles)
    options = TableOptions(has_durations=True)
    instance = parse_input(STOPS, "csv", vehicles=vehicles, options=options).instance
    assert [vehicle.speed for vehicle in instance.vehicle_types] == [1, 1]
    plain = "id,x,y,demand\ndepot,0,0,\na,3,4,2\n"
    read(plain, "type,capacity,fixed_cost,unit_cost,speed_kmh\nvan,4,10,1,\n")


def test_the_depot_of_a_vehicle_is_not_passed_over():
    """Where there is one depot, a vehicle that starts elsewhere is refused."""
    stops = "id,name,x,y,demand,depot\nn,Nord,0,9,,1\na,Ann,3,4,2,\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,depot\nvan,5,10,1,\nbike,5,5,1,nord\n"
    assert [one.depot for one in read(stops, vehicles).vehicle_types] == [0, 0]
    with pytest.raises(InvalidInput, match="line 3: vehicle type 'bike' starts at 'west', which"):
        read(stops, vehicles.replace("nord", "west"))


def test_depots_among_counted_stops():
    """Depots are called by their numbers where the ids just count the stops."""
    stops = "id,x,y,demand,depot\n0,0,9,,1\n1,3,4,2,\n2,0,8,3,\n3,5,5,,1\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,depot\nvan,5,10,1,3\nbike,5,5,1,0\n"
    instance = read(stops, vehicles)
    assert instance.stop_ids is None
    assert [one.depot for one in instance.vehicle_types] == [1, 0]


def test_a_depot_cannot_limit_the_vehicles():
    """Neither the first nor another depot may list types or tags; the column is named."""
    with pytest.raises(InvalidInput, match="line 2: the depot has vehicle_types 'van'; leave it"):
        read(STOPS.replace("18:00;;;", "18:00;;van;"))
    stops = "id,x,y,demand,depot,requires\nn,0,9,,1,\na,3,4,2,,\ns,5,5,,1,lift\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,depot\nvan,5,10,1,n\nbike,5,5,1,s\n"
    with pytest.raises(InvalidInput, match="line 4: the depot has requires 'lift'; leave it empty"):
        read(stops, vehicles)


def test_own_vehicles_may_go_where_their_type_may():
    """The word `van` means hired and own vans, also where none can be hired."""
    stops = "id,x,y,demand,vehicle_types\ndepot,0,0,,\na,3,4,2,Van\nb,0,8,3,van (own)\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,owned,available\nvan,5,10,1,1,{}\nbike,5,5,1,,\n"
    assert read(stops, vehicles.format("3")).allowed_types == (None, (0, 1), (0,))
    assert read(stops, vehicles.format("0")).allowed_types == (None, (0,), (0,))


def test_loads_without_a_name_beside_others():
    """Beside demand_kg and demand_m3, no column may be passed over that may be a third load."""
    stops = "id,x,y,demand_kg,demand_m3,{}\ndepot,0,0,,,\na,3,4,200,1.5,4\n"
    vehicles = "type,capacity_kg,capacity_m3,{},fixed_cost,unit_cost\nvan,400,4,5,10,1\n"
    with pytest.raises(InvalidInput, match="'demand' is not supported; each load has a column of"):
        read(stops.format("demand"), vehicles.format("note"))
    with pytest.raises(InvalidInput, match="'payload' is not supported; each load has a column of"):
        read(stops.format("note"), vehicles.format("payload"))
    with pytest.raises(InvalidInput, match="'pickup' is not supported; pickups cannot be planned"):
        read(stops.format("pickup"), vehicles.format("note"))
    options = TableOptions(columns={"demand": "keep"})
    parse_input(stops.format("demand"), "csv", vehicles=vehicles.format("note"), options=options)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (";50;", ";-50;", "line 2: speed_kmh is '-50'; it must be more than 0"),
        ("8:30;150", "-1;150", "line 2: max_hours is '-1'; it must be more than 0"),
        ("8:30;150", "8:30;0", "line 2: max_km is '0'; it must be more than 0"),
    ],
)
def test_limits_of_vehicles_are_named_as_in_the_table(old, new, message):
    """A wrong cell is shown in its own unit and under its own header."""
    with pytest.raises(InvalidInput, match=message):
        read(vehicles=VEHICLES.replace(old, new, 1))


def test_notes_say_which_column_is_passed_over():
    """A second column for service times or demands, and speeds beside given travel times."""
    stops = "id,x,y,demand,demand_kg,service_min,Standzeit\ndepot,0,0,,,,\na,3,4,2,9,5,9\n"
    vehicles = "type,capacity,fixed_cost,unit_cost,speed_kmh\nvan,5,10,1,50\n"
    notes = parse_input(stops, "csv", vehicles=vehicles).notes
    assert notes == (
        "instance: demand is taken from demand, not from demand_kg.",
        "instance: service_min is taken from service_min, not from Standzeit.",
    )
    options = TableOptions(columns={"demand_kg": "keep", "service_min": "service_min"})
    assert not parse_input(stops, "csv", vehicles=vehicles, options=options).notes
    given = TableOptions(columns=options.columns, has_durations=True)
    notes = parse_input(stops, "csv", vehicles=vehicles, options=given).notes
    assert notes == ("instance, vehicles: not used: speed_kmh, as the travel times are given.",)


def test_clock_times_without_a_colon_are_questioned():
    """0830 would be 830 minutes, that is 13:50."""
    with pytest.raises(InvalidInput, match="open is '0830', which may mean hours or minutes"):
        read(STOPS.replace("08:30;", "0830;"))
    with pytest.raises(InvalidInput, match="shift_start is '0700', which may mean hours or"):
        read(vehicles=VEHICLES.replace("07:00", "0700"))


def test_clock_times_of_workbooks(tmp_path):
    """Cells with the format of a time, of a length of time, and as a string."""
    path = tmp_path / "day.xlsx"
    with xlsxwriter.Workbook(path) as book:
        clock = book.add_format({"num_format": "hh:mm"})
        hours = book.add_format({"num_format": "[h]:mm"})
        stops, vehicles = book.add_worksheet("stops"), book.add_worksheet("vehicles")
        stops.write_row(0, 0, ["id", "x", "y", "demand", "open", "close"])
        stops.write_row(1, 0, ["depot", 0, 0, "", 420, "18:00"])
        stops.write_row(2, 0, ["a", 3, 4, 2])
        stops.write_datetime(2, 4, time(8, 0, 30), clock)
        stops.write_datetime(2, 5, time(9, 20), clock)
        vehicles.write_row(0, 0, ["type", "capacity", "fixed_cost", "unit_cost", "speed_kmh"])
        vehicles.write_row(1, 0, ["van", 5, 10, 1, 50])
        vehicles.write_row(0, 5, ["max_hours", "shift_end"])
        vehicles.write_datetime(1, 5, timedelta(hours=8, minutes=30), hours)
        vehicles.write_datetime(1, 6, timedelta(hours=25, seconds=15), hours)
    instance = read_instance(path)
    assert instance.time_windows == (((420, 1080),), ((480.5, 560),))
    assert instance.vehicle_types[0].max_duration == 510
    assert instance.vehicle_types[0].shift_end == 1500.25
