"""Random instances, seeded: one sampler, the distributions given as data.

`PAPER` is the distribution of the paper. `WIDE` is wide enough to cover real instances: few or many
types, expensive or cheap vehicles, scattered or clustered customers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from fripn.problem.instance import FloatArray, Instance, VehicleType, type_name
from fripn.settings import NonNegative, Positive, Share, Size, check_fields, checked, require

Places = Literal["uniform", "clustered", "mixed"]
DepotPlace = Literal["centre", "corner", "anywhere"]
DemandDistribution = Literal["uniform", "equal", "small", "few_large"]
UnitCosts = Literal["equal", "different", "by_capacity"]

_Option = TypeVar("_Option")

#: Demands are integer multiples of 0.01, up to this many.
_MAX_HUNDREDTHS = 50


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution of random instances.

    Pairs are the ends of a range; the entries of other tuples are equally likely.

    Parameters
    ----------
    num_types
        Fewest and most vehicle types.
    places
        How the customers lie in the unit square.
    depots
        Where the depot lies.
    demands
        ``uniform`` on {0.01, …, 0.50}; ``equal``: all the same; ``small``: uniform up to 0.10;
        ``few_large``: one customer in five up to 0.50, the others up to 0.10.
    capacity
        Range of the capacities when `capacity_span` is None, else of the largest (log-uniform).
    capacity_span
        Range of the ratio of the largest capacity to the smallest (log-uniform). None: the
        capacities are independent and uniform.
    price_level
        Range of the fixed cost of a unit of capacity (uniform); a type's own price lies within 1
        of the level and is at least 1. Used when `fixed_share` is None.
    fixed_share
        Range of the ratio of all fixed costs to all travel costs (log-uniform), as estimated for
        a good plan. None: `price_level` decides.
    price_spread
        With `fixed_share`, a type's price lies within a fraction of the level; the range of that
        fraction (uniform).
    price_power
        With `fixed_share`, fixed costs grow with this power of the capacity (uniform range).
    unit_cost
        Range of the cost per unit of distance.
    unit_costs
        ``equal`` for all types, ``different``: independent, ``by_capacity``: growing with it.
    """

    num_types: tuple[Size, Size]
    places: tuple[Places, ...] = ("uniform",)
    depots: tuple[DepotPlace, ...] = ("anywhere",)
    demands: tuple[DemandDistribution, ...] = ("uniform",)
    capacity: tuple[Positive, Positive] = (0.5, 3.0)
    capacity_span: tuple[Positive, Positive] | None = None
    price_level: tuple[NonNegative, NonNegative] = (1.0, 20.0)
    fixed_share: tuple[Positive, Positive] | None = None
    price_spread: tuple[Share, Share] = (0.0, 0.3)
    price_power: tuple[float, float] = (0.7, 1.5)
    unit_cost: tuple[NonNegative, NonNegative] = (1.0, 3.0)
    unit_costs: tuple[UnitCosts, ...] = ("different",)

    def __post_init__(self) -> None:
        """Check every field."""
        check_fields(self)
        for name in ("places", "depots", "demands", "unit_costs"):
            require(bool(getattr(self, name)), name, getattr(self, name), "give at least one")
        for name in (
            "num_types",
            "capacity",
            "capacity_span",
            "price_level",
            "fixed_share",
            "price_spread",
            "price_power",
            "unit_cost",
        ):
            ends = getattr(self, name)
            is_range = ends is None or ends[0] <= ends[1]
            require(is_range, name, ends, "give the lower end of the range first")


PAPER = Distribution(num_types=(3, 6))

WIDE = Distribution(
    num_types=(1, 10),
    places=("uniform", "clustered", "mixed"),
    depots=("centre", "corner", "anywhere"),
    demands=("uniform", "equal", "small", "few_large"),
    capacity=(0.5, 5.0),
    capacity_span=(1.5, 20.0),
    fixed_share=(0.1, 10.0),
    unit_costs=("equal", "different", "by_capacity"),
)


