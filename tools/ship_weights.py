"""Put trained weights into the package, with where they come from.

    python tools/ship_weights.py out/stage-2/best.safetensors out/stage-1 out/stage-2:2
    python tools/ship_weights.py out/stage-3/last.safetensors out/stage-3 --after shipped
    python tools/ship_weights.py out/paper-20/last.safetensors out/paper-20 --name paper-20

Takes the weights and the folders of the runs that made them, first to last; ":2" marks a run of two
processes. Of every run it records the settings, steps and hours of processor time; absolute paths
in the settings are cut to what lies below the folder that holds the run, or to their last part.
--after names the weights that the first of these runs started from, "shipped" for those that ship
now: the runs that their file names come first. --name is what --weights calls them; without it they
become the default ones.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from fripn.bench.run import current_commit
from fripn.bench.script import ScriptParser, run
from fripn.policy.weights import (
    DEFAULT_NAME,
    SUFFIX,
    PolicyWeights,
    load_weights,
    save_weights,
)
from fripn.train.curve import read_curve

FOLDER = Path(__file__).parents[1] / "src" / "fripn" / "data" / "weights"


def without_machine(value: Any, folder: Path) -> Any:
    """Return settings in which no path reveals where on a machine the folder lies."""
    if isinstance(value, dict):
        return {key: without_machine(item, folder) for key, item in value.items()}
    if isinstance(value, str) and Path(value).is_absolute():
        path = Path(value)
        return str(path.relative_to(folder)) if path.is_relative_to(folder) else path.name
    return value


def stage(text: str) -> tuple[Path, int]:
    """Read the folder of a run and its number of processes, 1 unless given."""
    folder, _, processes = text.partition(":")
    if not (Path(folder) / "curve.csv").is_file():
        raise argparse.ArgumentTypeError(f"{folder} has no curve.csv; name the folder of a run")
    if processes and not (processes.isdecimal() and int(processes) > 0):
        raise argparse.ArgumentTypeError(f"{processes!r} processes in {text}; give 1 or more")
    return Path(folder), int(processes or 1)


def describe(folder: Path, processes: int) -> dict[str, Any]:
    """Return the settings of a run and how far it went."""
    last = read_curve(folder / "curve.csv")[-1]
    before = load_weights(folder / "last.safetensors").provenance.get("started_from", {})
    return {
        "run": folder.name,
        "settings": without_machine(
            json.loads((folder / "settings.json").read_text()), folder.resolve().parent
        ),
        "steps": last.step,
        "cpu_hours": round(processes * last.hours, 3),
        "instances": last.instances - before.get("instances", 0),
    }


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("runs", type=stage, nargs="+", metavar="RUN[:PROCESSES]")
    parser.add_argument("--after", help="weights that the first run started from")
    parser.add_argument(
        "--name", default=DEFAULT_NAME, help="of the weights (default: %(default)s)"
    )
    options = parser.parse_args()
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", options.name):
        parser.error(f"--name is {options.name!r}; give small letters, digits and hyphens")
    target = FOLDER / f"{options.name}{SUFFIX}"
    weights = load_weights(options.weights)
    earlier: list[dict[str, Any]] = []
    if options.after:
        started_from = load_weights(target if options.after == "shipped" else options.after)
        earlier = started_from.provenance.get("stages", [])
        if not earlier:
            parser.error(f"--after {options.after}: its file does not name the runs that made it")
    labels = load_weights(options.runs[-1][0] / "last.safetensors").provenance.get("labels")
    plans = "plans of our own engine for random instances, and " if labels else ""
    provenance = {
        "commit": current_commit(),
        "data": f"{plans}fresh random instances; no benchmark instance was trained on",
        "labels": labels,
        "instances": weights.provenance.get("instances"),
        "stages": earlier + [describe(folder, processes) for folder, processes in options.runs],
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    save_weights(PolicyWeights(weights.config, weights.tensors, provenance), target)
    print(f"{target.name}: {target.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    run(main)
