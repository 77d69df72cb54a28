"""The model as a value: variables, constraints and objective, for any solver to read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fripn.baselines.integers import integer_loads
from fripn.baselines.milp import constraints as family
from fripn.baselines.milp.constraints import Rows
from fripn.baselines.milp.day import DayPart, add_day, day_loads
from fripn.baselines.milp.objective import total_cost
from fripn.baselines.milp.variables import Variables, make_variables
from fripn.errors import Unsupported
from fripn.features import WORKING_DAY, features_of
from fripn.problem import Instance, Solution
from fripn.problem.instance import (
    LOAD_TOLERANCE,
    SEARCH_LOAD_TOLERANCE,
    FloatArray,
    IntArray,
)
from fripn.settings import check_fields

#: More arc variables than this would take gigabytes in any solver, without any use.
MAX_ARC_VARIABLES = 400_000


@dataclass(frozen=True, slots=True)
class Strengthening:
    """Valid inequalities and reductions of the strengthened model; none changes the optimum.

    Parameters
    ----------
    lifted_loads
        Lift the load constraints by opposite arcs, and bound loads by neighbours.
    fleet
        Variables for the vehicles hired and for which type serves whom, with covering constraints
        in all, by type and by customer, and no cycles of two customers.
    flow
        Variables for the load on every arc, which tie it to the vehicle more tightly than (5).
    fixed_arcs
        Fix arcs between customers that do not fit a type together, and types that another one
        beats in capacity, fixed and unit cost.
    """

    lifted_loads: bool = True
    fleet: bool = True
    flow: bool = True
    fixed_arcs: bool = True

    def __post_init__(self) -> None:
        """Check every setting."""
        check_fields(self)

    @classmethod
    def none(cls) -> Strengthening:
        """Return the base: the paper's equations with one load per customer, (3) left out."""
        return cls(lifted_loads=False, fleet=False, flow=False, fixed_arcs=False)


@dataclass(frozen=True, slots=True)
class SparseRows:
    """All constraints as one matrix by rows: row r has entries starts[r] to starts[r + 1]."""

    starts: IntArray
    columns: IntArray
    values: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True, slots=True)
class Model:
    """A mixed-integer linear model of one instance: minimise ``costs`` subject to ``rows``.

    ``demands`` are in the unit of the load variables; ``stand_in`` names for each type the one
    that replaces it, itself unless another type beats it; ``day`` has the columns of a working day,
    None where the instance has none.
    """

    instance: Instance
    variables: Variables
    costs: FloatArray
    rows: tuple[Rows, ...]
    demands: FloatArray
    stand_in: list[int]
    day: DayPart | None = None

    @property
    def num_rows(self) -> int:
        """Number of constraints."""
        return sum(map(len, self.rows))

    @property
    def num_entries(self) -> int:
        """Number of entries of the constraint matrix, an upper bound."""
        return sum(rows.columns.size for rows in self.rows)

    def sparse_rows(self) -> SparseRows:
        """Return all constraints as one sparse matrix, without the columns that are fixed at 0."""
        used = [
            (rows.values != 0.0) & (self.variables.upper[rows.columns] > 0.0) for rows in self.rows
        ]
        counts = np.concatenate([mask.sum(axis=1) for mask in used])
        pairs = list(zip(self.rows, used, strict=True))
        return SparseRows(
            starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            columns=np.concatenate([rows.columns[mask] for rows, mask in pairs]),
            values=np.concatenate([rows.values[mask] for rows, mask in pairs]),
            lower=np.concatenate([rows.lower for rows in self.rows]),
            upper=np.concatenate([rows.upper for rows in self.rows]),
        )

    def values_of(self, solution: Solution) -> FloatArray:
        """Write a valid plan as values of the variables."""
        values = np.zeros(self.variables.count)
        for route in solution.routes:
            if not route.customers:
                continue
            k = self.stand_in[route.vehicle_type]
            stops = np.array([0, *route.customers, 0])
            customers = stops[1:-1]
            values[self.variables.arc[k, stops[:-1], stops[1:]]] = 1.0
            loads = (
                self.variables.type_load[k]
                if self.variables.type_load.size
                else self.variables.load
            )
            values[loads[customers]] = np.cumsum(self.demands[customers])
            if len(self.variables.hired):
                values[self.variables.hired[k]] += 1.0
                values[self.variables.served[k, customers - 1]] = 1.0
            if self.variables.flow.size:
                aboard = np.cumsum(self.demands[stops][::-1])[::-1]
                values[self.variables.flow[stops[:-1], stops[1:]]] = aboard[1:]
            if self.day is not None:
                self.day.values_of_route(self.instance, route, values, day_loads(self.instance)[0])
        return values

    def solution_of(self, values: FloatArray) -> Solution:
        """Read the plan off integral values of the arc variables."""
        routes: list[tuple[int, list[int]]] = []
        for k, arcs in enumerate(self.variables.arc):
            used = np.asarray(values)[arcs] > 0.5
            for first in np.flatnonzero(used[0]):
                customers: list[int] = []
                here = int(first)
                # A chain longer than n would be a cycle: `evaluate` rejects what is cut off here.
                while here != 0 and len(customers) < len(arcs):
                    customers.append(here)
                    here = int(np.argmax(used[here]))
                routes.append((k, customers))
        return Solution.of(routes)


