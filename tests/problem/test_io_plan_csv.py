"""Plans as tables: what we write, and what people write."""

import csv
import io
import xml.etree.ElementTree as ET
import zipfile

import pytest

from day_instances import day_instance, random_plan
from fripn.errors import InvalidInput
from fripn.problem import Instance, Solution, VehicleType, evaluate
from fripn.problem.io import read_solution, write_solution
from fripn.problem.io.formula_cells import guarded, unguarded
from fripn.problem.io.plan_table import plan_header, plan_rows
from fripn.problem.io.solution_csv import solution_from_table, solution_table
from fripn.problem.io.table_dialect import TableDialect
from fripn.problem.io.xlsx_file import xlsx_file


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
    """The depot at both ends, so that distances add up; loads and distances so far."""
    solution = Solution.of([(1, [2, 1]), (0, [3])])
    path = tmp_path / "plan.csv"
    write_solution(orders, solution, path)
    assert path.read_text() == (
        "route,vehicle_type,position,customer,id,name,x,y,demand,load_so_far,distance,"
        "distance_so_far\n"
        "1,truck,0,0,h,Hub,0,0,,0,0,0\n"
        "1,truck,1,2,101,Bob,0,8,3.5,3.5,8,8\n"
        "1,truck,2,1,3,Ann,3,4,2,5.5,5,13\n"
        "1,truck,3,0,h,Hub,0,0,,5.5,5,18\n"
        "2,van,0,0,h,Hub,0,0,,0,0,0\n"
        "2,van,1,3,1,Bob,6,8,1,1,10,10\n"
        "2,van,2,0,h,Hub,0,0,,1,10,20\n"
    )
    assert read(path.read_text(), orders) == solution
    assert evaluate(orders, solution).distance == 18 + 20


def test_written_table_without_ids(numbered, tmp_path):
    """No column repeats the numbers as ids."""
    write_solution(numbered, Solution.of([(1, [2, 1, 3])]), tmp_path / "plan.csv")
    header = (tmp_path / "plan.csv").read_text().splitlines()[0]
    assert header.startswith("route,vehicle_type,position,customer,name,x,y,demand,")


def test_dialect_of_the_input(orders, tmp_path):
    """Semicolons, decimal commas, a byte-order mark and Windows line ends, and back again."""
    path = tmp_path / "plan.csv"
    dialect = TableDialect(separator=";", decimal=",", encoding="utf-8-sig", newline="\r\n")
    solution = Solution.of([(1, [2, 1, 3])])
    write_solution(orders.replace(stop_names=["Hub", "Änn", "Bob", "Bob"]), solution, path,
                   dialect=dialect)  # fmt: skip
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbfroute;vehicle_type;")
    assert b"1;truck;1;2;101;Bob;0;8;3,5;3,5;8;8\r\n" in content
    names = ["Hub", "Änn", "Bob", "Bob"]
    assert read_solution(path, orders.replace(stop_names=names)) == solution


def test_further_columns_go_through(orders, read, tmp_path):
    """They stand in the plan; one that is called like a column of ours gets another name."""
    instance = orders.replace(
        extra_columns={"Telefon": ("", "1", "2", "3"), "route": ("", "N", "S", "")}
    )
    solution = Solution.of([(1, [2, 1, 3])])
    write_solution(instance, solution, tmp_path / "plan.csv")
    text = (tmp_path / "plan.csv").read_text()
    assert ",Telefon,stop route,demand," in text
    assert "101,Bob,0,8,2,S,3.5" in text
    assert read(text, instance) == solution


def test_distances_are_rounded_to_what_can_be_used(orders):
    """Metres of a kilometre; small distances keep their digits."""
    plan = Solution.of([(1, [1, 2, 3])])
    longer = orders.replace(coordinates=orders.coordinates * (1 / 3))
    assert [row[-2] for row in plan_rows(longer, plan)] == [0, 1.667, 1.667, 2, 3.333]
    small = orders.replace(coordinates=orders.coordinates * 1e-6)
    assert [row[-1] for row in plan_rows(small, plan)][1] == pytest.approx(5e-6, rel=1e-3)


def test_formulas_are_shown_and_not_run(orders, read, tmp_path):
    """Text cells that begin as a formula stand behind an apostrophe, and come back as they were."""
    instance = orders.replace(
        stop_names=["Hub", "=1+cmd|' /C calc'!A0", "@SUM(A1)", "+49 341 1"],
        extra_columns={"note": ("", "-x", "'=1", "+49 (341) 12-34")},
        vehicle_types=[VehicleType("=van", 4, 10), VehicleType("truck", 10, 25, 1.5)],
    )
    solution = Solution.of([(1, [2, 1]), (0, [3])])
    write_solution(instance, solution, tmp_path / "plan.csv")
    text = (tmp_path / "plan.csv").read_text()
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]
    assert "'-x" in cells
    assert "+49 341 1" in cells
    assert "+49 (341) 12-34" in cells
    assert read(text, instance) == solution


