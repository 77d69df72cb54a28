"""A quick lower bound, for the time before a solver has one."""

from __future__ import annotations

import numpy as np

from fripn.problem import Instance
from fripn.problem.instance import FloatArray


def radial_bound(instance: Instance) -> float:
    """Return a lower bound from what each customer must pay for its share of a vehicle.

    A route of type k that serves j is at least as long as there and back, so its cost is at least
    f_k + c_k (d_0j + d_j0) for each of its customers, and a share q_j / Q_k of that for all of
    them together. Every customer pays at least its share in the type that suits it best.

    References
    ----------
    M. Haimovich and A. H. G. Rinnooy Kan (1985), doi 10.1287/moor.10.4.527.
    """
    there, back = _least_distances(instance)
    shares = np.full(instance.num_customers, np.inf)
    for vehicle_type in instance.vehicle_types:
        if vehicle_type.available == 0:
            continue
        share = (
            vehicle_type.fixed_cost + vehicle_type.unit_cost * (there + back)
        ) / vehicle_type.load_limit
        fits = instance.demands[1:] <= vehicle_type.load_limit
        shares = np.where(fits, np.minimum(shares, share), shares)
    return float(instance.demands[1:] @ shares)


def _least_distances(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Return the least distances from and to the depot, through customers where that is shorter."""
    distances = instance.distance_matrix()
    if instance.metric == "matrix":
        distances = distances.copy()
        for via in range(len(distances)):
            np.minimum(distances, distances[:, via, None] + distances[via], out=distances)
    return distances[0, 1:], distances[1:, 0]
