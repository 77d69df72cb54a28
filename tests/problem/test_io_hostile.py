"""Hostile files: refused with a sentence, in linear time and bounded memory.

Nothing here looks at the clock: what took quadratic time would run into the timeout of the test.
"""

import itertools
import json
import string
import tracemalloc

import numpy as np
import pytest

from fripn.errors import InvalidInput
from fripn.problem import Instance, VehicleType, library
from fripn.problem.io import parse_instance, parse_solution
from fripn.problem.io.table import MAX_ROWS
from fripn.problem.io.vehicle_table import MAX_TYPES

pytestmark = [pytest.mark.pure, pytest.mark.timeout(60)]

VEHICLES = "type,capacity,fixed_cost,unit_cost\nvan,5,10,1\n"
SMALL = """NAME : small
DIMENSION : 3
VEHICLES : 2
CAPACITY : 9
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 3 4
3 0 8
DEMAND_SECTION
1 0
2 2
3 3
DEPOT_SECTION
1
-1
EOF
"""

#: Ten megabytes of something.
MANY = 10_000_000


def refuse(call):
    """Return the sentence of a refusal, which is short, on one line and free of control codes."""
    with pytest.raises(InvalidInput) as caught:
        call()
    sentence = str(caught.value)
    assert len(sentence) < 1000
    assert sentence.isprintable()
    return sentence


def refuse_table(text):
    return refuse(lambda: parse_instance(text, "csv", vehicles=VEHICLES))


def refuse_vrp(text):
    return refuse(lambda: parse_instance(text, "vrp"))


def refuse_sol(text):
    return refuse(lambda: parse_solution(text, "sol", library.load("golden-03")))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 3 4", "2 3 4 \x0c5", "write node x y in each row"),
        ("2 3 4", "2 3 " + "1" * MANY + "x", "write node x y in each row"),
        ("2 3 4", "2 3 " + "1" * 400 + "x", "NODE_COORD_SECTION has '1111"),
        ("2 3 4", "2 3 +", "NODE_COORD_SECTION has '+'; give numbers"),
        ("2 3 4", "2 3 1_0", "NODE_COORD_SECTION has '1_0'; give numbers"),
        ("2 3 4", "2 3 ١", "give numbers"),
        ("DEMAND_SECTION", "DEMAND_SECTION\nDEMAND_SECTION", "DEMAND_SECTION appears twice"),
        ("CAPACITY : 9", "CAPACITY : 9\nCAPACITY : 8", "CAPACITY appears twice"),
        ("CAPACITY : 9", "CAPACITY : nan", "CAPACITY is 'nan'; give a number"),
        ("CAPACITY : 9", "CAPACITY : 1e999", "CAPACITY is inf; give a finite number"),
        ("CAPACITY : 9", "CAPACITY : ", "CAPACITY is ''; give a number"),
        ("VEHICLES : 2", "VEHICLES : 1" + "0" * 5000, "VEHICLES is '1000"),
        ("NAME : small", "small", "line 1: this is 'small'; write 'KEY : value'"),
        ("NAME : small", "\x1b[2J : x", "line 1: \\x1b[2J is not part of this problem"),
        ("EDGE_WEIGHT_TYPE : EUC_2D", "TYPE : x", "EDGE_WEIGHT_TYPE is None; use EUC_2D"),
        ("EUC_2D", "EXPLICIT", "no matrix is given"),
        (
            "EUC_2D\n",
            "EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n1 2 3\n",
            "has 3 numbers, but 3 stops need 9 as FULL_MATRIX",
        ),
        (
            "EUC_2D\n",
            "EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\n",
            "EDGE_WEIGHT_FORMAT is 'UPPER_ROW'; use FULL_MATRIX or LOWER_ROW",
        ),
        (
            "EUC_2D\n",
            "EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
            + "12 " * 3_000_000
            + "\n",
            "has 3000000 numbers",
        ),
        ("1 0 0\n2 3 4\n3 0 8\n", "", "NODE_COORD_SECTION has 0 rows"),
        ("1 0\n2 2\n3 3\n", "", "DIMENSION is 3, but DEMAND_SECTION has 0 rows"),
    ],
    ids=range(21),
)
def test_vrplib(old, new, message):
    """No foreign exception, no long search, no long message."""
    assert old in SMALL
    assert message in refuse_vrp(SMALL.replace(old, new, 1))


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\u3000", "\x1f"])
def test_vrplib_with_unusual_blanks(blank):
    """A bare StopIteration ended the search for the wrong one among these numbers."""
    assert parse_instance(SMALL.replace("2 3 4", f"2 3{blank}4"), "vrp") == parse_instance(
        SMALL, "vrp"
    )


