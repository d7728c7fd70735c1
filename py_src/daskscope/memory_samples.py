"""Reads the samples of a `MemorySampler` from sessions, and shows them to pages.

Only the background loop changes this data; other threads only read it.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from daskscope.focus import SharedFocus
from daskscope.listeners import Listeners
from daskscope.recording import Recording, RecordingStore
from daskscope.recording.names import clean
from daskscope.recording.series_ring import joined, pick
from daskscope.recording.series_store import SeriesStore
from daskscope.schema import MEASURES, MEMORY, SAMPLES
from daskscope.session import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from daskscope.session import Session

    Columns = dict[str, NDArray[Any]]

MAX_LABEL_CHARACTERS: Final = 1_000
MAX_PARTS: Final = 300
SPREAD: Final = ("least", "median", "most")

KEPT_MEMORY: Final = replace(MEMORY, ring_bytes=(20_000_000, 20_000_000, 8_000_000, 2_000_000))
"""A sampler keeps a fifth of what a session keeps, since its blocks are shorter."""


class Run:
    """The samples of one block, with a row for each time.

    The columns of the cluster and of least, median and most of the workers are two-dimensional:
    they have a value for each measure.
    """

    def __init__(self, label: str | None, measure: str, interval_s: float = 0.5) -> None:
        self.id = str(uuid.uuid4())
        self.label, self.measure, self.interval_s = label or self.id, measure, interval_s
        self.stop = inf  # by the scheduler's clock
        self.workers: set[str] | None = set()  # None if the samples come from another sampler
        self._latest = -inf
        self._parts: list[Columns] = []

    @property
    def columns(self) -> Columns:
        """All samples so far, in the order in which they were taken."""
        return joined(list(self._parts))

    def __bool__(self) -> bool:
        """Whether there is a sample."""
        return bool(self._parts)

    def take(self, samples: Columns) -> Columns:
        """Append further samples; return those that belong to the block.

        A busy scheduler samples late, so a sample after the end counts if it was due before.
        """
        time = samples["time"]
        before = np.concatenate([[self._latest], time[:-1]])
        samples = pick(samples, (time <= self.stop) | (before + self.interval_s <= self.stop))
        if len(time):
            self._latest = time[-1]
        if len(samples["time"]):
            self._parts.append(samples)
        if len(self._parts) > MAX_PARTS:  # many small arrays take more memory than one
            self._parts = [self.columns]
        return samples

    def values(self, measure: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return times and the cluster's bytes, without times that have no value."""
        if not self:
            return np.empty(0), np.empty(0)
        columns = self.columns
        values = columns["cluster"][:, MEASURES.index(measure)].astype(np.float64)
        known = ~np.isnan(values)
        return columns["time"][known], values[known]

    @classmethod
    def of_pairs(cls, label: str, measure: str, pairs: list[tuple[float, int]]) -> Run:
        """Return a run with samples in distributed's form: one measure, without workers."""
        run = cls(label, measure)
        run.workers = None
        time, values = np.array(pairs, np.float64).reshape(-1, 2).T
        unknown = np.full((len(time), len(MEASURES)), np.nan, np.float32)
        cluster = unknown.copy()
        cluster[:, MEASURES.index(measure)] = values
        run.take(
            {
                "time": time,
                "limit": unknown[:, 0],
                "cluster": cluster,
                **dict.fromkeys(SPREAD, unknown),
            }
        )
        return run


