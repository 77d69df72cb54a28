"""Fingers on a phone: stops are moved on the map and by buttons, the map is panned and zoomed."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install playwright")

from playwright.sync_api import expect
from steps import CORNERS, bring, cost, open_plan, partner, place_on_map, solve

PHONE = {
    "viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True,
    "device_scale_factor": 2,
}  # fmt: skip


@pytest.fixture
def phone(visit):
    """Return the plan of the square on a phone."""
    page = visit(**PHONE)
    bring(page)
    solve(page)
    open_plan(page)
    expect(page.locator(".route-row")).to_have_count(2)
    return page


def slide(page, *paths):
    """Move fingers along their paths; return what the tooltip said before they were lifted."""
    session = page.context.new_cdp_session(page)

    def send(kind, step):
        points = [{"x": path[step][0], "y": path[step][1], "id": n} for n, path in enumerate(paths)]
        session.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [] if kind == "touchEnd" else points},
        )

    send("touchStart", 0)
    for step in range(1, len(paths[0])):
        send("touchMove", step)
        page.wait_for_timeout(30)
    shown = " ".join(page.locator(".tip:visible").all_inner_texts())
    send("touchEnd", -1)
    session.detach()
    return shown


def between(start, end, steps=8):
    """Return points from one to another."""
    return [
        tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
        for step in range(steps + 1)
    ]


def target_of(page):
    """Return the middle of an arc between two customers of the route that does not serve Ann."""
    near = partner(page, "Ann")
    first, second = (name for name in CORNERS if name not in ("Ann", near))
    page.get_by_role("searchbox", name="Find a stop").fill("")
    return [sum(pair) / 2 for pair in zip(CORNERS[first], CORNERS[second], strict=True)]


def test_a_stop_is_dragged_by_a_finger(phone):
    """A tap selects it, then it follows the finger; the cost is shown meanwhile, and undo works."""
    page = phone
    before = cost(page)
    target = target_of(page)
    page.locator(".map-top").scroll_into_view_if_needed()
    page.evaluate("document.activeElement.blur()")
    ann = place_on_map(page, *CORNERS["Ann"])
    page.touchscreen.tap(*ann)
    expect(page.locator(".stop-item.on")).to_contain_text("Ann")
    page.locator(".map-top").scroll_into_view_if_needed()
    ann = place_on_map(page, *CORNERS["Ann"])
    end = place_on_map(page, *target)
    assert "Cost" in slide(page, [*between(ann, end), *[end] * 30])
    expect(page.get_by_text("This plan breaks 1 rule")).to_be_visible()
    assert cost(page) != before
    page.locator("#undo").tap()
    expect(page.get_by_text("This plan breaks")).to_have_count(0)
    assert cost(page) == before


def test_a_finger_on_a_stop_that_is_not_selected_moves_the_map(phone):
    """So that panning takes no stop along; two fingers zoom."""
    page = phone
    before = cost(page)
    picture = page.locator(".map-base").screenshot()
    page.locator(".map-top").scroll_into_view_if_needed()
    start = place_on_map(page, *CORNERS["Bob"])
    slide(page, between(start, (start[0] + 60, start[1] + 60)))
    page.wait_for_timeout(300)
    panned = page.locator(".map-base").screenshot()
    assert panned != picture
    middle = place_on_map(page, 50, 50)
    left = between((middle[0] - 20, middle[1]), (middle[0] - 80, middle[1]))
    right = between((middle[0] + 20, middle[1]), (middle[0] + 80, middle[1]))
    slide(page, left, right)
    page.wait_for_timeout(300)
    assert page.locator(".map-base").screenshot() != panned
    assert cost(page) == before
    expect(page.locator("#undo")).to_be_disabled()


def test_a_stop_is_moved_by_taps(phone):
    """Without dragging: the button beside each stop, and a choice of routes."""
    page = phone
    page.locator(".route-row").first.tap()
    page.locator(".stop-item button", has_text="Move").first.tap()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("To", exact=True).select_option(label="A new van of its own")
    expect(dialog.locator(".preview")).to_contain_text("+")
    page.locator("#move-now").tap()
    expect(page.locator(".route-row")).to_have_count(3)


def test_buttons_are_large_enough_for_fingers(phone):
    """WCAG 2.5.8: 24 pixels in both directions, or as much room around."""
    page = phone
    page.locator(".route-row").first.tap()
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, a.button, select, input")].filter((one) => {
          const box = one.getBoundingClientRect();
          return box.width && !one.closest(".unseen, .skip") && !one.classList.contains("unseen")
            && one.type !== "range" && (box.width < 24 || box.height < 24);
        }).map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert small == []
