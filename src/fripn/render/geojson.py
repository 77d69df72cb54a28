"""Plans for a map."""

from __future__ import annotations

from typing import Any

from fripn.errors import Unsupported
from fripn.problem.evaluate import Evaluation, RouteCost
from fripn.problem.instance import Instance
from fripn.problem.solution import Solution


def solution_to_geojson(
    instance: Instance, solution: Solution, evaluation: Evaluation
) -> dict[str, Any]:
    """Return the plan as a GeoJSON feature collection: a line per route, a point per stop.

    Raises
    ------
    Unsupported
        When the instance is not given by latitude and longitude.

    References
    ----------
    RFC 7946, The GeoJSON Format, doi:10.17487/RFC7946.
    """
    if not instance.is_geographic or instance.coordinates is None:
        raise Unsupported(
            f"{instance.name} has no latitudes and longitudes, which GeoJSON needs",
            field="metric",
            value=instance.metric,
            remedy="write .json, .csv, .sol, .png or .svg",
        )
    places = instance.coordinates.tolist()
    depots = [instance.depot_node(depot) for depot in range(instance.num_depots)]
    features = [
        _feature("Point", places[depot], {"stop": depot, **_called(instance, depot)})
        for depot in depots
    ]
    for number, (route, cost) in enumerate(
        zip(solution.routes, evaluation.routes, strict=True), start=1
    ):
        type_name = instance.vehicle_types[route.vehicle_type].name
        line = [places[stop] for stop in instance.tour(route.vehicle_type, route.customers)]
        properties: dict[str, Any] = {
            "route": number,
            "vehicle_type": type_name,
            "customers": list(route.customers),
            "load": cost.load,
            "distance": cost.distance,
            "cost": cost.cost,
            **_times_of_route(cost),
        }
        features.append(_feature("LineString", line, properties))
        for position, customer in enumerate(route.customers, start=1):
            properties = {
                "stop": customer,
                **_called(instance, customer),
                "demand": instance.demands[customer].tolist(),
                "route": number,
                "position": position,
                "vehicle_type": type_name,
                **_times_of_visit(cost, position - 1),
            }
            features.append(_feature("Point", places[customer], properties))
    return {"type": "FeatureCollection", "features": features}


def _times_of_route(cost: RouteCost) -> dict[str, float]:
    schedule = cost.schedule
    if schedule is None:
        return {}
    return {
        "departure": schedule.departure,
        "end": schedule.end,
        "duration": schedule.duration,
    }


def _times_of_visit(cost: RouteCost, place: int) -> dict[str, float]:
    if cost.schedule is None:
        return {}
    visit = cost.schedule.visits[place]
    return {"arrival": visit.arrival, "start": visit.start, "leaves": visit.departure}


def _called(instance: Instance, stop: int) -> dict[str, str]:
    ids = {} if instance.stop_ids is None else {"id": instance.stop_ids[stop]}
    return ids | {"name": instance.stop_name(stop)}


def _feature(geometry: str, coordinates: list[Any], properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "Feature",
        "geometry": {"type": geometry, "coordinates": coordinates},
        "properties": properties,
    }