def paper_instance(
    num_customers: int, seed: int | np.random.Generator, num_types: int | None = None
) -> Instance:
    """Draw one instance from the paper's distribution.

    Coordinates are uniform in the unit square, demands uniform on {0.01, …, 0.50}, capacities
    U[0.5, 3]; a price level U[1, 20] per instance and a factor within 1 of it (at least 1) per
    type give the fixed cost, factor × capacity; unit costs are U[1, 3].

    Parameters
    ----------
    num_customers
        Number of customers, at least 1.
    seed
        A seed or a generator.
    num_types
        Number of vehicle types; drawn from {3, …, 6} when None.
    """
    return random_instance(PAPER, num_customers, seed, num_types)


def wide_instance(
    num_customers: int, seed: int | np.random.Generator, num_types: int | None = None
) -> Instance:
    """Draw one instance from a distribution wide enough to cover real instances.

    1 to 10 types; fixed to travel cost from 0.1 to 10; capacities that span 1.5 to 20 times;
    uniform, clustered and mixed customers; several demand distributions; depot in the centre,
    in a corner or anywhere; unit costs equal, different, or growing with the capacity.

    Parameters
    ----------
    num_customers
        Number of customers, at least 1.
    seed
        A seed or a generator.
    num_types
        Number of vehicle types; drawn from {1, …, 10} when None.
    """
    return random_instance(WIDE, num_customers, seed, num_types)


def similar_instances(
    num_customers: int,
    count: int,
    rng: np.random.Generator,
    *,
    wide_share: float,
    num_types: tuple[int, int] = PAPER.num_types,
) -> list[Instance]:
    """Draw instances of one size from one distribution, as a training batch needs them.

    Parameters
    ----------
    num_customers
        Customers of each.
    count
        How many.
    rng
        Random number generator.
    wide_share
        Probability that all follow the wide distribution; otherwise they follow the paper's.
    num_types
        Fewest and most vehicle types under the paper's distribution; all get the same number.
    """
    is_wide = bool(rng.random() < wide_share)
    fewest, most = WIDE.num_types if is_wide else num_types
    drawn = int(rng.integers(fewest, most + 1))
    draw = wide_instance if is_wide else paper_instance
    return [draw(num_customers, rng, drawn) for _ in range(count)]


def random_instance(
    distribution: Distribution,
    num_customers: int,
    seed: int | np.random.Generator,
    num_types: int | None = None,
) -> Instance:
    """Draw one instance.

    Parameters
    ----------
    distribution
        The distribution to draw from.
    num_customers
        Number of customers, at least 1.
    seed
        A seed or a generator; the same seed gives the same instance.
    num_types
        Number of vehicle types; drawn from the distribution when None.

    Raises
    ------
    InvalidSetting
        When a number is out of range.
    """
    checked("num_customers", num_customers, Size)
    checked("num_types", num_types, Size | None)
    rng = np.random.default_rng(seed)
    coordinates = _coordinates(distribution, num_customers, rng)
    demands = _demands(distribution, num_customers, rng)
    if num_types is None:
        num_types = int(rng.integers(distribution.num_types[0], distribution.num_types[1] + 1))
    capacities = _capacities(distribution, num_types, rng)
    if distribution.fixed_share is None:
        level = rng.uniform(*distribution.price_level)
        prices = np.maximum(rng.uniform(level - 1.0, level + 1.0, num_types), 1.0)
        unit_costs = _unit_costs(distribution, capacities, rng)
    else:
        share = _log_uniform(distribution.fixed_share, rng)
        spread = rng.uniform(*distribution.price_spread)
        prices = rng.uniform(1.0 - spread, 1.0 + spread, num_types)
        prices *= (capacities / capacities.max()) ** (rng.uniform(*distribution.price_power) - 1.0)
        unit_costs = _unit_costs(distribution, capacities, rng)
        travel = _estimated_travel_cost(coordinates, demands, capacities, unit_costs)
        prices *= share * travel / float(demands.sum())
    fixed_costs = prices * capacities
    return Instance(
        name=f"random-{num_customers}",
        coordinates=coordinates,
        demands=demands,
        vehicle_types=tuple(
            VehicleType(type_name(index), *row)
            for index, row in enumerate(
                zip(capacities.tolist(), fixed_costs.tolist(), unit_costs.tolist(), strict=True)
            )
        ),
    )


