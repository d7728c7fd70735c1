"""The single source of tables, units, message types and limits.

``js_src/schema.ts`` is generated from this module (``python -m daskscope.schema``);
``make check`` fails when it is stale. Nothing here imports anything of daskscope,
and nothing here touches a cluster, a kernel or a page: it only names things.

Units: times are seconds since the epoch by the scheduler's clock, durations are
seconds, sizes are bytes. Names (prefixes, actions, spans) and lanes are interned;
a column holds the index into the list of that kind.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Final

PROTOCOL: Final = 1
"""Version of the messages between kernel and page (see docs/protocol.md)."""

COMM_TARGET: Final = "daskscope"
"""Comm target that the labextension opens in a kernel."""


@dataclass(frozen=True)
class Column:
    """One column of a table: its name, its Arrow type, and what it means."""

    name: str
    type: str
    doc: str


@dataclass(frozen=True)
class Table:
    """A table of a recording, or of a batch on the wire."""

    name: str
    doc: str
    columns: tuple[Column, ...]


TASKS: Final = Table(
    "tasks",
    "A row is one start/stop interval of one task.",
    (
        Column("start", "float64", "seconds since the epoch, scheduler's clock"),
        Column("duration", "float32", "seconds; negative when the clocks disagree"),
        Column("lane", "uint16", "index into lanes: a worker thread"),
        Column("prefix", "uint16", "index into prefixes"),
        Column("action", "uint8", "index into actions"),
        Column("status", "uint8", "index into STATUSES, of the task"),
        Column("nbytes", "float32", "size of the task's result in bytes"),
        Column("span", "uint16", "index into spans; 0 is no span"),
        Column("task", "uint32", "number of the task, in order of arrival"),
    ),
)

COARSE: Final = Table(
    "coarse",
    "A row is one stretch of one lane in the first, coarse picture of a long run.",
    (
        Column("start", "float64", "seconds since the epoch, scheduler's clock"),
        Column("duration", "float32", "seconds"),
        Column("lane", "uint16", "index into lanes"),
        Column("prefix", "uint16", "the prefix that took most of this stretch"),
        Column("busy", "float32", "seconds of the stretch that the lane was busy"),
        Column("rows", "uint32", "how many rows of tasks this stretch stands for"),
        Column("erred", "uint8", "1 when a task of this stretch erred"),
    ),
)

TABLES: Final = (TASKS, COARSE)
"""The tables that travel between kernel and page, and are in a file, too."""

FILE_FORMAT: Final = 1
"""Version of ``.daskscope`` files (see docs/recording-format.md)."""

FILE_PART_TASKS: Final = 65_536
FILE_PART_ROWS: Final = 1_000_000
"""So many tasks, and rows of them, one member of a file has at most."""

NAMES: Final = Table(
    "names",
    "A row is one interned name. In each list they are numbered in order of the rows.",
    (
        Column("kind", "utf8", "one of NAME_KINDS"),
        Column("name", "utf8", "text, or a JSON list of texts: of a lane, of a span"),
    ),
)

ERRORS: Final = Table(
    "errors",
    "A row is a task that erred.",
    (
        Column("time", "float64", "when it stopped"),
        Column("key", "utf8", "the task's key"),
        Column("prefix", "utf8", "its prefix, by name"),
        Column("worker", "utf8", "address"),
        Column("exception", "utf8", "what it raised"),
        Column("traceback", "utf8", "the whole traceback"),
        Column("task", "int64", "number of the task; -1 when it is not in the recording"),
    ),
)

WORKERS: Final = Table(
    "workers",
    "A row is a worker that was there, came, changed or left.",
    (
        Column("time", "float64", "when"),
        Column("worker", "utf8", "address; empty when all are meant"),
        Column("name", "utf8", "what panels call it"),
        Column("what", "utf8", "present, added, removed, a status, spilling, …"),
        Column("detail", "utf8", "threads that it came with, or its status before"),
    ),
)

EVENTS: Final = Table(
    "events",
    "A row is an event that was logged on the scheduler: by Dask, or by `log_event`.",
    (
        Column("time", "float64", "when"),
        Column("topic", "utf8", "topic, or several with commas between"),
        Column("message", "utf8", "as JSON"),
    ),
)

LOGS: Final = Table(
    "logs",
    "A row is a line of the log of the scheduler or of a worker.",
    (
        Column("time", "float64", "when, by the clock of its process"),
        Column("source", "utf8", "scheduler, or the worker's address"),
        Column("level", "utf8", "INFO, WARNING, …"),
        Column("text", "utf8", "the line"),
    ),
)

CLUSTER: Final = Table(
    "cluster",
    "A row is a sample of all workers together.",
    (
        Column("time", "float64", "when"),
        Column("workers", "float64", "how many"),
        Column("threads", "float64", "how many"),
        Column("memory_limit", "float64", "bytes"),
        Column("process", "float64", "bytes in the memory of their processes"),
        Column("managed", "float64", "bytes of results in memory"),
        Column("spilled", "float64", "bytes of results on disk"),
    ),
)

SCHEDULER: Final = Table(
    "scheduler",
    "A row is a sample of the scheduler itself.",
    (
        Column("time", "float64", "when"),
        Column("cpu", "float64", "percent of one core"),
        Column("memory", "float64", "bytes"),
        Column("loop_interval", "float64", "seconds between two ticks of its event loop"),
    ),
)

GAPS: Final = Table(
    "gaps",
    "A row is a time in which tasks may have run unseen.",
    (
        Column("start", "float64", "from"),
        Column("stop", "float64", "to"),
        Column("reason", "utf8", "a short word"),
        Column("text", "utf8", "a sentence"),
    ),
)

ROWLESS: Final = Table(
    "rowless",
    "A row is a task without rows in tasks: it ran nowhere, since its worker was killed.",
    (
        Column("task", "int64", "number of the task"),
        Column("prefix", "utf8", "its prefix, by name"),
        Column("status", "int64", "index into STATUSES"),
    ),
)

RECORD_TABLES: Final = (ERRORS, WORKERS, EVENTS, LOGS, CLUSTER, SCHEDULER, GAPS, ROWLESS)
"""The tables of a file that are few rows of numbers and text."""

STATUSES: Final = ("OK", "error")
"""What ``tasks.status`` points into."""

ACTIONS: Final = ("compute", "transfer", "disk-read", "disk-write", "deserialize")
"""The first entries of every session's ``actions``; others follow as they are met."""

