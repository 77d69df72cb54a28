"""Train the paper's network with and without the remaining graph embedding, stage by stage.

    python tools/paper_training.py [--size 20] [--instances 200000] [--out out/paper-training]
    python tools/paper_training.py --imitation [--size 20] [--instances 200000]
    python runs/paper.py --only fig5 --training out/paper-training --update-docs --partial
    python tools/paper_training.py --ship [--imitation]

Both networks see equally many instances, each in a process of one thread: one that an earlier stage
showed fewer catches up. They learn by the paper's Algorithm 1, but with a constant learning rate of
2e-4 and an average of the weights, because a stage is far shorter than the paper's 20 million
instances. A stage goes on from the weights that ship, where there are some, with instances that no
earlier stage has drawn. Stopped by Ctrl-C it goes on with the same command.

--imitation trains the paper's network once more, from another start: it first imitates plans of the
engine, for 320,000 instances drawn from 40,000 labels, and then goes on by Algorithm 1 like the
others. --ship puts the weights of finished stages into the package.
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
from fripn.train.labelling import LabelSettings, make_labels
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

#: What differs besides where a stage goes on from other weights: the optimiser forgets.
LATER_CHANGES = ("optimiser.warmup=100",)

#: What differs besides while plans are imitated.
IMITATION_CHANGES = ("imitation.weight=1.0", "imitation.batch_size=32", "reinforce.weight=0.0")

#: Ends of names: of the network that starts by imitation, and of that start's own run.
IMITATION, START = "-imitation", "-start"

#: Labels, in shards that have so many customers each, and how often each label is imitated.
LABELS, SHARD_CUSTOMERS, EPOCHS = 40_000, 5_000, 8


def main() -> None:
    parser = ScriptParser(__doc__)
    parser.add_argument("--size", type=integer(1), default=20, help="number of customers")
    parser.add_argument(
        "--instances", type=integer(1), default=200_000, help="of this stage, for each network"
    )
    parser.add_argument("--imitation", action="store_true", help="train from an imitation start")
    parser.add_argument(
        "--labels",
        type=integer(1),
        default=LABELS,
        help=f"to imitate, {EPOCHS} times each (default %(default)s)",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "paper-training")
    parser.add_argument("--ship", action="store_true", help="train nothing, ship what is finished")
    options = parser.parse_args()
    preset = f"paper-{options.size}"
    names = [f"{preset}{IMITATION}"] if options.imitation else [preset, f"{preset}-without-graph"]
    if options.ship:
        for name in names:
            ship(name, options.out)
        return
    seen = [instances_seen(name) for name in names]
    instances = [options.instances + max(seen) - one for one in seen]
    train_network = partial(train_one, options.out, options.labels)
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(names), mp_context=spawned) as processes:
        for path in processes.map(train_network, names, instances):
            print(f"finished {path}")


def instances_seen(name: str) -> int:
    """Return how many instances the weights of a network that ship have learned from."""
    return int(load_weights(name).provenance["instances"]) if name in shipped_weights() else 0


def train_one(out: Path, labels: int, name: str, instances: int) -> Path:
    """Run or continue the stage of a network; the first one may need a start."""
    start = ""
    if name in shipped_weights():
        start = name
    elif name.endswith(IMITATION):
        start = str(imitated(out, name, labels))
    return run_stage(out / name, name, [*CHANGES], instances, start)


def imitated(out: Path, name: str, labels: int) -> Path:
    """Return weights that imitate plans of the engine; make labels and weights if need be."""
    size = preset_of(name).removeprefix("paper-")
    settings = LabelSettings((int(size),), wide_share=0.0, effort=4, customers=SHARD_CUSTOMERS)
    shards = -(-labels * int(size) // SHARD_CUSTOMERS)
    made = out / f"labels-{size}"
    make_labels(settings, made, shards, report=partial(say, made.name))
    changes = [*CHANGES, *IMITATION_CHANGES, f'imitation.labels="{made.resolve()}"']
    return run_stage(out / f"{name}{START}", name, changes, EPOCHS * labels, "")


def run_stage(folder: Path, name: str, changes: list[str], instances: int, start: str) -> Path:
    """Run or continue a stage in its folder; its length may have changed since it began."""
    preset = preset_of(name)
    steps = -(-instances // load_config(preset).reinforce.batch_size)
    if start:
        seen = load_weights(start).provenance["instances"]
        # A seed of its own, so that the stage draws other instances.
        changes += [*LATER_CHANGES, f'init="{start}"', f"seed={TrainConfig().seed + seen}"]
    config = load_config(preset, [*changes, f"steps={steps}"])
    if is_begun := (folder / CHECKPOINT).exists():
        begun = parse_config(json.loads((folder / SETTINGS).read_text("utf-8")) | {"steps": steps})
        if (begun.init, begun.seed) != (config.init, config.seed):
            raise InvalidFile(
                f"{folder} holds an earlier stage",
                field="--out",
                value=folder,
                remedy="name another folder with --out",
            )
        config = begun
    train(config, folder, resume=is_begun, report=partial(say, folder.name))
    return folder / LAST_WEIGHTS


def preset_of(name: str) -> str:
    """Return the preset of a network, which its start leaves as it is."""
    return name.removesuffix(IMITATION)


def say(what: str, line: str) -> None:
    """Print a line of a run among those of others."""
    print(f"{what}: {line}", flush=True)


def ship(name: str, out: Path) -> None:
    """Put the weights of a stage into the package, with those of the stages before."""
    folder = out / name
    if not (folder / LAST_WEIGHTS).is_file():
        raise InvalidFile(
            f"{folder} has no {LAST_WEIGHTS}",
            field="folder",
            value=folder,
            remedy="train first, or name another folder with --out",
        )
    start = json.loads((folder / SETTINGS).read_text("utf-8"))["init"]
    is_later = start == name
    before = [] if is_later or not start else [Path(start).parent]
    after = ["--after", "shipped"] if is_later else []
    tool = ROOT / "tools" / "ship_weights.py"
    command = [sys.executable, tool, folder / LAST_WEIGHTS, *before, folder, "--name", name, *after]
    subprocess.run(command, check=True)
    print(f"{name}{SUFFIX}: {read_curve(folder / 'curve.csv')[-1].instances:,} instances")


if __name__ == "__main__":
    run(main)
