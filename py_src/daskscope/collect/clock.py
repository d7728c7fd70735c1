"""How far the scheduler's clock is ahead of ours, from the times that its answers carry."""

from __future__ import annotations

from typing import Final

AGEING: Final = 1.02
"""With each answer an older estimate counts as so much worse: clocks drift."""


class Clock:
    """The answer that came soonest after its question tells best.

    >>> clock = Clock()
    >>> clock.heard(said=105.0, asked=100.0, answered=100.2)
    >>> clock.heard(said=105.0, asked=101.0, answered=105.0)  # it was held up on its way
    >>> round(clock.ahead_s, 3)
    4.9
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
            self.ahead_s = said - (asked + took_s / 2)
