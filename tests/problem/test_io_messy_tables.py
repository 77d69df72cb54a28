"""Tables as planners have them: from Excel, in German, with columns of their own, with mistakes."""

import io
import zipfile

import pytest
import xlsxwriter

from fripn.errors import InvalidCell, InvalidFile, InvalidInput, InvalidSetting, InvalidTable
from fripn.problem import VehicleType
from fripn.problem.io import TableOptions, parse_input, parse_instance, read_input, read_instance

GERMAN_STOPS = (
    "Touren Montag;;;;;;;\r\n"
    "\r\n"
    "Kundennr.;Kunde;Straße;Breite;Länge;Menge (kg);Telefon;Depot\r\n"
    "0;Zentrallager;Hafenstraße 1;51,3652;12,4381;;;ja\r\n"
    "4711;Bäckerei Müller;Königsplatz 3;51,3886;12,3905;9,5;0341 111;\r\n"
    "4712;Café Süd;Ring 12;51,308;12,318;1 050,25;0341 222;nein\r\n"
)
GERMAN_VEHICLES = (
    "Fahrzeugtyp;Nutzlast (kg);Tagesmiete;Kosten pro km;Anzahl;Kennzeichen\r\n"
    "Transporter;1.200,5;58,00 €;0,38;;L-AB 1\r\n"
    "Lkw;7.500.000;135 EUR;0,71;2;\r\n"
)

STOPS = "id,x,y,demand,depot\nhub,0,0,0,1\na,3,4,2,\nb,0,8,3.5,0\n"
VEHICLES = "type,capacity,fixed_cost,unit_cost,available\nvan,4,10,1,\ntruck,10,25,1.5,2\n"