@pytest.mark.parametrize(
    "text", ["=1", "-x", "'=1", "''=1", "'", "-5", "+49 30", "@a", "\t=1", "a=1", ""]
)
def test_guarding_can_be_undone(text):
    assert unguarded(guarded(text)) == text


MOVED = """route,vehicle_type,position,customer
1,truck,0,0
1,truck,1,2
1,truck,2,1
1,truck,3,0
2,van,0,0
2,van,1,3
2,van,2,0
"""


@pytest.mark.parametrize(
    ("order", "plan"),
    [
        ([0, 1, 2, 3, 4, 5, 6], [(1, [2, 1]), (0, [3])]),
        ([0, 2, 1, 3, 4, 5, 6], [(1, [1, 2]), (0, [3])]),  # within a route
        ([0, 1, 3, 4, 2, 5, 6], [(1, [2]), (0, [1, 3])]),  # to another one
        ([0, 1, 3, 4, 5, 2, 6], [(1, [2]), (0, [3, 1])]),
        ([0, 5, 1, 2, 3, 4, 6], [(1, [3, 2, 1])]),  # the last of a route: it is not driven
        ([4, 5, 6, 0, 1, 2, 3], [(1, [2, 1]), (0, [3])]),  # whole routes
    ],
)
def test_rows_can_be_moved(numbered, read, order, plan):
    """The place of a row counts, not its cells for route, type and position."""
    header, *rows = MOVED.splitlines()
    assert read("\n".join([header, *(rows[index] for index in order)]), numbered) == Solution.of(
        plan
    )


def test_a_changed_route_cell_moves_no_row(numbered, read):
    """The row tells another route than the one it stands in, but not where it is visited."""
    with pytest.raises(
        InvalidInput, match="line 3: route is '2', but the row stands in route 1; mo"
    ):
        read(MOVED.replace("1,truck,1,2", "2,truck,1,2"), numbered)


def test_the_depot_is_visited_at_the_ends_only(numbered, read):
    """Two trips of a vehicle are two routes."""
    rows = "1,van,0,0\n1,van,1,1\n1,van,2,0\n1,van,3,2\n1,van,4,0\n"
    with pytest.raises(InvalidInput, match="line 5: route 1 visits the depot at its ends only"):
        read(f"route,vehicle_type,position,customer\n{rows}", numbered)
    again = "1,van,0,0\n1,van,1,1\n1,van,2,0\n1,van,0,0\n1,van,1,2\n1,van,2,0\n"
    with pytest.raises(InvalidInput, match="line 5: route 1 visits the depot at its ends only"):
        read(f"route,vehicle_type,position,customer\n{again}", numbered)


def test_depot_by_name_or_id(orders, read):
    """As our own table calls it, at one end or at both."""
    plan = Solution.of([(1, [2, 1]), (0, [3])])
    rows = "1,truck,h\n1,truck,101\n1,truck,3\n2,van,h\n2,van,1\n"
    assert read(f"vehicle,type,stop\n{rows}", orders) == plan
    rows = "1,truck,Hub\n1,truck,Bob (101)\n1,truck,Ann\n1,truck,Hub\n2,van,Bob (1)\n"
    assert read(f"vehicle,type,name\n{rows}", orders) == plan


@pytest.mark.parametrize(
    ("positions", "customers"), [("213", (2, 1, 3)), ("113", (1, 2, 3)), ("135", (1, 2, 3))]
)
def test_positions_count_where_they_number_the_visits(numbered, read, positions, customers):
    """1, 2, 3, … in any order of the rows; else the rows are in the order of the visits."""
    rows = [f"1,truck,{position},{stop}" for stop, position in enumerate(positions, start=1)]
    text = "\n".join(["route,vehicle_type,position,customer", *rows])
    assert read(text, numbered).routes[0].customers == customers


