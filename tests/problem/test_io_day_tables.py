"""A working day in tables: opening hours, service, shifts, access, several loads and depots."""

import math

import pytest

from fripn.errors import InvalidInput, InvalidTable
from fripn.problem.io import TableOptions, parse_input, parse_instance

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
        ("17:00;50", "17:00;0", "line 2: vehicle type 'Van' has speed 0"),
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