def check_german(instance):
    assert instance.metric == "great_circle"
    assert instance.stop_ids == ("0", "4711", "4712")
    assert instance.stop_names == ("Zentrallager", "Bäckerei Müller", "Café Süd")
    assert instance.demands.tolist() == [0, 9.5, 1050.25]
    assert instance.coordinates.tolist() == [
        [12.4381, 51.3652],
        [12.3905, 51.3886],
        [12.318, 51.308],
    ]
    assert instance.vehicle_types == (
        VehicleType("Transporter", 1200.5, 58, 0.38),
        VehicleType("Lkw", 7_500_000, 135, 0.71, 2),
    )
    assert dict(instance.extra_columns) == {
        "Straße": ("Hafenstraße 1", "Königsplatz 3", "Ring 12"),
        "Telefon": ("", "0341 111", "0341 222"),
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
def test_a_german_table_in_every_encoding_of_excel(tmp_path, encoding):
    """Title rows, umlauts, decimal commas, currency, words of our columns, and unknown ones."""
    stops, vehicles = tmp_path / "montag.csv", tmp_path / "fuhrpark.csv"
    stops.write_bytes(GERMAN_STOPS.encode(encoding))
    vehicles.write_bytes(GERMAN_VEHICLES.encode(encoding))
    found = read_input(stops, vehicles=vehicles)
    check_german(found.instance)
    assert found.instance.name == "montag"
    assert found.notes == (f"{vehicles}: not used: Kennzeichen.",)
    dialect = found.dialect
    assert (dialect.separator, dialect.decimal, dialect.newline) == (";", ",", "\r\n")
    assert dialect.encoding == encoding
    assert dialect.title("demand") == "Menge (kg)"
    assert dialect.title("depot") == "Depot"
    assert dialect.title("position") == "position"


def test_tabs_of_unicode_text(tmp_path):
    """Excel's "Unicode text" is UTF-16 with tabs, in a .txt file."""
    path = tmp_path / "stops.txt"
    path.write_bytes(GERMAN_STOPS.replace(";", "\t").encode("utf-16"))
    (tmp_path / "v.csv").write_text(GERMAN_VEHICLES, encoding="utf-8")
    check_german(read_instance(path, vehicles=tmp_path / "v.csv"))


def test_the_separator_may_be_stated():
    """The first line that Excel writes and reads."""
    text = "sep=;\n" + STOPS.replace(",", ";").replace("3,4,2", "3,4,x")
    assert parse_instance(text, "csv", vehicles=VEHICLES).num_customers == 2
    with pytest.raises(InvalidInput, match="line 4: demand is 'x'"):
        parse_instance(text.replace("a;3;4;2", "a;3;4;x"), "csv", vehicles=VEHICLES)


def workbook(sheets):
    """Return a workbook: a list of rows by name of sheet."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return content.getvalue()


STOP_ROWS = [
    ["Kundennr", "Kunde", "Breite", "Länge", "Menge", "Depot", "PLZ"],
    [0, "Lager", 51.3652, 12.4381, None, True, 4109],
    [4711, "Müller", 51.3886, "12,3905", 9.5, False, 4155],
    [4712, "Süd", 51.308, 12.318, "1.050,25", None, "04277"],
]
VEHICLE_ROWS = [
    ["Typ", "Kapazität", "Fixkosten", "€/km", "Anzahl"],
    ["Transporter", 1200, 58, 0.38, None],
    ["Lkw", 7500, 135, 0.71, 2],
]


@pytest.mark.parametrize(
    "sheets",
    [
        {"stops": STOP_ROWS, "vehicles": VEHICLE_ROWS},
        {"Notizen": [["x"]], "Fahrzeuge": VEHICLE_ROWS, "Kunden": STOP_ROWS},
        {"Tabelle1": STOP_ROWS, "Tabelle2": VEHICLE_ROWS, "Tabelle3": []},
        {"Tabelle1": VEHICLE_ROWS, "Tabelle2": STOP_ROWS},
        {"A": [["Plan"], [], *STOP_ROWS], "Fuhrpark": VEHICLE_ROWS},
    ],
)
def test_sheets_by_name_by_columns_or_by_order(tmp_path, sheets):
    """Numbers of a workbook are numbers, ids have no decimal point, and text cells are read too."""
    path = tmp_path / "plan.xlsx"
    path.write_bytes(workbook(sheets))
    instance = read_instance(path)
    assert instance.stop_ids == ("0", "4711", "4712")
    assert instance.demands.tolist() == [0, 9.5, 1050.25]
    assert instance.coordinates[1].tolist() == [12.3905, 51.3886]
    assert instance.extra_columns["PLZ"] == ("4109", "4155", "04277")
    assert [one.available for one in instance.vehicle_types] == [None, 2]
    assert parse_instance(path.read_bytes(), "xlsx", name="plan") == instance


def test_a_workbook_of_stops_beside_a_table_of_vehicles(tmp_path):
    """Any mixture, one table per file; the first sheet with content counts."""
    stops, vehicles = tmp_path / "s.xlsx", tmp_path / "v.csv"
    stops.write_bytes(workbook({"Leer": [], "X": STOP_ROWS}))
    vehicles.write_text(GERMAN_VEHICLES, encoding="utf-8")
    assert read_instance(stops, vehicles=vehicles).num_customers == 2
    (tmp_path / "v.xlsx").write_bytes(workbook({"V": VEHICLE_ROWS}))
    assert read_instance(stops, vehicles=tmp_path / "v.xlsx").num_types == 2


def test_mistakes_in_workbooks_name_sheet_and_row(tmp_path):
    """As the spreadsheet counts them."""
    rows = [["Tour"], [], *STOP_ROWS]
    rows[4] = [4711, "Müller", "nord", 12.3905, -1, None, ""]
    with pytest.raises(InvalidTable) as caught:
        parse_instance(workbook({"stops": rows, "vehicles": VEHICLE_ROWS}), "xlsx", name="p")
    assert [str(mistake) for mistake in caught.value.mistakes] == [
        "p: sheet stops: row 5: Breite is 'nord'; give a number",
        "p: sheet stops: row 5: Menge is -1; it must be 0 or more",
    ]
    with pytest.raises(InvalidFile, match="it needs two, 'stops' and 'vehicles'"):
        parse_instance(workbook({"stops": STOP_ROWS}), "xlsx")
    with pytest.raises(InvalidFile, match="the file is not a workbook"):
        parse_instance(b"PK\x03\x04", "xlsx")
    with pytest.raises(InvalidFile, match="the file is not a workbook"):
        parse_instance(STOPS, "xlsx")


# The last is one that a campaign of mutated workbooks found: a column of empty cells takes memory.
@pytest.mark.parametrize("place", [(1_048_575, 16_383), (999_999, 20), (999_999, 0)])
def test_cells_far_away_are_refused(place):
    """The reader of workbooks would make room for everything before them."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True}) as book:
        sheet = book.add_worksheet("stops")
        sheet.write(0, 0, "id")
        sheet.write(*place, 1)
    with pytest.raises(InvalidFile, match="reaches over more than"):
        parse_instance(content.getvalue(), "xlsx")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'r="A2"', b'r="ABCDEFGH2"'),
        (b'r="A2"', b'r="A99999999999"'),
        (b'r="A2"', b's="a>b" r="XFD1048576"'),
        (b'<row r="2"', b"<row/>" * 400_000 + b'<row r="2"'),
        (b'<row r="2"', b'<row r="1048570"'),
    ],
)
def test_damaged_references_never_end_the_process(old, new):
    """The reader of workbooks would ask for gigabytes, and abort when there are none."""
    rows = [[f"c{column}" for column in range(30)], ["a"]]
    content = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook({"stops": rows}))) as before,
        zipfile.ZipFile(content, "w") as after,
    ):
        for name in before.namelist():
            text = before.read(name)
            assert "sheet1" not in name or old in text
            after.writestr(name, text.replace(old, new) if "sheet1" in name else text)
    with pytest.raises(InvalidFile, match="reaches over more than"):
        parse_instance(content.getvalue(), "xlsx")


