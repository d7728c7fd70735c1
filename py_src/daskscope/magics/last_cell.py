"""The last cell, as the flight recorder has it: for `%perfreport --last`.

While cells run, only their times and the positions of the recordings are noted. Tasks are
assigned to a cell by when they stopped, on the scheduler's clock.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from daskscope.cell_monitor import of_notebook
from daskscope.errors import DaskscopeError, Notice
from daskscope.magics.options import without_first_line

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore
    from daskscope.recording.block_recording import Positions
    from daskscope.session import Session

COUNTED_AROUND: Final = Notice(
    "counted-around",
    "info",
    "What the scheduler dropped before it was read, or could not be read, is counted from its "
    "last answer before the cell until now: some of it may be from before or after the cell.",
    "Run the cell again with %%perfreport as its first line to know it exactly.",
)

NOT_TOLD: Final = Notice(
    "not-told",
    "warn",
    "The scheduler has not reported the latest tasks; they are missing.",
    "Run %perfreport --last again in a moment.",
)


@dataclass(frozen=True, slots=True)
class LastCell:
    """One cell that ran; times are this computer's."""

    number: int | None
    code: str
    start: float
    stop: float
    over_s: float
    """Its end on the monotonic clock."""
    positions: dict[str, Positions]
    """Where each session's recording was when it began."""
    ends: dict[str, Positions]
    """And when it was over."""
    exception: dict[str, str] | None

    @classmethod
    def of(cls, result: Any, start: float, before: dict[str, Positions]) -> LastCell:
        """Return what is known of a cell that has just run, from IPython's result."""
        stop, over_s = time.time(), time.monotonic()
        exception = None
        if (error := result.error_in_exec) is not None:
            from daskscope.block.facts import describe

            exception = describe(error)
        code, number = without_first_line(result.info.raw_cell), result.execution_count
        return cls(number, code, start, stop, over_s, before, positions(), exception)

    @property
    def name(self) -> str:
        """What a notebook shows beside it."""
        return f"In [{self.number}]" if self.number else "the last cell"


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


def recording_of(cell: LastCell, title: str | None) -> RecordingStore:
    """Return the tasks of a cell as if it had been recorded as a block; without its figures."""
    found = [_Found(cell, session) for session in _sessions()]
    best = max(found, key=lambda one: one.tasks, default=None)
    if best is not None and best.tasks:
        return best.recording(title)
    if not all(one.told for one in found):
        raise DaskscopeError(
            "no-tasks",
            f"The scheduler has not reported the tasks of {cell.name}, the cell that ran last.",
            NOT_TOLD.next,
        )
    recorded = "" if found else " No client is recorded, either."
    raise DaskscopeError(
        "no-tasks",
        f"No task finished on a Dask cluster in {cell.name}, the cell that ran last.{recorded}",
        "Run the cell again with %%perfreport as its first line.",
    )


class _Found:
    """The tasks that a session has of a cell."""

    def __init__(self, cell: LastCell, session: Session) -> None:
        from daskscope.block.facts import heartbeat_s
        from daskscope.recording.block_recording import (
            Positions,
            Window,
            positions_of,
            tasks_within,
        )

        self._cell, self._session = cell, session
        if not session._must_not_wait():
            session._catch_up()
        ahead_s, beats_s = session._clock_ahead_s, heartbeat_s(len(session.workers))
        self._window = Window(cell.start + ahead_s, cell.stop + ahead_s, beats_s)
        self._since = cell.positions.get(session.id) or Positions()
        ended = session.state in ("lost", "stopped")
        self.told = ended or session._collector.has_all_since(cell.over_s)
        """Whether the scheduler will report no more of the cell; a lost one has a notice."""
        self._over = cell.ends.get(session.id)
        self._until = positions_of(session._recording)
        found = tasks_within(session._recording, self._since, self._until, self._window)
        self.tasks = sum(stop - first for first, stop in found)
        """How many there are."""

    def recording(self, title: str | None) -> RecordingStore:
        """Copy them, with what happened besides."""
        from daskscope import collect
        from daskscope.block.facts import (
            facts_at_start,
            new_block_recording,
            note_end,
            versions_and_logs_of,
        )
        from daskscope.collect.versions_and_logs import VersionsAndLogs
        from daskscope.recording.block_recording import positions_of
        from daskscope.schema import PROFILE_COUNTS, PROFILED

        session, cell, window = self._session, self._cell, self._window
        if session._must_not_wait():
            around = VersionsAndLogs(missing=("versions and logs: the client is asynchronous",))
        else:
            around = collect.submit(versions_and_logs_of(session, window.start)).result()
        since, until = self._since, self._until
        session._read_profile()
        late = positions_of(session._recording).tables
        tables = {name: late[name] for name in (PROFILE_COUNTS.name, PROFILED.name)}
        until = replace(until, tables={**until.tables, **tables})
        part = new_block_recording(session, since, window.start)
        copy = part.recording
        part.note_present(session.workers, window)
        part.advance(until, window, self._over)
        copy.about_facts = facts_at_start(
            session, title=title, code=cell.code, source=of_notebook(cell.name), start=window.start
        )
        note_end(
            session,
            part,
            since,
            until,
            start=window.start,
            stop=window.stop,
            clock=window.stop,
            around=around,
            exception=cell.exception,
        )
        if (until.dropped_agent, until.not_read) != (since.dropped_agent, since.not_read):
            copy.about_facts["missing"].append(COUNTED_AROUND.to_json())
        if not self.told:
            copy.about_facts["missing"].append(NOT_TOLD.to_json())
        copy.close()
        return copy
