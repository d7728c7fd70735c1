"""`with daskscope.record() as rec`: what happens in a block of code, as a recording of its own."""

from __future__ import annotations

import asyncio
import getpass
import os
import platform
import threading
import time
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from daskscope import collect
from daskscope.collect.surroundings import Surroundings, surroundings
from daskscope.collect.worker_snapshots import cluster_sample
from daskscope.errors import DaskscopeError
from daskscope.recording import Recording
from daskscope.recording.file_writer import FileWriter
from daskscope.recording.part import Mark, Part, mark
from daskscope.report.html import note_figures
from daskscope.session import connect, current_client, of_client
from daskscope.version import installed_version

if TYPE_CHECKING:
    from os import PathLike
    from types import TracebackType

    from distributed import Client

    from daskscope.session import Session

WRITE_EVERY_S: Final = 2.0
SURROUNDINGS_S: Final = 5.0
CATCH_UP_S: Final = 20.0
"""A scheduler that is so far behind has other troubles."""

HEARTBEAT_SLACK_S: Final = 0.2
INTERRUPTED: Final = Surroundings(missing=("versions and logs: the end was interrupted",))

_lock = threading.Lock()
_holds: weakref.WeakKeyDictionary[Session, int] = weakref.WeakKeyDictionary()
"""Sessions that blocks made, and how many blocks need them."""


def record(
    client: Client | None = None,
    path: str | PathLike[str] | None = None,
    *,
    title: str | None = None,
    code: str = "",
) -> Block:
    """Record what happens in a block of code, and only that.

    The recording is complete when the block has ended:

    ``with daskscope.record() as rec: total.compute()`` and then ``rec.tasks``,
    ``rec.save("run.daskscope")`` …

    With a `path` it is written there while it grows, and is whole when the block ends,
    also by an exception. Of an asynchronous client: ``async with daskscope.record()``.
    """
    return Block(client, path, title=title, code=code)


class Block:
    """One block of code that is recorded. Made by `record`; entered once."""

    def __init__(
        self,
        client: Client | None = None,
        path: str | PathLike[str] | None = None,
        *,
        title: str | None = None,
        code: str = "",
    ) -> None:
        self._client = client
        self._path = path
        self._facts: dict[str, Any] = {"title": title or "", "code": code}
        self._session: Session
        self._part: Part
        self._writing: _Writing | None = None
        self._holding = False

    @property
    def recording(self) -> Recording:
        """What was recorded."""
        return Recording(self._part.recording)

    # -- sync ---------------------------------------------------------------

    def __enter__(self) -> Recording:
        session = self._hold()
        if session._must_not_wait():
            self._let_go()
            raise DaskscopeError(
                "asynchronous-client",
                "This Dask client is asynchronous: nothing may wait for it here.",
                "Write async with … instead of with ….",
            )
        session._catch_up()
        return self._begin(session)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        stop, around = self._now(), INTERRUPTED
        until = mark(self._session._recording)
        try:
            end_s = time.monotonic() + CATCH_UP_S
            while self._lacks(stop) and time.monotonic() < end_s:
                self._session._catch_up()
            until = mark(self._session._recording)
            time.sleep(self._heartbeat_s())
            self._session._catch_up(sampled=True)
            around = collect.submit(self._surroundings()).result()
        finally:  # whoever interrupts this has what there is
            self._end(stop, until, around, error)

    # -- async --------------------------------------------------------------

    async def __aenter__(self) -> Recording:
        session = await self._hold()
        await session.caught_up()
        return self._begin(session)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        stop, around = self._now(), INTERRUPTED
        until = mark(self._session._recording)
        try:
            end_s = time.monotonic() + CATCH_UP_S
            while self._lacks(stop) and time.monotonic() < end_s:
                await self._session.caught_up()
            until = mark(self._session._recording)
            await asyncio.sleep(self._heartbeat_s())
            await self._session._caught_up(sampled=True)
            around = await asyncio.wrap_future(collect.submit(self._surroundings()))
        finally:
            self._end(stop, until, around, error)

    # -- both ---------------------------------------------------------------

    def _hold(self) -> Session:
        """Return the session; one that is there for blocks only ends with the last of them."""
        client = self._client or current_client()
        known = of_client(getattr(client, "id", ""))  # of what is no client, connect says so
        session = self._session = connect(client)
        with _lock:
            if session is not known:
                _holds[session] = 0
            if session in _holds:
                _holds[session] += 1
        session._count_block(1)
        self._holding = True
        return session

    def _let_go(self) -> None:
        if not self._holding:
            return
        self._holding = False
        self._session._count_block(-1)
        with _lock:
            if self._session not in _holds:
                return
            _holds[self._session] -= 1
            over = _holds[self._session] == 0
        if over:
            self._session.close()

    def _begin(self, session: Session) -> Recording:
        self._facts |= {
            "start": self._now(),
            "user": _user(),
            "host": platform.node(),
            "cluster": session.name,
            "scheduler": session.address,
            "daskscope": installed_version(),
        }
        limits = session._limits
        since = mark(session._recording)
        self._part = Part(
            session._recording,
            since,
            memory_limit=limits.memory_limit,
            disk_limit=limits.disk_limit,
            overflow=limits.overflow,
            directory=limits.directory,
        )
        recording, workers, start = self._part.recording, session.workers, self._facts["start"]
        recording.note_present({one["address"]: one["threads"] for one in workers}, start)
        if workers:  # as they were last seen: the next sample may be a second away
            recording.append_cluster([cluster_sample(workers, start)])
        if self._path is not None:
            try:
                self._writing = _Writing(self._part, session, self._path, self._facts)
            except DaskscopeError:
                self._let_go()
                raise
        return self.recording

    def _now(self) -> float:
        """Return the time by the scheduler's clock, as that of all that is recorded."""
        return time.time() + self._session._clock_ahead_s

    def _lacks(self, stop: float) -> bool:
        """Whether there is more of the block to come: a busy scheduler answers late."""
        session = self._session
        return session.state in ("live", "partly") and not session._collector.has_all_until(stop)

    def _heartbeat_s(self) -> float:
        return 0.0 if self._session.closed else heartbeat_s(len(self._session.workers))

    def _surroundings(self) -> Any:
        return surroundings(self._session._client, self._facts["start"], SURROUNDINGS_S)

    def _end(
        self, stop: float, until: Mark, around: Surroundings, error: BaseException | None
    ) -> None:
        session, part = self._session, self._part
        late = mark(session._recording)
        # What is sampled comes with heartbeats; tasks after the block are not of the block.
        until = replace(until, changes=late.changes, cluster=late.cluster, scheduler=late.scheduler)
        recording = part.recording
        self._facts |= {
            "stop": stop,
            "duration": stop - self._facts["start"],
            "workers": [dict(worker) for worker in session.workers],
            "versions": around.versions,
            "missing": [
                *(n.to_json() for n in session.notices if n.code != "tasks-before"),
                *(
                    {"code": "not-asked", "level": "warn", "text": t, "next": ""}
                    for t in around.missing
                ),
            ],
            "exception": _describe(error),
        }
        recording.about_facts = dict(self._facts)
        recording.append_lines([line for line in around.lines if line.time <= stop])
        try:
            if self._writing is not None:
                self._writing.stop()
            part.advance(until)
            note_figures(recording)
            if self._writing is not None:
                self._writing.finish(quiet=error is not None)
        finally:
            recording.close()
            self._let_go()


