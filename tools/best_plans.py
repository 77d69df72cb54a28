"""Keep the best plans of working days that runs found, for the library.

    python tools/best_plans.py out/day.jsonl …

Reads lines with plans, as runs/day_table.py and fripn bench run --keep-plans write them, evaluates
every plan, and writes those that are valid and cheaper than what ships into
src/fripn/data/timed/best_plans.json. Where there is a published value, a plan has to reach it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fripn.bench.lines import Line, read_lines
from fripn.bench.script import ScriptParser, run
from fripn.problem import Solution, evaluate, library, timed_sets
from fripn.problem.io.atomic import write_atomically

FILE = Path(__file__).resolve().parents[1] / "src" / "fripn" / "data" / "timed" / "best_plans.json"

#: Published costs are rounded to 0.01.
ROUNDING = 0.005


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("lines", nargs="+", type=Path, help="files of lines with plans")
    parser.add_argument("--output", type=Path, default=FILE, help="the file of the plans")
    options = parser.parse_args()
    lines = [line for path in options.lines for line in read_lines(path)]
    plans = json.loads(options.output.read_text("utf-8")) if options.output.exists() else {}
    changed = keep_best(plans, lines)
    for name in changed:
        print(f"{name}: {plans[name]['cost']:.4f} ({plans[name]['source']})")
    print(f"{len(changed)} plans are new, {len(plans)} in all")
    if changed:
        write_atomically(options.output, as_text(plans))


def keep_best(plans: dict[str, dict[str, Any]], lines: Iterable[Line]) -> list[str]:
    """Put into `plans` what is better in lines; return the names of the instances changed."""
    order = [name for suite in timed_sets.suites().values() for name in suite]
    best: dict[str, Line] = {}
    for line in lines:
        name = line["instance"]
        if name not in order or line["cost"] is None or "routes" not in line:
            continue
        if name not in best or line["cost"] < best[name]["cost"]:
            best[name] = line
    changed = [name for name in order if name in best and _take(plans, best[name])]
    sorted_plans = {name: plans[name] for name in order if name in plans}
    plans.clear()
    plans.update(sorted_plans)
    return changed


def _take(plans: dict[str, dict[str, Any]], line: Line) -> bool:
    name = line["instance"]
    solution = Solution.of(line["routes"])
    evaluation = evaluate(library.load(name), solution)
    if not evaluation.is_feasible:
        return False
    published = library.published(name)
    if published is not None and evaluation.cost > published.cost + ROUNDING:
        return False
    if name in plans and evaluation.cost >= plans[name]["cost"] * (1 - 1e-9):
        return False
    commit = (line.get("commit") or "unknown").rstrip("+")
    limit = "" if line["time_limit"] is None else f", {line['time_limit']:g} s"
    plans[name] = {
        "cost": evaluation.cost,
        "source": f"{line['method']}{limit}, commit {commit}",
        "routes": [[route.vehicle_type, *route.customers] for route in solution.routes],
    }
    return True


def as_text(plans: dict[str, dict[str, Any]]) -> str:
    """Return the file: one instance per line."""
    rows = (f"{json.dumps(name)}: {json.dumps(plan)}" for name, plan in plans.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    run(main)
