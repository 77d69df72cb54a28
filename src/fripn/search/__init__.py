"""Python face of the native search engine."""

from fripn.search.core_instance import core_instance
from fripn.search.split import split

__all__ = ["core_instance", "split"]
