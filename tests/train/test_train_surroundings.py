"""Unserved customers around a customer, as inputs of the network."""

import numpy as np
import pytest
import torch

from fripn import Instance, VehicleType
from fripn.problem.generate import paper_instance
from fripn.train.features import surroundings
from fripn.train.state import Batch, reset, step


def on_a_line(places):
    """Put customers with a demand of 1 beside a road, and a vehicle that holds them all."""
    coordinates = np.array([(0.0, 0.0), *((x, 0.0) for x in places)])
    demands = np.array([0.0] + [1.0] * len(places))
    types = (VehicleType("truck", float(len(places)), 1.0, 1.0),)
    return Instance(name="line", coordinates=coordinates, demands=demands, vehicle_types=types)


def serve(batch, *customers):
    state = reset(batch, 1)
    for customer in customers:
        state = step(batch, state, torch.tensor([[customer]]))
    return surroundings(batch, state)[0, 0].numpy()


def test_surroundings_worked_out_on_paper():
    """Five customers on a line, served from one end."""
    batch = Batch.of([on_a_line([1.0, 2.0, 4.0, 8.0, 10.0])])
    unit = float(batch.coordinates[0, 1, 0])  # the first customer after scaling
    load = float(batch.demands[0, 1]) / 4
    root = 5**0.5
    first = serve(batch)
    assert not first[0].any()
    # To customer 2 and then to 3; all four others are there; customer 2 has it as its nearest and
    # would go on to customer 3 instead.
    assert first[1] == pytest.approx([root * unit, root * 3 * unit, 1, 4 * load, 0.5, root * unit])
    # Customers 1 and 3 have customer 2 as their nearest.
    detours = root * unit * ((3 - 1) + (3 - 2))
    assert first[2] == pytest.approx([root * unit, 2 * root * unit, 1, 4 * load, 1.0, detours])
    later = serve(batch, 1, 2)
    # No customer is left on the left of customer 3, and none has it as the nearest.
    assert later[3] == pytest.approx([4 * root * unit, 6 * root * unit, 0.5, 2 * load, 0, 0])
    last = serve(batch, 1, 2, 3, 4)
    # No customer is left: distances are those of the last one in the list.
    assert last[5] == pytest.approx([9 * root * unit, 9 * root * unit, 0, 0, 0, 0])


def test_a_single_customer_has_no_surroundings():
    """Its list is empty."""
    assert not serve(Batch.of([on_a_line([1.0])])).any()


def test_followers_are_the_unserved_customers():
    """Each unserved customer has one nearest, as long as its list has an unserved one."""
    batch = Batch.of([paper_instance(12, seed, 3) for seed in range(3)])
    inputs = surroundings(batch, reset(batch, 2))
    assert torch.equal(2 * inputs[..., 4].sum(-1), torch.full((3, 2), 12.0))
