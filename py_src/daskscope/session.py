"""A session: one Dask client, its recording, and the selection that all its panels share.

Sessions never keep the user's client alive.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from daskscope import collect, config
from daskscope.cell_monitor import Cell, cell_monitor
from daskscope.derive.findings import merged_notices
from daskscope.derive.work import ClusterTotals
from daskscope.file_summary import live_figures_of, new_recording
from daskscope.focus import SharedFocus
from daskscope.format import count_text
from daskscope.listeners import Listeners
from daskscope.provenance import cluster_name, made_by
from daskscope.recording import Counts, Recording, RecordingStore

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

    from daskscope.derive.profile_tree import ProfileTree
    from daskscope.errors import Notice

CLOSE_TIMEOUT_S: Final = 1.5
CATCH_UP_S: Final = 1.0
FAR_BEHIND_S: Final = 20.0
"""Blocks that end wait so long for a busy scheduler; then they end with what is here."""

PROFILE_S: Final = 2.0
"""The cycle that runs at the question ends within a second."""

ATTACH_S: Final = 1.0

Unsubscribe = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a session, for our own code."""

    client: collect.ClientView
    collector: collect.Collector
    store: RecordingStore
    limits: config.RecordingLimits


class Session(SharedFocus):
    """The live recording of one Dask client, created by `connect`.

    `focus` is a trait: set it, observe it, link it. Everything else is read-only.

    With an asynchronous client use `session = await connect(client)`, or
    `async with connect(client) as session`, so that no task is missed.
    """

    def __init__(self, client: Client, on_end: Callable[[Session], None]) -> None:
        super().__init__()
        config.check()
        limits = config.recording_limits()
        pace = config.pace()
        self.id = uuid.uuid4().hex
        self._recording = new_recording(limits)
        self._readable = Recording(self._recording)
        self._totals = ClusterTotals(self._recording)
        self._figures: tuple[object, dict[str, Any]] | None = None  # and of which state they are
        self._pid = os.getpid()
        self._client = collect.ClientView(client)
        if self._client.asynchronous:  # who reads its recording cannot wait for what is missing
            pace = replace(pace, unwatched_s=0.0)
        self._name = ""
        self._closed = False
        self._closed_by_user = False  # before or after its client
        self._shown, self._blocks = False, 0  # changed in the background loop
        self._stopped_s = float("inf")  # monotonic
        self._on_end = on_end
        self._listeners = Listeners[[Session]]("a daskscope session")
        self._sent = collect.SentGraphs(self._client, cell_monitor.of_sender)
        self._cells: list[Cell] = []  # that wait for the first answer, which has the time
        self._collector = collect.Collector(
            self._client, self._recording, pace, self._notify, self._sent
        )
        self._parts = Parts(self._client, self._collector, self._recording, limits)
        self._provenance = made_by(self.name, self.address)
        self._note_facts()

    def _renew_locks(self) -> None:
        super()._renew_locks()
        self._figures_lock = threading.Lock()

    # -- what it is ---------------------------------------------------------

    @property
    def client(self) -> Client | None:
        """The Dask client; None once it is deleted."""
        return self._client.client

    @property
    def client_id(self) -> str:
        """The Dask client's id."""
        return self._client.id

    @property
    def name(self) -> str:
        """The cluster's name, or its kind, or the scheduler's address."""
        if not self._name and (client := self.client):  # a client that starts has no cluster yet
            self._name = cluster_name(client)
        return self._name or self.address

    @property
    def address(self) -> str:
        """Address of the scheduler."""
        return self._collector.address or self._client.address or ""

    @property
    def state(self) -> str:
        """One of `schema.STATES`."""
        return "stopped" if self._foreign or self._closed else self._collector.state

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Current problems and remarks, each with what to do."""
        return (*self._collector.notices, *merged_notices(self._recording.names))

    @property
    def workers(self) -> tuple[dict[str, Any], ...]:
        """The latest snapshot of the cluster's workers, with the scheduler's names for them.

        ``session.recording.worker_names`` has the names that panels show.
        """
        return self._collector.workers

    @property
    def recording(self) -> Recording:
        """What was captured, with every task that has finished until now.

        If no panel is open, the scheduler is asked only once a second. So reading this asks
        it and waits for the answer: usually milliseconds, at most a second. To read it
        often, assign the recording to a variable. With an asynchronous client, which cannot
        wait here, `await session.caught_up()` first.
        """
        if not self._foreign and not must_not_wait(self):
            catch_up(self)
        return self._readable

    async def caught_up(self) -> Session:
        """Wait until every task that has finished until now is recorded; for asynchronous clients.

        It waits at most a second, as reading `recording` does with other clients.
        """
        await catch_up_async(self)
        return self

    def summary(self) -> dict[str, Any]:
        """Return the figures of the Summary panel, as of the latest answer of the scheduler.

        ``answer`` says whether the current computation has finished, ``progress`` how far it is
        by prefix. While nothing changes, the same object is returned.
        """
        recording = self._recording
        state = (recording.progress, recording.counts, self.state)  # a progress equals itself alone
        with self._figures_lock:
            if self._figures is None or self._figures[0] != state:
                ended = self.state in ("lost", "stopped")
                self._figures = state, live_figures_of(self._totals, ended=ended)
            return self._figures[1]

    def fine_metrics(self, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """Return what `recording.fine_metrics` does, with the same arguments.

        Workers report their metrics with each heartbeat: half a second after a task ended, or
        some seconds on large clusters.
        """
        return self.recording.fine_metrics(*args, **kwargs)

    def profile(self, *args: Any, **kwargs: Any) -> ProfileTree:
        """Return what `recording.profile` does, with the same arguments.

        The workers are asked for their latest samples, which takes some milliseconds, at most
        two seconds. For workers that do not answer in time, earlier samples are used.
        """
        if self._seen and not self._foreign and not must_not_wait(self):
            _wait(read_profile(self), PROFILE_S)
        return self._readable.profile(*args, **kwargs)

    @property
    def counts(self) -> Counts:
        """How many tasks were captured, kept and dropped, as of the last answer."""
        return self._recording.counts

    @property
    def now(self) -> float | None:
        """The scheduler's clock at its latest answer."""
        return self._collector.now

    @property
    def behind_s(self) -> float:
        """Seconds since the scheduler last answered."""
        return self._collector.behind_s

    @property
    def agent_error(self) -> str | None:
        """The error of the agent on the scheduler, if there was one."""
        return self._collector.agent_error

    @property
    def closed(self) -> bool:
        """Whether this session or its client was closed."""
        return self.state == "stopped"

    @property
    def _seen(self) -> bool:
        """Whether the scheduler answers."""
        return self.state in ("live", "partly")

    @property
    def _foreign(self) -> bool:
        """Whether this is the copy of a session in a forked child."""
        return os.getpid() != self._pid

    def __repr__(self) -> str:
        # Of a scheduler that answers it takes a moment to be up to date.
        counts = (self.recording if self._seen else self._recording).counts
        workers = self.workers
        threads = sum(worker["threads"] for worker in workers)
        return (
            f"<daskscope.Session {title_of(self)}: {self.state}, {counts.kept:,} of "
            f"{count_text(counts.captured, 'task')}, {count_text(len(workers), 'worker')}, "
            f"{count_text(threads, 'thread')}>"
        )

    # -- life ---------------------------------------------------------------

    def on_change(self, callback: Callable[[Session], None]) -> Unsubscribe:
        """Call `callback(session)` in the background thread after each answer."""
        return self._listeners.add(callback)

    def _note_facts(self) -> None:
        self._recording.about_facts = {
            **self._provenance,
            "cluster": self.name,
            "scheduler": self.address,
            **self._collector.facts(),
            "spill_error": self._recording.spill_error or "",
        }

    def _note_cell(self, cell: Cell) -> None:
        """Take note of a cell that begins or ends, in the thread that collects."""
        collect.soon(self._write_cell, cell)

    def _write_cell(self, cell: Cell) -> None:
        self._cells.append(cell)
        if self._write_cells():
            self._listeners.notify(self)

    def _write_cells(self) -> bool:
        if not self._cells or self._collector.now is None:
            return False
        noted, self._cells = self._cells, []
        ahead_s = self._collector.clock.ahead_s
        self._recording.log("cells").append(
            {
                "cell": cell.name,
                "time": cell.time + ahead_s,
                "stop": cell.stop + ahead_s,
                "status": cell.status,
                "id": cell.id,
                "code": cell.code,
            }
            for cell in noted
        )
        return True

    def _notify(self) -> None:
        self._write_cells()
        self._note_facts()
        self._listeners.notify(self)
        if self._collector.state == "stopped":
            self._stopped_s = min(self._stopped_s, time.monotonic())
            try:
                cell_monitor.drop(self)
                self._sent.close()
                self._recording.close()
                self._on_end(self)
            finally:
                collect.drop(self)

    def _set_shown_tables(self, tables: frozenset[str]) -> None:
        """Set which tables pages show. To be called in the background loop."""
        self._shown = bool(tables)
        self._collector.set_shown_tables(tables)
        self._update_pace()

    def _update_pace(self) -> None:
        self._collector.set_watched(self._shown or self._blocks > 0)

    def close(self) -> None:
        """Stop recording and release the agent. The recording stays readable and listed.

        `connect(client)` begins a new one.
        """
        if self._closed_by_user or self._foreign:
            return
        self._closed_by_user = True
        if self._collector.state != "stopped":
            done = collect.submit(self._collector.stop(collect.notice("session-closed")))
            if not must_not_wait(self):
                with suppress(Exception):
                    done.result(CLOSE_TIMEOUT_S)
        self._closed = True
        self._on_end(self)

    def __await__(self) -> Generator[Any, None, Session]:
        """Wait until tasks are captured, or cannot be."""
        return self.__aenter__().__await__()

    def __enter__(self) -> Session:
        return self

    async def __aenter__(self) -> Session:
        if not self._foreign:
            await collect.awaited(self._collector.attached())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.caught_up()
        self.close()

    def __exit__(self, *_: object) -> None:
        self.close()


