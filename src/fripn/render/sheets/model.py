"""What stands on the sheet of a vehicle, as text; the formats only set it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fripn.messages import named
from fripn.problem import Evaluation, Instance, Route, Solution
from fripn.problem.evaluate import RouteCost
from fripn.render.presentation import Presentation
from fripn.render.sheets.links import route_links, stop_link


@dataclass(frozen=True, slots=True)
class SheetLink:
    """A link with its text."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line of a sheet.

    Parameters
    ----------
    position
        Number of the stop on the route; 0 for the depot.
    name, own_id
        What the user calls the stop; `own_id` is empty where there is none besides the name.
    details
        The user's further columns that are not empty: title and text.
    load, distance
        What the stop gets, and the distance driven on arrival, with their units.
    time
        Departure, start of service, or return; empty without a schedule.
    map_link
        Opens the stop in a map application; None when its place on Earth is not known.
    """

    position: int
    name: str
    own_id: str
    details: tuple[tuple[str, str], ...]
    load: str
    distance: str
    time: str
    map_link: str | None


@dataclass(frozen=True, slots=True)
class RouteSheet:
    """The sheet of one vehicle.

    Parameters
    ----------
    number, count
        Which route it is, of how many.
    vehicle
        Name of the vehicle type.
    stops, load, distance
        Sums of the route, with their units.
    rows
        From the depot to the depot.
    links
        Open the route in a map application, in parts where it is long.
    has_times
        Whether the rows have times.
    """

    number: int
    count: int
    vehicle: str
    stops: str
    load: str
    distance: str
    rows: tuple[SheetRow, ...]
    links: tuple[SheetLink, ...]
    has_times: bool = False


def route_sheets(
    instance: Instance, solution: Solution, evaluation: Evaluation, show: Presentation
) -> list[RouteSheet]:
    """Return a sheet for every vehicle that is used."""
    pairs = zip(solution.routes, evaluation.routes, strict=True)
    used = [(route, cost) for route, cost in pairs if route.customers]
    return [
        _sheet(instance, route, cost, number, len(used), show)
        for number, (route, cost) in enumerate(used, start=1)
    ]


def _sheet(
    instance: Instance,
    route: Route,
    cost: RouteCost,
    number: int,
    count: int,
    show: Presentation,
) -> RouteSheet:
    vehicle = instance.vehicle_types[route.vehicle_type]
    stops = instance.tour(route.vehicle_type, route.customers)
    nodes = np.array(stops)
    driven = [0.0, *np.cumsum(instance.distances(nodes[:-1], nodes[1:])).tolist()]
    times = _times(instance, cost, show)
    rows = tuple(
        _row(instance, stop, position, driven[position], times[position] if times else "", show)
        for position, stop in enumerate(stops)
    )
    links = route_links(instance, route, show.map_links)
    carried = cost.loads or (cost.load,)
    return RouteSheet(
        number,
        count,
        named(vehicle.name),
        show.stops(len(route.customers)),
        show.text(
            "load_of",
            load=show.loads(carried, instance),
            capacity=show.loads(vehicle.capacities, instance),
        ),
        show.distance(cost.distance, instance),
        rows,
        tuple(
            SheetLink(
                show.text("open_route_part", first=link.first, last=link.last)
                if len(links) > 1
                else show.text("open_route"),
                link.address,
            )
            for link in links
        ),
        has_times=bool(times),
    )


def _times(instance: Instance, cost: RouteCost, show: Presentation) -> list[str]:
    """Return departure, the starts of all services, and the end; nothing without a schedule."""
    schedule = cost.schedule
    if schedule is None or not instance.has_schedule:
        return []
    times = [schedule.departure, *(visit.start for visit in schedule.visits), schedule.end]
    return [show.clock(time, instance) for time in times]


def _row(
    instance: Instance, stop: int, position: int, driven: float, time: str, show: Presentation
) -> SheetRow:
    name = named(instance.stop_name(stop))
    own_id = named(instance.stop_id(stop)) if instance.stop_ids is not None else ""
    own_id = own_id if own_id != name else ""
    is_depot = instance.is_depot(stop)
    if is_depot:
        name = show.text("back_at_depot" if position else "start_at_depot", name=name)
    columns = instance.extra_columns or {}
    return SheetRow(
        0 if is_depot else position,
        name,
        own_id,
        tuple(
            (named(title), _one_line(texts[stop]))
            for title, texts in columns.items()
            if texts[stop]
        ),
        "" if is_depot else show.loads(instance.load_matrix[stop].tolist(), instance),
        show.distance(driven, instance),
        time,
        stop_link(instance, stop, show.map_links),
    )


def _one_line(text: str) -> str:
    """Return a cell on one line, with nothing invisible in it; unlike a name it is not cut."""
    return "".join(one if one.isprintable() else " " for one in text).strip()
