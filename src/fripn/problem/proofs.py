"""Lower bounds and optima of library instances that the exact method proved, and how."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent.parent / "data" / "proofs.csv"


@dataclass(frozen=True, slots=True)
class Proof:
    """What a run of the exact method proved about an instance.

    Parameters
    ----------
    instance
        Its name in the library.
    lower_bound
        No plan costs less.
    cost
        Of the best plan of that run.
    is_optimal
        Whether the bound met the plan.
    seconds, time_limit, threads
        What the run took and was allowed.
    commit
        The version of this package that ran.
    """

    instance: str
    lower_bound: float
    cost: float
    is_optimal: bool
    seconds: float
    time_limit: float
    threads: int
    commit: str

    @property
    def gap_percent(self) -> float:
        """How much of the cost could be saved at most."""
        return 0.0 if self.is_optimal else 100 * (1 - self.lower_bound / self.cost)

    @property
    def command(self) -> str:
        """The command that proves it again."""
        limit = f"--time-limit {self.time_limit:g} --threads {self.threads}"
        return f"fripn solve {self.instance} -m exact {limit}"


@cache
def proofs() -> dict[str, Proof]:
    """Return what is proven, by name of the instance."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            row["instance"]: Proof(
                row["instance"],
                float(row["lower_bound"]),
                float(row["cost"]),
                row["status"] == "optimal",
                float(row["seconds"]),
                float(row["time_limit"]),
                int(row["threads"]),
                row["commit"],
            )
            for row in csv.DictReader(file)
        }
