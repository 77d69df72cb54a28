"""Code that a user may have in the current folder: a method, and a reader of a format."""

from __future__ import annotations

OWN_METHOD = """
from dataclasses import dataclass
from typing import ClassVar

from fripn import Feature
from fripn.incumbent import Incumbent
from fripn.search import split


@dataclass(frozen=True)
class InOrder:
    name: ClassVar[str] = "in order"
    supports: ClassVar[frozenset[Feature]] = frozenset(Feature)
    ends_by_itself: ClassVar[bool] = True

    backwards: bool = False

    def __call__(self, instance, run):
        best = Incumbent(instance, run, self.name)
        tour = range(1, instance.num_customers + 1)
        best.take(split(instance, tour[::-1] if self.backwards else tour))
        return best.result(iterations=1)


class Needs(InOrder):
    def __init__(self, depth):
        self.depth = depth


ready = InOrder(backwards=True)
nothing = 3
"""
OWN_FORMAT = """
from fripn import Instance, VehicleType


def read(path):
    rows = [tuple(map(float, line.split())) for line in path.read_text().splitlines()]
    return Instance(path.stem, [row[:2] for row in rows], [row[2] for row in rows],
                    [VehicleType("van", 10, 5, 1)])


def number(path):
    return 7
"""
POINTS = "0 0 0\n1 0 4\n0 2 5\n3 3 6\n"
