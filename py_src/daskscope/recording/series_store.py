"""The rows of a series, as they were measured; wider steps are still to come."""

from __future__ import annotations

from copy import copy
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from daskscope.schema import STEPS, series_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from daskscope.schema import Series


class Ring:
    """The rows of one step, numbered for ever, of which the newest are kept."""

    def __init__(self, table: Series, step: int, limit_bytes: int) -> None:
        self.step = step
        self.next = 0
        self._table = table
        self._types = {c.name: np.dtype(_KINDS.get(c.type, c.type)) for c in table.columns}
        self._limit = max(1, limit_bytes // sum(kind.itemsize for kind in self._types.values()))
        self._rows: list[tuple[Any, ...]] = []
        self._lock = Lock()

    @property
    def first(self) -> int:
        """Number of the oldest row that is kept."""
        return self.next - len(self._rows)

    @property
    def dropped(self) -> int:
        """How many rows are not kept any more."""
        return self.first

    def snapshot(self) -> Self:
        """Return a ring of what is here now."""
        with self._lock:
            now = copy(self)
            now._rows = list(self._rows)
        now._lock = Lock()
        return now

    def append(self, columns: Mapping[str, ArrayLike]) -> None:
        """Append rows."""
        arrays = [np.asarray(columns[name], kind) for name, kind in self._types.items()]
        with self._lock:
            self._rows += zip(*(array.tolist() for array in arrays), strict=True)
            self.next += len(arrays[0])
            if len(self._rows) > self._limit:
                del self._rows[: len(self._rows) - self._limit]

    def columns(self, first: int = 0, stop: int | None = None) -> dict[str, NDArray[Any]]:
        """Return the rows from number `first` to before `stop`, as readers have them."""
        with self._lock:
            oldest = self.first
            low = max(first - oldest, 0)
            high = max(self.next if stop is None else stop, oldest) - oldest
            rows = list(islice(self._rows, low, high))
        found = {
            name: np.array([row[place] for row in rows], kind)
            for place, (name, kind) in enumerate(self._types.items())
        }
        base = {c.name: c.name.removesuffix("_least").removesuffix("_most") for c in
                series_columns(self._table)}  # fmt: skip
        return {name: found[name] if name in found else found[of] for name, of in base.items()}


_KINDS = {"utf8": "object", "texts": "object"}


class SeriesStore:
    """Measurements over time, one row a measurement."""

    def __init__(self, table: Series) -> None:
        self.table = table
        self.heartbeat_s = 0.5
        self._dropped_before = 0
        self.rings = tuple(
            Ring(table, step, limit) for step, limit in zip(STEPS, table.ring_bytes, strict=True)
        )

    @property
    def dropped(self) -> int:
        """How many rows are not kept any more."""
        return self.rings[0].dropped + self._dropped_before

    @property
    def memory_bytes(self) -> int:
        """Bytes of the rows."""
        return sum(
            len(ring._rows) * sum(k.itemsize for k in ring._types.values()) for ring in self.rings
        )

    def renew_lock(self) -> None:
        """Take a lock that nobody holds: in a forked child."""
        for ring in self.rings:
            ring._lock = Lock()

    def snapshot(self) -> Self:
        """Return a series of what is here now."""
        now = copy(self)
        now.rings = tuple(ring.snapshot() for ring in self.rings)
        return now

    @property
    def next(self) -> int:
        """Number of the next row as measured."""
        return self.rings[0].next

    @property
    def before(self) -> dict[str, NDArray[Any]]:
        """What was summed up before the oldest rows: nothing yet."""
        return self.rings[0].columns(0, 0)

    def set_before(self, columns: Mapping[str, ArrayLike]) -> None:
        """Take what was summed up before the oldest rows: nothing yet."""

    def count_dropped(self, rows: int) -> None:
        """Count rows that were dropped before those that are here came."""
        self._dropped_before += max(rows, 0)

    def clipped(
        self, columns: Mapping[str, NDArray[Any]], start: float, stop: float
    ) -> dict[str, NDArray[Any]]:
        """Return the rows as measured that are in a window, and of sums their share."""
        time = columns["time"]
        if "duration" not in columns:
            chosen = ~((time < start) | (time > stop))
            return {name: column[chosen] for name, column in columns.items()}
        low, high = np.maximum(time, start), np.minimum(time + columns["duration"], stop)
        share = (high - low) / np.where(columns["duration"] > 0, columns["duration"], 1)
        cut = {"time": low, "duration": high - low} | {
            column.name: columns[column.name] * share
            for column in self.table.columns
            if column.combine == "sum"
        }
        return {name: cut.get(name, column)[high > low] for name, column in columns.items()}

    def append(self, columns: Mapping[str, ArrayLike], *, now: float) -> None:
        """Append rows as they were measured; `now` is the scheduler's clock."""
        del now  # by which wider steps will be closed
        self.rings[0].append(columns)

    def restore(self, step: int, columns: Mapping[str, ArrayLike]) -> None:
        """Append rows of a ring as a file has them."""
        self.rings[STEPS.index(step)].append(columns)

    def rows(self, start: float = -np.inf, stop: float = np.inf) -> dict[str, NDArray[Any]]:
        """Return each moment once, in the finest ring that has it, with a column `step`."""
        found = self.rings[0].columns()
        chosen = (found["time"] >= start) & (found["time"] <= stop)
        step = np.zeros(int(chosen.sum()), "u2")
        return {name: column[chosen] for name, column in found.items()} | {"step": step}

    def window(self, start: float, stop: float) -> dict[str, NDArray[Any]]:
        """Return the latest row of each key up to a moment; of sums nothing yet."""
        del start
        rows = self.rows(stop=stop)
        keys = [rows[c.name].tolist() for c in self.table.columns if c.combine == "key"]
        latest = list({key: row for row, key in enumerate(zip(*keys, strict=True))}.values())
        return {name: column[latest] for name, column in rows.items() if name != "time"}
