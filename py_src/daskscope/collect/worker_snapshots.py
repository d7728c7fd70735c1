"""Snapshots of the workers: when the next one is due, and what a recording learns from it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from daskscope.collect.spilling import SpillWatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.recording import RecordingStore

EVERY_S: Final = 1.0
WORKERS_A_SECOND: Final = 200
"""A snapshot costs the scheduler microseconds a worker: a large cluster waits longer."""


class WorkerSnapshots:
    """Feeds snapshots to a recording. `latest` is replaced, never changed."""

    def __init__(self, recording: RecordingStore) -> None:
        self.latest: tuple[dict[str, Any], ...] = ()
        self._recording = recording
        self._spills = SpillWatch()
        self._asked_s = 0.0  # monotonic

    def due(self) -> bool:
        """Return whether the next answer should bring one; to be called just before asking."""
        now = time.monotonic()
        due = now - self._asked_s > max(EVERY_S, len(self.latest) / WORKERS_A_SECOND)
        if due:
            self._asked_s = now
        return due

    def make_due(self) -> None:
        """Let the next answer bring one, however short ago the last one is."""
        self._asked_s = 0.0

    def take(self, workers: Sequence[dict[str, Any]], now: float) -> None:
        """Take in a snapshot from that time."""
        self.latest = tuple(workers)
        self._recording.name_workers({worker["address"]: worker["name"] for worker in workers})
        self._recording.note_present(
            {worker["address"]: worker["threads"] for worker in workers}, now
        )
        self._recording.log("workers").append(self._spills.take(workers, now))
        self._recording.append_samples("system", cluster_sample(workers, now), now=now)


def cluster_sample(workers: Sequence[Mapping[str, Any]], now: float) -> dict[str, list[float]]:
    """Return the sums over all workers, as columns of one row.

    >>> one = {"threads": 2, "memory_limit": None, "process": 7, "managed": 5, "spilled": 0}
    >>> cluster_sample([one, one], 1.0)["process"]
    [14]
    """
    sums = ("threads", "memory_limit", "process", "managed", "spilled")
    columns: dict[str, list[float]] = {"time": [now], "workers": [len(workers)]}
    for name in sums:
        columns[name] = [sum(int(worker[name] or 0) for worker in workers)]  # it may have no limit
    return columns
