"""Matrix products on one thread.

numpy's BLAS starts a thread per core and lets them spin at barriers. The products here take a
fraction of a millisecond; on a busy machine, or with an instance per core, waiting for a thread
that is not running made them a hundred times slower.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")


def on_one_thread(function: Callable[_Arguments, _Value]) -> Callable[_Arguments, _Value]:
    """Decorate a function that multiplies matrices; the caller's number of threads is restored."""

    @functools.wraps(function)
    def limited(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Value:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*arguments, **options)

    return limited


@functools.cache
def _controller() -> ThreadpoolController:
    """Find the loaded libraries once; numpy's is among them since numpy was imported first.

    The libraries are listed through a callback from C, where Python drops exceptions: a Ctrl-C that
    came just then would be lost. Signals go to the main thread, so another one does the listing.
    """
    with ThreadPoolExecutor(max_workers=1) as executor:
        return executor.submit(ThreadpoolController).result()
