"""What a recording learns from a snapshot: workers, spilling, tasks that have not finished."""

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
"""A snapshot costs the scheduler microseconds a worker: a large cluster waits longer."""


class WorkerSnapshots:
    """Feeds snapshots to a recording. `latest` is replaced, never changed."""

    def __init__(self, recording: RecordingStore) -> None:
        self.latest: tuple[dict[str, Any], ...] = ()
        self._recording = recording
        self._spilling: set[str] = set()
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

    def take(
        self, workers: Sequence[dict[str, Any]], now: float, copies: Sequence[int] | None = None
    ) -> None:
        """Take in a snapshot from that time, and the bytes of replicas and of scattered data."""
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
        """Log when workers began and ceased to spill: a scheduler knows only which do so now."""
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
        columns[name] = [sum(int(worker[name] or 0) for worker in workers)]  # it may have no limit
    return columns


def by_agent(
    counts: Sequence[Sequence[Any]], names: Names, *, time: float, agent: str
) -> Unfinished:
    """Return what `describe_progress` returned on the scheduler."""
    found: dict[int, tuple[int, int, int]] = {}
    for name, waiting, queued, no_worker, processing, running, blocked in counts:
        prefix = names.intern("prefixes", name)
        waits = waiting + queued + no_worker + processing - running
        # Names of which the ends were cut may be one.
        before = found.get(prefix, (0, 0, 0))
        found[prefix] = (before[0] + running, before[1] + waits, before[2] + blocked)
    return Unfinished(time, agent, found)


def by_states(states: Mapping[str, Mapping[str, int]], names: Names, *, time: float) -> Unfinished:
    """Return the answer of Dask's own route: without queued tasks, and without which ones run."""
    found: dict[int, tuple[int, int, int]] = {}
    for name, counts in states.items():
        if waits := counts.get("processing", 0) + counts.get("waiting", 0):
            prefix = names.intern("prefixes", clean_text(name, MAX_NAME_CHARS))
            found[prefix] = (0, found.get(prefix, (0, 0, 0))[1] + waits, 0)
    return Unfinished(time, "", found, whole=False)
