"""Computes what the threads of a cluster did in a time, and how many there were."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.fine_metrics import EXECUTE, SECONDS
from daskscope.recording.recording_store import PRESENT
from daskscope.recording.summary_blocks import FAR_S
from daskscope.schema import ACTIONS, ACTIVITIES, METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore, Sums

    Floats = NDArray[np.float64]

COMPUTE: Final = ACTIONS.index("compute")
MIN_IDLE_S: Final = 0.5
IDLE_SHARE: Final = 0.05
"""Share of the run; shorter idle times are not reported, since every run has some."""


@dataclass(slots=True)
class Work:
    """Compute seconds in a time, idle times in it, and the seconds of all rows by action."""

    busy_seconds: float = 0.0
    idle: list[tuple[float, float]] = field(default_factory=list)
    seconds: dict[int, Floats] = field(default_factory=dict)
    """By action: an array with the seconds of each prefix."""
    began: Floats = field(default_factory=lambda: np.zeros(0))
    """When the first row of each prefix started."""
    ended: float = -math.inf
    """When the last row stopped."""


def running_work(sums: Sums) -> Work:
    """Return what is known from running totals, without reading rows; times stay unknown."""
    return Work(
        busy_seconds=float(sums.seconds.sum()),
        seconds={COMPUTE: sums.seconds, **sums.other_seconds},
    )


def work(recording: RecordingStore, start: float, stop: float) -> Work:
    """Read each kept row once; needs memory for one chunk, not for the whole run."""
    found = Work()
    shortest = max(MIN_IDLE_S, IDLE_SHARE * (stop - start))
    # The start and the end count as computing, so that idle time next to them is found.
    computing = [(np.array([start, stop]), np.array([start, stop]))]
    for chunk in recording.chunks():
        columns = _sound(chunk.columns)
        _add_seconds(found.seconds, columns)
        _add_times(found, columns)
        compute = columns["action"] == COMPUTE
        begin = np.maximum(columns["start"][compute], start)
        end = np.minimum(columns["start"][compute] + columns["duration"][compute], stop)
        inside = end > begin
        begin, end = begin[inside], end[inside]
        found.busy_seconds += float((end - begin).sum())
        if len(begin):
            # Gaps that are closed here are too short to be reported.
            computing.append(_joined(begin, end, shortest))
    begin, end = _joined(
        np.concatenate([begin for begin, _ in computing]),
        np.concatenate([end for _, end in computing]),
        shortest,
    )
    found.idle = [(float(a), float(b)) for a, b in zip(end[:-1], begin[1:], strict=True)]
    return found


def _sound(columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the rows with valid times; clocks of workers may be wrong."""
    duration, start = columns["duration"].astype("f8"), columns["start"]
    sound = (duration >= 0) & np.isfinite(duration) & np.isfinite(start)
    wanted = {"start": start, "duration": duration} | {
        name: columns[name] for name in ("prefix", "action")
    }
    return wanted if sound.all() else {name: column[sound] for name, column in wanted.items()}


def _add_seconds(seconds: dict[int, Floats], columns: Mapping[str, NDArray[Any]]) -> None:
    action = columns["action"]
    for place in np.flatnonzero(np.bincount(action)).tolist():
        chosen = action == place
        weights = columns["duration"][chosen]
        more = np.bincount(columns["prefix"][chosen], weights).astype("f8")
        known = seconds.get(place, np.zeros(0))
        if len(known) < len(more):
            known, more = more, known
        known[: len(more)] += more
        seconds[place] = known


def _add_times(found: Work, columns: Mapping[str, NDArray[Any]]) -> None:
    start, prefix = columns["start"], columns["prefix"]
    end = start + columns["duration"]
    near = (np.abs(start) < FAR_S) & (np.abs(end) < FAR_S)
    more = int(prefix.max(initial=0)) + 1 - len(found.began)
    found.began = np.pad(found.began, (0, max(more, 0)), constant_values=math.inf)
    np.minimum.at(found.began, prefix[near], start[near])
    found.ended = float(np.max(end, initial=found.ended, where=near))


def _joined(start: Floats, stop: Floats, gap: float) -> tuple[Floats, Floats]:
    """Join intervals that overlap or are less than `gap` apart."""
    order = np.argsort(start)
    start, reach = start[order], np.maximum.accumulate(stop[order])
    first = np.ones(len(start), bool)
    first[1:] = start[1:] - reach[:-1] >= gap
    places = np.flatnonzero(first)
    return start[places], np.append(reach[places[1:] - 1], reach[-1])


MAX_FIGURE: Final = 1e18
"""Larger figures are invalid, and their sums could become infinite."""

_FIGURES: Final = (
    "time",
    "workers",
    "threads",
    "memory_limit_most",
    "process_most",
    "managed",
    "spilled_most",
)
_THREADS: Final = re.compile(r"(\d{1,6}) thread")


