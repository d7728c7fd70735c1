"""A cell that is over, as the flight recorder has it: for `%perfreport --last`.

Nothing is asked and nothing waits while cells run: the time and how far each recording was
are all that is noted. Tasks are told apart by when they stopped, on the scheduler's clock.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import DaskscopeError
from daskscope.magics.first_line import without_first_line

if TYPE_CHECKING:
    from daskscope.block import Block
    from daskscope.collect.surroundings import Surroundings
    from daskscope.recording.logs import Log
    from daskscope.recording.part import Mark
    from daskscope.session import Session

LATE_S: Final = 0.1
"""Clocks of workers are known to so much: the last task may seem to stop after the cell."""


@dataclass(frozen=True, slots=True)
class PastCell:
    """One cell that ran; times are this computer's."""

    number: int | None
    code: str
    start: float
    stop: float
    marks: dict[str, Mark]
    exception: dict[str, str] | None

    @classmethod
    def of(cls, result: Any, start: float, stop: float, marks: dict[str, Mark]) -> PastCell:
        """Return what is known of a cell that has just run, by IPython's result."""
        exception = None
        if (error := result.error_in_exec) is not None:
            from daskscope.block import _describe

            exception = _describe(error)
        code = without_first_line(result.info.raw_cell)
        return cls(result.execution_count, code, start, stop, marks, exception)

    @property
    def name(self) -> str:
        """What a notebook shows beside it."""
        return f"In [{self.number}]" if self.number else "the last cell"


def marks() -> dict[str, Mark]:
    """Return how far the recording of each session is, by the session's id."""
    listed = getattr(sys.modules.get("daskscope.session"), "sessions", None)
    sessions: list[Session] = listed() if listed is not None else []
    if not sessions:
        return {}
    from daskscope.recording.part import mark

    return {session.id: mark(session._recording) for session in sessions}


def block_of(cell: PastCell, title: str | None) -> Block:
    """Return a cell as if it had been recorded as a block."""
    from daskscope.session import sessions

    found = [_Found(cell, session) for session in sessions()]
    best = max(found, key=lambda one: one.tasks, default=None)
    if best is None or not best.tasks:
        recorded = "" if found else " No client is recorded, either."
        raise DaskscopeError(
            "no-tasks",
            f"No task finished on a Dask cluster in {cell.name}, the cell that ran last.{recorded}",
            "Run the cell again with %%perfreport as its first line.",
        )
    return best.block(title)


class _Found:
    """The tasks that a session has of a cell."""

    def __init__(self, cell: PastCell, session: Session) -> None:
        from daskscope.recording.part import Mark, mark

        if not session._must_not_wait():
            session._catch_up()
        self._cell, self._session = cell, session
        self._source = session._recording
        ahead_s = session._clock_ahead_s
        self._start, self._stop = cell.start + ahead_s, cell.stop + ahead_s
        self._since = cell.marks.get(session.id) or Mark()
        self._until = mark(self._source)
        numbers = self._numbers()
        self._first = min(numbers, default=self._until.task)
        self._end = max(numbers, default=self._until.task - 1) + 1

    @property
    def tasks(self) -> int:
        """How many there are."""
        return self._end - self._first

    def _numbers(self) -> list[int]:
        """Return first and last number, chunk by chunk: tasks are numbered as they finish."""
        import numpy as np

        found: list[int] = []
        first = self._since.task
        for chunk in self._source.chunks_of(first, self._until.task):
            rows = chunk.rows_of(first, chunk.stop)
            tasks, at = np.unique(chunk.columns["task"][rows], return_index=True)
            if len(tasks):
                stops = chunk.columns["start"][rows] + chunk.columns["duration"][rows]
                last = np.maximum.reduceat(stops, at)
                inside = tasks[(last > self._start) & (last <= self._stop + LATE_S)]
                found += [int(number) for number in inside[[0, -1]]] if len(inside) else []
        erred = self._source.error_log.since(self._since.errors)
        return found + [
            error.task
            for error in erred
            if error.task >= first and self._start < error.time <= self._stop + LATE_S
        ]

    def block(self, title: str | None) -> Block:
        """Copy them, with what happened besides."""
        from daskscope import collect
        from daskscope.block import SURROUNDINGS_S, Block, heartbeat_s
        from daskscope.collect.surroundings import Surroundings, surroundings
        from daskscope.recording.part import Part
        from daskscope.report.html import note_figures

        session = self._session
        if session._must_not_wait():
            around = Surroundings(missing=("versions and logs: the client is asynchronous",))
        else:
            asked = surroundings(session._client, self._start, SURROUNDINGS_S)
            around = collect.submit(asked).result()
        limits = session._limits
        since, until = self._marks(heartbeat_s(len(session.workers)))
        part = Part(
            self._source,
            since,
            memory_limit=limits.memory_limit,
            disk_limit=limits.disk_limit,
            overflow=limits.overflow,
            directory=limits.directory,
        )
        part.advance(until)
        recording = part.recording
        threads = {worker["address"]: worker["threads"] for worker in session.workers}
        recording.note_present(threads, self._start)
        recording.append_lines([line for line in around.lines if line.time <= self._stop])
        recording.about_facts = self._facts(title, around)
        note_figures(recording)
        recording.close()
        block = Block(session.client)
        block._part = part
        return block

    def _marks(self, heartbeat_s: float) -> tuple[Mark, Mark]:
        """Return from where to where the cell goes in each list."""
        source, start, stop = self._source, self._start, self._stop
        late = stop + heartbeat_s  # what is sampled comes with heartbeats
        since, until = self._since, self._until
        errors = _within(source.error_log, since.errors, start, stop + LATE_S)
        changes = _within(source.change_log, since.changes, start, stop)
        events = _within(source.event_log, since.events, start, stop)
        cluster = _within(source.cluster_log, since.cluster, start, late)
        scheduler = _within(source.scheduler_log, since.scheduler, start, late)
        ends = [
            {
                "task": (self._first, self._end)[end],
                "errors": errors[end],
                "changes": changes[end],
                "events": events[end],
                "cluster": cluster[end],
                "scheduler": scheduler[end],
            }
            for end in (0, 1)
        ]
        return replace(since, **ends[0]), replace(until, **ends[1])

    def _facts(self, title: str | None, around: Surroundings) -> dict[str, Any]:
        """Return what `daskscope.record` says of a block."""
        from daskscope.block import _user
        from daskscope.version import installed_version

        session = self._session
        missing = [
            {"code": "not-asked", "level": "warn", "text": text, "next": ""}
            for text in around.missing
        ]
        return {
            "title": title or "",
            "code": self._cell.code,
            "source": self._cell.name,
            "start": self._start,
            "stop": self._stop,
            "duration": self._stop - self._start,
            "user": _user(),
            "host": platform.node(),
            "cluster": session.name,
            "scheduler": session.address,
            "daskscope": installed_version(),
            "workers": [dict(worker) for worker in session.workers],
            "versions": around.versions,
            "missing": [*(notice.to_json() for notice in session.notices), *missing],
            "exception": self._cell.exception,
        }


def _within(log: Log[Any], first: int, start: float, stop: float) -> tuple[int, int]:
    """Return which entries of a log, from number `first` on, are of a time."""
    end = log.next
    times = [entry.time for entry in log.between(first, end)]
    return end - sum(t >= start for t in times), end - sum(t > stop for t in times)
