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

``source`` is code as a whole, ``code`` is single lines of it in a traceback or a log.
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
    """The column of which this is the least or the most in a step; as measured all are equal."""


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

STEP: Final = Column("step", "uint16", "length of the step; 0 is as measured", unit="s")
"""What readers of a series get beside its columns."""


def _text(name: str, doc: str, *holds: Private, combine: Combine | None = None) -> Column:
    return Column(name, "utf8", doc, holds=holds, combine=combine)


_TIME: Final = Column("time", "float64", "when", unit="s")
_WORKER: Final = _text("worker", "address of the worker", "hosts")

PREFIXES: Final = Dictionary(
    "prefixes",
    "An entry is a prefix of keys, by which Dask groups tasks.",
    (_text("name", "the prefix", "paths", "hosts"),),
    coloured=True,
    noun="prefix",
    nouns="prefixes",
)

LANES: Final = Dictionary(
    "lanes",
    "An entry is a thread of a worker.",
    (
        _WORKER,
        _text("thread", "``threading.get_ident()`` of the thread: unique within its worker"),
    ),
    noun="thread of a worker",
    nouns="threads of workers",
)

ACTIONS: Final = ("compute", "transfer", "disk-read", "disk-write", "deserialize")
"""The first entries of the dictionary of actions; others follow in order of arrival."""

ACTION_NAMES: Final = Dictionary(
    "actions",
    "An entry is what a task did in an interval.",
    (_text("name", "compute, transfer, disk-read, …", "paths", "hosts"),),
    limit=128,  # an index fits into seven bits: pages have no more room in a row
    first=tuple((action,) for action in ACTIONS),
    noun="action",
    nouns="actions",
)

SPANS: Final = Dictionary(
    "spans",
    "An entry is a span of Dask. The first one means no span.",
    (
        _text("id", "id of the span on the scheduler"),
        Column(
            "name",
            "texts",
            "its name, after the names of the spans around it",
            holds=("paths", "hosts"),
        ),
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
        Column("duration", "float32", "how long it took; negative if clocks disagree", unit="s"),
        Column("lane", "uint16", "the thread of a worker", into="lanes"),
        Column("prefix", "uint16", "the task's prefix", into="prefixes"),
        Column(
            "action", "uint8", "what the task did: compute, transfer, disk-read, …", into="actions"
        ),
        Column("status", "uint8", "status of the whole task: OK or error"),
        Column("nbytes", "float32", "size of the task's result", unit="B"),
        Column("span", "uint16", "the task's span; empty without one", into="spans"),
        Column(
            "task",
            "uint32",
            "number of the task in this recording; a key may run more than once",
            into="tasks",
        ),
        Column(
            "computation",
            "uint16",
            "number of the graph, as in ``computations``; 0: unknown, 1: recomputed",
        ),
    ),
)

COARSE: Final = (
    Column("start", "float64", "seconds since the epoch, scheduler's clock", unit="s"),
    Column("duration", "float32", "length of the summary block", unit="s"),
    Column("lane", "uint16", "a worker thread", into="lanes"),
    Column("prefix", "uint16", "the prefix that took most of the block", into="prefixes"),
    Column("busy", "float32", "how long the lane was busy in the block", unit="s"),
    Column("rows", "uint32", "how many rows of tasks the block summarises"),
    Column("erred", "uint8", "1 if a task of the block failed"),
)
"""Columns of the preview of tasks: a row is one summary block of one lane."""

ERRORS: Final = Log(
    "errors",
    "A row is a task that failed.",
    (
        Column("time", "float64", "when the task stopped", unit="s"),
        _text("key", "the task's key", "paths", "hosts"),
        Column("prefix", "uint16", "the task's prefix", into="prefixes"),
        _WORKER,
        _text("exception", "type and text of the exception", "code", "paths", "hosts"),
        _text("traceback", "the whole traceback", "code", "paths", "hosts"),
        Column("task", "int64", "number of the task, as in ``tasks``", into="tasks"),
    ),
    rows=1_000,
    noun="error",
    nouns="errors",
)

