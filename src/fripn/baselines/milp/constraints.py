"""Families of constraints, one function each, numbered as the paper numbers its equations.

Three groups: the paper's equations (2) to (6) as they stand; (5) and (6) aggregated over the types,
from which the strengthened model starts; and the inequalities that tighten it. Writing x_ij for the
sum of x^k_ij over the types, z^k_j for the sum of x^k_ij over i (customer j is served by type k),
and Q for the largest capacity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fripn.baselines.milp.variables import Variables
from fripn.problem import Instance
from fripn.problem.instance import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Rows:
    """Constraints of one family: lower ≤ Σ values · columns ≤ upper, all rows equally long."""

    name: str
    columns: IntArray
    values: FloatArray
    lower: FloatArray
    upper: FloatArray

    def __len__(self) -> int:
        """Return the number of constraints."""
        return len(self.lower)


# -- the paper's equations ---------------------------------------------------------------------


def visit_once(variables: Variables) -> Rows:
    """Equation (2): some vehicle enters each customer, exactly once."""
    size = variables.num_stops
    columns = variables.arc[:, :, 1:].transpose(2, 0, 1).reshape(size - 1, -1)
    ones = np.ones(size - 1)
    return Rows("visit_once", columns, np.ones(columns.shape), ones, ones)


def balance_depot(variables: Variables) -> Rows:
    """Equation (3): as many vehicles of a type return to the depot as leave it.

    It follows from (4); the paper states it.
    """
    returning, leaving = variables.arc[:, 1:, 0], variables.arc[:, 0, 1:]
    values = np.hstack([np.ones(returning.shape), -np.ones(leaving.shape)])
    zeros = np.zeros(len(variables.arc))
    return Rows("balance_depot", np.hstack([returning, leaving]), values, zeros, zeros)


def conserve_flow(variables: Variables) -> Rows:
    """Equation (4): a type leaves a customer as often as it enters it."""
    size = variables.num_stops
    entering = variables.arc.transpose(0, 2, 1)[:, 1:, :].reshape(-1, size)
    leaving = variables.arc[:, 1:, :].reshape(-1, size)
    columns = np.hstack([entering, leaving])
    values = np.hstack([np.ones(entering.shape), -np.ones(leaving.shape)])
    # The diagonal column occurs on both sides; it is fixed at 0, so drop it from the sum.
    values[columns == np.roll(columns, size, axis=1)] = 0.0
    zeros = np.zeros(len(columns))
    return Rows("conserve_flow", columns, values, zeros, zeros)


def carry_load_by_type(variables: Variables, demands: FloatArray, capacities: FloatArray) -> Rows:
    """Equation (5): u^k_i − u^k_j + Q_k x^k_ij ≤ Q_k − q_j x^k_ij, for every type."""
    i, j = _customer_pairs(len(demands))
    columns = np.concatenate(
        [
            np.column_stack([load[i], load[j], arcs[i, j]])
            for load, arcs in zip(variables.type_load, variables.arc, strict=True)
        ]
    )
    of_arcs = np.concatenate([capacity + demands[j] for capacity in capacities])
    values = np.column_stack([np.ones(len(columns)), -np.ones(len(columns)), of_arcs])
    upper = np.repeat(capacities, len(i))
    return Rows("carry_load_by_type", columns, values, _minus_infinity(len(columns)), upper)


def bound_load_by_type(
    variables: Variables, demands: FloatArray, capacities: FloatArray
) -> list[Rows]:
    """Equation (6): q_i Σ_j x^k_ji ≤ u^k_i ≤ Q_k Σ_j x^k_ji, for every type; two rows each."""
    size = variables.num_stops
    entering = variables.arc.transpose(0, 2, 1)[:, 1:, :].reshape(-1, size)
    columns = np.column_stack([variables.type_load[:, 1:].ravel(), entering])
    count = len(columns)

    def coefficients(of_arcs: FloatArray) -> FloatArray:
        return np.column_stack([np.ones(count), -np.repeat(of_arcs[:, None], size, axis=1)])

    at_least = coefficients(np.tile(demands[1:], len(capacities)))
    at_most = coefficients(np.repeat(capacities, size - 1))
    zeros = np.zeros(count)
    return [
        Rows("load_by_type_at_least", columns, at_least, zeros, _infinity(count)),
        Rows("load_by_type_at_most", columns, at_most, _minus_infinity(count), zeros),
    ]


# -- (5) and (6) with one load per customer ----------------------------------------------------


def carry_load(variables: Variables, demands: FloatArray, capacity: float) -> Rows:
    """Equation (5) aggregated over the types: y_j ≥ y_i + q_j − Q (1 − x_ij)."""
    i, j = _customer_pairs(len(demands))
    arcs = variables.arc[:, i, j].T
    columns = np.column_stack([variables.load[i], variables.load[j], arcs])
    values = np.column_stack(
        [np.ones(len(i)), -np.ones(len(i)), np.full(arcs.shape, capacity, dtype=np.float64)]
    )
    return Rows("carry_load", columns, values, _minus_infinity(len(i)), capacity - demands[j])


def respect_capacity(variables: Variables, capacities: FloatArray) -> Rows:
    """Equation (6) aggregated: y_j is at most the capacity of the type that serves j."""
    arcs = variables.arc[:, :, 1:].transpose(2, 0, 1)
    size = variables.num_stops
    columns = np.column_stack([variables.load[1:], arcs.reshape(size - 1, -1)])
    values = np.column_stack(
        [np.ones(size - 1), np.tile(-np.repeat(capacities, size), (size - 1, 1))]
    )
    return Rows("respect_capacity", columns, values, _minus_infinity(size - 1), np.zeros(size - 1))


def limit_fleet(instance: Instance, variables: Variables) -> Rows:
    """No more vehicles of a type than are available; the paper's fleets are unlimited."""
    limited = [k for k, one in enumerate(instance.vehicle_types) if one.available is not None]
    columns = variables.arc[limited, 0, 1:]
    available = np.array([instance.vehicle_types[k].available for k in limited], dtype=np.float64)
    return Rows(
        "limit_fleet", columns, np.ones(columns.shape), _minus_infinity(len(limited)), available
    )


