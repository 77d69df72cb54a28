"""What a training run says about itself: what it is at its beginning, and where it is."""

from __future__ import annotations

from datetime import datetime, timedelta

from fripn.train.config import TrainConfig

#: Steps after which the time of a step is known; the first ones also load and allocate.
STEPS_TO_TIME = 3


def opening(config: TrainConfig, num_parameters: int, step: int) -> str:
    """Return the first line of a run: network, parameters, device and limits.

    Parameters
    ----------
    config
        Its settings.
    num_parameters
        Numbers that are learned.
    step
        Steps of earlier parts of the run.
    """
    policy = config.policy
    limits = f"{config.steps:,} steps"
    if config.hours > 0:
        limits += f" or {config.hours:g} h"
    threads = f", threads: {config.threads}" if config.device == "cpu" else ""
    done = f", of which {step:,} are done" if step else ""
    return (
        f"network: {policy.num_layers} layer{'' if policy.num_layers == 1 else 's'} of width "
        f"{policy.width}, {num_parameters:,} "
        f"parameters; device: {config.device}{threads}; {limits}{done}"
    )


def expected_end(seconds: float) -> str:
    """Return when a run ends that needs so many seconds more."""
    end = datetime.now() + timedelta(seconds=min(seconds, 1e9))
    return f"expected end: {end:%Y-%m-%d %H:%M}, in {duration(seconds)}"


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, length in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def position(step: int, progress: float, left: float, means: dict[str, float]) -> str:
    """Return where a run is, in one line for a terminal.

    Parameters
    ----------
    step
        Steps done.
    progress
        Share of the run that is done.
    left
        Seconds left.
    means
        What was measured since the last validation, by name.
    """
    news = "".join(f", {name} {value:.4g}" for name, value in means.items())
    return f"step {step:,}, {100 * progress:.1f} %{news}, {duration(left)} left"
