"""Step 1 of the page: files, problems in their cells, editing, the map of the stops."""

from __future__ import annotations

import io

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from steps import SQUARE, VEHICLES, bring, open_example, place_on_map, solve


def cell(page, column, row):
    """Return a cell of the table in sight."""
    return page.get_by_role("textbox", name=f"{column}, row {row}", exact=True)


def test_every_problem_is_marked_in_its_cell_and_goes_away(visit):
    """Problems of a file are listed with their cells; corrected cells are checked again."""
    page = visit()
    bad = SQUARE.replace("a,Ann,0,0,3", "a,Ann,west,0,3").replace("100,100,3", "100,100,-3")
    bring(page, bad)
    expect(page.locator(".state .pill.bad")).to_have_text("2 problems")
    expect(page.locator("[aria-invalid=true]")).to_have_count(2)
    expect(cell(page, "x", 2)).to_have_attribute("aria-invalid", "true")
    page.locator(".problems button").filter(has_text="row 4").click()
    expect(cell(page, "demand", 4)).to_be_focused()
    expect(page.locator(".tip")).to_contain_text("-3")
    expect(page.get_by_role("button", name="Next: solve")).to_have_count(0)
    cell(page, "demand", 4).fill("3")
    expect(page.locator(".state .pill.bad")).to_have_text("1 problem")
    cell(page, "x", 2).fill("0")
    expect(page.locator(".state .pill.good")).to_be_visible()
    expect(page.locator("[aria-invalid=true]")).to_have_count(0)


def test_the_button_to_go_on_leads_to_the_first_problem(visit):
    """A planner who presses on is taken to what is missing."""
    page = visit()
    bring(page, vehicles=VEHICLES.replace("6,20", "six,20"))
    page.get_by_role("button", name="Go to the first problem").click()
    expect(cell(page, "capacity", 1)).to_be_focused()


def test_files_can_be_dropped(visit):
    """Dropping two tables anywhere on the page opens them."""
    page = visit()
    page.evaluate(
        """([stops, vehicles]) => {
          const data = new DataTransfer();
          data.items.add(new File([stops], "stops.csv"));
          data.items.add(new File([vehicles], "vehicles.csv"));
          window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }""",
        [SQUARE, VEHICLES],
    )
    expect(page.locator(".state .pill.good")).to_be_visible()
    expect(page.get_by_role("tab", name="Stops 5")).to_be_visible()


def test_a_workbook_and_a_german_table_are_read(visit):
    """One workbook holds both tables; German headers are understood, on the map too."""
    xlsxwriter = pytest.importorskip("xlsxwriter")
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        for name, text in (("Kunden", SQUARE), ("Fahrzeuge", VEHICLES)):
            sheet = book.add_worksheet(name)
            for row, line in enumerate(text.replace("name,", "Kunde,").splitlines()):
                sheet.write_row(row, 0, line.split(","))
    page = visit()
    page.locator("input[type=file]").first.set_input_files(
        [{"name": "montag.xlsx", "mimeType": "", "buffer": content.getvalue()}]
    )
    expect(page.locator(".state .pill.good")).to_be_visible()
    expect(page.get_by_label("Name of the plan")).to_have_value("montag")
    expect(cell(page, "Kunde", 2)).to_have_value("Ann")
    box = page.locator(".map-top").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".tip")).to_contain_text("Hub")


def test_map_tiles_are_loaded_where_an_address_is_set(visit, start):
    """Tiles come from the address of the setting; the security policy lets them in."""
    tiles = "https://tiles.example"
    page = visit(start("--tiles", f"{tiles}/{{z}}/{{x}}/{{y}}.png"), tiles=tiles)
    asked = []
    pixel = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63"
        "fccfc0f01f000501027ff5d1a1a60000000049454e44ae426082"
    )

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(body=pixel, content_type="image/png")

    page.route("https://tiles.example/**", answer)
    open_example(page, "A bakery delivers")
    expect(page.locator(".map-credit")).to_have_text("Map: tiles.example")
    assert asked


def test_vehicles_may_come_after_the_stops(visit):
    """One table alone is asked to be completed; the second one completes it."""
    page = visit()
    chooser = page.locator("input[type=file]").first
    chooser.set_input_files([{"name": "a.csv", "mimeType": "", "buffer": SQUARE.encode()}])
    expect(page.locator(".state .pill.bad")).to_be_visible()
    page.locator("input[type=file]").first.set_input_files(
        [{"name": "b.csv", "mimeType": "", "buffer": VEHICLES.encode()}]
    )
    expect(page.locator(".state .pill.good")).to_be_visible()


