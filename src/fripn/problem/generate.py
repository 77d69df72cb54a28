"""Random instances, seeded."""

from __future__ import annotations

import numpy as np

from fripn.problem.instance import Instance, VehicleType


def paper_instance(
    num_customers: int, seed: int | np.random.Generator, num_types: int | None = None
) -> Instance:
    """Draw one instance from the paper's law.

    Coordinates are uniform in the unit square, demands uniform on {0.01, …, 0.50}, capacities
    U[0.5, 3]; a price level U[1, 20] per instance and a factor within 1 of it (at least 1) per
    type give the fixed cost, factor × capacity; unit costs are U[1, 3].

    Parameters
    ----------
    num_customers
        Number of customers, at least 1.
    seed
        A seed or a generator.
    num_types
        Number of vehicle types; drawn from {3, …, 6} when None.
    """
    rng = np.random.default_rng(seed)
    coordinates = rng.random((num_customers + 1, 2))
    demands = np.concatenate([[0.0], rng.integers(1, 51, num_customers) / 100.0])
    if num_types is None:
        num_types = int(rng.integers(3, 7))
    capacities = rng.uniform(0.5, 3.0, num_types)
    level = rng.uniform(1.0, 20.0)
    factors = np.maximum(rng.uniform(level - 1.0, level + 1.0, num_types), 1.0)
    unit_costs = rng.uniform(1.0, 3.0, num_types)
    return Instance(
        name=f"random-{num_customers}",
        coordinates=coordinates,
        demands=demands,
        vehicle_types=tuple(
            VehicleType(chr(ord("A") + k), capacities[k], factors[k] * capacities[k], unit_costs[k])
            for k in range(num_types)
        ),
    )