# -- optional inequalities ---------------------------------------------------------------------


def count_hired(variables: Variables) -> Rows:
    """N_k = Σ_j x^k_0j: integers to branch on, which determine most of the cost."""
    leaving = variables.arc[:, 0, 1:]
    columns = np.column_stack([variables.hired, leaving])
    values = np.column_stack([np.ones(len(columns)), -np.ones(leaving.shape)])
    zeros = np.zeros(len(columns))
    return Rows("count_hired", columns, values, zeros, zeros)


def cover_demand(variables: Variables, demands: FloatArray, capacities: FloatArray) -> Rows:
    """Σ_k Q_k N_k ≥ Σ_j q_j, and at least as many vehicles as the largest type would need."""
    total = math.fsum(demands)
    columns = np.tile(variables.hired, (2, 1))
    values = np.vstack([capacities, np.ones(len(capacities))])
    at_least = math.ceil(total / float(capacities.max()) - 1e-6)
    return Rows("cover_demand", columns, values, np.array([total, at_least]), _infinity(2))


def count_served(variables: Variables) -> Rows:
    """z^k_j = Σ_i x^k_ij: which type serves which customer."""
    size = variables.num_stops
    entering = variables.arc.transpose(0, 2, 1)[:, 1:, :].reshape(-1, size)
    columns = np.column_stack([variables.served.ravel(), entering])
    values = np.column_stack([np.ones(len(columns)), -np.ones(entering.shape)])
    zeros = np.zeros(len(columns))
    return Rows("count_served", columns, values, zeros, zeros)


def cover_by_type(variables: Variables, demands: FloatArray, capacities: FloatArray) -> list[Rows]:
    """Σ_j q_j z^k_j ≤ Q_k N_k, and z^k_j ≤ N_k: customers are served by hired vehicles only."""
    num_types, inner = variables.served.shape
    weights = np.tile(demands[1:], (num_types, 1))
    in_all = Rows(
        "cover_by_type",
        np.column_stack([variables.hired, variables.served]),
        np.column_stack([-capacities, weights]),
        _minus_infinity(num_types),
        np.zeros(num_types),
    )
    count = num_types * inner
    each = Rows(
        "serve_with_hired",
        np.column_stack([variables.served.ravel(), np.repeat(variables.hired, inner)]),
        np.tile([1.0, -1.0], (count, 1)),
        _minus_infinity(count),
        np.zeros(count),
    )
    return [in_all, each]


