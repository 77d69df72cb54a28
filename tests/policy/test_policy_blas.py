"""Products of the policy run on one thread, and nothing else is changed."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fripn.policy.blas import on_one_thread


def num_threads():
    numpy_blas = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
    if not numpy_blas:
        pytest.skip("numpy was built without a BLAS whose threads can be limited")
    return max(numpy_blas)


def test_threads_are_limited_inside_and_restored_after():
    """Also after an error."""
    with threadpool_limits(2, user_api="blas"):
        assert on_one_thread(num_threads)() == 1
        assert num_threads() == 2
        with pytest.raises(ZeroDivisionError):
            on_one_thread(lambda: 1 // 0)()
        assert num_threads() == 2


def test_values_pass_through():
    """Arguments, options and the result are those of the function."""
    assert on_one_thread(np.clip)(5, 0, a_max=3) == 3