NAME_KINDS: Final = ("prefixes", "lanes", "actions", "spans")
"""The interned lists of a session, in the order in which messages carry them."""

OTHER_NAME: Final = "(other)"
"""The last entry of a list that is full: stands for every name that came later."""

MAX_NAMES: Final = 60_000
"""Bound of an interned list whose index is uint16. Of actions there are fewer: theirs is uint8."""

KEY_SEPARATOR: Final = "\0"
"""Between two keys of a packed block of keys; a NUL inside a key becomes U+FFFD."""

MAX_KEY_CHARACTERS: Final = 100_000
"""So much of a key an agent keeps, and a page of a key in a file; one more marks what was cut."""

STATES: Final = ("live", "waiting", "lost", "partly", "stopped", "no-client")
"""What a session is in, as the toolbar says it (a page adds its own ``paused``)."""

BATCH_KINDS: Final = ("live", "detail", "coarse")
"""Why a batch of rows is sent: it just happened, it is history, it stands for history."""

KERNEL_MESSAGES: Final = (
    "welcome",
    "sessions",
    "status",
    "names",
    "batch",
    "keys",
    "events",
    "totals",
    "answer",
    "focus",
    "error",
    "bye",
    "code",
)
"""Types of messages from the kernel to a page."""

PAGE_MESSAGES: Final = ("hello", "watch", "unwatch", "ack", "ask", "focus", "bye", "code")
"""Types of messages from a page to the kernel."""

