"""What an instance and a solution are, and what a solution costs. Needs numpy alone."""

from fripn.problem.evaluate import (
    Evaluation,
    RouteCost,
    TypeCost,
    Violation,
    ViolationCode,
    evaluate,
)
from fripn.problem.instance import Instance, Metric, VehicleType
from fripn.problem.solution import Route, Solution

__all__ = [
    "Evaluation",
    "Instance",
    "Metric",
    "Route",
    "RouteCost",
    "Solution",
    "TypeCost",
    "VehicleType",
    "Violation",
    "ViolationCode",
    "evaluate",
]
