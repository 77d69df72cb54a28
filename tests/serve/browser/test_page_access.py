"""Everyone can use the page: axe-core, narrow windows, 400 %, keyboard, dark, reduced motion."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from served import ended
from steps import SQUARE, bring, open_example, solve

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


@pytest.mark.parametrize("window", [(1280, 800), (390, 844), (320, 200)])
def test_nothing_is_cut_off_in_narrow_windows(visit, timed_job, window):
    """No view scrolls sideways: desktop, phone, and 1280 × 800 at 400 %."""
    page = visit(viewport={"width": window[0], "height": window[1]})
    for view in VIEWS:
        page.goto(f"{page.url.partition('#')[0]}#/{view}/{timed_job}")
        settle(page, view)
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, view


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
