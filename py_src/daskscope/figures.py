"""Bokeh figures of a recording: ordinary models, for Bokeh and Panel apps of your own.

    from bokeh.layouts import column
    from bokeh.plotting import show

    show(column(daskscope.figures.task_stream(rec), daskscope.figures.memory(rec)))

Their time is in seconds from the recording's start, so figures of one recording can share a range.
Names are plain text: tooltips escape them, and labels that could be read as TeX are `PlainText`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from bokeh.models import ColumnDataSource, DataRange1d, HoverTool, PlainText, Range1d, Title
from bokeh.plotting import figure

from daskscope.derive.focus_totals import Selection
from daskscope.derive.modules import MODULE_NAMES, MODULES, module_of
from daskscope.derive.profile_tree import ProfileTree, laid_out
from daskscope.derive.recorded_profile import profile_of
from daskscope.focus import Focus
from daskscope.format import bytes_text, count_text, cut, natural, seconds_text, share_text
from daskscope.palette import (
    ACTION_COLOURS,
    FLAME_COLOURS,
    MEMORY_COLOURS,
    PREFIX_COLOURS,
    action_colour,
    activity_colour,
    line_colour,
)
from daskscope.recording import Recording, store_of
from daskscope.recording.fine_metrics import execute_seconds, indexes
from daskscope.recording.names import name_of
from daskscope.recording.summary_blocks import SummaryBlocks, fit, of_rows
from daskscope.schema import HELD, MEMORY, SCOPES

__all__ = ["fine_metrics", "memory", "memory_samples", "profile", "task_stream"]

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore
    from daskscope.session import Session

    Columns = Mapping[str, NDArray[Any]]

MAX_RECTANGLES: Final = 50_000
MAX_SAMPLES: Final = 20_000
MAX_NAMED: Final = 12
"""So many prefixes have an entry of their own in a legend."""
MAX_WORKER_LABELS: Final = 40
MAX_FUNCTIONS: Final = 30
MAX_FRAMES: Final = 10_000
"""Of a flame graph."""
MAX_CHARACTERS: Final = 100
"""So much of a name or key is shown."""

KINDS: Final = ("", "erred", "transfer", "disk", "deserialize")
"""How a rectangle is painted, in the order of drawing: as its prefix, or in an action's colour."""
STRIP: Final = 0.36
"""The part of a lane that transfers, disk and deserialize take, at its bottom."""
SLATE: Final = "#4a6785"
"""Of the line of process memory."""
GIB: Final = 2**30


def task_stream(
    recording_or_session: Recording | Session, focus: Focus | Mapping[str, Any] | None = None
) -> figure:
    """Return a Bokeh figure of the tasks: a lane for each thread, by worker.

    Above 50,000 rectangles, neighbours in a lane are joined, in the colour of the prefix that took
    most of that time, and a note in the figure says so.

    >>> daskscope.figures.task_stream(rec, {"prefixes": ["inc"]})
    figure(...)
    """
    recording, chosen = _store(recording_or_session), Focus.from_json(focus)
    parts, keys, sizes, tasks = [], list[str](), list[str](), 0
    chunks = recording.chunks()  # first: names that come meanwhile are of none of them
    selection = Selection(recording, chosen)
    actions = recording.names.since("actions", 0)
    kinds = np.array([KINDS.index(action_colour(action) or "") for action in actions], "u1")
    masks = [selection.mask(c.columns) & np.isfinite(c.columns["start"]) for c in chunks]
    joined = sum(int(mask.sum()) for mask in masks) > MAX_RECTANGLES
    for chunk, mask in zip(chunks, masks, strict=True):
        columns = {name: column[mask] for name, column in chunk.columns.items()}
        tasks += len(np.unique(columns["task"]))
        part = _in_lanes(columns, kinds)
        parts.append(fit(part, MAX_RECTANGLES) if joined else part)
        if mask.any() and not joined:
            texts = [cut(key, MAX_CHARACTERS) for block in chunk.keys for key in block.texts()]
            keys += [texts[task - chunk.first] for task in columns["task"].tolist()]
            sizes += [bytes_text(size) for size in columns["nbytes"].tolist()]
    drawn = SummaryBlocks.concat(parts)
    drawn = fit(drawn, MAX_RECTANGLES) if joined else drawn
    notes = [] if tasks else ["No tasks to show"]
    if joined:
        stretches = count_text(len(drawn), "stretch", "stretches")
        notes = [f"{count_text(tasks, 'task')} drawn as {stretches}"]
    counts = recording.counts
    if counts.kept < counts.captured:
        notes.append(f"{counts.kept:,} of {count_text(counts.captured, 'task')} were kept")
    fig = _figure("Task stream", notes, x_range=_range(recording, chosen))
    details = {"rows": drawn.rows} if joined else {"key": _texts(keys), "result": _texts(sizes)}
    _draw_lanes(fig, recording, drawn, details)
    fields = [("prefix", "@name"), ("action", "@action"), ("start", "@left{0.000} s")]
    fields += [(name, f"@{name}") for name in ("duration", "worker", *details)]
    fig.add_tools(HoverTool(tooltips=fields))
    return _with_legend(fig)


