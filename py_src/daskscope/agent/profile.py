"""Packs the profile cycles of one process: functions and stacks by number, and their counts.

Runs inside workers and inside the scheduler, as `daskscope.agent.scheduler` does. distributed
samples the threads of tasks every 10 ms, and begins a new tree of functions, a cycle, every
second. The layout of an answer is described in docs/protocol.md, part A.
"""

from __future__ import annotations

import sys
import uuid
import zlib
from array import array
from time import thread_time, time
from typing import Any

import dask
import msgpack
from dask.utils import parse_timedelta
from distributed import profile

from daskscope.agent.packing import (
    MAX_NAME_CHARS,
    Interned,
    clamp,
    clean_text,
    describe_name,
    pack_column,
)

IN_ONE_OF = "in one of: "
MAX_ONE_OF = 5  # functions listed in such a name
MAX_FRAMES = 20_000  # with more frames or stacks, the tables of names are reset
MAX_STACKS = 100_000
MAX_FILE_CHARS = 1_000
MAX_SOURCE_CHARS = 300
MAX_ANSWER_ROWS = 20_000
MAX_ANSWER_S = 0.02  # CPU time for an answer, which has at least one new cycle
MAX_CYCLE_S = 3_600.0
COMPUTE, ADMINISTRATIVE = 0, 1
NOTHING_KNOWN = ["", 0, 0, 0, 0, None, None]


class ProfileCycles:
    """Answers with the cycles of one process, in two scopes: task threads and event loop.

    A reader sends what it knows: `id` of this object, number of the tables of names, number of
    names of each kind, and the next cycle of each scope. The tables are bounded: when they are
    full, they are reset and get a new number; the numbers of cycles go on.
    """

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex
        self.tables = 0
        self.histories = [_History(), _History()]
        self.begin_tables()

    def begin_tables(self) -> None:
        """Reset the tables of names; readers get all names again."""
        self.tables += 1
        self.prefixes = Interned(describe_name, first=[""])
        self.frames: list[list[Any]] = [["", "", 0, 0, ""]]
        self.frame_index: dict[str, int] = {}
        self.parents = array("I", [0])
        self.stack_frames = array("I", [0])
        self.stacks: dict[tuple[int, str], int] = {}

    def answer(self, known: Any, process: Any, last: bool = False) -> bytes:
        """Return the cycles that are new to a reader, and whether more are left.

        The `last` answer contains all of them and the current cycle.
        """
        begun = thread_time()
        if not known or known[0] != self.id:
            known = NOTHING_KNOWN
        if len(self.frames) > MAX_FRAMES or len(self.parents) > MAX_STACKS:
            self.begin_tables()
        counts = known[2:5] if known[1] == self.tables else [0, 0, 0]
        begins, ends, rows = array("d"), array("d"), array("I")
        cells = self.cells = array("I"), array("I"), array("I")  # prefix, stack, count
        firsts, numbers, more = [], [], False
        for scope, (history, cursor) in enumerate(zip(self.histories, known[5:])):
            cycles = process.cycles(scope)
            first = history.look(cycles, process.cycle_s)
            if last:
                cycles += process.unfinished(scope)
            stop = first + len(cycles)
            number = start = first if cursor is None else min(max(cursor, first), stop)
            while number < stop:
                late = len(cells[0]) > MAX_ANSWER_ROWS or thread_time() - begun > MAX_ANSWER_S
                if late and not last and begins:
                    more = True
                    break
                at, before = number - first, len(cells[0])
                end, found = cycles[at]
                length = end - cycles[at - 1][0] if at else process.cycle_s
                if not 0 < length < MAX_CYCLE_S:
                    length = process.cycle_s
                if scope == COMPUTE:
                    for prefix, state in found.items():
                        self.walk(state, self.prefixes.add(prefix), exact=False)
                else:
                    self.walk(found, 0, exact=True)
                    end += process.ahead_s  # compute cycles already use the scheduler's clock
                begins.append(end - length)
                ends.append(end)
                rows.append(len(cells[0]) - before)
                number += 1
            firsts.append(start)
            numbers.append(number)
        names = self.prefixes.described[counts[0] :], self.frames[counts[1] :]
        stacks = self.parents[counts[2] :], self.stack_frames[counts[2] :]
        columns: tuple[Any, ...] = begins, ends, rows, *stacks, *cells
        message = {
            "id": self.id,
            "tables": self.tables,
            "known": counts,
            "prefixes": names[0],
            "frames": names[1],
            "stacks": len(stacks[0]),
            "first": firsts,
            "next": numbers,
            "more": more,
            "cycles": len(begins),
            "rows": len(cells[0]),
            "interval": process.interval_s,
            "cycle": process.cycle_s,
            "states": process.states,
            "now": time() + process.ahead_s,
            "data": b"".join([pack_column(column) for column in columns]),
        }
        return zlib.compress(msgpack.packb(message), 1)

    def walk(self, state: Any, prefix: int, exact: bool) -> None:
        """Append the self counts of a tree: samples in which a stack was the innermost one.

        Unless `exact`, distributed does not count the last function of a stack: if a function has
        more samples than its callees together, the difference belongs to a callee.
        """
        stacks, (prefixes, numbers, counts) = self.stacks, self.cells
        todo = [(state, 0)]
        number: Any = 0
        while todo:
            node, at = todo.pop()
            own, children = node["count"], node["children"]
            for ident, child in children.items():
                number = stacks.get((at, ident))
                if number is None:
                    number = self.add_stack(at, ident, child["description"])
                count = child["count"]
                if count:
                    own -= count
                    todo.append((child, number))
            if own > 0:
                if children and not exact:
                    at = number if len(children) == 1 else self.one_of(at, children)
                prefixes.append(prefix)
                numbers.append(at)
                counts.append(own)

    def one_of(self, at: int, children: Any) -> int:
        """Return a stack for samples that belong to an unknown one of several callees."""
        called = sorted({str(child["description"]["name"]) for child in children.values()})
        if len(called) > MAX_ONE_OF:
            called = [*called[:MAX_ONE_OF], "…"]
        name = IN_ONE_OF + ", ".join(called)
        number = self.stacks.get((at, name))
        about = {"name": name, "filename": "", "line_number": 0, "line": ""}
        return self.add_stack(at, name, about) if number is None else number

    def add_stack(self, parent: int, ident: str, about: Any) -> int:
        """Add a stack, and return its number."""
        frame = self.frame_index.get(ident)
        if frame is None:
            frame = self.frame_index[ident] = len(self.frames)
            self.frames.append(described_frame(ident, about))
        number = self.stacks[parent, ident] = len(self.parents)
        self.parents.append(parent)
        self.stack_frames.append(frame)
        return number


