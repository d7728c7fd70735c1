"""One session on its way to one page: a set of cursors into the recording.

A feed decides what is said next and remembers what each number stood for until the
page has it. It knows neither channels nor allowances, and no time but what it is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daskscope.schema import LIMITS, NAME_KINDS
from daskscope.stream.contents import Coarse, Content, Events, Keys, Names, Rows
from daskscope.stream.ranges import Range, Ranges

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daskscope.recording import TaskChunk
    from daskscope.stream.source import Source
    from daskscope.wire import Outgoing

BATCH_ROWS: Final = LIMITS["batch_rows"]
LIVE_LAG_TASKS: Final = 4 * BATCH_ROWS
"""A page that is further behind than this goes on with what is new; the rest is history."""

COARSE_TASKS: Final = 3 * BATCH_ROWS
"""From so many missing tasks on, a coarse picture comes first."""

KEYS_QUIET_S: Final = 1.0
"""Keys are sent unasked when no rows came for so long."""

KEY_PIECES: Final = 64
KEYS_BYTES: Final = LIMITS["batch_bytes"] // 2
NAMES_CHARACTERS: Final = 200_000
EVENT_ENTRIES: Final = 200
EVENTS_S: Final = 0.5
MAX_UNACKNOWLEDGED: Final = 20_000
RESEND_S: Final = 0.2
"""A number that is reported as missing again this soon is still on its way."""

GIVEN_UP_REPORTS: Final = 15
"""A page reports a missing number 20 times before it gives it up."""


@dataclass(slots=True)
class _Sent:
    content: Content
    size_bytes: int
    at_s: float
    reports: int = 0


class Feed:
    """What one page has, gets next and lost of one session."""

    def __init__(self, source: Source, page: str) -> None:
        self.source = source
        self.page = page
        self.visible = False
        self.seq = 0
        self.in_flight_bytes = 0
        self.rows_at_s = self.keys_at_s = float("-inf")
        self._address = {"page": page, "session": source.id}
        self._names = dict.fromkeys(NAME_KINDS, 0)
        self._live = source.recording.next_task
        self._held = Ranges()
        self._keys_held = Ranges()
        self._asked_keys: list[tuple[int, int, int]] = []  # first, stop, bytes
        self._out_of_step = False
        self._coarse_due = False
        self._errors = self._changes = self._gaps = 0
        self._events_from_s = float("-inf")
        self._sent: dict[int, _Sent] = {}
        self._lost: dict[int, None] = {}  # numbers to say again, in order

    @property
    def unacknowledged(self) -> int:
        """How many messages the page has not confirmed."""
        return len(self._sent)

    def watch(self, visible: bool, have: Iterable[Range]) -> None:
        """Take over what the page says that it holds; what is on its way counts as held."""
        recording = self.source.recording
        for seq in [seq for seq, sent in self._sent.items() if sent.reports >= GIVEN_UP_REPORTS]:
            self._forget(seq)
        if self._out_of_step:  # another store than the one that was told so far
            self._out_of_step = False
            self._names = dict.fromkeys(NAME_KINDS, 0)
            self._keys_held = Ranges()
        self._held = Ranges((a, min(b, recording.next_task)) for a, b in have)
        for sent in self._sent.values():
            if isinstance(sent.content, Rows):
                self._held.add(sent.content.first, sent.content.stop)
        self.visible = visible
        self._coarse_due = self._history_missing() >= COARSE_TASKS

    def acknowledge(self, seq: int, missing: Iterable[int], now_s: float) -> None:
        """Everything up to `seq` arrived but `missing`: those are said again."""
        lost = set(missing)
        for number in [n for n in self._sent if n <= seq and n not in lost]:
            self._forget(number)
        for number in sorted(lost):
            sent = self._sent.get(number)
            if sent is None:
                self._out_of_step |= number <= self.seq
                continue
            sent.reports += 1
            if now_s - sent.at_s >= RESEND_S:
                self._lost[number] = None

    def ask_keys(self, first: int, stop: int) -> None:
        """Send the keys of some tasks before anything else."""
        for chunk in self.source.recording.chunks_of(first, stop):
            for block in chunk.keys:
                low, high = max(first, block.first), min(stop, block.stop)
                if low < high and self._keys_held.missing(low, high):
                    # The whole block: a neighbour will be asked for next.
                    self._asked_keys.append((block.first, block.stop, len(block.data)))

    def _gaps_of(self, first: int, stop: int) -> list[Range]:
        gaps = []
        while (gap := self._keys_held.newest_gap(first, stop)) is not None:
            gaps.append(gap)
            stop = gap[0]
        return gaps

    @property
    def asked(self) -> bool:
        """Whether keys are wanted that have not been sent yet."""
        return bool(self._asked_keys)

    def next_message(self, now_s: float, *, keys_while_busy: bool) -> Outgoing | None:
        """Return what is to be said now, already counted as sent."""
        recording = self.source.recording
        if self._lost:
            number = next(iter(self._lost))
            del self._lost[number]
            sent = self._sent[number]
            sent.at_s = now_s
            return sent.content.build(recording, {**self._address, "seq": number})
        if len(self._sent) >= MAX_UNACKNOWLEDGED:
            return None
        content = self._plan(now_s, keys_while_busy)
        if content is None:
            return None
        message = content.build(recording, {**self._address, "seq": self.seq + 1})
        self.seq += 1
        self._sent[self.seq] = _Sent(content, message.size_bytes, now_s)
        self.in_flight_bytes += message.size_bytes
        return message

    def _plan(self, now_s: float, keys_while_busy: bool) -> Content | None:
        asked = self._plan_asked_keys()
        if asked is not None:
            return asked
        if not self.visible:
            return None
        content: Content | None = (
            self._plan_names()
            or self._plan_coarse()
            or self._plan_live()
            or self._plan_events(now_s)
            or self._plan_detail()
        )
        if isinstance(content, Rows):
            self._held.add(content.first, content.stop)
            self.rows_at_s = now_s
        if content is None:
            quiet_since = self.keys_at_s if keys_while_busy else self.rows_at_s
            if now_s - quiet_since >= KEYS_QUIET_S:
                content = self._plan_keys()
                self.keys_at_s = now_s if content is None else self.keys_at_s
        return content

    def _plan_names(self) -> Names | None:
        """Names come before rows that speak of them."""
        names = self.source.recording.names
        ranges = []
        for kind in NAME_KINDS:
            first = self._names[kind]
            stop, characters = first, 0
            for item in names.since(kind, first):
                characters += len(item) if isinstance(item, str) else sum(map(len, item))
                if characters > NAMES_CHARACTERS and stop > first:
                    break
                stop += 1
            ranges.append((first, stop))
        if all(first == stop for first, stop in ranges):
            return None
        self._names = {kind: stop for kind, (_, stop) in zip(NAME_KINDS, ranges, strict=True)}
        return Names(tuple(ranges))

    def _history_missing(self) -> int:
        recording = self.source.recording
        oldest = next(iter(recording.chunks()), None)
        return self._held.missing(oldest.first, recording.next_task) if oldest else 0

    def _plan_coarse(self) -> Coarse | None:
        if not self._coarse_due:
            return None
        self._coarse_due = False
        return Coarse()

    def _plan_live(self) -> Rows | None:
        recording = self.source.recording
        if recording.next_task - self._live > LIVE_LAG_TASKS:
            self._live = recording.next_task
            self._coarse_due = self._history_missing() >= COARSE_TASKS
            return None
        # The page may hold some of it already, from before it lost the connection.
        while self._live < recording.next_task:
            chunks = recording.chunks_of(self._live, recording.next_task)
            if not chunks:
                self._live = recording.next_task
                return None
            first = max(self._live, chunks[0].first)
            self._live = stop = _tasks_from(chunks[0], first)
            if self._held.missing(first, stop) == stop - first:
                return Rows("live", first, stop)
            if self._held.missing(first, stop):
                return None  # partly held: the rest is history
        return None

    def _plan_detail(self) -> Rows | None:
        chunks = self.source.recording.chunks()
        gap = self._held.newest_gap(chunks[0].first, self._live) if chunks else None
        if gap is None:
            return None
        low, stop = gap
        chunk = self.source.recording.chunk_of(stop - 1)
        if chunk is None:  # dropped just now
            return None
        return Rows("detail", _tasks_back(chunk, max(low, chunk.first), stop), stop)

    def _plan_events(self, now_s: float) -> Events | None:
        if now_s < self._events_from_s:
            return None
        recording = self.source.recording
        ranges = []
        for log, cursor in (
            (recording.error_log, self._errors),
            (recording.change_log, self._changes),
            (recording.gap_log, self._gaps),
        ):
            first = max(cursor, log.dropped)
            ranges.append((first, min(log.next, first + EVENT_ENTRIES)))
        if all(first == stop for first, stop in ranges):
            return None
        self._errors, self._changes, self._gaps = (stop for _, stop in ranges)
        full = any(stop - first == EVENT_ENTRIES for first, stop in ranges)
        self._events_from_s = now_s if full else now_s + EVENTS_S
        return Events(*ranges)

    def _plan_asked_keys(self) -> Keys | None:
        pieces: list[Range] = []
        size = 0
        while self._asked_keys and len(pieces) < KEY_PIECES and size < KEYS_BYTES:
            first, stop, size_bytes = self._asked_keys.pop(0)
            pieces += self._gaps_of(first, stop)
            size += size_bytes
            self._keys_held.add(first, stop)
        return Keys(tuple(pieces)) if pieces else None

    def _plan_keys(self) -> Keys | None:
        recording = self.source.recording
        chunks = recording.chunks()
        size = 0
        pieces: list[Range] = []
        while chunks and size < KEYS_BYTES and len(pieces) < KEY_PIECES:
            gap = self._keys_held.newest_gap(chunks[0].first, recording.next_task)
            if gap is None:
                break
            chunk = recording.chunk_of(gap[1] - 1)
            blocks = [b for b in chunk.keys if b.first < gap[1] <= b.stop] if chunk else []
            if not blocks:
                break
            piece = (max(gap[0], blocks[0].first), gap[1])
            self._keys_held.add(*piece)
            pieces.append(piece)
            size += len(blocks[0].data)
        return Keys(tuple(pieces)) if pieces else None

    def _forget(self, number: int) -> None:
        sent = self._sent.pop(number)
        self._lost.pop(number, None)
        self.in_flight_bytes -= sent.size_bytes


def _tasks_from(chunk: TaskChunk, first: int) -> int:
    """Return the end of the tasks from `first` on that fill one batch, at least one."""
    rows = chunk.rows_of(first, chunk.stop)
    if rows.stop - rows.start <= BATCH_ROWS:
        return chunk.stop
    return max(first + 1, int(chunk.columns["task"][rows.start + BATCH_ROWS]))


def _tasks_back(chunk: TaskChunk, low: int, stop: int) -> int:
    """Return the first of the tasks up to `stop` that fill one batch, at least one."""
    rows = chunk.rows_of(low, stop)
    if rows.stop - rows.start <= BATCH_ROWS:
        return low
    return min(stop - 1, int(chunk.columns["task"][rows.stop - BATCH_ROWS - 1]) + 1)
