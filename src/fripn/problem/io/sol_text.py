"""CVRPLIB solutions: the k-th route is driven by the k-th vehicle; see ``docs/data-format.md``.

With D depots, which a ``.vrp`` file has first, customer 1 is D, as PyVRP counts.
"""

from __future__ import annotations

from fripn.errors import InvalidFile, InvalidSolution
from fripn.messages import named, shown
from fripn.problem.instance import Instance
from fripn.problem.io.text import lines_of, located, words_of
from fripn.problem.io.visits import check_num_visits, most_visits
from fripn.problem.io.vrplib_text import vehicle_order
from fripn.problem.solution import Solution

_EXAMPLE = "write 'Route #1: 4 7 2'"


def solution_from_sol(text: str, instance: Instance) -> Solution:
    """Build a plan: the k-th route is driven by the k-th vehicle of `vehicle_order`.

    Raises
    ------
    InvalidFile, InvalidSolution
        With the line that is wrong.
    """
    vehicles = vehicle_order(instance)
    most = most_visits(instance)
    routes: list[list[int]] = []
    for number, line in enumerate(lines_of(text), start=1):
        line = line.strip()
        if not line or line.startswith("#") or "route" not in line[:20].lower():
            continue
        head, colon, stops = line.partition(":")
        words = head[:40].replace("#", " ").split() if len(head) <= 40 else []
        is_route = len(words) == 2 and words[0].lower() == "route" and _is_number(words[1])
        if not colon or not is_route:
            raise InvalidFile(f"line {number} is {shown(line)}", value=line, remedy=_EXAMPLE)
        with located(f"line {number}"):
            routes.append(_customers(stops, most, instance.num_depots))
            most -= len(routes[-1])
    if not any(routes):
        raise InvalidFile(
            "the file has no line 'Route #1: …'", remedy="check that it is a CVRPLIB solution"
        )
    if len(routes) > len(vehicles):
        raise InvalidSolution(
            f"the file has {len(routes)} routes, but {named(instance.name)} has "
            f"{len(vehicles)} vehicles",
            value=len(routes),
            remedy="the k-th route belongs to the k-th vehicle",
        )
    return Solution.of(zip(vehicles, routes, strict=False))


def sol_text(instance: Instance, solution: Solution, cost: float) -> str:
    """Return the plan as a CVRPLIB solution; vehicles that stay at home have an empty route."""
    waiting: dict[int, list[tuple[int, ...]]] = {}
    for route in reversed(solution.routes):
        if route.customers:
            waiting.setdefault(route.vehicle_type, []).append(route.customers)
    lines: list[str] = []
    for vehicle_type in vehicle_order(instance):
        if not any(waiting.values()):
            break
        customers = waiting[vehicle_type].pop() if waiting.get(vehicle_type) else ()
        numbers = (str(customer + instance.num_depots - 1) for customer in customers)
        lines.append(" ".join([f"Route #{len(lines) + 1}:", *numbers]))
    lines.append(f"Cost {cost!r}")
    return "\n".join(lines) + "\n"


def _customers(stops: str, most: int, num_depots: int) -> list[int]:
    customers: list[int] = []
    for words in words_of(stops):
        for word in words:
            if not _is_number(word):
                raise InvalidFile("{value} is not a customer number", value=word, remedy=_EXAMPLE)
        customers += (int(word) - num_depots + 1 for word in words)
        check_num_visits(len(customers), most)
    return customers


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 18
