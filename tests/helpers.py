"""What tests share: tiny instances and their optima, tables, plans and methods that do little."""

from __future__ import annotations

import signal
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np

from fripn.features import ROUTING
from fripn.incumbent import Incumbent
from fripn.problem import Instance, Solution, VehicleType
from fripn.problem.generate import paper_instance

STOPS = """id,name,x,y,demand,depot
0,Depot,0,0,0,1
10,Ada,3,4,2,
20,Bo,6,8,3,
30,Cy,0,5,1,
"""
VEHICLES = """type,capacity,fixed_cost,unit_cost,available
van,4,10,1,
truck,6,15,2,3
"""


def brute_force_cost(instance: Instance) -> float:
    """Return the least cost over all routes, orders and types, for up to 6 customers."""
    distances = instance.distance_matrix()
    num_customers = instance.num_customers
    limits = tuple(
        num_customers if vehicle_type.available is None else vehicle_type.available
        for vehicle_type in instance.vehicle_types
    )

    @cache
    def shortest(customers: frozenset[int]) -> float:
        return min(
            sum(distances[i, j] for i, j in zip((0, *order), (*order, 0), strict=True))
            for order in permutations(sorted(customers))
        )

    @cache
    def best(left: frozenset[int], unused: tuple[int, ...]) -> float:
        if not left:
            return 0.0
        first, *others = sorted(left)
        found = float("inf")
        for choice in range(2 ** len(others)):
            group = frozenset([first, *(c for bit, c in enumerate(others) if choice >> bit & 1)])
            load = float(np.sum(instance.demands[sorted(group)]))
            for k, vehicle_type in enumerate(instance.vehicle_types):
                if unused[k] and load <= vehicle_type.load_limit:
                    cost = vehicle_type.fixed_cost + vehicle_type.unit_cost * shortest(group)
                    rest = (*unused[:k], unused[k] - 1, *unused[k + 1 :])
                    found = min(found, cost + best(left - group, rest))
        return found

    return best(frozenset(range(1, num_customers + 1)), limits)


def square_instance() -> Instance:
    """Four customers on the axes, one unit from the depot; two vans are needed, or one lorry."""
    return Instance(
        name="square",
        coordinates=np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]], dtype=np.float64),
        demands=np.array([0.0, 1.0, 1.0, 1.0, 1.0]),
        vehicle_types=(VehicleType("van", 2, 1.0, 1.0), VehicleType("lorry", 4, 5.0, 1.0)),
    )


def tiny_instance(seed: int, num_customers: int = 5) -> Instance:
    """Draw a tiny instance; consecutive seeds take turns through the shapes.

    Shapes: the paper's distribution; a limited fleet; an asymmetric matrix; odd decimals;
    great-circle distances with a demand of 0; a single type without fixed cost; a dominated type.
    """
    instance = paper_instance(num_customers, seed, num_types=3)
    rng = np.random.default_rng(seed)
    types = instance.vehicle_types
    shape = seed % 7
    if shape == 1:
        scarce = [vehicle_type.replace(available=1) for vehicle_type in types[1:]]
        return instance.replace(vehicle_types=(*scarce, types[0].replace(available=4)))
    if shape == 2:
        size = num_customers + 1
        return instance.replace(metric="matrix", matrix=rng.random((size, size)), coordinates=None)
    if shape == 3:
        return instance.replace(demands=instance.demands * np.pi / 3.2)
    if shape == 4:
        demands = instance.demands.copy()
        demands[1] = 0.0
        return instance.replace(metric="great_circle", demands=demands)
    if shape == 5:
        return instance.replace(vehicle_types=(types[0].replace(fixed_cost=0.0),))
    if shape == 6:
        worse = types[0].replace(name="worse", fixed_cost=types[0].fixed_cost + 1.0)
        return instance.replace(vehicle_types=(worse, *types))
    return instance


def one_by_one(instance):
    """Return the plan in which each customer gets the largest vehicle to itself."""
    largest = max(range(instance.num_types), key=lambda k: instance.vehicle_types[k].capacity)
    return Solution.of((largest, (customer,)) for customer in range(1, instance.num_customers + 1))


class OneByOne:
    """A method that serves every customer alone."""

    name = "fake"
    supports = ROUTING
    ends_by_itself = False

    def __call__(self, instance, run):
        """Solve."""
        best = Incumbent(instance, run, self.name)
        best.take(one_by_one(instance), 0.5)
        return replace(best.result(), seconds=0.5)


class NoPlan(OneByOne):
    """A method that finds nothing."""

    def __call__(self, instance, run):
        """Solve."""
        return replace(Incumbent(instance, run, self.name).result(), seconds=0.25, seed=3)


class Interrupted(OneByOne):
    """A method that finds a plan and is then interrupted by Ctrl-C."""

    def __call__(self, instance, run):
        """Solve."""
        best = Incumbent(instance, run, self.name)
        best.take(one_by_one(instance), 0.1)
        signal.raise_signal(signal.SIGINT)
        assert run.is_cancelled
        return best.result()
