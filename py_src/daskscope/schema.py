"""The single source of tables, units, message types and limits.

``js_src/schema.ts`` is generated from this module (``scripts/generate_schema.py``);
``make check`` fails when it is stale. Nothing here imports anything of daskscope,
and nothing here touches a cluster, a kernel or a page: it only names things.

Units: times are seconds since the epoch by the scheduler's clock, durations are
seconds, sizes are bytes. Names (prefixes, actions, spans) and lanes are interned;
a column holds the index into the list of that kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

PROTOCOL: Final = 2
"""Version of the messages between kernel and page (see docs/protocol.md)."""

COMM_TARGET: Final = "daskscope"
"""Comm target that the labextension opens in a kernel."""


Private = Literal["source", "code", "paths", "hosts"]
"""What a text may reveal; each has one cleaner (``report/redact.py``).

What holds ``source`` is code as a whole; ``code`` are lines of it in a traceback or a log.
"""

Kind = Literal["float64", "float32", "int64", "uint32", "uint16", "uint8", "utf8", "texts"]
"""Type of a column: numbers, text, or a list of texts (stored as JSON)."""

Combine = Literal["key", "sum", "extremes", "last"]
"""A column of a series: part of its key, or how its values combine in a wider step."""


@dataclass(frozen=True)
class Column:
    """One column of a table: its name, type and meaning, and what it needs elsewhere.

    ``into`` names the dictionary that the values are indexes of, or ``"tasks"`` for the
    number of a task (-1: a task that is not in the recording). ``holds`` says what private
    things a text may hold; a text column without it is left out of every redacted copy.
    """

    name: str
    type: Kind
    doc: str
    unit: str = ""
    into: str = ""
    holds: tuple[Private, ...] | None = None
    combine: Combine | None = None
    of: str = ""
    """Of which column this is the least or the most in a step: as measured all are equal."""


@dataclass(frozen=True)
class Table:
    """A table of a recording. Stores, files, pages, DataFrames and redaction loop over it."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    noun: str = "entry"
    """What one row is called, and what several are."""
    nouns: str = "entries"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True)
class Tasks(Table):
    """The one big table, with a store of its own."""


@dataclass(frozen=True)
class Dictionary(Table):
    """Entries that never change, and that columns of other tables point into by index.

    Entries are appended, sent before the rows that use them, and bounded: the last one of a
    full dictionary is ``(other)``. ``first`` are the entries that every recording begins with.
    With ``coloured`` each entry gets the slot of a colour, in a column ``colour``.
    """

    limit: int = 60_000
    first: tuple[tuple[Any, ...], ...] = ()
    coloured: bool = False


@dataclass(frozen=True)
class Log(Table):
    """Entries in order of arrival; the newest are kept, dropped ones are counted.

    ``rows`` bounds the entries, ``group_rows`` those that have the same value in the column
    ``group``. With a ``key`` a later entry replaces the one that has the same value there.
    ``time`` and ``stop`` name the columns that say when; ``stop`` is empty for a moment.
    """

    rows: int = 10_000
    group: str = ""
    group_rows: int = 0
    key: str = ""
    time: str = "time"
    stop: str = ""

    def __post_init__(self) -> None:
        """Refuse a key that redaction would leave out: all rows would be one."""
        if any(c.name == self.key and c.type == "utf8" and c.holds is None for c in self.columns):
            raise ValueError(f"{self.name}.{self.key} is a key: it must say what it may hold")


@dataclass(frozen=True)
class Series(Table):
    """Measurements over time by key, kept as measured and in steps of 10, 60 and 600 s.

    The first column is ``time``; with values that are ``sum`` the second is ``duration``.
    ``ring_bytes`` bounds each ring in the kernel: as measured, 10, 60, 600 s; ``page_bytes``
    all rings together on a page. With ``lasts`` a row is written when it changed, and holds
    until the next one of its key; what is NaN then is gone.
    """

    lasts: bool = False
    ring_bytes: tuple[int, int, int, int] = (4_000_000, 4_000_000, 2_000_000, 1_000_000)
    page_bytes: int = 8_000_000
    noun: str = "sample"
    nouns: str = "samples"


STEPS: Final = (0, 10, 60, 600)
"""Seconds of the steps of a series' rings; 0 is as measured."""

_TIME: Final = Column("time", "float64", "when", unit="s")
_WORKER: Final = Column("worker", "utf8", "address of the worker", holds=("hosts",))

