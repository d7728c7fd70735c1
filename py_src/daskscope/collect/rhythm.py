"""When to ask the scheduler next: often while tasks finish, and never so often that it hurts.

Two are to be spared: the scheduler, which is left alone for many times as long as an answer
took of its time, and a computing cell, from which each of our turns takes Python's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from daskscope.config import Pace

IDLE_AFTER_S: Final = 60.0
SCHEDULER_SHARE: Final = 0.04
"""At most so much of a scheduler's time goes into answers, except while catching up: see there."""

BUILTIN_SHARE: Final = 1 / 3
"""The same for Dask's own routes, which do not tell their time: all waiting counts as theirs."""

CROWDED_PAUSE_S: Final = 0.2
"""While a cell computes (docs/decisions/0013)."""

MAX_SPARED_S: Final = 2.0


class Rhythm:
    """Of one collector. Times are those of one monotonic clock.

    >>> from daskscope.config import pace
    >>> rhythm = Rhythm(pace(), now=0.0)
    >>> rhythm.answered(now=1.0, tasks=10, answer_s=0.01, scheduler_s=0.001)
    >>> rhythm.watched = True
    >>> round(rhythm.pause_s(now=1.0, crowded=False), 3)
    0.09
    """

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
