"""The paper's test sets, rebuilt: 1,000 instances each of 20, 50, 75 and 100 customers.

They reproduce the published generator and its seed. That the paper's tables were made on these very
instances is plausible, not proven: its ALNS at n = 20 costs less on average than the proven optima.

The published code draws them on a GPU with PyTorch, whose generator is counter based: its numbers
are a function of seed, number of the call since seeding, and position in the tensor, so no GPU
is needed to compute them. For tensors as small as these, element i of call c after seeding with s
is the first word of Philox4x32-10 with the key s and the counter (c, 0, i, 0).

An instance has the same depot and vehicle types at every size, and its customers at n = 20 are the
first 20 of those at n = 50, 75 and 100.

References
----------
J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3,
SC 2011, doi:10.1145/2063384.2063405.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from fripn.errors import InvalidSetting
from fripn.problem.instance import Instance, IntArray, VehicleType

SIZES = (20, 50, 75, 100)
NUM_INSTANCES = 1000
MASTER_SEED = 1234

_Words = npt.NDArray[np.uint64]
_Floats = npt.NDArray[np.float32]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)

# The order of the paper's calls after seeding an instance. Call 1 draws the number of customers,
# which is fixed; its result is not needed, but it counts.
_DEPOT, _PLACES, _NUM_TYPES, _CAPACITY, _LEVEL, _FACTOR, _UNIT_COST, _DEMAND = (
    0, 2, 3, 4, 5, 6, 7, 8,
)  # fmt: skip


def philox(
    counter: tuple[npt.ArrayLike, ...], key: tuple[npt.ArrayLike, npt.ArrayLike]
) -> tuple[_Words, _Words, _Words, _Words]:
    """Philox4x32 with ten rounds on arrays.

    Parameters
    ----------
    counter
        Four arrays of 32-bit words, the least significant first.
    key
        Two arrays of 32-bit words; everything broadcasts.

    Returns
    -------
    tuple
        The four output words, each in a 64-bit array.
    """
    first, second, third, fourth = (np.asarray(word, dtype=np.uint64) for word in counter)
    low_key, high_key = (np.asarray(word, dtype=np.uint64) for word in key)
    for _ in range(10):
        left = first * np.uint64(0xD2511F53)
        right = third * np.uint64(0xCD9E8D57)
        first, third = (right >> _HALF) ^ second ^ low_key, (left >> _HALF) ^ fourth ^ high_key
        second, fourth = right & _LOW, left & _LOW
        low_key = (low_key + np.uint64(0x9E3779B9)) & _LOW
        high_key = (high_key + np.uint64(0xBB67AE85)) & _LOW
    return first, second, third, fourth


def paper_test_instance(num_customers: int, index: int) -> Instance:
    """Return one instance of the paper's test set.

    Parameters
    ----------
    num_customers
        20, 50, 75 or 100.
    index
        0 … 999, in the order in which the paper's tester draws them.

    Raises
    ------
    InvalidSetting
        When there is no such set or instance.
    """
    _check_size(num_customers)
    if not 0 <= index < NUM_INSTANCES:
        raise InvalidSetting(
            f"the set paper-{num_customers} has no instance {{value}}",
            field="index",
            value=index,
            remedy=f"give 0 to {NUM_INSTANCES - 1}",
        )
    seeds = test_seeds()[index : index + 1]
    return next(_build(num_customers, seeds, np.array([index])))


def paper_test_set(num_customers: int) -> list[Instance]:
    """Return the paper's whole test set of a size (20, 50, 75 or 100 customers)."""
    _check_size(num_customers)
    return list(_build(num_customers, test_seeds(), np.arange(NUM_INSTANCES)))


@cache
def test_seeds() -> IntArray:
    """Return the seed of each instance: integers below 100,000 drawn from the master seed."""
    words = _words(np.array([MASTER_SEED]), 0, NUM_INSTANCES)[0]
    seeds: IntArray = (words % np.uint64(100_000)).astype(np.int64)
    seeds.setflags(write=False)
    return seeds


test_seeds.__test__ = False  # type: ignore[attr-defined]


def _check_size(num_customers: int) -> None:
    if num_customers not in SIZES:
        raise InvalidSetting(
            "there is no paper test set with {value} customers",
            field="num_customers",
            value=num_customers,
            remedy=f"choose one of {', '.join(map(str, SIZES))}",
        )


def _words(seeds: IntArray, call: int, count: int) -> _Words:
    """Raw 32-bit words, shape (len(seeds), count), of one call after seeding with each seed."""
    element = np.arange(count, dtype=np.uint64)
    return philox((call, 0, element, 0), (seeds.astype(np.uint64)[:, None], 0))[0]


def _uniform(seeds: IntArray, call: int, count: int) -> _Floats:
    """Return what ``torch.rand`` makes of the words: float32 in [0, 1)."""
    words = _words(seeds, call, count).astype(np.uint32).astype(np.float32)
    unit = words * np.float32(2.0**-32) + np.float32(2.0**-33)
    return np.where(unit == 1, np.float32(0), unit)


def _build(num_customers: int, seeds: IntArray, indices: IntArray) -> Iterator[Instance]:
    one = np.float32(1)
    places = np.concatenate(
        [_uniform(seeds, _DEPOT, 2), _uniform(seeds, _PLACES, 2 * num_customers)], axis=1
    ).reshape(len(seeds), num_customers + 1, 2)
    demands = np.zeros((len(seeds), num_customers + 1))
    # hundredths are the nearest floats to the decimals, so that sums compare well with capacities
    demands[:, 1:] = (_words(seeds, _DEMAND, num_customers) % np.uint64(50) + np.uint64(1)) / 100.0
    num_types = (_words(seeds, _NUM_TYPES, 1)[:, 0] % np.uint64(4)).astype(np.int64) + 3
    # element i of a call does not depend on how many are drawn, so six serve every fleet
    capacities = _uniform(seeds, _CAPACITY, 6) * np.float32(2.5) + np.float32(0.5)
    levels = _uniform(seeds, _LEVEL, 1) * np.float32(19) + one
    factors = np.maximum(_uniform(seeds, _FACTOR, 6) * np.float32(2) - one + levels, one)
    fixed_costs = (factors * capacities).astype(np.float64)
    unit_costs = (_uniform(seeds, _UNIT_COST, 6) * np.float32(2) + one).astype(np.float64)
    for row, index in enumerate(indices.tolist()):
        yield Instance(
            name=f"paper:{num_customers}:{index}",
            coordinates=places[row].astype(np.float64),
            demands=demands[row],
            vehicle_types=tuple(
                VehicleType(
                    "ABCDEF"[k],
                    float(capacities[row, k]),
                    float(fixed_costs[row, k]),
                    float(unit_costs[row, k]),
                )
                for k in range(num_types[row])
            ),
        )
