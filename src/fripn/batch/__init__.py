"""Many instances at once: one resumable runner, its files of lines, and what executes the runs."""

from fripn.batch.lines import Line, LineFormat
from fripn.batch.runner import Entry, Outcome, Record, WorkItem, run_batch
from fripn.batch.solving import plan_of_line, result_of_line, solve_many
from fripn.executors import Executor, InProcess, Processes, RayCluster, Workers, local_executor

__all__ = [
    "Entry",
    "Executor",
    "InProcess",
    "Line",
    "LineFormat",
    "Outcome",
    "Processes",
    "RayCluster",
    "Record",
    "WorkItem",
    "Workers",
    "local_executor",
    "plan_of_line",
    "result_of_line",
    "run_batch",
    "solve_many",
]
