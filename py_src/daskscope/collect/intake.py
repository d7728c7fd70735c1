"""Decodes answers of the agent into a recording: names, rows, events, counts of lost data.

The counterpart of `daskscope.agent.packing`; docs/protocol.md, part A, has the layout.
"""

from __future__ import annotations

import ast
import builtins
import logging
import math
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgpack
import numpy as np
from numpy.typing import NDArray

from daskscope.agent.packing import MAX_MERGED, join_keys
from daskscope.collect.graphs import Graphs
from daskscope.collect.memory import MemoryRows
from daskscope.collect.metrics import MetricRows
from daskscope.recording import UNKNOWN_TASK, Merged, RecordingStore
from daskscope.recording.names import Places
from daskscope.schema import HELD, MEMORY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.collect.sent import SentGraphs

logger = logging.getLogger(__name__)


class Intake:
    """Feeds the answers of one agent to a recording, and keeps the cursors."""

    def __init__(
        self,
        agent: str,
        recording: RecordingStore,
        memory: MemoryRows | None = None,
        sent: SentGraphs | None = None,
        metrics: MetricRows | None = None,
    ) -> None:
        self.agent = agent
        self.cursor = 0
        self.errors = 0
        self.changes = 0
        self.events: int | None = None  # None until the first answer
        self.load: int | None = None
        self.memory: list[int] | None = None  # None makes the agent begin with a row of every key
        self.graphs = 0
        self._graphs = Graphs(recording, sent)
        self._memory = memory or MemoryRows(recording)
        self._metrics = metrics or MetricRows(recording)
        self._metrics.follow_agent()
        self._recording = recording
        self.missed_events = 0
        """Events that the agent dropped between two answers."""
        self.unreadable = 0
        """Tasks that could not be decoded; they count as dropped."""
        self.unreadable_why = ""
        self._not_read_before = recording.not_read  # counts from earlier agents
        self._merged_before = dict(recording.names.merged_before)
        self._first = not recording.names.lanes  # a later agent may send the same names again
        self._places = Places(recording.names)
        self._waiting: list[Mapping[str, Any]] = []  # errors whose tasks have not arrived

    def request(self) -> dict[str, Any]:
        """Return the cursors for the next request."""
        return {
            "cursor": self.cursor,
            "errors": self.errors,
            "changes": self.changes,
            "events": self.events or 0,
            "graphs": self.graphs,
            "load": self.load,
            "memory": self.memory,
            "metrics": self._metrics.cursors,
            "metrics_wanted": True,
            "names": self._places.counts(),
        }

    def take(self, answer: Mapping[str, Any]) -> int:
        """Append the content of an answer; return the number of tasks."""
        take_names(self._places, answer["names"])
        self._take_merged(answer["merged"])
        errors, changes, graphs = answer["errors"], answer["changes"], answer["graphs"]
        workers = self._recording.log("workers")
        self._recording.log("errors").count_dropped(errors["first"] - self.errors)
        workers.count_dropped(changes["first"] - self.changes)
        self._waiting += errors["items"]
        self.errors = errors["first"] + len(errors["items"])
        self.changes = changes["first"] + len(changes["items"])
        self._take_events(answer["events"])
        self._recording.log("computations").count_dropped(graphs["first"] - self.graphs)
        self.graphs = graphs["first"] + len(graphs["items"])
        self._graphs.take(graphs["items"], answer["time"], answer["events"]["items"])
        if "scheduler" in answer:
            self._take_load(answer["scheduler"], answer["time"])
        if answer.get("memory"):
            self._take_memory(answer["memory"], answer["time"])
        before = self.cursor
        for chunk in answer["chunks"]:
            self._take_chunk(chunk)
        if not answer["chunks"]:
            self._skip_to(answer["first"])
        if answer.get("metrics") and "error" in answer["metrics"]:
            self._metrics.error = answer["metrics"]["error"]
        elif answer.get("metrics"):
            self._take_metrics(answer["metrics"], answer["time"])
        self._recording.name_workers(
            {item["worker"]: item["name"] for item in changes["items"] if "name" in item}
        )
        workers.append(item | {"name": ""} for item in changes["items"])  # the log fills in names
        counted = Counter(
            {
                "tasks-incomplete": answer["incomplete"],
                "tasks-unreadable": self.unreadable,
                "events-missed": self.missed_events,
                "metrics-unreadable": self._metrics.unreadable,
            }
        )
        self._recording.not_read = self._not_read_before + counted
        return self.cursor - before

    def _take_merged(self, merged: Mapping[str, int]) -> None:
        for kind, names in merged.items():
            if names:
                most = max(names, self._merged_before[kind].names)
                exact = self._first and names < MAX_MERGED
                self._recording.names.merged_before[kind] = Merged(most, exact)

    def _take_events(self, events: Mapping[str, Any]) -> None:
        if self.events is not None:
            self.missed_events += events["first"] - self.events
        self.events = events["first"] + len(events["items"])
        self._recording.log("events").append(events["items"])

    def _take_load(self, load: Mapping[str, Any], now: float) -> None:
        self.load = load["first"] + len(load["items"])
        if load["items"]:
            time, cpu, memory = zip(*load["items"], strict=True)
            columns = {
                "time": time,
                "cpu": [_measured(value) for value in cpu],
                "memory": [_measured(value) for value in memory],
                "loop_interval": [_measured(load["loop_interval"])] * len(time),
            }
            self._recording.series("system").append(columns, now=now)

    def _take_memory(self, memory: Mapping[str, Any], now: float) -> None:
        whole = self.memory is None
        found: list[list[Array]] = []
        for at, table in enumerate((MEMORY.name, HELD.name)):
            rows = memory[table]
            found.append(_unpacked(rows))
            if self.memory is not None:
                dropped = rows["first"] - self.memory[at]
                self._recording.series(table).count_dropped(dropped)
        measured, held = found
        self._memory.take(measured, dict(memory["workers"]), now, whole=whole)
        held[1] = self._places.of("prefixes", held[1])
        self._memory.take_held(held, now, whole=whole)
        tables = zip((MEMORY.name, HELD.name), found, strict=True)
        self.memory = [memory[table]["first"] + len(rows[0]) for table, rows in tables]

    def _take_metrics(self, found: Mapping[str, Any], now: float) -> None:
        rows = {
            name: (found[name]["first"], _unpacked(found[name]))
            for name in ("totals", "metrics", "states")
            if found[name]
        }
        self._metrics.take({**found, **rows}, self._places, now)

    def _take_chunk(self, chunk: Mapping[str, Any]) -> None:
        try:
            tasks = decode(chunk, self._places, self._graphs)
        except ValueError as error:  # a retry would fail again, so skip the chunk
            logger.exception("daskscope cannot read what the scheduler's agent sent")
            stop = chunk["first"] + chunk["tasks"]
            self.unreadable += stop - max(self.cursor, chunk["first"])
            self.unreadable_why = str(error)
            self._skip_to(stop)
        else:
            self._take_tasks(tasks)

    def _take_tasks(self, tasks: Tasks) -> None:
        self._skip_to(tasks.first)
        rowless = tasks.rowless if len(tasks.rowless["prefix"]) else None
        stop = tasks.first + tasks.tasks
        ready = [error for error in self._waiting if error["task"] < stop]
        self._waiting = [error for error in self._waiting if error["task"] >= stop]
        with self._recording.together():
            first = self._recording.append_tasks(
                tasks.tasks, tasks.columns, tasks.keys, rowless=rowless
            )
            self._metrics.note_tasks(tasks.columns)
            self.cursor = stop
            self._recording.log("errors").append(
                self._error(error, first - tasks.first, tasks.first) for error in ready
            )

    def _skip_to(self, first: int) -> None:
        if first > self.cursor:
            self._recording.drop_from_agent(first - self.cursor)
            self.cursor = first

    def _error(self, error: Mapping[str, Any], offset: int, oldest: int) -> dict[str, Any]:
        task = error["task"]
        return {
            **error,
            "task": task + offset if task >= oldest else UNKNOWN_TASK,
            "prefix": self._recording.names.intern("prefixes", error["prefix"]),
            "traceback": whole_traceback(error["traceback"], error["exception"]),
        }