WORKERS: Final = Log(
    "workers",
    "A row is a worker that was there at the start, joined, changed its status or left.",
    (
        _TIME,
        _text("worker", "address of the worker; empty for all workers", "hosts"),
        _text("name", "the name that panels show", "hosts"),
        _text("what", "present, added, removed, a status, spilling, …"),
        _text("detail", "thread count when it joined, or its previous status", "paths", "hosts"),
    ),
    noun="change of a worker",
    nouns="changes of workers",
)

EVENTS: Final = Log(
    "events",
    "A row is an event logged on the scheduler by Dask or by ``log_event``.",
    (
        _TIME,
        _text("topic", "topic, or several separated by commas", "paths", "hosts"),
        _text("message", "the event as JSON", "code", "paths", "hosts"),
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
        Column("time", "float64", "when, by the clock of the process that logged it", unit="s"),
        _text("source", "``scheduler``, or the address of a worker", "hosts"),
        _text("level", "level: INFO, WARNING, …"),
        _text("text", "the line", "code", "paths", "hosts"),
    ),
    rows=50_000,
    noun="line of a log",
    nouns="lines of logs",
)

GAPS: Final = Log(
    "gaps",
    "A row is an interval in which tasks may be missing.",
    (
        Column("start", "float64", "start of the interval", unit="s"),
        Column("stop", "float64", "end of the interval", unit="s"),
        _text("reason", "code of the reason"),
        _text("text", "the reason in words", "paths", "hosts"),
    ),
    rows=1_000,
    time="start",
    stop="stop",
    noun="gap",
    nouns="gaps",
)

ROWLESS: Final = Log(
    "rowless",
    "A row is a task without an interval in ``tasks``, because its worker was killed.",
    (
        Column("task", "int64", "number of the task, as in ``tasks``", into="tasks"),
        Column("prefix", "uint16", "the task's prefix", into="prefixes"),
        Column("status", "uint8", "0: OK, 1: error"),
    ),
    rows=100_000,
    time="",
    noun="task that ran nowhere",
    nouns="tasks that ran nowhere",
)

