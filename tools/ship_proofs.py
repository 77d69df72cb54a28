"""Put what the exact method has proven into the library.

    python tools/ship_proofs.py [docs/results/exact.jsonl …]

Reads lines of runs/exact_table.py and writes the best bound of every instance of the library into
src/fripn/data/proofs.csv, beside what is there: an optimum, or the largest bound. The optima of
paper-20 ship in a file of their own.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from pathlib import Path

from fripn.bench.lines import Line, read_lines
from fripn.bench.script import ScriptParser, run
from fripn.problem import library
from fripn.problem.io.atomic import write_atomically
from fripn.problem.proofs import FILE

ROOT = Path(__file__).resolve().parents[1]
HEADER = (
    "instance", "status", "lower_bound", "cost", "seconds", "time_limit", "threads", "commit",
)  # fmt: skip

Row = dict[str, str]


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument(
        "lines", nargs="*", type=Path, default=[ROOT / "docs" / "results" / "exact.jsonl"]
    )
    parser.add_argument("--output", type=Path, default=FILE, help="the file of the proofs")
    options = parser.parse_args()
    rows = read_rows(options.output)
    changed = keep_best(rows, (line for path in options.lines for line in read_lines(path)))
    print(f"{changed} proofs are new, {len(rows)} in all")
    if changed:
        write_atomically(options.output, as_text(rows))


def read_rows(path: Path) -> dict[str, Row]:
    """Return the rows of a file of proofs by instance; none when there is no file."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["instance"]: row for row in csv.DictReader(file)}


def keep_best(rows: dict[str, Row], lines: Iterable[Line]) -> int:
    """Put into the rows what lines prove better; return how many rows changed."""
    changed = set()
    for line in lines:
        name = line["instance"]
        is_of_exact = line["method"] == "exact" and line["suite"] != "paper-20"
        if not is_of_exact or line["lower_bound"] is None or not library.is_name(name):
            continue
        row = _row(line)
        if name not in rows or _rank(row) > _rank(rows[name]):
            rows[name] = row
            changed.add(name)
    ordered = {name: rows[name] for name in sorted(rows, key=_place)}
    rows.clear()
    rows.update(ordered)
    return len(changed)


def _row(line: Line) -> Row:
    return {
        "instance": line["instance"],
        "status": "optimal" if line["status"] == "optimal" else "bound",
        # Rounded to the safe side.
        "lower_bound": f"{math.floor(line['lower_bound'] * 1e6) / 1e6:.6f}",
        "cost": f"{math.ceil(line['cost'] * 1e6) / 1e6:.6f}",
        "seconds": f"{line['seconds']:.2f}",
        "time_limit": f"{line['time_limit']:g}",
        "threads": str(line["threads"]),
        "commit": (line["commit"] or "unknown").rstrip("+"),
    }


def _rank(row: Row) -> tuple[bool, float, float]:
    """Optima before bounds, larger bounds before smaller ones, then shorter runs."""
    is_optimal = row["status"] == "optimal"
    return is_optimal, 0.0 if is_optimal else float(row["lower_bound"]), -float(row["seconds"])


def _place(name: str) -> tuple[str, list[int], str]:
    numbers = [int(part) for part in name.split(":")[1:]]
    return name.split(":")[0], numbers, name


def as_text(rows: dict[str, Row]) -> str:
    """Return the file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, HEADER, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows.values())
    return text.getvalue()


if __name__ == "__main__":
    run(main)