# For our own code, not for users


def parts_of(session: Session) -> Parts:
    """Return the parts of a session."""
    return session._parts


def title_of(session: Session) -> str:
    """Return a name that no other session has: several clusters may share theirs."""
    name, address = session.name, session.address
    return name if name == address else f"{name} {address}"


def closed_by_user(session: Session) -> bool:
    """Return whether the session itself was closed, before or after its client."""
    return session._closed_by_user


def stopped_s(session: Session) -> float:
    """Return when the session stopped, on the monotonic clock; infinite before."""
    return session._stopped_s


def must_not_wait(session: Session) -> bool:
    """Return whether the scheduler, or the background loop, needs this very thread to move."""
    client = session.client
    if collect.inside():
        return True
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return client is not None and bool(client.asynchronous)


def _wait(work: Coroutine[Any, Any, object], seconds: float) -> None:
    """Wait a moment for work in the background loop; without it, what is here is shown."""
    with suppress(Exception):
        collect.wait(work, seconds)


def catch_up(session: Session, *, sampled: bool = False) -> None:
    """Wait as `catch_up_async` does, in a thread that may wait."""
    if not session.closed:
        _wait(session._collector.catch_up(sampled=sampled), CATCH_UP_S)


async def catch_up_async(session: Session, *, sampled: bool = False) -> None:
    """Wait until all that has finished until now is recorded; a second at most, in any loop.

    `sampled`: with a snapshot of workers and scheduler.
    """
    if session.closed:
        return
    with suppress(Exception):
        caught_up = collect.awaited(session._collector.catch_up(sampled=sampled))
        await asyncio.wait_for(caught_up, CATCH_UP_S)


