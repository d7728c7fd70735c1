"""Sends one session to one page: a set of cursors into the recording.

A feed decides what is sent next, and keeps a description of each numbered message until the
page acknowledges it. It knows neither channels nor allowances, and gets the time as an argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from daskscope.recording import store_of
from daskscope.schema import LIMITS, TASKS
from daskscope.stream.messages import (
    Coarse,
    Content,
    Keys,
    Range,
    Ranges,
    Rows,
    TableCursor,
    TableRows,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daskscope.recording import RecordingStore, TaskChunk
    from daskscope.stream.sources import Source
    from daskscope.wire import Outgoing

KEY_PIECES: Final = 64
KEYS_BYTES: Final = LIMITS["batch_bytes"] // 2
PAGE_KEY_BYTES: Final = LIMITS["page_key_bytes"]
"""Bytes of keys that a page keeps; beyond them, keys are sent only on request."""


class KeyCursor:
    """A feed's cursor into keys. Planned keys count as sent once `took` is called."""

    def __init__(self, recording: RecordingStore) -> None:
        self._recording = recording
        self._sent = Ranges()
        self._sent_bytes = 0
        self._asked: dict[Range, int] = {}  # requested blocks and their bytes, in order

    @property
    def asked(self) -> bool:
        """Whether requested keys have not been sent yet."""
        return bool(self._asked)

    def restart(self) -> None:
        """Forget what was sent, because the page no longer has it."""
        self._sent = Ranges()
        self._sent_bytes = 0

    def ask(self, first: int, stop: int, on_their_way: Ranges) -> None:
        """Send these keys first, even if they were sent before: a page may have dropped them."""
        for chunk in self._recording.chunks_of(first, stop):
            for block in chunk.keys:
                wanted = max(first, block.first), min(stop, block.stop)
                if wanted[0] < wanted[1] and on_their_way.missing(*wanted):
                    # The whole block, because neighbouring keys are likely to be requested next.
                    self._asked[block.first, block.stop] = len(block.data)

    def plan_asked(self, max_bytes: float) -> Keys | None:
        """Return keys that were requested."""
        pieces: list[Range] = []
        size = 0
        for piece, size_bytes in self._asked.items():
            if len(pieces) == KEY_PIECES or size >= min(KEYS_BYTES, max_bytes / 2):
                break
            pieces.append(piece)
            size += size_bytes
        return Keys(tuple(pieces)) if pieces else None

    def plan(self, max_bytes: float) -> Keys | None:
        """Return keys that were not requested, newest first, until the page has PAGE_KEY_BYTES."""
        chunks = self._recording.chunks()
        if not chunks:
            return None
        room = min(KEYS_BYTES, max_bytes / 2, PAGE_KEY_BYTES - self._sent_bytes)
        first, stop = chunks[0].first, self._recording.next_task
        size = 0
        pieces: list[Range] = []
        while size < room and len(pieces) < KEY_PIECES:
            gap = self._sent.newest_gap(first, stop)
            if gap is None:
                break
            chunk = self._recording.chunk_of(gap[1] - 1)
            blocks = [b for b in chunk.keys if b.first < gap[1] <= b.stop] if chunk else []
            if not blocks:
                break
            stop = max(gap[0], blocks[0].first)
            pieces.append((stop, gap[1]))
            size += len(blocks[0].data)
        return Keys(tuple(pieces)) if pieces else None

    def took(self, keys: Keys, size_bytes: int) -> None:
        """Count a message with these keys as sent."""
        self._sent_bytes += size_bytes
        for piece in keys.pieces:
            self._asked.pop(piece, None)
            self._sent.add(*piece)


BATCH_ROWS: Final = LIMITS["batch_rows"]
BATCH_BYTES: Final = LIMITS["batch_bytes"]
PAGE_ROWS: Final = LIMITS["page_rows"]
"""A page with this many rows gets no more history, only new rows."""

ROW_BYTES: Final = sum(np.dtype(column.type).itemsize for column in TASKS.columns)
FRAME_BYTES: Final = 3_000
"""Bytes of a batch in addition to its rows."""

LIVE_LAG_TASKS: Final = 4 * BATCH_ROWS
"""A page that is further behind continues with new tasks; the others are sent as history."""

COARSE_TASKS: Final = 3 * BATCH_ROWS
"""If at least this many tasks are missing, a preview is sent first."""

COARSE_PAUSE_S: Final = 10.0
"""Least time between two previews of the tasks that a full page skips."""

KEYS_QUIET_S: Final = 1.0
"""Keys are sent without request if no rows were sent for this long."""

MAX_UNACKNOWLEDGED: Final = 20_000
RESEND_S: Final = 0.2
"""A message reported as missing sooner than this is still on its way. The time doubles with each
resend, since a resent message may wait behind the rest."""

