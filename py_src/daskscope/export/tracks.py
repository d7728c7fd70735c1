"""Puts intervals on tracks: those of one track never overlap.

Viewers of traces want the slices of a thread to nest, and some show nonsense where they do
not. Rows of one lane do overlap: transfers of several tasks run at once, coroutines share
a thread, and a clock that was corrected goes back.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from math import inf


class Tracks:
    """The tracks of one kind of rows of one lane; as many as there must be.

    Intervals come roughly in order of their starts. Each goes to the track that was free for
    the shortest time; only the end of a track is looked at, so this needs little memory.

    >>> tracks = Tracks()
    >>> [tracks.place(start, stop) for start, stop in [(0, 10), (2, 4), (10, 12), (4, 5)]]
    [(0, 0), (1, 2), (0, 10), (1, 4)]
    """

    def __init__(self) -> None:
        self._ends: list[tuple[int, int, int]] = []  # free from, stop, number; in order

    def place(self, start: int, stop: int, slack: int = 0) -> tuple[int, int]:
        """Return the number of a track, and when the interval starts there.

        An interval may reach into the next one by its `slack`, what was lost when its length
        was rounded: the next one then starts a little later.
        """
        at = bisect_right(self._ends, (start, inf)) - 1
        if at < 0:
            number = len(self._ends)
        else:
            _, busy_until, number = self._ends.pop(at)
            start = max(start, busy_until)
        stop = max(start, stop)
        insort(self._ends, (max(start, stop - slack), stop, number))
        return number, start
