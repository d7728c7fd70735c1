"""Pictures of panels, drawn by the kernel for where no widget can run: small PNGs on white."""

from __future__ import annotations

import io
import math
import time
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from daskscope import palette
from daskscope.derive.modules import MODULE_NAMES, MODULES, module_of
from daskscope.derive.profile_tree import laid_out
from daskscope.derive.recorded_profile import profile_of
from daskscope.format import bytes_text, count_text, cut, moment_text, one_line, seconds_text
from daskscope.recording import store_of
from daskscope.recording.fine_metrics import execute_seconds
from daskscope.recording.names import name_of
from daskscope.recording.summary_blocks import coarse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore
    from daskscope.stream.sources import Source

    Floats = NDArray[np.float64]
    Rows = Mapping[str, NDArray[Any]]
    Box = tuple[int, int, int, int]
    Draw = Callable[["Sheet", RecordingStore], None]

SIZE: Final = (600, 200)
"""Width and height in CSS pixels; each is `DENSITY` pixels wide."""
DENSITY: Final = 2

MAX_BYTES: Final = 14_500
"""A notebook holds it as base64, and an output of 20 kB at most."""
COLOURS: Final = (32, 16, 8)

LEFT, TOP, RIGHT, BOTTOM = 24, 104, SIZE[0] * DENSITY - 24, SIZE[1] * DENSITY - 24
TEXT, QUIET, RULE, NO_SLOT = "#212121", "#616161", "#e0e0e0", "#b8b8b8"

CELL_PX: Final = 4
MAX_LANES: Final = 40
MAX_SUMMARY_BLOCKS: Final = 16_384
"""Finer pictures of many short tasks would take more bytes."""
MAX_ROWS: Final = 200_000
LINES: Final = 6
MIN_FRAME_PX: Final = 12

_REPLACED: Final = str.maketrans({"–": "-", "−": "-", "µ": "u", "×": "x"})


@cache
def _font(size: int) -> Any:
    return ImageFont.load_default(size)


def _plain(text: str) -> str:
    """Return a text in characters that the font has, which Pillow brings."""
    text = unicodedata.normalize("NFKD", one_line(text).translate(_REPLACED))
    return text.encode("latin-1", "ignore").decode("latin-1")


class Sheet:
    """A picture: a title, a line of facts, and room for a plot or for lines of text."""

    def __init__(self, title: str, facts: str) -> None:
        self.options: Mapping[str, Any] = {}
        self.figures: Callable[[], Mapping[str, Any]] = dict
        self.image = Image.new("RGB", (SIZE[0] * DENSITY, SIZE[1] * DENSITY), "white")
        self.ink = ImageDraw.Draw(self.image)
        self.text(LEFT, 20, title, TEXT, 28)
        self.text(RIGHT, 24, time.strftime("%Y-%m-%d %H:%M"), anchor="ra")
        self.text(LEFT, 60, cut(facts, 90), QUIET, 22)

    def text(
        self, x: float, y: float, text: str, colour: str = QUIET, size: int = 20, anchor: str = "la"
    ) -> None:
        """Write a line."""
        self.ink.text((x, y), _plain(text), fill=colour, font=_font(size), anchor=anchor)

    def legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """Write names and their colours along the bottom, as many as there is room for."""
        x = float(LEFT)
        for number, (name, colour) in enumerate(entries):
            name = cut(name, 24)
            width = 48 + _font(20).getlength(_plain(name))
            if x + width > RIGHT - 60:
                self.text(x, BOTTOM - 18, f"+{len(entries) - number}")
                return
            self.ink.rectangle((x, BOTTOM - 16, x + 15, BOTTOM - 1), fill=colour)
            self.text(x + 24, BOTTOM - 18, name)
            x += width

    def lines(self, heading: str, rows: Sequence[tuple[str, str]] = ()) -> None:
        """Write a heading, and rows of a time and a text."""
        self.text(LEFT, TOP, heading, TEXT, 22)
        for number, (moment, text) in enumerate(rows):
            self.text(LEFT, TOP + 44 + number * 34, moment)
            self.text(LEFT + 130, TOP + 44 + number * 34, cut(one_line(text), 84), TEXT)

    def png(self) -> bytes:
        """Return it as a file that is small enough: with fewer colours, or fewer pixels."""
        image = self.image
        while True:
            for colours in COLOURS:
                packed = io.BytesIO()
                few = image.quantize(colours, dither=Image.Dither.NONE)
                few.save(packed, "PNG")
                if packed.tell() <= MAX_BYTES:
                    return packed.getvalue()
            image = image.reduce(2)