def _choose(options: tuple[_Option, ...], rng: np.random.Generator) -> _Option:
    return options[int(rng.integers(len(options)))] if len(options) > 1 else options[0]


def _log_uniform(ends: tuple[float, float], rng: np.random.Generator) -> float:
    return math.exp(rng.uniform(math.log(ends[0]), math.log(ends[1])))


def _coordinates(
    distribution: Distribution, num_customers: int, rng: np.random.Generator
) -> FloatArray:
    coordinates = rng.random((num_customers + 1, 2))
    depot, places = _choose(distribution.depots, rng), _choose(distribution.places, rng)
    if depot != "anywhere":
        coordinates[0] = 0.5 if depot == "centre" else 0.0
    if places != "uniform":
        # a few centres; customers around them, reflected at the borders of the square
        centres = rng.random((int(rng.integers(1, 9)), 2))
        spread = rng.uniform(0.02, 0.12)
        nearby = centres[rng.integers(len(centres), size=num_customers)]
        nearby += spread * rng.standard_normal((num_customers, 2))
        nearby = np.clip(1.0 - np.abs(1.0 - np.abs(nearby)), 0.0, 1.0)
        if places == "clustered":
            coordinates[1:] = nearby
        else:
            chosen = rng.random(num_customers) < 0.5
            coordinates[1:][chosen] = nearby[chosen]
    return coordinates


def _demands(
    distribution: Distribution, num_customers: int, rng: np.random.Generator
) -> FloatArray:
    shape = _choose(distribution.demands, rng)
    hundredths = rng.integers(1, _MAX_HUNDREDTHS + 1, num_customers)
    if shape == "equal":
        hundredths[:] = hundredths[0]
    elif shape == "small":
        hundredths = (hundredths + 4) // 5
    elif shape == "few_large":
        is_small = rng.random(num_customers) < 0.8
        hundredths[is_small] = (hundredths[is_small] + 4) // 5
    demands = np.zeros(num_customers + 1)
    demands[1:] = hundredths / 100.0
    return demands


def _capacities(distribution: Distribution, num_types: int, rng: np.random.Generator) -> FloatArray:
    if distribution.capacity_span is None:
        return rng.uniform(*distribution.capacity, num_types)
    largest = _log_uniform(distribution.capacity, rng)
    span = _log_uniform(distribution.capacity_span, rng)
    # the smallest and the largest make the span; the others lie between, in proportion
    fractions = rng.random(num_types)
    fractions[:2] = (0.0, 1.0)[:num_types]
    return largest * span**-fractions


def _unit_costs(
    distribution: Distribution, capacities: FloatArray, rng: np.random.Generator
) -> FloatArray:
    rule = _choose(distribution.unit_costs, rng)
    if rule == "equal":
        return np.full(len(capacities), rng.uniform(*distribution.unit_cost))
    costs = rng.uniform(*distribution.unit_cost, len(capacities))
    if rule == "by_capacity":
        costs.sort()
        costs[np.argsort(capacities)] = costs.copy()
    return costs


def _estimated_travel_cost(
    coordinates: FloatArray, demands: FloatArray, capacities: FloatArray, unit_costs: FloatArray
) -> float:
    """Estimate the travel cost of a good plan: each vehicle out and back, and the tours.

    References
    ----------
    C. F. Daganzo, The distance traveled to visit N points with a maximum of C stops per vehicle,
    Transportation Science 18 (1984), doi:10.1287/trsc.18.4.331.
    """
    offsets = coordinates[1:] - coordinates[0]
    # sums, because numpy's mean takes several times as long on arrays this small
    radius = float(np.hypot(offsets[:, 0], offsets[:, 1]).sum()) / len(offsets)
    num_vehicles = max(1.0, float(demands.sum()) * len(capacities) / float(capacities.sum()))
    tours = 0.57 * math.sqrt(len(offsets))
    return float(unit_costs.sum()) / len(unit_costs) * (2.0 * radius * num_vehicles + tours)
