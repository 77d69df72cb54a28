"""From files to an exported plan without a pointer, and what a screen reader is told."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import TimeoutError, expect
from served import ended
from steps import SQUARE, bring, cost, files, open_plan, solve

#: Roles of what can be used or is pointed out, which a screen reader needs a name for.
NAMED = {
    "application", "article", "button", "checkbox", "combobox", "dialog", "heading", "image", "img",
    "link", "navigation", "progressbar", "radio", "region", "searchbox", "slider", "spinbutton",
    "tab", "table", "tablist", "tabpanel", "textbox",
}  # fmt: skip


def tab_to(page, target, most=150):
    """Press Tab until something has the focus, which must be visible then."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{most} times Tab did not lead to {target}")


def press(page, target, key="Enter"):
    """Go to something by Tab, and press a key there."""
    tab_to(page, target)
    page.keyboard.press(key)


def choose(page, paths, tries=3):
    """Open the dialog for files by a key, and choose some."""
    # The browser is told long before the key, and asked again: on a busy machine one call in many
    # opens a dialog that playwright does not see.
    page.on("filechooser", lambda _: None)
    page.wait_for_load_state("networkidle")
    for left in reversed(range(tries)):
        tab_to(page, page.locator("input[type=file]"))
        try:
            with page.expect_file_chooser(timeout=10_000) as waiting:
                page.keyboard.press("Space")
        except TimeoutError:
            if not left:
                raise
        else:
            waiting.value.set_files(paths)
            return


def test_from_files_to_an_export_by_keys_alone(visit):
    """Import, solve, move a stop, undo, export: Tab, Enter and arrow keys are enough."""
    page = visit()
    choose(page, files())
    expect(page.locator(".state .pill.good")).to_be_visible()
    press(page, page.get_by_role("button", name="Next: solve"))
    press(page, page.locator("input[type=range]"), "Home")
    press(page, page.locator("#solve-now"))
    expect(page.locator("#open-plan")).to_be_visible(timeout=60_000)
    press(page, page.locator("#open-plan"))
    expect(page.locator(".route-row")).to_have_count(2)
    before = cost(page)
    press(page, page.locator(".route-row").first)
    press(page, page.locator(".stop-item button", has_text="Move").first)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    tab_to(page, dialog.get_by_label("To", exact=True))
    page.keyboard.type("A new van")
    expect(dialog.locator(".preview")).to_contain_text("+")
    press(page, page.locator("#move-now"))
    expect(page.locator(".route-row")).to_have_count(3)
    assert cost(page) > before
    press(page, page.locator("#undo"))
    expect(page.locator(".route-row")).to_have_count(2)
    assert cost(page) == before
    press(page, page.locator("#export"))
    tab_to(page, page.locator("[data-format=xlsx]"))
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename.endswith(".xlsx")
    page.keyboard.press("Escape")
    expect(page.locator("#export")).to_be_focused()


def test_a_problem_is_corrected_by_keys_alone(visit):
    """The button that leads to it, the cell, a new value, and on."""
    page = visit()
    bring(page, SQUARE.replace("a,Ann,0", "a,Ann,west"))
    press(page, page.get_by_role("button", name="Go to the first problem"))
    expect(page.locator("td input[aria-invalid=true]")).to_be_focused()
    page.keyboard.type("0")
    expect(page.locator(".state .pill.good")).to_be_visible()
    press(page, page.get_by_role("button", name="Next: solve"))
    expect(page.locator("#solve-now")).to_be_visible()


def test_the_focus_is_kept_where_buttons_change(visit):
    """Who stops a search by keyboard goes on from there, not from the top of the page."""
    page = visit()
    page.get_by_role("button", name="Benchmark of Li").click()
    page.get_by_role("button", name="Next: solve").click()
    page.locator("input[type=range]").fill("6")
    page.locator("#solve-now").click()
    page.wait_for_selector(".curve .cost-end")
    page.locator("#stop").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#open-plan")).to_be_focused()


def names_missing(page):
    """Return the roles of what has no name in the accessibility tree."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    used = [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"] and node.get("role", {}).get("value", "") in NAMED
    ]
    assert len(used) > 5
    return [role for role, name in used if not name]


def test_everything_has_a_name(visit, served):
    """Every control, picture, table and region of every view and dialog."""
    with served.client() as client:
        instance = client.get("/v1/examples/bakery-hours").json()["instance"]
        job = client.post("/v1/jobs", json={"instance": instance, "seconds": 1}).json()["id"]
        ended(client, job)
    page = visit()
    assert names_missing(page) == []
    base = page.url.partition("#")[0]
    shown = {
        "data": ".grid-scroll td input", "start": "#solve-now", "solve": "#open-plan",
        "plan": ".route-row", "fleet": ".scenario", "jobs": "td .pill",
    }  # fmt: skip
    for view, part in shown.items():
        page.goto(f"{base}#/{view}/{job}")
        page.wait_for_selector(part)
        assert names_missing(page) == [], view
    page.goto(f"{base}#/plan/{job}")
    page.locator(".route-row").first.click()
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert names_missing(page) == []
    for dialog in ("#export", "#improve", ".stop-item .small-button", "text=Settings"):
        page.locator(dialog).first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert names_missing(page) == [], dialog
        page.keyboard.press("Escape")


def said(page):
    """Return the element whose text screen readers say as it changes."""
    return page.locator("[aria-live=polite]")


def test_progress_and_changes_are_said(visit):
    """The state of the data, better plans, the end of the search, and what a change costs."""
    page = visit()
    bring(page)
    expect(said(page)).to_have_text("Ready to solve")
    solve(page)
    expect(said(page)).to_contain_text("Finished. Best plan so far costs")
    open_plan(page)
    page.locator(".route-row").first.click()
    page.locator(".stop-item button").first.press("Alt+ArrowDown")
    expect(said(page)).to_contain_text("against the computed plan")


def test_errors_are_said_in_the_dialog_that_is_open(visit):
    """What lies behind a dialog is neither seen nor said."""
    page = visit()
    bring(page)
    solve(page)
    open_plan(page)
    page.locator(".route-row").first.click()
    page.locator(".stop-item button", has_text="Move").first.click()
    page.get_by_role("dialog").get_by_label("To", exact=True).select_option(value="none")
    page.locator("#move-now").click()
    expect(page.locator(".unserved")).to_be_visible()
    page.locator("#export").click()
    page.locator("[data-format=csv]").click()
    alert = page.get_by_role("dialog").get_by_role("alert")
    expect(alert).to_contain_text("is not visited")
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_have_count(0)
    page.keyboard.press("Escape")
    expect(said(page)).to_have_count(1)