def carry_load_lifted(variables: Variables, demands: FloatArray, capacity: float) -> Rows:
    """Equation (5) aggregated and lifted by the opposite arc, after Desrochers and Laporte (1991).

    y_i − y_j + Q x_ij + (Q − q_i − q_j) x_ji ≤ Q − q_j, where the two fit one vehicle.

    References
    ----------
    Desrochers, M., and Laporte, G. (1991). Improvements and extensions to the
    Miller–Tucker–Zemlin subtour elimination constraints. Operations Research Letters 10: 27–36.
    https://doi.org/10.1016/0167-6377(91)90083-2
    """
    plain = carry_load(variables, demands, capacity)
    i, j = _customer_pairs(len(demands))
    back = variables.arc[:, j, i].T
    lift = np.maximum(capacity - demands[i] - demands[j], 0.0)
    return Rows(
        "carry_load_lifted",
        np.hstack([plain.columns, back]),
        np.hstack([plain.values, np.repeat(lift[:, None], back.shape[1], axis=1)]),
        plain.lower,
        plain.upper,
    )


def bound_load(variables: Variables, demands: FloatArray, capacities: FloatArray) -> list[Rows]:
    """y_j ≥ q_j + Σ_i q_i x_ij and y_j ≤ Σ_k Q_k z^k_j − Σ_i q_i x_ji over customers i."""
    num_types, size = len(capacities), len(demands)
    inner = size - 1
    entering = variables.arc[:, 1:, 1:].transpose(2, 0, 1).reshape(inner, -1)
    weights = np.tile(demands[1:], (inner, num_types))
    at_least = Rows(
        "load_at_least",
        np.column_stack([variables.load[1:], entering]),
        np.column_stack([np.ones(inner), -weights]),
        demands[1:].copy(),
        _infinity(inner),
    )
    plain = respect_capacity(variables, capacities)
    leaving = variables.arc[:, 1:, 1:].transpose(1, 0, 2).reshape(inner, -1)
    # Entering and leaving columns of a row differ, except on the diagonal, which is fixed at 0.
    weights = weights * (leaving != entering)
    at_most = Rows(
        "load_at_most",
        np.hstack([plain.columns, leaving]),
        np.hstack([plain.values, weights]),
        plain.lower,
        plain.upper,
    )
    return [at_least, at_most]


def forbid_two_cycles(variables: Variables) -> Rows:
    """x^k_ij + x^k_ji ≤ z^k_i for customers i and j: no shuttling between two of them."""
    i, j = _customer_pairs(variables.num_stops)
    columns = np.concatenate(
        [
            np.column_stack([arcs[i, j], arcs[j, i], served[i - 1]])
            for arcs, served in zip(variables.arc, variables.served, strict=True)
        ]
    )
    values = np.tile([1.0, 1.0, -1.0], (len(columns), 1))
    return Rows(
        "forbid_two_cycles", columns, values, _minus_infinity(len(columns)), np.zeros(len(columns))
    )


def deliver_flow(variables: Variables, demands: FloatArray, capacities: FloatArray) -> list[Rows]:
    """Treat loads as a flow, after Gavish and Graves (1978), of which q_j stays at customer j.

    Σ_i g_ij − Σ_i g_ji = q_j, and q_j x_ij ≤ g_ij ≤ Σ_k (Q_k − q_i) x^k_ij.
    """
    size = len(demands)
    entering, leaving = variables.flow.T[1:], variables.flow[1:]
    signs = np.hstack([np.ones(entering.shape), -np.ones(leaving.shape)])
    signs[np.hstack([entering, leaving]) == np.hstack([leaving, entering])] = 0.0
    stays = demands[1:].copy()
    keep = Rows("deliver_flow", np.hstack([entering, leaving]), signs, stays, stays)
    i, j = np.nonzero(~np.eye(size, dtype=np.bool_))
    arcs = variables.arc[:, i, j].T
    columns = np.column_stack([variables.flow[i, j], arcs])
    room = np.where((j == 0)[:, None], 0.0, np.maximum(capacities[None, :] - demands[i, None], 0.0))
    at_most = Rows(
        "flow_at_most",
        columns,
        np.column_stack([np.ones(len(i)), -room]),
        _minus_infinity(len(i)),
        np.zeros(len(i)),
    )
    needed = np.repeat(demands[j, None], arcs.shape[1], axis=1)
    at_least = Rows(
        "flow_at_least",
        columns,
        np.column_stack([np.ones(len(i)), -needed]),
        np.zeros(len(i)),
        _infinity(len(i)),
    )
    return [keep, at_most, at_least]


def _customer_pairs(size: int) -> tuple[IntArray, IntArray]:
    """All ordered pairs of different customers."""
    i, j = np.nonzero(~np.eye(size - 1, dtype=np.bool_))
    return i.astype(np.int64) + 1, j.astype(np.int64) + 1


def _infinity(count: int) -> FloatArray:
    return np.full(count, np.inf)


def _minus_infinity(count: int) -> FloatArray:
    return np.full(count, -np.inf)
