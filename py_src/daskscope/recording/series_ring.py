"""Rows of a series in one width of step: numpy columns in order of arrival.

What is written is never written again, so readers keep what they were given.
"""

from __future__ import annotations

from copy import copy
from math import floor, inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import MAX_NAMES, OTHER_NAME, Column, Series

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Cells = NDArray[Any]
    Rows = dict[str, Cells]

MAX_TEXT_BYTES: Final = 8_000_000


class Ring:
    """The rows of one width of step, numbered in order of arrival; the oldest are dropped.

    From the moment `begin` on it has every row; that is a multiple of the next ring's step.
    It is read where rows are appended; other threads read a snapshot of the series.
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
        self._taken = 0  # rows from this number on are in no wider ring yet
        self._left = np.empty(0, np.int64)  # nor are these, which are before it

    @property
    def dropped(self) -> int:
        """How many rows are no longer here."""
        return self.first

    @property
    def nbytes(self) -> int:
        """Bytes of the rows."""
        return self._row_bytes * (self.next - self.first)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the rows, with the room for more."""
        return sum(cells.nbytes for cells in self._cells.values())

    def snapshot(self) -> Ring:
        """Return a ring of what is here now."""
        now = copy(self)
        now._cells, now._base = self.stored(), self.first
        return now

    def columns(self, first: int = 0, stop: int | None = None) -> Rows:
        """Return the rows that are kept of those from `first` to before `stop`."""
        return self.readable(self.stored(first, stop))

    def whole_from(self, first: int) -> float:
        """Return the moment from which the rows of number `first` and later are all rows."""
        time = self.stored(0, first)["time"]
        return max(self.begin, end_of(time.max(), self.span) if len(time) else -inf)

    def stored(self, first: int = 0, stop: int | None = None) -> Rows:
        """Return the same as `columns()`, but with numbers for texts."""
        stop = self.next if stop is None else min(stop, self.next)
        part = slice(max(first, self.first) - self._base, max(stop, self.first) - self._base)
        return {name: cells[part] for name, cells in self._cells.items()}

    def checked(self, columns: Mapping[str, ArrayLike]) -> Rows:
        """Return rows as they are stored."""
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
        """Return stored rows as readers have them: with texts, and least and most."""
        rows = rows.copy()
        for column in self._table.columns:
            for name in names(column, wide=True) if column.name in rows else ():
                cells = rows.setdefault(name, rows[column.name])
                rows[name] = self._texts.read(cells) if column.type == "utf8" else cells
        return rows

    def append(self, rows: Rows) -> None:
        """Append rows as they are stored."""
        count = len(rows["time"])
        end = self.next - self._base
        if end + count > len(self._cells["time"]):
            kept = self.stored()
            self._base, end = self.first, self.next - self.first
            room = (end + count) * 5 // 4
            self._cells = {name: np.empty(room, cells.dtype) for name, cells in kept.items()}
            for name, cells in kept.items():
                self._cells[name][:end] = cells
        for name, cells in self._cells.items():
            cells[end : end + count] = rows[name]
        self.next += count

    def oldest(self) -> tuple[float, int]:
        """Return how many rows to drop next, and the latest time of them."""
        rows = max((self.next - self.first) // 16, 1)
        return self.stored(0, self.first + rows)["time"].max(), rows

    def drop(self, rows: int) -> None:
        """Drop the oldest rows."""
        self.first += rows

    def take(self, until: float) -> Rows:
        """Return the rows before a moment that were not taken yet."""
        numbers = np.concatenate([self._left, np.arange(self._taken, self.next)])
        time = self._cells["time"][numbers - self._base]
        taken = time < until
        self._left, self._taken = numbers[~taken], self.next
        return pick(self._cells, numbers[taken] - self._base)


class Texts:
    """The texts of keys as numbers."""

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

    def read(self, cells: Cells) -> Cells:
        """Return the texts of numbers."""
        found = np.empty(len(cells), object)
        found[:] = [self._texts[number] for number in cells.tolist()]
        return found


def names(column: Column, *, wide: bool) -> tuple[str, ...]:
    """Return the columns of a ring for one that is declared."""
    name = column.name
    if wide and column.combine == "extremes":
        return (name, f"{name}_least", f"{name}_most")
    return (name,)


def floor_to(moment: float, step: float) -> float:
    """Return the begin of the step that has a moment."""
    return floor(moment / step) * step


def end_of(moment: float, step: float) -> float:
    """Return the end of the step that has a moment."""
    return floor_to(moment, step) + step


def pick(rows: Rows, which: Any) -> Rows:
    """Return some of the rows, by mask, numbers or slice."""
    return {name: cells[which] for name, cells in rows.items()}


def joined(parts: list[Rows]) -> Rows:
    """Return the rows of all parts, one after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
