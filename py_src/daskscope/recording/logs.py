"""What happened beside the tasks: errors, workers that came and went, gaps.

Few and small, so they are kept as objects, in lists with an upper bound.
"""

from __future__ import annotations

from collections import deque
from copy import copy
from dataclasses import dataclass
from threading import Lock
from typing import Final, Generic, Protocol, Self, TypeVar

MAX_ERRORS: Final = 1_000
MAX_CHANGES: Final = 10_000
MAX_GAPS: Final = 1_000
MAX_EVENTS: Final = 10_000
MAX_TOPIC_EVENTS: Final = 2_000
"""Of one topic: those of work stealing must not push out what a user logged."""

MAX_LINES: Final = 50_000
MAX_SAMPLES: Final = 100_000
"""A sample a second is a day and more."""

MAX_ROWLESS: Final = 100_000
MAX_LOG_CHARACTERS: Final = 8_000_000
"""Bound of all texts of one log together."""


UNKNOWN_TASK: Final = -1
"""Number of an erred task that was dropped before it could be read."""


@dataclass(frozen=True, slots=True)
class TaskError:
    """A task that erred. ``task`` is its number in the recording, ``prefix`` an index."""

    task: int
    key: str
    prefix: int
    worker: str
    time: float
    exception: str
    traceback: str

    @property
    def characters(self) -> int:
        """Length of the texts."""
        return len(self.key) + len(self.worker) + len(self.exception) + len(self.traceback)