class Plot:
    """Values over time in a box of a sheet, from 0 to the most, with its axes."""

    def __init__(
        self, sheet: Sheet, moments: Floats, origin: float, most: float = 0, **options: Any
    ) -> None:
        self.ink = sheet.ink
        box: Box = options.get("box") or (LEFT + (110 if most else 0), TOP, RIGHT, BOTTOM - 66)
        self.left, self.top, self.right, self.bottom = box
        self.start, stop = float(moments.min()), float(moments.max())
        self.span = max(stop - self.start, 1e-3)
        self.most = most or 1.0
        step = _step(self.span, (self.right - self.left) / 160)
        for tick in np.arange(math.ceil((self.start - origin) / step), (stop - origin) / step):
            x = float(self.x(origin + tick * step))
            self.ink.line((x, self.bottom, x, self.bottom + 6), fill=QUIET)
            anchor = "ra" if x > self.right - 40 else "ma" if x > self.left + 40 else "la"
            sheet.text(x, self.bottom + 9, moment_text(tick * step), anchor=anchor)
        for share in (0.0, 0.5, 1.0) if most else (0.0,):
            y = self.bottom - share * (self.bottom - self.top)
            self.ink.line((self.left, y, self.right, y), fill=RULE, width=1)
            text = options.get("text", bytes_text)(most * share)
            sheet.text(self.left - 10, y, text if share else "", anchor="rm")

    def x(self, moment: Any) -> Any:
        """Return where a moment is."""
        share = np.clip((moment - self.start) / self.span, 0, 1)
        return self.left + share * (self.right - self.left)

    def line(self, moments: Floats, values: Floats, colour: str, width: int = 3) -> None:
        """Draw the greatest value of each column of pixels as a line, without width as an area."""
        sound = np.isfinite(values)
        greatest = np.full(self.right + 1, -np.inf)
        np.maximum.at(greatest, self.x(moments[sound]).astype(int), values[sound])
        x = np.flatnonzero(greatest > -np.inf)
        y = self.bottom - np.clip(greatest[x] / self.most, 0, 1) * (self.bottom - self.top)
        places = list(zip(x.tolist(), y.tolist(), strict=True))
        if places and width:
            self.ink.line([(x[0] - 2, y[0]), *places], fill=colour, width=width, joint="curve")
        elif places:
            ends = (x[0] - 1, self.bottom), (x[-1] + 1, self.bottom)
            self.ink.polygon([ends[0], *places, ends[1]], fill=colour)


def _step(span: float, most: float) -> float:
    """Return the distance of ticks, of which there are at most so many."""
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(n * power for n in (1.0, 2.0, 5.0, 10.0) if n * power * most >= span)


