"""When workers spilled: from snapshots of now to changes with a time.

The scheduler knows how much of a worker's data is on disk, not since when. Whoever
opens a panel late wants to see it all the same, so it is written down as it happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SPILLING: Final = "spilling"
NOT_SPILLING: Final = "not-spilling"


class SpillWatch:
    """Notices which workers begin and cease to hold data on disk.

    >>> watch = SpillWatch()
    >>> [change["what"] for change in watch.take([{"address": "a", "spilled": 7}], 1.0)]
    ['spilling']
    >>> watch.take([{"address": "a", "spilled": 9}], 2.0)
    []
    >>> [change["what"] for change in watch.take([{"address": "a", "spilled": 0}], 3.0)]
    ['not-spilling']
    """

    def __init__(self) -> None:
        self._spilling: set[str] = set()

    def take(self, workers: Iterable[Mapping[str, Any]], now: float) -> list[dict[str, Any]]:
        """Return what has changed since the last snapshot, as rows of the workers' log."""
        spilling = {worker["address"] for worker in workers if worker["spilled"] > 0}
        began, ceased = spilling - self._spilling, self._spilling - spilling
        self._spilling = spilling
        return [
            {"time": now, "worker": worker, "what": what}
            for what, those in ((SPILLING, began), (NOT_SPILLING, ceased))
            for worker in sorted(those)
        ]