def test_all_mistakes_of_both_tables_at_once():
    """By row and column, with the words of the tables; two files, one error."""
    stops = (
        "Nr;x;y;Menge;depot\nhub;0;0;0;1\na;drei;4;zwei;\na;1;2;-3;\nb;0;8;;0\nc;1;1;1;vielleicht\n"
        "d;1;1;1;0;7\n"
    )
    vehicles = "type;capacity;fixed_cost;unit_cost\nvan;vier;10;1\nvan;5;;1\n"
    with pytest.raises(InvalidTable) as caught:
        parse_instance(stops, "csv", vehicles=vehicles, name="o")
    error = caught.value
    assert error.num_mistakes == 10
    assert [str(mistake) for mistake in error.mistakes] == [
        "o: line 3: x is 'drei'; give a number",
        "o: line 3: Menge is 'zwei'; give a number",
        "o: line 4: the Nr 'a' is already used in line 3; give each stop its own id",
        "o: line 4: Menge is '-3'; it must be 0 or more",
        "o: line 5: Menge is empty; give a number",
        "o: line 6: depot is 'vielleicht'; write 1 for the depot and 0 or nothing for a customer",
        "o: line 7: 6 cells, but the header has 5 columns; quote strings and numbers that contain "
        "';'",
        "o, vehicles: line 2: capacity is 'vier'; give a number",
        "o, vehicles: line 3: fixed_cost is empty; give a number",
        "o, vehicles: line 3: the type 'van' is already given in line 2; give each type its own "
        "name",
    ]
    assert str(error) == "o: line 3: x is 'drei'; give a number (and 9 more mistakes)"
    record = error.to_dict()
    assert record["num_mistakes"] == 10
    assert record["mistakes"][1]["row"] == 3
    assert record["mistakes"][1]["field"] == "Menge"
    assert record["code"] == "invalid_table"


def test_the_first_mistakes_are_listed():
    """Those of the first rows, and all are counted."""
    rows = "".join(f"{k},x,y,-1\n" for k in range(1000))
    with pytest.raises(InvalidTable) as caught:
        parse_instance(f"id,x,y,demand\ndepot,0,0,0\n{rows}", "csv", vehicles=VEHICLES)
    assert caught.value.num_mistakes == 3000
    places = [mistake.place[1] for mistake in caught.value.mistakes]
    assert places == [f"line {3 + k // 3}" for k in range(500)]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["9,5", "1.050,25", "1.234.567"], [9.5, 1050.25, 1234567]),
        (["9,5", "1,050", "12,345"], [9.5, 1.05, 12.345]),
        (["0,105", "12,345", "-0"], [0.105, 12.345, 0]),
        (["9.5", "2.125", "3"], [9.5, 2.125, 3]),
        (["1,5", "2.5", "3"], [1.5, 2.5, 3]),
        (["1 050,5", "1\u00a0050", "1'050"], [1050.5, 1050, 1050]),
        (["1e3", "1.5E2", ".5"], [1000, 150, 0.5]),
    ],
)
def test_numbers_of_a_semicolon_table(cells, values):
    """Decimal commas, points, and thousands that cannot be anything else."""
    rows = "".join(f"{k};{k};0;{cell}\n" for k, cell in enumerate(cells, start=1))
    vehicles = "type,capacity,fixed_cost,unit_cost\nvan,10000000,1,1\n"
    instance = parse_instance(f"id;x;y;demand\ndepot;0;0;\n{rows}", "csv", vehicles=vehicles)
    assert instance.demands[1:].tolist() == values


