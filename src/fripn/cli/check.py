"""``fripn check``: what a plan costs and which rules it breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.json_output import print_json
from fripn.cli.options import DepotOption, InstanceArgument, JsonOption, VehiclesOption
from fripn.problem.inputs import open_instance


def check(
    instance: InstanceArgument,
    solution: Annotated[
        Path, typer.Argument(metavar="SOLUTION", help="A plan: .json, .sol or .csv.")
    ],
    *,
    vehicles: VehiclesOption = None,
    depot: DepotOption = None,
    as_json: JsonOption = False,
) -> int:
    """Print the cost of a plan and every rule it breaks (exit code 1 then)."""
    from fripn.problem import evaluate
    from fripn.problem.io import read_solution
    from fripn.problem.io.solution_json import evaluation_to_dict

    problem = open_instance(instance, vehicles=vehicles, depot=depot)
    plan = read_solution(solution, problem)
    evaluation = evaluate(problem, plan)
    if as_json:
        record = {
            "instance": problem.name,
            "is_feasible": evaluation.is_feasible,
            "violations": [violation.to_dict(problem) for violation in evaluation.violations],
            **evaluation_to_dict(problem, evaluation),
        }
        print_json(record)
    else:
        from fripn.cli.tables import MAX_VIOLATIONS, make_console, print_plan

        console = make_console()
        print_plan(console, problem, plan, evaluation)
        console.print(
            f"cost    {evaluation.cost:.2f}  (fixed {evaluation.fixed_cost:.2f}, "
            f"travel {evaluation.travel_cost:.2f})"
        )
        for violation in evaluation.violations[:MAX_VIOLATIONS]:
            console.print(f"broken  {violation.message}")
        if (more := len(evaluation.violations) - MAX_VIOLATIONS) > 0:
            console.print(f"… and {more} more; --json prints them all")
        console.print("valid" if evaluation.is_feasible else "not valid")
    return 0 if evaluation.is_feasible else 1