PREFIXES: Final = Dictionary(
    "prefixes",
    "An entry is the prefix of keys by which Dask groups tasks.",
    (Column("name", "utf8", "the prefix", holds=("paths", "hosts")),),
    coloured=True,
    noun="prefix",
    nouns="prefixes",
)

LANES: Final = Dictionary(
    "lanes",
    "An entry is a thread of a worker.",
    (
        _WORKER,
        Column("thread", "utf8", "what ``threading.get_ident()`` says there", holds=()),
    ),
    noun="thread of a worker",
    nouns="threads of workers",
)

ACTIONS: Final = ("compute", "transfer", "disk-read", "disk-write", "deserialize")
"""The first entries of the dictionary of actions; others follow as they are met."""

ACTION_NAMES: Final = Dictionary(
    "actions",
    "An entry is what a task did in an interval.",
    (Column("name", "utf8", "compute, transfer, disk-read, …", holds=("paths", "hosts")),),
    limit=128,  # an index fits into seven bits: pages have no more room in a row
    first=tuple((action,) for action in ACTIONS),
    noun="action",
    nouns="actions",
)

SPANS: Final = Dictionary(
    "spans",
    "An entry is a span of Dask. The first one means no span.",
    (
        Column("id", "utf8", "its id on the scheduler", holds=()),
        Column("name", "texts", "from the outermost to the innermost", holds=("paths", "hosts")),
    ),
    first=(("", ()),),
    noun="span",
    nouns="spans",
)

TASKS: Final = Tasks(
    "tasks",
    "A row is one start/stop interval of one task.",
    (
        Column("start", "float64", "seconds since the epoch, scheduler's clock", unit="s"),
        Column("duration", "float32", "negative when the clocks disagree", unit="s"),
        Column("lane", "uint16", "a worker thread", into="lanes"),
        Column("prefix", "uint16", "the task's prefix", into="prefixes"),
        Column("action", "uint8", "what it did", into="actions"),
        Column("status", "uint8", "index into STATUSES, of the task"),
        Column("nbytes", "float32", "size of the task's result", unit="B"),
        Column("span", "uint16", "0 is no span", into="spans"),
        Column("task", "uint32", "number of the task, in order of arrival", into="tasks"),
        Column("computation", "uint16", "which of computations; 0 unknown, 1 recomputed"),
    ),
)

COARSE: Final = (
    Column("start", "float64", "seconds since the epoch, scheduler's clock", unit="s"),
    Column("duration", "float32", "how long the stretch is", unit="s"),
    Column("lane", "uint16", "a worker thread", into="lanes"),
    Column("prefix", "uint16", "the prefix that took most of this stretch", into="prefixes"),
    Column("busy", "float32", "how long the lane was busy in it", unit="s"),
    Column("rows", "uint32", "how many rows of tasks this block summarises"),
    Column("erred", "uint8", "1 when a task of this stretch erred"),
)
"""Columns of the preview of tasks: a row is one stretch of one lane of a long run."""

ERRORS: Final = Log(
    "errors",
    "A row is a task that erred.",
    (
        Column("time", "float64", "when it stopped", unit="s"),
        Column("key", "utf8", "the task's key", holds=("paths", "hosts")),
        Column("prefix", "uint16", "its prefix", into="prefixes"),
        _WORKER,
        Column("exception", "utf8", "what it raised", holds=("code", "paths", "hosts")),
        Column("traceback", "utf8", "the whole traceback", holds=("code", "paths", "hosts")),
        Column("task", "int64", "number of the task", into="tasks"),
    ),
    rows=1_000,
    noun="error",
    nouns="errors",
)

WORKERS: Final = Log(
    "workers",
    "A row is a worker that was there, came, changed or left.",
    (
        _TIME,
        Column("worker", "utf8", "address; empty when all are meant", holds=("hosts",)),
        Column("name", "utf8", "what panels call it", holds=("hosts",)),
        Column("what", "utf8", "present, added, removed, a status, spilling, …", holds=()),
        Column(
            "detail",
            "utf8",
            "threads that it came with, or its status before",
            holds=("paths", "hosts"),
        ),
    ),
    noun="change of a worker",
    nouns="changes of workers",
)

EVENTS: Final = Log(
    "events",
    "A row is an event that was logged on the scheduler: by Dask, or by ``log_event``.",
    (
        _TIME,
        Column("topic", "utf8", "topic, or several with commas between", holds=("paths", "hosts")),
        Column("message", "utf8", "as JSON", holds=("code", "paths", "hosts")),
    ),
    group="topic",  # those of work stealing must not push out what a user logged
    group_rows=2_000,
    noun="event",
    nouns="events",
)

