"""A time that is over, as the flight recorder has it: recorded as if it had been a block."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from daskscope import collect
from daskscope.block.facts import (
    facts_at_start,
    heartbeat_s,
    new_block_recording,
    note_end,
    versions_and_logs_of,
)
from daskscope.collect.versions_and_logs import VersionsAndLogs
from daskscope.errors import Notice
from daskscope.recording.block_recording import Positions, Window, positions_of, tasks_within
from daskscope.schema import PROFILE_COUNTS, PROFILED
from daskscope.session import catch_up, must_not_wait, parts_of, read_profile

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore
    from daskscope.session import Session

COUNTED_AROUND: Final = Notice(
    "counted-around",
    "info",
    "Tasks that the scheduler dropped or that could not be read are counted from its last answer "
    "before the cell until now: some of them may belong to other cells.",
    "Run the cell again with %%perfreport as its first line for exact counts.",
)

NOT_TOLD: Final = Notice(
    "not-told",
    "warn",
    "The scheduler has not reported the latest tasks; they are missing.",
    "Run %perfreport --last again in a moment.",
)


class PastTasks:
    """The tasks that a session has of a past time, which ended at `over_s` of the monotonic clock.

    `before` and `after` are where its recording was around it.
    """

    def __init__(
        self,
        session: Session,
        start: float,
        stop: float,
        over_s: float,
        before: Positions | None,
        after: Positions | None,
    ) -> None:
        self._session, self._parts = session, parts_of(session)
        self._may_wait = not must_not_wait(session)
        if self._may_wait:
            catch_up(session)
        collector, store = self._parts.collector, self._parts.store
        ahead_s, beats_s = collector.clock.ahead_s, heartbeat_s(len(session.workers))
        self._window = Window(start + ahead_s, stop + ahead_s, beats_s)
        self._since = before or Positions()
        self._until, self._over = positions_of(store), after
        self.complete = session.state in ("lost", "stopped") or collector.has_all_since(over_s)
        """Whether the scheduler will report no more of them; a lost one has a notice."""
        found = tasks_within(store, self._since, self._until, self._window)
        self.count = sum(stop - first for first, stop in found)

    def recording(
        self, title: str | None, code: str, source: str, exception: dict[str, str] | None
    ) -> RecordingStore:
        """Copy them, with what happened besides."""
        session, window, since, until = self._session, self._window, self._since, self._until
        if self._may_wait:
            around = collect.wait(versions_and_logs_of(session, window.start))
            collect.wait(read_profile(session))
        else:
            around = VersionsAndLogs(missing=("versions and logs: the client is asynchronous",))
        late = positions_of(self._parts.store).tables
        tables = {name: late[name] for name in (PROFILE_COUNTS.name, PROFILED.name)}
        until = replace(until, tables={**until.tables, **tables})
        part = new_block_recording(session, since, window.start)
        part.note_present(session.workers, window)
        part.advance(until, window, self._over)
        copy = part.recording
        copy.about_facts = facts_at_start(
            session, title=title, code=code, source=source, start=window.start
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
            exception=exception,
        )
        if (until.dropped_agent, until.not_read) != (since.dropped_agent, since.not_read):
            copy.about_facts["missing"].append(COUNTED_AROUND.to_json())
        if not self.complete:
            copy.about_facts["missing"].append(NOT_TOLD.to_json())
        copy.close()
        return copy


def positions_now(sessions: list[Session]) -> dict[str, Positions]:
    """Return how far the recording of each session is, by the session's id."""
    return {session.id: positions_of(parts_of(session).store) for session in sessions}
