"""Train the paper's network with and without the remaining graph embedding, stage by stage.

    python tools/paper_training.py [--size 20] [--instances 200000] [--out out/paper-training]
    python runs/paper.py --only fig5 --training out/paper-training --update-docs --partial
    python tools/paper_training.py --ship

Both networks see equally many instances, each in a process of one thread. They learn by the paper's
Algorithm 1, but with a constant learning rate of 2e-4 and an average of the weights, because a
stage is far shorter than the paper's 20 million instances. A stage goes on from the weights that
ship, where there are some, with instances that no earlier stage has drawn. Stopped by Ctrl-C it
goes on with the same command. --ship puts the weights of finished stages into the package.
"""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from fripn.bench.script import ScriptParser, integer, run
from fripn.errors import InvalidFile
from fripn.policy.weights import SUFFIX, load_weights, shipped_weights
from fripn.train.config import TrainConfig, load_config, parse_config
from fripn.train.curve import read_curve
from fripn.train.loop import CHECKPOINT, LAST_WEIGHTS, SETTINGS, train

ROOT = Path(__file__).resolve().parents[1]

#: What differs from the preset, which is the paper's.
CHANGES = (
    "optimiser.learning_rate=2e-4",
    'optimiser.schedule="constant"',
    "optimiser.average=0.995",
    "validate_minutes=3",
    "checkpoint_minutes=3",
    "validation.instances=512",
    "validation.samples=8",
)

#: What differs besides where a stage goes on from shipped weights: the optimiser forgets.
LATER_CHANGES = ("optimiser.warmup=100",)


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--size", type=integer(1), default=20, help="number of customers")
    parser.add_argument(
        "--instances", type=integer(1), default=200_000, help="of this stage, for each network"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "paper-training")
    parser.add_argument("--ship", action="store_true", help="train nothing, ship what is finished")
    options = parser.parse_args()
    names = (f"paper-{options.size}", f"paper-{options.size}-without-graph")
    if options.ship:
        for name in names:
            ship(name, options.out / name)
        return
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(names), mp_context=spawned) as processes:
        for path in processes.map(partial(train_one, options.out, options.instances), names):
            print(f"finished {path}")


def train_one(out: Path, instances: int, name: str) -> Path:
    """Run or continue the stage of a network."""
    folder = out / name
    is_begun = (folder / CHECKPOINT).exists()
    config = begun(folder, instances) if is_begun else stage(name, instances)
    train(config, folder, resume=is_begun, report=lambda line: print(f"{name}: {line}", flush=True))
    return folder / LAST_WEIGHTS


def stage(name: str, instances: int) -> TrainConfig:
    """Return the settings of a new stage, which goes on from shipped weights."""
    changes = [*CHANGES]
    if name in shipped_weights():
        seen = load_weights(name).provenance["instances"]
        # A seed of its own, so that the stage draws other instances.
        changes += [*LATER_CHANGES, f'init="{name}"', f"seed={TrainConfig().seed + seen}"]
    steps = -(-instances // load_config(name).reinforce.batch_size)
    return load_config(name, [*changes, f"steps={steps}"])


def begun(folder: Path, instances: int) -> TrainConfig:
    """Return the settings of a stage that was begun; its length may have changed."""
    settings = json.loads((folder / SETTINGS).read_text("utf-8"))
    settings["steps"] = -(-instances // settings["reinforce"]["batch_size"])
    return parse_config(settings)


def ship(name: str, folder: Path) -> None:
    """Put the weights of a stage into the package, with those of the stages before."""
    if not (folder / LAST_WEIGHTS).is_file():
        raise InvalidFile(
            f"{folder} has no {LAST_WEIGHTS}",
            field="folder",
            value=folder,
            remedy="train first, or name another folder with --out",
        )
    settings = json.loads((folder / SETTINGS).read_text("utf-8"))
    after = ["--after", "shipped"] if settings["init"] else []
    tool = ROOT / "tools" / "ship_weights.py"
    command = [sys.executable, tool, folder / LAST_WEIGHTS, folder, "--name", name, *after]
    subprocess.run(command, check=True)
    print(f"{name}{SUFFIX}: {read_curve(folder / 'curve.csv')[-1].instances:,} instances")


if __name__ == "__main__":
    run(main)
