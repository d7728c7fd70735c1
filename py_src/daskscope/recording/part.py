"""A part of a recording, as a recording of its own: what happened in a block of code."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import numpy as np

from daskscope.recording.chunk import key_blocks
from daskscope.recording.core import RecordingCore
from daskscope.recording.counts import NotRead
from daskscope.recording.logs import (
    UNKNOWN_TASK,
    Event,
    Gap,
    Log,
    RowlessTask,
    TaskError,
    WorkerChange,
)
from daskscope.recording.name_map import NameMap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from daskscope.recording.chunk import TaskChunk
    from daskscope.recording.store import Overflow

E = TypeVar("E", TaskError, RowlessTask)
L = TypeVar("L", WorkerChange, Gap, Event)

LATE_S: Final = 0.5
"""Clocks of workers are known to so much, soon after they started: what somebody waited for
in a block may seem to stop after it."""

SOON_S: Final = 0.1
"""And the scheduler's own clock to so much, with the way of a message to it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a recording was at some time: the numbers that come next."""

    task: int = 0
    errors: int = 0
    changes: int = 0
    gaps: int = 0
    events: int = 0
    lines: int = 0
    cluster: int = 0
    scheduler: int = 0
    rowless: int = 0
    dropped_agent: int = 0
    not_read: NotRead = field(default_factory=NotRead)


def mark(recording: RecordingCore) -> Mark:
    """Return how far a recording is.

    >>> mark(RecordingCore())
    Mark(task=0, errors=0, changes=0, gaps=0, events=0, lines=0, cluster=0, scheduler=0, \
rowless=0, dropped_agent=0, not_read=NotRead(events=0, incomplete=0, unreadable=0))
    """
    with recording.together():
        return Mark(
            task=recording.next_task,
            errors=recording.error_log.next,
            changes=recording.change_log.next,
            gaps=recording.gap_log.next,
            events=recording.event_log.next,
            lines=recording.line_log.next,
            cluster=recording.cluster_log.next,
            scheduler=recording.scheduler_log.next,
            rowless=recording.rowless_log.next,
            dropped_agent=recording.counts.dropped_agent,
            not_read=recording.not_read,
        )


def mark_over(recording: RecordingCore, at_once: Mark, told: Mark, window: Window) -> Mark:
    """Return the mark of the end of a time, at which a recording was at one mark already.

    At another one there is all from before the end, and of the logs some from after it.
    """
    return replace(
        told,
        changes=_over(recording.change_log, at_once.changes, told.changes, window),
        gaps=_over(recording.gap_log, at_once.gaps, told.gaps, window),
        events=_over(recording.event_log, at_once.events, told.events, window),
    )


@dataclass(frozen=True, slots=True)
class Window:
    """A time by the scheduler's clock; what is sampled is of it for a heartbeat longer."""

    start: float = -inf
    stop: float = inf
    heartbeat_s: float = 0.0
    late_s: float = LATE_S
    """So much later tasks may seem to stop; infinite where their numbers tell."""

    def misses(self, time: Any) -> Any:
        """Return whether tasks that stopped then are of another time."""
        return (time < self.start) | (time > self.stop + self.late_s)


ALWAYS: Final = Window()


class Part:
    """Follows a recording from a mark on, and copies what came into a recording of its own.

    It has only the names that it uses; the copy is bounded, and spills, like any recording.
    """

    def __init__(
        self,
        source: RecordingCore,
        since: Mark,
        *,
        memory_limit: int,
        disk_limit: int,
        overflow: Overflow,
        directory: str | None = None,
    ) -> None:
        self.recording = RecordingCore(
            memory_limit=memory_limit,
            disk_limit=disk_limit,
            overflow=overflow,
            directory=directory,
        )
        self._source = source
        self._names = NameMap(source.names, self.recording.names)
        self._pieces: list[_Piece] = []
        self._at = since

    def advance(self, until: Mark, window: Window = ALWAYS, over: Mark | None = None) -> None:
        """Copy what came since the last time, up to a mark, as far as it is of a time.

        `over` is where the source was when the time was over, if that was before `until`.
        """
        source, copy, at = self._source, self.recording, self._at
        over = over or until
        for first, stop in tasks_within(source, at, until, window):
            self._advance_tasks(first, stop)
        copy.drop_from_agent(until.dropped_agent - at.dropped_agent)
        copy.append_errors(
            [
                self._numbered(error)
                for error in source.error_log.between(at.errors, until.errors)
                if self._number(error.task) is not None
                or (error.task == UNKNOWN_TASK and not window.misses(error.time))
            ]
        )
        copy.append_rowless(
            [
                self._numbered(task)
                for task in source.rowless_log.between(at.rowless, until.rowless)
                if self._number(task.task) is not None
            ]
        )
        copy.append_changes(
            _news(
                source.change_log, copy.change_log, at.changes, until.changes, over.changes, window
            )
        )
        for gap in _news(source.gap_log, copy.gap_log, at.gaps, until.gaps, over.gaps, window):
            copy.append_gap(gap.start, gap.stop, gap.reason, gap.text)
        copy.append_events(
            _news(source.event_log, copy.event_log, at.events, until.events, over.events, window)
        )
        copy.append_lines(_within(source.line_log.between(at.lines, until.lines), window))
        copy.append_cluster(_sampled(source.cluster_log.between(at.cluster, until.cluster), window))
        copy.append_scheduler(
            _sampled(source.scheduler_log.between(at.scheduler, until.scheduler), window)
        )
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
                # Those between that the source has dropped meanwhile count as dropped here.
                copy.skip_tasks(begin + block.first - first - copy.next_task)
                rows = chunk.rows_of(block.first, block.stop)
                columns = {name: column[rows] for name, column in chunk.columns.items()}
                columns["task"] = columns["task"] - np.uint32(block.first)
                copy.append_tasks(block.tasks, self._names.columns(columns), bytes(block.data))
        copy.skip_tasks(begin + stop - first - copy.next_task)

    def _numbered(self, entry: E) -> E:
        """Return an entry with its task and prefix as they are in the copy."""
        task, prefix = self._number(entry.task), self._names.index("prefixes", entry.prefix)
        return replace(entry, task=UNKNOWN_TASK if task is None else task, prefix=prefix)

    def _number(self, task: int) -> int | None:
        """Return the number in the copy of a task of the source, if it is there."""
        at = bisect_right(self._pieces, task, key=lambda piece: piece.first) - 1
        if at < 0 or task >= self._pieces[at].stop:
            return None
        piece = self._pieces[at]
        return piece.number + task - piece.first

    def name_workers(self) -> None:
        """Take over the names of those workers that occur in the copy."""
        copy = self.recording
        used = {worker for worker, _ in copy.names.lanes}
        used.update(change.worker for change in (*copy.present, *copy.change_log.since(0)))
        used.update(error.worker for error in copy.error_log.since(0))
        used.update(line.source for line in copy.line_log.since(0))
        names = self._source.worker_names
        copy.name_workers({worker: names[worker] for worker in used if worker in names})


