"""Copies the part of a recording that belongs to a block of code into its own recording."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from math import inf
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope import schema
from daskscope.recording.chunk import key_blocks
from daskscope.recording.log_store import UNKNOWN_TASK, LogStore
from daskscope.recording.names import NameMap
from daskscope.recording.progress import Progress
from daskscope.recording.recording_store import PRESENT, RecordingStore
from daskscope.recording.series_store import SeriesStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording.chunk import TaskChunk

LATE_S: Final = 0.5
"""Error of workers' clocks soon after they started: a task whose result was awaited in a block
may seem to stop after the block."""

SOON_S: Final = 0.1
"""Error of the scheduler's clock, including the delay of a message to it."""


@dataclass(frozen=True, slots=True)
class Positions:
    """The next numbers of the tables of a recording at some time."""

    task: int = 0
    tables: Mapping[str, int] = field(default_factory=dict)
    """Next number of each log, and of the finest ring of each series."""
    dropped_agent: int = 0
    not_read: Counter[str] = field(default_factory=Counter)
    progress: Progress = field(default_factory=Progress)

    def of(self, table: str) -> int:
        """Return the next number of a table."""
        return self.tables.get(table, 0)


def positions_of(recording: RecordingStore) -> Positions:
    """Return the next numbers of a recording."""
    with recording.together():
        return Positions(
            task=recording.next_task,
            tables={name: store.next for name, store in recording.tables.items()},
            dropped_agent=recording.counts.dropped_agent,
            not_read=recording.not_read,
            progress=recording.progress,
        )


@dataclass(frozen=True, slots=True)
class Window:
    """An interval by the scheduler's clock; samples belong to it for one heartbeat longer."""

    start: float = -inf
    stop: float = inf
    heartbeat_s: float = 0.0
    late_s: float = LATE_S
    """Tolerance for the stop times of tasks; infinite if only their numbers decide."""

    def misses(self, time: Any) -> Any:
        """Return whether tasks with these stop times are outside of the window."""
        return (time < self.start) | (time > self.stop + self.late_s)


ALWAYS: Final = Window()


