"""Equation (1): the cost of a plan."""

from __future__ import annotations

import numpy as np

from fripn.baselines.milp.variables import Variables
from fripn.problem import Instance
from fripn.problem.instance import FloatArray


def total_cost(instance: Instance, variables: Variables) -> FloatArray:
    """Return the cost per column: travel on every arc, and the fixed cost on leaving the depot."""
    costs = np.zeros(variables.count)
    distances = instance.distance_matrix()
    for k, vehicle_type in enumerate(instance.vehicle_types):
        costs[variables.arc[k]] = vehicle_type.unit_cost * distances
        costs[variables.arc[k, 0]] += vehicle_type.fixed_cost
    costs[variables.arc[:, range(len(distances)), range(len(distances))]] = 0.0
    return costs
