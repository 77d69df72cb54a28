"""The training loop: draw, learn, measure, save; small functions elsewhere do the work."""

from __future__ import annotations

import json
import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fripn.errors import InvalidFile, InvalidSetting, TrainingFailed
from fripn.policy.weights import PolicyWeights, save_weights
from fripn.problem.io.atomic import write_atomically
from fripn.train import distributed
from fripn.train.announce import STEPS_TO_TIME, expected_end, opening, position
from fripn.train.config import (
    ImitationConfig,
    OptimiserConfig,
    ReinforceConfig,
    TrainConfig,
    instances_per_step,
)
from fripn.train.curve import Row, read_curve, write_curve
from fripn.train.encoded import FoldedPolicy
from fripn.train.fused import fused_log_probs
from fripn.train.imitation import draw_examples, imitation_loss, route_ends
from fripn.train.initial import first_policy, origin_of, random_policy
from fripn.train.instances import instance_source
from fripn.train.labels import Labels, Size, load_labels
from fripn.train.native import native_sampler
from fripn.train.network import Policy
from fripn.train.reinforce import advantages, reinforce_loss, top_and_bottom
from fripn.train.resume import (
    load_checkpoint,
    load_optimiser,
    require_fit,
    require_same_settings,
    save_checkpoint,
)
from fripn.train.rollout import Sampler, torch_sampler
from fripn.train.state import Batch
from fripn.train.teacher import DecisionLogProbs, decision_log_probs
from fripn.train.validation import Score, Validator

CHECKPOINT = "checkpoint.pt"
BEST_WEIGHTS = "best.safetensors"
LAST_WEIGHTS = "last.safetensors"
SETTINGS = "settings.json"


def train(
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    report: Callable[[str], None] = print,
    live: Callable[[str], None] | None = None,
) -> Path:
    """Run or continue a training run.

    Parameters
    ----------
    config
        All settings.
    out
        Folder of the run: settings, checkpoint, curve, best and last weights.
    resume
        Continue from the folder's checkpoint; the result equals that of an uninterrupted run.
    report
        Called with lines for people: at the beginning what is trained on what and when it is
        expected to end, one per validation, and one at the end.
    live
        Called about once a second with where the run is, for a line that is written over.

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
    KeyboardInterrupt
        When SIGINT or SIGTERM stopped the run, after its checkpoint is written; the message says
        how to continue.
    """
    torch.set_num_threads(config.threads)
    distributed.start(config.device)
    try:
        run = _Run(config, out, resume=resume, report=report, live=live)
        with _stop_signals() as stopped:
            run.work(stopped)
    finally:
        distributed.finish()
    return out / BEST_WEIGHTS