LOGS: Final = Log(
    "logs",
    "A row is a line of the log of the scheduler or of a worker.",
    (
        Column("time", "float64", "when, by the clock of its process", unit="s"),
        Column("source", "utf8", "scheduler, or the worker's address", holds=("hosts",)),
        Column("level", "utf8", "INFO, WARNING, …", holds=()),
        Column("text", "utf8", "the line", holds=("code", "paths", "hosts")),
    ),
    rows=50_000,
    noun="line of a log",
    nouns="lines of logs",
)

GAPS: Final = Log(
    "gaps",
    "A row is a time in which tasks may have run unseen.",
    (
        Column("start", "float64", "from", unit="s"),
        Column("stop", "float64", "to", unit="s"),
        Column("reason", "utf8", "a short word", holds=()),
        Column("text", "utf8", "a sentence", holds=("paths", "hosts")),
    ),
    rows=1_000,
    time="start",
    stop="stop",
    noun="gap",
    nouns="gaps",
)

ROWLESS: Final = Log(
    "rowless",
    "A row is a task without rows in tasks: it ran nowhere, since its worker was killed.",
    (
        Column("task", "int64", "number of the task", into="tasks"),
        Column("prefix", "uint16", "its prefix", into="prefixes"),
        Column("status", "uint8", "index into STATUSES"),
    ),
    rows=100_000,
    time="",
    noun="task that ran nowhere",
    nouns="tasks that ran nowhere",
)

SYSTEM: Final = Series(
    "system",
    "A row is a sample of the cluster or of its scheduler; what was not measured then is NaN.",
    (
        _TIME,
        Column("workers", "float64", "how many workers", combine="extremes"),
        Column("threads", "float64", "how many threads", combine="extremes"),
        Column("memory_limit", "float64", "of all workers", unit="B", combine="extremes"),
        Column("process", "float64", "memory of their processes", unit="B", combine="extremes"),
        Column("managed", "float64", "results in memory", unit="B", combine="extremes"),
        Column("spilled", "float64", "results on disk", unit="B", combine="extremes"),
        Column("replicas", "float64", "further copies of results", unit="B", combine="extremes"),
        Column("scattered", "float64", "data that clients put there", unit="B", combine="extremes"),
        Column("cpu", "float64", "of the scheduler: percent of a core", combine="extremes"),
        Column("memory", "float64", "of the scheduler", unit="B", combine="extremes"),
        Column(
            "loop_interval",
            "float64",
            "between two ticks of its event loop",
            unit="s",
            combine="extremes",
        ),
    ),
)

MEASURES: Final = (
    "process",
    "managed",
    "managed_total",
    "spilled",
    "unmanaged",
    "unmanaged_old",
    "unmanaged_recent",
    "optimistic",
)
"""The measures of memory, as ``distributed.scheduler.MemoryState`` names them."""

WORKER_STATUSES: Final = ("", "running", "paused", "closing_gracefully", "closing", "init")
"""What ``memory.status`` points into; the first one means another status, or the cluster."""


def _bytes(name: str, doc: str) -> Column:
    return Column(name, "float32", doc, unit="B", combine="extremes")


MEMORY: Final = Series(
    "memory",
    "A row is the memory of a worker, written when it changed, or of the whole cluster.",
    (
        _TIME,
        Column(
            "worker",
            "utf8",
            "address of the worker; empty for the cluster",
            holds=("hosts",),
            combine="key",
        ),
        _bytes("process", "memory of the process"),
        _bytes("managed", "results in memory"),
        _bytes("managed_total", "results in memory and on disk"),
        _bytes("spilled", "results on disk"),
        _bytes("unmanaged", "of the process, beside the results"),
        _bytes("unmanaged_old", "of that, what was there 30 s before already"),
        _bytes("unmanaged_recent", "of that, what came in the last 30 s"),
        _bytes("optimistic", "managed and unmanaged_old"),
        _bytes("limit", "memory limit; NaN without one"),
        Column("cpu", "float32", "percent of a core, as of the row", unit="%", combine="extremes"),
        Column("status", "uint8", "index into WORKER_STATUSES", combine="last"),
    ),
    lasts=True,
    ring_bytes=(100_000_000, 100_000_000, 40_000_000, 10_000_000),
    page_bytes=40_000_000,
)

