"""What several tests of the page do, in the words of a planner."""

from __future__ import annotations

from playwright.sync_api import Page, expect

#: Stops on a square and its middle, so that their places on the map are known.
SQUARE = """id,name,x,y,demand,depot
hub,Hub,50,50,,1
a,Ann,0,0,3,
b,Bob,0,100,3,
c,Cleo,100,100,3,
d,Dora,100,0,3,
"""

VEHICLES = """type,capacity,fixed_cost,unit_cost,available
van,6,20,1,
truck,20,70,1.5,2
"""


#: Where the customers of the square are.
CORNERS = {"Ann": (0, 0), "Bob": (0, 100), "Cleo": (100, 100), "Dora": (100, 0)}


def files(stops: str = SQUARE, vehicles: str = VEHICLES) -> list[dict[str, object]]:
    """Return two tables as files to choose."""
    return [
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        for name, text in (("stops.csv", stops), ("vehicles.csv", vehicles))
    ]


def bring(page: Page, stops: str = SQUARE, vehicles: str = VEHICLES) -> None:
    """Choose two tables as files, and wait until they were checked."""
    page.locator("input[type=file]").first.set_input_files(files(stops, vehicles))
    page.wait_for_selector(".grid-scroll td input")
    page.wait_for_selector(".state .pill.good, .state .pill.bad")


def open_example(page: Page, title: str) -> None:
    """Open an example and wait until it was checked."""
    page.get_by_role("button", name=title).click()
    expect(page.locator(".state .pill.good")).to_be_visible()


def choose_time(page: Page, place: int) -> None:
    """Move the time slider to a place: 0 is two seconds, 1 is five."""
    page.locator("input[type=range]").last.fill(str(place))


def solve(page: Page, place: int = 0) -> str:
    """Go from data to a finished plan; return the id of the job."""
    start_solving(page, place)
    expect(page.locator("#open-plan")).to_be_visible(timeout=60_000)
    return page.url.rpartition("/")[2]


def start_solving(page: Page, place: int) -> None:
    """Go from data to a running search."""
    page.get_by_role("button", name="Next: solve").click()
    choose_time(page, place)
    page.get_by_role("button", name="Find a plan").click()
    page.wait_for_selector("#solve-state .pill")


def open_plan(page: Page) -> None:
    """Go from a finished search to its plan."""
    page.locator("#open-plan").click()
    page.wait_for_selector(".route-row")


def figure(page: Page, name: str) -> str:
    """Return a key figure as shown."""
    entry = page.locator(".figures > div").filter(has=page.get_by_text(name, exact=True))
    return entry.locator("dd").evaluate("dd => dd.firstChild.textContent")


def cost(page: Page) -> float:
    """Return the cost as shown, once it was computed."""
    expect(page.locator(".figures.pending")).to_have_count(0)
    return float(figure(page, "Cost").replace(",", ""))


def route_of(page: Page, name: str) -> tuple[int, list[str]]:
    """Return the number of the route that serves a stop, and the names of its stops."""
    page.get_by_role("searchbox", name="Find a stop").fill(name)
    page.locator(".found button").click()
    row = page.locator(".route-row[aria-expanded=true]")
    names = page.locator(".route-details .stop-name").all_inner_texts()
    return int(row.get_attribute("data-route") or -1), [one.split("\n")[0] for one in names]


def partner(page: Page, name: str) -> str:
    """Return the name of the other stop on the route of a stop."""
    _, names = route_of(page, name)
    return next(one for one in names if not one.startswith(name)).split(" (")[0]


def place_on_map(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return where a point of the square is on the map of the plan, in pixels of the window.

    The map shows everything: the square, with 28 pixels around it and 44 below.
    """
    box = page.locator(".map-top").bounding_box()
    assert box is not None
    scale = min(box["width"] - 56, box["height"] - 72) / 100
    middle = (box["height"] + 28 - 44) / 2
    return (
        box["x"] + box["width"] / 2 + (x - 50) * scale,
        box["y"] + middle - (y - 50) * scale,
    )
