"""A cell that is over, as the flight recorder has it: for `%perfreport --last`.

Nothing is asked and nothing waits while cells run: the time and how far each recording was
are all that is noted, and once more how far with the first answer after the end, which tells
the rest. Tasks are told apart by when they stopped, on the scheduler's clock.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from daskscope.cells import of_notebook
from daskscope.errors import DaskscopeError, Notice
from daskscope.magics.first_line import without_first_line

if TYPE_CHECKING:
    from daskscope.collect.surroundings import Surroundings
    from daskscope.recording import RecordingStore
    from daskscope.recording.block_recording import Positions
    from daskscope.session import Session, Unsubscribe

COUNTED_AROUND: Final = Notice(
    "counted-around",
    "info",
    "What the scheduler had dropped before it was read, or could not be read, is counted from its "
    "last answer before the cell to its first one after it: some of it may be from just before or "
    "after the cell.",
    "Run the cell again with %%perfreport as its first line to know it exactly.",
)

NOT_TOLD: Final = Notice(
    "not-told",
    "warn",
    "The scheduler has not told yet what finished last: it is not here.",
    "Run %perfreport --last again in a moment.",
)


@dataclass(frozen=True, slots=True)
class PastCell:
    """One cell that ran; times are this computer's."""

    number: int | None
    code: str
    start: float
    stop: float
    positions: dict[str, Positions]
    """Where each session's recording was when it began."""
    ends: dict[str, End]
    """And when it was over."""
    exception: dict[str, str] | None

    @classmethod
    def of(
        cls, result: Any, start: float, stop: float, positions: dict[str, Positions]
    ) -> PastCell:
        """Return what is known of a cell that has just run, by IPython's result."""
        ends = {session.id: End(session, stop) for session in _sessions()}
        exception = None
        if (error := result.error_in_exec) is not None:
            from daskscope.block.facts import describe

            exception = describe(error)
        code = without_first_line(result.info.raw_cell)
        return cls(result.execution_count, code, start, stop, positions, ends, exception)

    @property
    def name(self) -> str:
        """What a notebook shows beside it."""
        return f"In [{self.number}]" if self.number else "the last cell"

    def forget(self) -> None:
        """Listen to no more answers: another cell is the last one."""
        for end in self.ends.values():
            end.forget()


class End:
    """How far a session's recording was when a cell was over."""

    def __init__(self, session: Session, stop: float) -> None:
        from daskscope.recording.block_recording import positions_of

        self._over_s = time.monotonic()
        self._stop = stop
        self.told = False
        """Whether that answer has come."""
        self.positions = positions_of(session._recording)
        """As it was read; then with what the first answer tells that was asked for afterwards."""
        self._over: Unsubscribe | None = None
        self._over = session.on_change(self._hear)

    def forget(self) -> None:
        """Listen to no more answers."""
        if self._over is not None:  # or it is heard before it is known how to stop: once more then
            self._over()

    def _hear(self, session: Session) -> None:
        from daskscope.recording.block_recording import Window, positions_of, positions_over

        collector = session._collector
        told = collector.answers.first_since(self._over_s)
        if told is None or not collector.has_all_of(told):
            return
        if not self.told:
            window = Window(stop=self._stop + session._clock_ahead_s)
            recording = session._recording
            now = positions_of(recording)
            self.positions = positions_over(recording, self.positions, now, window)
            self.told = True
        self.forget()


def positions() -> dict[str, Positions]:
    """Return how far the recording of each session is, by the session's id."""
    sessions = _sessions()
    if not sessions:
        return {}
    from daskscope.recording.block_recording import positions_of

    return {session.id: positions_of(session._recording) for session in sessions}


def _sessions() -> list[Session]:
    """Return the sessions, and import nothing where there are none."""
    listed = getattr(sys.modules.get("daskscope.session_list"), "sessions", None)
    return listed() if listed is not None else []


