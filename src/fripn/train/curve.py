"""The learning curve of a run: curve.csv, one row per validation, and curve.png drawn from it."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from fripn.errors import InvalidFile
from fripn.problem.io.atomic import write_atomically


@dataclass(frozen=True, slots=True)
class Row:
    """One validation.

    Parameters
    ----------
    step, hours
        Where the run stood.
    instances
        Instances learned from so far, labelled and sampled, with those of the weights that the run
        started from.
    imitation_loss, reinforce_cost
        Means since the last row: loss per decision, cost of sampled trajectories; NaN if unused.
    learning_rate
        At this step.
    greedy, sampled, greedy_gap, sampled_gap
        See `validation.Score`.
    """

    step: int
    hours: float
    instances: int
    imitation_loss: float
    reinforce_cost: float
    learning_rate: float
    greedy: float
    sampled: float
    greedy_gap: float
    sampled_gap: float


def read_curve(path: Path, up_to_step: int | None = None) -> list[Row]:
    """Read the rows, those after a step left out; none if there is no file.

    Raises
    ------
    InvalidFile
        When a line is not a row of a learning curve.
    """
    if not path.is_file():
        return []
    rows: list[Row] = []
    with path.open(newline="", encoding="utf-8") as file:
        try:
            for line in csv.DictReader(file):
                rest = (float(line[field.name]) for field in fields(Row)[3:])
                step, instances = int(float(line["step"])), int(float(line["instances"]))
                rows.append(Row(step, float(line["hours"]), instances, *rest))
        except (ValueError, KeyError, TypeError, OverflowError, csv.Error):
            raise InvalidFile(
                f"{path} is not the curve of a run after its row {len(rows)}",
                field="curve",
                value=path,
                remedy="fix it, or move it away to go on without the rows so far",
            ) from None
    return [row for row in rows if up_to_step is None or row.step <= up_to_step]


def write_curve(folder: Path, rows: list[Row]) -> None:
    """Write curve.csv and draw curve.png."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(Row)])
    writer.writeheader()
    writer.writerows({k: f"{v:.9g}" for k, v in asdict(row).items()} for row in rows)
    write_atomically(folder / "curve.csv", text.getvalue())
    draw_curve(folder / "curve.png", {"": rows})


def draw_curve(path: Path, runs: dict[str, list[Row]]) -> None:
    """Draw greedy and sampled quality over the hours, for one run or several by name."""
    from matplotlib.figure import Figure  # drawing is rare; matplotlib is slow to import

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    panels = figure.subplots(1, 2)
    for panel, what in zip(panels, ("greedy", "sampled"), strict=True):
        for name, rows in runs.items():
            gaps = [getattr(row, f"{what}_gap") for row in rows]
            has_gap = all(gap == gap for gap in gaps)
            values = gaps if has_gap else [getattr(row, what) for row in rows]
            panel.plot([row.hours for row in rows], values, marker=".", label=name or what)
            panel.set_ylabel("gap to the labels, %" if has_gap else "mean cost")
        panel.set_xlabel("hours")
        panel.set_title("greedy" if what == "greedy" else "best of the samples")
        panel.grid(alpha=0.3)
        if len(runs) > 1:
            panel.legend()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    write_atomically(path, picture.getvalue())