def heartbeat_s(workers: int) -> float:
    """Return how long it takes until every worker has told its metrics once more."""
    if workers < 200:
        every = 0.5 if workers <= 10 else 1.0 if workers < 50 else 2.0
    else:
        every = workers / 200 + 1
    return every + HEARTBEAT_SLACK_S


class _Writing:
    """Writes a part into a file while it grows, in a thread of its own."""

    def __init__(
        self, part: Part, session: Session, path: str | PathLike[str], facts: dict[str, Any]
    ) -> None:
        self._part = part
        self._session = session
        try:
            self._writer = FileWriter(path, facts)
        except OSError as error:
            raise DaskscopeError(
                "not-writable",
                f"Nothing can be written to {os.fspath(path)}: {error.strerror or error}.",
                "Nothing ran. Choose another place, or make the directory.",
            ) from error
        self._failure: OSError | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="daskscope-record", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(WRITE_EVERY_S):
            self._part.advance(mark(self._session._recording))
            if self._failure is None:
                try:
                    self._writer.append(self._part.recording)
                except OSError as error:
                    self._failure = error
                    self._writer.abandon()

    def stop(self) -> None:
        """Let the thread end: what comes now is written by `finish`."""
        self._over.set()
        self._thread.join()

    def finish(self, *, quiet: bool) -> None:
        """Write the rest; raise if that fails, unless another exception is on its way."""
        recording = self._part.recording
        failure = self._failure
        if failure is None:
            try:
                self._writer.finish(recording, recording.about_facts)
            except OSError as error:
                failure = error
                self._writer.abandon()
        if failure is not None and not quiet:
            raise not_saved(str(self._writer.path), failure) from failure


def not_saved(path: str, failure: OSError) -> DaskscopeError:
    """Return what to tell whoever wanted a file."""
    return DaskscopeError(
        "not-saved",
        f"The recording could not be written to {path}: {failure.strerror or failure}.",
        'It is still in memory: rec.save("elsewhere.daskscope").',
    )


def _describe(error: BaseException | None) -> dict[str, str] | None:
    if error is None:
        return None
    import traceback

    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of a user may do anything
        text = "(its text cannot be read: str() of it raises)"
    return {
        "type": type(error).__name__,
        "text": text[:10_000],
        "traceback": "".join(traceback.format_exception(error))[-100_000:],
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # an id without a name, as in many containers
        return ""
