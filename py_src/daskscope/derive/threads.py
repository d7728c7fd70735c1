"""How many threads the workers had, over time: what computing is measured against."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.recording_store import PRESENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore

MAX_FIGURE: Final = 1e18
"""Larger ones are not of this world, and sums of them would not be numbers."""

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


@dataclass(frozen=True, slots=True)
class ThreadTime:
    """``threads`` is the most at any time; ``seconds`` what all of them had together."""

    threads: int
    seconds: float


def thread_time(recording: RecordingStore, start: float, stop: float) -> ThreadTime | None:
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


def cluster_samples(recording: RecordingStore) -> dict[str, NDArray[np.float64]]:
    """Return the samples of the cluster; a file that somebody made may hold what is no number."""
    rows = recording.series("system").rows()
    with np.errstate(invalid="ignore"):
        sound = np.all([np.abs(rows[name]) < MAX_FIGURE for name in _FIGURES], axis=0)
    return {name: column[sound] for name, column in rows.items()}


def _steps(recording: RecordingStore) -> tuple[int, list[tuple[float, int]]]:
    """Return how many threads there were at first, and each time at which that changed."""
    rows = recording.log("workers").since(0)
    alive = {row.worker: _threads(row) for row in rows if row.what == PRESENT}
    samples = cluster_samples(recording)
    level = first = sum(alive.values()) or _at_first(recording, rows)
    moves: list[tuple[float, Any]] = [
        *((row.time, row) for row in rows if row.what in ("added", "removed")),
        *zip(samples["time"].tolist(), samples["threads"].tolist(), strict=True),
    ]
    steps = []
    for time, entry in sorted(moves, key=lambda move: move[0]):
        if isinstance(entry, float):
            level = int(entry)
        elif entry.what == "removed":
            level -= alive.pop(entry.worker, 0)
        elif entry.worker not in alive:
            alive[entry.worker] = _threads(entry)
            level += alive[entry.worker]
        level = max(level, 0)
        steps.append((time, level))
    return first, steps


def _at_first(recording: RecordingStore, changes: list[Any]) -> int:
    """Return the threads at first, where it was not noted which workers were there."""
    threads = cluster_samples(recording)["threads"]
    added = {change.worker for change in changes if change.what == "added"}
    if len(threads):
        return 0 if added else int(threads[0])
    workers = recording.about_facts.get("workers")
    return sum(
        worker["threads"]
        for worker in (workers if isinstance(workers, list) else ())
        if isinstance(worker, dict)
        and isinstance(worker.get("threads"), int)
        and 0 <= worker["threads"] < MAX_FIGURE
        and str(worker.get("address")) not in added
    )


def _threads(change: Any) -> int:
    found = _THREADS.match(change.detail)
    return int(found[1]) if found else 0
