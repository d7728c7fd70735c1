"""The recording of one session: what was captured, within bounds, and what was lost."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from dataclasses import asdict, dataclass
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from daskscope.forks import renew_in_children
from daskscope.recording import frames
from daskscope.recording.chunk import DTYPES, KeyBlock, TaskChunk
from daskscope.recording.logs import (
    MAX_CHANGES,
    MAX_ERRORS,
    MAX_GAPS,
    Gap,
    Log,
    TaskError,
    WorkerChange,
)
from daskscope.recording.names import Names
from daskscope.recording.store import ChunkStore, Overflow
from daskscope.recording.totals import Sums, Totals
from daskscope.recording.worker_names import WorkerNames
from daskscope.schema import MIN_RECORDING_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

MAX_TASKS: Final = 2**32
"""Task numbers travel as uint32; a recording takes no more tasks than that."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was captured, and how much of it is here.

    ``captured`` tasks reached the agent since it came; ``kept`` are in the
    recording, with ``rows`` start/stop intervals. The rest was dropped, by the
    agent's bound or by the recording's. ``erred`` counts captured tasks, whether
    they, or what they raised, were dropped or not. So does ``changes`` count how
    often a worker came, changed or left, of which the newest are kept.
    """

    captured: int = 0
    kept: int = 0
    dropped_agent: int = 0
    dropped_recording: int = 0
    rows: int = 0
    erred: int = 0
    changes: int = 0

    def to_json(self) -> dict[str, int]:
        """Return the counts as a message carries them."""
        return asdict(self)


class Recording:
    """Columnar, append-only, bounded. Appended by one thread, read from any.

    >>> from daskscope.recording import Recording, pack_keys
    >>> recording = Recording(memory_limit=4_000_000)
    >>> lane = recording.names.intern("lanes", ("tcp://10.0.0.1:1", "140"))
    >>> prefix = recording.names.intern("prefixes", "inc")
    >>> row = {"start": [5.0], "duration": [0.1], "lane": [lane], "prefix": [prefix],
    ...        "action": [0], "status": [0], "nbytes": [28], "span": [0], "task": [0]}
    >>> recording.append_tasks(1, row, pack_keys(0, ["inc-1"]).data)
    0
    >>> recording.counts.kept
    1
    >>> recording.tasks[["start", "prefix", "action", "key"]].values.tolist()
    [[5.0, 'inc', 'compute', 'inc-1']]
    """

    def __init__(
        self,
        *,
        memory_limit: int = 512 * 2**20,
        disk_limit: int = 8 * 2**30,
        overflow: Overflow = "spill",
        directory: str | None = None,
    ) -> None:
        if memory_limit < MIN_RECORDING_BYTES:
            wanted = f"at least {MIN_RECORDING_BYTES / 1e6:g} MB"
            raise ValueError(f"memory_limit: {wanted}, not {memory_limit:,} bytes")
        if disk_limit < 0:
            raise ValueError(f"disk_limit: not negative, but {disk_limit}")
        if overflow not in get_args(Overflow):
            raise ValueError(f'overflow: "spill" or "drop", not {overflow!r}')
        self.names = Names()
        self.error_log: Log[TaskError] = Log(MAX_ERRORS)
        self.change_log: Log[WorkerChange] = Log(MAX_CHANGES)
        self.gap_log: Log[Gap] = Log(MAX_GAPS)
        self._present: list[WorkerChange] | None = None  # until the first snapshot
        self._worker_names = WorkerNames()
        self._store = ChunkStore(memory_limit, disk_limit, overflow, directory)
        self.renew_locks()
        self._next = 0
        self._rows = 0
        self._refused = 0
        self._dropped_agent = 0
        self._sums = Sums()
        self._origin: float | None = None
        self._grew_s = float("-inf")  # monotonic
        self._closed = False
        renew_in_children(self)

    def renew_locks(self) -> None:
        """Take locks that nobody holds: at first, and in a forked child."""
        self._writer = RLock()  # one append at a time
        self._lock = Lock()  # held for moments: figures, logs, and the store's list of chunks
        self._store.lock = self._lock
        for log in (self.error_log, self.change_log, self.gap_log):
            log.renew_lock()

    # Writing

    def append_tasks(
        self,
        tasks: int,
        columns: Mapping[str, ArrayLike],
        keys: bytes,
        *,
        rowless: Mapping[str, ArrayLike] | None = None,
    ) -> int:
        """Append consecutive tasks; return the number that the first one got.

        ``columns`` are those of ``schema.TASKS``, one value a row; ``task`` counts
        from 0 within this call. ``keys`` is the packed block of all ``tasks`` keys.
        ``rowless`` gives ``prefix`` and ``status`` of those of the tasks that ran
        nowhere (a killed worker) and so have no row: they count in the totals.
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
                if rowless is not None:
                    self._sums.add_tasks(
                        np.asarray(rowless["prefix"], "u2"), np.asarray(rowless["status"], "u1")
                    )
                self._next = first + tasks
                self._grew_s = time.monotonic()
                self._rows += len(arrays["task"])

            self._store.append(numbered, KeyBlock(first, tasks, bytes(keys)), count)
            return first

    def append_errors(self, errors: Sequence[TaskError]) -> None:
        """Append tasks that erred, with what they raised."""
        with self._lock:
            self.error_log.extend(list(errors))

    def drop_errors(self, errors: int) -> None:
        """Count errors whose texts the agent's bound cost before they were read."""
        with self._lock:
            self.error_log.skip(errors)

    def append_changes(self, changes: Sequence[WorkerChange]) -> None:
        """Append workers that came, changed or left."""
        with self._lock:
            self.change_log.extend(list(changes))

    def drop_changes(self, changes: int) -> None:
        """Count changes of workers that the agent's bound cost before they were read."""
        with self._lock:
            self.change_log.skip(changes)

    def name_workers(self, given: Mapping[str, str]) -> None:
        """Say what the scheduler calls the workers at some addresses."""
        self._worker_names.learn(given)

    def note_present(self, threads: Mapping[str, int], now: float) -> None:
        """Say which workers were there when recording began: the first call counts.

        Those that the log has as added are no news. These entries are no changes: they are
        neither counted nor sent to pages, which are told of all workers that are there.
        """
        if self._present is not None:
            return
        with self._lock:
            came = {change.worker for change in self.change_log.since(0) if change.what == "added"}
        there = [(worker, count) for worker, count in threads.items() if worker not in came]
        self._present = [
            WorkerChange(now, worker, "present", f"{count} thread{'' if count == 1 else 's'}")
            for worker, count in there[:MAX_CHANGES]
        ]

    def append_gap(self, start: float, stop: float, reason: str, text: str) -> None:
        """Say that tasks between two times may have run unseen, and why."""
        with self._lock:
            self.gap_log.extend([Gap(start, stop, reason, text)])

    def drop_from_agent(self, tasks: int) -> None:
        """Count tasks that the agent's memory bound cost before they were read."""
        with self._lock:
            self._dropped_agent += tasks

    def close(self) -> None:
        """Take no more. What is there stays readable until nobody holds it."""
        with self._writer:
            self._closed = True

    # Reading

    @property
    def next_task(self) -> int:
        """Number that the next task will get."""
        return self._next

    @property
    def counts(self) -> Counts:
        """Exact figures: captured, kept, dropped, rows, erred, changes."""
        with self._lock:
            dropped, dropped_rows = self._store.dropped
            return Counts(
                captured=self._next + self._dropped_agent + self._refused,
                kept=self._next - dropped,
                dropped_agent=self._dropped_agent,
                dropped_recording=dropped + self._refused,
                rows=self._rows - dropped_rows,
                # A task that was dropped before it could be read is in the log alone.
                erred=max(int(self._sums.erred.sum()), self.error_log.next),
                changes=self.change_log.next,
            )

    @property
    def totals(self) -> Totals:
        """Running figures by prefix and by action; dropping rows does not change them."""
        with self._lock:
            return self._sums.freeze()

    @property
    def origin(self) -> float | None:
        """Start of the first tasks that came: zero of a time axis."""
        return self._origin

    @property
    def quiet_s(self) -> float:
        """Seconds since tasks last came; infinite before the first."""
        return time.monotonic() - self._grew_s

    @property
    def memory_bytes(self) -> int:
        """Bytes of memory that rows, keys and summaries take."""
        return self._store.memory_bytes

    @property
    def disk_bytes(self) -> int:
        """Bytes that were spilled to temporary files."""
        return self._store.disk_bytes

    @property
    def spill_error(self) -> str | None:
        """Why the disk took no more, if it did not."""
        return self._store.spill_error

    @property
    def skewed_rows(self) -> int:
        """How many rows end before they start, since clocks disagree."""
        return self._sums.skewed_rows

    def chunks(self) -> list[TaskChunk]:
        """Return what is kept, oldest first; the list and its chunks never change."""
        return self._store.snapshot()

    def newest(self) -> TaskChunk | None:
        """Return the chunk with the latest tasks, cheaper than ``chunks()[-1]``."""
        return self._store.newest()

    def chunks_of(self, first: int, stop: int) -> list[TaskChunk]:
        """Return the chunks that have some of the tasks `first` … `stop`, oldest first."""
        chunks = self.chunks()
        low = bisect_right(chunks, first, key=lambda chunk: chunk.stop)
        high = bisect_left(chunks, stop, key=lambda chunk: chunk.first)
        return chunks[low:high]

    def chunk_of(self, task: int) -> TaskChunk | None:
        """Return the chunk that has a task, `None` when it was dropped or is to come."""
        return next(iter(self.chunks_of(task, task + 1)), None)

    def key_of(self, task: int) -> str:
        """Return the key of a task; ``""`` when the task is not kept."""
        chunk = self.chunk_of(task)
        return chunk.key_of(task) if chunk is not None else ""

    @property
    def tasks(self) -> pd.DataFrame:
        """A DataFrame with one row per start/stop interval of a task, in order of arrival.

        ===========  =================================================================
        start        seconds since the epoch by the scheduler's clock, as in Dask's
                     ``get_task_stream`` and in ``Focus(time=…)``
        duration     seconds; negative when clocks disagree
        worker       address; ``worker_names`` has what panels call it
        thread       what ``threading.get_ident()`` says there: a name for the thread
                     within its worker, without further meaning
        prefix       the part of the key that Dask colours by
        action       compute, transfer, disk-read, disk-write, deserialize, …
        status       OK or error, of the whole task
        nbytes       size of the task's result in bytes
        span         full name; "default" for tasks outside of any ``with span(…)``;
                     missing where the cluster has no spans, or the scheduler refuses
                     plugins
        key          the task's key as text
        task         number of the task in this recording, as in ``errors``: a key may
                     run more than once
        ===========  =================================================================

        Times are plain numbers, so ``start + duration`` is when a row stopped, and
        ``start - recording.origin`` how far into the run it began. pandas makes dates
        of them:

        >>> import pandas as pd
        >>> recording = Recording()
        >>> pd.to_datetime(recording.tasks["start"], unit="s", utc=True).dtype.kind
        'M'
        """
        return frames.tasks_frame(self.chunks(), self.names)

    @property
    def worker_names(self) -> dict[str, str]:
        """What panels call the workers, by address; those that have left, too.

        It joins all that has a column of workers, ``tasks``, ``errors`` and exported CSVs:

        >>> recording = Recording()
        >>> recording.tasks["worker"].map(recording.worker_names).tolist()
        []
        """
        return dict(self._worker_names.by_address)

    @property
    def errors(self) -> pd.DataFrame:
        """Tasks that erred: time, key, prefix, worker, exception, traceback, task.

        ``time`` is when the task stopped, as in ``tasks``; of one that ran nowhere (its
        worker was killed) when the scheduler heard of it. ``task`` is its number, as in
        ``tasks``; -1 when the scheduler dropped the task before it could be read.
        """
        return frames.errors_frame(self.error_log.since(0), self.names)

    @property
    def workers(self) -> pd.DataFrame:
        """A log of what happened to workers: time, worker, name, what, detail.

        ``what`` is "present" for those that were there when recording began; "added" and
        "removed"; a status such as "paused" or "running"; "spilling" while some of its
        data is on disk and "not-spilling" afterwards; and "restarted", of no worker in
        particular, when the client restarted the cluster. ``detail`` is how many threads
        it came with, or its status before. As they are now, ``session.workers`` has them.
        """
        entries = [*(self._present or []), *self.change_log.since(0)]
        return frames.workers_frame(entries, self.worker_names)

    @property
    def gaps(self) -> pd.DataFrame:
        """Times in which tasks may have run unseen: start, stop, reason, text."""
        return frames.records_frame(Gap, self.gap_log.since(0))

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<Recording: {counts.kept:,} of {counts.captured:,} tasks, {counts.rows:,} rows, "
            f"{self.memory_bytes / 1e6:.1f} MB in memory, {self.disk_bytes / 1e6:.1f} MB on disk>"
        )


def _checked(tasks: int, columns: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """Return the columns with their types, in order of task number."""
    with np.errstate(over="ignore"):  # times that workers made up
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
