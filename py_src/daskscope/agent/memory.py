"""Samples the memory of workers and cluster, and the bytes that the results of a prefix take.

Runs inside the scheduler, as `daskscope.agent.scheduler` does.
"""

from __future__ import annotations

import sys
from array import array
from math import nan
from typing import Any

from daskscope.agent.packing import REPORTED, Interned, alike, clamp, describe_name

MAX_ROWS_BYTES = 4_000_000  # of each table: many minutes of a large cluster
MAX_REPLICATED_TASKS = 50_000  # counting them takes about 8 ms


class Rows:
    """The newest rows of a table, as columns, numbered; older ones are dropped."""

    def __init__(self, types: str) -> None:
        self.types = types
        self.columns: list[array[Any]] = [array(code) for code in types]
        self.limit = MAX_ROWS_BYTES // sum([column.itemsize for column in self.columns])
        self.first = 0

    @property
    def next(self) -> int:
        """Number of the next row."""
        return self.first + len(self.columns[0])

    def extend(self, rows: list[Any]) -> None:
        """Append rows; drop the oldest ones if there are too many."""
        self.extend_columns(zip(*rows))

    def extend_columns(self, columns: Any) -> None:
        """Append rows given as columns."""
        for column, values in zip(self.columns, columns):
            column.extend(values)
        excess = len(self.columns[0]) - self.limit
        if excess > 0:
            self.drop(excess + self.limit // 8)

    def drop(self, rows: int) -> None:
        """Drop the oldest rows."""
        self.first += rows
        for column in self.columns:
            del column[:rows]

    def since(self, cursor: int) -> dict[str, Any]:
        """Return the rows from number `cursor` on as columns, and the number of the first.

        Columns are not split into planes as in chunks of tasks: for few rows, that costs more.
        """
        start = max(cursor - self.first, 0)
        columns = [column[start:] for column in self.columns]
        if sys.byteorder == "big":
            for column in columns:
                column.byteswap()
        return {
            "first": self.first + start,
            "format": self.types,
            "columns": [column.tobytes() for column in columns],
        }


def sums_by(groups: list[Any], sizes: list[Any]) -> dict[Any, int]:
    """Return the sum of sizes by group; invalid sizes count as 0."""
    sums: dict[Any, int] = {}
    try:
        if len(alike(groups)) == 1:  # the usual case
            return {groups[0]: sum(sizes)}
        for group, size in zip(groups, sizes):
            sums[group] = sums.get(group, 0) + size
    except TypeError:
        return sums_by(groups, [clamp(size) for size in sizes])
    return sums


class MemorySamples:
    """Rows of workers, the cluster and prefixes, appended only when they change."""

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
        self.touched: set[int] = set()  # prefixes counted since the last sample of `held`
        self.settled = 0  # length of the part of `pending.finished` that is counted in `held`
        # Groups and bytes of the tasks that left memory, until they are counted in `held`.
        self.left_groups: list[Any] = []
        self.left_sizes: list[Any] = []

    def clear(self) -> None:
        """Free all samples."""
        for rows in (self.rows, self.held_rows):
            rows.drop(len(rows.columns[0]))
        self.left_groups.clear()
        self.left_sizes.clear()

    def sample(self, workers: Any, now: float) -> None:
        """Append rows of the workers that have changed, and one of the cluster."""
        latest, add = self.latest, self.addresses.add
        gone = [address for address in latest if address not in workers]
        rows: list[Any] = [(now, add(address), *[nan] * 6, 0) for address in gone]
        for address in gone:
            del latest[address]
        columns = []
        for address, worker in workers.items():
            memory = worker.memory
            measures = memory.process, memory.managed, memory.spilled, memory.unmanaged_old
            more = worker.memory_limit or nan, worker.metrics.get("cpu") or 0.0
            columns.append(measures + more)
            changing = measures, worker.status  # without CPU, which always differs
            if latest.get(address) != changing:
                latest[address] = changing
                status = self.statuses.get(worker.status.name, 0)
                rows.append((now, add(address), *measures, *more, status))
        sums = [sum(column) for column in zip(*columns)] or [0, 0, 0, 0, nan, 0]
        self.rows.extend([*rows, (now, 0, *sums, 0)])

    # -- bytes of results by prefix ---------------------------------------------

    def walk(self, scheduler: Any) -> None:
        """Count the results that are in memory when capturing begins."""
        for worker in scheduler.workers.values():
            tasks = [task for task in worker.has_what if task.run_spec is not None]
            self.count([task.group for task in tasks], [task.nbytes for task in tasks], 1)
        tasks = [task for task in scheduler.replicated_tasks if task.run_spec is not None]
        copies = [task.nbytes * (len(task.who_has) - 1) for task in tasks]
        self.count([task.group for task in tasks], copies, -1)

    def settle(self, pending: Any) -> None:
        """Count the results that entered or left memory since the last call."""
        finished, at = pending.finished, self.settled
        self.settled = len(finished)
        if len(finished) > at:
            self.count(finished[at + 4 :: REPORTED], finished[at + 1 :: REPORTED], 1)
        self.count(self.left_groups, self.left_sizes, -1)
        self.left_groups.clear()
        self.left_sizes.clear()

    def count(self, groups: list[Any], sizes: list[Any], sign: int) -> None:
        """Add sizes to the bytes held by the prefixes of these groups; subtract if `sign` is -1."""
        for group, size in sums_by(groups, sizes).items():
            prefix = self.prefixes.add(group.prefix.name)
            # `max`, because a scattered key that a graph defines later was never added.
            self.held[prefix] = max(self.held.get(prefix, 0) + sign * size, 0)
            self.touched.add(prefix)

    def sample_held(self, pending: Any, now: float) -> None:
        """Append rows of the prefixes whose held bytes have changed."""
        self.settle(pending)
        held, latest = self.held, self.held_latest
        changed = [place for place in self.touched if latest.get(place, 0) != held[place]]
        self.touched.clear()
        for place in changed:
            latest[place] = held[place]
        if changed:
            self.held_rows.extend([(now, place, clamp(held[place])) for place in changed])

    def copies(self, scheduler: Any) -> list[int] | None:
        """Return the bytes of replicas and scattered data; None if there are too many to count."""
        if len(scheduler.replicated_tasks) > MAX_REPLICATED_TASKS:
            return None
        tasks = scheduler.replicated_tasks
        replicas = sum([task.get_nbytes() * (len(task.who_has) - 1) for task in tasks])
        there = sum([worker.nbytes for worker in scheduler.workers.values()])
        return [replicas, there - replicas - sum(self.held.values())]

    # -- readers ------------------------------------------------------------

    def repeat(self) -> list[int]:
        """Make the next samples contain every row; return the cursors of their first rows."""
        self.latest = dict.fromkeys(self.latest)
        self.held_latest, self.touched = {}, {*self.held}
        return [self.rows.next, self.held_rows.next]

    def since(self, cursors: Any) -> dict[str, Any] | None:
        """Return the rows from these cursors on, and the addresses of the workers in them."""
        if cursors == [self.rows.next, self.held_rows.next]:
            return None
        rows, held = self.rows.since(cursors[0]), self.held_rows.since(cursors[1])
        places = {*self.rows.columns[1][rows["first"] - self.rows.first :]}
        workers = [[place, self.addresses.described[place]] for place in places]
        return {"memory": rows, "held": held, "workers": workers}
