"""Bokeh figures of a recording: ordinary models, for Bokeh and Panel apps of your own.

    from bokeh.layouts import column
    from bokeh.plotting import show

    show(column(daskscope.figures.task_stream(rec), daskscope.figures.memory(rec)))

Their time is in seconds from the recording's start, so figures of one recording can share a range.
Names are shown as text: no tooltip takes HTML, and no label takes TeX.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, PlainText, Range1d, Title
from bokeh.plotting import figure

from daskscope.derive.focus_totals import Selection
from daskscope.focus import Focus
from daskscope.palette import (
    ACTION_COLOURS,
    MEMORY_COLOURS,
    PREFIX_COLOURS,
    action_colour,
    line_colour,
)
from daskscope.recording import Recording
from daskscope.recording.names import name_of
from daskscope.recording.stretches import Stretches, fit, of_rows
from daskscope.schema import HELD, MEMORY
from daskscope.words import bytes_text, count_text, cut, natural, seconds_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore, TaskChunk
    from daskscope.session import Session

    Columns = dict[str, NDArray[Any]]

MAX_RECTANGLES: Final = 50_000
MAX_SAMPLES: Final = 20_000
MAX_LEGEND: Final = 12
"""So many prefixes have an entry of their own in a legend."""

MAX_WORKER_LABELS: Final = 40
MAX_CHARACTERS: Final = 100
GIB: Final = 2**30

KINDS: Final = ("", "erred", "transfer", "disk", "deserialize")
"""How a rectangle is painted, in the order of drawing: as its prefix, or in an action's colour."""

STRIP: Final = 0.36
"""The part of a lane that transfers, disk and deserialize take, at its bottom."""
BETWEEN: Final = 0.4
"""Space between two workers, in lanes."""


def task_stream(
    recording_or_session: Recording | Session, focus: Focus | Mapping[str, Any] | None = None
) -> figure:
    """Return a Bokeh figure of the tasks: a lane for each thread, by worker.

    Above 50,000 rectangles neighbours of one lane are drawn as one, in the colour of the prefix
    that took most of it, and a note in the figure says so.

    >>> daskscope.figures.task_stream(rec, {"prefixes": ["inc"]})
    figure(...)
    """
    recording, chosen = _store(recording_or_session), Focus.from_json(focus)
    chunks = recording.chunks()
    selection = Selection(recording.names, chosen)
    masks = [selection.mask(chunk.columns) for chunk in chunks]
    rows = sum(int(mask.sum()) for mask in masks)
    tasks = sum(
        len(np.unique(chunk.columns["task"][mask]))
        for chunk, mask in zip(chunks, masks, strict=True)
    )
    aggregated = rows > MAX_RECTANGLES
    kinds = _kinds(recording)
    parts = []
    for chunk, mask in zip(chunks, masks, strict=True):
        columns = {name: column[mask] for name, column in chunk.columns.items()}
        stretches = _stretches(columns, kinds)
        parts.append(fit(stretches, MAX_RECTANGLES) if aggregated else stretches)
    drawn = Stretches.concat(parts)
    if aggregated:
        drawn = fit(drawn, MAX_RECTANGLES)
        more = {"tasks": drawn.rows}
        fields = [("tasks", "@tasks")]
    else:
        more = _details(chunks, masks)
        fields = [("key", "@key"), ("result", "@size")]
    fig = _figure("Task stream", recording, chosen)
    _say(fig, _task_notes(recording, tasks, len(drawn) if aggregated else None))
    hover = [("", "@name"), ("action", "@action"), ("start", "@left{0.000} s")]
    hover += [("duration", "@duration"), ("worker", "@worker"), *fields]
    fig.add_tools(HoverTool(tooltips=hover))
    _draw_lanes(fig, recording, drawn, more)
    return fig


def _kinds(recording: RecordingStore) -> NDArray[np.uint8]:
    """Return for each action which of `KINDS` it is."""
    actions = recording.names.since("actions", 0)
    return np.array([KINDS.index(action_colour(action) or "") for action in actions], "u1")


def _stretches(columns: Columns, kinds: NDArray[np.uint8]) -> Stretches:
    """Return rows as stretches of lanes that have a row for each of `KINDS`."""
    placed = np.isfinite(columns["start"])
    columns = {name: column[placed] for name, column in columns.items()}
    kind = kinds[columns["action"]]
    kind[(kind == 0) & (columns["status"] != 0)] = KINDS.index("erred")
    found = of_rows(columns)
    lane = columns["lane"].astype("u4") * len(KINDS) + kind
    return replace(found, lane=lane, busy=(found.stop - found.start).astype("f4"))


