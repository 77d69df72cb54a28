"""Step 3 of the page: a plan on map, list, timeline and tables; changes by hand; export."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from steps import bring, cost, figure, open_example, open_plan, place_on_map, solve


@pytest.fixture
def square(visit):
    """Return the page with the plan of the square: two routes of two stops."""
    page = visit()
    bring(page)
    solve(page)
    open_plan(page)
    expect(page.locator(".route-row")).to_have_count(2)
    return page


def route_of(page, name):
    """Return the number of the route that serves a stop, and the names of its stops."""
    page.get_by_role("searchbox", name="Find a stop").fill(name)
    page.locator(".found button").click()
    row = page.locator(".route-row[aria-expanded=true]")
    names = page.locator(".route-details .stop-name").all_inner_texts()
    return int(row.get_attribute("data-route")), [one.split("\n")[0] for one in names]


def partner(page, name):
    """Return the other stop on the route of a stop."""
    _, names = route_of(page, name)
    return next(one for one in names if not one.startswith(name))


CORNERS = {"Ann": (0, 0), "Bob": (0, 100), "Cleo": (100, 100), "Dora": (100, 0)}


def test_a_stop_is_dragged_on_the_map_and_undone(square):
    """Onto a line of the other route: cost, load and problems at once; undo and redo by keys."""
    page = square
    before = cost(page)
    near = partner(page, "Ann").split(" (")[0]
    page.keyboard.press("Escape")
    far = next(n for n in CORNERS if n not in ("Ann", near) and (n != "Cleo" or near != "Bob"))
    other = partner(page, far).split(" (")[0]
    middle = [sum(pair) / 2 for pair in zip(CORNERS[far], CORNERS[other], strict=True)]
    page.mouse.move(*place_on_map(page, *CORNERS["Ann"]))
    page.mouse.down()
    page.mouse.move(*place_on_map(page, 40, 40), steps=4)
    page.mouse.move(*place_on_map(page, *middle), steps=4)
    expect(page.locator(".tip")).to_contain_text("Cost")
    page.mouse.up()
    expect(page.get_by_text("This plan breaks 1 rule")).to_be_visible()
    assert cost(page) != before
    assert figure(page, "Problems") == "1"
    expect(page.locator(".route-row .bad-text")).to_contain_text("150 % full")
    page.keyboard.press("Control+z")
    expect(page.get_by_text("This plan breaks")).to_have_count(0)
    assert cost(page) == before
    page.keyboard.press("Control+y")
    expect(page.get_by_text("This plan breaks 1 rule")).to_be_visible()


def test_a_stop_is_moved_by_keyboard_alone(square):
    """Move opens a dialog with a preview; Alt and an arrow key change the order."""
    page = square
    before = cost(page)
    _, names = route_of(page, "Ann")
    page.locator(".stop-item").first.get_by_role("button").first.focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator(".route-details .stop-name").nth(1)).to_contain_text(names[0])
    expect(page.locator(".route-details .stop-name").nth(1)).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".preview")).to_contain_text("Cost")
    dialog.get_by_label("To", exact=True).select_option(label="A new van of its own")
    expect(dialog.locator(".preview")).to_contain_text("+")
    page.locator("#move-now").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".route-row")).to_have_count(3)
    assert cost(page) > before
    expect(page.locator("[aria-live=polite]")).to_contain_text("against the computed plan")
    for _ in range(2):
        page.locator("#undo").focus()
        page.keyboard.press("Enter")
    expect(page.locator(".route-row")).to_have_count(2)
    assert cost(page) == before
    expect(page.locator("#undo")).to_be_disabled()


def test_a_stop_is_dragged_in_the_list(square):
    """Onto another route: it goes where the detour is shortest; left out, it is a problem."""
    page = square
    number, _ = route_of(page, "Ann")
    other = page.locator(f".route-row:not([data-route='{number}'])")
    page.locator(".stop-item", has_text="Ann").drag_to(other)
    expect(page.get_by_text("This plan breaks 1 rule")).to_be_visible()
    page.locator("#undo").click()
    route_of(page, "Ann")
    page.get_by_role("button", name="Move Ann").click()
    page.get_by_role("dialog").get_by_label("To", exact=True).select_option(value="none")
    page.locator("#move-now").click()
    expect(page.locator(".unserved")).to_contain_text("1 stop without a vehicle")


def test_hover_and_selection_are_linked(visit):
    """What is pointed at in one place lights up in the others."""
    page = visit()
    open_example(page, "A bakery delivers")
    solve(page)
    open_plan(page)
    row = page.locator(".route-row[data-route='1']")
    row.hover()
    expect(page.locator("tr.on")).to_have_attribute("data-route", "1")
    page.locator("tbody tr[data-route='0']").hover()
    expect(page.locator(".route-row.on")).to_have_attribute("data-route", "0")
    page.get_by_role("button", name="Select route 3").click()
    expect(page.locator(".route-row[aria-expanded=true]")).to_have_attribute("data-route", "2")


def test_a_timed_plan_has_a_timeline(visit):
    """With opening hours the plan has a timeline, and routes have times."""
    page = visit()
    open_example(page, "opening hours")
    solve(page)
    open_plan(page)
    expect(page.get_by_role("tab", name="Timeline")).to_have_attribute("aria-selected", "true")
    chart = page.locator(".timeline-canvas")
    box = chart.bounding_box()
    chart.hover(position={"x": box["width"] / 2, "y": 40})
    expect(page.locator(".route-row.on")).to_have_count(1)
    page.get_by_role("tab", name="Routes").click()
    expect(page.locator("th", has_text="Departure")).to_be_visible()
    assert figure(page, "Working time").endswith(" h")


def test_a_locked_route_stays_when_the_plan_is_improved(square):
    """The route comes out of the search as it went in, and cannot be changed by hand."""
    page = square
    number, names = route_of(page, "Ann")
    page.get_by_role("button", name=f"Lock route {number + 1}").click()
    expect(page.locator(".route-details button", has_text="Move").first).to_be_disabled()
    page.locator("#improve").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 locked route stays")
    page.locator("dialog input[type=range]").fill("0")
    page.locator("#improve-now").click()
    expect(page.locator("#open-plan")).to_be_visible(timeout=60_000)
    open_plan(page)
    assert route_of(page, "Ann")[1] == names


def test_changes_by_hand_survive_a_reload(square):
    """The changed plan and its locks are there after the page was loaded again."""
    page = square
    route_of(page, "Ann")
    page.get_by_role("button", name="Move Ann").click()
    page.get_by_role("dialog").get_by_label("To", exact=True).select_option(
        label="A new van of its own"
    )
    page.locator("#move-now").click()
    changed = cost(page)
    page.reload()
    expect(page.locator(".route-row")).to_have_count(3)
    assert cost(page) == changed
    page.locator("#undo").click()
    expect(page.locator(".route-row")).to_have_count(2)


def test_a_plan_is_exported_in_every_format(visit, served):
    """Every format of the service is offered, and the file that arrives is one of its type."""
    page = visit()
    open_example(page, "A bakery delivers")
    solve(page)
    open_plan(page)
    with served.client() as client:
        formats = client.get("/v1/info").json()["formats"]
    checks = {
        "csv": lambda data: data.lstrip(b"\xef\xbb\xbf").startswith(b"route"),
        "xlsx": lambda data: "xl/workbook.xml" in zipfile.ZipFile(io.BytesIO(data)).namelist(),
        "json": lambda data: json.loads(data)["format"] == "fripn-solution",
        "geojson": lambda data: json.loads(data)["type"] == "FeatureCollection",
        "html": lambda data: b"<html" in data[:500],
        "sheets": lambda data: b"<html" in data[:500],
        "pdf": lambda data: data.startswith(b"%PDF"),
    }
    assert set(checks) <= {one["id"] for one in formats}
    page.locator("#export").click()
    for one in formats:
        with page.expect_download() as waiting:
            page.locator(f"[data-format='{one['id']}']").click()
        path = waiting.value.path()
        data = path.read_bytes()
        assert data
        assert waiting.value.suggested_filename.endswith(one["extension"])
        assert checks.get(one["id"], bool)(data), one["id"]
