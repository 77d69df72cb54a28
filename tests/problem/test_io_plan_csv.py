"""Plans as tables: what we write, and what people write."""

import pytest

from fripn.errors import InvalidInput
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.problem.io import read_solution, write_solution


@pytest.fixture
def orders():
    """Three customers with ids that are not their numbers, two of them with the same name."""
    return Instance(
        name="orders",
        coordinates=[[0, 0], [3, 4], [0, 8], [6, 8]],
        demands=[0, 2, 3.5, 1],
        vehicle_types=[VehicleType("van", 4, 10), VehicleType("truck", 10, 25, 1.5)],
        stop_names=["Hub", "Ann", "Bob", "Bob"],
        stop_ids=["h", "3", "101", "1"],
    )


@pytest.fixture
def numbered(orders):
    """Return the same without names and ids."""
    return orders.replace(stop_names=None, stop_ids=None)


@pytest.fixture
def read(tmp_path):
    """Write a table and read it as a plan."""

    def _read(text, instance):
        path = tmp_path / "plan.csv"
        path.write_text(text, encoding="utf-8")
        return read_solution(path, instance)

    return _read


def test_written_table(orders, read, tmp_path):
    """One row per stop with its id and the distance to it; rows may come in any order."""
    solution = Solution.of([(1, [2, 1, 3])])
    path = tmp_path / "plan.csv"
    write_solution(orders, solution, path)
    lines = path.read_text().splitlines()
    assert lines == [
        "route,vehicle_type,position,customer,id,name,x,y,demand,distance",
        "1,truck,1,2,101,Bob,0.0,8.0,3.5,8.0",
        "1,truck,2,1,3,Ann,3.0,4.0,2.0,5.0",
        "1,truck,3,3,1,Bob,6.0,8.0,1.0,5.0",
    ]
    assert read("\n".join([lines[0], *reversed(lines[1:])]), orders) == solution
    assert evaluate(orders, solution).is_feasible


def test_written_table_without_ids(numbered, tmp_path):
    """No column repeats the numbers as ids."""
    write_solution(numbered, Solution.of([(1, [2, 1, 3])]), tmp_path / "plan.csv")
    header = (tmp_path / "plan.csv").read_text().splitlines()[0]
    assert header == "route,vehicle_type,position,customer,name,x,y,demand,distance"


@pytest.mark.parametrize(
    "text",
    [
        "vehicle,type,stop\n1,truck,101\n1,truck,3\n2,van,1\n",
        "vehicle,type,stop,name\n1,truck,101,\n1,truck,,Ann\n2,van,1,Bob\n",
        "Vehicle;Type;Name\nbig one;truck;Bob (101)\nbig one;truck;Ann\nold van;van;Bob (1)\n",
        "route,vehicle_type,position,id\n10,van,1,1\n9,truck,2,3\n9,truck,1,101\n",
        "route,vehicle_type,customer,name\n1,truck,2,Bob\n1,truck,1,Ann\n2,van,3,Bob\n",
        "route,vehicle_type,customer,id\n1,truck,2,101\n1,truck,1,3\n2,van,3,1\n",
    ],
)
def test_stops_by_id_name_or_number(orders, read, text):
    """As planners write it: any of the three, in the order of the rows without positions."""
    assert read(text, orders) == Solution.of([(1, [2, 1]), (0, [3])])


def test_numbers_serve_as_ids_where_there_are_none(numbered, read):
    """Names that the instance has lost cannot be compared, but numbers can."""
    plan = Solution.of([(1, [2, 1, 3])])
    assert read("vehicle,type,stop\n1,truck,2\n1,truck,1\n1,truck,3\n", numbered) == plan
    lost = "route,type,customer,id,name\n1,truck,2,x7,Bob\n1,truck,1,,Ann\n1,truck,3,,\n"
    assert read(lost, numbered) == plan
    with pytest.raises(InvalidInput, match="line 2: customer 2 has the id '2' in orders, not '3'"):
        read("route,type,customer,id\n1,truck,2,3\n", numbered)
    with pytest.raises(InvalidInput, match="line 2: no stop of orders has the name 'Ann'; use one"):
        read("route,type,name\n1,truck,Ann\n", numbered)


