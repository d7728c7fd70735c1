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
)
"""Types of messages from the kernel to a page."""

PAGE_MESSAGES: Final = ("hello", "watch", "unwatch", "ack", "ask", "focus", "bye")
"""Types of messages from a page to the kernel."""

LIMITS: Final = {
    "batch_rows": 16_384,
    "batch_bytes": 1_000_000,
    "window_bytes": 8_000_000,
    "bytes_per_s": 30_000_000,
    "messages_per_s": 100,
    "ack_bytes": 2_000_000,
    "ack_ms": 1_000,
    "blind_bytes_per_s": 4_000_000,
    "blind_bytes": 64_000_000,
    "page_rows": 20_000_000,
    "page_key_bytes": 200_000_000,
}
"""Pace of the stream and bounds of a page; why each is what it is stands in docs/protocol.md."""


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
        f"export const KEY_SEPARATOR = {_ts_value(KEY_SEPARATOR)};",
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
