"""A recording as a Chrome trace: JSON that Perfetto and chrome://tracing open.

Workers are processes and their threads threads; what is not computing is on threads of its
own below, since it overlaps with it, and whatever still overlaps is on further ones. So
the slices of a thread nest, without which viewers drop some or show them wrong.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from os import fspath
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import numpy as np

from daskscope.atomic_files import written
from daskscope.export.trace import Lines, Process, Rail, arguments, as_json, clock_of, quoted
from daskscope.format import natural
from daskscope.recording.names import name_of
from daskscope.schema import ERRORS, EVENTS, GAPS, STATUSES, SYSTEM, WORKERS
from daskscope.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike

    from daskscope.export.trace import Clock
    from daskscope.recording import RecordingStore, TaskChunk

GZIP_LEVEL: Final = 6
COUNTERS: Final[Mapping[str, tuple[str, str]]] = {
    "process": ("memory of processes", "bytes"),
    "managed": ("results in memory", "bytes"),
    "spilled": ("results on disk", "bytes"),
    "workers": ("workers", "count"),
    "threads": ("threads", "count"),
    "cpu": ("scheduler CPU", "percent"),
    "memory": ("scheduler memory", "bytes"),
    "loop_interval": ("scheduler loop interval", "seconds"),
}
NAME_CHARACTERS: Final = 120
TEXT_CHARACTERS: Final = 20_000
RAILS: Final = ("compute", "transfer", "disk", "deserialize")
"""What has threads of its own below each thread, in this order; other actions follow."""

RAIL_PLACES: Final = 10
DURATION_ERROR: Final = 2.0**-23
"""Durations are float32: the part of one that rounding may have added."""

ERROR_COLOUR: Final = "terrible"
"""The name of a colour, in viewers that know it."""


@dataclass(frozen=True)
class TraceCounts:
    """How many rows became slices, and how many have times that no trace can show."""

    rows: int
    left_out: int


def to_chrome(
    recording: RecordingStore,
    path: str | PathLike[str],
    watch: Callable[[int, int], None] | None = None,
) -> TraceCounts:
    """Write a recording as a Chrome trace; compressed where the name ends with ``.gz``.

    `watch(done, of)` is called with the number of rows while they are written.
    """
    with written(path) as file:
        if not fspath(path).endswith(".gz"):
            return write_chrome(recording, file, watch)
        # Without a name and a time of its own: the same recording gives the same file.
        with gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as packed:
            return write_chrome(recording, cast("BinaryIO", packed), watch)


def write_chrome(
    recording: RecordingStore,
    out: BinaryIO,
    watch: Callable[[int, int], None] | None = None,
) -> TraceCounts:
    """Write a recording as a Chrome trace into an open file."""
    clock = clock_of(recording)
    lines = Lines(out)
    out.write(b'{"displayTimeUnit":"ms","traceEvents":[')
    _write_cluster(recording, lines, clock)
    slices = _Slices(recording, lines, clock)
    slices.write(watch)
    lines.flush()
    about: dict[str, Any] = {
        "recorded with": f"daskscope {installed_version()}",
        "zero, seconds since the epoch": clock.zero,
        "title": str(recording.about_facts.get("title") or ""),
        "tasks kept": recording.counts.kept,
        "tasks captured": recording.counts.captured,
        "rows left out, whose times cannot be": slices.left_out,
    }
    out.write(f'\n],"otherData":{as_json(about)}}}\n'.encode("utf-8", "replace"))
    return TraceCounts(slices.rows, slices.left_out)


def _write_cluster(recording: RecordingStore, lines: Lines, clock: Clock) -> None:
    """Write a process with what happened beside the tasks: threads, and samples as counters."""
    process = Process(lines, "cluster", 0)
    place = 0
    for table, text in ((ERRORS, "exception"), (WORKERS, "what"), (EVENTS, "topic")):
        thread = 0
        for row in _rows(recording, table.name):
            if not clock.takes(row["time"]).all():
                continue
            thread = thread or process.thread(table.name, place)
            name = row[text]
            if table is WORKERS:
                name = f"{row['name'] or row['worker']} {name}".strip()
            lines.event(
                ph="i",
                s="t",
                pid=process.number,
                tid=thread,
                ts=int(clock.us(row["time"])),
                name=_short(name) or table.name,
                cat=table.name,
                args=_facts(row),
            )
        place += 1
    _write_gaps(recording, lines, clock, Rail(process, GAPS.name, place))
    for row in _rows(recording, SYSTEM.name):
        if clock.takes(row["time"]).all():
            ts = int(clock.us(row["time"]))
            for column, (name, unit) in COUNTERS.items():
                if abs(row[column]) < float("inf"):
                    args = {unit: row[column]}
                    lines.event(ph="C", pid=process.number, ts=ts, name=name, args=args)


def _write_gaps(recording: RecordingStore, lines: Lines, clock: Clock, rail: Rail) -> None:
    for row in _rows(recording, GAPS.name):
        if clock.takes([row["start"], row["stop"]]).all():
            start, stop = clock.us([row["start"], row["stop"]]).tolist()
            thread, start = rail.put(start, stop)
            lines.event(
                ph="X",
                pid=rail.process.number,
                tid=thread,
                ts=start,
                dur=max(0, stop - start),
                name=_short(row["reason"]) or "gap",
                cat="gaps",
                args=_facts(row),
            )


def _rows(recording: RecordingStore, name: str) -> Iterator[dict[str, Any]]:
    yield from recording.table(name).to_dict("records")


def _short(text: str) -> str:
    return " ".join(text.split())[:NAME_CHARACTERS]


def _facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of a row, and which task it is about."""
    facts: dict[str, Any] = {
        name: value[:TEXT_CHARACTERS] for name, value in row.items() if isinstance(value, str)
    }
    if "task" in row:
        facts["task"] = row["task"]
    return facts


