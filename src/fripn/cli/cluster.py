"""``--cluster``: the same command on many machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fripn.executors import Executor

ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local|auto|ADDRESS",
        help="Run on a Ray cluster (extra 'cluster'): one of this machine alone, the one that it "
        "belongs to, or the one with this HOST:PORT.",
    ),
]


def choose_executor(
    cluster: str | None,
    *,
    num_runs: int,
    jobs: int | None,
    default_jobs: int = 1,
    threads: int = 1,
) -> Executor:
    """Return what executes runs.

    Parameters
    ----------
    cluster
        As `fripn.executors.RayCluster` takes it; None for processes of this machine.
    num_runs
        How many there are.
    jobs
        Runs at the same time, if named; only where they are on this machine.
    default_jobs
        Processes where no number is named.
    threads
        Threads of a run.

    Raises
    ------
    InvalidSetting
        When the cluster has its own number of processors, but jobs are named.
    """
    from fripn.executors import RayCluster, local_executor

    if cluster is None:
        return local_executor(max(1, min(jobs or default_jobs, num_runs)))
    return RayCluster(cluster, threads, jobs)
