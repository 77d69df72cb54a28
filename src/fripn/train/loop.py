"""The training loop: draw, learn, measure, save; small functions elsewhere do the work."""

from __future__ import annotations

import dataclasses
import json
import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fripn.errors import CheckpointMismatch, InvalidFile, InvalidSetting, TrainingFailed
from fripn.policy.config import PolicyConfig
from fripn.policy.weights import PolicyWeights, load_weights, save_weights
from fripn.train import distributed
from fripn.train.config import OptimiserConfig, TrainConfig, parse_config
from fripn.train.curve import Row, read_curve, write_curve
from fripn.train.fused import fused_log_probs
from fripn.train.imitation import draw_examples, imitation_loss, route_ends
from fripn.train.labels import Labels, Size, load_labels
from fripn.train.native import native_sampler
from fripn.train.network import Policy
from fripn.train.reinforce import advantages, draw_instances, extremes, reinforce_loss
from fripn.train.resume import load_checkpoint, save_checkpoint
from fripn.train.rollout import Sampler, torch_sampler
from fripn.train.state import Batch, trajectory_cost
from fripn.train.teacher import DecisionLogProbs, decision_log_probs
from fripn.train.validation import Score, Validator

CHECKPOINT = "checkpoint.pt"

#: Feature sets whose weights can start a run with a larger one.
GROWING = {"pack": ("cover",), "near": ("cover", "pack")}

#: Of the weights for waste, those for what is wasted nearby start with so much.
NEAR_PER_WASTE = 1.0

BEST_WEIGHTS = "best.safetensors"
LAST_WEIGHTS = "last.safetensors"
SETTINGS = "settings.json"

#: Keys a resumed run may change: they say how long and where to work, not what is learned.
RESUMABLE = {
    "steps",
    "hours",
    "device",
    "threads",
    "fused",
    "checkpoint_minutes",
    "validate_minutes",
}


def train(
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    report: Callable[[str], None] = print,
) -> Path:
    """Run or continue a training run.

    Parameters
    ----------
    config
        All settings.
    out
        Folder of the run: settings, checkpoint, curve, best and last weights.
    resume
        Continue from the folder's checkpoint as if the run had never stopped.
    report
        Called with one line per validation and at the end.

    Returns
    -------
    Path
        The best weights.

    Raises
    ------
    InvalidFile
        When the folder already holds a run (and `resume` is off), or files cannot be used.
    TrainingFailed
        When the loss is no longer finite; the last checkpoint is untouched.
    """
    torch.set_num_threads(config.threads)
    distributed.start(config.device)
    try:
        run = _Run(config, out, resume=resume, report=report)
        with _stop_signals() as stopped:
            run.work(stopped)
    finally:
        distributed.finish()
    return out / BEST_WEIGHTS


