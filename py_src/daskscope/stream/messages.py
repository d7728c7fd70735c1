"""Descriptions of numbered messages, small enough to keep until a message has arrived.

A description has row numbers instead of rows. The kernel keeps one for each unacknowledged
message, and builds the same content again if the message was lost.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.chunk import key_blocks
from daskscope.recording.summary_blocks import coarse
from daskscope.schema import (
    COARSE,
    STEPS,
    TASKS,
    Column,
    Dictionary,
    Log,
    Series,
    Table,
    Tasks,
    columns_of,
    tables,
)
from daskscope.wire import TEXTS, Outgoing, outgoing, pack_columns, packed_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from daskscope.recording import RecordingStore

Range = tuple[int, int]
"""First number, and the number after the last."""


class Ranges:
    """Disjoint ranges in order; adjacent ranges are merged.

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
        """Return the number of ranges."""
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
        """Return the last range between `low` and `high` that is missing here."""
        index = bisect_left(self._firsts, high) - 1
        while high > low:
            if index < 0 or self._stops[index] < high:
                return max(low, self._stops[index] if index >= 0 else low), high
            high = self._firsts[index]
            index -= 1
        return None

    def missing(self, low: int, high: int) -> int:
        """Return how many numbers between `low` and `high` are missing here."""
        held = sum(max(0, min(stop, high) - max(first, low)) for first, stop in self)
        return max(0, high - low) - held


TABLES_S: Final = 0.5
"""Least time between two messages of a table, unless one message could not hold all rows."""

TEXT_BYTES: Final = 16
"""Assumed bytes of a cell of text, to compute how many rows a page may keep."""


def subscribed(names: Iterable[str]) -> list[Table]:
    """Return tables by name, each after the dictionaries that it points into.

    >>> [table.name for table in subscribed(["errors", "unheard-of"])]
    ['prefixes', 'errors']
    """
    declared = tables()
    found: dict[str, Table] = {}

    def add(name: str) -> None:
        table = declared.get(name)
        if table is None or name in found:
            return
        for column in table.columns:
            if column.into != name and isinstance(declared.get(column.into), Dictionary):
                add(column.into)
        found[name] = table

    for name in names:
        add(name)
    return list(found.values())


