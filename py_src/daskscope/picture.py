"""Pictures of panels, drawn by the kernel for where no widget can run: small PNGs on white.

Numbers are those of the recording; a picture always shows the whole of it.
"""

from __future__ import annotations

import io
import math
import time
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from daskscope.palette import ACTION_COLOURS, MEMORY_COLOURS, PREFIX_COLOURS, line_colour
from daskscope.recording.names import name_of
from daskscope.recording.stretches import coarse
from daskscope.words import bytes_text, count_text, cut, moment_text, one_line, seconds_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore
    from daskscope.stream.sources import Source

    Floats = NDArray[np.float64]
    Rows = Mapping[str, NDArray[Any]]

SIZE: Final = (600, 200)
"""Width and height where it is shown, in CSS pixels."""

MAX_BYTES: Final = 20_000 * 3 // 4 - 500
"""An output of a saved notebook, which holds it in base64, has at most 20 kB."""

DENSITY: Final = 2
EDGE: Final = 24
TEXT, QUIET, RULE, WELL = "#212121", "#616161", "#e0e0e0", "#f5f5f5"
UNKNOWN: Final = "#b8b8b8"
TITLE_PX, TEXT_PX, SMALL_PX = 28, 22, 20
COLOURS: Final = 48

_PLAIN: Final = str.maketrans({"–": "-", "−": "-", "µ": "u", "×": "x", "→": "->"})
_KNOWN: Final = "·…›"
"""The font that Pillow brings has these, and ASCII."""


def plain(text: str) -> str:
    """Return a text as the font can write it.

    >>> plain("412 µs – é 中")
    '412 us - e ?'
    """
    text = one_line(text).translate(_PLAIN)
    return "".join(c if c in _KNOWN else _base(c) for c in text)


def _base(character: str) -> str:
    first = unicodedata.normalize("NFKD", character)[0]
    return first if first.isascii() else "?"



