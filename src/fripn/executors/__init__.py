"""Where work is executed: in this process, in several, or on a cluster.

An executor knows nothing of vehicles: it takes items and a function, and returns outcomes.
"""

from fripn.executors.executor import Executor, Workers
from fripn.executors.in_threads import InThreads
from fripn.executors.processes import InProcess, Processes, local_executor
from fripn.executors.ray_cluster import RayCluster

__all__ = [
    "Executor",
    "InProcess",
    "InThreads",
    "Processes",
    "RayCluster",
    "Workers",
    "local_executor",
]
