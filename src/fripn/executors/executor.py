"""The interface between those who have work and what executes it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
Item_contra = TypeVar("Item_contra", contravariant=True)
Outcome_co = TypeVar("Outcome_co", covariant=True)


class Workers(Protocol[Item_contra, Outcome_co]):
    """Workers that are ready: items go in, outcomes come out in the order they are finished."""

    @property
    def capacity(self) -> int:
        """How many items to submit before the first outcome is waited for; may change."""
        ...

    @property
    def num_slots(self) -> int:
        """How many items run at the same time; may change."""
        ...

    def submit(self, item: Item_contra) -> None:
        """Start an item; only while fewer than `capacity` are running."""
        ...

    def wait(self, seconds: float | None = None) -> Outcome_co:
        """Wait until one of the running items is finished, and return its outcome.

        Parameters
        ----------
        seconds
            How long to wait at most; None for as long as it takes.

        Raises
        ------
        TimeoutError
            When nothing was finished in that time.
        KeyboardInterrupt
            When Ctrl-C was pressed; the running items are then lost.
        """
        ...


class Executor(Protocol):
    """Where items are executed."""

    @property
    def has_our_files(self) -> bool:
        """Whether items can read files of this machine; else they carry what they need."""
        ...

    @property
    def num_nodes(self) -> int:
        """Machines that execute items at the moment; 0 where there is no connection."""
        ...

    def open(
        self, work: Callable[[Item], Outcome], on_death: Callable[[Item], Outcome]
    ) -> AbstractContextManager[Workers[Item, Outcome]]:
        """Start workers, which end with the context.

        Parameters
        ----------
        work
            What to do with an item. It may be sent to other processes, so it is a function of a
            module.
        on_death
            The outcome of an item whose worker died (out of memory, a crash); called here.
        """
        ...
