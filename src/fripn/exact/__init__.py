"""Lower bounds and proven optima: the exact method."""

from fripn.exact.method import Exact
from fripn.exact.partition import cheapest_partition

__all__ = ["Exact", "cheapest_partition"]
