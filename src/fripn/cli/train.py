"""``fripn train``: train a policy; ``fripn train label``: make the labels it imitates."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Annotated

import typer

from fripn.cli.cluster import ClusterOption, choose_executor
from fripn.errors import InvalidSetting, MissingExtra

app = typer.Typer(
    help="Train a policy, or make labels to train on.", pretty_exceptions_enable=False
)


@app.callback(invoke_without_command=True)
def train(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE|PRESET",
            help="TOML settings, or the name of a preset such as ten-minutes or fripn.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting, for example --set optimiser.learning_rate=3e-4; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder of the run: checkpoint, curve, best weights."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run in the folder where it stopped.")
    ] = False,
) -> None:
    """Train a policy; stop at any moment with Ctrl-C and continue with --resume."""
    if context.invoked_subcommand is not None:
        given = {"--config": config, "--set": changes, "--out": out, "--resume": resume}
        for flag, value in given.items():
            if value:
                raise InvalidSetting(
                    f"{flag} stands before {context.invoked_subcommand!r} and would do nothing "
                    "there",
                    field=flag,
                    remedy="leave it out, or move it behind if that command has it too",
                )
        return
    if config is None or out is None:
        missing = "--config" if config is None else "--out"
        raise InvalidSetting(
            f"{missing} is not given", field=missing, remedy="see fripn train --help"
        )
    need_torch()
    from fripn.train.config import load_config
    from fripn.train.loop import train as run

    is_terminal = sys.stderr.isatty()
    run(
        load_config(config, changes or ()),
        out,
        resume=resume,
        report=_say_over if is_terminal else _say,
        live=_show if is_terminal else None,
    )


@app.command("label")
def label(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the labels.")],
    *,
    shards: Annotated[
        int,
        typer.Option("--shards", metavar="N", help="Shards there should be; those there are kept."),
    ] = 100,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="N,N,…",
            help="Numbers of customers, a repeated one is drawn more often.",
        ),
    ] = None,
    wide_share: Annotated[
        float, typer.Option("--wide-share", help="Share of shards from the wide distribution.")
    ] = 0.2,
    effort: Annotated[
        int,
        typer.Option("--effort", metavar="N", help="Iterations of the engine per customer."),
    ] = 6,
    customers: Annotated[
        int, typer.Option("--customers", metavar="N", help="Customers per shard, in total.")
    ] = 5000,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", help="Seed; take another one for validation."),
    ] = 0,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            metavar="FILE",
            help="Weights of a policy that drives the first routes of each plan itself, so that "
            "the labels show what to do next.",
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", help="Instances searched side by side.")
    ] = 1,
    cluster: ClusterOption = None,
) -> None:
    """Draw instances and let the engine find near-optimal plans for them."""
    need_torch()
    from fripn.train.labelling import LabelSettings, make_labels

    drawn = LabelSettings().sizes
    if sizes is not None:
        try:
            drawn = tuple(int(part) for part in sizes.split(","))
        except ValueError:
            raise InvalidSetting(
                f"--sizes is {sizes!r}",
                field="--sizes",
                value=sizes,
                remedy="give integers with commas, such as 20,50",
            ) from None
    settings = LabelSettings(
        drawn, wide_share, effort, customers, seed, "" if policy is None else str(policy)
    )
    executor = None
    if cluster is not None:
        executor = choose_executor(cluster, num_runs=shards, jobs=None, threads=threads)
    make_labels(settings, out, shards, threads=threads, executor=executor, report=_say)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _show(line: str) -> None:
    """Write a line that the next one replaces; the escape sequence clears what was longer."""
    print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)


def _say_over(line: str) -> None:
    """Write a line that stays, in place of the one that does not."""
    print(f"\r\x1b[2K{line}", file=sys.stderr, flush=True)


def need_torch() -> None:
    """Raise `MissingExtra` when torch is not installed."""
    if importlib.util.find_spec("torch") is None:
        raise MissingExtra(
            "training needs the package 'torch', which is not installed",
            field="package",
            value="torch",
            remedy="run: pip install 'fripn[train]'",
        )