class BlockRecording:
    """Follows a recording from given positions on, and copies new rows into its own recording.

    The copy has only the names that it uses. Like any recording, it is bounded and spills.
    """

    def __init__(
        self, source: RecordingStore, since: Positions, *, start: float = -inf, **limits: Any
    ) -> None:
        self.recording = RecordingStore(**limits)
        self._source = source
        self._names = NameMap(source.names, self.recording.names)
        self._pieces: list[_Piece] = []
        # For logs with a key: key values to which copied tasks and rows refer, by name of the key;
        # and the rows that are copied, as table and number in the source.
        self._wanted: dict[str, set[Any]] = {
            store.table.key: set()
            for store in source.tables.values()
            if isinstance(store, LogStore) and store.table.key
        }
        self._copied: set[tuple[str, int]] = set()
        self._at = since
        self._start = start
        self._turn = RLock()
        self._halted = False

    def advance(
        self, until: Positions, window: Window = ALWAYS, over: Positions | None = None
    ) -> None:
        """Copy the rows since the last call, up to `until`, that are in the window.

        `over` has the positions of the source at the end of the window, if that was before `until`.
        """
        with self._turn:
            self._advance(until, window, over or until)

    def halt(self) -> None:
        """Make `advance_series` do nothing from now on."""
        with self._turn:
            self._halted = True

    def advance_series(self) -> None:
        """Copy new rows of series, which the source keeps as measured only for a short time.

        Call it regularly in a long block, so that the block has fine rows.
        """
        with self._turn:
            if self._halted:
                return
            tables = dict(self._at.tables)
            for name, store in self._source.tables.items():
                if isinstance(store, SeriesStore):
                    until = store.next
                    self._advance_series(store, self._at.of(name), until, ALWAYS)
                    tables[name] = until
            self._at = replace(self._at, tables=tables)

    def _advance(self, until: Positions, window: Window, over: Positions) -> None:
        source, copy, at = self._source, self.recording, self._at
        for first, stop in tasks_within(source, at, until, window):
            self._advance_tasks(first, stop)
        copy.drop_from_agent(until.dropped_agent - at.dropped_agent)
        for name, store in source.tables.items():
            if name == schema.LOGS.name:  # a block reads the logs of processes at its end
                continue
            at_and_until = at.of(name), max(at.of(name), until.of(name))
            if isinstance(store, LogStore):
                self._advance_log(store, *at_and_until, over.of(name), window)
            else:
                self._advance_series(store, *at_and_until, window)
        copy.names.take_merged(source.names, part=True)
        self._at = until

    def _advance_tasks(self, first: int, stop: int) -> None:
        copy, pieces = self.recording, self._pieces
        begin = copy.next_task
        if pieces and pieces[-1].stop == first:
            pieces[-1] = replace(pieces[-1], stop=stop)
        else:
            pieces.append(_Piece(first, stop, begin))
        for chunk in self._source.chunks_of(first, stop):
            for block in key_blocks([chunk], first, stop):
                # Tasks in between that the source dropped meanwhile count as dropped here.
                copy.skip_tasks(begin + block.first - first - copy.next_task)
                rows = chunk.rows_of(block.first, block.stop)
                columns = {name: column[rows] for name, column in chunk.columns.items()}
                columns["task"] = columns["task"] - np.uint32(block.first)
                for name in columns.keys() & self._wanted.keys():
                    self._wanted[name].update(np.unique(columns[name]).tolist())
                copy.append_tasks(
                    block.tasks,
                    self._names.columns(schema.TASKS.columns, columns),
                    bytes(block.data),
                )
        copy.skip_tasks(begin + stop - first - copy.next_task)

    def _advance_log(
        self, store: LogStore, first: int, stop: int, over: int, window: Window
    ) -> None:
        table = store.table
        copy, tasks = self.recording.log(table.name), _tasks_of(table)
        if table.key:
            rows = self._keyed(store, first, stop, window)
        elif _is_timed(table):
            rows = _news(store, copy, first, stop, over, window)
        else:
            rows = [row for row in store.between(first, stop) if self._is_here(row, table, window)]
        for row in rows:
            for name in self._wanted.keys() & set(table.names):
                self._wanted[name].add(getattr(row, name))
            numbers = {name: self._number(getattr(row, name)) for name in tasks}
            copy.append([self._names.row(table.columns, row._replace(**numbers))])

    def _keyed(self, store: LogStore, first: int, stop: int, window: Window) -> list[Any]:
        """Return new or changed rows that are in the window or to which copied rows refer.

        A row may have been written before the window began, and again after its end.
        """
        table, found = store.table, []
        window = replace(window, start=max(window.start, self._start))
        for number, row in store.numbered(0, store.next):
            if (table.name, number) in self._copied:
                continue
            came = first <= number < stop
            known = (came or window.start > -inf) and (number < stop or window.stop < inf)
            in_time = known and bool(table.time) and not _is_outside(row, table, window)
            if in_time or getattr(row, table.key) in self._wanted[table.key]:
                self._copied.add((table.name, number))
                found.append(row)
        return found

    def _is_here(self, row: Any, table: schema.Log, window: Window) -> bool:
        """Return whether to copy a row: if a task of it is copied; without tasks, by its time."""
        tasks = [getattr(row, name) for name in _tasks_of(table)]
        if not tasks or any(self._number(task) != UNKNOWN_TASK for task in tasks):
            return True
        unknown = all(task == UNKNOWN_TASK for task in tasks)
        return unknown and bool(table.time) and not window.misses(getattr(row, table.time))

    def _advance_series(self, store: SeriesStore, first: int, stop: int, window: Window) -> None:
        table, copy = store.table, self.recording.series(store.table.name)
        rows = store.rings[0].columns(first, stop)
        copy.heartbeat_s = store.heartbeat_s
        start = max(window.start, self._start)
        sums = any(column.combine == "sum" for column in table.columns)
        # Metrics are written over the intervals of tasks, which use the clocks of the workers.
        late_s = LATE_S if table.name == schema.METRICS.name else 0.0
        until = window.stop + late_s if sums else inf
        columns = store.clipped({name: rows[name] for name in table.names}, start, until)
        if not sums:
            columns = _without_late(table, columns, window)
        if copy.next == 0:
            columns = _with_first(store, columns, start)
        if len(columns["time"]):
            columns = self._names.columns(table.columns, columns)
            copy.append(columns, now=float(columns["time"].max()))

    def _number(self, task: int) -> int:
        """Return the number that a task of the source has in the copy, or UNKNOWN_TASK."""
        at = bisect_right(self._pieces, task, key=lambda piece: piece.first) - 1
        if at < 0 or task >= self._pieces[at].stop:
            return UNKNOWN_TASK
        piece = self._pieces[at]
        return piece.number + task - piece.first

    def note_present(self, workers: Sequence[Mapping[str, Any]], window: Window) -> None:
        """Log which workers were present when the window began, and take over their names."""
        log, names = self._source.log(schema.WORKERS.name), self._source.worker_names
        came = {
            row.worker
            for row in log.since(self._at.of(log.table.name))
            if row.what in (PRESENT, "added") and not _is_outside(row, log.table, window)
        }
        there = {one["address"]: one["threads"] for one in workers if one["address"] not in came}
        self.recording.name_workers({one: names[one] for one in there if one in names})
        self.recording.note_present(there, window.start)

    def name_workers(self) -> None:
        """Take over the names of the workers that occur in the copy."""
        copy = self.recording
        used = {worker for worker, _ in copy.names.lanes}
        for store in copy.tables.values():
            columns = store.columns() if isinstance(store, LogStore) else store.rows()
            for column in store.table.columns:
                if column.holds == ("hosts",):  # addresses; values without a name are ignored
                    used.update(columns[column.name])
        names = self._source.worker_names
        copy.name_workers({worker: names[worker] for worker in used if worker in names})


@dataclass(frozen=True, slots=True)
class _Piece:
    """Consecutive tasks of the source, and the number of the first one in the copy."""

    first: int
    stop: int
    number: int


