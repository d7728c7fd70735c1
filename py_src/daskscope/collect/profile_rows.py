"""Checks the profiles from workers and scheduler, and writes them into a recording.

docs/protocol.md, part A, describes the layout. Workers are not trusted.
"""

from __future__ import annotations

import logging
import math
import time
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgpack
import numpy as np

from daskscope.collect.intake import ColumnReader
from daskscope.schema import (
    FRAMES,
    PREFIXES,
    PROFILE_COUNTS,
    PROFILED,
    SCOPES,
    STACKS,
    WORKERS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore

    Cells = NDArray[Any]

logger = logging.getLogger(__name__)

GONE_S: Final = 60.0
"""The state of a worker that left is kept for this long, since it may return."""

SILENT_S: Final = 10.0
"""A worker without any answer for this time is not waited for."""

LATE_S: Final = 35.0
"""Rows arrive up to a minute late, so steps are closed after twice this time."""

MAX_ANSWER_BYTES: Final = 64_000_000
"""Bound for the unpacked answer of one process."""

MAX_CYCLE_S: Final = 3_601.0
MAX_CYCLES: Final = 2**53
SCHEDULER: Final = SCOPES.index("scheduler")
STATES: Final = ("ok", "off", "refused", "waiting", "python-3.11")


@dataclass
class _Process:
    """The state of reading one process."""

    id: str = ""
    tables: int = 0
    prefixes: Cells = field(default_factory=lambda: np.empty(0, np.int64))
    frames: Cells = field(default_factory=lambda: np.empty(0, np.int64))
    stacks: Cells = field(default_factory=lambda: np.empty(0, np.int64))
    """Indexes in the recording of the stacks of the process."""
    next: list[int | None] = field(default_factory=lambda: [None, None])
    until: list[float] = field(default_factory=lambda: [-math.inf, -math.inf])
    """End of the last cycle that was read, by scope."""
    row: dict[str, Any] = field(default_factory=dict)
    gone_s: float = math.inf  # monotonic
    unread: int | None = None
    """Number of unread cycles of a worker that left; None if not yet counted."""

    def known(self) -> list[Any]:
        sizes = len(self.prefixes), len(self.frames), len(self.stacks)
        return [self.id, self.tables, *sizes, *self.next]

    def is_read(self, moment: float) -> bool:
        """Return whether all samples up to a moment were read, or none can be expected."""
        if not self.row:
            return False
        if self.row["compute"] == "waiting":
            return bool(moment - self.row["time"] > SILENT_S)
        return self.row["compute"] != "ok" or self.until[0] >= moment


class ProfileRows:
    """Writes the profiles of one cluster into a recording."""

    def __init__(self, recording: RecordingStore) -> None:
        self.unreadable: set[str] = set()
        """Addresses of processes whose last answer could not be read."""
        self._recording = recording
        self._processes: dict[str, _Process] = {}
        self._frames: dict[tuple[Any, ...], int] = {FRAMES.first[0][:3]: 0}
        recording.series(PROFILE_COUNTS.name).heartbeat_s = LATE_S

    def known(self) -> dict[str, list[Any]]:
        """Return by address what was already read, for the next request."""
        return {one: process.known() for one, process in self._processes.items() if process.id}

    def packed(self) -> dict[str, bytes]:
        """Return the same as bytes, which the scheduler forwards at lower cost."""
        return {one: msgpack.packb(known) for one, known in self.known().items()}

    def read_until(self, moment: float, workers: Sequence[str]) -> bool:
        """Return whether all available samples of some workers up to a moment were read."""
        found = [self._processes.get(one) for one in workers if one not in self.unreadable]
        return all(process is not None and process.is_read(moment) for process in found)

    def note_workers(self, workers: Sequence[str], now: float) -> None:
        """Note the workers that are in the cluster now."""
        monotonic = time.monotonic()
        there = {"", *workers}
        self.unreadable &= there
        for address, process in list(self._processes.items()):
            if address in there:
                if process.gone_s < math.inf:  # it returned
                    process.gone_s, process.unread = math.inf, None
            elif process.gone_s == math.inf:
                process.gone_s = monotonic
            else:  # by now, the data that it sent when it closed has arrived
                self._count_unread(address, process)
                if monotonic - process.gone_s > GONE_S:
                    del self._processes[address]
        for address in there - self._processes.keys():
            row = {
                "worker": address,
                "time": now,
                "until": now,
                "interval": math.nan,
                "cycle": math.nan,
                "compute": "waiting" if address else "",
                "administrative": "waiting",
                "lost": 0,
            }
            self._processes[address] = _Process(row=row)
            self._recording.log(PROFILED.name).append([row])

    def _count_unread(self, address: str, process: _Process) -> None:
        """Count unread cycles of a worker that was killed or whose last data was dropped."""
        if process.unread is not None:
            return
        changes = self._recording.log(WORKERS.name).since(0)
        ends = [one.time for one in changes if one.worker == address and one.what == "removed"]
        until, cycle_s = process.row["until"], process.row["cycle"]
        sampled = bool(ends) and process.row["compute"] == "ok"
        process.unread = max(0, int((ends[-1] - until) / cycle_s)) if sampled else 0
        self._log(process, process.row | {"lost": process.row["lost"] + process.unread})

    def take_left(self, address: str, data: bytes, now: float) -> None:
        """Append the data that a worker sent when it closed, after which nothing is unread."""
        process = self._processes.get(address)
        if process is not None and process.unread:
            process.row = process.row | {"lost": process.row["lost"] - process.unread}
        self.take(address, data, now)
        self._processes[address].unread = 0

    def take(self, address: str, data: bytes, now: float) -> bool:
        """Append the answer of a process; return whether there is more to read."""
        process = self._processes.setdefault(address, _Process())
        try:
            return self._take(address, process, _unpacked(data), now)
        except (
            zlib.error,
            KeyError,
            IndexError,
            TypeError,
            ValueError,
            OverflowError,
            msgpack.UnpackException,
        ):
            logger.debug("daskscope cannot read the profile of %s", address, exc_info=True)
            self.unreadable.add(address)
            # Forget its names, so that they are sent again, but not which cycles were read.
            self._processes[address] = _Process(until=process.until, row=process.row)
            return False

    def _take(
        self, address: str, process: _Process, message: Mapping[str, Any], now: float
    ) -> bool:
        columns = _columns(message)
        same = process.id == message["id"]
        self._take_names(process, message, columns)
        first, stop = ([int(one) for one in message[name]] for name in ("first", "next"))
        cycles = [after - before for before, after in zip(first, stop, strict=True)]
        sound = len(cycles) == 2 and min(*cycles, *first) >= 0 and max(stop) < MAX_CYCLES
        if not sound or sum(cycles) != len(columns["begin"]):
            raise ValueError("cycles do not fit")
        begin, end, rows = columns["begin"], columns["end"], columns["rows"].astype(np.int64)
        length = end - begin
        if not ((length > 0) & (length < MAX_CYCLE_S)).all() or int(rows.sum()) != message["rows"]:
            raise ValueError("invalid times of cycles")
        own = np.repeat([0, 1], cycles)
        number = np.concatenate([np.arange(a, b) for a, b in zip(first, stop, strict=True)])
        # A new agent restarts its numbers of cycles, so their times show which ones were read.
        new = np.where(own, end > process.until[1], end > process.until[0])
        lost = 0
        for scope, known in enumerate(process.next):
            if same and known is not None:
                new[own == scope] = number[own == scope] >= known
                lost += max(first[scope] - known, 0) if not scope else 0
        chosen = np.repeat(new, rows)
        cycle = np.repeat(np.arange(len(rows)), rows)[chosen]
        scopes = own[cycle] + (0 if address else SCHEDULER - 1)
        if len(cycle):
            self._recording.series(PROFILE_COUNTS.name).append(
                {
                    "time": begin[cycle],
                    "duration": length[cycle],
                    "scope": scopes,
                    "worker": np.full(len(cycle), address, object),
                    "prefix": process.prefixes[columns["prefix"][chosen]],
                    "stack": process.stacks[columns["stack"][chosen]],
                    "count": columns["count"][chosen],
                },
                now=now,
            )
        for scope in range(2):
            ends = end[new & (own == scope)]
            process.until[scope] = max([process.until[scope], *ends[-1:].tolist()])
            process.next[scope] = stop[scope]
        self._note(address, process, message, lost, begin[new])
        self.unreadable.discard(address)
        return bool(message["more"])

    def _note(
        self,
        address: str,
        process: _Process,
        message: Mapping[str, Any],
        lost: int,
        begin: Cells,
    ) -> None:
        """Log the state of a process, if it has changed."""
        before = process.row
        compute, administrative = message["states"]
        if {compute, administrative} - {*STATES, ""}:
            raise ValueError("unknown states")
        now, until = float(message["now"]), process.until[0 if address else 1]
        sampled = (compute if address else administrative) == "ok"
        if not math.isfinite(until):
            until = float(before.get("until", now)) if sampled else now
        elif not sampled and not message["more"]:
            until = now
        begun = before.get("compute", "waiting") != "waiting" or (not address and bool(before))
        row = {
            "worker": address,
            "time": before["time"] if begun else min([*begin[:1].tolist(), now]),
            "until": until,
            "interval": _seconds(message["interval"]),
            "cycle": _seconds(message["cycle"]),
            "compute": compute,
            "administrative": administrative,
            "lost": before.get("lost", 0) + lost,
        }
        self._log(process, row)

    def _log(self, process: _Process, row: dict[str, Any]) -> None:
        if row != process.row:
            self._recording.log(PROFILED.name).append([row])
        process.row = row

    def _take_names(
        self, process: _Process, message: Mapping[str, Any], columns: Mapping[str, Cells]
    ) -> None:
        """Add the stacks and other names of an answer to those of the process."""
        same = (process.id, process.tables) == (message["id"], message["tables"])
        old = process if same else _Process()
        if [int(one) for one in message["known"]] != old.known()[2:5]:
            raise ValueError("names are missing")
        names, kept = self._recording.names, len(old.stacks)
        prefixes = [names.intern(PREFIXES.name, _text(one)) for one in message["prefixes"]]
        frames = _joined(old.frames, [self._frame(one) for one in message["frames"]])
        stacks: list[int] = []
        frame_of = frames[columns["stack_frame"]].tolist()
        for parent, frame in zip(columns["parent"].tolist(), frame_of, strict=True):
            if parent >= kept + len(stacks) > 0:
                raise ValueError("a stack precedes its parent")
            if not kept and not stacks:
                stacks.append(0)
                continue
            above = int(old.stacks[parent]) if parent < kept else stacks[parent - kept]
            # If the table is full, samples count for the calling function.
            stacks.append(names.intern(STACKS.name, (above, frame)) or above)
        process.id, process.tables = str(message["id"]), int(message["tables"])
        process.prefixes = _joined(old.prefixes, prefixes)
        process.frames, process.stacks = frames, _joined(old.stacks, stacks)

    def _frame(self, cells: Sequence[Any]) -> int:
        """Return the index of a function, with the line and source of its first sample."""
        name, file, first_line, line, source = cells
        key = _text(name), _text(file), min(max(int(first_line), 0), 2**31)
        known = self._frames.get(key)
        if known is None:
            item = (*key, min(max(int(line), 0), 2**31), _text(source))
            known = self._recording.names.intern(FRAMES.name, item)
            if len(self._frames) < self._recording.names.tables[FRAMES.name].limit:
                self._frames[key] = known
        return known


def _joined(cells: Cells, more: list[int]) -> Cells:
    return np.concatenate([cells, np.array(more, np.int64)]) if more else cells


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _seconds(value: Any) -> float:
    seconds = float(value)
    if not 0 < seconds < MAX_CYCLE_S:
        raise ValueError("no duration")
    return seconds


def _unpacked(data: bytes) -> Mapping[str, Any]:
    inflate = zlib.decompressobj()
    text = inflate.decompress(data, MAX_ANSWER_BYTES)
    if not inflate.eof:
        raise ValueError("it is truncated, or too long")
    message = msgpack.unpackb(text)
    if not isinstance(message, dict):
        raise TypeError("no message")
    return message


def _columns(message: Mapping[str, Any]) -> dict[str, Cells]:
    """Return the columns of a message."""
    sizes = {name: int(message[name]) for name in ("cycles", "stacks", "rows")}
    if min(sizes.values()) < 0 or max(sizes.values()) > MAX_ANSWER_BYTES:
        raise ValueError("invalid sizes")
    reader = ColumnReader(message["data"])
    declared = (
        ("begin", "d", "cycles"),
        ("end", "d", "cycles"),
        ("rows", "I", "cycles"),
        ("parent", "I", "stacks"),
        ("stack_frame", "I", "stacks"),
        ("prefix", "I", "rows"),
        ("stack", "I", "rows"),
        ("count", "I", "rows"),
    )
    return {name: reader.column(code, sizes[size]) for name, code, size in declared}
