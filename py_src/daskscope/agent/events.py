"""Bounded logs, and the events of the scheduler with their messages as JSON.

Runs inside the scheduler, as `daskscope.agent.scheduler` does. Messages come from users
and may be any object. Each topic has its own bound, so a busy one does not evict the others.
"""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from itertools import islice
from math import isfinite
from time import time
from typing import Any

from daskscope.agent.packing import MAX_NAME_CHARS, clean_text

MAX_LOG_CHARS = 4_000_000


class Log:
    """The newest entries of a numbered list; older ones are dropped and counted."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.first = 0
        self.chars = 0
        self.entries: deque[dict[str, Any]] = deque()

    def append(self, entry: dict[str, Any]) -> None:
        """Append an entry; drop the oldest ones if there are too many or they are too long."""
        self.entries.append(entry)
        self.chars += _chars(entry)
        while len(self.entries) > self.limit or (
            self.chars > MAX_LOG_CHARS and len(self.entries) > 1
        ):
            self.chars -= _chars(self.entries.popleft())
            self.first += 1

    def since(self, cursor: int) -> dict[str, Any]:
        """Return the entries from number `cursor` on, and the number of the first."""
        end = self.first + len(self.entries)
        first = min(max(cursor, self.first), end)
        newest_first = [*islice(reversed(self.entries), end - first)]
        return {"first": first, "items": newest_first[::-1]}


def _chars(entry: dict[str, Any]) -> int:
    return sum([len(value) for value in entry.values() if type(value) is str])


MAX_EVENTS = 10_000
MAX_TOPIC_EVENTS = 1_000
MAX_TOPIC_CHARS = 400_000
MAX_TOPICS_CHARS = 1_000  # all topics of one event
MAX_MESSAGE_CHARS = 4_000
MAX_MESSAGE_DEPTH = 20
MAX_KEY_PARTS = 20  # elements of a tuple used as a dictionary key
MAX_INTEGER_BITS = 1_000  # converting larger integers to text is slow or fails


class EventLog:
    """The newest events of each topic; older ones are dropped and counted.

    Numbers are never reused. An event of several topics is one entry, counted for the first one.
    """

    def __init__(self) -> None:
        self.next = 0
        self.chars = 0
        # By number, oldest first: the topic for which an entry counts, and the entry.
        self.entries: OrderedDict[int, tuple[str, dict[str, Any]]] = OrderedDict()
        self.topics: dict[str, _Topic] = {}
        self.latest: Any = None  # kept alive, so that no other object gets its id

    def append(self, event: Any, topic: Any) -> None:
        """Append an event (time, message), or add a topic to the latest event."""
        topic = clean_text(topic, MAX_NAME_CHARS)
        if event is self.latest:
            self.join(topic)
            return
        self.latest = event
        entry = {"time": event[0], "topic": topic, "message": json_text(event[1])}
        self.entries[self.next] = topic, entry
        of_topic = self.topics.setdefault(topic, _Topic())
        of_topic.numbers.append(self.next)
        self.next += 1
        self.count(of_topic, len(topic) + len(entry["message"]))
        while len(of_topic.numbers) > MAX_TOPIC_EVENTS or of_topic.chars > MAX_TOPIC_CHARS:
            self.drop_oldest_of(topic)
        while len(self.entries) > MAX_EVENTS or self.chars > MAX_LOG_CHARS:
            self.drop_oldest_of(next(iter(self.entries.values()))[0])

    def join(self, topic: str) -> None:
        """Add a topic to the latest entry, unless its topics are too long."""
        first, entry = self.entries[self.next - 1]
        topics = entry["topic"]
        if topics.endswith(", …"):
            return
        more = ", " + (topic if len(topics) + len(topic) < MAX_TOPICS_CHARS else "…")
        entry["topic"] = topics + more
        self.count(self.topics[first], len(more))

    def count(self, of_topic: _Topic, chars: int) -> None:
        """Update the sums of characters."""
        of_topic.chars += chars
        self.chars += chars

    def drop_oldest_of(self, topic: str) -> None:
        """Drop the oldest entry that counts for a topic."""
        of_topic = self.topics[topic]
        _, entry = self.entries.pop(of_topic.numbers.popleft())
        self.count(of_topic, -len(entry["topic"]) - len(entry["message"]))
        if not of_topic.numbers:
            del self.topics[topic]

    def since(self, cursor: int) -> dict[str, Any]:
        """Return the entries from number `cursor` on.

        Numbers in between may be missing, so `first` is the next number minus the count of
        items: `first` minus the cursor is the number of dropped entries.
        """
        items = []
        for number in reversed(self.entries):
            if number < cursor:
                break
            items.append(self.entries[number][1])
        items.reverse()
        return {"first": self.next - len(items), "items": items}


class _Topic:
    """The numbers of the entries that count for one topic, and their total length."""

    def __init__(self) -> None:
        self.numbers: deque[int] = deque()
        self.chars = 0


def published_event(scheduler: Any, topic: Any, message: Any) -> tuple[float, Any]:
    """Return the event that a scheduler has just published: time and message.

    A plugin is called once for each topic. Calls for one event share one object in the
    scheduler's own list; without that list, each call counts as an event.
    """
    try:
        event: tuple[float, Any] = scheduler._broker._topics[topic].events[-1]
        found = event[1] is message
    except Exception:
        found = False
    return event if found else (time(), message)


def json_text(message: Any) -> str:
    """Return any message as JSON, or as `{"cut": …}` if it is too long."""
    plain = _Plain()
    try:
        text = json.dumps(plain.value(message, 0), ensure_ascii=False)
    except Exception:  # a user's class may imitate a list
        return '"(a message that cannot be shown)"'
    if len(text) <= MAX_MESSAGE_CHARS and not plain.cut:
        return text
    kept = min(len(text), MAX_MESSAGE_CHARS)
    while True:
        cut = json.dumps({"cut": text[:kept] + "…"}, ensure_ascii=False)
        if len(cut) <= MAX_MESSAGE_CHARS:
            return cut
        kept = kept * MAX_MESSAGE_CHARS // len(cut)


class _Plain:
    """Copies a message into values of JSON; reads only the beginning of one that is too long."""

    def __init__(self) -> None:
        self.room = MAX_MESSAGE_CHARS
        self.cut = False

    def value(self, value: Any, depth: int) -> Any:
        """Return a value that JSON can represent; other types become text."""
        if value is None or value is True or value is False:
            self.room -= 4
            return value
        if type(value) is str:
            return self.text(value)
        if isinstance(value, int) and value.bit_length() <= MAX_INTEGER_BITS:
            self.room -= 1
            return int(value)
        if isinstance(value, float) and isfinite(value):
            self.room -= 1
            return float(value)
        if depth < MAX_MESSAGE_DEPTH:
            if isinstance(value, dict):
                return {
                    self.text(_shown(key)): self.value(value[key], depth + 1)
                    for key in self.begin(value)
                }
            if isinstance(value, (list, tuple, set, frozenset, deque)):
                return [self.value(item, depth + 1) for item in self.begin(value)]
        return self.text(_shown(value))

    def begin(self, items: Any) -> Any:
        """Yield items while there is room."""
        self.room -= 2
        for item in items:
            if self.room <= 0:
                self.cut = True
                return
            yield item

    def text(self, text: str) -> str:
        """Return the part of a text for which there is room."""
        room = max(self.room, 0)
        self.cut = self.cut or len(text) > room
        self.room -= len(text) + 2
        return clean_text(text, room)


def _shown(value: Any) -> str:
    """Return the text of a value; making it may run a user's code."""
    if type(value) is str:
        return value
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value[:MAX_MESSAGE_CHARS])
    try:
        if isinstance(value, (dict, list, set, frozenset, deque)) or (
            isinstance(value, tuple) and len(value) > MAX_KEY_PARTS
        ):  # nested too deep
            return "(%s)" % type(value).__name__
        if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
            return "(an integer of %d bits)" % value.bit_length()
        return str(value)
    except Exception:
        return "(%s)" % type(value).__name__
