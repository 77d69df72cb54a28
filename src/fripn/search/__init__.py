"""Python interface of the native search engine."""

from fripn.search.exact import PROOF, solve_exactly
from fripn.search.hgs import Hgs, search, search_from, search_many
from fripn.search.local_search import local_search
from fripn.search.split import split

__all__ = [
    "PROOF",
    "Hgs",
    "local_search",
    "search",
    "search_from",
    "search_many",
    "solve_exactly",
    "split",
]
