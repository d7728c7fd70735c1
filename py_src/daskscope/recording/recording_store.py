"""The recording of one session: bounded tables, and counts of what was dropped."""

from __future__ import annotations

import json
import time
from collections import Counter
from copy import copy, deepcopy
from itertools import islice
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import numpy as np

from daskscope import schema
from daskscope.forks import renew_in_children
from daskscope.recording.chunk import DTYPES, KeyBlock, TaskChunk, chunks_within
from daskscope.recording.log_store import LogStore
from daskscope.recording.names import Names, clean, shown_name
from daskscope.recording.progress import Progress
from daskscope.recording.recording import Recording
from daskscope.recording.series_store import SeriesStore
from daskscope.recording.store import ChunkStore, Overflow
from daskscope.recording.totals import Counts, Sums, Totals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    MakeFigures = Callable[["RecordingStore"], dict[str, Any]]

MAX_TASKS: Final = 2**32
"""Task numbers travel as uint32; a recording takes no more tasks than that."""

MAX_WORKER_NAMES: Final = 10_000
"""An adaptive cluster may start any number of workers; the oldest names are dropped."""

PRESENT: Final = "present"
"""Text in the log for a worker that was present when recording began."""


class RecordingStore(Recording):
    """The internal form of a recording: columnar, append-only, bounded.

    One thread appends; any thread may read. Users get a read-only view, ``Recording(core)``.
    """

    def __init__(
        self,
        *,
        memory_limit: int = 512 * 2**20,
        disk_limit: int = 8 * 2**30,
        overflow: Overflow = "spill",
        directory: str | None = None,
    ) -> None:
        if memory_limit < schema.MIN_RECORDING_BYTES:
            wanted = f"at least {schema.MIN_RECORDING_BYTES / 1e6:g} MB"
            raise ValueError(f"memory_limit: {wanted}, not {memory_limit:,} bytes")
        if disk_limit < 0:
            raise ValueError(f"disk_limit: not negative, but {disk_limit}")
        if overflow not in get_args(Overflow):
            raise ValueError(f'overflow: "spill" or "drop", not {overflow!r}')
        self.names = Names()
        self.names.seconds = self._seconds_of
        takes = {schema.ROWLESS.name: self._take_rowless, schema.WORKERS.name: self._take_workers}
        self.tables: dict[str, LogStore | SeriesStore] = {
            name: LogStore(table, takes.get(name))
            if isinstance(table, schema.Log)
            else SeriesStore(table)
            for name, table in schema.tables().items()
            if isinstance(table, schema.Log | schema.Series)
        }
        self.about_facts: dict[str, Any] = {}
        self.make_figures: MakeFigures | None = None  # set by code that may import `derive`
        self.not_read: Counter[str] = Counter()  # by code of a notice; replaced by the collector
        self.progress = Progress()  # replaced by the collector
        self._present = 0  # log rows of workers present at the start, which are not changes
        self._present_noted = False
        self._worker_names: Mapping[str, str] = {}  # replaced, never changed
        self._store = ChunkStore(memory_limit, disk_limit, overflow, directory)
        self._renew_locks()
        self._next = 0
        self._rows = 0
        self._refused = 0  # tasks beyond MAX_TASKS
        self.skipped = 0  # tasks that have numbers but were lost
        self._dropped_agent = 0
        self._sums = Sums()
        self._origin: float | None = None
        self._sampled: float | None = None  # time of the first sample
        self._grew_s = float("-inf")  # monotonic
        self._closed = False
        renew_in_children(self._renew_locks)

    @property
    def _core(self) -> RecordingStore:
        return self

    def _renew_locks(self) -> None:
        """Make new locks, initially and in a forked child."""
        self._writer = RLock()  # one append at a time
        self._lock = Lock()  # held briefly, for totals, logs, and the store's list of chunks
        self._store.lock = self._lock
        for table in self.tables.values():
            table.renew_lock()

    def log(self, name: str) -> LogStore:
        """Return the rows of a log."""
        return cast("LogStore", self.tables[name])

    def series(self, name: str) -> SeriesStore:
        """Return the rows of a series."""
        return cast("SeriesStore", self.tables[name])

    # Writing

    def together(self) -> RLock:
        """Return the lock to hold while appending or reading several tables consistently."""
        return self._writer

    def append_tasks(
        self,
        tasks: int,
        columns: Mapping[str, ArrayLike],
        keys: bytes | memoryview,
        *,
        rowless: Mapping[str, ArrayLike] | None = None,
    ) -> int:
        """Append consecutive tasks; return the number of the first one.

        ``columns`` are those of ``schema.TASKS``, with one value per row; ``task`` counts
        from 0 within this call. ``keys`` is the packed block of all ``tasks`` keys.
        ``rowless`` has ``prefix`` and ``status`` of the tasks without rows, for example of a
        killed worker: they count in the totals.
        """
        arrays = _checked(tasks, columns)
        with self._writer:
            first = self._next
            if self._closed or not tasks:
                return first
            if first + tasks > MAX_TASKS:
                with self._lock:
                    self._refused += tasks
                return first
            if self._origin is None:
                starts = arrays["start"]
                starts = starts[np.isfinite(starts)]
                self._origin = float(starts.min()) if len(starts) else None
            numbered = {**arrays, "task": arrays["task"] + np.uint32(first)}

            def count() -> None:
                self._sums.add_rows(arrays)
                self._next = first + tasks
                self._grew_s = time.monotonic()
                self._rows += len(arrays["task"])

            self._store.append(numbered, KeyBlock(first, tasks, bytes(keys)), count)
            if rowless is not None:
                self.log(schema.ROWLESS.name).append(
                    _rowless(first, tasks, arrays["task"], rowless)
                )
            return first

    def _take_rowless(self, rows: list[Any]) -> list[Any]:
        """Count appended tasks that have no rows."""
        with self._lock:
            self._sums.add_tasks(
                np.array([row.prefix for row in rows], "u2"),
                np.array([row.status for row in rows], "u1"),
            )
        return rows

    def _take_workers(self, rows: list[Any]) -> list[Any]:
        """Add the present names to rows of workers; count rows that are not changes."""
        self._present += sum(row.what == PRESENT for row in rows)
        names = self._worker_names
        return [row if row.name else row._replace(name=names.get(row.worker, "")) for row in rows]

    def raise_totals(self, totals: Totals) -> None:
        """Raise the totals to those of a source that captured more than this recording."""
        with self._lock:
            self._sums.raise_to(totals)

    def take_logged(self, erred: int, changes: int) -> None:
        """Take over a source's counts of erred tasks and of changes of workers.

        Rows missing here count as dropped; some dropped rows of workers may not be changes.
        """
        errors, workers = self.log(schema.ERRORS.name), self.log(schema.WORKERS.name)
        if erred > self.counts.erred:
            errors.count_dropped(erred - errors.next)
        more = changes - self.counts.changes
        workers.count_dropped(more)
        self._present += min(max(-more, 0), workers.dropped)

    def name_workers(self, given: Mapping[str, str]) -> None:
        """Take over the scheduler's names of workers, by address."""
        named = {
            clean(address): clean(shown_name(name, address)) for address, name in given.items()
        }
        if not named.items() <= self._worker_names.items():
            every = {**self._worker_names, **named}
            self._worker_names = dict(
                islice(every.items(), max(0, len(every) - MAX_WORKER_NAMES), None)
            )

    def note_present(self, threads: Mapping[str, int], now: float) -> None:
        """Log which workers were present when recording began; only the first call does so.

        Workers that are in the log as added are left out.
        """
        if self._present_noted:
            return
        self._present_noted = True
        log = self.log(schema.WORKERS.name)
        came = {row.worker for row in log.since(0) if row.what == "added"}
        log.append(
            {
                "time": now,
                "worker": worker,
                "what": PRESENT,
                "detail": f"{count} thread{'' if count == 1 else 's'}",
            }
            for worker, count in threads.items()
            if worker not in came
        )

    def drop_from_agent(self, tasks: int) -> None:
        """Count tasks that the agent dropped before they were read."""
        with self._lock:
            self._dropped_agent += tasks

    def skip_tasks(self, tasks: int) -> None:
        """Skip the numbers of lost tasks, which count as dropped."""
        if tasks <= 0:
            return
        with self._writer:
            self._store.seal()
            with self._lock:
                self._next += tasks
                self.skipped += tasks

    def close(self) -> None:
        """Refuse further rows; existing ones stay readable."""
        with self._writer:
            self._closed = True

    # Reading

    @property
    def next_task(self) -> int:
        """Number of the next task."""
        return self._next

    @property
    def counts(self) -> Counts:  # noqa: D102
        with self._lock:
            dropped, dropped_rows = self._store.dropped
            return Counts(
                captured=self._next + self._dropped_agent + self._refused,
                kept=self._next - dropped - self.skipped,
                dropped_agent=self._dropped_agent,
                dropped_recording=dropped + self.skipped + self._refused,
                rows=self._rows - dropped_rows,
                # Tasks dropped before they were read are only in the log of errors.
                erred=max(int(self._sums.erred.sum()), self.log(schema.ERRORS.name).next),
                changes=self.log(schema.WORKERS.name).next - self._present,
            )

    @property
    def totals(self) -> Totals:
        """Running figures by prefix and by action; dropping rows does not change them."""
        with self._lock:
            return self._sums.freeze()

    def sums(self) -> Sums:
        """Return a copy of the arrays behind the totals."""
        with self._lock:
            return deepcopy(self._sums)

    def _seconds_of(self, kind: str) -> tuple[int, NDArray[np.float64]]:
        """Return the number of rows, as a version, and the seconds of a dictionary's entries."""
        is_known = kind == schema.PREFIXES.name
        return self._rows, self._sums.seconds if is_known else np.zeros(0)

    @property
    def origin(self) -> float | None:  # noqa: D102
        return self._origin

    @property
    def begin(self) -> float | None:
        """Start of the first task; until there is one, time of the first sample of the cluster."""
        if self._sampled is None:
            times = self.series(schema.SYSTEM.name).rings[0].columns(0, 1)["time"]
            self._sampled = float(times[0]) if len(times) else None
        return self._sampled if self._origin is None else self._origin

    @property
    def quiet_s(self) -> float:
        """Seconds since tasks last arrived; infinite before the first."""
        return time.monotonic() - self._grew_s

    @property
    def memory_bytes(self) -> int:  # noqa: D102
        return self._store.memory_bytes

    @property
    def disk_bytes(self) -> int:  # noqa: D102
        return self._store.disk_bytes

    @property
    def spill_error(self) -> str | None:
        """Why spilling to disk failed, if it did."""
        return self._store.spill_error

    @property
    def skewed_rows(self) -> int:
        """Number of rows that end before they start, because clocks disagree."""
        return self._sums.skewed_rows

    def chunks(self) -> list[TaskChunk]:
        """Return the kept chunks, oldest first; the list and its chunks never change."""
        return self._store.chunks()

    def chunks_of(self, first: int, stop: int) -> list[TaskChunk]:
        """Return the chunks that have any of the tasks `first` … `stop`, oldest first."""
        return chunks_within(self.chunks(), first, stop)

    def chunk_of(self, task: int) -> TaskChunk | None:
        """Return the chunk with a task, or `None` if it was dropped or has not arrived."""
        return next(iter(self.chunks_of(task, task + 1)), None)

    def key_of(self, task: int) -> str:
        """Return the key of a task, ``""`` if the task is not kept."""
        chunk = self.chunk_of(task)
        return chunk.key_of(task) if chunk is not None else ""

    @property
    def worker_names(self) -> dict[str, str]:  # noqa: D102
        return dict(self._worker_names)