HELD: Final = Series(
    "held",
    "A row is how much of the results of a prefix is in memory, written when it changed.",
    (
        _TIME,
        Column("prefix", "uint16", "the prefix", into="prefixes", combine="key"),
        _bytes("bytes", "of its results, each counted once"),
    ),
    lasts=True,
)

SAMPLES: Final = Series(
    "samples",
    "A row is a sample of a ``MemorySampler``.",
    (
        _TIME,
        Column("label", "utf8", "of the sample", holds=("paths", "hosts"), combine="key"),
        Column("measure", "utf8", "one of MEASURES", holds=(), combine="key"),
        _bytes("cluster", "sum of all workers"),
        _bytes("least", "of a worker"),
        _bytes("median", "of the workers"),
        _bytes("most", "of a worker"),
        _bytes("limit", "of all workers together; NaN without one"),
    ),
    ring_bytes=(20_000_000, 20_000_000, 10_000_000, 5_000_000),
    page_bytes=40_000_000,
)

CONTEXTS: Final = Dictionary(
    "contexts",
    "An entry is where workers measured: execute, gather-dep, get-data, memory-monitor, p2p-…",
    (Column("name", "utf8", "the context", holds=("paths", "hosts")),),
    limit=255,  # an index fits into uint8
    first=(("execute",), ("gather-dep",), ("get-data",), ("memory-monitor",)),
    noun="context",
    nouns="contexts",
)

ACTIVITIES: Final = Dictionary(
    "activities",
    "An entry is what workers measured, as distributed names it, or as a user did.",
    (Column("name", "utf8", "thread-cpu, disk-read, …", holds=("paths", "hosts")),),
    coloured=True,
    noun="activity",
    nouns="activities",
)

BESIDE_TASKS: Final = ("executor", "other")
"""Activities of ``execute`` that are not in the intervals of ``tasks``: no thread is busy then."""

UNITS: Final = Dictionary(
    "units",
    "An entry is the unit of a metric.",
    (Column("name", "utf8", "seconds, bytes, count, …", holds=("paths", "hosts")),),
    limit=255,
    first=(("seconds",), ("bytes",), ("count",)),
    noun="unit",
    nouns="units",
)


def _prefix_or_none() -> Column:
    return Column("prefix", "uint16", 'the prefix, or ""', into="prefixes", combine="key")


METRICS: Final = Series(
    "metrics",
    "A row is how much a Fine Performance Metric of Dask grew in a stretch of time.",
    (
        _TIME,
        Column("duration", "float32", "of the stretch", unit="s"),
        Column("context", "uint8", "where it was measured", into="contexts", combine="key"),
        _prefix_or_none(),
        Column("activity", "uint16", "what was measured", into="activities", combine="key"),
        Column("span", "uint16", "0 is no span", into="spans", combine="key"),
        Column("unit", "uint8", "of the value", into="units", combine="key"),
        Column("value", "float64", "by how much it grew", combine="sum"),
    ),
    ring_bytes=(32_000_000, 26_000_000, 18_000_000, 8_000_000),
    page_bytes=40_000_000,
    noun="increment",
    nouns="increments",
)


def _tasks_in(name: str, doc: str) -> Column:
    return Column(name, "uint32", doc, combine="last")


TASK_STATES: Final = Series(
    "states",
    "A row is how many tasks of a prefix, of a worker or of all (both empty) are in each state, "
    "written when it changed.",
    (
        _TIME,
        _prefix_or_none(),
        Column(
            "worker", "utf8", "address of the worker, or empty", holds=("hosts",), combine="key"
        ),
        _tasks_in("waiting", "wait for other tasks"),
        _tasks_in("queued", "wait on the scheduler for a free thread"),
        _tasks_in("no_worker", "wait for a worker that may run them"),
        _tasks_in("processing", "are at workers, those that execute too"),
        _tasks_in("executing", "run in a thread"),
        _tasks_in("fetching", "of a worker or of all: inputs that are on their way"),
        _tasks_in("memory", "have their results in memory"),
        Column("start", "float64", "when those that execute began: mean", unit="s", combine="last"),
        Column(
            "earliest",
            "float64",
            "when the first of those that execute began",
            unit="s",
            combine="last",
        ),
    ),
    lasts=True,
    ring_bytes=(20_000_000, 20_000_000, 10_000_000, 5_000_000),
)