def _task_stream(sheet: Sheet, core: RecordingStore) -> None:
    parts = coarse(core.chunks(), MAX_SUMMARY_BLOCKS)
    parts = parts.take(parts.busy > 0)
    if not len(parts):
        sheet.lines("No task has finished yet.")
        return
    plot = Plot(sheet, np.array([parts.start.min(), parts.stop.max()]), parts.start.min())
    workers = [(name_of(worker, core.worker_names), thread) for worker, thread in core.names.lanes]
    order = sorted(np.flatnonzero(np.bincount(parts.lane)).tolist(), key=workers.__getitem__)
    rows, columns = min(len(order), MAX_LANES), (plot.right - plot.left) // CELL_PX
    row_of = np.zeros(len(workers), int)
    row_of[order] = np.arange(len(order)) * rows // len(order)
    first, last = ((plot.x(at) - plot.left) / CELL_PX for at in (parts.start, parts.stop))
    first = first.astype(int).clip(0, columns - 1)
    by_prefix = [palette.PREFIX_COLOURS[slot] for slot in core.names.colours["prefixes"]]
    colours = ["#ffffff", palette.ACTION_COLOURS["erred"], *by_prefix]
    colour = np.where(parts.erred, 1, parts.prefix.astype(int) + 2)
    areas = np.stack([row_of[parts.lane], first, np.ceil(last).clip(first + 1), colour], 1)
    areas = areas[np.lexsort((parts.busy, parts.erred))]  # what took long, and what erred, on top
    cells = np.zeros((rows, columns), int)
    for row, begin, end, ink in areas.astype(int).tolist():
        cells[row, begin:end] = ink
    height = min((plot.bottom - plot.top) // rows, 52)
    pixels = np.array([list(bytes.fromhex(one[1:])) for one in colours], np.uint8)[cells]
    pixels = pixels.repeat(height, axis=0).repeat(CELL_PX, axis=1)
    if height >= 8:
        pixels[height - 2 :: height] = pixels[height - 1 :: height] = 255
    sheet.image.paste(Image.fromarray(pixels), (plot.left, plot.bottom - len(pixels)))
    sheet.legend(list(_prefixes(core).items()))


def _prefixes(core: RecordingStore) -> dict[str, str]:
    """Return the prefixes with their colours, those that took longest first."""
    totals = sorted(core.totals.prefixes, key=lambda total: -total.seconds)
    slots, names = core.names.colours["prefixes"], core.names.prefixes
    return {names[total.prefix]: palette.PREFIX_COLOURS[slots[total.prefix]] for total in totals}


def _summary(sheet: Sheet, core: RecordingStore) -> None:
    figures, colours = sheet.figures(), _prefixes(core)
    tasks, busy, memory = figures["tasks"], figures["busy"], figures["memory"]
    answer = (figures["answer"] or {}).get("state", "idle")
    shown = (
        (0, answer.capitalize(), f"after {seconds_text(figures['duration'])}"),
        (280, f"{tasks['captured'] - tasks['erred']:,}", "done"),
        (450, f"{tasks['erred']:,}", "erred"),
        (600, f"{busy['percent']:.0f} %" if busy else "-", "of the threads' time busy"),
        (900, bytes_text(memory["peak"]) if memory else "-", "memory at most"),
    )
    for x, figure, word in shown:
        sheet.text(LEFT + x, TOP, figure, TEXT, 34)
        sheet.text(LEFT + x, TOP + 44, word)
    longest = max((one["seconds"] for one in figures["prefixes"]), default=0) or 1
    for number, one in enumerate(figures["prefixes"][:5]):
        y, x = TOP + 92 + number * 36, LEFT + 300 + max(one["seconds"] / longest * 560, 2)
        sheet.text(LEFT, y, cut(one["name"], 26), TEXT)
        sheet.ink.rectangle((LEFT + 300, y, x, y + 22), fill=colours.get(one["name"], NO_SLOT))
        sheet.text(x + 12, y, f"{count_text(one['tasks'], 'task')}, {seconds_text(one['seconds'])}")


def _rows(core: RecordingStore, name: str, sound: str) -> Rows:
    """Return the rows of a series with a sound value, in steps that are not too many."""
    series = core.series(name).snapshot()
    rings = (ring for ring in series.rings if ring.next - ring.first <= MAX_ROWS)
    ring = next(rings, series.rings[-1])
    rows = ring.columns() if ring.step else series.rows()
    return {column: cells[np.isfinite(rows[sound])] for column, cells in rows.items()}


def _memory(sheet: Sheet, core: RecordingStore, box: Any = None) -> None:
    rows = _rows(core, "memory", "process")
    rows = {name: cells[rows["worker"] == ""] for name, cells in rows.items()}
    if len(rows["time"]):
        limit = rows["limit"]
        parts = {name.replace("_", ", "): rows[name] for name in palette.MEMORY_COLOURS}
    else:  # it was not sampled
        rows = _rows(core, "system", "process")
        limit = rows["memory_limit"]
        parts = {"managed": rows["managed"], "unmanaged": rows["process"] - rows["managed"]}
    moments = rows["time"]
    if not len(moments):
        sheet.lines("Nothing was measured yet.")
        return
    tops = np.cumsum([np.nan_to_num(values) for values in parts.values()], axis=0)
    tops[-1] = np.fmax(tops[-1], rows["process_most"])  # parts of a wide step are its last ones
    most = max(tops.max(), np.nan_to_num(limit).max())
    plot = Plot(sheet, moments, core.begin or moments[0], most, box=box)
    entries = list(zip(parts, palette.MEMORY_COLOURS.values(), strict=False))
    for values, (_, colour) in zip(tops[::-1], entries[::-1], strict=True):
        plot.line(moments, values, colour, width=0)
    plot.line(moments, limit, TEXT, 2)
    if not box:
        sheet.legend([*entries, ("limit", TEXT), (f"peak {bytes_text(tops.max())}", "#ffffff")])


def _fine_metrics(sheet: Sheet, core: RecordingStore) -> None:
    rows = execute_seconds(core)
    names, labels = core.names.prefixes, core.names.labels("activities")
    slots = dict(zip(labels, core.names.colours["activities"], strict=True))
    sums: dict[str, dict[str, float]] = {}
    cells = (rows[name].tolist() for name in ("prefix", "activity", "value"))
    for prefix, activity, value in zip(*cells, strict=True):
        bar = sums.setdefault(names[prefix], {})
        bar[labels[activity]] = bar.get(labels[activity], 0.0) + value
    if not sums:
        sheet.lines("No metrics yet.")
        return
    heaviest = sorted(sums, key=lambda name: -sum(sums[name].values()))[:LINES]
    longest = sum(sums[heaviest[0]].values()) or 1.0
    legend: dict[str, str] = {}
    for number, name in enumerate(heaviest):
        y, x = TOP + number * 36, LEFT + 300.0
        sheet.text(LEFT, y, cut(name, 26), TEXT)
        for activity, seconds in sorted(sums[name].items(), key=lambda one: -one[1]):
            left, x = x, x + seconds / longest * 560
            colour = legend.setdefault(activity, palette.activity_colour(activity, slots[activity]))
            sheet.ink.rectangle((left, y, x, y + 22), fill=colour)
        sheet.text(x + 12, y, seconds_text(sum(sums[name].values())))
    sheet.legend(list(legend.items()))


def _profile(sheet: Sheet, core: RecordingStore) -> None:
    tree = profile_of(core)
    if not len(tree.samples):
        sheet.lines("No samples yet.")
        return
    order, left = laid_out(tree)
    scale, room = (RIGHT - LEFT) / tree.count, BOTTOM - 30 - TOP
    shown = order[tree.totals[order] * scale >= 2]
    deepest = int(tree.depth[shown].max())
    # On top of all are calls that every task has: threads, and Dask's own.
    common = tree.depth[tree.totals >= 0.95 * tree.count].max()
    first = int(min(max(deepest - room // MIN_FRAME_PX, 0), max(common - 1, 0)))
    rows = min(deepest - first, room // MIN_FRAME_PX)
    height = min(room // rows, 34)
    chosen = shown[(tree.depth[shown] > first) & (tree.depth[shown] <= first + rows)]
    used: dict[str, float] = {}
    for node in chosen.tolist():
        frame = tree.frames[tree.frame[node]]
        module = module_of(frame.name, frame.file)
        used[module] = used.get(module, 0) + tree.self_counts[node]
        x = LEFT + left[node] * scale
        y = TOP + (int(tree.depth[node]) - first - 1) * height
        stop = x + tree.totals[node] * scale
        colour = palette.FLAME_COLOURS[module]
        sheet.ink.rectangle((x, y, max(stop - 2, x), y + height - 3), fill=colour)
        characters = int((stop - x - 16) / 11)
        if height >= 22 and characters > 2:
            sheet.text(x + 8, y + height / 2 - 2, cut(frame.name, characters), TEXT, 18, "lm")
    names = [(MODULE_NAMES[MODULES.index(one)], palette.FLAME_COLOURS[one]) for one in used]
    seconds = [] if tree.seconds is None else [(seconds_text(tree.seconds), "#ffffff")]
    sheet.legend(names + seconds)


def _system(sheet: Sheet, core: RecordingStore) -> None:
    rows, middle = _rows(core, "system", "cpu"), (LEFT + RIGHT) // 2
    if not len(rows["time"]):
        _memory(sheet, core)
        return
    sheet.text(LEFT, TOP - 4, "CPU of the scheduler")
    sheet.text(middle + 20, TOP - 4, "Memory of the workers")
    box, most = (LEFT + 80, TOP + 34, middle - 20, BOTTOM - 36), max(100.0, rows["cpu"].max())
    begin = core.begin or rows["time"][0]
    plot = Plot(sheet, rows["time"], begin, most, text="{:.0f} %".format, box=box)
    plot.line(rows["time"], rows["cpu"], palette.line_colour(0))
    _memory(sheet, core, (middle + 130, TOP + 34, RIGHT, BOTTOM - 36))


def _events(sheet: Sheet, core: RecordingStore) -> None:
    counts, names = core.counts, core.worker_names
    tables = ("errors", *KINDS["events"][2])
    rows = {name: core.log(name).since(core.log(name).next - LINES) for name in tables}
    found = [
        *((row.time, f"{row.exception} in {row.key}") for row in rows["errors"]),
        *((row.time, f"{row.topic}: {row.message}") for row in rows["events"]),
        *((row.start, row.text) for row in rows["gaps"]),
        *((row.time, f"{name_of(row.worker, names)} {row.what}") for row in rows["workers"]),
    ]
    words = (
        count_text(counts.erred, "error"),
        count_text(core.log("events").next, "event"),
        count_text(counts.changes, "change of a worker", "changes of workers"),
        count_text(core.log("gaps").next, "gap"),
    )
    begin = core.begin or min(found, default=(0.0,))[0]
    newest = [(moment_text(moment - begin), text) for moment, text in sorted(found)[-LINES:]]
    sheet.lines(" · ".join(words), newest)


def _logs(sheet: Sheet, core: RecordingStore) -> None:
    log = core.log("logs")
    rows = log.since(log.next - LINES)
    times = [time.strftime("%H:%M:%S", time.localtime(row.time)) for row in rows]
    texts = [f"{row.level} {row.text}" for row in rows]
    sheet.lines(count_text(log.next, "line"), list(zip(times, texts, strict=True)))


def _spans(sheet: Sheet, core: RecordingStore) -> None:
    cells, spans = core.log("cells").since(0), core.log("span_times").since(0)
    begin = core.begin or min((row.time for row in (*cells, *spans)), default=0.0)
    found = [(row.time, row.stop, f"{row.cell}  {row.code}") for row in cells]
    if not found:  # no notebook
        names = core.names.spans
        found = [(row.time, row.stop, " > ".join(names[row.span][1])) for row in spans]
    newest = [
        (
            moment_text(time - begin),
            f"{seconds_text(stop - time) if stop >= time else 'running'}  {text}",
        )
        for time, stop, text in sorted(found)[-LINES:]
    ]
    sheet.lines(f"{count_text(len(cells), 'cell')} · {count_text(len(spans), 'span')}", newest)


def _memory_plot(sheet: Sheet, core: RecordingStore) -> None:
    rows = _rows(core, "samples", "cluster")
    chosen = rows["measure"] == sheet.options.get("measure", "process")
    moments, label, cluster = (rows[name][chosen] for name in ("time", "label", "cluster_most"))
    if not len(moments):
        sheet.lines("Nothing was sampled yet.")
        return
    labels = {name: label == name for name in dict.fromkeys(label.tolist())}
    if sheet.options.get("align"):
        for own in labels.values():
            moments[own] -= moments[own].min()
    plot = Plot(sheet, moments, moments.min(), cluster.max())
    for number, own in enumerate(labels.values()):
        plot.line(moments[own], cluster[own], palette.line_colour(number), 4)
    peaks = [f"{cut(name, 14)} {bytes_text(cluster[own].max())}" for name, own in labels.items()]
    sheet.legend([(peak, palette.line_colour(number)) for number, peak in enumerate(peaks)])


KINDS: Final[Mapping[str, tuple[str, Draw, tuple[str, ...]]]] = {
    "task-stream": ("Task stream", _task_stream, ()),
    "summary": ("Summary", _summary, ()),
    "spans": ("Spans and cells", _spans, ("cells", "span_times")),
    "events": ("Errors and events", _events, ("events", "workers", "gaps")),
    "logs": ("Logs", _logs, ("logs",)),
    "system": ("System", _system, ("system",)),
    "fine-metrics": ("Fine performance metrics", _fine_metrics, ("metrics",)),
    "profile": ("Profile", _profile, ("profile_counts",)),
    "memory": ("Memory", _memory, ("system",)),
    "memory-plot": ("Memory", _memory_plot, ("samples",)),
}
"""By kind: its title, what draws it, and the tables that it shows beside tasks. A panel that a
user made has the picture of the summary."""

SAMPLES: Final = {"system": 20, "profile_counts": 1_000}
"""So many rows are news: a cluster that does nothing is sampled, too."""


def positions(kind: str, source: Source | None) -> tuple[object, ...]:
    """Return what changes when the panel has something new to show; first the state."""
    if source is None:
        return ("no-client",)
    core, (_, _, tables) = store_of(source.recording), KINDS.get(kind, KINDS["summary"])
    news = [core.tables[name].next // SAMPLES.get(name, 1) for name in tables]
    return (source.state, core.next_task, *news)


def draw(
    kind: str, source: Source | None, otherwise: str, options: Mapping[str, Any] | None = None
) -> bytes:
    """Return the PNG of a panel; without a source it says what is `otherwise`.

    `options` are what the user chose: ``measure`` and ``align`` of samples.
    """
    title, draw_into, _ = KINDS.get(kind, KINDS["summary"])
    if source is None:
        return Sheet(title, otherwise).png()
    core = store_of(source.recording)  # once: a session asks the scheduler for what is new
    counts, workers = core.counts, count_text(len(source.workers), "worker")
    kept = f"{counts.kept:,} of {count_text(counts.captured, 'task')}"
    facts: tuple[str, ...] = (source.name, kept, workers, source.state)
    if kind == "memory-plot":
        facts = (f"{(options or {}).get('measure', 'process')} memory of all workers",)
    sheet = Sheet(title, " · ".join(facts))
    sheet.options, sheet.figures = options or {}, source.summary
    draw_into(sheet, core)
    return sheet.png()