def _unpacked(rows: Mapping[str, Any]) -> list[Array]:
    """Return columns from their bytes."""
    packed = zip(rows["columns"], rows["format"], strict=True)
    return [np.frombuffer(column, _DTYPES[code]) for column, code in packed]


def _measured(value: Any) -> float:
    """Return a measurement of the scheduler; NaN if it has none."""
    return math.nan if value is None else float(value)


Array = NDArray[Any]

TASK_COLUMNS: Final = ("rows", "place", "lane", "status", "nbytes", "graph")
ROW_COLUMNS: Final = ("start", "stop", "action")

_DTYPES: Final = {code: np.dtype(f"<{code}") for code in "BHIiqfd"}


@dataclass(frozen=True, slots=True)
class Tasks:
    """Consecutive tasks in the form of `RecordingStore.append_tasks`."""

    first: int  # number in the agent
    tasks: int
    columns: Mapping[str, Array]
    rowless: Mapping[str, Array]
    keys: bytes


def take_names(places: Places, names: Mapping[str, Sequence[Any]]) -> None:
    """Add the new names of an answer."""
    for kind, items in names.items():
        for item in items:
            # A span is sent as a flat list: its id, then its names from the outermost one.
            places.add(kind, (item[0], tuple(item[1:])) if kind == "spans" else item)


