"""Step 4 of the page: fleets compared, own prices, scenarios side by side."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from steps import bring, choose_time, open_example, solve


@pytest.fixture
def fleet(visit):
    """Return the page with the fleet of the square."""
    page = visit()
    bring(page)
    solve(page)
    page.get_by_role("link", name="Fleet").click()
    choose_time(page, 0)
    return page


def test_fleets_are_compared(fleet):
    """The best mix comes first; every other fleet has its cost or the reason why not."""
    page = fleet
    page.locator("#compare").click()
    expect(page.locator(".answer")).to_contain_text("Hire 2", timeout=60_000)
    card = page.locator(".fleet-split .card").nth(1)
    expect(card.locator(".pill")).to_have_text("Finished", timeout=120_000)
    rows = page.get_by_role("region", name="Other fleets compared").locator("tbody tr")
    assert rows.count() >= 5
    expect(rows.first).to_contain_text("Best mix")
    expect(page.locator(".fleet-chart li").first).to_contain_text("Best mix")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("Hire 2")


def test_scenarios_of_working_days_show_hours(visit):
    """Beside cost, fleet and distance."""
    page = visit()
    open_example(page, "opening hours")
    solve(page)
    page.get_by_role("link", name="Fleet").click()
    facts = page.locator(".scenario").first
    for name in ("Fleet", "Distance", "Working time"):
        expect(facts.locator("dt", has_text=name)).to_be_visible()
    expect(facts.locator("dd", has_text=" h")).to_be_visible()


def test_own_prices_make_a_scenario(fleet):
    """With expensive vans the truck is hired; both stand side by side, also after a reload."""
    page = fleet
    expect(page.locator(".scenario")).to_have_count(1)
    price = page.get_by_label("Fixed cost of van")
    price.fill("abc")
    expect(price).to_have_attribute("aria-invalid", "true")
    price.fill("500")
    expect(page.get_by_text("van: Fixed cost 20 → 500")).to_be_visible()
    page.locator("#plan-scenario").click()
    second = page.locator(".scenario").nth(1)
    expect(second.locator(".scenario-cost small")).to_contain_text("+", timeout=60_000)
    expect(second.get_by_text("truck")).to_be_visible()
    expect(second.locator(".pill")).to_have_count(0, timeout=60_000)
    page.reload()
    expect(page.locator(".scenario").nth(1).get_by_text("truck")).to_be_visible()
    expect(page.get_by_label("Fixed cost of van")).to_have_value("500")
    page.locator(".scenario").nth(1).get_by_role("button", name="Remove").click()
    expect(page.locator(".scenario")).to_have_count(1)
