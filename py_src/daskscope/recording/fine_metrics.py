"""Fine Performance Metrics of a recording, as a DataFrame."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.frames import cells_of_graphs
from daskscope.recording.query import bad_query, unknown_name, window_of
from daskscope.recording.recording import store_of
from daskscope.recording.series_ring import joined, pick
from daskscope.recording.series_store import share_of
from daskscope.recording.summary_blocks import FAR_S
from daskscope.schema import (
    ACTIONS,
    ACTIVITIES,
    BESIDE_TASKS,
    CELLS,
    CONTEXTS,
    METRICS,
    PREFIXES,
    SPAN_TIMES,
    SPANS,
    UNITS,
    WITHOUT_GRAPH,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from daskscope.recording.query import Wanted
    from daskscope.recording.recording import Recording
    from daskscope.recording.recording_store import RecordingStore

    Columns = Mapping[str, NDArray[Any]]
    Rows = dict[str, NDArray[Any]]

KINDS: Final = {
    "prefix": PREFIXES.name,
    "activity": ACTIVITIES.name,
    "span": SPANS.name,
    "unit": UNITS.name,
}
SHOWN: Final = ("context", "prefix", "activity", "span", "unit", "value")
EXECUTE: Final = CONTEXTS.first.index(("execute",))
SECONDS: Final = UNITS.first.index(("seconds",))
TRANSFER: Final = ACTIONS.index("transfer")

LONG_AGO: Final = -1e300
"""A start before all rows, which excludes the totals from before the recording."""

MAX_ROWS: Final = 20_000_000


def fine_metrics(
    recording: Recording,
    start: float | None,
    stop: float | None,
    names: Mapping[str, Wanted],
    *,
    cell: str | None = None,
    over: str | float | None = None,
) -> pd.DataFrame:
    """Return metrics, selected by time and names (see `Recording.fine_metrics`)."""
    import pandas as pd

    core = store_of(recording)
    since, until = window_of(start, stop)
    chosen = {}
    for column, wanted in names.items():
        texts = [wanted] if isinstance(wanted, str) else wanted
        if texts is not None:
            chosen[column] = indexes(core, column, texts)
            if not all(chosen[column].values()):
                unknown = next(text for text, found in chosen[column].items() if not found)
                raise unknown_name(column, unknown, core.names.labels(KINDS[column]))
    if cell is not None and cell not in (known := _known_cells(core)):
        raise unknown_name("cell", cell, known[len(WITHOUT_GRAPH) :])
    columns = measured(
        core,
        {column: set().union(*found.values()) for column, found in chosen.items()},
        since if since > -inf or until == inf else LONG_AGO,
        until,
        cells=None if cell is None else [cell],
        step=None if over is None else _seconds(over),
    )
    labels = {
        name: np.array([*core.names.labels(kind), ""], object)
        for name, kind in {"context": CONTEXTS.name, **KINDS}.items()
    }
    shown = SHOWN if over is None else ("time", *SHOWN)
    cells = {
        name: labels[name][columns[name]] if name in labels else columns[name] for name in shown
    }
    by = [name for name in shown if name != "value"]
    frame = pd.DataFrame(cells).groupby(by, as_index=False, sort=False, observed=True).sum()
    order = ["time", "value"] if over is not None else ["value"]
    ascending = [name == "time" for name in order]
    return frame.sort_values(order, ascending=ascending, ignore_index=True)


def execute_seconds(
    core: RecordingStore,
    chosen: Mapping[str, Collection[int]] | None = None,
    since: float = 0.0,
    until: float = inf,
    cells: Sequence[str] | None = None,
) -> Columns:
    """Return the time that task threads took: `prefix`, `activity`, and `value` in seconds."""
    own = {"context": (EXECUTE,), "unit": (SECONDS,)}
    return measured(core, {**own, **(chosen or {})}, since, until, cells=cells)


def measured(
    core: RecordingStore,
    chosen: Mapping[str, Collection[int]],
    since: float,
    until: float,
    *,
    cells: Sequence[str] | None = None,
    step: float | None = None,
) -> Columns:
    """Return rows of metrics in a window, filtered by the chosen indexes of columns.

    With `cells`, return the shares of the tasks of these cells. With a `step`, each row has the
    `time` of its step.
    """
    series = core.series(METRICS.name)
    if cells is not None:
        rows = joined([_of_cell(core, cell, since, until) for cell in cells])
    elif step is not None:
        rows = series.rows(since, until)
        rows = series.clipped({name: rows[name] for name in METRICS.names}, since, until)
    else:
        rows = series.window(since, max(since, until))
    kept = rows["value"] > 0
    for column, numbers in chosen.items():
        kept &= np.isin(rows[column], [*numbers])
    rows = pick(rows, kept)
    return rows if step is None else _in_steps(rows, step)


def _in_steps(rows: Columns, step: float) -> Columns:
    """Split rows at the ends of steps."""
    time, end = rows["time"], rows["time"] + rows["duration"]
    first = np.floor(time / step)
    count = np.maximum(np.ceil(end / step) - first, 1).astype(np.int64)
    if count.sum() > MAX_ROWS:
        raise bad_query(
            f"There would be {int(count.sum()):,} rows in steps of {step:g} s.",
            "Give wider steps, or a shorter time.",
        )
    row = np.repeat(np.arange(len(time)), count)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    at = (first[row] + place) * step
    inside = np.minimum(end[row], at + step) - np.maximum(time[row], at)
    length = (end - time)[row]
    share = np.where(length > 0, inside / np.where(length > 0, length, 1), 1)
    columns = {name: rows[name][row] for name in SHOWN}
    return columns | {"time": at, "value": columns["value"] * share}


def _of_cell(core: RecordingStore, cell: str, since: float, until: float) -> Rows:
    """Return rows of metrics with the share of a cell's tasks.

    Metrics have functions, spans and time, but no cells. If tasks of other cells ran the same
    function meanwhile, the measured seconds are shared in proportion to the durations of tasks.
    """
    series = core.series(METRICS.name)
    key, start, stop, seconds = _groups_of(core, cell)
    rows = series.rows(start.min(initial=inf), stop.max(initial=-inf))
    own = (rows["context"] == EXECUTE) & np.isin(_key(rows), key)
    rows = {name: rows[name][own] for name in METRICS.names}
    group = np.searchsorted(key, _key(rows))
    start, stop = start[group], stop[group]
    time, end = rows["time"], rows["time"] + rows["duration"]
    names = core.names.labels(ACTIVITIES.name)
    beside = [number for number, name in enumerate(names) if name in BESIDE_TASKS]
    counted = (rows["unit"] == SECONDS) & ~np.isin(rows["activity"], beside)
    inside = rows["value"] * share_of(time, end, start, stop) * counted
    all_seconds = np.bincount(group, inside, len(key))
    part = np.minimum(seconds / np.where(all_seconds > 0, all_seconds, inf), 1)[group]
    start, stop = np.maximum(start, since), np.minimum(stop, until)
    rows["value"] = rows["value"] * share_of(time, end, start, stop) * part
    rows["time"] = np.maximum(time, start)
    rows["duration"] = np.maximum(np.minimum(end, stop) - rows["time"], 0)
    return rows


def _key(columns: Columns) -> NDArray[np.int64]:
    """Return one number for a function and a span."""
    return columns["prefix"].astype(np.int64) * 2**16 + columns["span"]


def _groups_of(core: RecordingStore, cell: str) -> list[NDArray[Any]]:
    """Return key, first start, last stop and seconds of each function and span of a cell."""
    graphs = np.zeros(2**16, bool)
    known = cells_of_graphs(core)
    graphs[: len(known)] = [one == cell for one in known]
    parts = []
    for chunk in core.chunks():
        columns = chunk.columns
        own = graphs[columns["computation"]] & (columns["action"] != TRANSFER)
        own &= np.abs(columns["start"]) < FAR_S
        rows = {name: columns[name][own] for name in ("prefix", "span", "start", "duration")}
        seconds = np.nan_to_num(rows["duration"].astype(np.float64)).clip(0, FAR_S)
        parts.append((_key(rows), rows["start"], rows["start"] + seconds, seconds))
    if not sum(len(part[0]) for part in parts):
        return [np.zeros(0)] * 4
    key, *times = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    sums = (np.minimum, np.maximum, np.add)
    found = [how.reduceat(cells[order], first) for how, cells in zip(sums, times, strict=True)]
    return [key[order][first], *found]


def _known_cells(core: RecordingStore) -> list[str]:
    """Return the names of cells; the first one is that of unknown graphs."""
    cells = core.log(CELLS.name).columns()["cell"]
    return [one for one in dict.fromkeys([*cells_of_graphs(core), *cells]) if one]


def indexes(core: RecordingStore, column: str, wanted: Sequence[str]) -> dict[str, set[int]]:
    """Return the indexes of names; for spans (full names or ids), also those of inner spans."""
    kind, found = KINDS[column], {text: set[int]() for text in wanted}
    for index, label in enumerate(core.names.labels(kind)):
        if label in found:
            found[label].add(index)
    if kind == SPANS.name:
        for index, (span_id, _) in enumerate(core.names.since(kind, 0)):
            if span_id in found:
                found[span_id].add(index)
        return _with_inner(core, found)
    return found


def _with_inner(core: RecordingStore, found: dict[str, set[int]]) -> dict[str, set[int]]:
    times = core.log(SPAN_TIMES.name).columns()
    inner: dict[int, set[int]] = {}
    for span, parent in zip(times["span"], times["parent"], strict=True):
        if parent:  # 0 means no parent
            inner.setdefault(parent, set()).add(span)
    for spans in found.values():
        news = [*spans]
        while news:
            more = inner.get(news.pop(), set()) - spans
            spans |= more
            news += more
    return found


def _seconds(over: str | float) -> float:
    from dask.utils import parse_timedelta

    try:
        seconds = float(parse_timedelta(over))
    except (TypeError, ValueError, KeyError, AttributeError):
        seconds = 0.0
    if not 0 < seconds < inf:
        raise bad_query(
            f"over must be a positive duration, got {over!r:.100}.",
            'Give "1s", "1 minute" or seconds.',
        )
    return seconds
