"""What tells instances apart, and which lines count."""

from __future__ import annotations

import pytest

from fripn.many import digest_of
from fripn.problem.generate import paper_instance

pytestmark = pytest.mark.pure


def test_the_digest_is_that_of_the_content():
    """Equal instances have the same one; any field that differs gives another."""
    instance = paper_instance(5, 0)
    first, *others = instance.vehicle_types
    moved = instance.coordinates.copy()
    moved[2, 1] += 1e-9
    heavier = instance.demands.copy()
    heavier[3] *= 0.999
    changed = [
        instance.replace(name="another"),
        instance.replace(coordinates=moved),
        instance.replace(demands=heavier),
        instance.replace(metric="matrix", matrix=instance.distance_matrix()),
        instance.replace(stop_names=tuple("abcdef")),
        *(
            instance.replace(vehicle_types=(first.replace(**change), *others))
            for change in (
                {"name": "other"},
                {"capacity": first.capacity + 1},
                {"fixed_cost": first.fixed_cost + 1},
                {"unit_cost": first.unit_cost + 1},
                {"available": 99},
            )
        ),
    ]
    digests = [digest_of(each) for each in (instance, *changed)]
    assert len(set(digests)) == len(digests)
    assert digest_of(paper_instance(5, 0)) == digests[0]
