"""What a method is asked to do, apart from the problem itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fripn import _core


class Stop:
    """Cancels a run from any thread: the method returns the best plan it has.

    It cannot be taken back: use a new one for the next run.
    """

    __slots__ = ("flag",)

    #: What the core looks at.
    flag: _core.StopFlag

    def __init__(self) -> None:
        from fripn import _core

        self.flag = _core.StopFlag()

    def set(self) -> None:
        """End the runs that were given this object, as soon as they look at it."""
        self.flag.set()

    @property
    def is_set(self) -> bool:
        """Whether `set` was called."""
        return self.flag.is_set
