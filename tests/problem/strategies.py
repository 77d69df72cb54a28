"""Hypothesis strategies for instances and plans, valid and not."""

import string
import unicodedata
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from fripn.problem import Instance, Route, Solution, VehicleType

numbers = st.one_of(
    st.integers(0, 1000).map(float),
    st.floats(0, 1e6, allow_nan=False, width=64).map(lambda value: value if value > 1e-12 else 0.0),
    st.integers(0, 9999).map(lambda value: value / 100),
)
signed = st.one_of(numbers, numbers.map(lambda value: -value))
names = st.text(
    st.one_of(st.sampled_from(string.ascii_letters + " ,;\"'#:-_.äßé東\u2028"), st.characters()),
    min_size=1,
    max_size=8,
).filter(
    lambda text: (
        text == text.strip()
        and text
        and not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text)
    )
)


@st.composite
def instances(draw, metrics=("euclidean", "great_circle", "matrix"), named=True):
    """Draw valid instances of up to eight customers and four types."""
    count = draw(st.integers(1, 8))
    metric = draw(st.sampled_from(metrics))
    demands = [0.0, *draw(st.lists(numbers, min_size=count, max_size=count))]
    coordinates = matrix = None
    if metric == "great_circle":
        place = st.tuples(
            st.floats(-180, 180).map(lambda value: value if abs(value) > 1e-12 else 0.0),
            st.floats(-90, 90).map(lambda value: value if abs(value) > 1e-12 else 0.0),
        )
    else:
        place = st.tuples(signed, signed)
    if metric != "matrix" or draw(st.booleans()):
        coordinates = draw(st.lists(place, min_size=count + 1, max_size=count + 1))
    if metric == "matrix":
        row = st.lists(numbers, min_size=count + 1, max_size=count + 1)
        matrix = draw(st.lists(row, min_size=count + 1, max_size=count + 1))
    type_names = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    types = [
        VehicleType(
            name,
            draw(st.floats(0.01, 1e6)),
            draw(numbers),
            draw(numbers),
            draw(st.one_of(st.none(), st.integers(0, 12))),
        )
        for name in type_names
    ]
    # one type always carries everything, so that the instance is valid
    types[0] = types[0].replace(
        capacity=max(1.0, sum(demands)), available=draw(st.one_of(st.none(), st.integers(1, 12)))
    )
    stops = ids = None
    if named and draw(st.booleans()):
        own = st.one_of(names, st.integers(0, 12).map(str))
        ids = draw(st.lists(own, min_size=count + 1, max_size=count + 1, unique=True))
        if ids[1:] == [str(number) for number in range(1, count + 1)]:
            ids = None  # tables cannot distinguish such ids from numbers
    if named and draw(st.booleans()):
        # only ids distinguish equal names
        stops = draw(st.lists(names, min_size=count + 1, max_size=count + 1, unique=ids is None))
    return Instance(
        name=draw(names),
        coordinates=None if coordinates is None else np.array(coordinates, dtype=float),
        demands=np.array(demands),
        vehicle_types=tuple(types),
        metric=metric,
        matrix=None if matrix is None else np.array(matrix),
        stop_names=stops,
        stop_ids=ids,
    )


@st.composite
def any_solutions(draw, instance):
    """Draw plans that may break every rule."""
    customer = st.integers(-2, instance.num_customers + 2)
    route = st.builds(
        Route, st.integers(0, instance.num_types), st.lists(customer, max_size=6).map(tuple)
    )
    return Solution(tuple(draw(st.lists(route, max_size=5))))


@st.composite
def valid_solutions(draw, instance):
    """Draw plans that keep every rule, with vehicles of the type that carries everything."""
    order = draw(st.permutations(range(1, instance.num_customers + 1)))
    limit = instance.vehicle_types[0].available or instance.num_customers
    parts = draw(st.integers(1, min(limit, instance.num_customers)))
    cuts = sorted(draw(st.sets(st.integers(1, max(1, len(order) - 1)), max_size=parts - 1)))
    edges = [0, *(cut for cut in cuts if cut < len(order)), len(order)]
    return Solution.of((0, order[a:b]) for a, b in pairwise(edges))
