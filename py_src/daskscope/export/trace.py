"""The parts of a Chrome trace: lines of JSON, processes, threads without overlaps, and times.

Numbers of processes and threads are never used twice in a trace: viewers take a thread
number for one of the whole machine, and thread 7 of process 7 for its main thread.
"""

from __future__ import annotations

import json
from bisect import bisect_right, insort
from dataclasses import dataclass
from itertools import count
from json.encoder import encode_basestring
from math import inf
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from daskscope.schema import ERRORS, EVENTS, GAPS, SYSTEM, WORKERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from daskscope.recording import RecordingStore

LINES_AT_ONCE: Final = 4_096
MAX_DISTANCE_S: Final = 1e9
"""From most of the others, some thirty years: a time beyond that is one that a worker made up."""


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
    """One kind of slices of a lane: on one thread of the trace, or more where they overlap.

    Viewers of traces want the slices of a thread to nest, but rows of one lane do overlap:
    transfers of several tasks run at once, and a clock that was corrected goes back. Each
    interval goes to the thread that was free for the shortest time. Only the end of a thread is
    looked at, so this needs little memory.
    """

    def __init__(self, process: Process, name: str, place: int) -> None:
        self.process = process
        self._name = name
        self._place = place
        self._ends: list[tuple[int, int, int]] = []  # free from, stop, thread; in order

    def put(self, start_us: int, stop_us: int, slack_us: int = 0) -> tuple[int, int]:
        """Return on which thread an interval goes, and when it starts there.

        An interval may reach into the next one by its slack, what was lost when its length
        was rounded: the next one then starts a little later.
        """
        at = bisect_right(self._ends, (start_us, inf)) - 1
        if at < 0:
            number = len(self._ends)
            name = self._name if number == 0 else f"{self._name} ({number + 1})"
            thread = self.process.thread(name, self._place)
        else:
            _, busy_until, thread = self._ends.pop(at)
            start_us = max(start_us, busy_until)
        stop_us = max(start_us, stop_us)
        insort(self._ends, (max(start_us, stop_us - slack_us), stop_us, thread))
        return thread, start_us


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


@dataclass(frozen=True)
class Clock:
    """`zero` is the first time of the recording: viewers take no negative ones.

    `middle` is one in the midst of the others.
    """

    middle: float
    zero: float

    def takes(self, start: ArrayLike, duration: ArrayLike = 0.0) -> NDArray[np.bool_]:
        """Return which times can be shown.

        >>> Clock(100.0, 99.0).takes([100.0, float("nan"), 1e300]).tolist()
        [True, False, False]
        """
        with np.errstate(invalid="ignore"):
            near = np.abs(np.asarray(start, "f8") - self.middle) <= MAX_DISTANCE_S
            return near & (np.asarray(duration, "f8") <= MAX_DISTANCE_S)  # NaN is neither

    def us(self, time: ArrayLike) -> NDArray[np.int64]:
        """Return times that can be shown in microseconds from zero.

        >>> Clock(100.0, 99.0).us([99.0, 100.5]).tolist()
        [0, 1500000]
        """
        return np.round((np.asarray(time, "f8") - self.zero) * 1e6).astype("i8")


def clock_of(recording: RecordingStore) -> Clock:
    """Return the clock of a recording: it begins with what is first in any table."""
    starts: list[NDArray[Any]] = [chunk.columns["start"] for chunk in recording.chunks()]
    others = [
        recording.series(SYSTEM.name).rows()["time"],
        *(
            np.array(recording.log(table.name).columns()[table.time], "f8")
            for table in (ERRORS, WORKERS, EVENTS, GAPS)
        ),
    ]
    middle = _middle(starts)
    if middle is None:
        middle = _middle(others) or 0.0
    clock = Clock(middle, middle)
    times = [*starts, *others]
    firsts = [float(some[sound].min()) for some in times if (sound := clock.takes(some)).any()]
    return Clock(middle, min(firsts, default=middle))


def _middle(times: Sequence[NDArray[Any]]) -> float | None:
    medians = [np.median(sound) for some in times if len(sound := some[np.isfinite(some)])]
    return float(np.median(medians)) if medians else None