def tasks_within(
    source: RecordingStore, since: Positions, until: Positions, window: Window
) -> list[tuple[int, int]]:
    """Return ranges of the tasks between two positions that stopped within a window.

    A task without a known stop time (it has no rows, or was dropped) is treated like the task
    before it.
    """
    first, stop = since.task, until.task
    everything = window.start == -inf and window.stop + window.late_s == inf
    if everything or first >= stop:
        return [(first, stop)] if first < stop else []
    edges: list[tuple[int, bool]] = []  # first number of each run, and whether it is within
    erred = {
        error.task: error.time
        for error in source.log(schema.ERRORS.name).since(since.of(schema.ERRORS.name))
        if first <= error.task < stop
    }
    for chunk in source.chunks_of(first, stop):
        numbers, stops = _last_stops(chunk, first, stop)
        here = [number for number in erred if chunk.first <= number < chunk.stop]
        rowless = np.setdiff1d(np.array(here, "u4"), numbers)
        numbers = np.concatenate([numbers, rowless])
        stops = np.concatenate([stops, [erred[int(number)] for number in rowless]])
        order = np.argsort(numbers, kind="stable")
        numbers, inside = numbers[order], ~window.misses(stops[order])
        for at in np.flatnonzero(np.diff(inside, prepend=~inside[:1])).tolist():
            if not edges or edges[-1][1] != inside[at]:
                edges.append((int(numbers[at]), bool(inside[at])))
    if not edges:
        return []
    starts = [first, *(number for number, _ in edges[1:])]
    stops_ = [*starts[1:], stop]
    return [
        (low, high) for low, high, (_, inside) in zip(starts, stops_, edges, strict=True) if inside
    ]


def _last_stops(
    chunk: TaskChunk, first: int, stop: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Return the numbers of a chunk's tasks with rows, and when the last row of each stopped."""
    rows = chunk.rows_of(first, stop)
    tasks, at = np.unique(chunk.columns["task"][rows], return_index=True)
    if not len(tasks):
        return tasks, np.empty(0)
    stops = chunk.columns["start"][rows] + chunk.columns["duration"][rows]
    return tasks, np.maximum.reduceat(stops, at)


def _is_timed(table: schema.Log) -> bool:
    """Return whether rows of a log are selected by their own time, not by their tasks."""
    return bool(table.time) and not _tasks_of(table)


def _tasks_of(table: schema.Log) -> list[str]:
    """Return the names of a log's columns that contain task numbers."""
    return [column.name for column in table.columns if column.into == schema.TASKS.name]


def _news(
    source: LogStore, copy: LogStore, since: int, until: int, over: int, window: Window
) -> list[Any]:
    """Return the rows between two numbers that are in a window.

    Rows that the source has dropped count as dropped here if they must have been in the window:
    they come after the last row before it, and before its end or before a row in it.
    """
    table, there = source.table, source.numbered(since, until)
    if source.dropped and not table.key:  # in a log with a key, later rows replace earlier ones
        first = max([since, *(n + 1 for n, row in there if _is_before(row, table, window))])
        stop = max([over, *(n + 1 for n, row in there if not _is_after(row, table, window))])
        copy.count_dropped(stop - first - sum(first <= n < stop for n, _ in there))
    return [row for _, row in there if not _is_outside(row, table, window)]


def _is_outside(row: Any, table: schema.Log, window: Window) -> bool:
    return _is_before(row, table, window) or _is_after(row, table, window)


def _is_before(row: Any, table: schema.Log, window: Window) -> bool:
    return bool(getattr(row, table.stop or table.time) < window.start)


def _is_after(row: Any, table: schema.Log, window: Window) -> bool:
    slack_s = 0.0 if table.stop else SOON_S
    return bool(getattr(row, table.time) > window.stop + slack_s)


def _without_late(
    table: schema.Series, columns: dict[str, NDArray[Any]], window: Window
) -> dict[str, NDArray[Any]]:
    """Return the rows up to the end of the window, and the first later value of each column."""
    late = columns["time"] >= window.stop + window.heartbeat_s
    chosen = ~late
    keys = [columns[column.name] for column in table.columns if column.combine == "key"]
    for column in table.columns:
        if column.combine in ("extremes", "last"):
            met: set[tuple[Any, ...]] = set()
            for row in np.flatnonzero(late & ~np.isnan(columns[column.name])).tolist():
                key = tuple(cells[row] for cells in keys)
                chosen[row] |= key not in met
                met.add(key)
    return {name: values[chosen] for name, values in columns.items()}


def _with_first(
    store: SeriesStore, columns: dict[str, NDArray[Any]], start: float
) -> dict[str, NDArray[Any]]:
    """Prepend the values at the start of the window, for values that last until they change."""
    table = store.table
    lasts = table.lasts or any(column.combine == "last" for column in table.columns)
    if start == -inf or not lasts:
        return columns
    first = store.latest(start)
    first["time"] = np.full(len(first["time"]), start)
    return {name: np.concatenate([first[name], cells]) for name, cells in columns.items()}
