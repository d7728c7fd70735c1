"""Samples of the memory of workers and cluster, and of what the results of a prefix take.

Runs inside the scheduler, as `daskscope.agent.scheduler` does.
"""

from __future__ import annotations

from array import array
from math import nan
from typing import Any

from daskscope.agent.packing import REPORTED, Interned, clamp, describe_name, pack_column

MAX_ROWS_BYTES = 4_000_000  # of each table: many minutes of a large cluster
MAX_REPLICATED_TASKS = 50_000  # so many take about 8 ms


class Rows:
    """The newest rows of a table, as columns, numbered; older ones are dropped."""

    def __init__(self, types: str) -> None:
        self.columns: list[array[Any]] = [array(code) for code in types]
        self.limit = MAX_ROWS_BYTES // sum([column.itemsize for column in self.columns])
        self.first = 0

    @property
    def next(self) -> int:
        """Number of the next row."""
        return self.first + len(self.columns[0])

    def append(self, row: Any) -> None:
        """Append a row; when there are too many, the oldest go."""
        for column, value in zip(self.columns, row):
            column.append(value)
        if len(self.columns[0]) > self.limit:
            self.drop(self.limit // 8)

    def drop(self, rows: int) -> None:
        """Drop the oldest rows."""
        self.first += rows
        for column in self.columns:
            del column[:rows]

    def since(self, cursor: int) -> dict[str, Any]:
        """Return the rows from number `cursor` on, packed, and the number of the first."""
        start = max(cursor - self.first, 0)
        columns = [column[start:] for column in self.columns]
        return {
            "first": self.first + start,
            "count": len(columns[0]),
            "format": "".join([column.typecode for column in columns]),
            "data": b"".join([pack_column(column) for column in columns]),
        }


class MemorySamples:
    """Rows of workers, of the cluster, and of prefixes, each when it is another than before."""

    def __init__(self, prefixes: Interned, statuses: list[str]) -> None:
        self.prefixes = prefixes
        self.statuses = {status: number for number, status in enumerate(statuses)}
        self.addresses = Interned(describe_name, first=[""])
        # Time, worker, process, managed, spilled, old unmanaged memory, limit, CPU, status.
        self.rows = Rows("dHffffffB")
        self.latest: dict[str, Any] = {}
        self.held_rows = Rows("dHd")
        self.held: dict[int, int] = {}  # bytes in memory by prefix
        self.held_latest: dict[int, int] = {}
        self.settled = 0  # so many of the pending tasks are in `held`
        # Of each task that left memory its group and its bytes, until these are in `held`.
        self.left: list[Any] = []

    def clear(self) -> None:
        """Free what was sampled."""
        for rows in (self.rows, self.held_rows):
            rows.drop(len(rows.columns[0]))
        self.left.clear()

    def sample(self, workers: Any, now: float) -> None:
        """Append the rows of those workers that have changed, and that of the cluster."""
        latest, append, add = self.latest, self.rows.append, self.addresses.add
        sums = [0, 0, 0, 0]
        limits, cpu = 0.0, 0.0
        for address in [address for address in latest if address not in workers]:
            del latest[address]
            append((now, add(address), nan, nan, nan, nan, nan, nan, 0))
        for address, worker in workers.items():
            memory = worker.memory
            measures = [memory.process, memory.managed, memory.spilled, memory.unmanaged_old]
            sums = [value + more for value, more in zip(sums, measures)]
            limit, percent = worker.memory_limit or nan, worker.metrics.get("cpu") or 0.0
            limits += limit
            cpu += percent
            row = (measures, worker.memory_limit, worker.status)
            if latest.get(address) != row:
                latest[address] = row
                status = self.statuses.get(worker.status.name, 0)
                append((now, add(address), *measures, limit, percent, status))
        append((now, 0, *sums, limits or nan, cpu, 0))

    # -- what the results of a prefix take --------------------------------------

    def walk(self, scheduler: Any) -> None:
        """Count what is in memory when capturing begins."""
        for worker in scheduler.workers.values():
            tasks = [task for task in worker.has_what if task.run_spec is not None]
            self.count([(task.group, task.nbytes) for task in tasks])
        tasks = [task for task in scheduler.replicated_tasks if task.run_spec is not None]
        self.count([(task.group, task.nbytes * (1 - len(task.who_has))) for task in tasks])

    def settle(self, pending: Any) -> None:
        """Count what came into memory since the last time, and what left it."""
        at, self.settled = self.settled, len(pending.groups)
        self.count(zip(pending.groups[at:], pending.finished[REPORTED * at + 1 :: REPORTED]))
        self.count(zip(self.left[::2], [-clamp(size) for size in self.left[1::2]]))
        self.left.clear()

    def count(self, moved: Any) -> None:
        """Add bytes to what the prefixes of their groups hold."""
        sums: dict[Any, int] = {}
        for group, size in moved:
            sums[group] = sums.get(group, 0) + clamp(size)
        for group, size in sums.items():
            prefix = self.prefixes.add(group.prefix.name)
            self.held[prefix] = self.held.get(prefix, 0) + size

    def sample_held(self, now: float) -> None:
        """Append the rows of those prefixes that hold more or less than before."""
        latest = self.held_latest
        for prefix, size in self.held.items():
            if latest.get(prefix, 0) != size:
                latest[prefix] = size
                self.held_rows.append((now, prefix, size))

    def copies(self, scheduler: Any) -> list[int] | None:
        """Return the bytes of further copies and of scattered data; None if there are too many."""
        if len(scheduler.replicated_tasks) > MAX_REPLICATED_TASKS:
            return None
        tasks = scheduler.replicated_tasks
        replicas = sum([task.get_nbytes() * (len(task.who_has) - 1) for task in tasks])
        there = sum([worker.nbytes for worker in scheduler.workers.values()])
        return [replicas, there - replicas - sum(self.held.values())]

    # -- readers ------------------------------------------------------------

    def repeat(self) -> list[int]:
        """Let the next samples have a row of each; return the cursors of who begins there."""
        self.latest = dict.fromkeys(self.latest)
        self.held_latest = {}
        return [self.rows.next, self.held_rows.next]

    def since(self, cursors: Any) -> dict[str, Any]:
        """Return the rows from these cursors on, and the addresses of the workers in them."""
        rows, held = self.rows.since(cursors[0]), self.held_rows.since(cursors[1])
        places = {*self.rows.columns[1][rows["first"] - self.rows.first :]}
        workers = [[place, self.addresses.described[place]] for place in places]
        return {"rows": rows, "held": held, "workers": workers}
