"""How many threads the workers had, over time: what computing is measured against."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daskscope.recording import ClusterSample
from daskscope.schema import CLUSTER

if TYPE_CHECKING:
    from daskscope.recording import RecordingCore, WorkerChange

MAX_FIGURE: Final = 1e18
"""Larger ones are not of this world, and sums of them would not be numbers."""

_FIGURES: Final = tuple(column.name for column in CLUSTER.columns)
_THREADS: Final = re.compile(r"(\d{1,6}) thread")


@dataclass(frozen=True, slots=True)
class ThreadTime:
    """``threads`` is the most at any time; ``seconds`` what all of them had together."""

    threads: int
    seconds: float


def thread_time(recording: RecordingCore, start: float, stop: float) -> ThreadTime | None:
    """Return the threads of a time; nothing where the recording does not know of any.

    Workers that come and go say when; samples of the cluster, a second apart, correct what
    was missed.
    """
    level, steps = _steps(recording)
    most, seconds, since = 0, 0.0, start
    for time, threads in [*steps, (stop, level)]:
        until = min(max(time, since), stop)
        if until > since:
            most = max(most, level)
            seconds += level * (until - since)
        since, level = until, threads
    return ThreadTime(most, seconds) if seconds > 0 else None


def cluster_samples(recording: RecordingCore) -> list[ClusterSample]:
    """Return the samples of the cluster; a file that somebody made may hold what is no number."""
    return [
        sample
        for sample in recording.cluster_log.since(0)
        if all(abs(getattr(sample, name)) < MAX_FIGURE for name in _FIGURES)
    ]


def _steps(recording: RecordingCore) -> tuple[int, list[tuple[float, int]]]:
    """Return how many threads there were at first, and each time at which that changed."""
    alive = {change.worker: _threads(change) for change in recording.present}
    samples = cluster_samples(recording)
    changes = recording.change_log.since(0)
    level = first = sum(alive.values()) or _at_first(recording, changes)
    moves = [change for change in changes if change.what in ("added", "removed")]
    entries: list[ClusterSample | WorkerChange] = [*moves, *samples]
    steps = []
    for entry in sorted(entries, key=lambda one: one.time):
        if isinstance(entry, ClusterSample):
            level = entry.threads
        elif entry.what == "removed":
            level -= alive.pop(entry.worker, 0)
        elif entry.worker not in alive:
            alive[entry.worker] = _threads(entry)
            level += alive[entry.worker]
        level = max(level, 0)
        steps.append((entry.time, level))
    return first, steps


def _at_first(recording: RecordingCore, changes: list[WorkerChange]) -> int:
    """Return the threads at first, where nobody noted which workers were there."""
    samples = cluster_samples(recording)
    added = {change.worker for change in changes if change.what == "added"}
    if samples:
        return 0 if added else samples[0].threads
    workers = recording.about_facts.get("workers")
    return sum(
        worker["threads"]
        for worker in (workers if isinstance(workers, list) else ())
        if isinstance(worker, dict)
        and isinstance(worker.get("threads"), int)
        and 0 <= worker["threads"] < MAX_FIGURE
        and str(worker.get("address")) not in added
    )


def _threads(change: WorkerChange) -> int:
    found = _THREADS.match(change.detail)
    return int(found[1]) if found else 0