def test_rows_are_added_removed_pasted_and_undone(visit):
    """The table works like a spreadsheet."""
    page = visit()
    bring(page)
    page.get_by_role("button", name="Add row").click()
    expect(cell(page, "id", 6)).to_be_focused()
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "e\\tEve\\t50\\t0\\t2\\nf\\tFay\\t50\\t100\\t2\\n");
          const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true });
          document.activeElement.dispatchEvent(paste);
        }"""
    )
    expect(cell(page, "name", 7)).to_have_value("Fay")
    expect(page.get_by_role("tab", name="Stops 7")).to_be_visible()
    page.get_by_role("button", name="Remove row 2").focus()
    page.keyboard.press("Enter")
    expect(cell(page, "name", 2)).to_have_value("Bob")
    page.get_by_role("button", name="Undo").first.click()
    expect(cell(page, "name", 2)).to_have_value("Ann")
    cell(page, "name", 2).focus()
    page.keyboard.press("ArrowDown")
    expect(cell(page, "name", 3)).to_be_focused()


def test_the_depot_is_set_by_a_click_on_the_map(visit):
    """A click on a stop makes it the depot; a click beside moves the depot there."""
    page = visit()
    bring(page)
    page.get_by_role("button", name="Set the depot on the map").click()
    box = page.locator(".map-top").bounding_box()
    scale = (box["height"] - 56) / 100
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(x - 50 * scale, y + 50 * scale)
    expect(cell(page, "depot", 2)).to_have_value("1")
    expect(cell(page, "depot", 1)).to_have_value("")
    page.get_by_role("button", name="Set the depot on the map").click()
    page.mouse.click(x - 50 * scale, y)
    expect(cell(page, "y", 2)).to_have_value("50.00")


def test_a_column_is_added(visit):
    """A column that was missing is chosen by its meaning, and checked like the others."""
    page = visit()
    bring(page)
    page.get_by_role("button", name="Add column").click()
    page.get_by_role("dialog").get_by_label("What it tells").select_option("vehicle_types")
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    cell(page, "vehicle_types", 2).fill("bus")
    expect(page.locator(".state .pill.bad")).to_have_text("1 problem")
    cell(page, "vehicle_types", 2).fill("van")
    expect(page.locator(".state .pill.good")).to_be_visible()


def test_names_are_text_and_never_markup(visit):
    """A name may hold anything; the page shows it and runs nothing."""
    page = visit()
    name = "<img src=x onerror=alert(1)>"
    bring(page, SQUARE.replace("Ann", name))
    solve(page)
    page.locator("#open-plan").click()
    page.get_by_role("searchbox", name="Find a stop").fill("<img")
    page.locator(".found button").click()
    expect(page.locator(".stop-item.on")).to_contain_text(name)
    assert page.locator("img[src=x]").count() == 0


def test_a_draft_survives_a_reload(visit):
    """What was typed is still there after the page was loaded again."""
    page = visit()
    open_example(page, "A bakery delivers in Leipzig")
    cell(page, "demand", 3).fill("7")
    expect(page.locator(".state .pill.good")).to_be_visible()
    page.reload()
    expect(cell(page, "demand", 3)).to_have_value("7")


def test_instances_that_tables_cannot_hold_can_be_solved(visit):
    """A matrix is shown to read only, and solved."""
    page = visit()
    text = """{"format": "fripn-instance", "version": 1, "metric": "matrix", "name": "matrix",
      "matrix": [[0, 2, 3], [2, 0, 4], [3, 4, 0]], "depot": {},
      "customers": [{"demand": 1}, {"demand": 2}],
      "vehicle_types": [{"name": "van", "capacity": 3, "fixed_cost": 1}]}"""
    page.locator("input[type=file]").first.set_input_files(
        [{"name": "m.json", "mimeType": "application/json", "buffer": text.encode()}]
    )
    expect(page.get_by_text("not edited here")).to_be_visible()
    solve(page)
    page.locator("#open-plan").click()
    expect(page.get_by_text("there is no map")).to_be_visible()
    expect(page.locator(".route-row")).to_have_count(1)


@pytest.mark.parametrize("place", [(0, 0), (100, 100)])
def test_the_helper_knows_the_places_of_the_map(visit, place):
    """The tests of dragging rest on where stops are: a wrong place would make them meaningless."""
    page = visit()
    bring(page)
    solve(page)
    page.locator("#open-plan").click()
    page.wait_for_selector(".route-row")
    page.mouse.move(*place_on_map(page, *place))
    expect(page.locator(".tip")).to_contain_text("Ann" if place == (0, 0) else "Cleo")
