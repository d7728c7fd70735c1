"""Makes a recording of a cell that has already run, as if it had been a block."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from daskscope import collect
from daskscope.block.facts import (
    describe,
    facts_at_start,
    heartbeat_s,
    new_block_recording,
    note_end,
    versions_and_logs_of,
)
from daskscope.cell_monitor import of_notebook
from daskscope.collect.versions_and_logs import VersionsAndLogs
from daskscope.errors import DaskscopeError, Notice
from daskscope.recording.block_recording import Positions, Window, positions_of, tasks_within
from daskscope.schema import PROFILE_COUNTS, PROFILED
from daskscope.session import catch_up, must_not_wait, parts_of, read_profile
from daskscope.session_list import sessions

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore
    from daskscope.session import Session

COUNTED_AROUND: Final = Notice(
    "counted-around",
    "info",
    "Dropped and unreadable tasks are counted from the scheduler's last answer before the cell "
    "until now, so they may include tasks of other cells.",
    "Run the cell again with %%perfreport as its first line for exact counts.",
)

NOT_REPORTED: Final = Notice(
    "not-reported",
    "warn",
    "The scheduler has not reported the latest tasks; they are missing.",
    "Run %perfreport --last again in a moment.",
)


class _Found(NamedTuple):
    """How many tasks of a cell a session has, and where."""

    tasks: int
    complete: bool
    """Whether no more of them will be reported; a lost scheduler has a notice."""
    session: Session
    window: Window
    until: Positions


def positions() -> dict[str, Positions]:
    """Return the current positions in each session's recording, by the session's id."""
    return {session.id: positions_of(parts_of(session).store) for session in sessions()}


class LastCell:
    """A cell that has just run; its times are by this computer's clock.

    `before` are the positions of the recordings when it began.
    """

    def __init__(
        self,
        number: int | None,
        code: str,
        start: float,
        before: dict[str, Positions],
        error: BaseException | None,
    ) -> None:
        self.stop, self._stop_s = time.time(), time.monotonic()
        self._name = f"In [{number}]" if number else "the last cell"
        self._code, self._start, self._exception = code, start, describe(error)
        self._before, self._after = before, positions()

    def recording(self, title: str | None) -> RecordingStore:
        """Return a recording of the cell, without a summary, from the session with most tasks."""
        found = [self._find(session) for session in sessions()]
        best = max(found, key=lambda one: one.tasks, default=None)
        if best is not None and best.tasks:
            return self._copy(best, title)
        if not all(one.complete for one in found):
            raise DaskscopeError(
                "not-reported",
                f"The scheduler has not reported the tasks of {self._name}, the last cell.",
                NOT_REPORTED.next,
            )
        raise DaskscopeError(
            "no-tasks",
            f"No task finished on a recorded Dask cluster in {self._name}, the last cell.",
            "Run the cell again with %%perfreport as its first line.",
        )

    def _find(self, session: Session) -> _Found:
        if not must_not_wait(session):
            catch_up(session)
        collector, store = parts_of(session).collector, parts_of(session).store
        ahead_s, beats_s = collector.clock.ahead_s, heartbeat_s(len(session.workers))
        window = Window(self._start + ahead_s, self.stop + ahead_s, beats_s)
        until = positions_of(store)
        complete = session.state in ("lost", "stopped") or collector.has_all_since(self._stop_s)
        tasks = tasks_within(store, self._since(session), until, window)
        return _Found(sum(stop - first for first, stop in tasks), complete, session, window, until)

    def _since(self, session: Session) -> Positions:
        return self._before.get(session.id) or Positions()

    def _copy(self, found: _Found, title: str | None) -> RecordingStore:
        """Copy the tasks, and what else happened while the cell ran."""
        _, complete, session, window, until = found
        since = self._since(session)
        if must_not_wait(session):
            versions_and_logs = VersionsAndLogs(
                missing=("versions and logs: the client is asynchronous",)
            )
        else:
            versions_and_logs = collect.wait(versions_and_logs_of(session, window.start))
            collect.wait(read_profile(session))
        late = positions_of(parts_of(session).store).tables
        tables = {name: late[name] for name in (PROFILE_COUNTS.name, PROFILED.name)}
        until = replace(until, tables={**until.tables, **tables})
        copier = new_block_recording(session, since, window.start)
        copier.note_present(session.workers, window)
        copier.advance(until, window, self._after.get(session.id))
        copy = copier.recording
        copy.about_facts = facts_at_start(
            session,
            title=title,
            code=self._code,
            source=of_notebook(self._name),
            start=window.start,
        )
        note_end(
            session,
            copier,
            since,
            until,
            start=window.start,
            stop=window.stop,
            clock=window.stop,
            versions_and_logs=versions_and_logs,
            exception=self._exception,
        )
        if (until.dropped_agent, until.not_read) != (since.dropped_agent, since.not_read):
            copy.about_facts["missing"].append(COUNTED_AROUND.to_json())
        if not complete:
            copy.about_facts["missing"].append(NOT_REPORTED.to_json())
        copy.close()
        return copy
