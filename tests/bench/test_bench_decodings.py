"""The policy's decodings by name."""

from __future__ import annotations

import pytest

from fripn import solve
from fripn.bench.decodings import best_plans, is_augmented, num_samples
from fripn.policy import Policy
from fripn.policy.weights import default_weights
from fripn.problem import evaluate
from fripn.problem.generate import paper_instance


def costs_of(instance, *decodings, samples=4, threads=1):
    plans = best_plans(instance, default_weights(), decodings, samples, threads)
    return [evaluate(instance, plans[decoding]).cost for decoding in decodings]


def test_more_views_and_split_do_not_cost_more():
    """Decodings share their trajectories, together or alone, on any number of threads."""
    instance = paper_instance(12, 3)
    names = ("sampling", "sampling x8", "sampling x8, split")
    one, eight, split = costs_of(instance, *names)
    assert one >= eight >= split
    assert [cost for name in names for cost in costs_of(instance, name, threads=2)] == [
        one,
        eight,
        split,
    ]
    greedy, greedy_eight = costs_of(instance, "greedy", "greedy x8")
    assert greedy >= greedy_eight


def test_greedy_is_the_greedy_plan_of_the_method():
    """The same plan as that of the policy as a method, without split."""
    instance = paper_instance(15, 4)
    method = Policy(decode="greedy", augment=False, split=False)
    assert costs_of(instance, "greedy") == [solve(instance, method).cost]


def test_greedy_and_sampling_have_nothing_in_common():
    """They share no trajectories."""
    with pytest.raises(ValueError, match="greedy x8, sampling are greedy and sampling"):
        costs_of(paper_instance(6, 1), "greedy x8", "sampling")


@pytest.mark.pure
def test_names_say_what_a_decoding_does():
    """Eight views with and without split."""
    names = ("greedy", "greedy x8", "sampling", "sampling x8, split")
    assert [is_augmented(name) for name in names] == [False, True, False, True]
    assert [num_samples(name, 7) for name in names] == [1, 1, 7, 7]