@pytest.mark.parametrize(
    ("separator", "cells", "wrong"),
    [
        (";", ["9,5", "1.050"], "1.050"),
        (";", ["120", "1.050"], "1.050"),
        (";", ["120", "1,050"], "1,050"),
        (";", ["9.5", "1,050"], "1,050"),
        (",", ["9.5", '"1,050"'], "1,050"),
        ("\t", ["120", "1.050"], "1.050"),
    ],
)
def test_ambiguous_thousands_are_refused(separator, cells, wrong):
    """1.050 may be a thousand; the column is named, and the user can say what it is."""
    rows = "".join(
        f"{k},{k},0,".replace(",", separator) + f"{cell}\n" for k, cell in enumerate(cells)
    )
    stops = "id,x,y,Menge\ndepot,0,0,\n".replace(",", separator) + rows
    vehicles = "type,capacity,fixed_cost,unit_cost\nvan,2000,1,1\n"
    message = rf"line 4: Menge is '{wrong}', which may mean 1050 or 1\.05; write it without thou"
    with pytest.raises(InvalidCell, match=message):
        parse_instance(stops, "csv", vehicles=vehicles)
    for decimal, value in ((wrong[1], 1.05), (".,".replace(wrong[1], ""), 1050)):
        read = parse_instance(stops, "csv", vehicles=vehicles, decimal=decimal)
        assert read.demands[2] == value


def test_coordinates_with_points_beside_german_amounts():
    """Each column has its own decimal mark: maps are pasted in with points."""
    stops = "id;lat;lon;Menge\ndepot;51.365;12.438;\na;51.3886;12.3905;1,5\nb;51.308;12.318;2,125\n"
    instance = parse_instance(stops, "csv", vehicles=VEHICLES)
    assert instance.coordinates[0].tolist() == [12.438, 51.365]
    assert instance.demands.tolist() == [0, 1.5, 2.125]
    with pytest.raises(InvalidCell, match=r"Menge is '1\.050', which may mean"):
        parse_instance(stops.replace("2,125", "1.050"), "csv", vehicles=VEHICLES)


@pytest.mark.parametrize("title", ["Telefon", "phone", "Last", "Straße", "PLZ", "Ort", "Bemerkung"])
def test_columns_of_the_user_are_kept_without_a_question(title):
    """Nothing near a known word, however short."""
    text = STOPS.replace("depot\n", f"depot,{title}\n").replace("a,3,4,2,", "a,3,4,2,,abc")
    instance = parse_instance(text, "csv", vehicles=VEHICLES)
    assert dict(instance.extra_columns) == {title: ("", "abc", "")}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("demand", "demnd", r"unknown column 'demnd'; did you mean 'demand'\? rename it"),
        ("demand", "Mengen", r"did you mean 'menge'\?"),
        ("y,demand", "y,qty,Menge", r"the columns 'qty' and 'Menge' may both be the demand; say"),
        ("y,demand", "y,demand,Abholung", "the column 'Abholung' is not supported; pickups cannot"),
        ("y,demand", "y,demand,priority", "'priority' is not supported; every stop is visited"),
        ("x,y", "x,Datum", r"the column 'y' is missing \(the header has id, x, Datum"),
    ],
)
def test_questions_about_headers(old, new, message):
    """Misspelt words, two words for one column, and what cannot be planned."""
    with pytest.raises(InvalidInput, match=message):
        parse_instance(STOPS.replace(old, new, 1), "csv", vehicles=VEHICLES)


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("max_hour", r"did you mean 'max_hours'\?"),
        ("Pause", "the column 'Pause' is not supported; breaks cannot be planned: shorten"),
        ("capcity", r"did you mean 'capacity'\?"),
    ],
)
def test_questions_about_columns_of_vehicles(title, message):
    """No suggestion that would change the meaning: max_km is not max_count."""
    row = "van,5,1,1,9\n"
    header = f"type,{title},fixed_cost,unit_cost,remark\n"
    if title != "capcity":
        header = f"type,capacity,fixed_cost,unit_cost,{title}\n"
    vehicles = header + row
    with pytest.raises(InvalidInput, match=message):
        parse_instance(STOPS, "csv", vehicles=vehicles)


