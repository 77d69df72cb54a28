"""Python face of the native search engine."""

from fripn.search.core_instance import core_instance

__all__ = ["core_instance"]