def _in_lanes(columns: Columns, kinds: NDArray[Any]) -> SummaryBlocks:
    """Return rows as stretches; each lane is one for each of `KINDS`."""
    kind = kinds[columns["action"]]
    kind[(kind == 0) & (columns["status"] != 0)] = KINDS.index("erred")
    found = of_rows(columns)
    lane: NDArray[Any] = columns["lane"].astype("u4") * len(KINDS) + kind
    return replace(found, lane=lane, busy=(found.stop - found.start).astype("f4"))


def _draw_lanes(
    fig: figure, recording: RecordingStore, drawn: SummaryBlocks, details: Mapping[str, Any]
) -> None:
    lane, kind = drawn.lane // len(KINDS), drawn.lane % len(KINDS)
    names, known = recording.names, recording.worker_names
    workers = [name_of(address, known) for address, _ in names.lanes]
    tops, middles = _places(workers, np.unique(lane).tolist())
    top = np.array([tops.get(one, 0.0) for one in range(len(workers))])[lane]
    length = drawn.stop - drawn.start
    prefixes = [cut(name, MAX_CHARACTERS) for name in names.prefixes]
    columns: Columns = {
        "left": drawn.start - _zero(recording),
        "right": drawn.stop - _zero(recording),
        "top": np.where(kind > 1, top + 1 - STRIP, top),
        "bottom": top + 0.92,
        "alpha": np.clip(drawn.busy / np.where(length > 0, length, 1), 0.2, 1),
        "colour": _texts(PREFIX_COLOURS[slot] for slot in names.colours["prefixes"])[drawn.prefix],
        "name": _texts(prefixes)[drawn.prefix],
        "action": _texts(["compute", "compute, erred", *KINDS[2:]])[kind],
        "worker": _texts(workers)[lane],
        "duration": _texts(map(seconds_text, length.tolist())),
        **details,
    }
    for name, colour, chosen in _groups(drawn, kind, prefixes):
        source = ColumnDataSource({field: column[chosen] for field, column in columns.items()})
        sides = {side: side for side in ("left", "right", "top", "bottom")}
        fill = {"fill_color": colour or "colour", "fill_alpha": "alpha", "line_color": None}
        fig.quad(source=source, legend_label=name, **sides, **fill)
    fig.y_range = Range1d(max(tops.values(), default=0.0) + 1, 0)
    fig.yaxis.ticker = list(middles)
    fig.yaxis.major_label_overrides = {at: PlainText(text=name) for at, name in middles.items()}
    fig.height = min(max(160 + 12 * len(tops), 240), 900)