def _details(chunks: list[TaskChunk], masks: list[NDArray[np.bool_]]) -> Columns:
    """Return what a tooltip says of single rows."""
    keys: list[str] = []
    sizes: list[str] = []
    for chunk, mask in zip(chunks, masks, strict=True):
        mask = mask & np.isfinite(chunk.columns["start"])
        if mask.any():
            texts = [cut(key, MAX_CHARACTERS) for block in chunk.keys for key in block.texts()]
            keys += [texts[task - chunk.first] for task in chunk.columns["task"][mask].tolist()]
            sizes += [bytes_text(size) for size in chunk.columns["nbytes"][mask].tolist()]
    return {"key": np.array(keys, "O"), "size": np.array(sizes, "O")}


def _task_notes(recording: RecordingStore, tasks: int, stretches: int | None) -> list[str]:
    counts = recording.counts
    notes = [] if tasks else ["No tasks to show."]
    if stretches is not None:
        notes = [
            f"{count_text(tasks, 'task')} drawn as {count_text(stretches, 'stretch', 'stretches')}"
        ]
    if counts.kept < counts.captured:
        notes.append(f"{counts.kept:,} of {count_text(counts.captured, 'task')} were kept")
    return notes


def _draw_lanes(fig: figure, recording: RecordingStore, drawn: Stretches, more: Columns) -> None:
    lane, kind = drawn.lane // len(KINDS), drawn.lane % len(KINDS)
    names, zero = recording.names, _zero(recording)
    known = recording.worker_names
    workers = [name_of(address, known) for address, _ in names.lanes]
    tops, labels = _places(workers, np.unique(lane).tolist())
    top = np.array([tops.get(one, 0.0) for one in range(len(workers))])[lane]
    length = drawn.stop - drawn.start
    prefixes = [cut(name, MAX_CHARACTERS) for name in names.prefixes]
    slots = names.colours["prefixes"]
    actions = ["compute", "compute, erred", *KINDS[2:]]
    columns: Columns = {
        "left": drawn.start - zero,
        "right": drawn.stop - zero,
        "top": np.where(kind > 1, top + 1 - STRIP, top),
        "bottom": top + 0.92,
        "alpha": np.clip(drawn.busy / np.where(length > 0, length, 1), 0.2, 1),
        "colour": np.array([PREFIX_COLOURS[slot] for slot in slots], "O")[drawn.prefix],
        "name": np.array(prefixes, "O")[drawn.prefix],
        "action": np.array(actions, "O")[kind],
        "worker": np.array(workers, "O")[lane],
        "duration": np.array([seconds_text(one) for one in length.tolist()], "O"),
        **more,
    }
    for name, colour, mask in _groups(drawn, kind, prefixes):
        part = {field: column[mask] for field, column in columns.items()}
        fig.quad(
            source=ColumnDataSource(part),
            **{side: side for side in ("left", "right", "top", "bottom")},
            fill_color=colour or "colour",
            fill_alpha="alpha",
            line_color=None,
            legend_label=name,
        )
    fig.y_range = Range1d(max(tops.values(), default=0.0) + 1, 0)
    fig.yaxis.ticker = FixedTicker(ticks=list(labels))
    fig.yaxis.major_label_overrides = {at: PlainText(text=name) for at, name in labels.items()}
    fig.height = min(max(160 + 12 * len(tops), 240), 900)
    _finish_legend(fig)