SYSTEM: Final = Series(
    "system",
    "A row is a sample of the cluster or of the scheduler; NaN means not measured.",
    (
        _TIME,
        Column("workers", "float64", "number of workers", combine="extremes"),
        Column("threads", "float64", "number of threads", combine="extremes"),
        Column(
            "memory_limit",
            "float64",
            "memory limit of all workers together",
            unit="B",
            combine="extremes",
        ),
        Column(
            "process", "float64", "memory of all worker processes", unit="B", combine="extremes"
        ),
        Column("managed", "float64", "results in memory of workers", unit="B", combine="extremes"),
        Column(
            "spilled",
            "float64",
            "results that workers spilled to disk",
            unit="B",
            combine="extremes",
        ),
        Column(
            "replicas",
            "float64",
            "additional copies of results on other workers",
            unit="B",
            combine="extremes",
        ),
        Column("scattered", "float64", "data that clients scattered", unit="B", combine="extremes"),
        Column("cpu", "float64", "CPU of the scheduler, of a core", unit="%", combine="extremes"),
        Column(
            "memory", "float64", "memory of the scheduler process", unit="B", combine="extremes"
        ),
        Column(
            "loop_interval",
            "float64",
            "time between two ticks of the scheduler's event loop",
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
"""``memory.status`` is an index into this; the first entry means another status, or the cluster."""


def _bytes(name: str, doc: str) -> Column:
    return Column(name, "float32", doc, unit="B", combine="extremes")


MEMORY: Final = Series(
    "memory",
    "A row is the memory of a worker or of the whole cluster, written when a measure changed.",
    (
        _TIME,
        _text("worker", "address of the worker; empty for the cluster", "hosts", combine="key"),
        _bytes("process", "memory of the worker process"),
        _bytes("managed", "results in memory"),
        _bytes("managed_total", "results in memory and on disk"),
        _bytes("spilled", "results on disk"),
        _bytes("unmanaged", "memory of the process other than results"),
        _bytes("unmanaged_old", "the part of unmanaged that is older than 30 s"),
        _bytes("unmanaged_recent", "the part of unmanaged from the last 30 s"),
        _bytes("optimistic", "managed + unmanaged_old"),
        _bytes("limit", "memory limit; NaN without one"),
        Column("cpu", "float32", "CPU of the process, of a core", unit="%", combine="extremes"),
        Column(
            "status",
            "uint8",
            "0: other, 1: running, 2: paused, 3: closing_gracefully, 4: closing, 5: init",
            combine="last",
        ),
    ),
    lasts=True,
    ring_bytes=(100_000_000, 100_000_000, 40_000_000, 10_000_000),
    page_bytes=40_000_000,
)

HELD: Final = Series(
    "held",
    "A row is the size of a prefix's results in memory, written when it changed.",
    (
        _TIME,
        Column("prefix", "uint16", "the prefix", into="prefixes", combine="key"),
        _bytes("bytes", "size of its results; replicas are not counted"),
    ),
    lasts=True,
)

SAMPLES: Final = Series(
    "samples",
    "A row is a sample of a ``MemorySampler``.",
    (
        _TIME,
        _text("label", "label of the sample", "paths", "hosts", combine="key"),
        _text("measure", "what was measured: process, managed, …", combine="key"),
        _bytes("cluster", "sum of all workers"),
        _bytes("least", "lowest value among the workers"),
        _bytes("median", "median of the workers"),
        _bytes("most", "highest value among the workers"),
        _bytes("limit", "memory limit of all workers together; NaN without one"),
    ),
    ring_bytes=(20_000_000, 20_000_000, 10_000_000, 5_000_000),
    page_bytes=40_000_000,
)

CONTEXTS: Final = Dictionary(
    "contexts",
    "An entry is a context of a metric: execute, gather-dep, get-data, memory-monitor, p2p-…",
    (_text("name", "the context", "paths", "hosts"),),
    limit=255,  # an index fits into uint8
    first=(("execute",), ("gather-dep",), ("get-data",), ("memory-monitor",)),
    noun="context",
    nouns="contexts",
)

ACTIVITIES: Final = Dictionary(
    "activities",
    "An entry is an activity of a metric, as named by distributed or by the user.",
    (_text("name", "thread-cpu, disk-read, …", "paths", "hosts"),),
    coloured=True,
    noun="activity",
    nouns="activities",
)

BESIDE_TASKS: Final = ("executor", "other")
"""Activities of ``execute`` outside of the intervals in ``tasks``: no thread is busy then."""

UNITS: Final = Dictionary(
    "units",
    "An entry is the unit of a metric.",
    (_text("name", "seconds, bytes, count, …", "paths", "hosts"),),
    limit=255,
    first=(("seconds",), ("bytes",), ("count",)),
    noun="unit",
    nouns="units",
)


def _prefix_or_none() -> Column:
    return Column("prefix", "uint16", "the prefix; empty for none", into="prefixes", combine="key")


METRICS: Final = Series(
    "metrics",
    "A row is the growth of one of Dask's Fine Performance Metrics in an interval.",
    (
        _TIME,
        Column("duration", "float32", "length of the interval", unit="s"),
        Column("context", "uint8", "where it was measured", into="contexts", combine="key"),
        _prefix_or_none(),
        Column(
            "activity",
            "uint16",
            "what the time or the bytes were spent on",
            into="activities",
            combine="key",
        ),
        Column("span", "uint16", "the span; empty for none", into="spans", combine="key"),
        Column("unit", "uint8", "unit of the value", into="units", combine="key"),
        Column("value", "float64", "by how much the metric grew", combine="sum"),
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
    "A row counts the tasks in each state, for a prefix, a worker or in total (both empty), "
    "written when a number changed.",
    (
        _TIME,
        _prefix_or_none(),
        _text("worker", "address of the worker; empty for none", "hosts", combine="key"),
        _tasks_in("waiting", "tasks that wait for other tasks"),
        _tasks_in("queued", "tasks that wait on the scheduler for a free thread"),
        _tasks_in("no_worker", "tasks that wait for a worker that may run them"),
        _tasks_in("processing", "tasks assigned to workers, including those that execute"),
        _tasks_in("executing", "tasks that run in a thread"),
        _tasks_in("fetching", "inputs that workers are fetching; not by prefix"),
        _tasks_in("memory", "tasks whose results are in memory"),
        Column(
            "start",
            "float64",
            "mean time at which the executing tasks began",
            unit="s",
            combine="last",
        ),
        Column(
            "earliest",
            "float64",
            "when the first of the executing tasks began",
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
"""Names of their cells, by the number."""

COMPUTATIONS: Final = Log(
    "computations",
    "A row is a graph that a client sent; after 60,000 graphs, all further ones share a row.",
    (
        Column("computation", "uint16", "number of the graph, as in ``tasks``; never 0 or 1"),
        Column("time", "float64", "when it was sent", unit="s"),
        Column("stop", "float64", "when the scheduler had read the graph; NaN before", unit="s"),
        Column("graphs", "uint32", "number of graphs in this row"),
        Column("tasks", "uint32", "number of tasks in these graphs"),
        _text("client", "id of the client", "hosts"),
        _text("cell", "the notebook cell that sent the graph, such as ``In [7]``; empty for none"),
        _text("code", "the code that sent the graph", "source", "paths", "hosts"),
    ),
    rows=60_000,
    key="computation",
    stop="stop",
    noun="graph",
    nouns="graphs",
)

CELLS: Final = Log(
    "cells",
    "A row is a notebook cell that was executed.",
    (
        _text("cell", "name of the cell, such as ``In [7]``"),
        Column("time", "float64", "when the cell began", unit="s"),
        Column("stop", "float64", "when the cell ended; NaN while it runs", unit="s"),
        _text("status", "running, ok, error or interrupted"),
        _text("id", "id of the cell in the notebook"),
        _text("code", "text of the cell", "source", "paths", "hosts"),
    ),
    key="cell",
    stop="stop",
    noun="cell",
    nouns="cells",
)

SPAN_TIMES: Final = Log(
    "span_times",
    "A row is a span; tasks of the spans inside it are not counted.",
    (
        Column("span", "uint16", "the span", into="spans"),
        Column("parent", "uint16", "the span around it; empty for none", into="spans"),
        Column("time", "float64", "when its first task arrived", unit="s"),
        Column("start", "float64", "when its first task began; NaN before", unit="s"),
        Column("stop", "float64", "when its last task ended; NaN before", unit="s"),
        Column("tasks", "uint32", "number of its tasks"),
        Column("erred", "uint32", "number of its tasks that failed"),
        Column("nbytes", "float64", "size of all its results", unit="B"),
        _text("code", "the code that sent its tasks", "source", "paths", "hosts"),
    ),
    key="span",
    stop="stop",
    noun="span",
    nouns="spans",
)

FRAMES: Final = Dictionary(
    "frames",
    "An entry is a function that was sampled. The first entry is the root.",
    (
        _text(
            "name",
            "name of the function, or ``in one of: …`` if Dask's data is ambiguous",
            "paths",
            "hosts",
        ),
        _text("file", "file of the function; empty if unknown", "paths", "hosts"),
        Column("first_line", "uint32", "first line of the function"),
        Column("line", "uint32", "a line where the function was sampled"),
        _text("source", "source code of that line", "source", "paths", "hosts"),
    ),
    first=(("", "", 0, 0, ""),),
    noun="function",
    nouns="functions",
)

STACKS: Final = Dictionary(
    "stacks",
    "An entry is a stack: a function and the stack that called it, which is an earlier entry.",
    (
        Column(
            "parent",
            "uint32",
            "number of the stack that called it; the root has its own number",
            into="stacks",
        ),
        Column("frame", "uint32", "number of the function", into="frames"),
    ),
    limit=1_000_000,
    first=((0, 0),),
    noun="stack",
    nouns="stacks",
)

SCOPES: Final = ("compute", "worker", "scheduler")
"""``profile_counts.scope`` is an index into this: threads that run tasks, and event loops."""

PROFILE_COUNTS: Final = Series(
    "profile_counts",
    "A row is the number of samples of a stack, without those of the functions that it called.",
    (
        _TIME,
        Column("duration", "float32", "length of the interval", unit="s"),
        Column(
            "scope",
            "uint8",
            "0: threads that run tasks, 1: event loop of a worker, 2: that of the scheduler",
            combine="key",
        ),
        _text("worker", "address of the worker; empty for the scheduler", "hosts", combine="key"),
        _prefix_or_none(),
        Column("stack", "uint32", "number of the stack", into="stacks", combine="key"),
        Column("count", "float32", "number of samples", combine="sum"),
    ),
    ring_bytes=(20_000_000, 16_000_000, 46_000_000, 14_000_000),
    page_bytes=40_000_000,
    noun="count of a stack",
    nouns="counts of stacks",
)

IN_ONE_OF: Final = "in one of: "
"""Begins the name of a frame that stands for several functions, because Dask counts no leaves."""

PROFILED: Final = Log(
    "profiled",
    "A row is a process whose profile is read.",
    (
        _text("worker", "address of the worker; empty for the scheduler", "hosts"),
        Column("time", "float64", "start of its profile", unit="s"),
        Column("until", "float64", "how far its profile has been read", unit="s"),
        Column(
            "interval",
            "float64",
            "time between two samples of the threads that run tasks",
            unit="s",
        ),
        Column(
            "cycle",
            "float64",
            "length of a row as measured; an event loop is sampled once per row",
            unit="s",
        ),
        _text("compute", "state of the profile of tasks: ok, off, refused or waiting"),
        _text("administrative", "the same for its event loop, or python-3.11 (not sampled)"),
        Column("lost", "uint32", "cycles that were lost before they were read"),
    ),
    key="worker",
    stop="until",
    noun="profiled process",
    nouns="profiled processes",
)

SUMMARY: Final = "summary"
"""Pages subscribe to it like to a table: the figures of the whole run, computed in Python."""


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
"""The most tasks, and rows of them, in one member of a file."""

STATUSES: Final = ("OK", "error")
"""``tasks.status`` is an index into this."""

NAME_KINDS: Final = ("prefixes", "lanes", "actions", "spans")
"""The dictionaries that rows of tasks point into."""

OTHER_NAME: Final = "(other)"
"""The last entry of a full list, in place of every later name."""

MAX_NAMES: Final = 60_000
"""Bound of an interned list whose index is uint16. Of actions there are fewer: theirs is uint8."""

KEY_SEPARATOR: Final = "\0"
"""Between two keys of a packed block of keys; a NUL inside a key becomes U+FFFD."""

MAX_KEY_CHARACTERS: Final = 100_000
"""The most characters of a key in an agent, and in a page that reads a file; one more is a cut."""

MAX_TEXT_CHARACTERS: Final = 20_000
"""The most characters of any other text in a log."""

STATES: Final = ("live", "waiting", "lost", "partly", "stopped", "no-client")
"""The state of a session, as the toolbar shows it (a page adds ``paused``)."""

BATCH_KINDS: Final = ("live", "detail", "coarse")
"""Why a batch of rows is sent: it is new, it is history, or it is a preview of history."""

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
"""A page that gets messages acknowledges them within this time, if its answers can arrive."""


MIN_RECORDING_BYTES: Final = 4_000_000
"""With less, a recording has no room for the chunk that it is filling."""


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
        found.append(Column("colour", "uint8", "number of its colour in panels"))
    return tuple(found)