@dataclass(frozen=True, slots=True)
class WorkerChange:
    """A worker came, changed or left."""

    time: float
    worker: str
    what: str
    detail: str

    @property
    def characters(self) -> int:
        """Length of the texts."""
        return len(self.worker) + len(self.what) + len(self.detail)


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which tasks may have run that nobody recorded, and why."""

    start: float
    stop: float
    reason: str
    text: str

    @property
    def characters(self) -> int:
        """Length of the texts."""
        return len(self.reason) + len(self.text)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was logged on the scheduler; ``message`` is JSON."""

    time: float
    topic: str
    message: str

    @property
    def characters(self) -> int:
        """Length of the texts."""
        return len(self.topic) + len(self.message)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log of the scheduler, or of the worker at an address."""

    time: float
    source: str
    level: str
    text: str

    @property
    def characters(self) -> int:
        """Length of the texts."""
        return len(self.source) + len(self.level) + len(self.text)


@dataclass(frozen=True, slots=True)
class ClusterSample:
    """All workers together, at a time; sizes in bytes."""

    time: float
    workers: int
    threads: int
    memory_limit: int
    process: int
    managed: int
    spilled: int
    characters = 0


@dataclass(frozen=True, slots=True)
class SchedulerSample:
    """The scheduler at a time: percent of a core, bytes, seconds between ticks of its loop."""

    time: float
    cpu: float
    memory: float
    loop_interval: float
    characters = 0


@dataclass(frozen=True, slots=True)
class RowlessTask:
    """A task that ran nowhere, since its worker was killed: it counts, without rows."""

    task: int
    prefix: int
    status: int
    characters = 0


class _Entry(Protocol):
    @property
    def characters(self) -> int: ...


T = TypeVar("T", bound=_Entry)


class Log(Generic[T]):
    """A bounded list whose entries are numbered for ever, so readers can keep cursors.

    >>> log = Log[Gap](limit=2)
    >>> log.extend([Gap(0, 1, "lost", str(i)) for i in range(3)])
    >>> [gap.text for gap in log.since(0)], log.next, log.dropped
    (['1', '2'], 3, 1)
    """

    def __init__(self, limit: int) -> None:
        self.next = 0
        self._limit = limit
        self._characters = 0
        self._entries: deque[T] = deque()
        self.renew_lock()

    def renew_lock(self) -> None:
        """Take a lock that nobody holds: at first, and in a forked child."""
        self._lock = Lock()

    @property
    def dropped(self) -> int:
        """How many entries the bound has cost."""
        return self.next - len(self._entries)

    def snapshot(self) -> Self:
        """Return a log of what is here now."""
        with self._lock:
            now = copy(self)
            now._entries = self._entries.copy()
            return now

    def extend(self, entries: list[T]) -> None:
        """Append; the oldest entries go when there are too many."""
        with self._lock:
            for entry in entries:
                self._entries.append(entry)
                self._characters += entry.characters
                self.next += 1
                while len(self._entries) > self._limit or (
                    self._characters > MAX_LOG_CHARACTERS and len(self._entries) > 1
                ):
                    self._characters -= self._entries.popleft().characters

    def skip(self, entries: int) -> None:
        """Number entries that nobody has. Older ones go too: what is kept has no holes."""
        if entries <= 0:
            return
        with self._lock:
            self._entries.clear()
            self._characters = 0
            self.next += entries

    def count_dropped(self, entries: int) -> None:
        """Count entries that were dropped before those that are here came."""
        with self._lock:
            self.next += max(entries, 0)

    def since(self, cursor: int) -> list[T]:
        """Return the entries that are kept of number ``cursor`` and later."""
        return self.between(cursor, self.next)

    def between(self, first: int, stop: int) -> list[T]:
        """Return the entries that are kept of those from `first` to before `stop`."""
        return [entry for _, entry in self.numbered(first, stop)]

    def numbered(self, first: int, stop: int) -> list[tuple[int, T]]:
        """Return the same with their numbers."""
        with self._lock:
            entries, oldest = list(self._entries), self.dropped
        first = max(first, oldest)
        return list(enumerate(entries[first - oldest : max(0, stop - oldest)], first))


class EventLog(Log[Event]):
    """Events, of which each topic has a bound of its own. Numbers may have holes.

    >>> log = EventLog(limit=10, of_topic=2)
    >>> log.extend([Event(0, "mine", "1"), *[Event(i, "stealing", "[]") for i in range(4)]])
    >>> [(event.topic, event.time) for event in log.since(0)], log.next, log.dropped
    ([('mine', 0), ('stealing', 2), ('stealing', 3)], 5, 2)
    >>> log.between(3, 4)
    [Event(time=2, topic='stealing', message='[]')]
    """

    def __init__(self, limit: int, of_topic: int = MAX_TOPIC_EVENTS) -> None:
        super().__init__(limit)
        self._of_topic = of_topic
        self._numbered: dict[int, Event] = {}  # in order
        self._topics: dict[str, deque[int]] = {}

    @property
    def dropped(self) -> int:
        """How many events the bounds have cost."""
        return self.next - len(self._numbered)

    def snapshot(self) -> Self:
        """Return a log of what is here now."""
        with self._lock:
            now = copy(self)
            now._numbered = self._numbered.copy()
            now._topics = {topic: numbers.copy() for topic, numbers in self._topics.items()}
            return now

    def extend(self, entries: list[Event]) -> None:
        """Append; the oldest of a topic go, or of all, when there are too many."""
        with self._lock:
            for event in entries:
                self._numbered[self.next] = event
                numbers = self._topics.setdefault(event.topic, deque())
                numbers.append(self.next)
                self.next += 1
                self._characters += event.characters
                if len(numbers) > self._of_topic:
                    self._drop(numbers[0])
                while len(self._numbered) > self._limit or (
                    self._characters > MAX_LOG_CHARACTERS and len(self._numbered) > 1
                ):
                    self._drop(next(iter(self._numbered)))

    def _drop(self, number: int) -> None:
        event = self._numbered.pop(number)
        self._characters -= event.characters
        numbers = self._topics[event.topic]
        numbers.popleft()  # the oldest of all is the oldest of its topic
        if not numbers:
            del self._topics[event.topic]

    def numbered(self, first: int, stop: int) -> list[tuple[int, Event]]:
        """Return the events that are kept of those from `first` to before `stop`, by number."""
        with self._lock:
            return [(n, event) for n, event in self._numbered.items() if first <= n < stop]
