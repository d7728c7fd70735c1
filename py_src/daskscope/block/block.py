"""`with daskscope.record() as rec`: records a block of code separately."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from daskscope import collect
from daskscope.atomic_files import text_of
from daskscope.block.facts import (
    HEARTBEAT_SLACK_S,
    checked_text,
    describe,
    facts_at_start,
    heartbeat_s,
    new_block_recording,
    not_asked,
    note_end,
    versions_and_logs_of,
)
from daskscope.block.writing import Writing
from daskscope.cell_monitor import cell_name
from daskscope.collect.snapshots import cluster_sample
from daskscope.collect.versions_and_logs import VersionsAndLogs
from daskscope.errors import DaskscopeError
from daskscope.files.target import LocalTarget
from daskscope.recording import Recording
from daskscope.recording.block_recording import BlockRecording, Positions, Window, positions_of
from daskscope.recording.recording_store import about_of
from daskscope.session import (
    catch_up,
    catch_up_async,
    catch_up_since,
    must_not_wait,
    parts_of,
    read_profile,
)
from daskscope.session_list import hold_session, release_session

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from concurrent.futures import Future
    from os import PathLike

    from distributed import Client

    from daskscope.recording import RecordingStore
    from daskscope.session import Session

T = TypeVar("T")

FOLLOW_S: Final = 30.0

INTERRUPTED: Final = VersionsAndLogs(missing=("versions and logs: the end was interrupted",))


def record(
    client: Client | None = None,
    path: str | PathLike[str] | None = None,
    *,
    title: str | None = None,
    code: str = "",
) -> Block[Recording]:
    """Record what happens during a block of code, and nothing else.

    The recording is complete when the block has ended:

    >>> import daskscope
    >>> from distributed import Client
    >>> options = {"n_workers": 1, "processes": False, "dashboard_address": ":0"}
    >>> with Client(**options) as client, daskscope.record(title="Squares") as rec:
    ...     sum(client.gather(client.map(pow, range(10), [2] * 10)))
    285
    >>> rec.counts.kept, len(rec.errors), rec.about["title"]
    (10, 0, 'Squares')

    ``rec.tasks`` and so on are DataFrames; ``rec.save("run.daskscope")`` writes a file.

    With a `path`, the file is written while the block runs and is complete when the block
    ends, even if it raises; the library keeps a copy. `title` and `code` appear in reports.
    With an asynchronous client use ``async with daskscope.record()``.
    """
    return Block(client, path, title=title, code=code)


@dataclass(slots=True)
class _End:
    """The facts about the end of a block, completed step by step."""

    over_s: float
    """Time of the end on the monotonic clock."""
    stop: float
    """By the recording's clock: its start plus the measured duration."""
    clock: float
    """The end by the scheduler's clock, as now estimated."""
    at_once: Positions
    until: Positions
    """The positions with everything that finished before the end."""
    late: Positions
    """The positions after the next heartbeat."""
    versions_and_logs: VersionsAndLogs = INTERRUPTED


