"""Plans as tables of pandas, which is not needed by the package itself."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from fripn.errors import MissingExtra
from fripn.problem import Instance, Solution
from fripn.problem.io.plan_table import plan_header, plan_rows

if TYPE_CHECKING:
    import pandas


def plan_frame(instance: Instance, solution: Solution) -> pandas.DataFrame:
    """Return a plan as a DataFrame with the rows of its CSV file: one per stop, depots too.

    Raises
    ------
    MissingExtra
        When pandas is not installed.
    """
    if importlib.util.find_spec("pandas") is None:
        raise MissingExtra(
            "a DataFrame needs the package 'pandas', which is not installed",
            field="package",
            value="pandas",
            remedy="run: pip install pandas",
        )
    import pandas as pd

    return pd.DataFrame(plan_rows(instance, solution), columns=plan_header(instance))
