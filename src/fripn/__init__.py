"""Fleet size and mix vehicle routing: which vehicles to hire, and which route each drives."""

from pathlib import Path as _Path

from fripn._version import __version__
from fripn.budget import Budget
from fripn.features import Feature
from fripn.problem import Evaluation, Instance, Route, Solution, VehicleType, evaluate
from fripn.reading import read
from fripn.result import BoundImprovement, Improvement, Result, Status
from fripn.run import Method, Progress, Run, Stop
from fripn.solve import METHODS, solve


def _instance_html(instance: Instance) -> str:
    from fripn.render.notebook import instance_html

    return instance_html(instance)


def _write_result(result: Result, path: _Path | str) -> None:
    from fripn.problem.library import best_known_of
    from fripn.render.result_files import write_result

    known = best_known_of(result.instance)
    write_result(result, path, best_known=known.cost if known else None)


def _result_text(result: Result) -> str:
    from fripn.summary import summary

    return summary(result)


Instance.show_as_html = _instance_html
Result.write_file = _write_result
Result.show_as_text = _result_text

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
    "read",
    "solve",
]