def rows_by_step(series: SeriesStore) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
    """Yield steps with their rows, without empty ones; each moment is in one step only."""
    rows = series.rows()
    for step in schema.STEPS:
        chosen = rows["step"] == step
        if chosen.any():
            yield step, {name: column[chosen] for name, column in rows.items() if name != "step"}


def _rowless(
    first: int, tasks: int, seen: NDArray[Any], given: Mapping[str, ArrayLike]
) -> list[dict[str, int]]:
    """Return log rows for the tasks without rows; `given` has them in order of their numbers."""
    nowhere = np.ones(tasks, bool)
    nowhere[seen] = False
    prefix, status = np.asarray(given["prefix"], "u2"), np.asarray(given["status"], "u1")
    return [
        {"task": first + int(number), "prefix": int(a), "status": int(b)}
        for number, a, b in zip(np.flatnonzero(nowhere), prefix, status, strict=False)
    ]


def _checked(tasks: int, columns: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """Return the columns with their declared types, sorted by task number."""
    with np.errstate(over="ignore"):  # workers may send nonsense times
        arrays = {name: np.asarray(columns[name], dtype) for name, dtype in DTYPES.items()}
    rows = len(arrays["task"])
    for name, array in arrays.items():
        if array.shape != (rows,):
            raise ValueError(f"columns[{name!r}]: {rows} values expected, {array.shape} given")
    task = arrays["task"]
    if rows and int(task.max()) >= tasks:
        raise ValueError(f"columns['task']: {int(task.max())} is not below tasks={tasks}")
    if np.any(task[1:] < task[:-1]):
        order = np.argsort(task, kind="stable")
        arrays = {name: array[order] for name, array in arrays.items()}
    return arrays


ABOUT: Final = "about.json"
SUMMARY: Final = "summary"
WHOLE: Final = "whole"
"""Fact whether the loaded file was complete."""


def about_of(recording: RecordingStore) -> dict[str, Any]:
    """Return the facts about a recording, with a summary of its present rows.

    A summary stored with it may be outdated: the recording may have grown since, or dropped
    tasks while it was opened.
    """
    facts = {name: fact for name, fact in recording.about_facts.items() if name != SUMMARY}
    if recording.spill_error:
        facts["spill_error"] = recording.spill_error
    if recording.make_figures is not None:
        figures = recording.make_figures(recording)
        facts |= {"missing": list(figures["missing"]), SUMMARY: figures}
    return facts


def about_json(recording: RecordingStore) -> str:
    """Return the same with counts as JSON, for files beside tables in other formats."""
    facts = {
        **about_of(recording),
        "origin": recording.origin,
        "counts": recording.counts.to_json(),
    }
    return json.dumps(facts, indent=1)


def snapshot(recording: RecordingStore) -> RecordingStore:
    """Return a copy of a recording as it is now, which does not change.

    Immutable data is shared: only the list of chunks is copied, regardless of the number of tasks.
    """
    with recording.together():
        now = copy(recording)
        # Before taking the lock below, because appending to a log takes it after that log's lock.
        now.tables = {name: table.snapshot() for name, table in recording.tables.items()}
        with recording._lock:
            now._store = recording._store.snapshot()
            now._sums = deepcopy(recording._sums)
        now.names = recording.names.snapshot()
    now._renew_locks()
    now.close()
    return now
