"""Events of a Chrome trace as lines of JSON, and the processes and threads that they are on.

Numbers of processes and threads are never used twice in a trace: viewers take a thread
number for one of the whole machine, and thread 7 of process 7 for its main thread.
"""

from __future__ import annotations

import json
from itertools import count
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from daskscope.export.tracks import Tracks

if TYPE_CHECKING:
    from collections.abc import Mapping

LINES_AT_ONCE: Final = 4_096


class Lines:
    """The list of events on its way into a file: some thousand at a time are in memory."""

    def __init__(self, out: BinaryIO) -> None:
        self.numbers = count(1)
        self._out = out
        self._waiting: list[str] = []
        self._separator = "\n"

    def add(self, line: str) -> None:
        """Append an event that is JSON already."""
        self._waiting.append(line)
        if len(self._waiting) >= LINES_AT_ONCE:
            self.flush()

    def event(self, **event: Any) -> None:
        """Append an event."""
        self.add(as_json(event))

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            text = self._separator + ",\n".join(self._waiting)
            self._out.write(text.encode("utf-8", "replace"))
            self._waiting.clear()
            self._separator = ",\n"


class Process:
    """A process of the trace: a worker, or the cluster as a whole."""

    def __init__(self, lines: Lines, name: str, place: int, labels: str = "") -> None:
        self.number = next(lines.numbers)
        self._lines = lines
        self._describe("process_name", name=name)
        self._describe("process_sort_index", sort_index=place)
        if labels:
            self._describe("process_labels", labels=labels)

    def _describe(self, what: str, **args: Any) -> None:
        self._lines.event(ph="M", pid=self.number, name=what, args=args)

    def thread(self, name: str, place: int) -> int:
        """Begin a thread, and return its number."""
        number = next(self._lines.numbers)
        for what, args in (
            ("thread_name", {"name": name}),
            ("thread_sort_index", {"sort_index": place}),
        ):
            self._lines.event(ph="M", pid=self.number, tid=number, name=what, args=args)
        return number


class Rail:
    """One kind of slices of a thread: on one thread of the trace, or more where they overlap."""

    def __init__(self, process: Process, name: str, place: int) -> None:
        self.process = process
        self._name = name
        self._place = place
        self._tracks = Tracks()
        self._threads: list[int] = []

    def put(self, start_us: int, stop_us: int, slack_us: int = 0) -> tuple[int, int]:
        """Return on which thread an interval goes, and when it starts there."""
        track, start_us = self._tracks.place(start_us, stop_us, slack_us)
        while track >= len(self._threads):
            number = len(self._threads)
            name = self._name if number == 0 else f"{self._name} ({number + 1})"
            self._threads.append(self.process.thread(name, self._place))
        return self._threads[track], start_us


def quoted(text: str) -> str:
    """Return a text as JSON that Perfetto can read as well.

    It does not undo escapes, so there are only those that must be. And it takes a quote after
    a backslash for a part of the text, also after an escaped one, and then reads nothing
    of the file at all: a backslash at the end is written in the other way that JSON has.

    >>> print(quoted("é\\\\"), quoted("a\\\\b"))
    "é\\u005c" "a\\\\b"
    """
    made = encode_basestring(text)
    return made if made[-2] != "\\" else made[:-3] + '\\u005c"'


def as_json(value: Any) -> str:
    """Return facts as JSON, with all texts `quoted`.

    >>> as_json({"a": {"b": "c"}, "d": 1})
    '{"a":{"b":"c"},"d":1}'
    """
    if isinstance(value, dict):
        return f"{{{','.join(f'{quoted(name)}:{as_json(of)}' for name, of in value.items())}}}"
    return quoted(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def arguments(values: Mapping[str, Any]) -> str:
    """Return what a viewer shows of an event that was selected, as JSON.

    >>> arguments({"key": "('x', 1)", "span": "", "nbytes": 28.0, "other": float("nan")})
    '{"key":"(\\'x\\', 1)","nbytes":28}'
    """
    parts = []
    for name, value in values.items():
        if isinstance(value, str):
            if value:
                parts.append(f"{quoted(name)}:{quoted(value)}")
        elif value == value and abs(value) != float("inf"):
            whole = int(value)
            parts.append(f"{quoted(name)}:{whole if whole == value else float(value)!r}")
    return f"{{{','.join(parts)}}}"
