"""When to ask the scheduler next: often while tasks finish, and never so often that it hurts.

Two are to be spared: the scheduler, which is left alone for many times as long as an answer
took of its time, and a computing cell, from which each of our turns takes Python's lock.
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
"""With each answer an older estimate counts as so much worse: clocks drift."""


class Clock:
    """Offset of the scheduler's clock, from the answer that took the least time.

    >>> clock = Clock()
    >>> clock.heard(said=105.0, asked=100.0, answered=100.2)
    >>> clock.heard(said=105.0, asked=101.0, answered=105.0)  # it was held up on its way
    >>> round(clock.ahead_s, 3)
    4.9
    >>> clock.heard(said=108.0, asked=107.95, answered=108.05)  # what one clock may say
    >>> clock.ahead_s
    0.0
    """

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self._took_s = float("inf")

    def heard(self, *, said: float, asked: float, answered: float) -> None:
        """Take note of the scheduler's time, and of ours around it."""
        took_s = answered - asked
        self._took_s *= AGEING
        if 0 <= took_s <= self._took_s:
            self._took_s = took_s
            # Where one clock could explain what was heard, there is most likely only one.
            agree = asked <= said <= answered
            self.ahead_s = 0.0 if agree else said - (asked + took_s / 2)


CROWDED_S: Final = 0.002
MOST_S: Final = 0.05
"""A single pause of the whole process says no more than this."""

WEIGHT: Final = 0.3
"""Of the latest timer in the mean: one hiccup of the machine is no cell that computes."""

FORGOTTEN_S: Final = 1.0
"""Older delays are forgotten: nothing is collected then, and no cell is slowed."""


class GilPressure:
    """How late the timers of one loop are, on the average."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._late_s = 0.0
        self._woke_s = float("-inf")

    def woke(self, late_s: float) -> None:
        """Take note of a timer."""
        self._forget()
        self._woke_s = self._clock()
        self._late_s += (min(late_s, MOST_S) - self._late_s) * WEIGHT

    def crowded(self) -> bool:
        """Whether the loop gets its turns late."""
        self._forget()
        return self._late_s > CROWDED_S

    def _forget(self) -> None:
        if self._clock() - self._woke_s > FORGOTTEN_S:
            self._late_s = 0.0


gil_pressure: Final = GilPressure()
"""Of the one background loop."""


IDLE_AFTER_S: Final = 60.0
SCHEDULER_SHARE: Final = 0.04
"""At most so much of a scheduler's time goes into answers, except while catching up: see there."""

BUILTIN_SHARE: Final = 1 / 3
"""The same for Dask's own routes, which do not report their time: all waiting counts."""

CROWDED_PAUSE_S: Final = 0.2
"""While a cell computes (docs/decisions/0013)."""

MAX_SPARED_S: Final = 2.0


class PollPace:
    """Of one collector. Times are those of one monotonic clock."""

    def __init__(self, pace: Pace, now: float) -> None:
        self.watched = False
        self._pace = pace
        self._busy_at = now  # when tasks last came
        self._answer_s = 0.0
        self._spared_s = 0.0

    def answered(
        self, now: float, tasks: int, answer_s: float, scheduler_s: float | None = None
    ) -> None:
        """Take note of an answer, and of how much of the scheduler's time it took."""
        if tasks:
            self._busy_at = now
        self._answer_s = answer_s
        if scheduler_s is None:
            spared_s = answer_s * (1 / BUILTIN_SHARE - 1)
        else:
            spared_s = scheduler_s * (1 / SCHEDULER_SHARE - 1)
        self._spared_s = min(spared_s, MAX_SPARED_S)

    def pause_s(self, now: float, *, crowded: bool) -> float:
        """Return how long to wait from now, just after an answer, until the next question."""
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
        """Return the pause while there is more to fetch than one answer holds.

        As long as the answer took: what waits is bounded by the agent's memory, and the
        sooner it is here, the less of it is dropped. So up to half of a scheduler's time
        goes into answers, for as long as that lasts.
        """
        return self._answer_s


class Alarm:
    """For one waiter. To be used in one event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.ring = self._event.set
        """End the wait of now, or the next one."""
        self.clear = self._event.clear
        """Forget that it rang."""

    async def wait(self, seconds: float) -> bool:
        """Return whether it rang before the time was over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        return self._event.is_set()
