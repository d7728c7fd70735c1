"""Fine Performance Metrics of a recording, as a DataFrame."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.query import bad_query, indexes_of, unknown_name, window_of
from daskscope.schema import ACTIVITIES, METRICS, PREFIXES, SPANS, UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from daskscope.recording.query import Wanted
    from daskscope.recording.recording import Recording
    from daskscope.recording.recording_store import RecordingStore

    Columns = Mapping[str, NDArray[Any]]

KINDS: Final = {
    "prefix": PREFIXES.name,
    "activity": ACTIVITIES.name,
    "span": SPANS.name,
    "unit": UNITS.name,
}
SHOWN: Final = ("context", "prefix", "activity", "span", "unit", "value")

LONG_AGO: Final = -1e300
"""A start that is before everything but what was there when recording began."""

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
    """Return the metrics of a time and of some names (see `Recording.fine_metrics`)."""
    import pandas as pd

    core = recording._core
    since, until = window_of(start, stop)
    chosen = {
        column: indexes_of(core.names, KINDS[column], column, wanted)
        for column, wanted in names.items()
        if wanted is not None
    }
    if cell is not None:
        first, last, prefixes = _of_cell(recording, cell)
        since, until = max(since, first), min(until, last)
        of_cell = indexes_of(core.names, PREFIXES.name, "prefix", prefixes)
        chosen["prefix"] = chosen.get("prefix", of_cell) & of_cell
    if over is None:
        if since == -inf and until < inf:
            since = LONG_AGO
        columns: Columns = core.series(METRICS.name).window(since, max(since, until))
    else:
        columns = _steps(core, since, until, _seconds(over))
    kept = columns["value"] > 0
    for column, indexes in chosen.items():
        kept &= np.isin(columns[column], [*indexes])
    labels = {
        name: np.array([*core.names.labels(kind), ""], object)
        for name, kind in {"context": "contexts", **KINDS}.items()
    }
    cells = {
        name: labels[name][columns[name][kept]] if name in labels else columns[name][kept]
        for name in SHOWN
    }
    by = [name for name in SHOWN if name != "value"]
    if over is not None:
        cells, by = {"time": columns["time"][kept], **cells}, ["time", *by]
    frame = pd.DataFrame(cells).groupby(by, as_index=False, sort=False, observed=True).sum()
    order = ["time", "value"] if over is not None else ["value"]
    ascending = [name == "time" for name in order]
    return frame.sort_values(order, ascending=ascending, ignore_index=True)


def _steps(core: RecordingStore, since: float, until: float, step: float) -> Columns:
    """Return the rows of a time, each in parts where it is in several steps."""
    series = core.series(METRICS.name)
    rows = series.rows(since, until)
    rows = series.clipped({name: rows[name] for name in METRICS.names}, since, until)
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


def _of_cell(recording: Recording, cell: str) -> tuple[float, float, list[str]]:
    """Return the time and the prefixes of the tasks of a cell."""
    tasks = recording.tasks
    cells = tasks.get("cell", [])
    known = [str(one) for one in dict.fromkeys(cells) if one and isinstance(one, str)]
    if cell not in known and cell in {*recording.table("cells")["cell"]}:
        return 0.0, 0.0, []  # it brought no task that has ended
    if cell not in known:
        raise unknown_name("cell", cell, known)
    own = tasks[tasks["cell"] == cell]
    stop = (own["start"] + own["duration"]).max()
    return float(own["start"].min()), float(stop), [*own["prefix"].astype(str).unique()]


def _seconds(over: str | float) -> float:
    from dask.utils import parse_timedelta

    try:
        seconds = float(parse_timedelta(over))
    except (TypeError, ValueError, KeyError, AttributeError):
        seconds = 0.0
    if not 0 < seconds < inf:
        raise bad_query(
            f"over is no step of time: {over!r:.100}.", 'Give "1s", "1 minute" or seconds.'
        )
    return seconds
