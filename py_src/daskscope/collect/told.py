"""When the scheduler was asked, and how many tasks had finished by then."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

REMEMBERED: Final = 2_000
"""Answers of the time that the end of a block may take."""


@dataclass(frozen=True, slots=True)
class Told:
    """When an answer was asked for (monotonic), and which number the next task had then.

    Those before it may still have to be fetched.
    """

    asked_s: float
    next_task: int


class Answers:
    """Written by one thread, read from any.

    >>> answers = Answers()
    >>> answers.note(Told(1.0, 20))
    >>> answers.note(Told(2.0, 30))
    >>> answers.first_since(1.5)
    Told(asked_s=2.0, next_task=30)
    """

    def __init__(self) -> None:
        self._told: deque[Told] = deque(maxlen=REMEMBERED)

    def note(self, told: Told) -> None:
        """Remember an answer."""
        self._told.append(told)

    def first_since(self, asked_s: float) -> Told | None:
        """Return the first answer to what was asked at a time or later."""
        return next((told for told in list(self._told) if told.asked_s >= asked_s), None)