class ColumnReader:
    """Reads columns in order; raises `ValueError` if the data does not fit."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0

    def bytes(self, size: int) -> bytes:
        """Read `size` bytes."""
        part = self._data[self._offset : self._offset + size]
        if len(part) < size:
            raise ValueError("the data end too early")
        self._offset += size
        return part

    def column(self, code: str, length: int) -> Array:
        """Read the planes of a column, lowest bytes first."""
        dtype = _DTYPES[code]
        planes = np.empty((length, dtype.itemsize), np.uint8)
        for place in range(dtype.itemsize):
            alike = self.bytes(1) == b"\1"
            planes[:, place] = np.frombuffer(self.bytes(1 if alike else length), np.uint8)
        return planes.view(dtype).reshape(length)


def _columns(chunk: Mapping[str, Any]) -> dict[str, Array]:
    data = ColumnReader(chunk["data"])
    return {
        name: data.column(code, chunk["tasks" if name in TASK_COLUMNS else "rows"])
        for name, code in zip(TASK_COLUMNS + ROW_COLUMNS, chunk["format"], strict=True)
    }


def _keys(chunk: Mapping[str, Any]) -> bytes:
    """Return the block of keys in the form of recordings: NUL-separated text, zlib."""
    block: bytes = chunk["keys"]
    if chunk["key_encoding"] == "text":
        return block
    # Tuples are not sent as text, since the conversion would cost the scheduler too much.
    keys: Sequence[Any]
    if chunk["key_encoding"] == "columns":
        keys = _tuples(block, chunk["tasks"])
    else:
        keys = msgpack.unpackb(zlib.decompress(block), use_list=False, strict_map_key=False)
    return zlib.compress(join_keys(keys), 1)


def _tuples(block: bytes, tasks: int) -> list[tuple[Any, ...]]:
    """Return tuples from columns: for each length, names, indexes of names, and other values."""
    lengths, *parts = msgpack.unpackb(block, use_list=False, strict_map_key=False)
    lengths *= tasks if len(lengths) == 1 else 1
    left = {}
    for length, (names, places, columns) in zip(sorted(set(lengths)), parts, strict=True):
        places *= lengths.count(length) if len(places) == 1 else 1
        heads = [names[place] for place in places]
        left[length] = list(zip(heads, *columns, strict=True))[::-1]
    keys = [left[length].pop() for length in lengths]
    if len(keys) != tasks or any(left.values()):
        raise ValueError("its keys are not those of its tasks")
    return keys


def decode(chunk: Mapping[str, Any], places: Places, graphs: Graphs) -> Tasks:
    """Return the tasks of one chunk; raise `ValueError` if it is malformed."""
    try:
        packed = _columns(chunk)
        prefix = places.of("prefixes", packed["place"] & 0xFFFF)
        lane = places.of("lanes", packed["lane"])
        span = places.of("spans", packed["place"] >> 16)
        action = places.of("actions", packed["action"])
        keys = _keys(chunk)
    except (
        zlib.error,
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        msgpack.UnpackException,
    ) as error:
        raise ValueError(f"a chunk of the agent cannot be read: {error!r}") from error
    rows = packed["rows"].astype(np.int64)
    if int(rows.sum()) != chunk["rows"]:
        raise ValueError("a chunk of the agent has rows that belong to no task")
    task = np.repeat(np.arange(len(rows), dtype=np.uint32), rows)
    status = packed["status"]
    nowhere = rows == 0
    with np.errstate(over="ignore", invalid="ignore"):  # workers may send nonsense times
        duration = (packed["stop"] - packed["start"]).astype(np.float32)
    return Tasks(
        first=chunk["first"],
        tasks=chunk["tasks"],
        columns={
            "start": packed["start"],
            "duration": duration,
            "lane": lane[task],
            "prefix": prefix[task],
            "action": action.astype(np.uint8),
            "status": status[task],
            "nbytes": packed["nbytes"].astype(np.float64)[task],
            "span": span[task],
            "task": task,
            "computation": graphs.numbers(packed["graph"])[task],
        },
        rowless={"prefix": prefix[nowhere], "status": status[nowhere]},
        keys=keys,
    )


HEADER: Final = "Traceback (most recent call last):"

_CALL: Final = re.compile(r"([A-Za-z_][\w.]*)\((.*)\)", re.DOTALL)


def whole_traceback(frames: str, exception: str) -> str:
    r"""Return the traceback with its header and its last line; "" without known frames.

    >>> print(whole_traceback('  File "a.py", line 1, in f\n    x / 0\n', "ValueError('no')"))
    Traceback (most recent call last):
      File "a.py", line 1, in f
        x / 0
    ValueError: no
    """
    if not frames.strip():
        return ""
    frames = frames.rstrip("\n")
    head = "" if frames.startswith(HEADER) else HEADER + "\n"
    return f"{head}{frames}\n{last_line(exception)}"


def last_line(exception: str) -> str:
    """Convert the `repr` of an exception into the last line of a traceback.

    >>> last_line("KeyError('x')"), last_line("FileNotFoundError(2, 'No such file')")
    ("KeyError: 'x'", 'FileNotFoundError: [Errno 2] No such file')
    >>> last_line("KeyboardInterrupt()"), last_line("<an error with a repr of its own>")
    ('KeyboardInterrupt', '<an error with a repr of its own>')
    """
    call = _CALL.fullmatch(exception)
    if call is None:
        return exception
    name = call[1]
    try:
        arguments = ast.literal_eval(f"[{call[2]}]")
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return f"{name}: {call[2]}"
    message = _message(name, arguments)
    return f"{name}: {message}" if message else name


def _message(name: str, arguments: list[Any]) -> str:
    """Return the `str` of an exception, for exceptions of Python."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, BaseException):
        try:
            return str(kind(*arguments))
        except (TypeError, ValueError):
            pass
    return str(arguments[0]) if len(arguments) == 1 else str(tuple(arguments) or "")
