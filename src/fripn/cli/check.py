"""``fripn check``: whether an instance is valid; what a plan costs and which rules it breaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from fripn.cli import exit_codes
from fripn.cli.groups import with_groups
from fripn.cli.inputs import ProblemOptions, read_problem, split_files
from fripn.cli.json_output import print_json
from fripn.cli.options import JsonOption, complete_instance
from fripn.errors import InvalidInput
from fripn.messages import named
from fripn.problem import Instance
from fripn.problem.inputs import Input

#: Vehicle types that are listed, at most.
_MAX_TYPES = 20


@with_groups
def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="INSTANCE [VEHICLES] [PLAN]",
            autocompletion=complete_instance,
            help="The instance as for solve, and a plan: .json, .sol, .csv or .xlsx. Without it "
            "the instance alone is checked.",
            show_default=False,
        ),
    ],
    *,
    problem: ProblemOptions,
    as_json: JsonOption = False,
) -> int:
    """Check files: all mistakes of an instance, or the cost of a plan and every rule it breaks."""
    instance, vehicles, solution = split_files(files, problem.vehicles)
    problem = replace(problem, vehicles=vehicles)
    if solution is None:
        return _check_instance(instance, problem, as_json=as_json)
    from fripn.problem import evaluate
    from fripn.problem.io import read_solution
    from fripn.problem.io.solution_json import evaluation_to_dict

    given = read_problem(instance, problem).instance
    plan = read_solution(solution, given)
    evaluation = evaluate(given, plan)
    if as_json:
        record = {
            "instance": given.name,
            "is_feasible": evaluation.is_feasible,
            "violations": [violation.to_dict(given) for violation in evaluation.violations],
            **evaluation_to_dict(given, evaluation),
        }
        print_json(record)
    else:
        from fripn.cli.tables import MAX_VIOLATIONS, make_console, print_plan
        from fripn.summary import cost_line

        console = make_console()
        print_plan(console, given, plan, evaluation)
        console.print(cost_line(evaluation))
        for violation in evaluation.violations[:MAX_VIOLATIONS]:
            console.print(f"broken  {violation.message}")
        if (more := len(evaluation.violations) - MAX_VIOLATIONS) > 0:
            console.print(f"… and {more} more; --json prints them all")
        console.print("valid" if evaluation.is_feasible else "not valid")
    return exit_codes.DONE if evaluation.is_feasible else exit_codes.NO_PLAN


def _check_instance(source: str, options: ProblemOptions, *, as_json: bool) -> int:
    """Print what an instance holds; the mistakes of an invalid one are printed by the program."""
    try:
        found = read_problem(source, options)
    except InvalidInput as error:
        if not as_json:
            raise
        print_json({"is_valid": False, **error.to_dict()})
        return exit_codes.BAD_INPUT
    if as_json:
        print_json(_record(found))
        return exit_codes.DONE
    from fripn.cli.tables import make_console

    console = make_console()
    for name, value in _facts(found.instance):
        console.print(f"{name:9} {value}")
    console.print("valid")
    return exit_codes.DONE


def _record(found: Input) -> dict[str, object]:
    instance = found.instance
    return {
        "is_valid": True,
        "instance": instance.name,
        "customers": instance.num_customers,
        "vehicle_types": [vehicle.name for vehicle in instance.vehicle_types],
        "extra_columns": list(instance.extra_columns or ()),
        "notes": list(found.notes),
        "warnings": list(found.warnings),
    }


def _facts(instance: Instance) -> list[tuple[str, str]]:
    loads = instance.load_matrix
    total = ", ".join(f"{value:g}" for value in loads.sum(axis=0).tolist())
    largest = ", ".join(f"{value:g}" for value in loads.max(axis=0).tolist())
    distances = {
        "euclidean": "straight lines between x and y",
        "great_circle": "kilometres between latitudes and longitudes",
        "matrix": "a table of distances",
    }
    types = [
        named(vehicle.name) + ("" if vehicle.available is None else f" ({vehicle.available})")
        for vehicle in instance.vehicle_types[:_MAX_TYPES]
    ]
    facts = [
        ("instance", named(instance.name)),
        ("customers", str(instance.num_customers)),
        ("demand", f"{total} in total, {largest} at most"),
        ("distances", distances[instance.metric]),
        ("vehicles", ", ".join(types) + (", …" if instance.num_types > _MAX_TYPES else "")),
    ]
    if instance.extra_columns:
        facts.append(("kept", ", ".join(map(named, instance.extra_columns))))
    return facts