def _groups(
    drawn: SummaryBlocks, kind: NDArray[Any], prefixes: list[str]
) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Yield the entries of the legend: name, colour if all have it, and which stretches.

    Prefixes come by weight, then what lies on them.
    """
    own = kind == 0
    weights = np.bincount(drawn.prefix[own], drawn.busy[own], minlength=len(prefixes))
    order = np.argsort(-weights, kind="stable")
    order = order[np.isin(order, drawn.prefix[own])]
    for one in order[:MAX_NAMED].tolist():
        yield prefixes[one], "", own & (drawn.prefix == one)
    if len(rest := order[MAX_NAMED:]):
        yield f"{len(rest):,} more", "", own & np.isin(drawn.prefix, rest)
    for one, name in enumerate(KINDS):
        if one and (kind == one).any():
            yield name, ACTION_COLOURS[name], kind == one


def _places(workers: list[str], lanes: list[int]) -> tuple[dict[int, float], dict[float, str]]:
    """Return the top of each lane, and by the middle of their lanes the names of workers."""
    tops: dict[int, float] = {}
    middles: dict[float, str] = {}
    by_worker: dict[str, list[int]] = {}
    for lane in lanes:
        by_worker.setdefault(workers[lane], []).append(lane)
    at = 0.0
    for name in sorted(by_worker, key=natural):
        own = by_worker[name]
        tops |= {lane: at + place for place, lane in enumerate(own)}
        middles[at + len(own) / 2] = name
        at += len(own) + 0.4
    return tops, dict(list(middles.items())[:: 1 + len(middles) // MAX_WORKER_LABELS])


def memory(
    recording_or_session: Recording | Session, focus: Focus | Mapping[str, Any] | None = None
) -> figure:
    """Return a Bokeh figure of the memory of the cluster, or of the workers in focus.

    Managed and unmanaged memory are stacked below the limit; spilled data is below zero. For each
    prefix in focus, a line shows how much memory of the cluster its results hold.

    >>> daskscope.figures.memory(rec)
    figure(...)
    """
    recording, chosen = _store(recording_or_session), Focus.from_json(focus)
    zero, (start, stop) = _zero(recording), chosen.time or (-np.inf, np.inf)
    samples = _samples(recording.series(MEMORY.name).rows(), chosen.workers or ("",))
    inside = (samples["time"] >= start) & (samples["time"] <= stop)
    samples = {name: column[inside] for name, column in samples.items()}
    count, samples = len(samples["time"]), _thinned(samples)
    notes = [] if count else ["No samples to show"]
    if count > MAX_SAMPLES:
        notes = [f"{count:,} samples drawn as {MAX_SAMPLES:,}, each the largest of its neighbours"]
    if chosen.prefixes or chosen.spans or chosen.cells:
        notes.append("Areas include all tasks: memory is not measured by prefix")
    whole = np.isnan(samples["unmanaged_old"])
    if whole.any():
        notes.append(
            "Old and recent unmanaged memory are shown together: the scheduler has no agent"
        )
        samples["unmanaged_old"][whole] = 0
        samples["unmanaged_recent"][whole] = samples["unmanaged"][whole]
    span = _range(recording, chosen)
    fig = _figure("Memory", notes, x_range=span, y_axis_label="GiB, below zero on disk")
    columns = {name: column / GIB for name, column in samples.items()}
    columns |= {"time": samples["time"] - zero, "below": -columns["spilled"]}
    source = ColumnDataSource(columns)
    labels = [name.replace("_", ", ") for name in MEMORY_COLOURS]
    colours, disk = list(MEMORY_COLOURS.values()), ACTION_COLOURS["disk"]
    fig.varea_stack([*MEMORY_COLOURS], x="time", source=source, color=colours, legend_label=labels)
    hatched = {"fill_color": disk, "fill_alpha": 0.3, "hatch_color": disk, "hatch_pattern": "/"}
    fig.varea("time", 0, "below", source=source, legend_label="spilled", **hatched)
    top = fig.line("time", "process", source=source, color=SLATE, legend_label="process")
    if np.isfinite(samples["limit"]).any():
        style = {"color": "black", "line_width": 1.5, "legend_label": "limit"}
        fig.line("time", "limit", source=source, **style)
    held, prefixes = recording.series(HELD.name).rows(), recording.names.columns("prefixes")
    for name in chosen.prefixes[:MAX_NAMED]:
        number = prefixes["name"].index(name) if name in prefixes["name"] else -1
        own = held["prefix"] == number
        time, size = _held({name: cells[own] for name, cells in held.items()}, start, stop)
        if len(time):  # the last one holds until now
            now = samples["time"][-1:]
            time = np.append(time, now[now > time[-1]]) - zero
            size = np.append(size, size[-1:])[: len(time)] / GIB
            colour, label = PREFIX_COLOURS[prefixes["colour"][number]], cut(name, MAX_CHARACTERS)
            style = {"color": colour, "line_width": 2, "mode": "after", "legend_label": label}
            fig.step(time, size, **style)
    shown = ("process", *MEMORY_COLOURS, "spilled", "limit")
    fields = [(name.replace("_", ", "), f"@{name}{{0.00}} GiB") for name in shown]
    fields = [("time", "@time{0.00} s"), *fields]
    fig.add_tools(HoverTool(renderers=[top], mode="vline", tooltips=fields))
    return _with_legend(fig)


def _samples(rows: Columns, workers: Sequence[str]) -> Columns:
    """Return the sum of some workers at each sample, once one of them was there."""
    measures = ("process", *MEMORY_COLOURS, "unmanaged", "spilled", "limit")
    numbers = {worker: number for number, worker in enumerate(workers)}
    number = np.array([numbers.get(worker, -1) for worker in rows["worker"].tolist()], "i4")
    begin = rows["time"][number >= 0].min(initial=np.inf)
    ticks = (number >= 0) | (rows["worker"] == "")  # the cluster has a row of each sample
    times = np.unique(rows["time"][ticks & (rows["time"] >= begin)])
    order = np.argsort(number, kind="stable")
    ends = np.searchsorted(number[order], np.arange(len(workers) + 1))
    total = {"time": times, **{name: np.zeros(len(times)) for name in measures}}
    for first, stop in pairwise(ends):
        own = order[first:stop]
        since = rows["time"][own]
        here = np.searchsorted(since, times, side="right") - 1
        if not len(own):
            continue
        gone = np.isnan(rows["process"][own])  # from here on; in a wider step it was there before
        later = times > since[here]
        away = (here < 0) | (gone[here] & later)
        for name in measures:
            cells = rows[name][own][here]
            if name == "process":  # no peak of a wider step is lost
                cells = np.where(later, cells, rows["process_most"][own][here])
            cells = np.where(gone[here], np.nan_to_num(cells), cells)
            total[name] += np.where(away, 0, cells)
    return total


def _held(rows: Columns, start: float, stop: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return times and bytes of a prefix in a window, which begins with what was held then."""
    time, size, most = rows["time"], rows["bytes"], rows["bytes_most"]
    peaks = np.flatnonzero(most > np.nan_to_num(size))  # of wide steps
    time, size = np.insert(time, peaks, time[peaks]), np.insert(size, peaks, most[peaks])
    first = max(np.searchsorted(time, start, side="right") - 1, 0)
    inside = slice(first, np.searchsorted(time, stop, side="right"))
    return np.maximum(time[inside], start), size[inside]