UNKNOWN_GRAPH: Final = 0
"""``tasks.computation`` of a task whose graph is not known."""

RECOMPUTED: Final = 1
"""``tasks.computation`` of a task that ran again, since its result was lost."""

WITHOUT_GRAPH: Final = ("(unknown)", "(recomputed)")
"""What stands for the cell of these two, by the number."""

COMPUTATIONS: Final = Log(
    "computations",
    "A row is a graph that a client sent. Of very many, the last ones share a row.",
    (
        Column("computation", "uint16", "what ``tasks.computation`` says; never 0 or 1"),
        Column("time", "float64", "when it was sent", unit="s"),
        Column("stop", "float64", "when the scheduler had read it; NaN before", unit="s"),
        Column("graphs", "uint32", "how many graphs this row counts"),
        Column("tasks", "uint32", "how many tasks they brought"),
        Column("client", "utf8", "id of the client", holds=("hosts",)),
        Column("cell", "utf8", "the cell that sent it: ``In [7]``, or empty", holds=()),
        Column("code", "utf8", "the code that sent it", holds=("source", "paths", "hosts")),
    ),
    rows=60_000,
    key="computation",
    stop="stop",
    noun="graph",
    nouns="graphs",
)

CELLS: Final = Log(
    "cells",
    "A row is a cell of a notebook that was executed.",
    (
        Column("cell", "utf8", "``In [7]``", holds=()),
        Column("time", "float64", "when it began", unit="s"),
        Column("stop", "float64", "when it ended; NaN while it runs", unit="s"),
        Column("status", "utf8", "running, ok, error or interrupted", holds=()),
        Column("id", "utf8", "which cell of the notebook it is", holds=()),
        Column("code", "utf8", "its text", holds=("source", "paths", "hosts")),
    ),
    key="cell",
    stop="stop",
    noun="cell",
    nouns="cells",
)

SPAN_TIMES: Final = Log(
    "span_times",
    "A row is what Dask knows of a span, without the spans inside it.",
    (
        Column("span", "uint16", "the span", into="spans"),
        Column("parent", "uint16", "the span around it; 0 is none", into="spans"),
        Column("time", "float64", "when its first task came", unit="s"),
        Column("start", "float64", "when its first task began; NaN before", unit="s"),
        Column("stop", "float64", "when its last task ended; NaN before", unit="s"),
        Column("tasks", "uint32", "how many tasks it has"),
        Column("erred", "uint32", "how many of them erred"),
        Column("nbytes", "float64", "of all results", unit="B"),
        Column("code", "utf8", "the code that sent it", holds=("source", "paths", "hosts")),
    ),
    key="span",
    stop="stop",
    noun="span",
    nouns="spans",
)

FRAMES: Final = Dictionary(
    "frames",
    "An entry is a function that was seen on a stack. The first one is the root of all.",
    (
        Column("name", "utf8", "of the function, or ``in one of: …``", holds=("paths", "hosts")),
        Column("file", "utf8", "its file; empty if unknown", holds=("paths", "hosts")),
        Column("first_line", "uint32", "where the function begins"),
        Column("line", "uint32", "a line where it was seen: an estimate"),
        Column("source", "utf8", "that line", holds=("source", "paths", "hosts")),
    ),
    first=(("", "", 0, 0, ""),),
    noun="function",
    nouns="functions",
)

STACKS: Final = Dictionary(
    "stacks",
    "An entry is a stack: a function, called from another stack, which precedes it.",
    (
        Column("parent", "uint32", "the stack that called it; the root's is itself", into="stacks"),
        Column("frame", "uint32", "the function", into="frames"),
    ),
    limit=1_000_000,
    first=((0, 0),),
    noun="stack",
    nouns="stacks",
)

SCOPES: Final = ("compute", "worker", "scheduler")
"""What ``profile_counts.scope`` points into: threads of tasks, and event loops of processes."""

PROFILE_COUNTS: Final = Series(
    "profile_counts",
    "A row is how often a stack was seen, without what it called.",
    (
        _TIME,
        Column("duration", "float32", "of the time in which it was seen", unit="s"),
        Column("scope", "uint8", "index into SCOPES", combine="key"),
        Column(
            "worker",
            "utf8",
            "address of the worker; empty for the scheduler",
            holds=("hosts",),
            combine="key",
        ),
        _prefix_or_none(),
        Column("stack", "uint32", "what was seen", into="stacks", combine="key"),
        Column("count", "float32", "samples", combine="sum"),
    ),
    ring_bytes=(20_000_000, 16_000_000, 46_000_000, 14_000_000),
    page_bytes=40_000_000,
    noun="count of a stack",
    nouns="counts of stacks",
)

