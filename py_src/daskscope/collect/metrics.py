"""Writes metrics, task states and spans of an agent into their tables.

A worker sends the metrics of a task with the first heartbeat after its end. So an increment of
`execute` is spread over the intervals of the tasks of its prefix and span that ended since.
"""

from __future__ import annotations

from math import ceil, floor, nan
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.ma  # np.unique imports it; a fork during that import would leave it locked

from daskscope.agent.packing import NO_PREFIX
from daskscope.collect.notices import notice
from daskscope.format import some_of
from daskscope.recording.fine_metrics import EXECUTE, SECONDS, TRANSFER
from daskscope.recording.summary_blocks import FAR_S
from daskscope.schema import (
    ACTIVITIES,
    BESIDE_TASKS,
    CONTEXTS,
    METRICS,
    PREFIXES,
    SPAN_TIMES,
    SPANS,
    TASK_STATES,
    UNITS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.errors import Notice
    from daskscope.recording import RecordingStore
    from daskscope.recording.names import Places

    Cells = NDArray[Any]

KEYS: Final = ("context", "prefix", "activity", "span", "unit")

MOST: Final = 1e18
"""Larger increments are invalid."""

TINY: Final = 1e-6
ROUNDING: Final = 1e-9
"""Relative difference of two sums that may be a rounding error."""

WHOLE_S: Final = 2.0
"""Increments of tasks within this time share one row."""

FINE_S: Final = 60.0
MAX_STEPS: Final = 600
KEPT_S: Final = 10.0
"""Metrics that have not arrived this long after the end of a task are not expected."""

UNEVEN_S: Final = 0.002
UNEVEN_SHARE: Final = 0.01
UNEVEN_MOST: Final = 0.2
"""Tolerated difference between the measured seconds of a task and its interval, and the largest
share of the interval that it may be."""

MAX_INTERVALS: Final = 200_000


class MetricRows:
    """Writes metrics, task states and spans of successive agents into a recording."""

    def __init__(self, recording: RecordingStore) -> None:
        self.cursors: list[int] | None = None
        self.unreadable = 0
        self.error = ""
        """The error that stopped the metrics of the agent, if any."""
        self._recording = recording
        self._scheduler: str | None = None
        self._keys = np.empty((0, 4), np.uint32)  # context, prefix, activity, unit
        self._stopped: dict[str, None] = {}  # metrics whose sums are no longer usable
        self._there: set[tuple[int, str]] = set()  # prefixes and workers with tasks
        # For each interval: key (prefix and span), start, stop, and seconds still without metrics.
        self._intervals: list[Cells] = []
        self._noted: list[list[Cells]] = []

    def follow_agent(self) -> None:
        """Begin to read another agent, whose numbers are different."""
        self.cursors, self.unreadable, self.error = None, 0, ""
        self._keys = self._keys[:0]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about metrics that are no longer recorded."""
        found = []
        if self.error:
            found.append(notice("metrics-failed", error=self.error.strip().splitlines()[-1]))
        if self._stopped:
            found.append(notice("metrics-stopped", names=some_of([*self._stopped], 10)))
        return tuple(found)

    def take(self, found: Mapping[str, Any], places: Places, now: float) -> None:
        """Append the metrics of an answer."""
        self._take_keys(found["keys"])
        first, (time, since, metric, span, value) = found["metrics"]
        if found["totals"]:
            self._take_totals(found["totals"][1], found["scheduler"], places, now)
        elif self.cursors is not None:
            self._recording.series(METRICS.name).count_dropped(first - self.cursors[0])
        self._take_increments(time, since, metric, places.of(SPANS.name, span), value, now)
        whole = self.cursors is None
        first_state, states = found["states"]
        if self.cursors is not None:
            dropped = first_state - self.cursors[1]
            self._recording.series(TASK_STATES.name).count_dropped(dropped)
        self._take_states(states, dict(found["workers"]), places, now, whole=whole)
        self._recording.log(SPAN_TIMES.name).append(
            item | {name: places.of(SPANS.name, item[name]) for name in ("span", "parent")}
            for item in found["spans"]["items"]
        )
        self.cursors = [
            first + len(time),
            first_state + len(states[0]),
            len(self._keys),
            found["spans"]["next"],
        ]

    def _take_keys(self, keys: Sequence[Sequence[str]]) -> None:
        intern = self._recording.names.intern
        kinds = CONTEXTS.name, PREFIXES.name, ACTIVITIES.name, UNITS.name
        new = [[intern(kind, text) for kind, text in zip(kinds, key, strict=True)] for key in keys]
        self._keys = np.concatenate([self._keys, np.array(new, np.uint32).reshape(-1, 4)])

    def _columns(self, metric: Cells, span: Cells, value: Cells) -> dict[str, Cells]:
        """Return the key columns of metrics with spans and values."""
        context, prefix, activity, unit = self._keys[metric].T
        columns = {"context": context, "prefix": prefix, "activity": activity, "unit": unit}
        return columns | {"span": span, "value": value}

    def _sound(self, metric: Cells, value: Cells) -> Cells:
        """Return which values can be used, and count others as unreadable.

        After a value that is NaN or far too large, Dask's sum for this metric is no longer usable.
        """
        usable = np.abs(value) <= MOST
        for number in np.unique(metric[~usable]).tolist():
            context, _, activity, unit = self._keys[number].tolist()
            name = self._text(ACTIVITIES.name, activity) or self._text(CONTEXTS.name, context)
            name += f" ({self._text(UNITS.name, unit)})"
            if name not in self._stopped:
                self._stopped[name] = None
                self.unreadable += 1
        negative = usable & (value < -TINY)
        self.unreadable += int(negative.sum())
        return usable & (value > 0)

    def _text(self, kind: str, at: int) -> str:
        return self._recording.names.label(kind, self._recording.names.entry(kind, at))

    # -- totals at connect --------------------------------------------------

    def _take_totals(
        self, rows: Sequence[Cells], scheduler: str, places: Places, now: float
    ) -> None:
        """Set the totals from before the recording, so that sums equal those of the scheduler."""
        metric, span, value = rows
        sound = self._sound(metric, value)
        spans = places.of(SPANS.name, span[sound])
        totals = self._columns(metric[sound], spans, value[sound])
        series = self._recording.series(METRICS.name)
        if scheduler == self._scheduler:  # add only what was not read from earlier agents
            known = series.window()
            totals = _sums([totals, _negative(known)])
        self._scheduler = scheduler
        before = series.before
        joined = {name: np.concatenate([before[name], totals[name]]) for name in (*KEYS, "value")}
        joined["time"] = np.full(len(joined["value"]), now)
        series.set_before(joined)

    # -- increments ---------------------------------------------------------

    def note_tasks(self, columns: Mapping[str, Cells]) -> None:
        """Note the intervals of tasks, over which increments will be spread."""
        start, seconds = columns["start"], columns["duration"].astype(np.float64)
        own = (columns["action"] != TRANSFER) & (seconds > 0) & (np.abs(start) < FAR_S)
        start, seconds = start[own], seconds[own]
        key = columns["prefix"][own].astype(np.int64) * 2**16 + columns["span"][own]
        self._noted.append([key, start, start + seconds, seconds])

    def _take_increments(
        self, time: Cells, since: Cells, metric: Cells, span: Cells, value: Cells, now: float
    ) -> None:
        sound = self._sound(metric, value)
        time, since, metric = time[sound], since[sound], metric[sound]
        rows = self._columns(metric, span[sound], value[sound])
        rows |= {"time": since, "duration": time - since}
        oldest = since.min(initial=now) - KEPT_S
        if self._noted:
            parts = [self._intervals] if self._intervals else []
            joined = zip(*parts, *self._noted, strict=True)
            self._intervals, self._noted = [np.concatenate(part) for part in joined], []
            self._keep(self._intervals[2] >= oldest)
        if len(time) and self._intervals and len(self._intervals[0]):
            rows = self._spread(rows, rows["context"] == EXECUTE)
        if len(time):
            end = float((rows["time"] + rows["duration"]).max())
            self._recording.series(METRICS.name).append(rows, now=max(now, min(end, now + 1)))

    def _keep(self, kept: Cells) -> None:
        stop = self._intervals[2]
        excess = int(kept.sum()) - MAX_INTERVALS
        if excess > 0:  # keep the newest
            kept = kept & (stop > np.partition(stop[kept], excess - 1)[excess - 1])
        self._intervals = [part[kept] for part in self._intervals]

    def _spread(self, rows: dict[str, Cells], own: Cells) -> dict[str, Cells]:
        """Return the rows, with those of `execute` spread over the intervals of their tasks."""
        order = np.argsort(self._intervals[0], kind="stable")
        key, start, stop, seconds = self._intervals = [part[order] for part in self._intervals]
        first = np.flatnonzero(np.diff(key, prepend=key[0] - 1))
        ends = np.append(first[1:], len(key))
        wanted = rows["prefix"].astype(np.int64) * 2**16 + rows["span"]
        group = np.minimum(np.searchsorted(key[first], wanted), len(first) - 1)
        own &= key[first][group] == wanted
        low, high = np.minimum.reduceat(start, first), np.maximum.reduceat(stop, first)
        rows["time"] = np.where(own, low[group], rows["time"])
        rows["duration"] = np.where(own, (high - low)[group], rows["duration"])
        parts = [_picked(rows, ~own | (high - low <= WHOLE_S)[group])]
        own_groups = np.unique(group[own])
        for one in own_groups[(high - low)[own_groups] > WHOLE_S].tolist():
            inside = slice(first[one], ends[one])
            time, duration, share = _steps(start[inside], stop[inside], seconds[inside])
            part = _picked(rows, own & (group == one))
            count = len(part["time"])
            part = {name: np.repeat(cells, len(time)) for name, cells in part.items()}
            part["value"] = part["value"] * np.tile(share, count)
            part |= {"time": np.tile(time, count), "duration": np.tile(duration, count)}
            parts.append(part)
        # Another worker may report later, so the unmeasured part of the intervals is kept.
        activities = self._recording.names.since(ACTIVITIES.name, 0)
        beside = [at for at, name in enumerate(activities) if name in BESIDE_TASKS]
        measured = own & (rows["unit"] == SECONDS) & ~np.isin(rows["activity"], beside)
        sums = np.bincount(group[measured], rows["value"][measured], len(first))
        whole = np.add.reduceat(seconds, first)
        uneven = np.minimum(UNEVEN_MOST * seconds, UNEVEN_S + UNEVEN_SHARE * seconds)
        left = np.where(whole - sums > np.add.reduceat(uneven, first), 1 - sums / whole, 0)
        self._intervals[3] = seconds * np.repeat(left, ends - first)
        self._keep(self._intervals[3] > 0.01 * (stop - start))
        return {name: np.concatenate([part[name] for part in parts]) for name in rows}

    # -- states -------------------------------------------------------------

    def _take_states(
        self,
        rows: Sequence[Cells],
        workers: Mapping[int, str],
        places: Places,
        now: float,
        *,
        whole: bool,
    ) -> None:
        columns = dict(zip(TASK_STATES.names, rows, strict=True))
        nothing = self._recording.names.intern(PREFIXES.name, "")
        none = columns["prefix"] == NO_PREFIX
        prefix = np.full(len(none), nothing)
        prefix[~none] = places.of(PREFIXES.name, columns["prefix"][~none])
        names = [workers[place] for place in columns["worker"].tolist()]
        series = self._recording.series(TASK_STATES.name)
        keys = [*zip(prefix.tolist(), names, strict=True)]
        gone = self._there.difference(keys) if whole else set()
        if gone:
            gone_prefix, gone_workers = zip(*gone, strict=True)
            last: dict[str, Any] = {"time": np.full(len(gone), now), "start": nan, "earliest": nan}
            series.append(last | {"prefix": gone_prefix, "worker": gone_workers}, now=now)
        if keys:
            series.append(columns | {"prefix": prefix, "worker": names}, now=now)
        self._there = self._there.union(keys).difference(gone)


def _picked(rows: Mapping[str, Cells], which: Cells) -> dict[str, Cells]:
    return {name: cells[which] for name, cells in rows.items()}


def _steps(start: Cells, stop: Cells, seconds: Cells) -> tuple[Cells, Cells, Cells]:
    """Return time, duration and share of the steps that contain the intervals.

    >>> [part.tolist() for part in _steps(np.array([0.5]), np.array([4.5]), np.array([4.0]))]
    [[0.5, 1.0, 2.0, 3.0, 4.0], [0.5, 1.0, 1.0, 1.0, 0.5], [0.125, 0.25, 0.25, 0.25, 0.125]]
    """
    low, high = float(start.min()), float(stop.max())
    step = 1.0 if high - low <= FINE_S else 10.0 * ceil((high - low) / (10.0 * MAX_STEPS))
    edges = np.arange(floor(low / step), ceil(high / step) + 1) * step
    edges[0], edges[-1] = low, high
    knots = np.concatenate([start, stop])
    rates = seconds / (stop - start)
    order = np.argsort(knots, kind="stable")
    knots = knots[order]
    rate = np.cumsum(np.concatenate([rates, -rates])[order])[:-1]
    area = np.concatenate([[0.0], np.cumsum(rate * np.diff(knots))])
    inside = np.diff(np.interp(edges, knots, area))
    some = inside > TINY * area[-1]
    inside = inside[some]
    return edges[:-1][some], np.diff(edges)[some], inside / inside.sum()


def _negative(columns: Mapping[str, Cells]) -> dict[str, Cells]:
    return {name: -columns[name] if name == "value" else columns[name] for name in (*KEYS, "value")}


def _sums(parts: Sequence[Mapping[str, Cells]]) -> dict[str, Cells]:
    """Return the remaining sums by key, without span."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    keys = np.stack([joined[name] for name in KEYS if name != "span"]).astype(np.int64)
    unique, place = np.unique(keys, axis=1, return_inverse=True)
    value = np.bincount(place.ravel(), joined["value"], unique.shape[1])
    size = np.bincount(place.ravel(), np.abs(joined["value"]), unique.shape[1])
    more = value > np.maximum(TINY, ROUNDING * size)
    context, prefix, activity, unit = unique[:, more]
    found = {"context": context, "prefix": prefix, "activity": activity, "unit": unit}
    return found | {"span": np.zeros(len(context), np.int64), "value": value[more]}
