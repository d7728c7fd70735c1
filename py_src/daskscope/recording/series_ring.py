"""The rows of one width of step of a series, and the texts of its keys as numbers."""

from __future__ import annotations

from copy import copy
from math import floor, inf
from mmap import ACCESS_COPY, mmap
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import MAX_NAMES, OTHER_NAME, Column, Series

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    Cells = NDArray[Any]
    Rows = dict[str, Cells]

MAX_TEXT_BYTES: Final = 8_000_000


class Ring:
    """The rows of one width of step, numbered in order of arrival; the oldest are dropped.

    It has every row from the moment `begin` on, which is a multiple of the next ring's step.
    Only the thread that appends reads it; others read a snapshot of the series.
    """

    def __init__(self, table: Series, texts: Texts, step: int, span: int, limit: int) -> None:
        self.step, self.span, self.limit = step, span, limit
        self.first = self.next = 0
        self.begin = self.closed = -inf
        self._table, self._texts = table, texts
        self._cells = {
            name: np.empty(0, np.uint32 if column.type == "utf8" else column.type)
            for column in table.columns
            for name in names(column, wide=step > 0)
        }
        self._row_bytes = sum(cells.itemsize for cells in self._cells.values())
        self._base = 0  # number of the row that the columns begin with
        # Wider rings have no rows from number `_taken` on, and none from the moment `_until` on.
        self._taken, self._until = 0, -inf

    @property
    def dropped(self) -> int:
        """The number of rows that were dropped."""
        return self.first

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return self._row_bytes * (self.next - self.first)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the rows and of the space reserved for more."""
        return sum(cells.nbytes for cells in self._cells.values())

    def snapshot(self) -> Ring:
        """Return a copy that does not change."""
        now = copy(self)
        now._cells, now._base = self.stored(), self.first
        return now

    def columns(self, first: int = 0, stop: int | None = None) -> Rows:
        """Return the kept rows with numbers from `first` to before `stop`."""
        return self.readable(self.stored(first, stop))

    def whole_from(self, first: int) -> float:
        """Return the moment from which on all rows have numbers of at least `first`."""
        time = self.stored(0, first)["time"]
        return max(self.begin, end_of(time.max(), self.span) if len(time) else -inf)

    def stored(self, first: int = 0, stop: int | None = None) -> Rows:
        """Return the same as `columns()`, with numbers instead of texts."""
        stop = self.next if stop is None else min(stop, self.next)
        part = slice(max(first, self.first) - self._base, max(stop, self.first) - self._base)
        return {name: cells[part] for name, cells in self._cells.items()}

    def checked(self, columns: Mapping[str, ArrayLike]) -> Rows:
        """Return rows in the form in which they are stored."""
        rows: Rows = {}
        count = np.size(columns["time"])
        for column in self._table.columns:
            for name in names(column, wide=self.step > 0):
                kind = self._cells[name].dtype
                cells = columns.get(name, columns.get(column.name))
                if cells is None:
                    unknown = kind.kind == "f" and column.combine != "sum"
                    cells = np.nan if unknown else 0
                elif column.type == "utf8":
                    cells = self._texts.numbers(cells)
                found = np.asarray(cells, kind)
                if found.ndim == 0:
                    found = np.full(count, found)
                if name == "duration":
                    found = np.where(found > 0, found, 0)
                if name == "duration" or (column.combine == "sum" and kind.kind == "f"):
                    found = np.where(np.isfinite(found), found, 0)
                rows[name] = found
        return rows

    def readable(self, rows: Rows) -> Rows:
        """Return stored rows with texts instead of numbers, and with least and most."""
        rows = rows.copy()
        for column in self._table.columns:
            for name in names(column, wide=True) if column.name in rows else ():
                cells = rows.setdefault(name, rows[column.name])
                rows[name] = self._texts.read(cells) if column.type == "utf8" else cells
        return rows

    def append(self, rows: Rows) -> None:
        """Append rows that are in stored form."""
        count = len(rows["time"])
        end = self.next - self._base
        if end + count > len(self._cells["time"]):
            kept = slice(self.first - self._base, end)
            self._base, end = self.first, self.next - self.first
            room = min((end + count) * 5 // 4, self.limit // self._row_bytes)
            room = max(room, end + count)
            for name, cells in self._cells.items():  # one by one, so that each old column is freed
                self._cells[name] = room_for(room, cells.dtype)
                self._cells[name][:end] = cells[kept]
        for name, cells in self._cells.items():
            cells[end : end + count] = rows[name]
        self.next += count

    def oldest(self) -> tuple[float, int]:
        """Return the latest time of the rows to drop next, and their number."""
        rows = max((self.next - self.first) // 16, 1)
        return self.stored(0, self.first + rows)["time"].max(), rows

    def drop(self, rows: int) -> None:
        """Drop the oldest rows."""
        self.first += rows

    def take(self, until: float) -> Iterator[Rows]:
        """Yield the rows before a moment that were not taken yet, in parts with distinct keys."""
        time, old, before = self.stored()["time"], self._taken - self.first, self._until
        self._taken, self._until = self.next, max(until, before)
        taken = time < self._until
        taken[:old] &= time[:old] >= before
        places = np.flatnonzero(taken) + (self.first - self._base)
        parts = len(places) // TAKEN_ROWS + 1
        part = np.zeros(len(places), np.uint32)
        for column in self._table.columns if parts > 1 else ():
            if column.combine == "key":
                part += self._cells[column.name][places].astype(np.uint32)
        part %= np.uint32(parts)
        for number in range(parts):
            yield pick(self._cells, places[part == number])


TAKEN_ROWS: Final = 20_000
"""Rows to combine at a time, since the allocator keeps the memory that this takes."""

MAPPED_BYTES: Final = 1_000_000


def room_for(rows: int, kind: np.dtype[Any]) -> Cells:
    """Return cells whose memory is returned to the system when they are freed.

    Otherwise the allocator keeps most of it: after a day, half the size of all rings.
    """
    size = rows * kind.itemsize
    if size < MAPPED_BYTES:
        return np.empty(rows, kind)
    return np.frombuffer(mmap(-1, size, access=ACCESS_COPY), kind)


class Texts:
    """Numbers for the texts of keys."""

    def __init__(self) -> None:
        self.nbytes = 0
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def numbers(self, cells: ArrayLike) -> Cells:
        """Return the numbers of texts."""
        texts = np.atleast_1d(np.asarray(cells, object)).tolist()
        return np.array([self._number(text) for text in texts], np.uint32)

    def _number(self, text: str) -> int:
        if text in self._numbers:
            return self._numbers[text]
        if len(self._texts) >= MAX_NAMES or self.nbytes > MAX_TEXT_BYTES:
            text = OTHER_NAME
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
            self.nbytes += 100 + len(text)
        return number

    def known(self, texts: Collection[str]) -> Cells:
        """Return the numbers of those texts that are known."""
        found = [self._numbers[text] for text in texts if text in self._numbers]
        return np.array(found, np.uint32)

    def all(self) -> list[str]:
        """Return all texts, in order of their numbers."""
        return self._texts.copy()

    def read(self, cells: Cells) -> Cells:
        """Return the texts of numbers."""
        found = np.empty(len(cells), object)
        found[:] = [self._texts[number] for number in cells.tolist()]
        return found


def names(column: Column, *, wide: bool) -> tuple[str, ...]:
    """Return the names of a ring's columns for a declared column."""
    name = column.name
    if wide and column.combine == "extremes":
        return (name, f"{name}_least", f"{name}_most")
    return (name,)


def floor_to(moment: float, step: float) -> float:
    """Return the start of the step that contains a moment."""
    return floor(moment / step) * step


def end_of(moment: float, step: float) -> float:
    """Return the end of the step that contains a moment."""
    return floor_to(moment, step) + step


def pick(rows: Rows, which: Any) -> Rows:
    """Return some of the rows, by mask, numbers or slice."""
    return {name: cells[which] for name, cells in rows.items()}


def joined(parts: list[Rows]) -> Rows:
    """Return the rows of all parts in order."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