class Sheet:
    """A picture: a title, a line of facts, and a plot or lines of text below them."""

    left, right, top, bottom = EDGE, SIZE[0] * DENSITY - EDGE, 104, SIZE[1] * DENSITY - EDGE

    def __init__(self, title: str, facts: str) -> None:
        self.image = Image.new("RGB", (SIZE[0] * DENSITY, SIZE[1] * DENSITY), "white")
        self.ink = ImageDraw.Draw(self.image)
        drawn_at = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
        self.text(self.left, 20, title, TEXT, TITLE_PX)
        self.text(self.right, 24, drawn_at, QUIET, SMALL_PX, anchor="ra")
        self.text(self.left, 60, facts, QUIET, TEXT_PX)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str = TEXT,
        size: int = SMALL_PX,
        anchor: str = "la",
    ) -> float:
        """Write a line; return how wide it is."""
        font = _font(size)
        text = plain(text)
        while text and font.getlength(text) > self.right - self.left:
            text = cut(text, len(text) * 9 // 10)
        self.ink.text((x, y), text, fill=colour, font=font, anchor=anchor)
        return font.getlength(text)

    def legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """Write names with their colours along the bottom, as many as there is room for."""
        x = float(self.left)
        for number, (name, colour) in enumerate(entries):
            name = cut(plain(name), 24)
            rest = f"+{len(entries) - number}"
            width = 30 + _font(SMALL_PX).getlength(name)
            if x + width + 60 > self.right:
                self.text(x, self.bottom - 18, rest, QUIET)
                return
            self.ink.rectangle((x, self.bottom - 16, x + 15, self.bottom - 1), fill=colour)
            self.text(x + 24, self.bottom - 18, name, QUIET)
            x += width + 24

    def lines(self, rows: Sequence[tuple[str, str]]) -> None:
        """Write rows of a time and a text."""
        for number, (when, text) in enumerate(rows):
            y = self.top + 44 + number * 34
            self.text(self.left, y, when, QUIET)
            self.text(self.left + 130, y, cut(text, 88))

    def png(self) -> bytes:
        """Return it as a file that is small enough."""
        image = self.image
        while True:
            packed = io.BytesIO()
            few = image.quantize(COLOURS, dither=Image.Dither.NONE)
            few.save(packed, "PNG", optimize=True)
            if packed.tell() <= MAX_BYTES:
                return packed.getvalue()
            image = image.reduce(2)  # nothing that panels hold is so rich, but names may be


class Plot:
    """Values over time in a part of a sheet: 0 at the bottom, with the axes written beside it."""

    def __init__(
        self,
        sheet: Sheet,
        extent: tuple[float, float],
        most: float = 0.0,
        text: Callable[[float], str] = bytes_text,
        *,
        box: tuple[int, int, int, int] | None = None,
        origin: float | None = None,
    ) -> None:
        self.sheet, self.ink = sheet, sheet.ink
        self.left, self.top, self.right, self.bottom = box or (
            sheet.left + (110 if most else 0),
            sheet.top,
            sheet.right,
            sheet.bottom - 66,
        )
        self.start, stop = extent
        self.span = max(stop - self.start, 1e-3)
        self.most = most
        zero = self.start if origin is None else origin
        step = _step(self.span, (self.right - self.left) / 160)
        for tick in np.arange(math.ceil((self.start - zero) / step), (stop - zero) / step + 1e-9):
            x = float(self.x(np.array(zero + tick * step)))
            self.ink.line((x, self.bottom, x, self.bottom + 6), fill=QUIET)
            anchor = "ra" if x > self.right - 40 else "ma" if x > self.left + 40 else "la"
            sheet.text(x, self.bottom + 9, moment_text(tick * step), QUIET, anchor=anchor)
        self.ink.line((self.left, self.bottom, self.right, self.bottom), fill=RULE, width=2)
        if most:
            for share in (0.5, 1.0):
                y = float(self.y(np.array(most * share)))
                self.ink.line((self.left, y, self.right, y), fill=RULE)
                sheet.text(self.left - 10, y, text(most * share), QUIET, anchor="rm")

    def x(self, moment: Floats) -> Floats:
        """Return where a moment is."""
        share = np.clip((moment - self.start) / self.span, 0, 1)
        return self.left + share * (self.right - self.left)

    def y(self, value: Floats) -> Floats:
        """Return where a value is."""
        return self.bottom - np.clip(value / (self.most or 1), 0, 1) * (self.bottom - self.top)

    def peaks(self, moment: Floats, value: Floats) -> tuple[Floats, Floats]:
        """Return the places of the greatest values: one for each column that has some."""
        sound = np.isfinite(value)
        column = self.x(moment[sound]).astype(int)
        most = np.full(self.right + 1, -np.inf)
        np.maximum.at(most, column, value[sound])
        x = np.flatnonzero(most > -np.inf)
        return x.astype(float), self.y(most[x])

    def line(self, moment: Floats, value: Floats, colour: str, width: int = 3) -> None:
        """Draw a line through the greatest values."""
        x, y = self.peaks(moment, value)
        places = list(zip(x.tolist(), y.tolist(), strict=True))
        if len(places) > 1:
            self.ink.line(places, fill=colour, width=width, joint="curve")
        elif places:
            self.ink.ellipse((x[0] - 3, y[0] - 3, x[0] + 3, y[0] + 3), fill=colour)

    def area(self, moment: Floats, value: Floats, colour: str) -> None:
        """Fill from the bottom to a line; draw the highest area first."""
        x, y = self.peaks(moment, value)
        if len(x):
            places = list(zip(x.tolist(), y.tolist(), strict=True))
            ends = [(x[0], self.bottom), *places, (max(x[-1], x[0] + 1), self.bottom)]
            self.ink.polygon(ends, fill=colour)


class Kind(NamedTuple):
    """How a panel is drawn."""

    title: str
    tables: tuple[str, ...]
    """What it shows, beside tasks."""
    draw: Callable[[Sheet, Source], None]


def draw(kind: str, source: Source | None, nothing: str) -> bytes:
    """Return the PNG of a panel of a session; without one it says `nothing`."""
    shown = KINDS[kind]
    if source is None:
        return Sheet(shown.title, nothing).png()
    counts = source.recording.counts
    kept = f"{counts.kept:,} of {count_text(counts.captured, 'task')}"
    workers = count_text(len(source.workers), "worker")
    facts = [source.name] if kind == "memory-plot" else [source.name, kept, workers, source.state]
    sheet = Sheet(shown.title, " · ".join(filter(None, facts)))
    shown.draw(sheet, source)
    return sheet.png()


def positions(kind: str, source: Source) -> tuple[object, ...]:
    """Return what changes when a panel has something new to show."""
    core = source.recording._core
    tables = [core.tables[name].next for name in KINDS[kind].tables]
    return (source.state, core.next_task, *tables)


def _task_stream(sheet: Sheet, source: Source) -> None:
    core = source.recording._core
    parts = coarse(core.chunks(), MAX_STRETCHES)
    parts = parts.take(parts.busy > 0)
    if not len(parts):
        sheet.text(sheet.left, sheet.top + 20, "No task has finished yet.", QUIET, TEXT_PX)
        return
    start, stop = float(parts.start.min()), float(parts.stop.max())
    plot = Plot(sheet, (start, stop))
    names, slots = core.names, core.names.colours["prefixes"]
    called = [(name_of(w, core.worker_names), t) for w, t in names.since("lanes", 0)]
    order = sorted(np.flatnonzero(np.bincount(parts.lane)).tolist(), key=called.__getitem__)
    rows = min(len(order), MAX_LANES)
    row_of = np.zeros(len(called), int)
    row_of[order] = np.arange(len(order)) * rows // len(order)
    columns = (plot.right - plot.left) // CELL
    first = ((parts.start - start) / plot.span * columns).astype(int).clip(0, columns - 1)
    last = np.ceil((parts.stop - start) / plot.span * columns).astype(int).clip(first + 1, columns)
    colours = np.full((len(names.prefixes) + 2, 3), 255, np.uint8)
    for prefix in range(len(names.prefixes)):
        colours[prefix + 1] = _rgb(_slot_colour(slots[prefix]))
    colours[-1] = _rgb(ACTION_COLOURS["erred"])
    ink = np.where(parts.erred > 0, len(colours) - 1, parts.prefix.astype(int) + 1)
    cells = np.zeros((rows, columns), int)
    upward = np.lexsort((parts.busy, parts.erred))  # what took long, and what erred, is on top
    for row, a, b, colour in np.stack([row_of[parts.lane], first, last, ink], 1)[upward].tolist():
        cells[row, a:b] = colour
    height = min((plot.bottom - plot.top) // rows, 52)
    image = Image.fromarray(colours[cells])
    shown = image.resize((columns * CELL, rows * height), Image.Resampling.NEAREST)
    sheet.image.paste(shown, (plot.left, plot.bottom - rows * height))
    for row in range(rows if height >= 8 else 0):
        y = plot.bottom - row * height
        sheet.ink.line((plot.left, y - 1, plot.right, y - 1), fill="white", width=2)
    sheet.legend(_prefixes(core))


CELL: Final = 4
MAX_LANES: Final = 40
"""With more cells a picture of many short tasks would take more bytes than it may."""
MAX_STRETCHES: Final = 16_384


def _prefixes(core: RecordingStore) -> list[tuple[str, str]]:
    """Return the prefixes with their colours, those that took longest first."""
    totals = sorted(core.totals.prefixes, key=lambda total: -total.seconds)
    slots = core.names.colours["prefixes"]
    return [(core.names.prefixes[t.prefix], _slot_colour(slots[t.prefix])) for t in totals]


def _summary(sheet: Sheet, source: Source) -> None:
    figures = source.summary()
    core = source.recording._core
    tasks, memory = figures["tasks"], figures["memory"]
    answer = (figures["answer"] or {}).get("state", "")
    busy = figures["busy"]
    shown = [
        (answer.capitalize() or "Nothing ran yet", f"after {seconds_text(figures['duration'])}"),
        (f"{tasks['captured'] - tasks['erred']:,}", "done"),
        (f"{tasks['erred']:,}", "erred"),
        (f"{busy['percent']:.0f} %" if busy else "-", "of the threads' time busy"),
        (bytes_text(memory["peak"]) if memory else "-", "memory at most"),
    ]
    for x, (figure, word) in zip((0, 280, 450, 600, 900), shown, strict=True):
        sheet.text(sheet.left + x, sheet.top, figure, TEXT, 34)
        sheet.text(sheet.left + x, sheet.top + 44, word, QUIET)
    colours = dict(_prefixes(core))
    most = max((one["seconds"] for one in figures["prefixes"]), default=0) or 1
    for number, one in enumerate(figures["prefixes"][:5]):
        y = sheet.top + 92 + number * 36
        sheet.text(sheet.left, y, cut(one["name"], 28))
        width = max(one["seconds"] / most * 560, 2)
        colour = colours.get(one["name"], UNKNOWN)
        sheet.ink.rectangle((sheet.left + 300, y, sheet.left + 300 + width, y + 22), fill=colour)
        words = f"{count_text(one['tasks'], 'task')}, {seconds_text(one['seconds'])}"
        sheet.text(sheet.left + 312 + width, y, words, QUIET)


MAX_ROWS: Final = 200_000


def _series(core: RecordingStore, name: str) -> Rows:
    """Return the rows of a series in the finest steps that are not too many to look at."""
    series = core.series(name).snapshot()
    if series.next - series.rings[0].first <= MAX_ROWS:
        return series.rows()
    return next((r for r in series.rings[1:-1] if r.next - r.first <= MAX_ROWS), series.rings[-1]).columns()


def _cluster_memory(core: RecordingStore) -> Rows:
    """Return the memory of the whole cluster, which may have been sampled in one table alone."""
    rows = _series(core, "memory")
    rows = {name: cells[rows["worker"] == ""] for name, cells in rows.items()}
    if len(rows["time"]):
        return rows
    rows = _series(core, "system")
    rows = {name: cells[np.isfinite(rows["process"])] for name, cells in rows.items()}
    rest = rows["process"] - rows["managed"]
    return {**rows, "limit": rows["memory_limit"], "unmanaged_old": rest, "unmanaged_recent": 0 * rest}


def _memory(sheet: Sheet, source: Source, box: tuple[int, int, int, int] | None = None) -> None:
    core = source.recording._core
    rows = _cluster_memory(core)
    moment, limit = rows["time"], rows["limit"]
    parts = np.cumsum([np.nan_to_num(rows[name]) for name in MEMORY_COLOURS], axis=0)
    if not parts.size:
        sheet.text(sheet.left, sheet.top + 20, "Nothing was measured yet.", QUIET, TEXT_PX)
        return
    top = float(max(parts.max(), np.nanmax(limit, initial=0) if np.isfinite(limit).any() else 0))
    plot = Plot(sheet, _extent(moment), top or 1.0, box=box, origin=core.begin)
    for value, colour in zip(parts[::-1], list(MEMORY_COLOURS.values())[::-1], strict=True):
        plot.area(moment, value, colour)
    plot.line(moment, limit, TEXT, 2)
    if box is None:
        names = ("managed", "unmanaged, old", "unmanaged, recent")
        peak = f"peak {bytes_text(parts.max())}"
        sheet.legend([*zip(names, MEMORY_COLOURS.values(), strict=True), ("limit", TEXT), (peak, "white")])


def _system(sheet: Sheet, source: Source) -> None:
    core = source.recording._core
    rows = _series(core, "system")
    cpu = rows["cpu"]
    if not np.isfinite(cpu).any():
        _memory(sheet, source)
        return
    middle = (sheet.left + sheet.right) // 2
    top = sheet.top + 30
    sheet.text(sheet.left, sheet.top - 4, "CPU of the scheduler", QUIET)
    sheet.text(middle + 20, sheet.top - 4, "Memory of the workers", QUIET)
    box = (sheet.left + 80, top, middle - 20, sheet.bottom - 36)
    most = max(100.0, float(np.nanmax(cpu)))
    plot = Plot(sheet, _extent(rows["time"]), most, lambda v: f"{v:.0f} %", box=box, origin=core.begin)
    plot.line(rows["time"], cpu, PREFIX_COLOURS[7])
    _memory(sheet, source, (middle + 130, top, sheet.right, sheet.bottom - 36))


def _events(sheet: Sheet, source: Source) -> None:
    core = source.recording._core
    counts = core.counts
    found = [
        *((row.time, f"{row.exception} in {row.key}") for row in _newest(core, "errors")),
        *((row.time, f"{row.topic}: {row.message}") for row in _newest(core, "events")),
        *((row.start, row.text) for row in _newest(core, "gaps")),
        *(
            (row.time, f"{row.name or name_of(row.worker, core.worker_names)} {row.what}")
            for row in _newest(core, "workers")
        ),
    ]
    words = (
        count_text(counts.erred, "error"),
        count_text(core.log("events").next, "event"),
        f"{count_text(counts.changes, 'change')} of workers",
        count_text(core.log("gaps").next, "gap"),
    )
    sheet.text(sheet.left, sheet.top, " · ".join(words), TEXT, TEXT_PX)
    origin = core.begin or 0.0
    newest = sorted(found)[-LINES:]
    sheet.lines([(moment_text(moment - origin), text) for moment, text in newest])


def _logs(sheet: Sheet, source: Source) -> None:
    core = source.recording._core
    rows = _newest(core, "logs")
    lines = count_text(core.log("logs").next, "line")
    sheet.text(sheet.left, sheet.top, lines, TEXT, TEXT_PX)
    clock = (time.strftime("%H:%M:%S", time.localtime(row.time)) for row in rows)
    sheet.lines([(at, f"{row.level} {row.text}") for at, row in zip(clock, rows, strict=True)])


LINES: Final = 6


def _newest(core: RecordingStore, name: str) -> list[Any]:
    log = core.log(name)
    return list(log.since(max(log.next - LINES, 0)))


def _memory_plot(sheet: Sheet, source: Source) -> None:
    rows = _series(source.recording._core, "samples")
    cluster = rows["cluster"]
    if not np.isfinite(cluster).any():
        sheet.text(sheet.left, sheet.top + 20, "Nothing was sampled yet.", QUIET, TEXT_PX)
        return
    rows = {name: cells[rows["measure"] == rows["measure"][0]] for name, cells in rows.items()}
    cluster, labels = rows["cluster"], list(dict.fromkeys(rows["label"].tolist()))
    plot = Plot(sheet, _extent(rows["time"]), float(np.nanmax(cluster)) or 1.0)
    entries = []
    for number, label in enumerate(labels):
        of = rows["label"] == label
        plot.line(rows["time"][of], cluster[of], line_colour(number), 4)
        peak = bytes_text(float(np.nanmax(cluster[of], initial=0)))
        entries.append((f"{cut(label, 14)} {peak}", line_colour(number)))
    sheet.legend(entries)


KINDS: Final[Mapping[str, Kind]] = {
    "task-stream": Kind("Task stream", (), _task_stream),
    "summary": Kind("Summary", (), _summary),
    "events": Kind("Errors and events", ("errors", "events", "workers", "gaps"), _events),
    "logs": Kind("Logs", ("logs",), _logs),
    "system": Kind("System", ("system",), _system),
    "memory": Kind("Memory", ("memory", "system"), _memory),
    "memory-plot": Kind("Memory", ("samples",), _memory_plot),
}


def _font(size: int) -> Any:
    return ImageFont.load_default(size)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def _slot_colour(slot: int) -> str:
    return PREFIX_COLOURS[slot] if slot < len(PREFIX_COLOURS) else UNKNOWN


def _extent(moment: Floats) -> tuple[float, float]:
    return float(moment.min()), float(moment.max())


def _step(span: float, most: float) -> float:
    """Return the distance of ticks: 1, 2 or 5 of a power of ten, with at most so many of them.

    >>> _step(29.0, 7)
    5.0
    """
    least = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= least)
