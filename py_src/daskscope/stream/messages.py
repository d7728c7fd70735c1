"""Numbered messages: what each says, described so briefly that it can be said again.

A description has numbers, not rows: the kernel keeps one for each message that is
not acknowledged, and builds the same content anew when the message was lost.
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


TABLES_S: Final = 0.5
"""A table is sent no more often, unless a message was full."""

TEXT_BYTES: Final = 16
"""What a cell of text is taken to weigh where a page's rows are bounded."""


def subscribed(names: Iterable[str]) -> list[Table]:
    """Return the tables of some names, each after the dictionaries that it points into.

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
    """The rows of a table, or of a ring of a series, whatever keeps them."""

    def __init__(self, recording: RecordingStore, table: Table, ring: int = 0) -> None:
        self.table, self.ring = table, ring
        self._recording = recording
        self._store: Any = recording.tables.get(table.name)  # none of a dictionary
        if isinstance(table, Series):
            self._store = recording.series(table.name).rings[ring]

    @cached_property
    def columns(self) -> Sequence[Any]:
        """The columns that are sent: as measured, least and most are the value itself."""
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
        """Number of the oldest row that a page is to keep."""
        if isinstance(self.table, Dictionary):
            return 0
        first = int(self._store.first)
        if isinstance(self.table, Series):
            share = self.table.page_bytes // len(STEPS)
            first = max(first, self.next - share // self._row_bytes)
        return first

    @property
    def dropped(self) -> int:
        """How many rows the bounds have cost."""
        return 0 if isinstance(self.table, Dictionary) else int(self._store.dropped)

    def whole_from(self, oldest: int) -> float | None:
        """Return from when on a page has all rows of a series; nothing if none was dropped."""
        if not isinstance(self.table, Series):
            return None
        begin = float(self._store.whole_from(oldest))
        return begin if math.isfinite(begin) else None

    def read(self, first: int, stop: int) -> tuple[list[int], dict[str, Any]]:
        """Return numbers and columns of the rows that are kept of a range."""
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
        """Return as much of a range as fits into a message: the newest; of names the first."""
        first, stop = gap
        names = isinstance(self.table, Dictionary)
        most = max(1, int(max_bytes / 2) // self._row_bytes)
        if not isinstance(self.table, Log):  # whose numbers may have holes
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
    """The rows of a range that are kept when it is sent; what lacks of it was dropped."""

    table: str
    ring: int
    first: int
    stop: int
    complete: bool
    """Whether the page then has everything that there was."""

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        source = Numbered(recording, tables()[self.table], self.ring)
        oldest, dropped = source.oldest, source.dropped  # before the rows: they may go meanwhile
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
        # Not every host carries empty buffers.
        return outgoing("rows", address | fields, [packed] if packed else [])


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
        held.add(0, source.oldest)  # else each gap in what was dropped would stay a range
        self._due_s[key] = now_s + (0 if self._gap(source) else TABLES_S)

    def _first(self, max_bytes: float, sources: Iterable[Numbered]) -> TableRows | None:
        for source in sources:
            gap = self._gap(source)
            if gap is not None:
                piece = source.piece(gap, max_bytes)
                more = piece != gap or self._gap(source, gap[0]) is not None
                return TableRows(*_key(source), *piece, complete=not more)
            if _key(source) not in self._held:  # a page cannot know that there is nothing
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
    """All rows of some consecutive tasks; fewer once the recording dropped them."""

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
    """The coarse picture of everything, as it is when it is sent."""

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