class _Run:
    """What moves while training: weights, optimiser, counters."""

    def __init__(
        self, config: TrainConfig, out: Path, *, resume: bool, report: Callable[[str], None]
    ) -> None:
        self.config = config
        self.out = out
        self.report = report if distributed.rank() == 0 else lambda _: None
        is_native = config.device == "cpu"
        self.sampler: Sampler = native_sampler if is_native else torch_sampler
        is_fused = is_native and config.fused
        self.log_probs: DecisionLogProbs = fused_log_probs if is_fused else decision_log_probs
        self.policy = _new_policy(config)
        self.average = {name: p.detach().clone() for name, p in self.policy.named_parameters()}
        self.optimiser = torch.optim.AdamW(
            self.policy.parameters(),
            lr=config.optimiser.learning_rate,
            weight_decay=config.optimiser.weight_decay,
        )
        self.step = 0
        self.seconds = 0.0
        self.instances = 0
        self.best = math.inf
        self.rows: list[Row] = []
        self.sums: dict[str, list[float]] = {"imitation": [], "cost": []}
        self.labels: dict[Size, Labels] = {}
        self._read_labels()
        self.validator = Validator(config.validation, config.device)
        out.mkdir(parents=True, exist_ok=True)
        if resume:
            self._restore()
        elif (out / CHECKPOINT).exists():
            raise InvalidFile(
                f"{out} already holds a run; continue it with --resume or give another folder"
            )
        if distributed.rank() == 0:
            (out / SETTINGS).write_text(json.dumps(config.to_dict(), indent=2) + "\n", "utf-8")

    # -- the loop ------------------------------------------------------------------------------

    def work(self, stopped: Callable[[], bool]) -> None:
        """Take steps until the budget is used up or a signal arrives."""
        began = self._clock() - self.seconds
        last_save = self.seconds
        # A run in short pieces is validated as often as one in a single piece.
        last_score = 3600 * self.rows[-1].hours if self.rows else 0.0
        while self.progress() < 1.0:
            self._one_step()
            # Everything that goes by the clock must happen everywhere at the same step.
            self.seconds = distributed.largest(self._clock() - began, self.config.device)
            over = self.progress() >= 1.0
            stop = distributed.any_process(stopped(), self.config.device)
            if over or self.seconds - last_score >= 60 * self.config.validate_minutes:
                self._validate()
                if self.config.imitation.refresh:
                    self._read_labels()
                last_score = self.seconds
            lap = 60 * self.config.checkpoint_minutes
            if over or stop or self.seconds - last_save >= lap:
                self._save()
                last_save = self.seconds
            if stop:
                self.report(f"stopped after step {self.step}; continue with --resume")
                return
        self.report(f"finished: {self.step} steps in {self.seconds / 3600:.2f} h, see {self.out}")

    def _clock(self) -> float:
        """Seconds of work: a CPU may be shared or the process paused, which should not count."""
        if self.config.device == "cpu":
            return time.process_time() / self.config.threads
        return time.monotonic()

    def progress(self) -> float:
        """Share of the budget that is used, 0 to 1."""
        share = self.step / self.config.steps
        if self.config.hours > 0:
            share = max(share, self.seconds / (3600 * self.config.hours))
        return min(share, 1.0)

    def _one_step(self) -> None:
        config = self.config
        rng = np.random.default_rng([config.seed, self.step])
        self.optimiser.zero_grad(set_to_none=True)
        losses: list[Tensor] = []
        if config.imitation.weight > 0:
            losses.append(config.imitation.weight * self._imitate(rng))
        if config.reinforce.weight > 0 and self.step >= config.reinforce.after:
            losses.append(config.reinforce.weight * self._play(rng))
        for loss in losses:
            loss.backward()  # type: ignore[no-untyped-call]
        distributed.sum_gradients(self.policy.parameters())
        norm = torch.nn.utils.clip_grad_norm_(
            self.policy.parameters(), config.optimiser.clip_norm or math.inf
        )
        # A weight that is not a number shows in the gradients; the native decoder may hide it.
        is_lost = not all(bool(torch.isfinite(value)) for value in (*losses, norm))
        if distributed.any_process(is_lost, config.device):
            raise TrainingFailed(self._advice())
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(config.optimiser, self.step, self.progress())
        self.optimiser.step()
        self.step += 1
        self._follow()

    def _advice(self) -> str:
        kept = self.out / BEST_WEIGHTS
        start = f" from its weights, --set init={kept}," if kept.exists() else ""
        return (
            f"the loss or its gradient is not finite at step {self.step}; the last checkpoint is "
            f"untouched; start another run{start} with a smaller optimiser.learning_rate (now "
            f"{self.config.optimiser.learning_rate:g})"
        )

    def _read_labels(self) -> None:
        if self.config.imitation.weight > 0:
            self.labels = load_labels(Path(self.config.imitation.labels))

    def _imitate(self, rng: np.random.Generator) -> Tensor:
        """Mean loss per decision on a batch of labels."""
        settings = self.config.imitation
        groups = list(self.labels.values())
        counts = [
            min(settings.batch_size, max(1, settings.batch_customers // g.size[0])) for g in groups
        ]
        # Every label is seen equally often, whatever the batch size of its group.
        chances = np.array([len(g) / count for g, count in zip(groups, counts, strict=True)])
        chosen = int(rng.choice(len(groups), p=chances / chances.sum()))
        labels = groups[chosen]
        labels = labels[rng.integers(len(labels), size=counts[chosen])]
        batch, actions, counted = draw_examples(labels, settings.orders, rng, self.config.device)
        ends = torch.as_tensor(route_ends(labels), device=self.config.device)
        part = distributed.share(len(labels))
        loss = imitation_loss(
            self.policy, batch[part], actions[part], counted[part], ends[part], self.log_probs
        ) / int(counted.sum())
        self.instances += len(labels)
        self.sums["imitation"].append(float(loss.detach()) * distributed.world_size())
        return loss

    def _play(self, rng: np.random.Generator) -> Tensor:
        """REINFORCE loss on drawn instances, per instance and customer."""
        settings = self.config.reinforce
        instances = draw_instances(self.config.instances, settings, rng)
        seed = int(rng.integers(2**31))
        draw_first_type = bool(rng.random() >= settings.own_first)
        part = distributed.share(len(instances))
        batch = Batch.of(instances[part], self.config.device)
        num_customers = batch.num_nodes - 1
        count = settings.num_trajectories(num_customers)
        with self.policy.at_temperature(settings.temperature):
            actions = self.sampler(
                self.policy,
                batch,
                count,
                seed,
                draw_first_type=draw_first_type,
                first_stream=part.start * count,
            )
            costs = trajectory_cost(batch, actions)
            groups = None
            if settings.baseline == "first_type" and draw_first_type:
                groups = actions[:, :, 0] // batch.num_nodes
            better = advantages(costs, normalise=settings.normalise, groups=groups)
            if settings.keep:
                actions, better = extremes(actions, better, settings.keep)
            loss = reinforce_loss(
                self.policy,
                batch,
                actions,
                better,
                self.log_probs,
                first_type_given=draw_first_type,
            )
        self.instances += len(instances)
        self.sums["cost"].append(float(costs.mean()))
        return loss / (len(instances) * num_customers)

    def _follow(self) -> None:
        """Move the averaged weights after the trained ones."""
        decay = self.config.optimiser.average
        # Early on the average must not drag the random start along.
        decay = min(decay, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for name, parameter in self.policy.named_parameters():
                self.average[name].lerp_(parameter, 1.0 - decay)

    # -- measuring and saving ------------------------------------------------------------------

    def _validate(self) -> None:
        if distributed.rank() != 0:
            return
        averaged = Policy(self.config.policy).to(self.config.device)
        averaged.load_state_dict(self.average)
        score = self.validator(averaged, self.sampler)
        means = {k: float(np.mean(v)) if v else math.nan for k, v in self.sums.items()}
        self.sums = {name: [] for name in self.sums}
        self.rows.append(
            Row(
                step=self.step,
                hours=self.seconds / 3600,
                instances=self.instances,
                imitation_loss=means["imitation"],
                reinforce_cost=means["cost"],
                learning_rate=self.optimiser.param_groups[0]["lr"],
                greedy=score.greedy,
                sampled=score.sampled,
                greedy_gap=score.greedy_gap,
                sampled_gap=score.sampled_gap,
            )
        )
        write_curve(self.out, self.rows)
        self._export(LAST_WEIGHTS, score)
        if score.value < self.best:
            self.best = score.value
            self._export(BEST_WEIGHTS, score)
        self.report(self._line(score, means))

    def _line(self, score: Score, means: dict[str, float]) -> str:
        used = self.progress()
        left = self.seconds * (1 / used - 1) / 60 if used > 0 else math.nan
        rate = self.instances / max(self.seconds, 1e-9)
        parts = [f"step {self.step}", f"{self.seconds / 60:.1f} min", f"{rate:.0f} instances/s"]
        parts += [f"loss {means['imitation']:.4f}"] if math.isfinite(means["imitation"]) else []
        parts += [f"cost {means['cost']:.3f}"] if math.isfinite(means["cost"]) else []
        parts.append(f"greedy {score.greedy:.3f} ({score.greedy_gap:+.2f} %)")
        parts.append(f"sampled {score.sampled:.3f} ({score.sampled_gap:+.2f} %)")
        return ", ".join([*parts, f"{left:.0f} min left"])

    def _export(self, name: str, score: Score) -> None:
        weights = PolicyWeights(
            self.config.policy,
            {key: value.cpu().numpy() for key, value in self.average.items()},
            {
                "settings": self.config.to_dict(),
                "steps": self.step,
                "hours": round(self.seconds / 3600, 4),
                "instances": self.instances,
                "labels": {f"{n}x{k}": len(part) for (n, k), part in self.labels.items()},
                "greedy_gap": score.greedy_gap,
                "sampled_gap": score.sampled_gap,
            },
        )
        save_weights(weights, self.out / name)

    def _save(self) -> None:
        if distributed.rank() != 0:
            return
        save_checkpoint(
            self.out / CHECKPOINT,
            {
                "settings": json.dumps(self.config.to_dict()),
                "step": self.step,
                "seconds": self.seconds,
                "instances": self.instances,
                "best": self.best,
                "sums": self.sums,
                "policy": self.policy.state_dict(),
                "average": self.average,
                "optimiser": self.optimiser.state_dict(),
            },
        )

    def _restore(self) -> None:
        saved = load_checkpoint(self.out / CHECKPOINT)
        before = parse_config(json.loads(saved["settings"])).to_dict()
        now = parse_config(json.loads(json.dumps(self.config.to_dict()))).to_dict()
        for key, value in before.items():
            if key not in RESUMABLE and value != now[key]:
                raise CheckpointMismatch(
                    f"the run in {self.out} has {key} = {value}, but now it is {now[key]}; "
                    "keep the settings of the run, or start another one with --set init=FILE"
                )
        self.policy.load_state_dict(saved["policy"])
        self.average = {k: v.to(self.config.device) for k, v in saved["average"].items()}
        self.optimiser.load_state_dict(saved["optimiser"])
        self.step, self.seconds = saved["step"], saved["seconds"]
        self.instances, self.best = saved["instances"], saved["best"]
        self.sums = saved["sums"]
        self.rows = read_curve(self.out / "curve.csv", up_to_step=self.step)


def learning_rate(settings: OptimiserConfig, step: int, progress: float) -> float:
    """Learning rate of a step, at a share `progress` of the run."""
    rate = settings.learning_rate
    if settings.schedule == "halve":
        rate *= 0.5 ** sum(progress >= fraction for fraction in settings.halve_at)
    elif settings.schedule == "cosine":
        low = settings.final_fraction
        rate *= low + (1 - low) * 0.5 * (1 + math.cos(math.pi * progress))
    if step < settings.warmup:
        rate *= (step + 1) / (settings.warmup + 1)
    return rate


def _new_policy(config: TrainConfig) -> Policy:
    """Random weights from the seed, or those of a file."""
    if config.device != "cpu" and not torch.cuda.is_available():
        raise InvalidSetting(f"device is {config.device!r}, but torch sees no GPU; use 'cpu'")
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        policy = Policy(config.policy)
    if config.init:
        weights = load_weights(config.init)
        # A pair term may be new: its output starts at 0, so it changes nothing at first.
        grown = weights.config
        if grown.pair_width == 0:
            grown = dataclasses.replace(grown, pair_width=config.policy.pair_width)
        if grown.features in GROWING.get(config.policy.features, ()):
            grown = dataclasses.replace(grown, features=config.policy.features)
        if grown != config.policy:
            raise CheckpointMismatch(
                f"the weights in {config.init} belong to {weights.config}, but the run's policy "
                f"is {config.policy}; make them the same"
            )
        given = _grown(weights, config.policy)
        fresh = {name: value for name, value in policy.state_dict().items() if name not in given}
        policy.load_state_dict({**fresh, **given})
    return policy.to(config.device)


def _grown(weights: PolicyWeights, config: PolicyConfig) -> dict[str, Tensor]:
    """Give the parameters with weights of 0 for scalars and pair inputs that are new."""
    given = {name: torch.tensor(array) for name, array in weights.tensors.items()}
    old = weights.config.num_scalars
    for name, first in (("vehicle.input.weight", config.width), ("pair.scalars.weight", 0)):
        if name in given:
            before, after = given[name][:, : first + old], given[name][:, first + old :]
            new = before.new_zeros(len(before), config.num_scalars - old)
            given[name] = torch.cat([before, new, after], 1)
    if config.has_pack and weights.config.pair_width and "pair.waste.weight" not in given:
        given["pair.waste.weight"] = torch.zeros(config.pair_width, 1)
    if config.has_near and weights.config.pair_width and "pair.near.weight" not in given:
        # What a choice wastes nearby is bad for the same reason, so it starts from that.
        given["pair.near.weight"] = NEAR_PER_WASTE * given["pair.waste.weight"]
    return given


@contextmanager
def _stop_signals() -> Iterator[Callable[[], bool]]:
    """Turn SIGTERM and SIGINT into a question that the loop asks after every step."""
    seen: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        seen.append(number)

    before: dict[int, Any] = {}
    for number in (signal.SIGTERM, signal.SIGINT):
        before[number] = signal.signal(number, note)
    try:
        yield lambda: bool(seen)
    finally:
        for known, handler in before.items():
            signal.signal(known, handler)
