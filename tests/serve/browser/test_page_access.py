"""Everyone can use the page: axe-core, narrow windows, 400 %, keyboard, dark, reduced motion."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from served import ended
from steps import SQUARE, bring, open_example, open_plan, solve

VIEWS = ("data", "start", "solve", "plan", "fleet")


@pytest.fixture(scope="session")
def timed_job(browser, served):
    """Return a finished job with times, which the tests only look at."""
    with served.client() as client:
        instance = client.get("/v1/examples/bakery-hours").json()["instance"]
        body = {"instance": instance, "seconds": 3}
        job = client.post("/v1/jobs", json=body).json()["id"]
        status = ended(client, job)
    assert status["plan"], str(status)
    return job


def settle(page, view):
    """Wait until a view is complete."""
    waited = {"data": ".state .pill.good", "start": "#solve-now", "solve": "#open-plan"}
    page.wait_for_selector(waited.get(view, ".route-row, .scenario"))


def findings(page, axe):
    """Return what axe-core finds of serious and critical impact."""
    page.evaluate(axe)
    result = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (one["id"], [node["target"] for node in one["nodes"]][:3])
        for one in result["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_has_a_serious_barrier(visit, axe, timed_job, scheme):
    """axe-core finds nothing serious in any view, light and dark."""
    page = visit(color_scheme=scheme)
    assert findings(page, axe) == []
    for view in VIEWS:
        page.goto(f"{page.url.partition('#')[0]}#/{view}/{timed_job}")
        settle(page, view)
        assert findings(page, axe) == [], view
    page.goto(f"{page.url.partition('#')[0]}#/plan/{timed_job}")
    page.locator(".route-row").first.click()
    assert findings(page, axe) == []
    page.get_by_role("tab", name="Routes").click()
    assert findings(page, axe) == []
    for dialog in ("#export", "#improve", ".stop-item .small-button"):
        page.locator(dialog).first.click()
        assert findings(page, axe) == [], dialog
        page.keyboard.press("Escape")
    page.get_by_role("link", name="My plans").click()
    page.wait_for_selector("td .pill")
    assert findings(page, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_problems_have_no_serious_barrier(visit, axe, scheme):
    """Marked cells and the list of problems can be read by all."""
    page = visit(color_scheme=scheme)
    bring(page, SQUARE.replace("a,Ann,0", "a,Ann,west"))
    page.locator(".problems button").first.click()
    assert findings(page, axe) == []


#: Return what ends outside the window and does not stand in a part that scrolls by itself.
CUT_OFF = """() => [...document.querySelectorAll("body *")].filter((one) => {
  const box = one.getBoundingClientRect();
  if (!box.width || !box.height || one.closest(".unseen, .skip")) return false;
  if (one.parentElement.closest(".grid-scroll, .scroll, .map, .timeline")) return false;
  return box.right > innerWidth + 1 || box.left < -1;
}).map((one) => one.outerHTML.slice(0, 100))"""

#: What 400 % makes of a window of 1280 × 1024 pixels: WCAG 1.4.10 asks for 320 pixels.
ZOOMED = {"viewport": {"width": 320, "height": 256}, "device_scale_factor": 4}


@pytest.mark.parametrize(
    "window",
    [
        {"viewport": {"width": 1280, "height": 800}},
        {"viewport": {"width": 390, "height": 844}},
        {"viewport": {"width": 320, "height": 200}},
        ZOOMED,
    ],
    ids=["desktop", "phone", "320x200", "zoomed"],
)
def test_nothing_is_cut_off_in_narrow_windows(visit, timed_job, window):
    """No view and no dialog scrolls sideways or has parts outside: desktop, phone, and 400 %."""
    page = visit(**window)

    def check(what):
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, what
        assert page.evaluate(CUT_OFF) == [], what

    check("welcome")
    for view in (*VIEWS, "jobs"):
        page.goto(f"{page.url.partition('#')[0]}#/{view}/{timed_job}")
        if view == "jobs":
            page.wait_for_selector("td .pill")
        else:
            settle(page, view)
        check(view)
    page.goto(f"{page.url.partition('#')[0]}#/plan/{timed_job}")
    page.locator(".route-row").first.click()
    for tab in page.get_by_role("tab").all():
        tab.click()
        check("plan, tabs")
    for dialog in ("#export", "#improve", ".stop-item .small-button", "text=Settings"):
        page.locator(dialog).first.click()
        check(dialog)
        last = page.get_by_role("dialog").locator("button, select, input").last
        last.scroll_into_view_if_needed()
        expect(last).to_be_in_viewport()
        page.keyboard.press("Escape")
    page.goto(f"{page.url.partition('#')[0]}#/data")
    bring(page, SQUARE.replace("a,Ann,0", "a,Ann,west").replace("100,100,3", "100,100,-3"))
    check("problems")
    page.locator(".problems button").last.click()
    check("problems")


def test_everything_can_be_done_at_400_percent(visit):
    """Import with a problem, correct it, solve, move a stop, undo, compare fleets, export."""
    page = visit(**ZOOMED)
    bring(page, SQUARE.replace("a,Ann,0", "a,Ann,west"))
    page.locator(".problems button").first.click()
    cell = page.locator("td input[aria-invalid=true]")
    expect(cell).to_be_in_viewport()
    tip, box = page.locator(".tip").bounding_box(), cell.bounding_box()
    assert 0 < tip["y"] - box["y"] < 80
    cell.fill("0")
    expect(page.locator(".state .pill.good")).to_be_visible()
    solve(page)
    open_plan(page)
    page.locator(".route-row").first.click()
    page.locator(".stop-item button", has_text="Move").first.click()
    page.get_by_role("dialog").get_by_label("To", exact=True).select_option(
        label="A new van of its own"
    )
    page.locator("#move-now").click()
    expect(page.locator(".route-row")).to_have_count(3)
    page.locator("#undo").click()
    expect(page.locator(".route-row")).to_have_count(2)
    page.locator("#export").click()
    with page.expect_download():
        page.locator("[data-format=csv]").click()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Fleet").click()
    page.get_by_label("Fixed cost of van").fill("500")
    page.locator("#plan-scenario").click()
    expect(page.locator(".scenario").nth(1)).to_be_visible()


def test_everything_can_be_done_by_keyboard(visit):
    """From the first view to a plan without a pointer; the focus is always visible."""
    page = visit()
    reached = page.get_by_role("button", name="A bakery delivers in Leipzig")
    for _ in range(30):
        page.keyboard.press("Tab")
        if reached.evaluate("button => button === document.activeElement"):
            break
    outline = reached.evaluate("button => getComputedStyle(button).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(page.locator(".state .pill.good")).to_be_visible()
    page.get_by_role("button", name="Next: solve").focus()
    page.keyboard.press("Enter")
    page.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    page.locator("#solve-now").focus()
    page.keyboard.press("Enter")
    page.locator("#open-plan").focus(timeout=60_000)
    page.keyboard.press("Enter")
    expect(page.locator(".route-row").first).to_be_visible()
    page.locator(".map-top").focus()
    before = page.locator(".map-base").screenshot()
    page.keyboard.press("+")
    page.wait_for_timeout(300)
    assert page.locator(".map-base").screenshot() != before


def test_movement_is_reduced_on_request(visit):
    """A reader who asked for less movement sees none."""
    page = visit(reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_colours_follow_the_system_and_the_setting(visit):
    """Dark where the system is dark, unless the planner chooses light."""
    page = visit(color_scheme="dark")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Colours").select_option("light")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.get_by_label("Currency").fill("€")
    page.keyboard.press("Escape")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    open_example(page, "A bakery delivers")
    solve(page)
    expect(page.locator(".figures dd").first).to_contain_text("€")