def _thinned(samples: Columns) -> Columns:
    """Return at most `MAX_SAMPLES`: of neighbours the one with the most memory, so peaks stay."""
    count = len(samples["time"])
    if count <= MAX_SAMPLES:
        return samples
    part = np.arange(count) * MAX_SAMPLES // count
    first = np.flatnonzero(np.diff(part, prepend=-1))
    largest = np.lexsort((samples["process"], part))[np.append(first[1:], count) - 1]
    thin = {name: column[largest] for name, column in samples.items()}
    return {**thin, "spilled": np.maximum.reduceat(samples["spilled"], first)}


def fine_metrics(
    recording_or_session: Recording | Session, focus: Focus | Mapping[str, Any] | None = None
) -> figure:
    """Return a Bokeh figure of the time spent in tasks, by function, stacked by activity.

    It shows the seconds of Dask's Fine Performance Metrics in the context ``execute``.

    >>> daskscope.figures.fine_metrics(rec, {"prefixes": ["inc"]})
    figure(...)
    """
    recording, chosen = _store(recording_or_session), Focus.from_json(focus)
    names = recording.names
    wanted = {
        column: set().union(*indexes(recording, column, texts).values())
        for column, texts in (("prefix", chosen.prefixes), ("span", chosen.spans))
        if texts
    }
    columns = execute_seconds(
        recording, wanted, *(chosen.time or (0.0, np.inf)), cells=chosen.cells or None
    )
    prefix, activity, value = (columns[name] for name in ("prefix", "activity", "value"))
    notes = [] if len(value) else ["No metrics to show: they need the agent on the scheduler"]
    if chosen.workers:
        notes.append("Bars include all workers: metrics are not measured by worker")
    seconds = np.bincount(prefix, value)
    shown = np.argsort(-seconds, kind="stable")[: min(MAX_FUNCTIONS, int((seconds > 0).sum()))]
    if (more := int((seconds > 0).sum()) - len(shown)) > 0:
        rest = seconds_text(float(seconds.sum() - seconds[shown].sum()))
        notes.append(f"{count_text(more, 'more function')} took {rest}")
    fig = _figure("Fine performance metrics", notes, x_axis_label="seconds of tasks' threads")
    weights = np.bincount(activity, value)
    order = np.argsort(-weights, kind="stable")
    order = order[weights[order] > 0]
    functions = _texts(cut(names.prefixes[one], MAX_CHARACTERS) for one in shown.tolist())
    left = np.zeros(len(shown))
    for number, one in enumerate(order[: MAX_NAMED + 1].tolist()):
        own, name = activity == one, names.entry("activities", one)
        colour = activity_colour(name, names.colours["activities"][one])
        if number == MAX_NAMED:
            own, colour = np.isin(activity, order[number:]), ACTION_COLOURS["deserialize"]
            name = f"{len(order) - number:,} more"
        length = np.bincount(prefix[own], value[own], len(seconds))[shown]
        cells = {"y": np.arange(len(shown)) + 0.5, "left": left, "right": left + length}
        label = cut(name, MAX_CHARACTERS)
        texts = {"function": functions, "activity": _texts([label] * len(left))}
        took = _texts(map(seconds_text, length.tolist()))
        source = ColumnDataSource({**cells, **texts, "seconds": took})
        style = {"fill_color": colour, "line_color": None, "legend_label": label}
        fig.hbar("y", left="left", right="right", height=0.8, source=source, **style)
        left = left + length
    fig.y_range = Range1d(max(len(shown), 1), 0)
    fig.yaxis.ticker = [at + 0.5 for at in range(len(shown))]
    labels = {at + 0.5: PlainText(text=name) for at, name in enumerate(functions.tolist())}
    fig.yaxis.major_label_overrides = labels
    fig.height = min(max(160 + 20 * len(shown), 240), 900)
    fields = [(name, f"@{name}") for name in ("function", "activity", "seconds")]
    fig.add_tools(HoverTool(tooltips=fields))
    return _with_legend(fig)


