"""Fleet size and mix vehicle routing: which vehicles to hire, and which route each drives."""

from fripn._version import __version__
from fripn.budget import Budget
from fripn.features import Feature
from fripn.problem import Evaluation, Instance, Route, Solution, VehicleType, evaluate
from fripn.result import BoundImprovement, Improvement, Result, Status
from fripn.run import Method, Progress, Run, Stop
from fripn.solve import METHODS, solve


def _instance_html(instance: Instance) -> str:
    from fripn.render.notebook import instance_html

    return instance_html(instance)


Instance.show_as_html = _instance_html

__all__ = [
    "METHODS",
    "BoundImprovement",
    "Budget",
    "Evaluation",
    "Feature",
    "Improvement",
    "Instance",
    "Method",
    "Progress",
    "Result",
    "Route",
    "Run",
    "Solution",
    "Status",
    "Stop",
    "VehicleType",
    "__version__",
    "evaluate",
    "solve",
]
