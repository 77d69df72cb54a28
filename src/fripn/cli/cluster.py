"""``--cluster``: the same command on many machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from fripn.errors import InvalidSetting

if TYPE_CHECKING:
    from fripn.executors import Executor
    from fripn.problem import Instance
    from fripn.run import Method

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


@contextmanager
def parts_on(
    cluster: str | None, method: Method, instance: Instance, threads: int | None
) -> Iterator[Method]:
    """Connect to a cluster; yield the method that divides one huge instance among its nodes.

    Parameters
    ----------
    cluster
        As `fripn.executors.RayCluster` takes it; None to yield the method as it is.
    method
        The method that was chosen: ``parts`` for a cluster.
    instance
        What is to be solved.
    threads
        Processors of a local cluster, if named.

    Raises
    ------
    InvalidSetting
        When another method is named, the instance is too small to be divided, or the cluster has
        its own number of processors, or is not there.
    """
    if cluster is None:
        yield method
        return
    from fripn.executors import RayCluster
    from fripn.parts import Parts, PartsOn

    if not isinstance(method, Parts):
        raise InvalidSetting(
            f"--cluster needs method {Parts.name!r}, not {{value}}",
            field="--method",
            value=method.name,
            remedy="leave one out",
        )
    if not method.divides(instance):
        raise InvalidSetting(
            f"--cluster divides instances of {method.least_customers} customers and more, but "
            f"{instance.name} has {{value}}",
            field="--cluster",
            value=instance.num_customers,
            remedy="leave it out: the cores of this machine are enough",
        )
    if threads is not None and cluster != "local":
        raise InvalidSetting(
            f"--threads is {threads}, but the cluster {{value}} has its own number of processors",
            field="--threads",
            value=cluster,
            remedy="leave --threads out",
        )
    # A part takes seconds: several of them in one chunk would leave workers without any.
    executor = RayCluster(cluster, jobs=threads, max_chunk=1)
    with executor.connected():
        yield PartsOn(executor, method)
