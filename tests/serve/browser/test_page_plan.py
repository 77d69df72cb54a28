"""Step 3 of the page: a plan on map, list, timeline and tables; changes by hand; export."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from served import ended
from steps import (
    CORNERS,
    bring,
    cost,
    figure,
    open_example,
    open_plan,
    partner,
    place_on_map,
    route_of,
    solve,
)


@pytest.fixture
def square(visit):
    """Return the page with the plan of the square: two routes of two stops."""
    page = visit()
    bring(page)
    solve(page)
    open_plan(page)
    expect(page.locator(".route-row")).to_have_count(2)
    return page


def test_a_stop_is_dragged_on_the_map_and_undone(square):
    """Onto a line of the other route: cost, load and problems at once; undo and redo by keys."""
    page = square
    before = cost(page)
    near = partner(page, "Ann")
    page.keyboard.press("Escape")
    far = next(n for n in CORNERS if n not in ("Ann", near) and (n != "Cleo" or near != "Bob"))
    other = partner(page, far)
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
    expect(page.locator(".route-row .bad-text")).to_contain_text("load 150 %")
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


def test_a_late_stop_is_shown_at_once(visit, served):
    """A change that makes a vehicle late is told before it is made, and marked everywhere after."""
    page = visit()
    open_example(page, "opening hours")
    job = solve(page)
    with served.client() as client:
        plan = client.get(f"/v1/jobs/{job}").json()["plan"]["routes"]
        stop, late = late_move(client, job, plan)
    open_plan(page)
    page.locator(".route-row[data-route='0']").click()
    page.locator(f".stop-item[data-stop='{stop}'] button", has_text="Move").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("To", exact=True).select_option(value="1")
    position = dialog.get_by_label("Position")
    position.select_option(index=position.locator("option").count() - 1)
    expect(dialog.locator(".preview")).to_contain_text(late)
    page.locator("#move-now").click()
    expect(page.locator(".notice.bad")).to_contain_text(late)
    wait_until(page, lambda: red_pixels(page) > 0)
    page.locator("#undo").click()
    expect(page.locator(".notice.bad")).to_have_count(0)
    wait_until(page, lambda: red_pixels(page) == 0)


def wait_until(page, holds):
    """Wait for what the timeline shows, which is drawn some time after the text beside it."""
    for _ in range(100):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError("the timeline does not show it after 10 s")


def late_move(client, job, plan):
    """Return a stop of the first route that is late at the end of the second, and what is said."""
    plain = [{key: one[key] for key in ("vehicle_type", "customers")} for one in plan]
    for stop in plan[0]["customers"]:
        left = [one for one in plan[0]["customers"] if one != stop]
        routes = [{**plain[0], "customers": left}, *plain[1:]]
        routes[1] = {**plain[1], "customers": [*plain[1]["customers"], stop]}
        body = {"job": job, "routes": routes}
        for found in client.post("/v1/evaluate", json=body).json()["violations"]:
            if found["code"] == "too_late":
                start, close = (divmod(round(found[key]), 60) for key in ("amount", "limit"))
                assert start != close
                return stop, "at {:02}:{:02}, but it closes at {:02}:{:02}".format(*start, *close)
    raise AssertionError("no stop of the first route is late on the second")


def red_pixels(page):
    """Return how many pixels of the timeline have the colour of problems."""
    return page.evaluate(
        """() => {
          const probe = document.createElement("canvas").getContext("2d");
          probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--bad");
          probe.fillRect(0, 0, 1, 1);
          const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
          const canvas = document.querySelector(".timeline-canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let at = 0; at < data.length; at += 4) {
            if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
          }
          return count;
        }"""
    )


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


@pytest.mark.parametrize("form", ["html", "sheets"])
def test_reports_and_driver_sheets_open_without_a_network(browser, served, tmp_path, form):
    """The files that are handed out ask for nothing, and run without an error."""
    with served.client() as client:
        instance = client.get("/v1/examples/bakery-hours").json()["instance"]
        body = {"instance": instance, "seconds": 0.5}
        status = ended(client, client.post("/v1/jobs", json=body).json()["id"])
        answer = client.post(f"/v1/export/{form}", json={"job": status["id"]})
    path = tmp_path / "plan.html"
    path.write_bytes(answer.content)
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked, complaints = [], []
    page.on("request", lambda sent: asked.append(sent.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    name = next(one["name"] for one in instance["customers"])
    expect(page.get_by_text(name).first).to_be_attached()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert complaints == []
    context.close()