class Reading:
    """Reads the table `memory` of a session while blocks sample it, each row once.

    Each of the agent's samples has rows for the workers that have changed, then one for the
    cluster. The values of all other workers are those of their previous rows.
    """

    def __init__(self, session: Session, take: Callable[[Reading, Columns, Columns], None]) -> None:
        self.runs: list[Run] = []
        self.news = asyncio.Event()
        series = parts_of(session).store.series(MEMORY.name)
        self._ring = series.rings[0]
        self._next = self._ring.next
        rows = series.latest(inf)
        latest = zip(rows["worker"], _measures(rows), strict=True)
        self._workers = {worker: values for worker, values in latest if worker}
        self._spread = self._compute_spread()
        self._take = take
        self.stop = session.on_change(self._read)

    def _read(self, _: Session) -> None:
        rows, self._next = self._ring.columns(self._next), self._ring.next
        count = len(rows["time"])
        values, of_worker = _measures(rows), rows["worker"] != ""
        samples = np.flatnonzero(~of_worker)
        before = self._as_rows()
        spread = np.empty((3, len(samples), len(MEASURES)), np.float32)
        at = 0
        for number, row in enumerate([*samples.tolist(), count]):
            for changed in range(at, row):
                self._change(rows["worker"][changed], values[changed])
            if row > at:
                self._spread = self._compute_spread()
            if row < count:
                spread[:, number] = self._spread
            at = row + 1
        if len(samples):
            found = pick({"time": rows["time"], "limit": rows["limit"], "cluster": values}, samples)
            workers = pick(rows, of_worker)
            if any(not run for run in self.runs):  # a new run begins with a row of each worker
                time = np.full(len(before["worker"]), found["time"][0])
                names = ("time", "worker", *MEASURES)
                workers = joined([before | {"time": time}, {n: workers[n] for n in names}])
            self._take(self, found | dict(zip(SPREAD, spread, strict=True)), workers)
        self.news.set()

    def _change(self, worker: str, values: NDArray[np.float32]) -> None:
        if np.isnan(values).all():
            self._workers.pop(worker, None)
        else:
            self._workers[worker] = values.copy()

    def _compute_spread(self) -> NDArray[np.float32]:
        """Return minimum, median and maximum over the workers, by measure."""
        if not self._workers:
            return np.full((3, len(MEASURES)), np.nan, np.float32)
        every = np.array(list(self._workers.values()))
        return np.array([every.min(axis=0), np.median(every, axis=0), every.max(axis=0)])

    def _as_rows(self) -> Columns:
        values = np.array(list(self._workers.values()), np.float32).reshape(-1, len(MEASURES))
        names = np.array(list(self._workers), object)
        return {"worker": names, **dict(zip(MEASURES, values.T, strict=True))}


def _measures(rows: Columns) -> NDArray[np.float32]:
    return np.stack([rows[measure] for measure in MEASURES], axis=1)


class SamplesSource(SharedFocus):
    """The samples of a `MemorySampler` for pages: like a session, but not listed in choosers."""

    _listed: ClassVar[bool] = False
    name = address = ""
    notices = workers = ()
    behind_s = 0.0

    def __init__(self, before: SamplesSource | None = None) -> None:
        """Start without samples; `before` is the source that this one replaces, if any."""
        super().__init__()
        self.id = uuid.uuid4().hex
        self.state: str = before.state if before else "stopped"
        self.now: float | None = None
        self._store = RecordingStore()
        if before is not None:
            self.focus = before.focus
        self.memory: SeriesStore = before.memory if before else SeriesStore(KEPT_MEMORY)
        self._store.tables[MEMORY.name] = self.memory
        self.recording = Recording(self._store)
        self._listeners = Listeners[[SamplesSource]]("the samples of a daskscope.MemorySampler")
        self._figures: dict[str, Any] = {}

    def summary(self) -> dict[str, Any]:
        """Return an empty summary, since there are no tasks."""
        return self._figures

    def on_change(self, callback: Callable[[SamplesSource], None]) -> Callable[[], None]:
        """Call `callback(source)` whenever there are more samples."""
        return self._listeners.add(callback)

    def set_state(self, state: str) -> None:
        """Set whether samples arrive ("live" or "stopped")."""
        self.state = state
        self._listeners.notify(self)

    def add(self, label: str, samples: Columns) -> None:
        """Add samples of a label."""
        times, measures = len(samples["time"]), len(MEASURES)
        if not times:
            return
        shown = clean(str(label))[:MAX_LABEL_CHARACTERS]
        rows = {
            "time": np.repeat(samples["time"], measures),
            "label": np.full(times * measures, shown, object),
            "measure": np.tile(np.array(MEASURES, object), times),
            "limit": np.repeat(samples["limit"], measures),
            **{name: samples[name].ravel() for name in ("cluster", *SPREAD)},
        }
        self.now = float(samples["time"].max())
        known = ~np.isnan(rows["cluster"])
        self._store.series(SAMPLES.name).append(pick(rows, known), now=self.now)
        self._listeners.notify(self)

    def add_workers(self, rows: Columns) -> None:
        """Append rows of workers in the form of the table `memory`."""
        if len(rows["time"]):
            self.memory.append(rows, now=float(rows["time"].max()))
