"""Decides when to poll the scheduler next: often while tasks finish, but without harm.

The pace limits the load on the scheduler, by pauses many times as long as its time for an
answer, and on a computing cell, from which each poll takes Python's lock.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from daskscope.config import Pace

AGEING: Final = 1.02
"""Factor by which an estimate gets worse with each answer, because clocks drift."""


class Clock:
    """Estimates the offset of the scheduler's clock, from the answer that took the least time.

    >>> clock = Clock()
    >>> clock.update(scheduler=105.0, asked=100.0, answered=100.2)
    >>> clock.update(scheduler=105.0, asked=101.0, answered=105.0)  # delayed, so ignored
    >>> round(clock.ahead_s, 3)
    4.9
    >>> clock.update(scheduler=108.0, asked=107.95, answered=108.05)  # as with a single clock
    >>> clock.ahead_s
    0.0
    """

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self._took_s = float("inf")

    def update(self, *, scheduler: float, asked: float, answered: float) -> None:
        """Update the offset from the scheduler's time and our times around it."""
        took_s = answered - asked
        self._took_s *= AGEING
        if 0 <= took_s <= self._took_s:
            self._took_s = took_s
            # If the times are consistent with a single clock, both processes probably share one.
            agree = asked <= scheduler <= answered
            self.ahead_s = 0.0 if agree else scheduler - (asked + took_s / 2)


CROWDED_S: Final = 0.002
MOST_S: Final = 0.05
"""Bound for one delay, since a single pause of the whole process may cause it."""

WEIGHT: Final = 0.3
"""Weight of the latest timer in the mean, so that one delay does not look like a busy cell."""

FORGOTTEN_S: Final = 1.0
"""Older delays are dropped, since a loop without timers does not slow down a cell."""


class GilPressure:
    """Measures the mean delay of a loop's timers: they are late if a cell holds Python's lock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._late_s = 0.0
        self._woke_s = float("-inf")

    def woke(self, late_s: float) -> None:
        """Add the delay of a timer."""
        self._forget()
        self._woke_s = self._clock()
        self._late_s += (min(late_s, MOST_S) - self._late_s) * WEIGHT

    def crowded(self) -> bool:
        """Whether the timers of the loop are late."""
        self._forget()
        return self._late_s > CROWDED_S

    def _forget(self) -> None:
        if self._clock() - self._woke_s > FORGOTTEN_S:
            self._late_s = 0.0


gil_pressure: Final = GilPressure()
"""The delays of the background loop."""


IDLE_AFTER_S: Final = 60.0
SCHEDULER_SHARE: Final = 0.04
"""Largest share of the scheduler's time for answers, except in `catching_up_s`."""

BUILTIN_SHARE: Final = 1 / 3
"""The same for Dask's own routes. They do not report their time, so all waiting counts."""

CROWDED_PAUSE_S: Final = 0.2
"""Least pause while a cell computes (docs/decisions/0013)."""

MAX_SPARED_S: Final = 2.0
"""Longest pause for these shares: slow answers may take more than their share."""


class PollPace:
    """The pace of one collector. All times are of one monotonic clock."""

    def __init__(self, pace: Pace, now: float) -> None:
        self.watched = False
        self._pace = pace
        self._busy_at = now  # when tasks last arrived
        self._answer_s = 0.0
        self._spared_s = 0.0

    def answered(
        self, now: float, tasks: int, answer_s: float, scheduler_s: float | None = None
    ) -> None:
        """Note an answer, and how much of the scheduler's time it took."""
        if tasks:
            self._busy_at = now
        self._answer_s = answer_s
        if scheduler_s is None:
            spared_s = answer_s * (1 / BUILTIN_SHARE - 1)
        else:
            spared_s = scheduler_s * (1 / SCHEDULER_SHARE - 1)
        self._spared_s = min(spared_s, MAX_SPARED_S)

    def pause_s(self, now: float, *, crowded: bool) -> float:
        """Return the pause from now, just after an answer, until the next request."""
        quiet_s = now - self._busy_at
        if quiet_s < 2 * self._pace.quiet_s:
            pause_s = self._pace.active_s
        else:
            pause_s = self._pace.quiet_s if quiet_s < IDLE_AFTER_S else self._pace.idle_s
        if crowded:
            pause_s = max(pause_s, CROWDED_PAUSE_S)
        if not self.watched:
            pause_s = max(pause_s, self._pace.unwatched_s)
        return max(pause_s - self._answer_s, self._spared_s)

    def catching_up_s(self) -> float:
        """Return the pause while there is more to fetch than fits into one answer.

        It is as long as the last answer took, so up to half of the scheduler's time goes into
        answers. The agent's memory is bounded, so fewer tasks are dropped if they are read sooner.
        """
        return self._answer_s


class Alarm:
    """An event for one waiter. Use it in one event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.ring = self._event.set
        """Ends the current wait, or the next one."""
        self.clear = self._event.clear
        """Cancels an earlier ring."""

    async def wait(self, seconds: float) -> bool:
        """Wait; return whether it rang in this time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        return self._event.is_set()