def _groups(
    drawn: Stretches, kind: NDArray[Any], prefixes: list[str]
) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Yield the entries of the legend: name, colour if it has one, and which stretches.

    Prefixes come by weight, then what lies on them.
    """
    own = kind == 0
    weights = np.bincount(drawn.prefix[own], drawn.busy[own], minlength=len(prefixes))
    order = np.argsort(-weights, kind="stable")
    order = order[np.isin(order, drawn.prefix[own])].tolist()
    for one in order[:MAX_LEGEND]:
        yield prefixes[one], "", own & (drawn.prefix == one)
    if rest := order[MAX_LEGEND:]:
        more = count_text(len(rest), "more prefix", "more prefixes")
        yield more, "", own & np.isin(drawn.prefix, rest)
    for one, name in enumerate(KINDS):
        if one and (kind == one).any():
            yield name, ACTION_COLOURS[name], kind == one


def _places(workers: list[str], lanes: list[int]) -> tuple[dict[int, float], dict[float, str]]:
    """Return the top of each lane, and the names of workers by the middle of their lanes."""
    by_worker: dict[str, list[int]] = {}
    for lane in lanes:
        by_worker.setdefault(workers[lane], []).append(lane)
    tops: dict[int, float] = {}
    middles: dict[float, str] = {}
    at = 0.0
    for name in sorted(by_worker, key=natural):
        first = at
        for lane in by_worker[name]:
            tops[lane] = at
            at += 1
        middles[(first + at) / 2] = name
        at += BETWEEN
    each = max(-(-len(middles) // MAX_WORKER_LABELS), 1)
    return tops, dict(list(middles.items())[::each])


def memory(
    recording_or_session: Recording | Session, focus: Focus | Mapping[str, Any] | None = None
) -> figure:
    """Return a Bokeh figure of the memory of the cluster, or of the workers in focus.

    Managed and unmanaged memory are stacked below the limit; spilled data is below zero. With
    prefixes in focus a line for each shows what their results hold: nothing else is known by
    prefix.

    >>> daskscope.figures.memory(rec)
    figure(...)
    """
    recording, chosen = _store(recording_or_session), Focus.from_json(focus)
    zero = _zero(recording)
    rows = recording.series(MEMORY.name).rows()
    samples = _samples(rows, [*chosen.workers] or [""])
    if chosen.time:
        inside = (samples["time"] >= chosen.time[0]) & (samples["time"] <= chosen.time[1])
        samples = {name: column[inside] for name, column in samples.items()}
    count = len(samples["time"])
    samples = _thinned(samples)
    fig = _figure("Memory", recording, chosen, y_axis_label="GiB; below zero on disk")
    notes = [] if count else ["No samples to show."]
    if count > MAX_SAMPLES:
        notes = [f"{count:,} samples drawn as {MAX_SAMPLES:,}, each the largest of its time"]
    if chosen.spans or chosen.prefixes:
        notes.append("The areas show all tasks: memory is known by worker")
    _say(fig, notes)
    columns = {name: column / GIB for name, column in samples.items() if name != "time"}
    source = ColumnDataSource(
        {**columns, "time": samples["time"] - zero, "below": -columns["spilled"]}
    )
    fig.varea_stack(
        list(MEMORY_COLOURS),
        x="time",
        source=source,
        color=list(MEMORY_COLOURS.values()),
        legend_label=[name.replace("_", ", ") for name in MEMORY_COLOURS],
    )
    fig.varea(
        x="time",
        y1=0,
        y2="below",
        source=source,
        fill_color=ACTION_COLOURS["disk"],
        fill_alpha=0.3,
        hatch_pattern="right_diagonal_line",
        hatch_color=ACTION_COLOURS["disk"],
        legend_label="spilled",
    )
    peak = fig.line("time", "process", source=source, color="#4a6785", legend_label="process")
    if np.isfinite(samples["limit"]).any():
        fig.line(
            "time", "limit", source=source, color="black", line_width=1.5, legend_label="limit"
        )
    _draw_held(fig, recording, chosen, zero)
    shown = ("process", *MEMORY_COLOURS, "spilled", "limit")
    fields = [(name.replace("_", ", "), f"@{name}{{0.00}} GiB") for name in shown]
    tooltips = [("time", "@time{0.00} s"), *fields]
    fig.add_tools(HoverTool(renderers=[peak], mode="vline", tooltips=tooltips))
    _finish_legend(fig)
    return fig


def _samples(rows: Columns, workers: list[str]) -> Columns:
    """Return the sum of some workers, each at every moment at which one of them was sampled."""
    measures = (*MEMORY_COLOURS, "spilled", "limit", "process")
    chosen = np.isin(rows["worker"], workers)
    rows = {name: column[chosen] for name, column in rows.items()}
    rows["process"] = rows["process_most"]  # no peak of a wider step is lost
    times = np.unique(rows["time"])
    total: Columns = {"time": times, **{name: np.zeros(len(times)) for name in measures}}
    for worker in workers:
        own = {name: rows[name][rows["worker"] == worker] for name in ("time", *measures)}
        here = np.searchsorted(own["time"], times, side="right") - 1
        gone = np.append(np.isnan(own["process"]), True)  # the last one is for "not yet there"
        for name in measures:
            value = np.append(own[name].astype("f8"), 0.0)[here]
            total[name] += np.where(gone[here], 0, value)
    return total


def _thinned(samples: Columns) -> Columns:
    """Return at most `MAX_SAMPLES`: of neighbours the one with the most memory, so peaks stay."""
    count = len(samples["time"])
    if count <= MAX_SAMPLES:
        return samples
    part = np.arange(count) * MAX_SAMPLES // count
    order = np.lexsort((samples["process"], part))
    last = np.flatnonzero(np.append(np.diff(part), 1))
    thin = {name: column[order[last]] for name, column in samples.items()}
    first = np.append(0, last[:-1] + 1)
    return {**thin, "spilled": np.maximum.reduceat(samples["spilled"], first)}


def _draw_held(fig: figure, recording: RecordingStore, focus: Focus, zero: float) -> None:
    """Draw what the results of the prefixes in focus hold."""
    rows = recording.series(HELD.name).rows(*focus.time or ())
    names, slots = recording.names.prefixes, recording.names.colours["prefixes"]
    for name in focus.prefixes[:MAX_LEGEND]:
        if name in names:
            own = rows["prefix"] == names.index(name)
            held = {"time": rows["time"][own] - zero, "held": rows["bytes"][own] / GIB}
            colour = PREFIX_COLOURS[slots[names.index(name)]]
            fig.step(
                "time",
                "held",
                mode="after",
                source=ColumnDataSource(held),
                color=colour,
                line_width=2,
                legend_label=cut(name, MAX_CHARACTERS),
            )


def memory_samples(frame: pd.DataFrame, *, aligned: bool, measure: str) -> figure:
    """Return a Bokeh figure with a line for each column of ``MemorySampler.to_pandas()``, in bytes.

    Its time is that of the day, or with `aligned` in seconds from the begin of each sample.
    """
    fig = figure(
        title="Memory of the cluster",
        height=320,
        sizing_mode="stretch_width",
        x_axis_type="auto" if aligned else "datetime",
        x_axis_label="time from the begin of each sample, in s" if aligned else "time (UTC)",
        y_axis_label=f"{measure.replace('_', ' ')}, GiB",
    )
    when = "@time{0.0} s" if aligned else "@time{%F %T}"
    for number, label in enumerate(frame):
        values = frame[label].dropna()
        index = values.index.total_seconds() if aligned else values.index
        source = ColumnDataSource(
            {
                "time": index,
                "gib": values / GIB,
                "name": [cut(str(label), MAX_CHARACTERS)] * len(values),
            }
        )
        line = fig.line(
            "time",
            "gib",
            source=source,
            color=line_colour(number),
            line_width=2,
            legend_label=cut(str(label), MAX_CHARACTERS),
        )
        fig.add_tools(
            HoverTool(
                renderers=[line],
                tooltips=[("", "@name"), ("time", when), (measure, "@gib{0.00} GiB")],
                formatters={"@time": "numeral" if aligned else "datetime"},
            )
        )
    _finish_legend(fig)
    return fig


def _store(recording_or_session: Recording | Session) -> RecordingStore:
    recording = getattr(recording_or_session, "recording", recording_or_session)
    if not isinstance(recording, Recording):
        kind = type(recording_or_session).__name__
        raise TypeError(f"expected a daskscope recording or session, got {kind}")
    return recording._core


def _zero(recording: RecordingStore) -> float:
    """Return the recording's start, which is zero of every figure."""
    if recording.begin is not None:
        return recording.begin
    times = recording.series(MEMORY.name).rings[0].columns(0, 1)["time"]
    return float(times[0]) if len(times) else 0.0


def _figure(title: str, recording: RecordingStore, focus: Focus, **more: Any) -> figure:
    if focus.time:
        start, stop = (moment - _zero(recording) for moment in focus.time)
        more["x_range"] = (start, max(stop, start + 1e-6))
    return figure(
        title=title,
        height=320,
        sizing_mode="stretch_width",
        x_axis_label="time from the recording's start, in s",
        tools="xpan,xwheel_zoom,xbox_zoom,reset,save",
        **more,
    )


def _say(fig: figure, notes: list[str]) -> None:
    """Say in the figure what it does not show as it was."""
    for note in notes:
        fig.add_layout(Title(text=note, text_font_style="italic", text_font_size="11px"), "above")


def _finish_legend(fig: figure) -> None:
    if fig.legend:
        fig.add_layout(fig.legend[0], "right")
        fig.legend.click_policy = "hide"
        fig.legend.label_text_font_size = "11px"