def test_many_routes_come_in_the_order_of_their_numbers(numbered, read):
    """Route 10 follows route 9, and what is not a number keeps its place."""
    rows = "10,van,1\n9,van,2\n11,van,3\n"
    plan = read(f"route,type,customer\n{rows}", numbered)
    assert [route.customers for route in plan.routes] == [(2,), (1,), (3,)]
    plan = read(f"route,type,customer\n{rows.replace('11', 'A')}", numbered)
    assert [route.customers for route in plan.routes] == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stop\n102", r"line 2: no stop of orders has the id '102'; did you mean '101'\?"),
        ("stop\nAnn", "line 2: 'Ann' is not an id of orders but a name; give it as 'name'"),
        ("name\nZoe", "line 2: no stop of orders has the name 'Zoe'; use one of Ann, Bob, Bob"),
        (
            "name\nBob",
            r"line 2: the name 'Bob' belongs to customer 2 \(Bob, id 101\) and to customer 3 "
            r"\(Bob, id 1\); give the id as well",
        ),
        ("stop\nh", "line 2: id 'h' is the depot, .* leave this stop out"),
        ("name\nHub", "line 2: name 'Hub' is the depot"),
        ("customer,name\n0,Hub", "line 2: customer 0 is the depot"),
        ("stop,name\n3,Bob", "line 2: id '3' has the name 'Ann' in orders, not 'Bob'; correct"),
        ("stop,name\n3,Zoe", "line 2: id '3' has the name 'Ann' in orders, not 'Zoe'; correct"),
        ("customer,name\n3,Ann", "line 2: customer 3 has the name 'Bob' in orders, not 'Ann'"),
        ("customer,id\n3,3", "customer 3 has the id '1' in orders, not '3'.*another instance"),
        ("customer,id\n7,3", "line 2: customer 7 does not exist in orders and cannot have the id"),
        (
            "customer\n3",
            r"line 2: customer is 3, which may be a number or the id of customer 1 \(Ann, id 3\); "
            "call the column 'id' if it holds ids",
        ),
        ("customer\n101", "line 2: customer is 101, which may be a number or the id of customer 2"),
        ("customer\nAnn", "line 2: customer is 'Ann'; give a number, or call the column 'id' or"),
        ("customer\n1.5", "line 2: customer is '1.5'; give an integer"),
        ("customer,name\n", "the table has a header but no rows"),
        ("demand\n1", "no column names the stop; add 'id', 'name' or 'customer'"),
        ("stop,name,demand\n,,1", "line 2: no stop is given; write its id, its name or its number"),
        ("driver,stop\nJo,3", "unknown column 'driver'; remove or rename it: use one of route, "),
    ],
)
def test_stops_that_cannot_be_told_are_refused(orders, read, text, message):
    """Unknown, ambiguous and contradictory ones: place, value and remedy."""
    header, _, cells = text.partition("\n")
    with pytest.raises(InvalidInput, match=message) as caught:
        read(f"route,type,{header}\n" + (f"1,truck,{cells}\n" if cells else ""), orders)
    assert "plan.csv: " in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,truk,1,2", "uses the vehicle type 'truk', which orders does not have; did you mean"),
        ("1,truck,1,2\n1,van,2,1", "line 3: route 1 has the vehicle type 'van' here and 'truck'"),
        ("1,truck,1,2\n1,truck,1,1", "line 3: position 1 of route 1 is already taken in line 2"),
        ("1,truck,,2", "line 2: position is empty"),
        (",truck,1,2", "line 2: route is empty; name the route or vehicle that visits the stop"),
    ],
)
def test_bad_routes_are_refused(numbered, read, rows, message):
    """With the line."""
    with pytest.raises(InvalidInput, match=message):
        read(f"route,vehicle_type,position,customer\n{rows}\n", numbered)