class Numbered:
    """The numbered rows of a table, or of one ring of a series, regardless of their store."""

    def __init__(self, recording: RecordingStore, table: Table, ring: int = 0) -> None:
        self.table, self.ring = table, ring
        self._recording = recording
        self._store: Any = recording.tables.get(table.name)  # None for a dictionary
        if isinstance(table, Series):
            self._store = recording.series(table.name).rings[ring]

    @cached_property
    def columns(self) -> Sequence[Any]:
        """The columns to send; rows as measured have no columns for least and most."""
        measured = isinstance(self.table, Series) and self.ring == 0
        return self.table.columns if measured else columns_of(self.table)

    @cached_property
    def _row_bytes(self) -> int:
        return sum(
            TEXT_BYTES if column.type in TEXTS else packed_type(column).itemsize
            for column in self.columns
        )

    @property
    def next(self) -> int:
        """Number of the next row."""
        if isinstance(self.table, Dictionary):
            return self._recording.names.count(self.table.name)
        return int(self._store.next)

    @property
    def oldest(self) -> int:
        """Number of the oldest row that a page should keep."""
        if isinstance(self.table, Dictionary):
            return 0
        first = int(self._store.first)
        if isinstance(self.table, Series):
            share = self.table.page_bytes // len(STEPS)
            first = max(first, self.next - share // self._row_bytes)
        return first

    @property
    def dropped(self) -> int:
        """Number of rows that were dropped by the bounds."""
        return 0 if isinstance(self.table, Dictionary) else int(self._store.dropped)

    def whole_from(self, oldest: int) -> float | None:
        """Return the time from which a page has all rows of a series; None if all exist."""
        if not isinstance(self.table, Series):
            return None
        begin = float(self._store.whole_from(oldest))
        return begin if math.isfinite(begin) else None

    def read(self, first: int, stop: int) -> tuple[list[int], dict[str, Any]]:
        """Return numbers and columns of the rows in a range that are still kept."""
        if isinstance(self.table, Log):
            rows = self._store.numbered(first, stop)
            cells = (
                zip(*(row for _, row in rows), strict=True) if rows else [()] * len(self.columns)
            )
            names = (column.name for column in self.columns)
            return [n for n, _ in rows], dict(zip(names, map(list, cells), strict=True))
        if isinstance(self.table, Series):
            first = max(first, self._store.first)
            columns = self._store.columns(first, stop)
        else:
            columns = self._recording.names.columns(self.table.name, first, stop)
        rows_found = len(columns[self.columns[0].name])
        return list(range(first, first + rows_found)), columns

    def piece(self, gap: Range, max_bytes: float) -> Range:
        """Return the part of a range that fits into a message: newest rows, or first names."""
        first, stop = gap
        names = isinstance(self.table, Dictionary)
        most = max(1, int(max_bytes / 2) // self._row_bytes)
        if not isinstance(self.table, Log):  # numbers of a log may have gaps
            first, stop = (
                (first, min(stop, first + most)) if names else (max(first, stop - most), stop)
            )
        texts = [column.name for column in self.columns if column.type in TEXTS]
        if not texts:
            return first, stop
        numbers, columns = self.read(first, stop)
        order = slice(None, most) if names else slice(-1, -most - 1, -1)
        characters = sum(
            np.array([_length(cell) for cell in columns[name][order]]) for name in texts
        )
        fits = max(1, int((np.cumsum(characters) <= max_bytes / 4).sum()))
        if fits >= len(numbers):
            return first, stop
        return (first, numbers[fits]) if names else (numbers[-fits], stop)


def _length(cell: Any) -> int:
    return len(cell) if isinstance(cell, str) else sum(map(len, cell))


@dataclass(frozen=True, slots=True)
class TableRows:
    """A range of rows; when it is sent, rows dropped meanwhile are missing."""

    table: str
    ring: int
    first: int
    stop: int
    complete: bool
    """Whether the page has all rows once it has these."""

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        source = Numbered(recording, tables()[self.table], self.ring)
        oldest, dropped = source.oldest, source.dropped  # read first: rows may be dropped meanwhile
        numbers, columns = source.read(self.first, self.stop)
        whole = len(numbers) == self.stop - self.first
        fields = {
            "table": self.table,
            "ring": self.ring,
            "first": self.first,
            "count": self.stop - self.first,
            "rows": len(numbers),
            "numbered": not whole,
            "oldest": oldest,
            "dropped": dropped,
            "begin": source.whole_from(oldest),
            "complete": self.complete,
            "texts": {c.name: columns[c.name] for c in source.columns if c.type in TEXTS},
        }
        given = None if whole else np.array(numbers, "f8")
        packed = pack_columns(source.columns, columns, given)
        # Some hosts do not transmit empty buffers.
        return outgoing("rows", address | fields, [packed] if packed else [])


class TableCursor:
    """A feed's cursors into tables. Planned rows count as sent once `took` is called."""

    def __init__(self, recording: RecordingStore) -> None:
        self._recording = recording
        self._sources: list[Numbered] = []
        self._held: dict[tuple[str, int], Ranges] = {}
        self._due_s: dict[tuple[str, int], float] = {}

    def subscribe(self, names: Iterable[str]) -> None:
        """Set the tables to send; the dictionaries that they point into are included."""
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
        """Return missing entries of a dictionary; they are sent before rows that use them."""
        return self._first(max_bytes, [s for s in self._sources if isinstance(s.table, Dictionary)])

    def plan(self, now_s: float, max_bytes: float) -> TableRows | None:
        """Return missing rows of the table whose turn it is, the newest first."""
        due = [s for s in self._sources if self._due(s) <= now_s]
        return self._first(max_bytes, sorted(due, key=self._due))

    def took(self, content: TableRows, now_s: float) -> None:
        """Count a message with these rows as sent."""
        key = content.table, content.ring
        held = self._held.setdefault(key, Ranges())
        held.add(content.first, content.stop)
        # If there is more to send, this table has its next turn after the others.
        (source,) = (s for s in self._sources if _key(s) == key)
        held.add(0, source.oldest)  # otherwise each gap among dropped rows would stay a range
        self._due_s[key] = now_s + (0 if self._gap(source) else TABLES_S)

    def _first(self, max_bytes: float, sources: Iterable[Numbered]) -> TableRows | None:
        for source in sources:
            gap = self._gap(source)
            if gap is not None:
                piece = source.piece(gap, max_bytes)
                more = piece != gap or self._gap(source, gap[0]) is not None
                return TableRows(*_key(source), *piece, complete=not more)
            if _key(source) not in self._held:  # an empty message shows that there are no rows
                return TableRows(*_key(source), source.next, source.next, complete=True)
        return None

    def _due(self, source: Numbered) -> float:
        return self._due_s.get(_key(source), float("-inf"))

    def _gap(self, source: Numbered, before: float = math.inf) -> Range | None:
        held = self._held.get(_key(source), Ranges())
        return held.newest_gap(source.oldest, int(min(source.next, before)))


def _key(source: Numbered) -> tuple[str, int]:
    return source.table.name, source.ring


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of consecutive tasks, except those that the recording has dropped."""

    kind: str  # "live" or "detail"
    first: int
    stop: int

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        parts = []
        for chunk in recording.chunks_of(self.first, self.stop):
            rows = chunk.rows_of(self.first, self.stop)
            parts.append({name: column[rows] for name, column in chunk.columns.items()})
        columns = {
            c.name: np.concatenate([part[c.name] for part in parts] or [np.empty(0, c.type)])
            for c in TASKS.columns
        }
        return _batch(address, self.kind, TASKS.columns, columns, (self.first, self.stop))


@dataclass(frozen=True, slots=True)
class Coarse:
    """The preview of all tasks at the time when it is sent."""

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        chunks = recording.chunks()
        picture = coarse(chunks)
        columns = {name: getattr(picture, name) for name in picture.__slots__}
        columns["duration"] = picture.stop - picture.start
        covered = (chunks[0].first, chunks[-1].stop) if chunks else (0, 0)
        return _batch(address, "coarse", COARSE, columns, covered)


def _batch(
    address: dict[str, Any], kind: str, declared: Sequence[Column], columns: Any, of: Range
) -> Outgoing:
    fields = {"kind": kind, "first": of[0], "tasks": of[1] - of[0], "rows": len(columns["start"])}
    return outgoing("batch", address | fields, [pack_columns(declared, columns)])


@dataclass(frozen=True, slots=True)
class Keys:
    """Packed keys of some ranges of tasks."""

    pieces: tuple[Range, ...]

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        blocks = [
            block
            for piece in self.pieces
            for block in key_blocks(recording.chunks_of(*piece), *piece)
        ]
        listed = [{"first": b.first, "tasks": b.tasks, "bytes": len(b.data)} for b in blocks]
        return outgoing("keys", address | {"blocks": listed}, [block.data for block in blocks])


Content = Rows | Coarse | Keys | TableRows
