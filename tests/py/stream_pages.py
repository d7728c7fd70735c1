"""A page and a session for tests of the stream, without comms and without a cluster."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from daskscope.focus import SharedFocus
from daskscope.schema import (
    COARSE,
    PROTOCOL,
    SUMMARY,
    TASKS,
    Column,
    Dictionary,
    Log,
    Series,
    columns_of,
    tables,
)
from daskscope.wire import ALIGNMENT, TEXTS, packed_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daskscope.recording import RecordingStore


class PlainSession(SharedFocus):
    """What the stream sees of a session, around a recording that the test fills."""

    _listed = True

    def __init__(self, recording: RecordingStore, session_id: str = "session-1") -> None:
        super().__init__()
        self.id = session_id
        self.recording = recording
        self.name, self.address = "LocalCluster", "tcp://127.0.0.1:8786"
        self.state = "live"
        self.notices: tuple[Any, ...] = ()
        self.workers: tuple[dict[str, Any], ...] = ({"address": "tcp://w", "threads": 2},)
        self.now: float | None = 1_700_000_000.0
        self.behind_s = 0.0
        self.figures: dict[str, Any] = {"title": "", "tasks": {"captured": 0}}
        self.summaries = 0
        self.callbacks: list[Any] = []
        self.wanted: frozenset[str] = frozenset()

    _set_focus_soon = SharedFocus._set_focus

    def summary(self) -> dict[str, Any]:
        self.summaries += 1
        return self.figures

    def _set_shown_tables(self, tables: frozenset[str]) -> None:
        self.wanted = tables

    def on_change(self, callback: Any) -> Any:
        self.callbacks.append(callback)
        return lambda: self.callbacks.remove(callback)

    def changed(self) -> None:
        for callback in list(self.callbacks):
            callback(self)


class FakeLoop:
    """An event loop that the test turns: time moves only when `run` says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.timers: list[Any] = []
        self.holders: set[object] = set()

    def hold(self, holder: object) -> FakeLoop:
        self.holders.add(holder)
        return self

    def drop(self, holder: object) -> None:
        self.holders.discard(holder)

    def is_closed(self) -> bool:
        return False

    def call_soon_threadsafe(self, function: Any, *args: Any) -> None:
        function(*args)

    def call_later(self, delay_s: float, function: Any, *args: Any) -> Any:
        timer = _Timer(self, self.now + delay_s, function, args)
        self.timers.append(timer)
        return timer

    def clock(self) -> float:
        return self.now

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while True:
            due = [timer for timer in self.timers if timer.at <= end]
            if not due:
                break
            timer = min(due, key=lambda timer: timer.at)
            self.timers.remove(timer)
            self.now = max(self.now, timer.at)
            timer.function(*timer.args)
        self.now = end


class _Timer:
    def __init__(self, loop: FakeLoop, at: float, function: Any, args: Any) -> None:
        self.loop, self.at, self.function, self.args = loop, at, function, args

    def cancel(self) -> None:
        if self in self.loop.timers:
            self.loop.timers.remove(self)


def unpacked(
    declared: Sequence[Column], rows: int, buffer: bytes, *, numbered: bool = False
) -> dict[str, Any]:
    """Return the columns of numbers of a message, as a page reads them."""
    columns = [Column("", "float64", "")] * numbered + list(declared)
    found, at = {}, 0
    for column in columns:
        if column.type in TEXTS:
            continue
        dtype = packed_type(column)
        found[column.name] = np.frombuffer(buffer, dtype, rows, at)
        at += rows * dtype.itemsize
        at += -at % ALIGNMENT
    assert at == len(buffer)
    return found