@pytest.mark.parametrize(
    "text",
    [
        "\n" * MANY,
        "x" + "\n" * MANY,
        "\x0c" * MANY + "x",
        " " * MANY + "x",
        ":" * MANY,
        "NAME : " + "x" * MANY,
        "EDGE_WEIGHT_SECTION\n" + "\n".join(["1"] * 300_000),
        "DEMAND_SECTION\n" + "1 " * (MANY // 2),
        "#" * MANY,
    ],
    ids=range(9),
)
def test_large_vrplib_files(text):
    """Blank, empty, endless."""
    refuse_vrp(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Route" + " " * MANY, "write 'Route #1: 4 7 2'"),
        ("Route" + " " * MANY + "1", "write 'Route #1: 4 7 2'"),
        ("Route #1" + " " * MANY + "x: 4", "write 'Route #1: 4 7 2'"),
        ("Route #1: " + "4 " * (MANY // 2), "many times more visits"),
        ("Route #1: " + "4" * MANY, "is not a customer number"),
        ("Route #1: 4\x1b[31m", "'4\\x1b[31m' is not a customer number"),
        ("Route #1:\n" * 200_000, "no line 'Route #1"),
        ("\n" * MANY, "the file is empty"),
        ("x" + "\n" * MANY, "has 10000000 lines"),
    ],
    ids=range(9),
)
def test_sol(text, message):
    """A regular expression that backtracked took hours here."""
    assert message in refuse_sol(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("," * MANY, "characters"),
        (("," * 1000 + "\n") * 10_001, "over 10001000 cells"),
        ("id" + "\n" * MANY, "has 10000000 lines"),
        ("\r" * MANY + "id", "has 10000000 lines"),
        ("id,x,y,demand\n" + "a" * MANY, "characters"),
        ('id,x,y,demand\n"' + "a\n" * 100_000, "not a valid table"),
        ("id,x,y,demand\ndepot,0,0," + "1" * 90_000 + "x", "demand is '1111"),
        ("x" * 90_000 + ",y\n1,2\n", "the column 'demand' is missing (the header has xxx"),
        ("id,x,y,demand\n" + "1\n" * (MAX_ROWS + 1), f"more than {MAX_ROWS} rows"),
        ("id,x,y,demand\ndepot,0,0,\x1b[31m\x07\n", "demand is '\\x1b[31m\\x07'"),
    ],
    ids=range(10),
)
def test_tables(text, message):
    """Ten million commas, lines or digits."""
    assert message in refuse_table(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" + "1" * MANY + "]",
        "[0." + "1" * MANY + "]",
        '{"' + "k" * MANY + '": 1}',
        '{"format": "fripn-instance", "version": ' + "[1]," * 100_000 + "1}",
        '{"format": "' + "\\u001b" * 100_000 + '"}',
        '{"format": "fripn-instance", "version": 1, "depot": {"' + "x" * MANY + '": 1}}',
    ],
    ids=range(8),
)
def test_json(text):
    """Nesting, digits and keys without end."""
    refuse(lambda: parse_instance(text, "json"))


