"""Sets of task numbers as a few ranges."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Range = tuple[int, int]
"""First number, and the number after the last."""


class Ranges:
    """Disjoint ranges in order; neighbours that touch are one.

    >>> held = Ranges([(0, 10), (20, 30)])
    >>> held.add(10, 15)
    >>> list(held), held.newest_gap(5, 40), held.newest_gap(5, 25)
    ([(0, 15), (20, 30)], (30, 40), (15, 20))
    """

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self._firsts: list[int] = []
        self._stops: list[int] = []
        for first, stop in sorted(ranges):
            self.add(first, stop)

    def __iter__(self) -> Iterator[Range]:
        return zip(self._firsts, self._stops, strict=True)

    def __len__(self) -> int:
        """How many ranges, not how many numbers."""
        return len(self._firsts)

    def add(self, first: int, stop: int) -> None:
        """Add the numbers from `first` to before `stop`."""
        if first >= stop:
            return
        low = bisect_left(self._stops, first)
        high = bisect_right(self._firsts, stop)
        if low < high:
            first = min(first, self._firsts[low])
            stop = max(stop, self._stops[high - 1])
        self._firsts[low:high] = [first]
        self._stops[low:high] = [stop]

    def newest_gap(self, low: int, high: int) -> Range | None:
        """Return the last range of numbers between `low` and `high` that are not here."""
        index = bisect_left(self._firsts, high) - 1
        while high > low:
            if index < 0 or self._stops[index] < high:
                return max(low, self._stops[index] if index >= 0 else low), high
            high = self._firsts[index]
            index -= 1
        return None

    def missing(self, low: int, high: int) -> int:
        """Return how many numbers between `low` and `high` are not here."""
        held = sum(max(0, min(stop, high) - max(first, low)) for first, stop in self)
        return max(0, high - low) - held