class _Run:
    """State that changes while training: weights, optimiser, counters."""

    def __init__(
        self,
        config: TrainConfig,
        out: Path,
        *,
        resume: bool,
        report: Callable[[str], None],
        live: Callable[[str], None] | None,
    ) -> None:
        self.config = config
        self.out = out
        self.report = report if distributed.rank() == 0 else lambda _: None
        self.live = live if distributed.rank() == 0 else None
        is_native = config.device == "cpu"
        self.sampler: Sampler = native_sampler if is_native else torch_sampler
        is_fused = is_native and config.fused
        self.log_probs: DecisionLogProbs = fused_log_probs if is_fused else decision_log_probs
        # The weights of a checkpoint are loaded later; the initial ones are not needed then.
        self.policy = random_policy(config) if resume else first_policy(config)
        self.average = {name: p.detach().clone() for name, p in self.policy.named_parameters()}
        method = torch.optim.AdamW if config.optimiser.method == "adamw" else torch.optim.Adam
        self.optimiser = method(
            self.policy.parameters(),
            lr=config.optimiser.learning_rate,
            weight_decay=config.optimiser.weight_decay,
        )
        self.step = 0
        self.seconds = 0.0
        self.origin = {} if resume else origin_of(config)
        # With those that the first weights have learned from.
        self.instances: int = self.origin.get("instances", 0)
        self.best = math.inf
        self.rows: list[Row] = []
        self.sums: dict[str, list[float]] = {"imitation": [], "cost": []}
        self.labels: dict[Size, Labels] = {}
        self._read_labels()
        self.source = instance_source(config.instances, config.reinforce)
        if config.reinforce.weight > 0:
            for size in self.source.sizes:
                _require_shares("reinforce", config.reinforce, size)
        self.validator = Validator(config.validation, config.instances, config.device)
        if resume:
            self._restore()
        elif (out / CHECKPOINT).exists():
            raise InvalidFile(
                f"{out} already holds a run",
                field="--out",
                value=out,
                remedy="continue it with --resume or give another folder",
            )
        out.mkdir(parents=True, exist_ok=True)
        if distributed.rank() == 0:
            write_atomically(out / SETTINGS, json.dumps(config.to_dict(), indent=2) + "\n")

    # -- the loop ------------------------------------------------------------------------------

    def work(self, stopped: Callable[[], bool]) -> None:
        """Take steps until the budget is used up.

        Raises
        ------
        KeyboardInterrupt
            When a signal arrived, after the checkpoint is written.
        """
        # No process writes before all have read: this waits for the others.
        self.seconds = distributed.largest(self.seconds, self.config.device)
        began = self._clock() - self.seconds
        # A run in several parts is validated as often as an uninterrupted one.
        scored = 3600 * self.rows[-1].hours if self.rows else 0.0
        saved = shown = time.monotonic()
        stop = False
        first = self.step
        count = sum(parameter.numel() for parameter in self.policy.parameters())
        self.report(opening(self.config, count, first))
        while True:
            over = self.progress() >= 1.0
            lap = time.monotonic() - saved >= 60 * self.config.checkpoint_minutes
            waited = self.seconds - scored >= 60 * self.config.validate_minutes
            has_news = any(self.sums.values())  # a step was taken since the last validation
            is_due = has_news and (over or (waited and not stop))
            if is_due or (has_news and (stop or lap)):
                # Before the validation: if that fails, no step is lost, and it is repeated.
                self._save()
                saved = time.monotonic()
            if is_due:
                self._validate()
                scored = self.seconds
                self._save()
            if over:
                break
            if stop:
                raise KeyboardInterrupt(
                    f"stopped after step {self.step}; continue with the same command and --resume"
                )
            self._one_step()
            # Everything that depends on time must happen in all processes at the same step.
            self.seconds = distributed.largest(self._clock() - began, self.config.device)
            stop = distributed.any_process(stopped(), self.config.device)
            if self.step - first == STEPS_TO_TIME:
                self.report(expected_end(self._seconds_left()))
            if self.live is not None and time.monotonic() - shown >= 1.0:
                shown = time.monotonic()
                means = {name: fmean(values) for name, values in self.sums.items() if values}
                self.live(position(self.step, self.progress(), self._seconds_left(), means))
        self.report(f"finished: {self.step} steps in {self.seconds / 3600:.2f} h, see {self.out}")

    def _clock(self) -> float:
        """Processor seconds: on a shared CPU, or in a paused process, waiting does not count."""
        if self.config.device == "cpu":
            return time.process_time() / self.config.threads
        return time.monotonic()

    def progress(self) -> float:
        """Share of the budget that is used, 0 to 1."""
        share = self.step / self.config.steps
        if self.config.hours > 0:
            share = max(share, self.seconds / (3600 * self.config.hours))
        return min(share, 1.0)

    def _seconds_left(self) -> float:
        """Return how long the rest of the run will take at the speed so far."""
        used = self.progress()
        return self.seconds * (1 / used - 1) if used > 0 else math.inf

    def _one_step(self) -> None:
        config = self.config
        rng = np.random.default_rng([config.seed, self.step])
        self.optimiser.zero_grad(set_to_none=True)
        weights = FoldedPolicy(self.policy)
        losses: list[Tensor] = []
        if config.imitation.weight > 0:
            losses.append(config.imitation.weight * self._imitate(weights, rng))
        if config.reinforce.weight > 0 and self.step >= config.reinforce.after:
            losses.append(config.reinforce.weight * self._reinforce(weights, rng))
        if losses:
            torch.stack(losses).sum().backward()  # type: ignore[no-untyped-call]
        distributed.sum_gradients(self.policy.parameters())
        norm = torch.nn.utils.clip_grad_norm_(
            self.policy.parameters(), config.optimiser.clip_norm or math.inf
        )
        # A NaN among the weights reaches the gradients; the native decoder may hide it.
        is_lost = not all(bool(torch.isfinite(value)) for value in (*losses, norm))
        if distributed.any_process(is_lost, config.device):
            raise self._failure()
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(config.optimiser, self.step, self.progress())
        self.optimiser.step()
        self.step += 1
        self._update_ema()

    def _failure(self) -> TrainingFailed:
        kept = self.out / BEST_WEIGHTS
        start = f" from its weights, --set init={kept}," if kept.exists() else ""
        rate = self.config.optimiser.learning_rate
        return TrainingFailed(
            f"the loss or its gradient is not finite at step {self.step}",
            field="optimiser.learning_rate",
            value=rate,
            remedy="the last checkpoint is untouched, start another run"
            f"{start} with a smaller optimiser.learning_rate (now {rate:g})",
        )

    def _read_labels(self) -> None:
        settings = self.config.imitation
        if settings.weight > 0:
            self.labels = load_labels(Path(settings.labels))
            for num_customers, _ in self.labels:
                _require_shares("imitation", settings, num_customers)

    def _imitate(self, weights: FoldedPolicy, rng: np.random.Generator) -> Tensor:
        """Mean loss per decision on a batch of labels."""
        settings = self.config.imitation
        groups = list(self.labels.values())
        counts = [instances_per_step(settings, group.size[0]) for group in groups]
        # Every label is used equally often, whatever the batch size of its group.
        chances = np.array([len(g) / count for g, count in zip(groups, counts, strict=True)])
        chosen = int(rng.choice(len(groups), p=chances / chances.sum()))
        labels = groups[chosen]
        labels = labels[rng.integers(len(labels), size=counts[chosen])]
        batch, actions, counted = draw_examples(labels, settings.orders, rng, self.config.device)
        ends = torch.as_tensor(route_ends(labels), device=self.config.device)
        part = distributed.share(len(labels))
        loss = imitation_loss(
            weights.encode(batch[part]), actions[part], counted[part], ends[part], self.log_probs
        ) / int(counted.sum())
        self.instances += len(labels)
        self.sums["imitation"].append(float(loss.detach()) * distributed.world_size())
        return loss

    def _reinforce(self, weights: FoldedPolicy, rng: np.random.Generator) -> Tensor:
        """REINFORCE loss on drawn instances, per instance and customer."""
        settings = self.config.reinforce
        instances = self.source.draw(rng)
        seed = int(rng.integers(2**31))
        draw_first_type = bool(rng.random() >= settings.own_first)
        part = distributed.share(len(instances))
        batch = Batch.of(instances[part], self.config.device)
        encoded = weights.encode(batch)
        num_customers = batch.num_nodes - 1
        count = settings.num_trajectories(num_customers)
        with self.policy.at_temperature(settings.temperature):
            samples = self.sampler(
                encoded,
                count,
                seed,
                draw_first_type=draw_first_type,
                first_stream=part.start * count,
            )
            actions, costs = samples.actions, samples.costs
            groups = None
            if settings.baseline == "first_type" and draw_first_type:
                groups = actions[:, :, 0] // batch.num_nodes
            advantage = advantages(costs, normalise=settings.normalise, groups=groups)
            if settings.keep:
                actions, advantage = top_and_bottom(actions, advantage, settings.keep)
            loss = reinforce_loss(
                encoded, actions, advantage, self.log_probs, first_type_given=draw_first_type
            )
        self.instances += len(instances)
        self.sums["cost"].append(float(costs.mean()))
        return loss / (len(instances) * num_customers)

    def _update_ema(self) -> None:
        """Update the exponential average of the weights."""
        decay = self.config.optimiser.average
        # Early on, a smaller decay removes the random start from the average.
        decay = min(decay, (1 + self.step) / (10 + self.step))
        with torch.no_grad():
            for name, parameter in self.policy.named_parameters():
                self.average[name].lerp_(parameter, 1.0 - decay)

    # -- measuring and saving ------------------------------------------------------------------

    def _validate(self) -> None:
        means = {k: float(np.mean(v)) if v else math.nan for k, v in self.sums.items()}
        self.sums = {name: [] for name in self.sums}
        if distributed.rank() == 0:
            self._measure(means)
        if self.config.imitation.refresh:
            self._read_labels()

    def _measure(self, means: dict[str, float]) -> None:
        averaged = Policy(self.config.policy).to(self.config.device)
        averaged.load_state_dict(self.average)
        score = self.validator(averaged, self.sampler)
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
        left = self._seconds_left() / 60
        rate = (self.instances - self.origin.get("instances", 0)) / max(self.seconds, 1e-9)
        parts = [f"step {self.step}", f"{self.seconds / 60:.1f} min", f"{rate:.0f} instances/s"]
        parts += [f"loss {means['imitation']:.4f}"] if math.isfinite(means["imitation"]) else []
        parts += [f"cost {means['cost']:.3f}"] if math.isfinite(means["cost"]) else []
        return ", ".join([*parts, str(score), f"{left:.0f} min left"])

    def _export(self, name: str, score: Score) -> None:
        weights = PolicyWeights(
            self.config.policy,
            {key: value.cpu().numpy() for key, value in self.average.items()},
            {
                "settings": self.config.to_dict(),
                "steps": self.step,
                "hours": round(self.seconds / 3600, 4),
                "instances": self.instances,
                **({"started_from": self.origin} if self.origin else {}),
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
                "origin": json.dumps(self.origin),
                "best": self.best,
                "sums": self.sums,
                "policy": self.policy.state_dict(),
                "average": self.average,
                "optimiser": self.optimiser.state_dict(),
            },
        )

    def _restore(self) -> None:
        path = self.out / CHECKPOINT
        saved = load_checkpoint(path)
        require_same_settings(path, saved["settings"], self.config)
        require_fit(path, saved["policy"], self.policy.state_dict())
        require_fit(path, saved["average"], self.average)
        self.policy.load_state_dict(saved["policy"])
        self.average = {k: v.to(self.config.device) for k, v in saved["average"].items()}
        load_optimiser(path, self.optimiser, saved["optimiser"])
        self.step, self.seconds = saved["step"], saved["seconds"]
        self.instances, self.best = saved["instances"], saved["best"]
        self.origin = json.loads(saved["origin"])
        self.sums = {name: list(saved["sums"].get(name, ())) for name in self.sums}
        # Means are cleared by a validation: where there are some, this step has not been validated.
        last = self.step - 1 if any(self.sums.values()) else self.step
        self.rows = read_curve(self.out / "curve.csv", up_to_step=last)


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


def _require_shares(
    table: str, settings: ImitationConfig | ReinforceConfig, num_customers: int
) -> None:
    """Refuse a batch too small for all processes at the start, not when a rare size is drawn."""
    count, needed = instances_per_step(settings, num_customers), distributed.world_size()
    if count < needed:
        raise InvalidSetting(
            f"{table}.batch_size is {settings.batch_size} and {table}.batch_customers "
            f"{settings.batch_customers}, which is {count} of the instances with {num_customers} "
            f"customers, too few for {needed} processes",
            field=f"{table}.batch_size",
            value=settings.batch_size,
            remedy=(
                f"give at least {needed} and {needed * num_customers}, or start fewer processes"
            ),
        )


@contextmanager
def _stop_signals() -> Iterator[Callable[[], bool]]:
    """Turn SIGTERM and SIGINT into a flag that the loop checks after every step."""
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
