"""One huge instance: improved in rounds, part by part, in threads or on a cluster."""

from fripn.parts.method import LEAST_CUSTOMERS, Parts, PartsOn

__all__ = ["LEAST_CUSTOMERS", "Parts", "PartsOn"]