LIMITS: Final = {
    "batch_rows": 16_384,
    "batch_bytes": 1_000_000,
    "window_bytes": 8_000_000,
    "bytes_per_s": 30_000_000,
    "messages_per_s": 100,
    "ack_bytes": 1_000_000,
    "ack_ms": 2_000,
    "blind_bytes_per_s": 4_000_000,
    "blind_bytes": 64_000_000,
    "page_rows": 20_000_000,
    "page_key_bytes": 200_000_000,
}
"""Pace of the stream and bounds of a page; why each is what it is stands in docs/protocol.md."""

HEARD_AGAIN_S: Final = LIMITS["ack_ms"] / 1000 + 0.5
"""A page to which something comes is heard after no longer pause, if it can be heard."""


MIN_RECORDING_BYTES: Final = 4_000_000
"""A recording with less has no room for the chunk that it is filling."""


def _ts_value(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)


_TS_ARRAYS: Final = {
    "float64": "Float64Array",
    "float32": "Float32Array",
    "uint32": "Uint32Array",
    "uint16": "Uint16Array",
    "uint8": "Uint8Array",
}


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def typescript() -> str:
    """Return the text of ``js_src/schema.ts``.

    >>> "export const PROTOCOL = 1" in typescript()
    True
    """
    out = [
        "// Generated from py_src/daskscope/schema.py by `make schema`. Do not edit.",
        "",
        f"export const PROTOCOL = {PROTOCOL};",
        f"export const COMM_TARGET = {_ts_value(COMM_TARGET)};",
        f"export const OTHER_NAME = {_ts_value(OTHER_NAME)};",
        f"export const MAX_NAMES = {MAX_NAMES};",
        f"export const FILE_FORMAT = {FILE_FORMAT};",
        f"export const FILE_PART_TASKS = {FILE_PART_TASKS};",
        f"export const FILE_PART_ROWS = {FILE_PART_ROWS};",
        f"export const KEY_SEPARATOR = {_ts_value(KEY_SEPARATOR)};",
        f"export const MAX_KEY_CHARACTERS = {MAX_KEY_CHARACTERS};",
        "",
    ]
    lists = {
        "STATUSES": STATUSES,
        "ACTIONS": ACTIONS,
        "NAME_KINDS": NAME_KINDS,
        "STATES": STATES,
        "BATCH_KINDS": BATCH_KINDS,
        "KERNEL_MESSAGES": KERNEL_MESSAGES,
        "PAGE_MESSAGES": PAGE_MESSAGES,
    }
    for name, values in lists.items():
        out.append(f"export const {name} = [")
        out.extend(f"  {_ts_value(value)}," for value in values)
        out.append("] as const;")
        out.append("")
    for alias, name in (
        ("NameKind", "NAME_KINDS"),
        ("State", "STATES"),
        ("BatchKind", "BATCH_KINDS"),
        ("KernelMessageType", "KERNEL_MESSAGES"),
        ("PageMessageType", "PAGE_MESSAGES"),
    ):
        out.append(f"export type {alias} = (typeof {name})[number];")
    out.append("")
    out.append("export const LIMITS = {")
    out.extend(f"  {name}: {value}," for name, value in LIMITS.items())
    out.append("} as const;")
    for table in TABLES:
        out.append("")
        out.append(f"/** {table.doc} */")
        out.append(f"export interface {_pascal(table.name)}Columns {{")
        for column in table.columns:
            out.append(f"  /** {column.doc} */")
            out.append(f"  {column.name}: {_TS_ARRAYS[column.type]};")
        out.append("}")
        out.append("")
        out.append(f"export const {table.name.upper()}_COLUMNS = {{")
        out.extend(f"  {column.name}: {_TS_ARRAYS[column.type]}," for column in table.columns)
        out.append("} as const;")
    out.append("")
    return "\n".join(out)


if __name__ == "__main__":
    sys.stdout.write(typescript())
