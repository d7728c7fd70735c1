"""The rows of a log: the newest are kept within bounds, and numbers are never reused."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from copy import copy
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from daskscope.format import cut
from daskscope.recording.names import MAX_PARTS, sound
from daskscope.schema import MAX_KEY_CHARACTERS, MAX_TEXT_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from daskscope.schema import Column, Log

    Take = Callable[[list[Any]], list[Any]]

MAX_LOG_CHARACTERS: Final = 8_000_000
"""Bound for all texts of a log together."""

UNKNOWN_TASK: Final = -1
"""Number of an erred task that was dropped before it could be read."""


@cache
def row_type(table: Log) -> Any:
    """Return the class of the rows of a log: named tuples with a value for each column."""
    return namedtuple(table.name, table.names)


@cache
def _coercion(column: Column) -> Callable[[Any], Any]:
    """Return a function that converts any value into a cell of this column."""
    if column.type == "utf8":
        most = MAX_KEY_CHARACTERS + 1 if column.name == "key" else MAX_TEXT_CHARACTERS
        return lambda value: sound(cut(value, most))
    if column.type == "texts":
        return lambda value: tuple(
            sound(cut(part, MAX_TEXT_CHARACTERS)) for part in value[:MAX_PARTS]
        )
    if column.type == "float64":
        return float
    if column.type == "float32":
        return lambda value: float(np.float32(value))
    limits = np.iinfo(column.type)
    low, high = int(limits.min), int(limits.max)
    return lambda value: min(max(int(value), low), high)


def _empty(column: Column) -> Any:
    """Return the cell of a row that has no value for a column."""
    return {"utf8": "", "texts": (), "float64": np.nan, "float32": np.nan}.get(
        column.type, UNKNOWN_TASK if column.into == "tasks" else 0
    )


class LogStore:
    """The newest rows of a log. Any thread may append and read.

    `take` is called with rows before they are appended, and returns the rows to append.
    """

    def __init__(self, table: Log, take: Take | None = None) -> None:
        self.table = table
        self.next = 0
        self.dropped = 0
        """Number of rows dropped by bounds, here or in the source."""
        self._take = take
        self._make = row_type(table)
        self._cells = [(c.name, _coercion(c), _empty(c)) for c in table.columns]
        self._texts = [i for i, c in enumerate(table.columns) if c.type in ("utf8", "texts")]
        self._characters = 0
        self._rows: OrderedDict[int, Any] = OrderedDict()
        self._groups: dict[Any, OrderedDict[int, None]] = {}
        self._keys: dict[Any, int] = {}
        self.renew_lock()

    def renew_lock(self) -> None:
        """Make a new lock, initially and in a forked child."""
        self._lock = Lock()

    @property
    def first(self) -> int:
        """Number of the oldest kept row, or of the next one if there is none."""
        with self._lock:
            return next(iter(self._rows), self.next)

    def snapshot(self) -> Self:
        """Return a copy of the log as it is now."""
        with self._lock:
            now = copy(self)
            now._rows = self._rows.copy()
            now._groups = {group: numbers.copy() for group, numbers in self._groups.items()}
            now._keys = self._keys.copy()
        now.renew_lock()
        return now

    def append(self, rows: Iterable[Mapping[str, Any] | tuple[Any, ...]]) -> None:
        """Append rows; drop the oldest ones, of a group or of all, if there are too many."""
        made = [self._made(row) for row in rows]
        with self._lock:
            for row in made if self._take is None else self._take(made):
                self._append(row)

    def _made(self, row: Any) -> Any:
        given = row._asdict() if isinstance(row, tuple) else row  # type: ignore[attr-defined]
        return self._make(
            *(
                to_cell(given[name]) if name in given else empty
                for name, to_cell, empty in self._cells
            )
        )

    def _append(self, row: Any) -> None:
        table, rows = self.table, self._rows
        if table.key:
            key = getattr(row, table.key)
            if key in self._keys:
                self._remove(self._keys[key])
            self._keys[key] = self.next
        rows[self.next] = row
        if table.group:
            numbers = self._groups.setdefault(getattr(row, table.group), OrderedDict())
            numbers[self.next] = None
            if len(numbers) > table.group_rows:
                self._drop(next(iter(numbers)))
        self.next += 1
        self._characters += self._length(row)
        while len(rows) > table.rows or (self._characters > MAX_LOG_CHARACTERS and len(rows) > 1):
            self._drop(next(iter(rows)))

    def _length(self, row: Any) -> int:
        return sum(
            len(row[i]) if isinstance(row[i], str) else sum(map(len, row[i])) for i in self._texts
        )

    def _drop(self, number: int) -> None:
        self._remove(number)
        self.dropped += 1

    def _remove(self, number: int) -> None:
        row = self._rows.pop(number)
        self._characters -= self._length(row)
        if self.table.key:
            del self._keys[getattr(row, self.table.key)]
        if self.table.group:
            group = getattr(row, self.table.group)
            del self._groups[group][number]
            if not self._groups[group]:
                del self._groups[group]

    def count_dropped(self, rows: int) -> None:
        """Skip the numbers of lost rows, and count them as dropped."""
        with self._lock:
            self.next += max(rows, 0)
            self.dropped += max(rows, 0)

    def numbered(self, first: int, stop: int) -> list[tuple[int, Any]]:
        """Return number and row of the kept rows from `first` to before `stop`."""
        found: list[tuple[int, Any]] = []
        with self._lock:
            for number, row in reversed(self._rows.items()):
                if number < first:
                    break
                if number < stop:
                    found.append((number, row))
        return found[::-1]

    def between(self, first: int, stop: int) -> list[Any]:
        """Return the same without their numbers."""
        return [row for _, row in self.numbered(first, stop)]

    def since(self, first: int) -> list[Any]:
        """Return the kept rows from number `first` on."""
        return self.between(first, self.next)

    def columns(self, first: int = 0, stop: int | None = None) -> dict[str, list[Any]]:
        """Return the same rows as columns."""
        rows = self.between(first, self.next if stop is None else stop)
        cells = zip(*rows, strict=True) if rows else ((),) * len(self.table.columns)
        return {name: list(column) for name, column in zip(self.table.names, cells, strict=True)}
