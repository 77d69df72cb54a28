"""The fixed set on which progress is measured."""

import math

from fripn.train.config import InstanceConfig, ValidationConfig
from fripn.train.validation import Score, draw_validation


def sizes_of(settings, config):
    """Return (customers, types, instances) of every batch."""
    return [
        (batch[0].num_customers, batch[0].num_types, len(batch))
        for batch in draw_validation(settings, config)
    ]


def test_the_drawn_set_follows_the_distribution_that_is_trained():
    """Sizes that are never drawn are left out, a size named twice counts once."""
    config = InstanceConfig((5, 7, 7, 9), (1.0, 2.0, 1.0, 0.0), 2, 3)
    assert sizes_of(ValidationConfig(instances=5), config) == [
        (5, 2, 3), (5, 3, 2), (7, 2, 3), (7, 3, 2),
    ]  # fmt: skip
    assert sizes_of(ValidationConfig(instances=1, sizes=(6,)), config) == [(6, 2, 1)]


def test_the_wide_distribution_has_its_share():
    """Of every number of customers, and with all its numbers of types."""
    config = InstanceConfig((5,), (), 4, 4, wide_share=0.4)
    drawn = sizes_of(ValidationConfig(instances=30), config)
    assert drawn == [(5, 4, 18), *((5, k, 2 if k <= 2 else 1) for k in range(1, 11))]
    assert sizes_of(ValidationConfig(instances=3), InstanceConfig((5,), wide_share=1.0)) == [
        (5, 1, 1), (5, 2, 1), (5, 3, 1),
    ]  # fmt: skip


def test_the_drawn_set_is_always_the_same():
    """An instance of the set does not depend on what else is drawn."""
    config = InstanceConfig((5, 6), (), 3, 4)
    few, many = (next(draw_validation(ValidationConfig(instances=n), config)) for n in (2, 8))
    assert few[0].demands.tolist() == many[0].demands.tolist()
    last = list(draw_validation(ValidationConfig(instances=2, sizes=(6,)), config))
    assert (
        last[0][0].demands.tolist()
        == list(draw_validation(ValidationConfig(instances=2), config))[2][0].demands.tolist()
    )


def test_a_gap_is_shown_only_where_there_is_one():
    """Without labels there is nothing to compare with."""
    assert str(Score(12.5, 11.0, math.nan, math.nan)) == "greedy 12.500, sampled 11.000"
    assert str(Score(12.5, 11.0, 3.0, -0.5)) == "greedy 12.500 (+3.00 %), sampled 11.000 (-0.50 %)"
