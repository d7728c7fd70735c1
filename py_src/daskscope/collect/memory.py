"""Fills the tables of memory from the agent, or from snapshots if there is no agent."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import HELD, MEASURES, MEMORY, WORKER_STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore
    from daskscope.schema import Series

    Cells = NDArray[Any]

SAMPLE_S: Final = 0.5
"""Interval of memory samples if no reader wants a shorter one."""


class MemoryRows:
    """Writes samples of memory into a recording, and tracks which keys have not ended."""

    def __init__(self, recording: RecordingStore) -> None:
        self._recording = recording
        self._there: dict[str, set[Any]] = {MEMORY.name: set(), HELD.name: set()}
        self._latest: dict[str, tuple[float, ...]] = {}  # rows of the latest snapshot

    def take(
        self, rows: Sequence[Cells], workers: Mapping[int, str], now: float, *, whole: bool
    ) -> None:
        """Append rows of an agent; `whole`: workers without a row have left."""
        time, place, process, managed, spilled, unmanaged_old, limit, cpu, status = rows
        names = [workers[at] for at in place.tolist()]
        found = measures(process, managed, spilled, unmanaged_old)
        found |= {"limit": limit, "cpu": cpu, "status": status}
        self._latest = {}
        columns = {"time": time, "worker": names, **found}
        self._append(MEMORY, columns, ~np.isnan(process), now, names if whole else None)

    def take_held(self, rows: Sequence[Cells], now: float, *, whole: bool) -> None:
        """Append the bytes held by prefixes; `whole`: prefixes without a row hold nothing."""
        columns = dict(zip(HELD.names, rows, strict=True)) | {"prefix": rows[1].tolist()}
        every = columns["prefix"] if whole else None
        self._append(HELD, columns, columns["bytes"] != 0, now, every, end=0.0)

    def take_snapshot(self, workers: Sequence[Mapping[str, Any]], now: float) -> None:
        """Append the memory in a snapshot of all workers, if there is no agent."""
        rows = {one["address"]: _snapshot_row(one) for one in workers}
        sums = np.array([*rows.values()]).reshape(-1, 5).sum(axis=0)
        rows[""] = (*sums[:3], sums[3] or nan, 0)
        changed = {at: row for at, row in rows.items() if not at or self._latest.get(at) != row}
        self._latest = rows
        process, managed, spilled, limit, status = np.array([*changed.values()]).T
        found = measures(process, managed, spilled, np.full(len(changed), nan))
        found |= {"time": np.full(len(changed), now), "limit": limit, "status": status}
        self._append(MEMORY, {"worker": [*changed], **found}, [True] * len(changed), now, rows)
        nothing: dict[str, Any] = {"time": [], "prefix": []}
        self._append(HELD, nothing, [], now, every=())  # only an agent has this data

    def _append(
        self,
        table: Series,
        columns: Mapping[str, Any],
        holds: Iterable[Any],
        now: float,
        every: Iterable[Any] | None = None,
        end: float = nan,
    ) -> None:
        """Append rows; before them, keys that are not in `every` get a last row with `end`."""
        key, value = table.names[1:3]
        series, there = self._recording.series(table.name), self._there[table.name]
        gone = [] if every is None else there.difference(every)
        if gone:
            last = {"time": [now] * len(gone), key: [*gone], value: [end] * len(gone)}
            series.append(last, now=now)
        if len(columns["time"]):
            series.append(columns, now=max(now, *columns["time"]))
        latest = dict(zip(columns[key], holds, strict=True))
        kept = there.union(latest).difference(gone)
        self._there[table.name] = {one for one in kept if latest.get(one, True)}


def _snapshot_row(worker: Mapping[str, Any]) -> tuple[float, ...]:
    """Return process, managed, spilled, limit and status of a worker."""
    found = [float(worker[name]) for name in ("process", "managed", "spilled")]
    status = worker["status"]
    number = WORKER_STATUSES.index(status) if status in WORKER_STATUSES else 0
    return (*found, worker["memory_limit"] or nan, number)


def measures(process: Any, managed: Any, spilled: Any, unmanaged_old: Any) -> dict[str, Cells]:
    """Return all measures, derived in the same way as in `distributed.scheduler.MemoryState`.

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