IN_ONE_OF: Final = "in one of: "
"""With this begins the name of a frame that stands for several, since Dask counts no leaves."""

PROFILED: Final = Log(
    "profiled",
    "A row is a process of which the profile is read.",
    (
        Column("worker", "utf8", "address; empty for the scheduler", holds=("hosts",)),
        Column("time", "float64", "from when on it is known", unit="s"),
        Column("until", "float64", "up to when it has been read", unit="s"),
        Column("interval", "float64", "between two samples of the threads of tasks", unit="s"),
        Column(
            "cycle", "float64", "of rows as measured; event loops are seen once in it", unit="s"
        ),
        Column("compute", "utf8", "ok, off, refused, or waiting", holds=()),
        Column("administrative", "utf8", "the same of its event loop; or python-3.11", holds=()),
        Column("lost", "uint32", "cycles that were gone before they were read"),
    ),
    key="worker",
    stop="until",
    noun="profiled process",
    nouns="profiled processes",
)

SUMMARY: Final = "summary"
"""What pages subscribe to beside tables: the figures of the whole, made in Python, sent whole."""


def tables() -> dict[str, Table]:
    """Return every table that this module declares, by name, in order.

    >>> [name for name, table in tables().items() if isinstance(table, Dictionary)]
    ['prefixes', 'lanes', 'actions', 'spans', 'contexts', 'activities', 'units', 'frames', 'stacks']
    """
    found = [value for value in globals().values() if isinstance(value, Table)]
    return {table.name: table for table in found}


FILE_FORMAT: Final = 3
"""Version of ``.daskscope`` files (see docs/recording-format.md)."""

FILE_PART_TASKS: Final = 65_536
FILE_PART_ROWS: Final = 1_000_000
"""So many tasks, and rows of them, one member of a file has at most."""

STATUSES: Final = ("OK", "error")
"""What ``tasks.status`` points into."""

NAME_KINDS: Final = ("prefixes", "lanes", "actions", "spans")
"""The dictionaries that rows of tasks point into."""

OTHER_NAME: Final = "(other)"
"""The last entry of a full list, in place of every later name."""

MAX_NAMES: Final = 60_000
"""Bound of an interned list whose index is uint16. Of actions there are fewer: theirs is uint8."""

KEY_SEPARATOR: Final = "\0"
"""Between two keys of a packed block of keys; a NUL inside a key becomes U+FFFD."""

MAX_KEY_CHARACTERS: Final = 100_000
"""So much of a key an agent keeps, and a page of a key in a file; one more marks what was cut."""

MAX_TEXT_CHARACTERS: Final = 20_000
"""So much of any other text a log keeps."""

STATES: Final = ("live", "waiting", "lost", "partly", "stopped", "no-client")
"""What a session is in, as the toolbar says it (a page adds its own ``paused``)."""

BATCH_KINDS: Final = ("live", "detail", "coarse")
"""Why a batch of rows is sent: it just happened, it is history, it stands for history."""

KERNEL_MESSAGES: Final = (
    "welcome",
    "sessions",
    "status",
    "batch",
    "keys",
    "rows",
    "summary",
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
"""Pace of the stream and bounds of a page; docs/protocol.md has the reasons."""

HEARD_AGAIN_S: Final = LIMITS["ack_ms"] / 1000 + 0.5
"""A page to which something comes is heard after no longer pause, if it can be heard."""


MIN_RECORDING_BYTES: Final = 4_000_000
"""A recording with less has no room for the chunk that it is filling."""


def columns_of(table: Table) -> tuple[Column, ...]:
    """Return the columns of a table as its readers have them.

    Of a step there are least, most and last of an ``extremes`` column; as measured all are equal.

    >>> [column.name for column in columns_of(SYSTEM)][:4]
    ['time', 'workers', 'workers_least', 'workers_most']
    """
    found: list[Column] = []
    for column in table.columns:
        found.append(column)
        if column.combine == "extremes":
            name = column.name
            found += [replace(column, name=f"{name}_{end}", of=name) for end in ("least", "most")]
    if isinstance(table, Dictionary) and table.coloured:
        found.append(Column("colour", "uint8", "slot of its colour"))
    return tuple(found)
