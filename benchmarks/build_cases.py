"""The instances on which two builds are compared: every shape that the engine treats differently.

Random ones are drawn here, not by the package, so that both builds see the same numbers whatever
happens to the generators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fripn import Instance, VehicleType
from fripn.problem import library


@dataclass(frozen=True, slots=True)
class Case:
    """An instance with the iterations that one run of it gets."""

    name: str
    iterations: int
    load: Callable[[], Instance]


def drawn(
    num_customers: int,
    seed: int,
    *,
    num_types: int = 4,
    directed: bool = False,
    limited: bool = False,
    great_circle: bool = False,
    slack: float = 1.3,
) -> Instance:
    """Draw a random instance; a limited fleet holds `slack` times the demand and one type more."""
    rng = np.random.default_rng(seed)
    demands = np.concatenate([[0.0], np.round(rng.uniform(0.05, 5.0, num_customers), 2)])
    capacities = np.sort(np.round(rng.uniform(10.0, 60.0, num_types), 1))
    share = slack * float(demands.sum()) / num_types
    types = tuple(
        VehicleType(
            f"t{k}",
            float(capacity),
            float(np.round(capacity * rng.uniform(0.5, 1.5), 2)),
            float(np.round(rng.uniform(1.0, 2.0), 2)),
            int(np.ceil(share / capacity)) if limited else None,
        )
        for k, capacity in enumerate(capacities)
    )
    places = rng.uniform(-10.0, 10.0, (num_customers + 1, 2))
    name = f"random-{num_customers}-{seed}"
    if great_circle:
        return Instance(name, places, demands, types, metric="great_circle")
    if not directed:
        return Instance(name, places, demands, types)
    straight = np.sqrt(((places[:, None] - places[None]) ** 2).sum(-1))
    matrix = straight * rng.uniform(1.0, 1.3, straight.shape)
    return Instance(name, None, demands, types, metric="matrix", matrix=matrix)


def _library(name: str, iterations: int) -> Case:
    return Case(name, iterations, lambda: library.load(name))


def _drawn(label: str, iterations: int, num_customers: int, seed: int, **shape: bool) -> Case:
    name = f"random:{num_customers}:{label}"
    return Case(name, iterations, lambda: drawn(num_customers, seed, **shape))


#: For plans bit for bit: 20 to 1,000 customers, and one size beyond the stored distance matrix.
CASES = (
    _library("golden-03", 1500),
    _library("golden-06-FSM-V", 1500),
    _library("golden-13", 800),
    _library("golden-15-FSM-FV", 800),
    _library("golden-17-HVRP-V", 800),
    _library("golden-19-FSM-V", 600),
    _library("golden-20", 600),
    _library("golden-20-HVRP-FV", 600),
    _library("brandao-N1", 400),
    _library("brandao-N2-FSM-V", 400),
    _library("brandao-N5", 400),
    _library("li-H1", 300),
    _library("li-H3", 300),
    _library("li-H5", 200),
    _library("X101-FSMFD", 500),
    _library("X115-HVRP", 500),
    _library("X157-HD", 500),
    _library("X256-FSMF", 300),
    _library("X351-HVRP", 300),
    _library("X420-FSMD", 300),
    _library("X655-HD", 200),
    _library("X895-FSMFD", 200),
    _library("paper:20:1", 1500),
    _library("paper:20:7", 1500),
    _library("paper:50:3", 1000),
    _library("paper:100:5", 600),
    _drawn("unlimited", 1000, 30, 1),
    _drawn("limited", 800, 40, 2, limited=True),
    _drawn("directed", 800, 60, 3, directed=True),
    _drawn("directed,limited", 600, 80, 4, directed=True, limited=True),
    _drawn("great-circle", 500, 120, 5, great_circle=True),
    _drawn("directed", 300, 250, 6, directed=True),
    _drawn("directed,limited", 300, 300, 7, directed=True, limited=True),
    _drawn("unlimited", 200, 600, 8),
    _drawn("unlimited", 200, 1000, 9),
    _drawn("limited", 200, 1000, 10, limited=True),
    _drawn("unlimited", 60, 5200, 11),
)

#: For results on average: none of them is in a published table.
RANDOM_CASES = (
    _drawn("unlimited", 2000, 20, 101),
    _drawn("limited", 2000, 20, 102, limited=True),
    _drawn("directed", 2000, 30, 103, directed=True),
    _drawn("unlimited", 1500, 50, 104),
    _drawn("limited", 1500, 50, 105, limited=True),
    _drawn("directed,limited", 1500, 50, 106, directed=True, limited=True),
    _drawn("great-circle", 1500, 75, 107, great_circle=True),
    _drawn("unlimited", 1000, 100, 108),
    _drawn("limited", 1000, 100, 109, limited=True),
    _drawn("directed", 1000, 100, 110, directed=True),
    _drawn("unlimited", 600, 200, 111),
    _drawn("limited", 600, 200, 112, limited=True),
)