class TableStub:
    """What a page keeps of a table and ring: rows by their numbers, as the kernel keeps them."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[str, Any]] = {}
        self.covered: Counter[int] = Counter()
        self.oldest = self.dropped = 0

    def take(self, message: dict[str, Any], buffers: Any) -> None:
        table, count = tables()[message["table"]], message["rows"]
        measured = isinstance(table, Series) and message["ring"] == 0
        declared = table.columns if measured else columns_of(table)
        packed = b"".join(bytes(buffer) for buffer in buffers)
        columns = unpacked(declared, count, packed, numbered=message["numbered"])
        first = message["first"]
        numbers = columns.pop("", range(first, first + count))
        columns |= message["texts"]
        assert {len(column) for column in columns.values()} <= {count}
        assert set(columns) == {column.name for column in declared}
        for place, number in enumerate(numbers):
            assert first <= number < first + message["count"]
            cells = {name: column[place] for name, column in columns.items()}
            self.rows[int(number)] = {
                name: tuple(cell) if isinstance(cell, list) else cell
                for name, cell in cells.items()
            }
        self.covered.update(range(max(first, message["oldest"]), first + message["count"]))
        self.oldest = max(self.oldest, message["oldest"])
        self.dropped = max(self.dropped, message["dropped"])
        kept = sorted(number for number in self.rows if number >= self.oldest)
        if isinstance(table, Log) and table.group:
            groups: dict[Any, list[int]] = {}
            for number in kept:
                groups.setdefault(self.rows[number][table.group], []).append(number)
            kept = sorted(n for group in groups.values() for n in group[-table.group_rows :])
        self.rows = {number: self.rows[number] for number in kept}


EVERYTHING = (*tables(), SUMMARY)
TASK_STREAM = ("errors", "gaps", "tasks", "workers")
"""What the panel of that name subscribes to."""


class PageStub:
    """Behaves as a page does: numbers, acks, columns. `lose` drops messages."""

    def __init__(self, hub: Any, channel: Any, page_id: str = "page-1") -> None:
        self.hub, self.channel, self.id = hub, channel, page_id
        self.messages: list[dict[str, Any]] = []
        self.highest = 0
        self.missing: set[int] = set()
        self.covered: Counter[int] = Counter()
        self.rows: list[Any] = []
        self.received_bytes = 0
        self.keys: dict[int, bytes] = {}
        self.keys_may_repeat = False
        self.tables: dict[tuple[str, int], TableStub] = {}
        self.acks = True
        self.lose: Any = lambda _: False
        self.lock = threading.Lock()

    def take(self, message: dict[str, Any], buffers: Any) -> None:
        if message.get("page") not in (None, self.id) or self.lose(message):
            return
        with self.lock:
            self.messages.append(message)
            self.received_bytes += sum(len(buffer) for buffer in buffers)
            if message["type"] == "welcome" and not message["resumed"]:
                self.restart()
            seq = message.get("seq")
            if seq is None:
                last = message.get("last_seq", 0)
                self.missing.update(range(self.highest + 1, last + 1))
                self.highest = max(self.highest, last)
                return
            if seq <= self.highest and seq not in self.missing:
                return
            self.missing.discard(seq)
            self.missing.update(range(self.highest + 1, seq))
            self.highest = max(self.highest, seq)
            if message["type"] == "batch":
                is_coarse = message["kind"] == "coarse"
                declared = COARSE if is_coarse else TASKS.columns
                columns = unpacked(declared, message["rows"], bytes(buffers[0]))
                if not is_coarse:
                    self.rows.append(pa.table(columns))
                    stop = message["first"] + message["tasks"]
                    self.covered.update(range(message["first"], stop))
            elif message["type"] == "keys":
                for block, buffer in zip(message["blocks"], buffers, strict=True):
                    assert block["bytes"] == len(buffer)
                    for task in range(block["first"], block["first"] + block["tasks"]):
                        known = task in self.keys and not self.keys_may_repeat
                        assert not known, "a key came twice"
                        self.keys[task] = bytes(buffer)
            elif message["type"] == "rows":
                key = message["table"], message["ring"]
                self.tables.setdefault(key, TableStub()).take(message, buffers)

    def table(self, name: str, ring: int = 0) -> list[dict[str, Any]]:
        """Return the rows of a table that are here, in order."""
        return list(self.tables.get((name, ring), TableStub()).rows.values())

    def names(self, dictionary: str) -> list[Any]:
        """Return the entries of a dictionary: texts where it has one column."""
        table = tables()[dictionary]
        assert isinstance(table, Dictionary)
        cells = [tuple(row[name] for name in table.names) for row in self.table(dictionary)]
        return [entry if len(entry) > 1 else entry[0] for entry in cells]

    def give_up(
        self, session: str = "session-1", have: Any = (), tables: Sequence[str] = TASK_STREAM
    ) -> None:
        """Stop waiting for what is missing, as a page does after a while."""
        self.missing.clear()
        self.keys_may_repeat = True
        self.ack(session)
        fields = {"visible": True, "tables": list(tables), "have": [list(r) for r in have]}
        self.say("watch", session=session, restart=True, **fields)

    def restart(self) -> None:
        """Begin a new count, as a page does."""
        self.highest = 0
        self.missing.clear()
        self.keys.clear()

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == kind]

    def say(self, kind: str, **fields: Any) -> None:
        self.hub.receive(self.channel, {"type": kind, "page": self.id, **fields})

    def hello(self, protocol: int = PROTOCOL) -> None:
        self.say("hello", protocol=protocol, version="0.1.0")

    def watch(
        self,
        session: str = "session-1",
        visible: bool = True,
        have: Any = (),
        setting: int = 0,
        tables: Sequence[str] = TASK_STREAM,
    ) -> None:
        ranges = [list(r) for r in have]
        fields = {"visible": visible, "tables": list(tables), "have": ranges, "setting": setting}
        self.say("watch", session=session, **fields)

    def ack(self, session: str = "session-1") -> None:
        if self.acks and self.highest:
            self.say("ack", session=session, seq=self.highest, missing=sorted(self.missing))
