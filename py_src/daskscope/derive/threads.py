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

    Floats = NDArray[np.float64]
    Samples = dict[str, Floats]

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


def thread_time(
    recording: RecordingStore, start: float, stop: float, samples: Samples | None = None
) -> ThreadTime | None:
    """Return the threads of a time; nothing where the recording does not know of any.

    Workers that come and go say when; samples of the cluster, a second apart, correct what
    was missed.
    """
    times, levels = _steps(recording, cluster_samples(recording) if samples is None else samples)
    passed = np.diff(np.concatenate([[start], np.clip(times, start, stop), [stop]]))
    levels, passed = levels[passed > 0], passed[passed > 0]
    if not levels.any():
        return None
    return ThreadTime(int(levels.max()), float(np.cumsum(levels * passed)[-1]))


def cluster_samples(recording: RecordingStore) -> Samples:
    """Return the samples of the cluster; a file that somebody made may hold what is no number."""
    rows = recording.series("system").rows()
    with np.errstate(invalid="ignore"):
        sound = np.all([np.abs(rows[name]) < MAX_FIGURE for name in _FIGURES], axis=0)
    return {name: column[sound] for name, column in rows.items()}


def _steps(recording: RecordingStore, samples: Samples) -> tuple[Floats, Floats]:
    """Return when the number of threads changed, and what it was before each time and at last."""
    rows = recording.log("workers").since(0)
    alive = {row.worker: _threads(row) for row in rows if row.what == PRESENT}
    first = sum(alive.values()) or _at_first(recording, rows, samples["threads"])
    moves = [row for row in rows if row.what in ("added", "removed") and abs(row.time) < MAX_FIGURE]
    times = np.concatenate([[row.time for row in moves], samples["time"]])
    levels = np.concatenate([np.zeros(len(moves)), np.maximum(np.trunc(samples["threads"]), 0)])
    order = np.argsort(times, kind="stable")
    levels = np.concatenate([[first], levels[order]])
    for place in np.flatnonzero(order < len(moves)).tolist():
        move, level = moves[order[place]], int(levels[place])
        if move.what == "removed":
            level -= alive.pop(move.worker, 0)
        elif move.worker not in alive:
            alive[move.worker] = _threads(move)
            level += alive[move.worker]
        levels[place + 1] = max(level, 0)
    return times[order], levels


def _at_first(recording: RecordingStore, changes: list[Any], threads: Floats) -> int:
    """Return the threads at first, where it was not noted which workers were there."""
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
