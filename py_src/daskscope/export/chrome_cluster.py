"""What happened beside the tasks, as the first process of a Chrome trace: "cluster"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from daskscope.export.chrome_lines import Lines, Process, Rail
from daskscope.recording.records import records_of
from daskscope.schema import CLUSTER, ERRORS, EVENTS, GAPS, SCHEDULER, WORKERS, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from daskscope.export.clock import Clock
    from daskscope.recording import RecordingCore

COUNTERS: Final[Mapping[Table, Mapping[str, tuple[str, str]]]] = {
    CLUSTER: {
        "process": ("memory of processes", "bytes"),
        "managed": ("results in memory", "bytes"),
        "spilled": ("results on disk", "bytes"),
        "workers": ("workers", "count"),
        "threads": ("threads", "count"),
    },
    SCHEDULER: {
        "cpu": ("scheduler CPU", "percent"),
        "memory": ("scheduler memory", "bytes"),
        "loop_interval": ("scheduler loop interval", "seconds"),
    },
}
NAME_CHARACTERS: Final = 120
TEXT_CHARACTERS: Final = 20_000


def write_cluster(recording: RecordingCore, lines: Lines, clock: Clock) -> None:
    """Write errors, workers, events and gaps as threads, and what was sampled as counters."""
    process = Process(lines, "cluster", 0)
    names = recording.worker_names
    place = 0
    for table, text in ((ERRORS, "exception"), (WORKERS, "what"), (EVENTS, "topic")):
        thread = 0
        for row in _rows(recording, table):
            if not clock.takes(row["time"]).all():
                continue
            thread = thread or process.thread(table.name, place)
            name = row[text]
            if table is WORKERS:
                name = f"{names.get(row['worker'], row['worker'])} {name}".strip()
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
    for table, counters in COUNTERS.items():
        for row in _rows(recording, table):
            if clock.takes(row["time"]).all():
                ts = int(clock.us(row["time"]))
                for column, (name, unit) in counters.items():
                    if abs(row[column]) < float("inf"):
                        lines.event(
                            ph="C", pid=process.number, ts=ts, name=name, args={unit: row[column]}
                        )


def _write_gaps(recording: RecordingCore, lines: Lines, clock: Clock, rail: Rail) -> None:
    for row in _rows(recording, GAPS):
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


def _rows(recording: RecordingCore, table: Table) -> Iterator[dict[str, Any]]:
    columns = records_of(recording, table)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


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