def check_size(instance: Instance) -> None:
    """Refuse an instance whose model would not fit in memory.

    Raises
    ------
    Unsupported
        With the number of variables it would have.
    """
    size = instance.num_types * (instance.num_customers + 1) ** 2
    if size > MAX_ARC_VARIABLES:
        raise Unsupported(
            f"the exact model of {instance.name} would have {size:,} arc variables, "
            f"but more than {MAX_ARC_VARIABLES:,} are out of reach",
            field="arc variables",
            value=size,
            remedy="choose a heuristic method",
        )


def build_paper_model(instance: Instance) -> Model:
    """Build the paper's model, its equations (1) to (9) as they stand.

    One load u^k_i per customer and type, (5) per type with the capacity of the type, and the
    vehicles of each type balanced at the depot. Where a fleet is limited, `limit_fleet` joins them:
    the paper's fleets are unlimited. Arcs from a stop to itself, which the paper does not have, are
    columns fixed at 0 and in no constraint. Loads are in the decimal unit of the demands.

    Parameters
    ----------
    instance
        The problem.

    Raises
    ------
    Unsupported
        When the instance is so large that the model would not fit in memory.
    """
    check_size(instance)
    demands, capacities = _plain_loads(instance)
    variables = make_variables(instance, demands, capacities, loads_by_type=True)
    rows = [
        family.visit_once(variables),
        family.balance_depot(variables),
        family.conserve_flow(variables),
        family.carry_load_by_type(variables, demands, capacities),
        *family.bound_load_by_type(variables, demands, capacities),
    ]
    if instance.has_limited_fleet:
        rows.append(family.limit_fleet(instance, variables))
    return Model(
        instance,
        variables,
        total_cost(instance, variables),
        tuple(rows),
        demands,
        list(range(instance.num_types)),
    )


