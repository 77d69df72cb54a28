"""Some of the customers of an instance as an instance of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fripn.problem.instance import Instance


def with_customers(instance: Instance, customers: Sequence[int]) -> Instance:
    """Return the problem of some customers alone, with all depots and vehicle types.

    Names, ids and columns of the stops are left out: they have no influence on plans.

    Parameters
    ----------
    instance
        The whole problem.
    customers
        The customers to keep; customer i of the new problem is the i-th of them, from 1.

    Raises
    ------
    InvalidInstance
        When there are none.
    """
    stops = np.array([0, *customers])
    depots = np.arange(instance.num_customers + 1, instance.num_nodes)
    nodes = np.concatenate([stops, depots])
    across = np.ix_(nodes, nodes)
    return instance.replace(
        coordinates=None if instance.coordinates is None else instance.coordinates[nodes],
        demands=instance.demands[stops],
        matrix=None if instance.matrix is None else instance.matrix[across],
        durations=None if instance.durations is None else instance.durations[across],
        service_times=None if instance.service_times is None else instance.service_times[nodes],
        time_windows=_chosen(instance.time_windows, nodes),
        allowed_types=_chosen(instance.allowed_types, stops),
        requires=_chosen(instance.requires, stops),
        stop_names=None,
        stop_ids=None,
        extra_columns=None,
    )


def _chosen(values: Sequence[object] | None, places: np.ndarray) -> tuple[object, ...] | None:
    return None if values is None else tuple(values[place] for place in places)