@dataclass(frozen=True, slots=True)
class _Piece:
    """Consecutive tasks of the source, and which number the first one has in the copy."""

    first: int
    stop: int
    number: int


def tasks_within(
    source: RecordingCore, since: Mark, until: Mark, window: Window
) -> list[tuple[int, int]]:
    """Return those of the tasks between two marks that stopped within a time, as ranges.

    A task of which that is not known (it ran nowhere, or is not kept) goes with the one
    before it.
    """
    first, stop = since.task, until.task
    everything = window.start == -inf and window.stop + window.late_s == inf
    if everything or first >= stop:
        return [(first, stop)] if first < stop else []
    edges: list[tuple[int, bool]] = []  # from which number on they are within, or not
    erred = {
        error.task: error.time
        for error in source.error_log.since(since.errors)
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
    """Return the numbers of tasks of a chunk that have rows, and when the last row stopped."""
    rows = chunk.rows_of(first, stop)
    tasks, at = np.unique(chunk.columns["task"][rows], return_index=True)
    if not len(tasks):
        return tasks, np.empty(0)
    stops = chunk.columns["start"][rows] + chunk.columns["duration"][rows]
    return tasks, np.maximum.reduceat(stops, at)


def _over(log: Log[L], since: int, until: int, window: Window) -> int:
    """Return the number that follows those entries between two that are not after a time."""
    there: list[tuple[int, L]] = log.numbered(since, until)
    return max([since, *(n + 1 for n, entry in there if not _is_after(entry, window))])


def _news(
    source: Log[L], copy: Log[L], since: int, until: int, over: int, window: Window
) -> list[L]:
    """Return what came between two numbers, as far as it is of a time.

    What the source has no more counts as dropped, as far as it is known to be of the time, too:
    it came when that was not over, or before something of it, and after all from before it.
    """
    there: list[tuple[int, L]] = source.numbered(since, until)
    first = max([since, *(n + 1 for n, entry in there if _is_before(entry, window))])
    stop = max([over, *(n + 1 for n, entry in there if not _is_after(entry, window))])
    copy.count_dropped(stop - first - sum(first <= n < stop for n, _ in there))
    return _within((entry for _, entry in there), window)


class _Timed(Protocol):
    @property
    def time(self) -> float: ...


T = TypeVar("T", bound=_Timed)
P = TypeVar("P", bound=_Timed | Gap)


def _within(entries: Iterable[P], window: Window) -> list[P]:
    return [
        entry for entry in entries if not _is_before(entry, window) and not _is_after(entry, window)
    ]


def _is_before(entry: _Timed | Gap, window: Window) -> bool:
    return (entry.stop if isinstance(entry, Gap) else entry.time) < window.start


def _is_after(entry: _Timed | Gap, window: Window) -> bool:
    if isinstance(entry, Gap):
        return entry.start > window.stop
    return entry.time > window.stop + SOON_S


def _sampled(samples: Sequence[T], window: Window) -> list[T]:
    """Return the samples of a time, up to the first one in which all heartbeats are."""
    found = []
    for sample in samples:
        if not sample.time < window.start:
            found.append(sample)
        if sample.time >= window.stop + window.heartbeat_s:
            break
    return found
