"""Writes snapshots into a recording: workers, spilling, unfinished tasks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from daskscope.agent.packing import MAX_NAME_CHARS, clean_text
from daskscope.recording import Unfinished

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.recording import Names, RecordingStore

EVERY_S: Final = 1.0
WORKERS_A_SECOND: Final = 200
"""Each worker in a snapshot costs scheduler time, so large clusters have fewer snapshots."""


class WorkerSnapshots:
    """Writes snapshots into a recording. `latest` is replaced, never changed."""

    def __init__(self, recording: RecordingStore) -> None:
        self.latest: tuple[dict[str, Any], ...] = ()
        self._recording = recording
        self._spilling: set[str] = set()
        self._asked_s = 0.0  # monotonic

    def due(self) -> bool:
        """Return whether to request a snapshot now; if so, the caller must request it."""
        now = time.monotonic()
        due = now - self._asked_s > max(EVERY_S, len(self.latest) / WORKERS_A_SECOND)
        if due:
            self._asked_s = now
        return due

    def make_due(self) -> None:
        """Make a snapshot due, regardless of the time of the last one."""
        self._asked_s = 0.0

    def take(
        self, workers: Sequence[dict[str, Any]], now: float, copies: Sequence[int] | None = None
    ) -> None:
        """Append a snapshot; `copies` has the bytes of replicas and of scattered data."""
        self.latest = tuple(workers)
        self._recording.name_workers({worker["address"]: worker["name"] for worker in workers})
        self._recording.note_present(
            {worker["address"]: worker["threads"] for worker in workers}, now
        )
        self._note_spilling({one["address"] for one in workers if one["spilled"] > 0}, now)
        sample = cluster_sample(workers, now)
        if copies is not None:
            sample |= {"replicas": [copies[0]], "scattered": [copies[1]]}
        self._recording.series("system").append(sample, now=now)

    def _note_spilling(self, spilling: set[str], now: float) -> None:
        """Log which workers started or stopped spilling, by comparison with the last snapshot."""
        began, ceased = spilling - self._spilling, self._spilling - spilling
        self._spilling = spilling
        self._recording.log("workers").append(
            {"time": now, "worker": worker, "what": what}
            for what, those in (("spilling", began), ("not-spilling", ceased))
            for worker in sorted(those)
        )


def cluster_sample(workers: Sequence[Mapping[str, Any]], now: float) -> dict[str, list[float]]:
    """Return the sums over all workers, as columns of one row."""
    columns: dict[str, list[float]] = {"time": [now], "workers": [len(workers)]}
    for name in ("threads", "memory_limit", "process", "managed", "spilled"):
        columns[name] = [sum(int(worker[name] or 0) for worker in workers)]  # None means no limit
    return columns


def by_agent(
    counts: Sequence[Sequence[Any]], names: Names, *, time: float, agent: str
) -> Unfinished:
    """Return unfinished tasks from the answer of the agent's `describe_progress`."""
    found: dict[int, tuple[int, int, int]] = {}
    for name, waiting, queued, no_worker, processing, running, blocked in counts:
        prefix = names.intern("prefixes", name)
        waits = waiting + queued + no_worker + processing - running
        # Different names may have become equal because they were cut.
        before = found.get(prefix, (0, 0, 0))
        found[prefix] = (before[0] + running, before[1] + waits, before[2] + blocked)
    return Unfinished(time, agent, found)


def by_states(states: Mapping[str, Mapping[str, int]], names: Names, *, time: float) -> Unfinished:
    """Return unfinished tasks from Dask's own route, which lacks queued and running ones."""
    found: dict[int, tuple[int, int, int]] = {}
    for name, counts in states.items():
        if waits := counts.get("processing", 0) + counts.get("waiting", 0):
            prefix = names.intern("prefixes", clean_text(name, MAX_NAME_CHARS))
            found[prefix] = (0, found.get(prefix, (0, 0, 0))[1] + waits, 0)
    return Unfinished(time, "", found, whole=False)
