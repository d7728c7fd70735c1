"""Measurements over time by key: as measured, and combined in steps of 10, 60 and 600 s.

This module uses only declarations of tables and numbers, and must not know Dask or pages.
"""

from __future__ import annotations

from copy import copy
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from daskscope.recording.series_ring import Ring, Texts, end_of, floor_to, joined, names, pick
from daskscope.schema import STEPS, Series

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from numpy.typing import ArrayLike

    from daskscope.recording.series_ring import Cells, Rows

MAX_TIME_S: Final = 1e12
"""A row with a time beyond this is dropped."""

AHEAD_S: Final = 3600.0
"""A row further ahead of the scheduler is dropped too: rings could begin in the future."""

MAX_BEFORE_ROWS: Final = 100_000

ROWS_SHARE: Final = 15 / 16
"""Share of a ring's bytes for rows. The rest is free, so that appending rarely moves rows."""


class SeriesStore:
    """A series: a ring of rows as measured, and a wider ring for each width of step.

    Row numbers are never used again, so they serve as cursors. A wider step is appended two
    heartbeats after its end. A ring has every row from its moment `begin` on. Older moments are
    read from the next wider ring, so readers get each moment once.

    Rows keep their time if they come late or if the clock jumps back. If the step of a row has
    closed, the row is appended to the wider ring with the next step that closes there, as a
    further row of its own step; readers combine rows of the same step and key. If the wider ring
    has dropped that step, the row goes to the first ring that reaches back far enough. If none
    does, the row is dropped and counted, and its sums are added to `before`.

    The `time` of a wider row is that of its last measurement. With sums it is the first start,
    and the duration reaches to the last stop, so a step that was seen in part stays exact.
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
        """Make a new lock, initially and in a forked child."""
        self._lock = Lock()

    def snapshot(self) -> Self:
        """Return a copy that does not change."""
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
        """Bytes of all rows, of `before`, and of the texts of keys."""
        before = sum(cells.nbytes for cells in (self._before or {}).values())
        return sum(ring.memory_bytes for ring in self.rings) + before + self._texts.nbytes

    @property
    def before(self) -> Rows:
        """The sums by key that no ring has: those from before, and those of dropped rows."""
        widest, before = self.rings[-1], self._settled()._before
        return widest.readable(widest.stored(0, 0) if before is None else before)

    def set_before(self, columns: Mapping[str, ArrayLike]) -> None:
        """Set the sums by key from before the rows: those at connect, or those of a file."""
        if self._sums:
            with self._lock:
                self._before = self.rings[-1].checked(columns)

    def count_dropped(self, rows: int) -> None:
        """Count rows that were dropped elsewhere."""
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

        A sum takes the share of each row that is in the window, so adjacent windows add up.
        Extremes take whole rows that touch it. Last is the latest row up to `stop`, however old.
        `step` is the coarsest step in the window. `before` counts as a whole if `start` is
        infinite, otherwise not at all; `step` is infinite if only a part of it should count.
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
        """Yield rows of sums in a window, the share of each that is in it, and their step.

        Rows of one key are not combined, as `window` has to sort them. `before` counts as a whole
        if `start` is infinite, with an infinite step. Texts are numbers (see `text_numbers`).
        """
        now = self._settled()
        for ring, rows in now._shown(combined=False):
            share = share_of(*self._extent(rows, ring.step), start, stop)
            inside = share > 0
            yield pick(rows, inside), share[inside], float(ring.step)
        if now._before is not None and start == -inf:
            yield now._before, np.ones(len(now._before["time"])), inf

    def text_numbers(self, texts: Collection[str]) -> Cells:
        """Return the numbers of the texts that occur in keys."""
        return self._texts.known(texts)

    def texts(self) -> list[str]:
        """Return the texts of keys in order of their numbers."""
        return self._texts.all()

    def latest(self, moment: float) -> Rows:
        """Return the last row of each key up to a moment, without keys that ended."""
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
        """Return the number of the last row of each key, among some rows."""
        numbers = np.flatnonzero(among)
        keys = [column.name for column in self.table.columns if column.combine == "key"]
        order, first = _groups([rows[name][numbers] for name in keys])
        last: Cells = numbers[order[np.append(first, len(order))[1:] - 1]]
        return last

    def clipped(self, columns: Mapping[str, ArrayLike], start: float, stop: float) -> Rows:
        """Return the rows as measured that are in a window, with the share of their sums."""
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
        """Combine the rows of a ring before a moment into wider rings; each row is taken once."""
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
        """Drop rows that are too old for every ring; keep their sums."""
        self.dropped += len(rows["time"])
        if self._sums and len(rows["time"]):
            # Sums over the whole run need more digits than those of a step.
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
                # Keep rows for two steps of the next ring, unless rows come too fast for that.
                needed = begin > now - 2 * ring.span and ring is not self.rings[-1]
                if needed and ring.nbytes <= 2 * ring.limit:
                    break
                self._begin_at(begin, at)
                ring.drop(rows)

    def _begin_at(self, begin: float, dropping: int) -> None:
        """Let a ring begin at a moment; wider rings have the rows before it."""
        oldest = min(ring.begin for ring in self.rings)
        for at in range(dropping, -1, -1):
            ring = self.rings[at]
            begin = max(begin, ring.begin) if at == dropping else ring.begin
            wider = [wider for wider in self.rings[at + 1 :] if wider.begin < begin]
            if wider:  # rounded, so that readers get whole steps of the next ring
                begin = -floor_to(-begin, wider[0].step)
            if ring is not self.rings[-1]:
                self._take(at, begin)
            ring.begin = begin
        rows = self.rings[dropping].stored()
        kept = min(ring.begin for ring in self.rings)
        self._lose(pick(rows, (rows["time"] >= oldest) & (rows["time"] < kept)))

    def _settled(self) -> Self:
        """Return a snapshot in which late rows are appended to wider rings."""
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
        """Return the begin and end of each row; as measured, most are moments."""
        time = rows["time"]
        if self._sums:
            return time, time + rows["duration"]
        if step:
            time = np.floor(time / step) * step
        return time, time + step

    def _weighed(
        self, rows: Rows, share: Cells, touched: Cells, carried: Cells, step: Cells
    ) -> Rows:
        """Return the part of rows that counts in a window."""
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
    """Return the share of each row that is in a window; for a moment it is 0 or 1."""
    length = until - since
    overlap = np.maximum(np.minimum(until, stop) - np.maximum(since, start), 0)
    inside = (since >= start) & (since < stop)
    return np.where(length > 0, overlap / np.where(length > 0, length, 1), inside)


def _groups(keys: list[Cells]) -> tuple[Cells, Cells]:
    """Return an order that groups rows with equal keys, and the start of each group."""
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
    """Return the last known cell of each group."""
    if cells.dtype.kind != "f" or not np.isnan(cells).any():
        return cells[last]
    known = np.maximum.reduceat(np.where(np.isnan(cells), -1, np.arange(len(cells))), first)
    return np.where(known < 0, np.nan, cells[known])


def _like(cells: Cells, values: Cells) -> Cells:
    """Return values in the type of cells; integers are clipped to its range."""
    if cells.dtype.kind != "f":
        values = np.minimum(np.rint(values), min(np.iinfo(cells.dtype).max, 2**53))
    return values.astype(cells.dtype, copy=False)