class _Slices:
    """Writes rows as slices, chunk by chunk."""

    def __init__(self, recording: RecordingStore, lines: Lines, clock: Clock) -> None:
        names = recording.names
        self.rows = 0
        self.left_out = 0
        self._recording = recording
        self._lines = lines
        self._clock = clock
        self._lanes = _Lanes(recording, lines)
        self._prefixes = list(names.prefixes)
        self._actions = list(names.actions)
        self._spans = names.labels("spans")
        self._errors = {error.task: error.exception for error in recording.log("errors").since(0)}

    def write(self, watch: Callable[[int, int], None] | None) -> None:
        """Write all rows; `watch` hears how many of how many are done."""
        chunks = self._recording.chunks()
        of = sum(chunk.rows for chunk in chunks)
        done = 0
        for chunk in chunks:
            self._write_chunk(chunk)
            done += chunk.rows
            if watch is not None:
                watch(done, of)

    def _write_chunk(self, chunk: TaskChunk) -> None:
        columns = chunk.columns
        usable = self._clock.takes(columns["start"], columns["duration"])
        rows = np.flatnonzero(usable)
        rows = rows[np.argsort(columns["start"][rows], kind="stable")]
        self.rows += len(rows)
        self.left_out += chunk.rows - len(rows)
        keys = [key for block in chunk.keys for key in block.texts()]
        starts = self._clock.us(columns["start"][rows]).tolist()
        durations = columns["duration"][rows].astype("f8")
        lengths = np.round(np.maximum(durations, 0) * 1e6).astype("i8").tolist()
        others = ("lane", "prefix", "action", "status", "nbytes", "span", "task")
        for start_us, length_us, seconds, lane, prefix, action, status, nbytes, span, task in zip(
            starts,
            lengths,
            durations.tolist(),
            *(columns[name][rows].tolist() for name in others),
            strict=True,
        ):
            what = self._actions[action]
            is_compute = what == "compute"
            rail = self._lanes.rail(lane, what)
            stop_us = start_us + length_us
            thread, start_us = rail.put(start_us, stop_us, int(length_us * DURATION_ERROR) + 2)
            facts: dict[str, Any] = {"key": keys[task - chunk.first]}
            if is_compute:
                facts["nbytes"] = nbytes
            else:
                facts["prefix"] = self._prefixes[prefix]
            facts["span"] = self._spans[span]
            flags = ""
            if status:
                facts["status"] = STATUSES[status]
                facts["error"] = self._errors.get(task, "")
                flags = f'"cname":"{ERROR_COLOUR}",'
            if seconds < 0:
                facts["clocks disagree, seconds"] = seconds
            facts["task"] = task
            name = quoted(self._prefixes[prefix] if is_compute else what)
            category = quoted(f"{what},error" if status else what)
            self._lines.add(
                f'{{"ph":"X","pid":{rail.process.number},"tid":{thread},"ts":{start_us},'
                f'"dur":{max(0, stop_us - start_us)},"name":{name},"cat":{category},{flags}'
                f'"args":{arguments(facts)}}}'
            )


class _Lanes:
    """Processes and threads of lanes; they come into the trace with their first slice."""

    def __init__(self, recording: RecordingStore, lines: Lines) -> None:
        self._lines = lines
        self._lanes = list(recording.names.lanes)
        known = recording.worker_names
        addresses = dict.fromkeys(worker for worker, _ in self._lanes)
        self._names = {a: name_of(a, known) for a in addresses}
        in_order = sorted(addresses, key=lambda address: natural(self._names[address]))
        self._places = {address: place for place, address in enumerate(in_order, 1)}
        seen = dict.fromkeys(addresses, 0)
        self._threads: list[int] = []  # of each lane, within its worker, from 0
        for worker, _ in self._lanes:
            self._threads.append(seen[worker])
            seen[worker] += 1
        self._processes: dict[str, Process] = {}
        self._rails: dict[tuple[int, str], Rail] = {}  # by lane and action, or kind of action

    def rail(self, lane: int, action: str) -> Rail:
        """Return where rows of a lane and an action go."""
        found = self._rails.get((lane, action))
        if found is None:
            kind = "disk" if action.startswith("disk-") else action
            found = self._rails.get((lane, kind)) or self._begin(lane, kind)
            self._rails[lane, action] = self._rails[lane, kind] = found
        return found

    def _begin(self, lane: int, kind: str) -> Rail:
        address, _ = self._lanes[lane]
        process = self._processes.get(address)
        if process is None:
            process = self._processes[address] = Process(
                self._lines, self._names[address], self._places[address], labels=address
            )
        thread = self._threads[lane]
        name = f"thread {thread}" if kind == "compute" else f"thread {thread} · {kind}"
        within = RAILS.index(kind) if kind in RAILS else len(RAILS)
        return Rail(process, name, thread * RAIL_PLACES + within)