class Block(Generic[T]):
    """One block of code that is recorded. It can be entered once."""

    def __init__(
        self,
        client: Client | None = None,
        path: str | PathLike[str] | None = None,
        *,
        title: str | None = None,
        code: str = "",
    ) -> None:
        # A wrong path is an error before anything runs.
        self._place = LocalTarget(text_of(path)) if path is not None else None
        self._client = client
        self._title = None if title is None else checked_text(title, "title")
        self._code = checked_text(code, "code")
        self._source = cell_name()
        self._session: Session
        self._copier: BlockRecording
        self._since: Positions
        self._facts: dict[str, Any]
        self._began_s: float  # monotonic
        self._writing: Writing | None = None
        self._following: Future[Any] | None = None
        self._holding = False

    @property
    def recording(self) -> Recording:
        """What was recorded."""
        return Recording(self.core)

    @property
    def core(self) -> RecordingStore:
        """The recording as daskscope's own code uses it."""
        return self._copier.recording

    def _enter_result(self) -> T:
        """Return the object of `with … as`."""
        return cast("T", self.recording)

    def _on_end(self, error: BaseException | None) -> None:
        """Called when the recording is complete, with the exception of the block."""

    def abandon(self) -> None:
        """Stop recording without writing anything; a block that has ended is not changed."""
        if not self._holding:
            return
        try:
            if self._writing is not None:
                self._writing.abandon()
        finally:
            self._release()

    # -- begin and end --------------------------------------------------------

    def __enter__(self) -> T:
        with self._abandoned_on_failure():
            if must_not_wait(self._hold()):
                raise DaskscopeError(
                    "asynchronous-client",
                    "This Dask client is asynchronous, so a plain with cannot wait for it.",
                    "Write async with … instead of with ….",
                )
            collect.wait(catch_up_since(self._session, time.monotonic()))
            return self._begin()

    async def __aenter__(self) -> T:
        with self._abandoned_on_failure():
            await self._hold()
            await collect.awaited(catch_up_since(self._session, time.monotonic()))
            return self._begin()

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        end = self._over()
        try:
            collect.wait(self._ask(end))
        finally:  # even after an interrupt, with the data so far
            self._end(end, error)

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        end = self._over()
        try:
            await collect.awaited(self._ask(end))
        finally:  # in a thread: packing would block the loop, which may be the scheduler's
            await _shielded(asyncio.to_thread(self._end, end, error))

    @contextmanager
    def _abandoned_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.abandon()
            raise

    async def _ask(self, end: _End) -> None:
        """Request what is still missing at the end; runs in the background loop."""
        try:
            await catch_up_since(self._session, end.over_s)
            self._note_reported(end)
            await asyncio.gather(self._heartbeats(), read_profile(self._session))
            await catch_up_async(self._session, sampled=True)
            end.late = self._positions()
            end.versions_and_logs = await versions_and_logs_of(self._session, self._facts["start"])
        except Exception as why:  # noqa: BLE001 - keep what was recorded
            end.versions_and_logs = not_asked(why)

    async def _follow(self) -> None:
        """Copy rows of series regularly: the session keeps them as measured only for a while."""
        while True:
            await asyncio.sleep(FOLLOW_S)
            self._copier.advance_series()

    async def _heartbeats(self) -> None:
        """Wait until every worker has sent its metrics once more."""
        session = self._session
        if not session.closed:
            await asyncio.sleep(heartbeat_s(len(session.workers)) + HEARTBEAT_SLACK_S)

    def _hold(self) -> Session:
        self._session = hold_session(self._client)
        self._holding = True
        return self._session

    def _release(self) -> None:
        if self._following is not None:
            self._following.cancel()
        if self._holding:
            self._holding = False
            release_session(self._session)

    def _begin(self) -> T:
        session = self._session
        start, self._began_s = self._now(), time.monotonic()
        self._facts = facts_at_start(
            session, title=self._title, code=self._code, source=self._source, start=start
        )
        self._since = self._positions()
        self._copier = new_block_recording(session, self._since, start)
        recording, workers = self._copier.recording, session.workers
        recording.about_facts = dict(self._facts)
        self._copier.note_present(workers, Window(start))
        if workers:  # as last seen, because the next sample may be a second away
            recording.series("system").append(cluster_sample(workers, start), now=start)
        self._following = collect.submit(self._follow())
        if self._place is not None:
            self._writing = Writing(self._copier, parts_of(session).store, self._place, self._facts)
        return self._enter_result()

    def _now(self) -> float:
        """Return the time by the scheduler's clock, which all recorded times use."""
        return time.time() + parts_of(self._session).collector.clock.ahead_s

    def _positions(self) -> Positions:
        return positions_of(parts_of(self._session).store)

    def _note_reported(self, end: _End) -> None:
        """Note the positions of the first answer of the scheduler after the end."""
        end.until = end.late = self._positions()
        next_task = parts_of(self._session).collector.next_task_at(end.over_s)
        if next_task is not None:
            task = max(end.at_once.task, min(end.until.task, next_task))
            end.until = replace(end.until, task=task)

    def _over(self) -> _End:
        """Note when the block ended."""
        # Not a difference of two scheduler times, because the estimate of its clock improves.
        over_s, clock = time.monotonic(), self._now()
        stop = self._facts["start"] + over_s - self._began_s
        if self._writing is not None:
            self._writing.halt()
        at_once = self._positions()
        self._copier.halt()
        return _End(over_s, stop, clock, at_once, at_once, at_once)

    def _end(self, end: _End, error: BaseException | None) -> None:
        session, copier = self._session, self._copier
        recording = copier.recording
        try:
            if end.until is end.at_once:  # interrupted before the scheduler answered
                catch_up(session, sampled=True)
                self._note_reported(end)
            if self._writing is not None:
                self._writing.wait()
            copier.advance(end.at_once)
            until = replace(end.late, task=end.until.task, dropped_agent=end.until.dropped_agent)
            beats_s = heartbeat_s(len(session.workers))
            copier.advance(
                until, Window(stop=end.clock, heartbeat_s=beats_s, late_s=inf), end.until
            )
            recording.about_facts = dict(self._facts)
            note_end(
                session,
                copier,
                self._since,
                end.until,
                start=self._facts["start"],
                stop=end.stop,
                clock=end.clock,
                versions_and_logs=end.versions_and_logs,
                exception=describe(error),
                asked=end.until.progress is not end.at_once.progress,
            )
            recording.about_facts = about_of(recording)
            if self._writing is not None:
                self._writing.finish(quiet=error is not None)
                self._writing.put_into_library()
        finally:
            recording.close()
            try:
                if self._writing is not None:
                    self._writing.close()
            finally:
                self._release()
                self._on_end(error)


async def _shielded(work: Coroutine[Any, Any, None]) -> None:
    """Wait for `work` even if this task is cancelled; the cancellation follows."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
