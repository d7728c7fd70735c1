"""What the tables of memory get: of the agent, or of snapshots where there is none."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import HELD, MEASURES, MEMORY, WORKER_STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore

    Cells = NDArray[Any]

SAMPLE_S: Final = 0.5
"""So often memory is sampled when no reader wants it sooner."""


class MemoryRows:
    """Feeds samples of memory to a recording; knows which workers have a row that still holds."""

    def __init__(self, recording: RecordingStore) -> None:
        self._series = recording.series(MEMORY.name)
        self._held_series = recording.series(HELD.name)
        self._there: set[str] = set()
        self._held: set[int] = set()  # prefixes that hold something
        self._latest: dict[str, tuple[float, ...]] = {}  # of snapshots

    def take(
        self,
        time: Cells,
        place: Cells,
        process: Cells,
        managed: Cells,
        spilled: Cells,
        unmanaged_old: Cells,
        limit: Cells,
        cpu: Cells,
        status: Cells,
        *,
        workers: Mapping[int, str],
        whole: bool,
    ) -> None:
        """Append rows; `whole`: there is one of each worker that is not gone."""
        if not len(time):
            return
        self._latest = {}
        names = [workers[at] for at in place.tolist()]
        if whole:
            self._end(self._there.difference(names), time[0])
        gone = dict(zip(names, np.isnan(process).tolist(), strict=True))
        self._there = {name for name in self._there.union(names) if not gone.get(name)}
        found = measures(process, managed, spilled, unmanaged_old)
        found |= {"time": time, "limit": limit, "cpu": cpu, "status": status}
        self._series.append({"worker": names, **found}, now=float(time.max()))

    def take_held(
        self, time: Cells, prefix: Cells, size: Cells, *, now: float, whole: bool
    ) -> None:
        """Append what prefixes hold; `whole`: those that are missing hold nothing."""
        if whole:
            self._end_held(self._held.difference(prefix.tolist()), now, 0.0)
        latest = dict(zip(prefix.tolist(), size.tolist(), strict=True))
        self._held = {one for one in self._held.union(latest) if latest.get(one, 1)}
        columns = {"time": time, "prefix": prefix, "bytes": size}
        self._held_series.append(columns, now=float(np.max(time, initial=now)))

    def take_snapshot(self, workers: Sequence[Mapping[str, Any]], now: float) -> None:
        """Append what a snapshot of all workers says, where no agent says more."""
        self._end_held({*self._held}, now, nan)  # only an agent knows
        rows = {one["address"]: _snapshot_row(one) for one in workers}
        sums = np.array([*rows.values()]).reshape(-1, 5).sum(axis=0)
        rows[""] = (*sums[:3], sums[3] or nan, 0)
        self._end(self._there.difference(rows), now)
        changed = {at: row for at, row in rows.items() if not at or self._latest.get(at) != row}
        self._latest, self._there = rows, {*rows}
        process, managed, spilled, limit, status = zip(*changed.values(), strict=True)
        found = measures(process, managed, spilled, np.full(len(changed), nan))
        columns = {"time": [now] * len(changed), "worker": [*changed], "limit": limit}
        self._series.append({**columns, "status": status, **found}, now=now)

    def _end(self, gone: set[str], now: float) -> None:
        """Append the last row of workers that have gone."""
        self._there -= gone
        if gone:
            self._series.append({"time": [now] * len(gone), "worker": [*gone]}, now=now)

    def _end_held(self, prefixes: set[int], now: float, size: float) -> None:
        """Append the last row of prefixes that hold nothing, or of which it is not known."""
        self._held -= prefixes
        if prefixes:
            rows = zip(*[(now, prefix, size) for prefix in prefixes], strict=True)
            self._held_series.append(dict(zip(HELD.names, rows, strict=True)), now=now)


def _snapshot_row(worker: Mapping[str, Any]) -> tuple[float, ...]:
    """Return process, managed, spilled, limit and status of a worker."""
    found = [float(worker[name]) for name in ("process", "managed", "spilled")]
    status = worker["status"]
    number = WORKER_STATUSES.index(status) if status in WORKER_STATUSES else 0
    return (*found, worker["memory_limit"] or nan, number)


def measures(process: Any, managed: Any, spilled: Any, unmanaged_old: Any) -> dict[str, Cells]:
    """Return all measures, as `distributed.scheduler.MemoryState` derives them.

    >>> found = measures(process=10, managed=4, spilled=3, unmanaged_old=5)
    >>> [int(found[name]) for name in ("managed_total", "unmanaged_recent", "optimistic")]
    [7, 1, 9]
    """
    values = [np.asarray(one, np.float64) for one in (process, managed, spilled, unmanaged_old)]
    process, managed, spilled, old = values
    managed = np.minimum(process, managed)
    unmanaged = process - managed
    old = np.minimum(unmanaged, old)
    found = (process, managed, managed + spilled, spilled, unmanaged, old, unmanaged - old)
    return dict(zip(MEASURES, (*found, managed + old), strict=True))
