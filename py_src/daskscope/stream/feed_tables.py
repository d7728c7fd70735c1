"""The tables of one session on their way to one page: what was sent of them, what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daskscope.schema import STEPS, Dictionary, Series, Tasks
from daskscope.stream.ranges import Ranges
from daskscope.stream.table_rows import Numbered, TableRows, subscribed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daskscope.recording import RecordingStore

TABLES_S: Final = 0.5
"""A table is sent no more often, unless a message was full."""


class TableCursor:
    """A feed's tables. What is planned counts as sent only when `took` says so."""

    def __init__(self, recording: RecordingStore) -> None:
        self._recording = recording
        self._sources: list[Numbered] = []
        self._held: dict[tuple[str, int], Ranges] = {}
        self._due_s: dict[tuple[str, int], float] = {}

    def subscribe(self, names: Iterable[str]) -> None:
        """Send these tables from now on, and the dictionaries that they point into."""
        self._sources = [
            Numbered(self._recording, table, ring)
            for table in subscribed(names)
            if not isinstance(table, Tasks)
            for ring in range(len(STEPS) if isinstance(table, Series) else 1)
        ]

    def restart(self) -> None:
        """Send everything again."""
        self._held.clear()
        self._due_s.clear()

    def plan_names(self, max_bytes: float) -> TableRows | None:
        """Return what is missing of a dictionary: its entries come before rows that use them."""
        return self._first(max_bytes, [s for s in self._sources if isinstance(s.table, Dictionary)])

    def plan(self, now_s: float, max_bytes: float) -> TableRows | None:
        """Return what is missing of a table, the newest first, each table in its turn."""
        due = [s for s in self._sources if self._due(s) <= now_s]
        return self._first(max_bytes, sorted(due, key=self._due))

    def took(self, content: TableRows, now_s: float) -> None:
        """Count a message with these rows as sent."""
        key = content.table, content.ring
        held = self._held.setdefault(key, Ranges())
        held.add(content.first, content.stop)
        # Where there is more to send it is this table's turn again after the others'.
        (source,) = (s for s in self._sources if _key(s) == key)
        self._due_s[key] = now_s + (0 if self._gap(source) else TABLES_S)

    def _first(self, max_bytes: float, sources: Iterable[Numbered]) -> TableRows | None:
        for source in sources:
            gap = self._gap(source)
            if gap is not None:
                return TableRows(*_key(source), *source.piece(gap, max_bytes))
            if _key(source) not in self._held:  # a page cannot know that there is nothing
                return TableRows(*_key(source), source.next, source.next)
        return None

    def _due(self, source: Numbered) -> float:
        return self._due_s.get(_key(source), float("-inf"))

    def _gap(self, source: Numbered) -> tuple[int, int] | None:
        held = self._held.get(_key(source), Ranges())
        return held.newest_gap(source.oldest, source.next)


def _key(source: Numbered) -> tuple[str, int]:
    return source.table.name, source.ring
