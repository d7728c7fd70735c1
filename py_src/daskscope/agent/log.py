"""What happened beside the tasks: the newest entries, numbered for ever.

Runs inside the scheduler, as `daskscope.agent.scheduler` does.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

MAX_LOG_CHARS = 4_000_000


class Log:
    """The newest entries of a numbered list; older ones are dropped and counted."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.first = 0
        self.chars = 0
        self.entries: deque[dict[str, Any]] = deque()

    def append(self, entry: dict[str, Any]) -> None:
        """Append; the oldest go when there are too many, or when they are too long."""
        self.entries.append(entry)
        self.chars += _chars(entry)
        while len(self.entries) > self.limit or (
            self.chars > MAX_LOG_CHARS and len(self.entries) > 1
        ):
            self.chars -= _chars(self.entries.popleft())
            self.first += 1

    def since(self, cursor: int) -> dict[str, Any]:
        """Return the entries from number `cursor` on, and the number of the first."""
        start = min(max(cursor - self.first, 0), len(self.entries))
        return {"first": self.first + start, "items": list(islice(self.entries, start, None))}


def _chars(entry: dict[str, Any]) -> int:
    return sum([len(value) for value in entry.values() if type(value) is str])