def test_own_words_for_columns():
    """``--map``: a word becomes a column of ours, or is kept as it is."""
    stops = STOPS.replace("id,x,y,demand", "id,x,y,demnd").replace("\na,", "\na,")
    assert (
        parse_instance(stops, "csv", vehicles=VEHICLES, columns={"Demnd": "demand"}).demands[1] == 2
    )
    both = STOPS.replace("y,demand", "y,Gewicht").replace("depot\n", "depot,Menge\n")
    read = parse_instance(both, "csv", vehicles=VEHICLES, columns={"gewicht": "demand"})
    assert read.demands.tolist() == [0, 2, 3.5]
    kept = STOPS.replace("depot\n", "depot,open\n").replace("a,3,4,2,", "a,3,4,2,,8")
    read = parse_instance(kept, "csv", vehicles=VEHICLES, columns={"open": "keep"})
    assert read.extra_columns["open"] == ("", "8", "")
    assert read.time_windows is None
    with pytest.raises(
        InvalidSetting, match=r"'Menge' is mapped to 'demnd', .* did you mean 'demand'"
    ):
        TableOptions(columns={"Menge": "demnd"})
    with pytest.raises(InvalidSetting, match=r"no column is called 'Meng'"):
        parse_instance(STOPS, "csv", vehicles=VEHICLES, columns={"Meng": "demand"})
    with pytest.raises(InvalidSetting, match=r"the decimal mark is ';'; give \. or ,"):
        TableOptions(decimal=";")


def test_our_own_word_wins_over_another_one():
    """A column `demand` beside `Menge`: the latter is kept."""
    text = STOPS.replace("depot\n", "depot,Menge\n").replace("a,3,4,2,", "a,3,4,2,,9 Kisten")
    instance = parse_instance(text, "csv", vehicles=VEHICLES)
    assert instance.demands[1] == 2
    assert instance.extra_columns["Menge"][1] == "9 Kisten"


def test_swapped_tables_are_recognised(tmp_path):
    """By their columns; the name is that of the stops."""
    stops, vehicles = tmp_path / "monday.csv", tmp_path / "fleet.csv"
    stops.write_text(STOPS)
    vehicles.write_text(VEHICLES)
    straight, swapped = (
        read_input(a, vehicles=b) for a, b in ((stops, vehicles), (vehicles, stops))
    )
    assert swapped.instance == straight.instance
    assert swapped.instance.name == "monday"
    assert swapped.notes == (f"{stops} holds the stops and {vehicles} the vehicles.",)


def test_stops_without_ids():
    """Names serve; equal names are told apart by numbers; the depot may be known by its name."""
    named = "Kunde,x,y,Menge\nLager,0,0,\nAda,3,4,2\nBo,0,8,3\n"
    instance = parse_instance(named, "csv", vehicles=VEHICLES)
    assert (instance.stop_ids, instance.stop_names) == (None, ("Lager", "Ada", "Bo"))
    twice = parse_instance(named.replace("Ada", "Bo"), "csv", vehicles=VEHICLES)
    assert twice.stop_ids == ("depot", "1", "2")
    assert twice.stop_names == ("Lager", "Bo", "Bo")
    bare = parse_instance("x,y,demand,depot\n0,0,,1\n3,4,2,\n", "csv", vehicles=VEHICLES)
    assert (bare.stop_ids, bare.stop_names) == (None, None)


def test_the_order_of_the_rows_is_kept():
    """A matrix without labels follows it."""
    text = "id,x,y,demand\na,3,4,2\ndepot,0,0,\nb,0,8,3\n"
    assert list(parse_input(text, "csv", vehicles=VEHICLES).order) == [1, 0, 2]


def test_long_and_odd_cells_of_own_columns():
    """Control codes are left out, and what is very long is cut."""
    text = STOPS.replace("depot\n", "depot,note\n").replace("a,3,4,2,", f"a,3,4,2,,{'n' * 5000}")
    instance = parse_instance(
        text.replace("b,0,8,3.5,0", "b,0,8,3.5,0,a\x1bb"), "csv", vehicles=VEHICLES
    )
    assert len(instance.extra_columns["note"][1]) == 1000
    assert instance.extra_columns["note"][2] == "ab"


def test_too_many_own_columns():
    """A hundred can be kept."""
    text = STOPS.replace("depot\n", "depot," + ",".join(f"c{k}" for k in range(101)) + "\n")
    with pytest.raises(InvalidInput, match="101 columns are not known, such as 'c0'; at most 100"):
        parse_instance(text, "csv", vehicles=VEHICLES)