def profile(
    recording_or_session: Recording | Session | ProfileTree,
    focus: Focus | Mapping[str, Any] | None = None,
    *,
    scope: str = SCOPES[0],
) -> figure:
    """Return a Bokeh flame graph of the functions threads were in, the outermost on top.

    The width of a function is its time, its colour shows whose code it is. It also accepts the
    result of ``recording.profile()``. Above 10,000 functions in a graph, only the widest are
    drawn, and a note in the figure says so.

    >>> daskscope.figures.profile(rec, {"prefixes": ["inc"]})
    figure(...)
    """
    tree, notes = _tree(recording_or_session, Focus.from_json(focus), scope)
    order, left = laid_out(tree)
    drawn = order[1:]  # without the root
    if (more := len(drawn) - MAX_FRAMES) > 0:
        drawn = drawn[np.argsort(-tree.totals[drawn], kind="stable")[:MAX_FRAMES]]
        widest = seconds_text(float(tree.totals[drawn[-1]]) * (tree.interval or 0))
        notes.append(f"{count_text(more, 'function')} of at most {widest} each not drawn")
    if not len(drawn):
        notes.append("No samples to show")
    unit, each = ("samples", 1.0) if tree.interval is None else ("s", tree.interval)
    label = f"time of threads, in {unit}" if unit == "s" else unit
    fig = _figure("Profile", notes, x_axis_label=label)
    frames = [tree.frames[number] for number in tree.frame[drawn].tolist()]
    modules = np.array([MODULES.index(module_of(one.name, one.file)) for one in frames], int)
    total, own = tree.totals[drawn] * each, tree.self_counts[drawn] * each
    columns: Columns = {
        "left": left[drawn] * each,
        "right": left[drawn] * each + total,
        "top": tree.depth[drawn] - 1.0,
        "bottom": tree.depth[drawn] - 0.04,
        "function": _texts(cut(one.name, MAX_CHARACTERS) for one in frames),
        "file": _texts(cut(one.file, MAX_CHARACTERS) for one in frames),
        "line": np.array([one.line or one.first_line for one in frames], int),
        "total": _texts(_amounts(total, unit)),
        "self": _texts(_amounts(own, unit)),
        "share": _texts(share_text(one) for one in tree.totals[drawn] / max(tree.count, 1e-9)),
    }
    sides = {side: side for side in ("left", "right", "top", "bottom")}
    for number, module in enumerate(MODULES):
        chosen = modules == number
        if chosen.any():
            source = ColumnDataSource({name: cells[chosen] for name, cells in columns.items()})
            style = {"fill_color": FLAME_COLOURS[module], "line_color": "white"}
            fig.quad(source=source, legend_label=MODULE_NAMES[number], **sides, **style)
    deepest = int(tree.depth[drawn].max(initial=1))
    fig.y_range = Range1d(deepest, 0)
    fig.yaxis.visible = fig.ygrid.visible = False
    fig.height = min(max(160 + 18 * deepest, 240), 900)
    shown = ("function", "file", "line", "total", "share", "self")
    fig.add_tools(HoverTool(tooltips=[(name, f"@{name}") for name in shown]))
    return _with_legend(fig)


