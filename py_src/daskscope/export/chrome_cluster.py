"""What happened beside the tasks, as the first process of a Chrome trace: "cluster"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from daskscope.export.chrome_lines import Lines, Process, Rail
from daskscope.schema import ERRORS, EVENTS, GAPS, SYSTEM, WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from daskscope.export.clock import Clock
    from daskscope.recording import RecordingStore

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


def write_cluster(recording: RecordingStore, lines: Lines, clock: Clock) -> None:
    """Write errors, workers, events and gaps as threads, and what was sampled as counters."""
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
