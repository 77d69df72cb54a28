"""``fripn instances``: what the library holds."""

from __future__ import annotations

from typing import Annotated

import typer

from fripn.cli.json_output import print_json
from fripn.cli.options import JsonOption


def instances(
    suite: Annotated[
        str | None,
        typer.Argument(
            metavar="SUITE",
            help="Only this suite: golden, xh, brandao, li, paper-20 … Without it, all but the "
            "paper's test sets.",
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the instances that ship with the package, with their best-known values."""
    from fripn.problem import library

    suites = [suite] if suite else [name for name in library.suites() if "paper" not in name]
    rows = []
    for group, name in ((each, name) for each in suites for name in library.names(each)):
        problem, known = library.load(name), library.best_known(name)
        proof = library.proof(name)
        rows.append(
            {
                "name": name,
                "suite": group,
                "customers": problem.num_customers,
                "types": problem.num_types,
                "limited_fleet": problem.has_limited_fleet,
                "best_known": known.cost if known else None,
                "status": known.status if known else None,
                "source": known.source if known else None,
                "lower_bound": proof.lower_bound if proof else None,
                "proof": proof.command if proof else None,
            }
        )
    if as_json:
        print_json({"instances": rows})
        return
    from fripn.cli.tables import make_console, print_table

    print_table(
        make_console(),
        ("name", "suite", "customers", "types", "fleet", "best known", "status", "bound"),
        [
            [
                str(row["name"]),
                str(row["suite"]),
                str(row["customers"]),
                str(row["types"]),
                "limited" if row["limited_fleet"] else "unlimited",
                "" if row["best_known"] is None else f"{row['best_known']:.2f}",
                str(row["status"] or ""),
                "" if row["lower_bound"] is None else f"{row['lower_bound']:.2f}",
            ]
            for row in rows
        ],
        words=(0, 1, 4, 6),
    )