def test_unknown_name_among_long_ones():
    """The search for the nearest name is bounded: 20,000 names of 200 letters each."""
    rng = np.random.default_rng(1)
    names = ["".join(chr(97 + k) for k in rng.integers(26, size=200)) for _ in range(20_001)]
    instance = Instance(
        "long",
        np.zeros((20_001, 2)),
        [0.0, *[1.0] * 20_000],
        [VehicleType("A", 1)],
        stop_names=names,
    )
    plan = {"format": "fripn-solution", "version": 1, "routes": []}
    for unknown in (names[7][:-1], "x" * 50, "\x1b" * 100_000):
        plan["routes"] = [{"vehicle_type": "A", "names": [unknown]}]
        text = json.dumps(plan)
        assert "no stop of long has the name" in refuse(
            lambda text=text: parse_solution(text, "json", instance)
        )


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("vrp", SMALL.replace("EUC_2D", "EXPLICIT\nEDGE_WEIGHT_SECTION\n" + "12 " * 100_000)),
        ("vrp", "x : " + "\n" * 200_000),
        ("csv", "id,x,y,demand\n" + "\n" * 200_000),
        ("csv", "id,x,y,demand\n" + ",,,,,,,,,,,,,,,,,,,\n" * 20_000),
        ("json", '{"customers": [' + "1.5," * 100_000 + "1]}"),
        ("json", '{"customers": [' + "[]," * 100_000 + "1]}"),
        ("json", '{"customers": [' + "{}," * 100_000 + "1]}"),
    ],
    ids=["matrix", "vrp-lines", "csv-lines", "csv-commas", "json", "json-lists", "json-objects"],
)
def test_memory_is_at_most_ten_times_the_text(form, text):
    """And a little that does not grow with it."""
    vehicles = VEHICLES if form == "csv" else None
    tracemalloc.start()
    try:
        refuse(lambda: parse_instance(text, form, vehicles=vehicles))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * len(text) + 500_000


def peak_memory(call):
    """Return the peak of memory during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def short_ids(count):
    """Return different ids of three characters."""
    letters = string.ascii_letters + string.digits + "-_"
    return map("".join, itertools.islice(itertools.product(letters, repeat=3), count))


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("id,x,y,demand\ndepot,0,0,0\n", "{},0,0,1\n"),
        ("name,id,x,y,demand\nhub,depot,0,0,0\n", "ab,{},0,0,1\n"),
        ("name,id,x,y,demand\n\U0001f600,depot,0,0,0\n", ",{},0,0,1\n"),
        ("name,id,x,y,demand\rhub,depot,0,0,0\r", ",{},0,0,1\r"),
    ],
    ids=["ids", "names", "wide", "mac"],
)
def test_memory_of_tables_with_short_rows(header, row):
    """Ten times the size and 200 bytes a row, which is 20 MB at the limit of the rows.

    Rows kept as objects took 27 times the size.
    """
    count = 10_000
    content = (header + "".join(map(row.format, short_ids(count)))).encode()
    peak = peak_memory(lambda: parse_instance(content, "csv", vehicles=VEHICLES))
    assert peak < 10 * len(content) + 200 * count
    assert MAX_ROWS * 200 <= 20_000_000


def test_memory_of_vehicle_tables():
    """Short rows are refused where they would take more than ten times the size and 20 MB."""
    header = "type,capacity,fixed_cost,unit_cost\n"
    stops = "id,x,y,demand\ndepot,0,0,0\n1,1,1,1\n"
    full = header + "".join(f"{own},5,1,1\n" for own in short_ids(MAX_TYPES))
    peak = peak_memory(lambda: parse_instance(stops, "csv", vehicles=full))
    assert peak < 20_000_000
    more = full + "more,5,1,1\n"
    message = refuse(lambda: parse_instance(stops, "csv", vehicles=more))
    assert f"more than {MAX_TYPES} vehicle types" in message


def test_plan_tables_with_too_many_visits():
    """They are refused before anything is built from them."""
    text = "route,vehicle_type,customer\n" + "1,A,1\n" * 2000
    message = refuse(lambda: parse_solution(text, "csv", library.load("golden-03")))
    assert "many times more visits" in message