def _tree(source: Any, focus: Focus, scope: str) -> tuple[ProfileTree, list[str]]:
    """Return the profile of what is in focus, and notes on what is not narrowed by it."""
    if isinstance(source, ProfileTree):
        return source, []
    recording, of_tasks = _store(source), scope == SCOPES[0]
    start, stop = focus.time or (None, None)
    known = set(recording.names.prefixes)
    prefix = [name for name in focus.prefixes if name in known] if focus.prefixes else None
    there = recording.worker_names
    worker = [one for one in focus.workers if one in there] if focus.workers else None
    notes = []
    if focus.spans or focus.cells:
        notes.append("Includes all spans and cells: samples are not taken by span or cell")
    if not of_tasks and focus.prefixes:
        notes.append("Includes all prefixes: samples of event loops belong to no task")
    return (
        profile_of(
            recording,
            start,
            stop,
            prefix if of_tasks else None,
            worker if scope != "scheduler" else None,
            scope,
        ),
        notes,
    )


def _amounts(values: NDArray[Any], unit: str) -> Iterator[str]:
    write = seconds_text if unit == "s" else "{:,.0f}".format
    return map(write, values.tolist())


def memory_samples(frame: pd.DataFrame, *, aligned: bool, measure: str) -> figure:
    """Return a Bokeh figure with a line for each column of ``MemorySampler.to_pandas()``.

    Its time is UTC, or with `aligned` in seconds from the begin of each sample.
    """
    axis = ("time from the start of each sample, in s", "auto") if aligned else ("UTC", "datetime")
    options = dict(zip(("x_axis_label", "x_axis_type"), axis, strict=True))
    fig = _figure("Memory of the cluster", y_axis_label=f"{measure}, GiB", **options)
    when = "@time{0.0} s" if aligned else "@time{%F %T}"
    fields = [("", "@name"), ("time", when), (measure, "@gib{0.00} GiB")]
    for number, label in enumerate(frame):
        values, name = frame[label].dropna() / GIB, cut(str(label), MAX_CHARACTERS)
        time = values.index.total_seconds() if aligned else values.index
        source = ColumnDataSource({"time": time, "gib": values, "name": [name] * len(values)})
        style = {"color": line_colour(number), "line_width": 2, "legend_label": name}
        fig.line("time", "gib", source=source, **style)
    formats = {"@time": "numeral" if aligned else "datetime"}
    fig.add_tools(HoverTool(tooltips=fields, formatters=formats))
    return _with_legend(fig)


def _store(recording_or_session: Recording | Session) -> RecordingStore:
    recording = getattr(recording_or_session, "recording", recording_or_session)
    if not isinstance(recording, Recording):
        kind = type(recording_or_session).__name__
        raise TypeError(f"expected a daskscope recording or session, got {kind}")
    return store_of(recording)


def _zero(recording: RecordingStore) -> float:
    """Return the recording's start: zero of its figures."""
    if recording.begin is not None:
        return recording.begin
    times = recording.series(MEMORY.name).rows()["time"]
    return float(times[0]) if len(times) else 0.0


def _texts(texts: Iterable[str]) -> NDArray[Any]:
    return np.array(list(texts), "O")


def _figure(title: str, notes: Iterable[str] = (), **options: Any) -> figure:
    """Return an empty figure, with notes on what it does not show as it was."""
    options.setdefault("x_axis_label", "time from the recording's start, in s")
    tools = "xpan,xwheel_zoom,xbox_zoom,reset,save"
    fig = figure(title=title, height=320, sizing_mode="stretch_width", tools=tools, **options)
    for note in notes:
        fig.add_layout(Title(text=note, text_font_style="italic", text_font_size="11px"), "above")
    return fig


def _range(recording: RecordingStore, focus: Focus) -> Range1d | DataRange1d:
    """Return the part of the time axis that is in focus; without one it shows all."""
    if focus.time is None:
        return DataRange1d()
    start, stop = (moment - _zero(recording) for moment in focus.time)
    return Range1d(start, max(stop, start + 1e-6))


def _with_legend(fig: figure) -> figure:
    """Put the legend beside the figure; a click on an entry hides it."""
    if fig.legend:
        fig.add_layout(fig.legend[0], "right")
        fig.legend.click_policy = "hide"
        fig.legend.label_text_font_size = "11px"
    return fig
