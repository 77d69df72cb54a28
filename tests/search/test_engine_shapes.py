"""Random instances of every shape are solved by the engine and evaluated."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fripn import Budget, Instance, VehicleType, solve
from fripn.search import Hgs


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Draw an instance of an odd shape."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 14))
    places = draw(st.sampled_from(["random", "at the depot", "equal", "line"]))
    coordinates = {
        "random": rng.random((n + 1, 2)),
        "at the depot": np.zeros((n + 1, 2)),
        "equal": np.vstack([[0.0, 0.0], np.ones((n, 2))]),
        "line": np.column_stack([np.arange(n + 1), np.zeros(n + 1)]),
    }[places]
    scale = draw(st.sampled_from([1e-6, 1.0, 1e9]))
    capacity = draw(st.sampled_from([1.0, 0.3, 250.0]))
    demands = draw(st.sampled_from(["random", "full", "zero"]))
    loads = {
        "random": rng.uniform(0.0, capacity, n),
        "full": np.full(n, capacity),
        "zero": np.zeros(n),
    }[demands]
    fixed = draw(st.sampled_from([0.0, 1.0])) * scale
    unit = draw(st.sampled_from([0.0, 1.0])) * scale
    is_limited = draw(st.booleans())
    types = [VehicleType("a", capacity, fixed, unit, n if is_limited else None)]
    for k in range(draw(st.integers(0, 9))):
        dominated = draw(st.booleans())
        factor = 1.0 if dominated else rng.uniform(0.5, 2.0)
        types.append(
            VehicleType(
                f"b{k}",
                capacity * min(factor, 1.5),
                fixed * (2.0 if dominated else factor),
                unit * (2.0 if dominated else rng.uniform(0.5, 2.0)),
                draw(st.sampled_from([None, 0, 1])) if is_limited else None,
            )
        )
    if draw(st.booleans()):
        return Instance("odd", coordinates, [0.0, *loads], tuple(types))
    matrix = rng.random((n + 1, n + 1))
    return Instance("odd", None, [0.0, *loads], tuple(types), metric="matrix", matrix=matrix)


@given(
    instance=instances(),
    share=st.sampled_from([None, 0.0, 0.5]),
    crossover=st.sampled_from([0.0, 0.5, 1.0]),
    decomposition=st.sampled_from([None, 0.5]),
)
@settings(max_examples=60, deadline=None)
def test_every_shape_gives_a_valid_plan(instance, share, crossover, decomposition):
    """The engine returns a valid plan (`Result.from_solution` raises otherwise)."""
    method = Hgs(
        genetic_share=share,
        route_crossover_rate=crossover,
        decomposition_share=decomposition,
        decomposition_customers=5,
        decomposition_children=5,
    )
    result = solve(instance, method, budget=Budget(iterations=30), seed=1)
    first = solve(instance, "savings")
    assert result.evaluation is not None
    assert result.cost <= first.cost * (1 + 1e-9)
