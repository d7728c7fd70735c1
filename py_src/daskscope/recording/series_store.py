"""Measurements over time by key: as measured, and combined in steps of 10, 60 and 600 s.

This module knows the declaration of a table and numbers, and nothing of Dask or of pages.
"""

from __future__ import annotations

from copy import copy
from math import floor, inf
from mmap import ACCESS_COPY, mmap
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from daskscope.schema import MAX_NAMES, OTHER_NAME, STEPS, Column, Series

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

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
        # Rows from number `_taken` on are in no wider ring yet, nor those from moment `_until` on.
        self._taken, self._until = 0, -inf

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
            kept = slice(self.first - self._base, end)
            self._base, end = self.first, self.next - self.first
            room = min((end + count) * 5 // 4, self.limit // self._row_bytes)
            room = max(room, end + count)
            for name, cells in self._cells.items():  # one by one: the old one is freed at once
                self._cells[name] = room_for(room, cells.dtype)
                self._cells[name][:end] = cells[kept]
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

    def take(self, until: float) -> Iterator[Rows]:
        """Yield the rows before a moment that were not taken yet; all rows of a key in one part."""
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
"""So many rows are combined at a time: the allocator keeps the memory that this takes."""

MAPPED_BYTES: Final = 1_000_000


def room_for(rows: int, kind: np.dtype[Any]) -> Cells:
    """Return cells whose memory goes back to the system when they are freed, if it is much.

    An allocator keeps most of it: after a day half as much again as all rings have.
    """
    size = rows * kind.itemsize
    if size < MAPPED_BYTES:
        return np.empty(rows, kind)
    return np.frombuffer(mmap(-1, size, access=ACCESS_COPY), kind)


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

    def known(self, texts: Collection[str]) -> Cells:
        """Return the numbers of those texts that have one."""
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


MAX_TIME_S: Final = 1e12
"""A row whose time is beyond this has no time."""

AHEAD_S: Final = 3600.0
"""Nor has one that is so far ahead of the scheduler: the rings' bounds would follow its clock."""

MAX_BEFORE_ROWS: Final = 100_000

ROWS_SHARE: Final = 15 / 16
"""Of the bytes of a ring: the rest is room, so that its rows need not be moved too often."""


class SeriesStore:
    """A series: a ring of rows as measured, and a wider ring for each width of step.

    Rows of a ring are numbered for ever, so their numbers serve as cursors. A wider step is
    appended two heartbeats after its end. From its moment `begin` on a ring has every row;
    what is older is read from the next wider ring, so readers get each moment once.

    Rows keep their stamps, also when they come late or the clock jumps back. A row whose
    step has closed is appended to the wider ring when the next step closes there, as a
    further row of its own step, and readers combine rows of the same step and key. If a
    wider ring has dropped that step, the row goes to the first ring that reaches back so far.
    If none does, the row is dropped and counted, and its sums are added to `before`; it never
    takes the place of something newer.

    The `time` of a wider row is that of its last measurement. With sums it is the first start,
    and the duration reaches to the last stop: a step that was seen in part stays exact.
    """

    def __init__(self, table: Series) -> None:
        self.table = table
        self.heartbeat_s = 2.0
        self.dropped = 0
        self._texts = Texts()
        self._sums = [column.name for column in table.columns if column.combine == "sum"]
        self._before: Rows | None = None
        spans = (*STEPS[1:], STEPS[-1])
        self.rings = tuple(
            Ring(table, self._texts, step, span, limit)
            for step, span, limit in zip(STEPS, spans, table.ring_bytes, strict=True)
        )
        self.renew_lock()

    def renew_lock(self) -> None:
        """Take a lock that nobody holds: at first, and in a forked child."""
        self._lock = Lock()

    def snapshot(self) -> Self:
        """Return a series of what is here now."""
        with self._lock:
            now = copy(self)
            now.rings = tuple(ring.snapshot() for ring in self.rings)
        now.renew_lock()
        return now

    @property
    def next(self) -> int:
        """Number of the next row as measured."""
        return self.rings[0].next

    @property
    def memory_bytes(self) -> int:
        """Bytes of all rows, of what is only in `before`, and of the texts of keys."""
        before = sum(cells.nbytes for cells in (self._before or {}).values())
        return sum(ring.memory_bytes for ring in self.rings) + before + self._texts.nbytes

    @property
    def before(self) -> Rows:
        """The sums by key that no ring has any more, or that were there when it began."""
        widest, before = self.rings[-1], self._settled()._before
        return widest.readable(widest.stored(0, 0) if before is None else before)

    def set_before(self, columns: Mapping[str, ArrayLike]) -> None:
        """Set the sums by key up to a time: what was there at connect, or what a file has."""
        if self._sums:
            with self._lock:
                self._before = self.rings[-1].checked(columns)

    def count_dropped(self, rows: int) -> None:
        """Count rows that were dropped before those that are here came."""
        self.dropped += max(rows, 0)

    def append(self, columns: Mapping[str, ArrayLike], *, now: float) -> None:
        """Append rows as measured, and close the steps that ended two heartbeats ago.

        Columns that are missing are NaN, or 0 if they are integers or sums.
        """
        with self._lock:
            self._append(self.rings[0], columns, now + AHEAD_S)
            for at, wider in enumerate(self.rings[1:]):
                ended = floor_to(now - 2 * self.heartbeat_s, wider.step)
                if ended != wider.closed:
                    wider.closed = ended
                    self._take(at, ended)
            self._keep_bounds(now)

    def restore(self, step: int, columns: Mapping[str, ArrayLike]) -> None:
        """Append rows of a step as `rows()` returned them."""
        with self._lock:
            self._append(self.rings[STEPS.index(step)], columns)
            begin = -inf
            for ring in reversed(self.rings):
                ring.begin = begin
                time = ring.stored()["time"]
                if len(time):
                    ring.begin = max(begin, floor_to(time.min(), ring.span))
                    begin = max(begin, end_of(time.max(), ring.step or ring.span))

    def rows(self, start: float = -inf, stop: float = inf) -> Rows:
        """Return the rows that touch a window, in order of time, with a column `step`.

        Each moment is there once, in the finest ring that has it; `step` is 0 as measured.
        """
        found = []
        for ring, rows in self._settled()._shown():
            since, until = self._extent(rows, ring.step)
            step = np.full(len(since), ring.step, np.uint16)
            rows = ring.readable(rows | ({} if self._sums else {"time": since}))
            found.append(pick(rows | {"step": step}, _touched(since, until, start, stop)))
        merged = joined(found)
        return pick(merged, np.argsort(merged["time"], kind="stable"))

    def window(self, start: float = -inf, stop: float = inf) -> Rows:
        """Return one row for each key: how its rows combine in a window.

        A sum takes of each row the share that is in the window, so adjacent windows add up.
        Extremes take whole rows that touch it. Last is the latest row up to `stop`, of
        whatever age. `step` is the coarsest step in the window. It is infinite where `before`
        is partly in the window; `before` counts whole where `start` is infinite, else not.
        """
        now, found = self._settled(), []
        for ring, rows in now._shown():
            since, until = self._extent(rows, ring.step)
            share = share_of(since, until, start, stop)
            touched = share > 0 if self._sums else _touched(since, until, start, stop)
            step = np.where(touched, float(ring.step), 0)
            found.append(self._weighed(rows, share, touched, since <= stop, step))
        if now._before is not None:
            time = now._before["time"] + now._before["duration"]
            cut = time > (stop if start == -inf else start)
            share = np.full(len(time), float(start == -inf))
            step, touched = np.where(cut, inf, 0), (share > 0) | cut
            found.append(self._weighed(now._before, share, touched, touched, step))
        rows = self._combined(joined(found), inf)
        del rows["time"]
        return self.rings[0].readable(rows)

    def shares(self, start: float = -inf, stop: float = inf) -> Iterator[tuple[Rows, Cells, float]]:
        """Yield rows of sums in a window, how much of each is in it, and the width of their step.

        Rows of one key are not combined: `window` would sort them all. `before` counts whole where
        `start` is infinite; its step is infinite, too. Texts are numbers (see `text_numbers`).
        """
        now = self._settled()
        for ring, rows in now._shown(combined=False):
            share = share_of(*self._extent(rows, ring.step), start, stop)
            inside = share > 0
            yield pick(rows, inside), share[inside], float(ring.step)
        if now._before is not None and start == -inf:
            yield now._before, np.ones(len(now._before["time"])), inf

    def text_numbers(self, texts: Collection[str]) -> Cells:
        """Return the numbers that stand for some texts of keys, as far as they occur."""
        return self._texts.known(texts)

    def texts(self) -> list[str]:
        """Return the texts of keys in order of their numbers."""
        return self._texts.all()

    def latest(self, moment: float) -> Rows:
        """Return the last row of each key that came up to a moment, unless its key is gone."""
        found = []
        for ring in reversed(self.snapshot().rings):
            rows = {name: ring.stored()[name] for name in self.table.names}
            found.append(pick(rows, self._last_of_keys(rows, rows["time"] <= moment)))
        rows = joined(found)
        rows = pick(rows, self._last_of_keys(rows, np.ones(len(rows["time"]), bool)))
        values = [
            rows[column.name] for column in self.table.columns if column.combine == "extremes"
        ]
        there = [np.nan_to_num(cells) != 0 for cells in values]
        return self.rings[0].readable(pick(rows, np.any(there, axis=0)) if there else rows)

    def _last_of_keys(self, rows: Rows, among: Cells) -> Cells:
        """Return the numbers of the last rows of each key, among some."""
        numbers = np.flatnonzero(among)
        keys = [column.name for column in self.table.columns if column.combine == "key"]
        order, first = _groups([rows[name][numbers] for name in keys])
        last: Cells = numbers[order[np.append(first, len(order))[1:] - 1]]
        return last

    def clipped(self, columns: Mapping[str, ArrayLike], start: float, stop: float) -> Rows:
        """Return the rows as measured that are in a window, and of sums their share."""
        rows = {name: np.asarray(cells) for name, cells in columns.items()}
        since, until = self._extent(rows, 0)
        if not self._sums:
            return pick(rows, _touched(since, until, start, stop))
        share = share_of(since, until, start, stop)
        rows["time"] = np.maximum(since, start)
        rows["duration"] = np.minimum(until, stop) - rows["time"]
        cut = {name: _like(rows[name], rows[name] * share) for name in self._sums}
        return pick(rows | cut, share > 0)

    def _append(
        self, ring: Ring, columns: Mapping[str, ArrayLike], until: float = MAX_TIME_S
    ) -> None:
        rows = ring.checked(columns)
        timed = (rows["time"] > -MAX_TIME_S) & (rows["time"] < until)
        self.dropped += len(timed) - int(timed.sum())
        ring.append(rows if timed.all() else pick(rows, timed))

    def _take(self, at: int, until: float) -> None:
        """Combine the rows of a ring before a moment into wider rings, each row once."""
        oldest = min(ring.begin for ring in self.rings)
        for part in self.rings[at].take(until):
            rows = part
            for ring in self.rings[at + 1 :]:
                here = rows["time"] >= ring.begin
                if here.any():
                    ring.append(self._combined(pick(rows, here), ring.step))
                rows = pick(rows, ~here)
            self._lose(pick(rows, rows["time"] < oldest))

    def _lose(self, rows: Rows) -> None:
        """Drop rows that are too old for every ring; their sums stay."""
        self.dropped += len(rows["time"])
        if self._sums and len(rows["time"]):
            # Sums for ever need more digits than those of a step.
            rows = rows | {name: rows[name].astype(np.float64) for name in self._sums}
            rows = self._combined(rows, inf)
            if self._before is not None:
                rows = self._combined(joined([self._before, rows]), inf)
            self.dropped += max(len(rows["time"]) - MAX_BEFORE_ROWS, 0)
            self._before = pick(rows, slice(MAX_BEFORE_ROWS))

    def _keep_bounds(self, now: float) -> None:
        for at, ring in enumerate(self.rings):
            while ring.nbytes > ring.limit * ROWS_SHARE:
                latest, rows = ring.oldest()
                begin = end_of(latest, ring.span)
                # Readers need two steps of the next ring, unless rows come too fast for it.
                needed = begin > now - 2 * ring.span and ring is not self.rings[-1]
                if needed and ring.nbytes <= 2 * ring.limit:
                    break
                self._begin_at(begin, at)
                ring.drop(rows)

    def _begin_at(self, begin: float, dropping: int) -> None:
        """Leave what a ring has from before a moment to wider rings."""
        oldest = min(ring.begin for ring in self.rings)
        for at in range(dropping, -1, -1):
            ring = self.rings[at]
            begin = max(begin, ring.begin) if at == dropping else ring.begin
            wider = [wider for wider in self.rings[at + 1 :] if wider.begin < begin]
            if wider:  # readers go on with whole steps of the next of these
                begin = -floor_to(-begin, wider[0].step)
            if ring is not self.rings[-1]:
                self._take(at, begin)
            ring.begin = begin
        rows = self.rings[dropping].stored()
        kept = min(ring.begin for ring in self.rings)
        self._lose(pick(rows, (rows["time"] >= oldest) & (rows["time"] < kept)))

    def _settled(self) -> Self:
        """Return a snapshot in which the late rows that still wait are in wider rings."""
        now = self.snapshot()
        for at, ring in enumerate(now.rings[:-1]):
            now._take(at, ring.begin)
        return now

    def _shown(self, *, combined: bool = True) -> Iterator[tuple[Ring, Rows]]:
        """Yield the rows that readers see of each ring."""
        until = inf
        for ring in self.rings:
            rows = ring.stored()
            rows = pick(rows, (rows["time"] >= ring.begin) & (rows["time"] < until))
            yield ring, self._combined(rows, ring.step) if ring.step and combined else rows
            until = min(ring.begin, until)

    def _extent(self, rows: Rows, step: int) -> tuple[Cells, Cells]:
        """Return from when to when each row is; most of those as measured are moments."""
        time = rows["time"]
        if self._sums:
            return time, time + rows["duration"]
        if step:
            time = np.floor(time / step) * step
        return time, time + step

    def _weighed(
        self, rows: Rows, share: Cells, touched: Cells, carried: Cells, step: Cells
    ) -> Rows:
        """Return what of rows counts in a window."""
        out, counts = {"time": rows["time"], "step": step}, touched
        for column in self.table.columns:
            for name in names(column, wide=True):
                cells = rows.get(name, rows[column.name])
                if column.combine == "sum":
                    cells = cells * share
                elif column.combine == "extremes":
                    cells = np.where(touched, cells, np.nan)
                elif column.combine == "last":
                    counts = touched | carried
                if name != "duration":
                    out[name] = cells
        return pick(out, counts)

    def _combined(self, rows: Rows, step: float) -> Rows:
        """Return one row for each step and key."""
        time = rows["time"]
        if not self._sums and (time[1:] < time[:-1]).any():
            rows = pick(rows, np.argsort(time, kind="stable"))
            time = rows["time"]
        keys = [rows[column.name] for column in self.table.columns if column.combine == "key"]
        order, first = _groups([np.floor(time / step).astype(np.int64), *keys])
        rows = pick(rows, order)
        last = np.append(first, len(order))[1:] - 1
        out = {"time": rows["time"][last]}
        if "duration" in rows:
            out["time"] = np.minimum.reduceat(rows["time"], first)
            until = np.maximum.reduceat(rows["time"] + rows["duration"], first)
            out["duration"] = _like(rows["duration"], until - out["time"])
        for column in self.table.columns:
            name, cells = column.name, rows[column.name] if column.combine else time
            if column.combine == "key":
                out[name] = cells[first]
            elif column.combine == "sum":
                out[name] = _like(cells, np.add.reduceat(cells, first, dtype=np.float64))
            elif column.combine:
                out[name] = cells[last] if self.table.lasts else _last(cells, first, last)
            if column.combine == "extremes":
                least, most = f"{name}_least", f"{name}_most"
                out[least] = np.fmin.reduceat(rows.get(least, cells), first)
                out[most] = np.fmax.reduceat(rows.get(most, cells), first)
        if "step" in rows:
            out["step"] = np.maximum.reduceat(rows["step"], first)
        return out


def _touched(since: Cells, until: Cells, start: float, stop: float) -> Cells:
    """Return which rows touch a window with its ends; a step ends before the next begins."""
    return (since <= stop) & np.where(until > since, until > start, since >= start)


def share_of(since: Cells, until: Cells, start: Cells | float, stop: Cells | float) -> Cells:
    """Return the share of each row that is in a window; of a moment it is all or nothing."""
    length = until - since
    overlap = np.maximum(np.minimum(until, stop) - np.maximum(since, start), 0)
    inside = (since >= start) & (since < stop)
    return np.where(length > 0, overlap / np.where(length > 0, length, 1), inside)


def _groups(keys: list[Cells]) -> tuple[Cells, Cells]:
    """Return an order in which rows with equal keys are neighbours, and where each begins."""
    code, values = np.zeros(len(keys[0]), np.int64), 1
    for key in keys if len(code) else ():
        low, width = int(key.min()), int(key.max()) - int(key.min()) + 1
        if key.dtype.kind == "f" or width > 2**32:
            key = np.unique(key, return_inverse=True)[1]
            low, width = 0, len(key)
        if values * width > 2**62:
            code, values = np.unique(code, return_inverse=True)[1], len(code)
        code, values = code * width + (key.astype(np.int64) - low), values * width
    order = np.argsort(code, kind="stable")
    code = code[order]
    return order, np.flatnonzero(np.append(True, code[1:] != code[:-1])[: len(code)])


def _last(cells: Cells, first: Cells, last: Cells) -> Cells:
    """Return the last cell of each group that is known."""
    if cells.dtype.kind != "f" or not np.isnan(cells).any():
        return cells[last]
    known = np.maximum.reduceat(np.where(np.isnan(cells), -1, np.arange(len(cells))), first)
    return np.where(known < 0, np.nan, cells[known])


def _like(cells: Cells, values: Cells) -> Cells:
    """Return values in the type of cells; of integers the nearest that fits."""
    if cells.dtype.kind != "f":
        values = np.minimum(np.rint(values), min(np.iinfo(cells.dtype).max, 2**53))
    return values.astype(cells.dtype, copy=False)
