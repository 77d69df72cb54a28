"""Lower bounds and proven optima: the exact method."""

from fripn.exact.method import Exact

__all__ = ["Exact"]