def build_model(instance: Instance, strengthening: Strengthening | None = None) -> Model:
    """Build the strengthened model, which has one load per customer as in Golden et al. (1984).

    A working day adds variables and constraints; see `fripn.baselines.milp.day`.

    Parameters
    ----------
    instance
        The problem.
    strengthening
        What to add; all of it when None.

    Raises
    ------
    Unsupported
        When the instance is so large that the model would not fit in memory.

    References
    ----------
    Golden, B., Assad, A., Levy, L., and Gheysens, F. (1984). The fleet size and mix vehicle
    routing problem. Computers & Operations Research 11: 49–66.
    https://doi.org/10.1016/0305-0548(84)90007-8
    """
    check_size(instance)
    strengthening = strengthening or Strengthening()
    is_day = bool(features_of(instance) & WORKING_DAY)
    demands, capacities = _first_loads(instance) if is_day else _loads(instance)
    variables = make_variables(
        instance,
        demands,
        capacities,
        with_fleet=strengthening.fleet,
        with_flow=strengthening.flow,
    )
    stand_in = list(range(instance.num_types))
    if strengthening.fixed_arcs:
        # With a working day a type may be beaten in load and cost and yet be the only one in time.
        if not is_day:
            stand_in = [_stand_in(instance, k) for k in stand_in]
        _fix_useless_arcs(variables, demands, capacities, stand_in)
    largest = float(capacities.max())
    rows = [family.visit_once(variables), family.conserve_flow(variables)]
    if strengthening.lifted_loads:
        rows.append(family.carry_load_lifted(variables, demands, largest))
        rows += family.bound_load(variables, demands, capacities)
    else:
        rows.append(family.carry_load(variables, demands, largest))
        rows.append(family.respect_capacity(variables, capacities))
    if instance.has_limited_fleet:
        rows.append(family.limit_fleet(instance, variables))
    if strengthening.fleet:
        rows += [family.count_hired(variables), family.count_served(variables)]
        rows.append(family.cover_demand(variables, demands, capacities))
        rows += family.cover_by_type(variables, demands, capacities)
        rows.append(family.forbid_two_cycles(variables))
    if strengthening.flow:
        rows += family.deliver_flow(variables, demands, capacities)
    if is_day:
        variables, day, day_rows, costs = add_day(instance, variables)
        return Model(instance, variables, costs, (*rows, *day_rows), demands, stand_in, day)
    return Model(
        instance, variables, total_cost(instance, variables), tuple(rows), demands, stand_in
    )


def _plain_loads(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Return demands and capacities as they are, in a unit in which demands are integers if any."""
    whole = integer_loads(instance)
    unit = whole.unit if whole.is_exact else float(instance.capacities.max()) / 1000.0
    demands = whole.demands.astype(np.float64) if whole.is_exact else instance.demands / unit
    return _all_positive(demands, instance.capacities / unit)


def _loads(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Return demands and capacities as integers where possible, all demands positive.

    Solvers accept a constraint broken by a millionth, which could hide an overload of decimals;
    between integers of moderate size it cannot.
    """
    whole = integer_loads(instance)
    if whole.is_exact:
        demands = whole.demands.astype(np.float64)
        capacities = whole.capacities.astype(np.float64)
    else:
        unit = float(instance.capacities.max()) / 1000.0
        demands = instance.demands / unit
        capacities = instance.capacities * (1.0 + SEARCH_LOAD_TOLERANCE) / unit
    return _all_positive(demands, capacities)


def _first_loads(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Return the first load dimension, all demands positive; `day` adds the others."""
    demands, capacities = day_loads(instance)
    return _all_positive(demands[0], capacities[0])


def _all_positive(demands: FloatArray, capacities: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return loads in which no customer has a demand of 0, and the same plans are valid.

    The load variables forbid cycles only where demands are positive, so with m demands of 0
    everything is multiplied by m + 1, a demand of 0 becomes 1, and capacities gain the m that these
    may add.
    """
    num_idle = int(np.count_nonzero(demands[1:] == 0.0))
    demands = np.where(demands == 0.0, 1.0, demands * (num_idle + 1))
    demands[0] = 0.0
    return demands, capacities * (num_idle + 1) + num_idle


def _fix_useless_arcs(
    variables: Variables, demands: FloatArray, capacities: FloatArray, stand_in: list[int]
) -> None:
    together = demands[:, None] + demands[None, :]
    for k, arcs in enumerate(variables.arc):
        variables.upper[arcs[together > capacities[k] * (1.0 + LOAD_TOLERANCE)]] = 0.0
        if stand_in[k] != k:
            variables.upper[arcs] = 0.0


def _stand_in(instance: Instance, k: int) -> int:
    """Return an unlimited type that carries as much as k for no more, the same for all it beats."""
    mine = instance.vehicle_types[k]
    better = [
        other
        for other, one in enumerate(instance.vehicle_types)
        if one.available is None
        and one.main_capacity >= mine.main_capacity
        and one.fixed_cost <= mine.fixed_cost
        and one.unit_cost <= mine.unit_cost
    ]
    # Among these the largest and cheapest is itself beaten by none but equals, which come later.
    return min(
        better,
        key=lambda other: (
            -instance.vehicle_types[other].main_capacity,
            instance.vehicle_types[other].fixed_cost,
            instance.vehicle_types[other].unit_cost,
            other,
        ),
        default=k,
    )