def recording_of(cell: PastCell, title: str | None) -> RecordingStore:
    """Return a cell as if it had been recorded as a block; without its figures."""
    from daskscope import collect
    from daskscope.collect.surroundings import Surroundings

    for session in _sessions():
        if not session._must_not_wait():
            session._catch_up()
    best = _best(cell)
    if best.session._must_not_wait():
        around = Surroundings(missing=("versions and logs: the client is asynchronous",))
    else:
        around = collect.submit(best.asked()).result()
    return best.recording(title, around)


async def awaited_recording_of(cell: PastCell, title: str | None) -> RecordingStore:
    """Return the same, where the clients may have to be awaited: nothing is missing."""
    from daskscope import collect

    for session in _sessions():
        await session.caught_up()
    best = _best(cell)
    around = await asyncio.wrap_future(collect.submit(best.asked()))
    return await asyncio.to_thread(best.recording, title, around)


def _best(cell: PastCell) -> _Found:
    """Return where most of the cell's tasks are."""
    found = [_Found(cell, session) for session in _sessions()]
    best = max(found, key=lambda one: one.tasks, default=None)
    if best is None or not best.tasks:
        raise _no_tasks(cell, found)
    return best


def _no_tasks(cell: PastCell, found: list[_Found]) -> DaskscopeError:
    if not all(one.told for one in found):
        return DaskscopeError(
            "no-tasks",
            f"The scheduler has not told yet what finished in {cell.name}, the cell that ran last.",
            NOT_TOLD.next,
        )
    recorded = "" if found else " No client is recorded, either."
    return DaskscopeError(
        "no-tasks",
        f"No task finished on a Dask cluster in {cell.name}, the cell that ran last.{recorded}",
        "Run the cell again with %%perfreport as its first line.",
    )


class _Found:
    """The tasks that a session has of a cell."""

    def __init__(self, cell: PastCell, session: Session) -> None:
        from daskscope.block.facts import heartbeat_s
        from daskscope.recording.block_recording import (
            Positions,
            Window,
            positions_of,
            tasks_within,
        )

        self._cell, self.session = cell, session
        ahead_s = session._clock_ahead_s
        self._window = Window(
            cell.start + ahead_s, cell.stop + ahead_s, heartbeat_s(len(session.workers))
        )
        self._since = cell.positions.get(session.id) or Positions()
        end = cell.ends.get(session.id)
        silent = session.state in ("lost", "stopped")  # of which a notice tells
        self.told = end is None or end.told or silent
        """Whether all is here that the scheduler tells of the cell."""
        self._over = end.positions if end is not None else self._since
        self._until = positions_of(session._recording)
        found = tasks_within(session._recording, self._since, self._until, self._window)
        self.tasks = sum(stop - first for first, stop in found)
        """How many there are."""

    async def asked(self) -> Surroundings:
        """Ask for versions and logs; to be awaited in the background loop."""
        from daskscope.block.facts import surroundings_of

        return await surroundings_of(self.session, self._window.start)

    def recording(self, title: str | None, around: Surroundings) -> RecordingStore:
        """Copy them, with what happened besides."""
        from daskscope.block.facts import facts_at_end, facts_at_start, new_block_recording

        session, cell, window = self.session, self._cell, self._window
        part = new_block_recording(session, self._since, window.start)
        copy = part.recording
        over, since = self._over, self._since
        part.note_present(session.workers, window)
        part.advance(replace(self._until, dropped_agent=over.dropped_agent), window, over)
        copy.log("logs").append(line for line in around.lines if line["time"] <= window.stop)
        part.name_workers()
        copy.about_facts = facts_at_start(
            session, title=title, code=cell.code, source=of_notebook(cell.name), start=window.start
        ) | facts_at_end(
            session,
            copy,
            since,
            over,
            start=window.start,
            stop=window.stop,
            around=around,
            exception=cell.exception,
        )
        if (over.dropped_agent, over.not_read) != (since.dropped_agent, since.not_read):
            copy.about_facts["missing"].append(COUNTED_AROUND.to_json())
        if not self.told:
            copy.about_facts["missing"].append(NOT_TOLD.to_json())
        copy.close()
        return copy
