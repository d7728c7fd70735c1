"""The profile of workers and scheduler: read while somebody looks, and else once a minute.

The agent's part in the workers tells the cycles of distributed's own profiler, packed
(docs/protocol.md, part A). What comes is checked: a worker may send anything.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgpack
import numpy as np

from daskscope import agent
from daskscope.collect.intake import ColumnReader
from daskscope.collect.link import ClientView, HandlerRefused, Link
from daskscope.collect.notices import brief, notice
from daskscope.collect.poll_pace import Alarm
from daskscope.collect.profile_routes import EVERY_S as ROUTES_S
from daskscope.collect.profile_routes import ProfileRoutes
from daskscope.format import count_text
from daskscope.schema import FRAMES, PREFIXES, PROFILE_COUNTS, PROFILED, SCOPES, STACKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.errors import Notice
    from daskscope.recording import RecordingStore

    Cells = NDArray[Any]

logger = logging.getLogger(__name__)

SHOWN_S: Final = 1.0
BLOCK_S: Final = 2.0
IDLE_S: Final = 60.0
FIRST_IDLE_S: Final = 2.0
"""So soon after the beginning: what a worker says when it closes is kept from then on."""

LEAST_S: Final = 0.1
ANSWER_S: Final = 20.0
LONGEST_PAUSE_S: Final = 60.0
GONE_S: Final = 60.0
"""So long it is remembered of a worker that has gone what was read of it."""

LATE_S: Final = 35.0
"""Rows come up to a minute late: steps are closed after twice this time."""

MAX_ANSWER_BYTES: Final = 64_000_000
"""Of one process, unpacked."""

MAX_CYCLE_S: Final = 3_601.0
MAX_CYCLES: Final = 2**53
SCHEDULER: Final = SCOPES.index("scheduler")
STATES: Final = ("ok", "off", "refused", "waiting", "python-3.11")


@dataclass
class _Process:
    """What was read of a process."""

    id: str = ""
    tables: int = 0
    prefixes: Cells = field(default_factory=lambda: np.empty(0, np.int64))
    frames: Cells = field(default_factory=lambda: np.empty(0, np.int64))
    stacks: Cells = field(default_factory=lambda: np.empty(0, np.int64))
    """What its numbers are here."""
    next: list[int | None] = field(default_factory=lambda: [None, None])
    until: list[float] = field(default_factory=lambda: [-math.inf, -math.inf])
    """When the last cycle ended that was read, of each scope."""
    row: dict[str, Any] = field(default_factory=dict)
    gone_s: float = math.inf  # monotonic

    def known(self) -> list[Any]:
        sizes = len(self.prefixes), len(self.frames), len(self.stacks)
        return [self.id, self.tables, *sizes, *self.next]

    def is_read(self, moment: float) -> bool:
        """Return whether all is here that was sampled up to a moment."""
        return bool(self.row) and (self.row["compute"] != "ok" or self.row["until"] >= moment)


class ProfileRows:
    """Feeds the profiles of one cluster to a recording."""

    def __init__(self, recording: RecordingStore) -> None:
        self.unreadable: set[str] = set()
        """Processes that sent what cannot be read."""
        self._recording = recording
        self._processes: dict[str, _Process] = {}
        self._frames: dict[tuple[Any, ...], int] = {}
        recording.series(PROFILE_COUNTS.name).heartbeat_s = LATE_S

    def known(self) -> dict[str, Any]:
        """Return by address what is here already."""
        return {one: process.known() for one, process in self._processes.items() if process.id}

    def read_until(self, moment: float, workers: Sequence[str]) -> bool:
        """Return whether all is here that some workers had sampled up to a moment."""
        found = [self._processes.get(one) for one in workers]
        return all(process is not None and process.is_read(moment) for process in found)

    def note_workers(self, workers: Sequence[str], now: float) -> None:
        """Note which workers there are."""
        monotonic = time.monotonic()
        there = {"", *workers}
        for address, process in list(self._processes.items()):
            if address in there:
                process.gone_s = math.inf
            elif process.gone_s == math.inf:
                process.gone_s = monotonic
            elif monotonic - process.gone_s > GONE_S:
                del self._processes[address]
        for address in there - self._processes.keys():
            self._waits(address, now)

    def _waits(self, address: str, now: float) -> None:
        process = self._processes[address] = _Process()
        unknown = {"interval": math.nan, "cycle": math.nan, "lost": 0}
        states = {"compute": "waiting" if address else "", "administrative": "waiting"}
        process.row = {"worker": address, "time": now, "until": now} | unknown | states
        self._recording.log(PROFILED.name).append([process.row])

    def take(self, address: str, data: bytes, now: float) -> bool:
        """Append what a process told; return whether it has more to tell."""
        process = self._processes.setdefault(address, _Process())
        try:
            message = _unpacked(data)
            return self._take(address, process, message, now)
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
            self._processes[address] = _Process(next=process.next, until=process.until)
            return False

    def _take(
        self, address: str, process: _Process, message: Mapping[str, Any], now: float
    ) -> bool:
        columns = _columns(message)
        self._take_names(process, message, columns)
        first, stop = ([int(one) for one in message[name]] for name in ("first", "next"))
        cycles = [after - before for before, after in zip(first, stop, strict=True)]
        sound = len(cycles) == 2 and min(*cycles, *first) >= 0 and max(stop) < MAX_CYCLES
        if not sound or sum(cycles) != len(columns["begin"]):
            raise ValueError("cycles do not fit")
        begin, end, rows = columns["begin"], columns["end"], columns["rows"].astype(np.int64)
        length = end - begin
        if not ((length > 0) & (length < MAX_CYCLE_S)).all() or int(rows.sum()) != message["rows"]:
            raise ValueError("cycles are no times")
        own = np.repeat([0, 1], cycles)
        number = np.concatenate([np.arange(a, b) for a, b in zip(first, stop, strict=True)])
        same = process.row.get("id") == message["id"]
        lost = 0
        new = np.ones(len(number), bool)
        for scope in range(2):
            known = process.next[scope]
            if same and known is not None:
                lost += max(first[scope] - known, 0) if not scope else 0
                new &= (own != scope) | (number >= known)
            else:
                new &= (own != scope) | (end > process.until[scope])
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
        """Write what is known of a process, if that is new."""
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
        process.row = {**row, "id": message["id"]}
        if process.row != before:
            self._recording.log(PROFILED.name).append([row])

    def _take_names(
        self, process: _Process, message: Mapping[str, Any], columns: Mapping[str, Cells]
    ) -> None:
        """Take in the names that are new of a process."""
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
            # Where there is no room for more, what was seen is of the stack that called it.
            stacks.append(names.intern(STACKS.name, (above, frame)) or above)
        process.id, process.tables = str(message["id"]), int(message["tables"])
        process.prefixes = _joined(old.prefixes, prefixes)
        process.frames, process.stacks = frames, _joined(old.stacks, stacks)

    def _frame(self, cells: Sequence[Any]) -> int:
        """Return the number of a function: line and source are those where it was seen first."""
        name, file, first_line, line, source = cells
        key = _text(name), _text(file), min(max(int(first_line), 0), 2**31)
        known = self._frames.get(key)
        if known is None:
            first = FRAMES.first[0]
            if key == first[:3]:
                known = 0
            else:
                item = (*key, min(max(int(line), 0), 2**31), _text(source))
                known = self._recording.names.intern(FRAMES.name, item)
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
        raise ValueError("it is cut off, or too long")
    message = msgpack.unpackb(text)
    if not isinstance(message, dict):
        raise TypeError("no message")
    return message


def _columns(message: Mapping[str, Any]) -> dict[str, Cells]:
    """Return the columns of a message."""
    sizes = {name: int(message[name]) for name in ("cycles", "stacks", "rows")}
    if min(sizes.values()) < 0 or max(sizes.values()) > MAX_ANSWER_BYTES:
        raise ValueError("sizes are none")
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


class ProfileTail:
    """Asks for the profile of one cluster in the background loop."""

    def __init__(
        self, client: ClientView, recording: RecordingStore, bandwidth: float, reader: str
    ) -> None:
        self.rows = ProfileRows(recording)
        self.failure = ""
        """Why nothing is read, if so."""
        self.with_agent = True
        """Whether there is an agent on the scheduler."""
        self._refused = False
        self._routes = ProfileRoutes()
        self._client = client
        self._bandwidth = bandwidth  # bytes a second
        self._reader = reader
        self._wanted: dict[str, float] = {}  # by who wants it, how often
        self._urgent = 0
        self._alarm = Alarm()
        self._answered = asyncio.Event()
        self._after = ""
        self._left: int | None = None
        self._agent = ""
        self._task: asyncio.Task[None] | None = None
        self._link: Link | None = None
        self._last = False  # nothing will be asked after the next question
        self._asked_s = -math.inf  # monotonic
        self._workers: list[str] | None = None  # after an answer that has all

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is missing."""
        if self.failure:
            return (notice("profile-not-read", error=self.failure),)
        if self._refused and self.with_agent:
            return (notice("profile-refused"),)
        if self.rows.unreadable:
            processes = count_text(len(self.rows.unreadable), "process", "processes")
            return (notice("profile-unreadable", count=processes),)
        return ()

    def start(self) -> None:
        """Begin to read, as soon as the agent is there. To be called in the loop."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._follow())

    async def finish(self, seconds: float) -> None:
        """Read what is left, also of the cycle that runs, but not for long."""
        if self._task is not None and self._link is not None and not self._task.done():
            self._last = True
            self._alarm.ring()
            await asyncio.wait({self._task}, timeout=seconds)

    def stop(self) -> None:
        """Read no more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def set_wanted(self, who: str, every_s: float | None) -> None:
        """Say how often somebody wants it read; None lets go. To be called in the loop."""
        before = self._every_s()
        if every_s is None:
            self._wanted.pop(who, None)
        else:
            self._wanted[who] = every_s
        if self._every_s() < before:
            self._alarm.ring()

    def _every_s(self) -> float:
        return min([IDLE_S, *self._wanted.values()])

    async def read_until(self, moment: float) -> None:
        """Wait until all is here that was sampled up to a moment, by the scheduler's clock.

        For ever, if a worker does not answer.
        """
        self._urgent += 1
        try:
            while self._task is not None and not self._task.done() and not self.failure:
                if self._workers is not None and self.rows.read_until(moment, self._workers):
                    return
                self._alarm.ring()
                self._answered.clear()
                await self._answered.wait()
        finally:
            self._urgent -= 1

    async def _follow(self) -> None:
        failures, pause_s = 0, FIRST_IDLE_S
        try:
            while True:
                await self._alarm.wait(pause_s)
                self._alarm.clear()
                last = self._last
                least_s = SHOWN_S if failures or self._by_routes else LEAST_S
                if not last:
                    await asyncio.sleep(max(self._asked_s + least_s - time.monotonic(), 0))
                self._asked_s = time.monotonic()
                try:
                    if self._link is None:  # maybe to another scheduler
                        self._link, self._refused = await Link.open(self._client), False
                    async with asyncio.timeout(ANSWER_S):
                        again_s = await self._ask(self._link, last)
                    failures, self.failure = 0, ""
                    pause_s = self._every_s() if again_s is None else again_s
                    if self._by_routes:
                        pause_s = max(pause_s, ROUTES_S)
                except Exception as error:  # noqa: BLE001 - whatever a cluster answers
                    failures += 1
                    if isinstance(error, HandlerRefused):
                        self.failure = f"the scheduler refuses `{error.op}`"
                        failures += 5
                    elif failures > 2:
                        self.failure = brief(error)
                    pause_s = min(SHOWN_S * 2**failures, LONGEST_PAUSE_S)
                    if self._link is not None:
                        self._link.abort()
                        self._link = None
                self._answered.set()
                if last:
                    return
        finally:
            self._answered.set()
            if self._link is not None:
                self._link.abort()

    @property
    def _by_routes(self) -> bool:
        return self._refused or not self.with_agent

    async def _ask(self, link: Link, last: bool) -> float | None:
        """Ask once; return after how many seconds there is more to be read."""
        if self._by_routes:
            await self._ask_routes(link)
            return None
        answer = await link.ask(
            agent.name() + "_profile",
            reader=self._reader,
            known=self.rows.known(),
            after=self._after,
            left=self._left,
            limit_bytes=int(self._bandwidth),
            last=last,
        )
        if answer is None:  # it will be there again soon, or never
            self._left, self._workers = None, None
            return None
        if answer.get("refused"):
            self._refused = True
            await self._ask_routes(link)
            return None
        now = answer["time"]
        more, size = bool(answer["next"]), 0
        said = answer["left"]
        for address, data in (*answer["workers"].items(), *said["items"]):
            size += len(data)
            more |= self.rows.take(address, data, now)
            await asyncio.sleep(0)
        self._left = said["first"] + len(said["items"])
        self._after = answer["next"]
        if answer["all"] is not None:
            self.rows.note_workers(answer["all"], now)
            self._workers = None if more else answer["all"]
        if not more:
            return None
        return max(size / self._bandwidth, LEAST_S)

    async def _ask_routes(self, link: Link) -> None:
        """Ask without our part in the workers."""
        async for address, data in self._routes.read(link, self.rows.known()):
            self.rows.take(address, data, time.time())
        self._workers = self._routes.workers
        self.rows.note_workers(self._workers, time.time())