def test_workbook_opens_and_holds_the_same_cells(orders, tmp_path):
    """Numbers are numbers, text is text, and the same plan gives the same bytes."""
    instance = orders.replace(stop_names=["Hub", "=1+1", "Łukasz & <b>", "a\nb"], name="a/b: [c]")
    solution = Solution.of([(1, [2, 1]), (0, [3])])
    path = tmp_path / "plan.xlsx"
    write_solution(instance, solution, path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            ET.fromstring(archive.read(name))
        sheet = ET.fromstring(archive.read("xl/worksheets/sheet1.xml"))
        names = ET.fromstring(archive.read("xl/workbook.xml"))
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    assert names.find(f"{space}sheets/{space}sheet").get("name") == "a b   c"
    rows = [
        {
            cell.get("r"): cell.findtext(f"{space}v") or cell.findtext(f"{space}is/{space}t")
            for cell in row
        }
        for row in sheet.iter(f"{space}row")
    ]
    assert list(rows[0].values()) == plan_header(instance)
    for number, (row, written) in enumerate(
        zip(plan_rows(instance, solution), rows[1:], strict=True)
    ):
        for place, cell in enumerate(row):
            text = written.get(f"{chr(ord('A') + place)}{number + 2}")
            assert text == (None if cell is None else str(cell))
    formula = next(cell for cell in sheet.iter(f"{space}c") if "=1+1" in "".join(cell.itertext()))
    assert (formula.get("t"), formula.get("s")) == ("inlineStr", "2")
    write_solution(instance, solution, path)
    assert path.read_bytes() == content
    assert read_solution(path, instance) == solution


def test_workbooks_of_people_are_read(orders, tmp_path):
    """The first sheet with cells; messages name the row."""
    header, rows = (
        ["Vehicle", "Type", "Stop"],
        [["A", "truck", 101], ["A", "truck", "3"], ["B", "van", 1]],
    )
    path = tmp_path / "plan.xlsx"
    path.write_bytes(xlsx_file("mine", header, rows))
    assert read_solution(path, orders) == Solution.of([(1, [2, 1]), (0, [3])])
    path.write_bytes(xlsx_file("mine", header, [*rows, [], ["B", "van", 7]]))
    with pytest.raises(InvalidInput, match="line 6: no stop of orders has the id '7'"):
        read_solution(path, orders)
    path.write_bytes(b"PK")
    with pytest.raises(InvalidInput, match=r"plan\.xlsx: "):
        read_solution(path, orders)


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
        ("customer,name\n0,Ann", "line 2: customer 0 has the name 'Hub' in orders, not 'Ann'"),
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
        ("customr,stop\nJo,3", r"unknown column 'customr'; did you mean 'customer'\?"),
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
        ("1,truck,x,2", "line 2: position is 'x'; give a number"),
        ("1,truck,0,0\n1,van,1,2", "line 3: route 1 has the vehicle type 'van' here and 'truck'"),
        ("1,truck,0,0\n1,truck,1,2\n1,van,2,0", "line 4: route 1 has the vehicle type 'van' here"),
        (",truck,1,2", "line 2: route is empty; name the route or vehicle that visits the stop"),
    ],
)
def test_bad_routes_are_refused(numbered, read, rows, message):
    """With the line."""
    with pytest.raises(InvalidInput, match=message):
        read(f"route,vehicle_type,position,customer\n{rows}\n", numbered)


@pytest.mark.parametrize("seed", range(30))
def test_plans_of_a_working_day_come_back(seed):
    """Several depots, routes that do not return, several loads; distances and times add up."""
    instance = day_instance(seed, 9)
    plan = random_plan(instance, seed)
    evaluation = evaluate(instance, plan)
    text = solution_table(instance, plan)
    assert solution_from_table(text, instance) == plan
    header = plan_header(instance)
    rows = [dict(zip(header, row, strict=True)) for row in plan_rows(instance, plan)]
    for number, cost in enumerate(evaluation.routes, start=1):
        mine = [row for row in rows if row["route"] == number]
        assert mine[-1]["distance_so_far"] == pytest.approx(cost.distance, abs=1e-3)
        assert sum(row["distance"] for row in mine) == pytest.approx(cost.distance, abs=0.01)
        if cost.schedule is not None:
            assert mine[0]["departure"] == pytest.approx(cost.schedule.departure, abs=1e-3)
            starts = [row["start"] for row in mine if row["start"] is not None]
            assert starts == [round(visit.start, 3) for visit in cost.schedule.visits]


def test_times_of_day_in_tables_of_plans():
    """Times are written as tables of stops have them; numbers without a known unit of time."""
    instance = Instance(
        name="day",
        coordinates=[[0, 0], [3, 4]],
        demands=[0, 1],
        vehicle_types=[VehicleType("van", 2, speed=0.3)],
        time_windows=[(), ((510, 540),)],
        service_times=[0, 15],
        hour=60,
        time_unit="min",
    )
    plan = Solution.of([(0, [1])])
    rows = [line.split(",")[-3:] for line in solution_table(instance, plan).splitlines()[1:]]
    assert rows == [["", "", "08:13:20"], ["08:30", "08:30", "08:45"], ["09:01:40", "", ""]]
    assert solution_from_table(solution_table(instance, plan), instance) == plan
    seconds = instance.replace(hour=1.0, time_unit=None)
    assert solution_table(seconds, plan).splitlines()[2].endswith(",510,510,525")