def described_frame(ident: str, about: Any) -> list[Any]:
    """Return what to send for a function: name, file, first line, a sampled line, its source."""
    file, name = str(about["filename"]), str(about["name"])
    _, _, line = ident.rpartition(";")  # name;file;first line
    return [
        clean_text(name, MAX_NAME_CHARS),
        clean_text(file, MAX_FILE_CHARS),
        int(line) if line.isdecimal() and len(line) < 9 else 0,
        min(max(clamp(about["line_number"]), 0), 2**31),
        clean_text(str(about["line"]).strip(), MAX_SOURCE_CHARS),
    ]


class _History:
    """Numbers the cycles in a list of distributed, which drops old ones."""

    def __init__(self) -> None:
        self.latest: Any = None
        self.next = 0  # number of the next one

    def look(self, cycles: list[Any], cycle_s: float) -> int:
        """Number the cycles in the list; return the number of the first one."""
        new = 0
        for cycle in reversed(cycles):
            if cycle is self.latest:
                break
            new += 1
        else:
            if self.latest is not None and cycles:  # count cycles that were dropped in between
                gone_s = cycles[0][0] - self.latest[0]
                new += max(round(gone_s / cycle_s) - 1, 0)
        self.next += new
        self.latest = cycles[-1] if cycles else None
        return self.next - len(cycles)


class ProfiledProcess:
    """The profile that distributed keeps in a worker or in the scheduler."""

    def __init__(self, server: Any) -> None:
        self.server = server
        callbacks = server.periodic_callbacks
        self.compute = hasattr(server, "profile_keys_history")
        enabled = dask.config.get("distributed.worker.profile.enabled", True)
        running = not self.compute or "profile" in callbacks
        interval = dask.config.get("distributed.worker.profile.interval", "10ms")
        cycle = dask.config.get("distributed.worker.profile.cycle", "1000ms")
        self.interval_s = parse_timedelta(interval, default="ms")
        self.cycle_s = parse_timedelta(cycle, default="ms")
        if self.compute and running:
            self.interval_s = callbacks["profile"].callback_time / 1_000
            self.cycle_s = callbacks["profile-cycle"].callback_time / 1_000
        administrative = "ok" if enabled else "off"
        if enabled and sys.version_info[:2] == (3, 11) and not server.io_loop.profile:
            administrative = "python-3.11"  # distributed does not sample event loops there
        compute = ("ok" if running else "off") if self.compute else ""
        self.states = [compute, administrative]

    @property
    def ahead_s(self) -> float:
        """Seconds by which the scheduler's clock is ahead of this process's."""
        return float(getattr(self.server, "scheduler_delay", 0.0))

    def cycles(self, scope: int) -> list[Any]:
        """Return the completed cycles: the end of each, and its tree or its trees by prefix."""
        if scope == COMPUTE:
            return [*self.server.profile_keys_history] if self.compute else []
        with profile.lock:  # distributed's sampling thread appends a cycle before it is counted
            return [*self.server.io_loop.profile]

    def unfinished(self, scope: int) -> list[Any]:
        """Return the current cycle, with now as its end."""
        if scope != COMPUTE or not self.compute or not self.server.profile_keys:
            return []
        return [(time() + self.ahead_s, dict(self.server.profile_keys))]
