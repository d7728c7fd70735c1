"""Whether a cell of the user computes just now: then every turn of ours is taken from it.

Python hands its lock over after 5 ms (`sys.getswitchinterval`), so beside a thread that computes
each timer is late by that. A kernel that waits, or sleeps, lets timers be punctual: which cell
runs would tell less.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

CROWDED_S: Final = 0.002
MOST_S: Final = 0.05
"""A single pause of the whole process says no more than this."""

WEIGHT: Final = 0.3
"""Of the latest timer in the mean: one hiccup of the machine is no cell that computes."""

FORGOTTEN_S: Final = 1.0
"""So long without a timer tells nothing any more: nothing is collected, and no cell is slowed."""


class Crowding:
    """How late the timers of one loop are, on the average.

    >>> crowding = Crowding()
    >>> crowding.woke(late_s=0.005)
    >>> crowding.crowded
    False
    >>> crowding.woke(late_s=0.005)
    >>> crowding.crowded
    True
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._late_s = 0.0
        self._woke_s = float("-inf")

    def woke(self, late_s: float) -> None:
        """Take note of a timer."""
        self._forget()
        self._woke_s = self._clock()
        self._late_s += (min(late_s, MOST_S) - self._late_s) * WEIGHT

    @property
    def crowded(self) -> bool:
        """Whether the loop gets its turns late."""
        self._forget()
        return self._late_s > CROWDED_S

    def _forget(self) -> None:
        if self._clock() - self._woke_s > FORGOTTEN_S:
            self._late_s = 0.0


crowding: Final = Crowding()
"""Of the one background loop."""


def crowded() -> bool:
    """Return whether the background loop gets its turns late."""
    return crowding.crowded