MAX_RESEND_S: Final = 3.2


@dataclass(slots=True)
class _Sent:
    content: Content
    size_bytes: int
    at_s: float
    resend_s: float = RESEND_S


class Feed:
    """What one page has of one session, what it gets next, and what it lost."""

    def __init__(self, source: Source, page: str) -> None:
        self.source = source
        self.page = page
        self.visible = False
        self.tables: frozenset[str] = frozenset()
        """The tables to which the page subscribes."""
        self.seq = 0
        self.in_flight_bytes = 0
        self.rows_at_s = self.keys_at_s = float("-inf")
        self.page_rows = 0
        self._address = {"page": page, "session": source.id}
        self._recording = store_of(source.recording)
        self._live = self._recording.next_task
        self._held = Ranges()
        self.keys = KeyCursor(self._recording)
        self._tables = TableCursor(self._recording)
        self._out_of_step = False
        self._coarse_due = False
        self._coarse_stop = 0  # end of the last preview that was sent
        self._coarse_at_s = float("-inf")
        self._sent: dict[int, _Sent] = {}
        self._lost: dict[int, None] = {}  # numbers to send again, in order

    @property
    def full(self) -> bool:
        """Whether the page has as many rows as it may keep."""
        return self.page_rows >= PAGE_ROWS

    def watch(
        self,
        visible: bool,
        tables: Iterable[str],
        have: Iterable[Range],
        *,
        restart: bool = False,
    ) -> None:
        """Note which rows the page has; rows that are on their way count as received.

        `restart` means that the page gave up on lost messages: keys, and the rows of all tables
        except tasks, are sent again in new messages. The page recognises rows by their numbers.
        """
        recording = self._recording
        if restart or self._out_of_step:  # the page misses messages that this feed does not know
            self._out_of_step = False
            self._tables.restart()
            self.keys.restart()
            self._coarse_stop = 0
        self.tables = frozenset(tables)
        self._tables.subscribe(sorted(self.tables))
        self._held = Ranges((a, min(b, recording.next_task)) for a, b in have)
        for sent in self._sent.values():
            if isinstance(sent.content, Rows):
                self._held.add(sent.content.first, sent.content.stop)
        self.page_rows = sum(_rows_of(recording, *held) for held in self._held)
        self.visible = visible
        self._coarse_due = TASKS.name in self.tables and self.history_missing() >= COARSE_TASKS

    def acknowledge(self, seq: int, missing: Iterable[int], now_s: float) -> None:
        """Note that everything up to `seq` arrived except `missing`, which is sent again."""
        lost = set(missing)
        for number in [n for n in self._sent if n <= seq and n not in lost]:
            self._forget(number)
        for number in sorted(lost):
            sent = self._sent.get(number)
            if sent is None:
                self._out_of_step |= number <= self.seq
            elif now_s - sent.at_s >= sent.resend_s:
                self._lost[number] = None

    def ask_keys(self, first: int, stop: int) -> None:
        """Send the keys of some tasks before anything else."""
        on_their_way = Ranges()
        for sent in self._sent.values():
            if isinstance(sent.content, Keys):
                for piece in sent.content.pieces:
                    on_their_way.add(*piece)
        self.keys.ask(first, stop, on_their_way)

    def next_message(
        self, now_s: float, *, keys_while_busy: bool, max_bytes: float = BATCH_BYTES
    ) -> Outgoing | None:
        """Return the next message; its content counts as sent once it could be built."""
        message = self.lost_message(now_s)
        if message is not None or len(self._sent) >= MAX_UNACKNOWLEDGED:
            return message
        content = self._plan(now_s, keys_while_busy, max_bytes)
        if content is None:
            return None
        address = {**self._address, "seq": self.seq + 1}
        message = content.build(self._recording, address)
        self.seq += 1
        self._sent[self.seq] = _Sent(content, message.size_bytes, now_s)
        self.in_flight_bytes += message.size_bytes
        self._took(content, message, now_s)
        return message

    def has_rows(self, now_s: float) -> bool:
        """Whether rows of tasks are still to be sent."""
        return isinstance(self._plan(now_s, False, BATCH_BYTES), Rows)

    def lost_message(self, now_s: float) -> Outgoing | None:
        """Return a lost message, under its old number; its bytes are still counted as in flight."""
        if not self._lost:
            return None
        number = next(iter(self._lost))
        del self._lost[number]  # the page reports it again if this fails
        sent = self._sent[number]
        sent.at_s = now_s
        sent.resend_s = min(MAX_RESEND_S, 2 * sent.resend_s)
        return sent.content.build(self._recording, {**self._address, "seq": number})

    def _plan(self, now_s: float, keys_while_busy: bool, max_bytes: float) -> Content | None:
        """Return what to send next. It does not count as sent yet, since building it may fail."""
        asked = self.keys.plan_asked(max_bytes)
        if asked is not None or not self.visible:
            return asked
        rows = max(1, min(BATCH_ROWS, int(max_bytes - FRAME_BYTES) // ROW_BYTES))
        content: Content | None = self._tables.plan_names(max_bytes)
        if content is None and TASKS.name in self.tables:
            content = Coarse() if self._coarse_due else self._plan_live(rows)
        content = content or self._tables.plan(now_s, max_bytes)
        if content is None and TASKS.name in self.tables:
            content = self._plan_detail(now_s, rows) or self._plan_keys(
                now_s, keys_while_busy, max_bytes
            )
        return content

    def _plan_keys(self, now_s: float, keys_while_busy: bool, max_bytes: float) -> Keys | None:
        quiet_since = self.keys_at_s if keys_while_busy else self.rows_at_s
        if now_s - quiet_since < KEYS_QUIET_S:
            return None
        content = self.keys.plan(max_bytes)
        self.keys_at_s = now_s if content is None else self.keys_at_s
        return content

    def _took(self, content: Content, message: Outgoing, now_s: float) -> None:
        """Count the content of a message as sent."""
        match content:
            case Rows():
                self._held.add(content.first, content.stop)
                self.page_rows += message.message["rows"]
                self.rows_at_s = now_s
            case Coarse():
                self._coarse_due = False
                self._coarse_stop = message.message["first"] + message.message["tasks"]
                self._coarse_at_s = now_s
            case TableRows():
                self._tables.took(content, now_s)
            case Keys():
                self.keys.took(content, message.size_bytes)

    def history_missing(self) -> int:
        """Return how many kept tasks the page lacks."""
        recording = self._recording
        oldest = next(iter(recording.chunks()), None)
        return self._held.missing(oldest.first, recording.next_task) if oldest else 0

    def _plan_live(self, rows: int) -> Rows | None:
        recording = self._recording
        if recording.next_task - self._live > LIVE_LAG_TASKS:
            self._live = recording.next_task
            self._coarse_due = self.history_missing() >= COARSE_TASKS and not self.full
            return None
        # The page may have some of these rows from before it lost the connection.
        while self._live < recording.next_task:
            chunks = recording.chunks_of(self._live, recording.next_task)
            if not chunks:
                self._live = recording.next_task
                return None
            first = max(self._live, chunks[0].first)
            self._live = stop = _tasks_from(chunks[0], first, rows)
            if self._held.missing(first, stop) == stop - first:
                return Rows("live", first, stop)
            if self._held.missing(first, stop):
                return None  # the page has a part: the rest is sent as history
        return None

    def _plan_detail(self, now_s: float, rows: int) -> Rows | Coarse | None:
        chunks = self._recording.chunks()
        gap = self._held.newest_gap(chunks[0].first, self._live) if chunks else None
        if gap is None:
            return None
        low, stop = gap
        if self.full:
            late = stop > self._coarse_stop and now_s - self._coarse_at_s >= COARSE_PAUSE_S
            return Coarse() if late else None
        chunk = self._recording.chunk_of(stop - 1)
        if chunk is None:  # dropped just now
            return None
        return Rows("detail", _tasks_back(chunk, max(low, chunk.first), stop, rows), stop)

    def _forget(self, number: int) -> None:
        sent = self._sent.pop(number)
        self._lost.pop(number, None)
        self.in_flight_bytes -= sent.size_bytes


def _tasks_from(chunk: TaskChunk, first: int, most: int) -> int:
    """Return the end of the tasks, at least one, that fill `most` rows from `first` on."""
    rows = chunk.rows_of(first, chunk.stop)
    if rows.stop - rows.start <= most:
        return chunk.stop
    return max(first + 1, int(chunk.columns["task"][rows.start + most]))


def _tasks_back(chunk: TaskChunk, low: int, stop: int, most: int) -> int:
    """Return the first of the tasks, at least one, that fill `most` rows up to `stop`."""
    rows = chunk.rows_of(low, stop)
    if rows.stop - rows.start <= most:
        return low
    return min(stop - 1, int(chunk.columns["task"][rows.stop - most - 1]) + 1)


def _rows_of(recording: RecordingStore, first: int, stop: int) -> int:
    """Return the number of rows of some tasks; a task dropped since counts as one row."""
    found, tasks = 0, stop - first
    for chunk in recording.chunks_of(first, stop):
        rows = chunk.rows_of(first, stop)
        found += rows.stop - rows.start
        tasks -= min(stop, chunk.stop) - max(first, chunk.first)
    return found + max(0, tasks)