async def catch_up_since(session: Session, since_s: float) -> None:
    """Wait until all that happened before a (monotonic) time is recorded, also if it takes long."""
    await catch_up_async(session, sampled=True)
    while session._seen and not session._collector.has_all_since(since_s):
        if time.monotonic() > since_s + FAR_BEHIND_S:
            return
        await catch_up_async(session)  # a busy scheduler answers late


async def read_profile(session: Session) -> None:
    """Wait until what was sampled until now is recorded; two seconds at most."""
    if session._seen:
        with suppress(TimeoutError):
            await asyncio.wait_for(session._collector.read_profile(), PROFILE_S)


def start(session: Session) -> None:
    """Begin to collect."""
    loop = collect.hold(session)
    session._sent.open()
    cell_monitor.hold(session, session._note_cell)
    loop.call_soon_threadsafe(session._collector.start)


def wait_until_attached(session: Session) -> None:
    """Wait a moment, so that what is submitted next is captured, where one may wait."""
    if not must_not_wait(session):
        _wait(session._collector.attached(), ATTACH_S)


def sample_memory(session: Session, reader: str, interval_s: float | None) -> None:
    """Set how often a reader wants the table `memory` to be sampled; None lets go.

    Callable from any thread. Without readers it is sampled every half second.
    """
    if not session.closed:
        collect.soon(session._collector.sample_memory, reader, interval_s)


def count_block(session: Session, step: int) -> None:
    """Count the blocks that record: their cluster may be gone sooner than a second later."""

    def count() -> None:
        session._blocks += step
        session._collector.set_blocks(session._blocks)
        session._update_pace()

    if not session.closed:
        collect.soon(count)
