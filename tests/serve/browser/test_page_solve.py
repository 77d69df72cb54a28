"""Step 2 of the page: live updates, stopping, going on, and what a kill leaves."""

from __future__ import annotations

import re
import socket

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from steps import bring, cost, figure, open_example, solve, start_solving


def test_better_plans_appear_while_the_search_runs(visit):
    """Curve, figures, fleet and the sentence for screen readers follow the events."""
    page = visit()
    open_example(page, "Benchmark of Li")
    start_solving(page, 4)
    page.wait_for_selector(".curve .cost-end")
    first = cost(page)
    expect(page.locator(".fleet-list li").first).to_be_visible()
    page.wait_for_function(
        "first => parseFloat(document.querySelector('.figures dd').firstChild.textContent"
        ".replaceAll(',', '')) < first",
        arg=first,
    )
    expect(page.locator("#solve-state")).to_contain_text("Searching")
    expect(page.locator("[aria-live=polite]")).to_contain_text("Best plan so far costs")
    steps = page.locator(".curve path.cost").get_attribute("d").count("V")
    assert steps >= 1


def test_a_search_is_stopped_and_goes_on(visit):
    """Stop keeps the best plan; going on starts from it."""
    page = visit()
    open_example(page, "Benchmark of Li")
    start_solving(page, 6)
    page.wait_for_selector(".curve .cost-end")
    page.locator("#stop").click()
    expect(page.locator("#solve-state")).to_contain_text("Stopped")
    before = cost(page)
    page.locator("#go-on").click()
    page.locator("dialog input[type=range]").fill("0")
    page.locator("#go-on-now").click()
    expect(page.locator("#solve-state")).to_contain_text("Searching")
    expect(page.locator("#solve-state")).to_contain_text("Finished", timeout=60_000)
    assert cost(page) <= before


def test_a_plan_that_is_looked_at_stays_until_a_better_one_is_taken(visit):
    """In step 3 a running search offers its better plans instead of changing the map."""
    page = visit()
    open_example(page, "Benchmark of Li")
    start_solving(page, 6)
    page.get_by_role("link", name="Look at the plan so far").click()
    page.wait_for_selector(".route-row")
    before = cost(page)
    expect(page.get_by_text("The search found a better plan")).to_be_visible(timeout=60_000)
    assert cost(page) == before
    page.get_by_role("button", name="Take the better plan").click()
    expect(page.locator("#undo")).to_be_enabled()
    assert cost(page) < before
    page.get_by_role("link", name="The search is still running").click()
    page.locator("#stop").click()
    expect(page.locator("#solve-state")).to_contain_text("Stopped")


def test_a_proof_is_shown(visit):
    """A small problem is proven, and the page says so."""
    page = visit()
    bring(page)
    page.get_by_role("button", name="Next: solve").click()
    page.get_by_text("More options").click()
    page.get_by_label("Try to prove that no plan is cheaper").check()
    page.get_by_role("button", name="Find a plan").click()
    expect(page.locator("#solve-state")).to_contain_text("Proven optimal", timeout=60_000)
    assert figure(page, "Best possible") == "optimal"


def test_a_reload_keeps_the_job(visit):
    """The address names the job; nothing is lost by loading the page again."""
    page = visit()
    open_example(page, "A bakery delivers")
    job = solve(page)
    shown = cost(page)
    page.reload()
    expect(page.locator("#solve-state")).to_contain_text("Finished")
    assert page.url.endswith(job)
    assert cost(page) == shown
    page.get_by_role("link", name="My plans").click()
    expect(page.locator(f"tr[data-job='{job}'] .pill")).to_have_text("Finished")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


def test_a_killed_service_leaves_the_best_plan(visit, start):
    """The page says that the connection is lost; after a restart the plan is there, marked."""
    service = start("--port", free_port())
    page = visit(service)
    open_example(page, "Benchmark of Li")
    start_solving(page, 8)
    page.wait_for_selector(".curve .cost-end")
    page.wait_for_timeout(500)
    service.kill()
    expect(page.get_by_text("The connection to the service is lost")).to_be_visible()
    shown = cost(page)
    service.start()
    page.reload()
    expect(page.locator("#solve-state")).to_contain_text("Interrupted")
    expect(page.get_by_text("the best plan found until then")).to_be_visible()
    assert cost(page) <= shown
    page.get_by_role("link", name="My plans").click()
    expect(page.locator("td .pill")).to_have_text("Interrupted")
    page.locator("td a").click()
    expect(page.locator(".route-row").first).to_be_visible()


def test_the_page_works_under_another_name(visit, start):
    """As for a phone in the same network: without TLS, browsers offer some functions less."""
    service = start("--name", "planner.test")
    service.url = service.url.replace("127.0.0.1", "planner.test")
    page = visit(service)
    assert not page.evaluate("isSecureContext")
    bring(page)
    solve(page)
    assert cost(page) > 0


def test_without_the_token_the_page_says_what_to_do(browser, served):
    """Someone who opens the bare address learns how to get in."""
    page = browser.new_page()
    page.goto(served.url)
    expect(page.locator("body")).to_contain_text(re.compile("token|address", re.IGNORECASE))
    page.close()