@dataclass(slots=True)
class ClusterTotals:
    """Threads, memory and spilling of a cluster, updated as its recording grows.

    Each change of a worker and each sample is read once. The log of workers has exact times;
    samples of the cluster, one per second, correct changes that the log lacks.
    """

    recording: RecordingStore
    threads: int = 0
    """Maximum number of threads."""
    seconds: float = 0.0
    """Threads × time."""
    peak: int = 0
    peak_time: float = 0.0
    spilled: int = 0
    spilling: dict[str, None] = field(default_factory=dict)
    """Addresses of workers that spilled."""
    spill_times: list[float] = field(default_factory=list)
    """First and last time at which a worker started or stopped spilling."""
    most: dict[str, int] = field(default_factory=dict)
    """Maxima of the samples, by column."""
    execution: dict[str, float] = field(default_factory=dict)
    """Seconds by activity, as in "Execution by activity" of Fine performance metrics."""
    _alive: dict[str, int] | None = None  # threads by worker; None until anything is known
    _level: float = 0.0
    _since: float = 0.0
    _change: int = 0  # next number in the log of workers; those of samples and metrics below
    _sample: int = 0
    _metric: int = 0

    def advance(self, start: float, stop: float) -> None:
        """Add new changes and samples up to `stop`; the first ones count from `start`."""
        recording = self.recording
        log, ring = recording.log("workers"), recording.series("system").rings[0]
        next_change, next_sample = log.next, ring.next
        changes = log.between(self._change, next_change)
        samples = _sound_samples(
            ring.columns(self._sample, next_sample)
            if self._sample
            else recording.series("system").rows()
        )
        self._change, self._sample = next_change, next_sample
        if self._alive is None:
            alive = {row.worker: _threads(row) for row in changes if row.what == PRESENT}
            level = sum(alive.values()) or _at_first(recording, changes, samples["threads"])
            if level or changes or len(samples["time"]):
                self._alive, self._level, self._since = alive, float(level), start
        self._take_memory(samples)
        self._take_spilling(changes)
        self._take_metrics()
        if self._alive is not None:
            self._take_threads(self._alive, changes, samples, stop)

    def _take_threads(
        self, alive: dict[str, int], changes: list[Any], samples: Mapping[str, Floats], stop: float
    ) -> None:
        moves = [
            row
            for row in changes
            if row.what in ("added", "removed") and abs(row.time) < MAX_FIGURE
        ]
        times = np.concatenate([[row.time for row in moves], samples["time"]])
        levels = np.concatenate([np.zeros(len(moves)), np.maximum(np.trunc(samples["threads"]), 0)])
        order = np.argsort(times, kind="stable")
        levels = np.concatenate([[self._level], levels[order]])  # before each time, and last
        for place in np.flatnonzero(order < len(moves)).tolist():
            move, level = moves[order[place]], levels[place]
            if move.what == "removed":
                level -= alive.pop(move.worker, 0)
            elif move.worker not in alive:
                alive[move.worker] = _threads(move)
                level += alive[move.worker]
            levels[place + 1] = max(level, 0)
        edges = np.concatenate([[self._since], np.clip(times[order], self._since, stop), [stop]])
        passed = np.diff(edges)
        self._level, self._since = float(levels[-1]), max(self._since, stop)
        levels, passed = levels[passed > 0], passed[passed > 0]
        self.threads = max(self.threads, int(levels.max(initial=0)))
        # In order, so that the result does not depend on the number of calls.
        self.seconds = float(np.cumsum(np.concatenate([[self.seconds], levels * passed]))[-1])

    def _take_memory(self, samples: Mapping[str, Floats]) -> None:
        process = samples["process_most"]
        if len(process) and process.max() > self.peak:
            at = int(process.argmax())
            self.peak, self.peak_time = int(process[at]), float(samples["time"][at])
        self.spilled = max(self.spilled, int(samples["spilled_most"].max(initial=0)))
        for name in ("workers", "threads", "memory_limit"):
            if len(process):
                largest = int(samples[f"{name}_most"].max())
                self.most[name] = max(self.most.get(name, largest), largest)

    def _take_spilling(self, changes: list[Any]) -> None:
        found = [row for row in changes if row.what in ("spilling", "not-spilling")]
        self.spilling.update(dict.fromkeys(row.worker for row in found if row.what == "spilling"))
        if times := [*self.spill_times, *(row.time for row in found)]:
            self.spill_times = [min(times), max(times)]

    def _take_metrics(self) -> None:
        series = self.recording.series(METRICS.name).snapshot()
        ring, first, self._metric = series.rings[0], self._metric, series.next
        new = [(ring.stored(first), np.ones(1), 0.0)]
        if not first or first < ring.first:  # all: some new rows are only in wider rings
            self.execution.clear()
            new = [*series.shares(0.0)]
        for rows, share, _ in new:
            own = (rows["context"] == EXECUTE) & (rows["unit"] == SECONDS)
            sums = np.bincount(rows["activity"][own], (rows["value"] * share)[own])
            for at in np.flatnonzero(sums).tolist():
                name = self.recording.names.entry(ACTIVITIES.name, at)
                self.execution[name] = self.execution.get(name, 0.0) + float(sums[at])


def _sound_samples(rows: dict[str, Floats]) -> dict[str, Floats]:
    """Return the valid samples of the cluster; a file may contain others."""
    with np.errstate(invalid="ignore"):
        sound = np.all([np.abs(rows[name]) < MAX_FIGURE for name in _FIGURES], axis=0)
    return {name: column[sound] for name, column in rows.items()}


def _at_first(recording: RecordingStore, changes: list[Any], threads: Floats) -> int:
    """Return the initial number of threads, if the log has no present workers."""
    added = {change.worker for change in changes if change.what == "added"}
    if len(threads):
        return 0 if added else int(threads[0])
    return sum(
        worker["threads"]
        for worker in workers_of(recording.about_facts)
        if isinstance(worker.get("threads"), int)
        and 0 <= worker["threads"] < MAX_FIGURE
        and str(worker.get("address")) not in added
    )


def workers_of(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the workers in the facts of a recording; invalid values in a file are ignored."""
    found = facts.get("workers")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _threads(change: Any) -> int:
    found = _THREADS.match(change.detail)
    return int(found[1]) if found else 0
