"""Reads one scheduler into one recording, in the background, until its client closes.

It owns the connection, the pace and the state; it must not know pages and panels.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import deque
from typing import TYPE_CHECKING, Any

from daskscope import agent
from daskscope.collect.builtin_routes import BuiltinRoutes
from daskscope.collect.intake import Intake
from daskscope.collect.link import ClientView, HandlerRefused, Link
from daskscope.collect.memory import SAMPLE_S, MemoryRows
from daskscope.collect.metrics import MetricRows
from daskscope.collect.notices import COUNTING, GAP_TEXTS, brief, counted_notices, notice
from daskscope.collect.poll_pace import Alarm, PollPace, gil_pressure
from daskscope.collect.profile import BLOCK_S, SHOWN_S, ProfileTail
from daskscope.collect.snapshots import WorkerSnapshots, by_agent
from daskscope.collect.versions_and_logs import LogTail
from daskscope.schema import LOGS, PROFILE_COUNTS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from daskscope.collect.sent import SentGraphs
    from daskscope.config import Pace
    from daskscope.errors import Notice
    from daskscope.recording import RecordingStore, Unfinished

logger = logging.getLogger(__name__)

FIRST_RETRY_S = 0.1
MAX_RETRY_S = 2.0
REFUSED_RETRY_S = 60.0
"""Retries are rare, since each refused request writes a traceback into the scheduler's log."""

CLIENT_CHECK_S = 0.05
OVER_CHECK_S = 0.1
"""Interval of checks for a closed client, whose scheduler may soon be gone.

The check runs in long pauses, and while waiting for an answer, which may never come."""

SHORT_PAUSE_S = 0.2
"""Shorter pauses have no such checks, since each one interrupts a computing cell."""

LEAST_PAUSE_S = 0.02
"""Least time between requests, even if code reads a recording in a loop."""

PAUSES_IN_A_LEASE = 3
"""The lease lasts at least this many pauses, so that the agent stays with any settings."""

ANSWERS_REMEMBERED = 2_000
"""Enough for the time that the end of a block may take."""

LAST_ANSWER_S = 0.5
STOP_S = 1.0


class _AgentUnusable(Exception):  # noqa: N818 - an expected case, not an error
    """The agent cannot be used: connect again and read Dask's own routes."""


class Collector:
    """Polls a scheduler. Attributes are replaced, never changed, so any thread may read them."""

    def __init__(
        self,
        client: ClientView,
        recording: RecordingStore,
        pace: Pace,
        on_change: Callable[[], None],
        sent: SentGraphs,
    ) -> None:
        self.state = "waiting"
        self.notices: tuple[Notice, ...] = ()
        self.lasting: tuple[Notice, ...] = ()  # the latest notices that also apply after the end
        self.address = client.address or ""
        self.now: float | None = None
        self.clock = sent.clock
        self.began = time.time()
        self.agent_error: str | None = None
        self.polls = 0
        self.unfinished: dict[str, Any] = {}  # facts about tasks that are not in the recording
        self._client = client
        self._recording = recording
        self._pace = pace
        self._on_change = on_change
        self._sent = sent
        self._reader = uuid.uuid4().hex
        longest_s = max(pace.active_s, pace.quiet_s, pace.idle_s, pace.unwatched_s)
        self._lease_s = max(pace.reader_timeout_s, PAUSES_IN_A_LEASE * longest_s)
        self._intake: Intake | None = None
        self._routes: BuiltinRoutes | None = None
        self._wake = Alarm()
        self._snapshots = WorkerSnapshots(recording)
        self._memory = MemoryRows(recording)
        self._metrics = MetricRows(recording)
        self._memory_readers: dict[str, float] = {}  # interval of samples by reader, in seconds
        self._memory_now = False  # a new reader wants a sample at once
        self._logs = LogTail(
            client,
            lambda: [one["address"] for one in self.workers],
            recording.log(LOGS.name).append,
        )
        self._profile = ProfileTail(client, recording, pace.profile_bytes_per_s, self._reader)
        self._poll_pace = PollPace(pace, time.monotonic())
        self._asking = False
        self._asked_s = 0.0  # monotonic
        # Time of each request, and the next task's number at its answer. Any thread may read them.
        self._answers: deque[tuple[float, int]] = deque(maxlen=ANSWERS_REMEMBERED)
        self._news = asyncio.Event()  # set when an answer arrives or the state changes
        self._stopping = False
        self._why_stopped: Notice | None = None
        self._attached = asyncio.Event()
        self._more = False  # the last answer was full, so there is more to fetch
        self._behind = 0  # tasks that are still to be fetched
        self._answered_s = 0.0  # monotonic
        self._scheduler_s: float | None = None  # scheduler's time for the last answer
        self._before = 0  # tasks that had finished when the first agent began
        self._use_agent = True
        self._no_agent = notice("plugins-refused")  # why the agent is not used
        self._gap_reason = "scheduler-restarted"
        self._task: asyncio.Task[None] | None = None

    @property
    def workers(self) -> tuple[dict[str, Any], ...]:
        """The latest snapshot of the workers."""
        return self._snapshots.latest

    @property
    def behind_s(self) -> float:
        """Seconds since the scheduler last answered."""
        return time.monotonic() - self._answered_s if self._answered_s else 0.0

    def start(self) -> None:
        """Start collecting. Call it in the loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def attached(self) -> None:
        """Wait until tasks are captured, or until capturing has failed."""
        await self._attached.wait()

    def set_watched(self, watched: bool) -> None:
        """Set whether a page shows this; if so, poll now and more often. Call it in the loop."""
        self._poll_pace.watched = watched
        if watched:
            self._wake.ring()

    def set_shown_tables(self, tables: Collection[str]) -> None:
        """Set which tables pages show, of those that need requests. Call it in the loop."""
        self._logs.set_enabled(LOGS.name in tables and not self._over())
        self._profile.set_interval("pages", SHOWN_S if PROFILE_COUNTS.name in tables else None)

    def set_blocks(self, blocks: int) -> None:
        """Set the number of recording blocks. Call it in the loop."""
        self._profile.set_interval("blocks", BLOCK_S if blocks else None)

    async def read_profile(self) -> None:
        """Wait for all profile samples up to now; this never ends if a worker does not answer."""
        await self._profile.read_until(time.time() + self.clock.ahead_s)

    def sample_memory(self, reader: str, interval_s: float | None) -> None:
        """Set a reader's interval of memory samples; None ends it. Call it in the loop."""
        if interval_s is None:
            self._memory_readers.pop(reader, None)
        else:
            self._memory_readers[reader] = interval_s
            self._memory_now = True
            self._wake.ring()

    def _memory_s(self) -> float:
        return min([SAMPLE_S, *self._memory_readers.values()])

    def next_task_at(self, asked_s: float) -> int | None:
        """Return the next task's number at the answer to the first request since `asked_s`.

        `asked_s` is monotonic. Tasks before that number may still have to be fetched.
        """
        return next((task for asked, task in list(self._answers) if asked >= asked_s), None)

    def has_all_since(self, asked_s: float) -> bool:
        """Return whether that answer has arrived, with all tasks finished by then."""
        next_task = self.next_task_at(asked_s)
        if next_task is None:
            return False
        return not self._more or self._recording.next_task >= next_task

    async def catch_up(self, *, sampled: bool = False) -> None:
        """Poll now; return when everything from the scheduler has arrived or cannot arrive.

        `sampled`: request a snapshot of workers and scheduler, even if none is due.
        """
        if sampled:
            self._snapshots.make_due()
        wanted = self.polls + (2 if self._asking else 1)
        await asyncio.sleep(self._asked_s + LEAST_PAUSE_S - time.monotonic())
        self._wake.ring()
        while self.state in ("waiting", "live", "partly") and not self._stopping:
            if self.polls >= wanted and not self._more:
                return
            self._news.clear()
            await self._news.wait()

    async def stop(self, why: Notice | None = None) -> None:
        """Poll once more, release the agent, and end soon, even if the scheduler is silent."""
        self._stopping = True
        self._why_stopped = why
        self._wake.ring()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=STOP_S)
            self._task.cancel()

    async def _run(self) -> None:
        """Collect until stopped, or until the client is closed or forgotten."""
        retry_s = FIRST_RETRY_S
        try:
            while not self._over():
                try:
                    if await self._client_ready():
                        await self._collect()
                    retry_s = FIRST_RETRY_S
                except _AgentUnusable:
                    continue
                except HandlerRefused as refused:
                    refusal = notice("reading-refused", address=self.address, op=refused.op)
                    self._set("lost", (refusal,))
                    self._attached.set()
                    self._use_agent = True  # the next scheduler may accept the agent
                    await self._rest(REFUSED_RETRY_S)
                except Exception as error:  # noqa: BLE001
                    if self._over():
                        break
                    self._lose(error)
                    await self._pause(retry_s)
                    retry_s = min(retry_s * 2, MAX_RETRY_S)
        finally:
            self._logs.set_enabled(False)
            self._profile.stop()
            why = notice("client-closed") if self._client.over else self._why_stopped
            self._set("stopped", (why,) if why else (), lasts=False)
            self._attached.set()
            self._on_change = lambda: None  # break the reference cycle with the session

    def _over(self) -> bool:
        return self._stopping or self._client.over

    async def _client_ready(self) -> bool:
        """Wait until the client is registered, since the agent's lease depends on that."""
        while not self._client.connected and not self._over():
            await self._pause(CLIENT_CHECK_S)
        return not self._over()

    def _lose(self, error: Exception) -> None:
        gone = isinstance(error, OSError | asyncio.TimeoutError)
        if not gone:
            logger.debug("daskscope lost its scheduler", exc_info=error)
        self._use_agent = True  # the next answer may come from another scheduler
        self.agent_error = None
        # Users often close a cluster before its client; then nothing is missing from its answers.
        lasts = not (gone and self.polls)
        code, text = "scheduler-lost", brief(error)
        if not gone:
            code, text = "collect-failed", f"{type(error).__name__}: {text}"
        self._set("lost", (notice(code, address=self.address, error=text),), lasts=lasts)

    def _set(self, state: str, notices: tuple[Notice, ...], *, lasts: bool = True) -> None:
        if lasts:
            self.lasting = notices
        if (state, notices) != (self.state, self.notices):
            self.state, self.notices = state, notices
            self._news.set()
            self._on_change()

    async def _pause(self, seconds: float) -> None:
        """Wait, until woken or until the client is closed."""
        end = time.monotonic() + seconds
        while not self._over() and (left := end - time.monotonic()) > 0:
            step = left if left <= SHORT_PAUSE_S else OVER_CHECK_S
            due = time.monotonic() + step
            if await self._wake.wait(step):
                break
            gil_pressure.woke(time.monotonic() - due)
        if not self._stopping:
            self._wake.clear()

    async def _rest(self, seconds: float) -> None:
        """Wait, even if woken, until the client is closed."""
        end = time.monotonic() + seconds
        while not self._over() and (left := end - time.monotonic()) > 0:
            await self._pause(left)

    # -- one connection -----------------------------------------------------

    async def _collect(self) -> None:
        """Connect, and poll until the connection breaks or collecting ends."""
        address = self._client.address
        if address is None:
            return
        self.address = address
        link = await Link.open(self._client)
        try:
            poll = await self._prepare(link)
            while True:
                last = self._over()
                self._asked_s, self._scheduler_s = time.monotonic(), None
                tasks = await self._answer_of(poll)
                self._answered_s = time.monotonic()
                number = self._recording.next_task + self._behind
                self._answers.append((self._asked_s, number))
                self.polls += 1
                self._sent.answered()
                self._attached.set()
                self._profile.with_agent = self._use_agent
                self._profile.start()
                self._news.set()
                self._on_change()
                if last and not self._more:
                    await self._profile.finish(LAST_ANSWER_S)
                    await self._release(link)
                    return
                now, pace = self._answered_s, self._poll_pace
                pace.answered(now, tasks, now - self._asked_s, self._scheduler_s)
                await self._pause(
                    pace.catching_up_s()
                    if self._more
                    else pace.pause_s(now, crowded=gil_pressure.crowded())
                )
        except BaseException:
            link.abort()
            raise
        finally:
            await link.close()

    async def _answer_of(self, poll: Callable[[], Awaitable[int]]) -> int:
        """Poll; when collecting ends, wait at most LAST_ANSWER_S longer for the answer."""
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle | None = None

        def check_over() -> None:
            nonlocal timer
            if self._over():
                limit.reschedule(loop.time() + LAST_ANSWER_S)
            else:
                timer = loop.call_later(OVER_CHECK_S, check_over)

        self._asking = True
        try:
            async with asyncio.timeout(None) as limit:
                check_over()
                return await poll()
        finally:
            self._asking = False
            if timer is not None:
                timer.cancel()

    async def _prepare(self, link: Link) -> Callable[[], Awaitable[int]]:
        """Return the function that polls, with or without the agent."""
        self._more, self._behind = False, 0
        if self._use_agent:
            if await self._install(link):
                self._routes = None  # later routes must not repeat the tasks from the agent
                return lambda: self._poll_agent(link)
            self._use_agent = False
        why = self._no_agent
        routes = self._routes = await BuiltinRoutes.on(
            link, self._recording, self._routes, from_now=self._intake is not None
        )

        async def poll() -> int:
            tasks = await routes.poll()
            self.now = time.time()  # the scheduler's clock is unknown
            if self._snapshots.due():
                self._snapshots.take(await routes.workers(), self.now)
                self._memory.take_snapshot(self.workers, self.now)
                self._note_progress(await routes.unfinished(self.now))
            self._set("partly", (why, *routes.notices, *self._logs.notices, *self._profile.notices))
            return tasks

        return poll

    async def _install(self, link: Link) -> bool:
        """Register the agent; return whether the scheduler accepted it."""
        plugin = agent.pickled(memory_limit=self._pace.agent_memory_bytes)
        try:
            await link.ask(
                "register_scheduler_plugin", plugin=plugin, name=agent.name(), idempotent=True
            )
        except (TimeoutError, OSError):
            raise
        except HandlerRefused:
            self._no_agent, self.agent_error = notice("plugins-refused"), None
            return False
        except Exception as error:  # noqa: BLE001
            reason = str(error) or type(error).__name__
            self._no_agent = notice("agent-not-installed", error=reason)
            self.agent_error = repr(error)
            return False
        return True

    async def _poll_agent(self, link: Link) -> int:
        intake, asked = self._intake, time.time()
        memory_now, self._memory_now = self._memory_now, False
        answer = await link.ask(
            agent.name() + "_poll",
            reader=self._reader,
            client=self._client.id,
            limit_bytes=self._pace.answer_bytes,
            timeout_s=self._lease_s,
            workers=self._snapshots.due(),
            memory_s=self._memory_s(),
            memory_now=memory_now,
            **(intake.request() if intake else {}),
        )
        if answer is None:  # the agent has left, or this is another scheduler
            self._more, self._behind = False, 0
            if self._over():
                return 0
            self._gap_reason = "agent-left"
            if not await self._install(link):
                self._use_agent = False
                raise _AgentUnusable
            return await self._poll_agent(link)
        self._scheduler_s = answer.get("seconds")
        self.clock.update(scheduler=answer["time"], asked=asked, answered=time.time())
        if "error" in answer:
            self.agent_error = answer["error"]
            last_line = (answer["error"].strip() or "unknown error").splitlines()[-1]
            self._no_agent = notice("agent-failed", error=last_line)
            self._gap_reason = "agent-failed"
            self._log_gap(answer["time"])
            await self._release(link)
            self._use_agent = False
            raise _AgentUnusable
        if intake is None:
            intake = self._intake = self._intake_of(answer["agent"])
            self._before = answer["before"]  # only the first agent's, since later ones follow a gap
        elif intake.agent != answer["agent"]:
            self._log_gap(answer["time"])
            self._intake = self._intake_of(answer["agent"])
            return await self._poll_agent(link)  # the answer was for the cursors of another agent
        tasks = intake.take(answer)
        self._behind = answer["next"] - intake.cursor
        self._more = self._behind > 0
        self.now = answer["time"]
        if "workers" in answer:
            self._snapshots.take(answer["workers"], answer["time"], answer["copies"])
            counts, names = answer["progress"], self._recording.names
            if counts is not None and not self._more:  # the recording must have all finished tasks
                self._note_progress(
                    by_agent(counts, names, time=answer["time"], agent=answer["agent"])
                )
        if intake.unreadable:
            self.agent_error = intake.unreadable_why
        elif self._metrics.error:
            self.agent_error = self._metrics.error
        parts = self._metrics, self._logs, self._profile
        notices = [one for part in parts for one in part.notices]
        self._set("live", (*self.missing_notices(), *notices))
        return tasks

    def _intake_of(self, agent_id: str) -> Intake:
        return Intake(agent_id, self._recording, self._memory, self._sent, self._metrics)

    def _note_progress(self, found: Unfinished | None) -> None:
        if found is not None:
            progress = self._recording.progress.then(found, self._recording)
            self.unfinished = progress.facts(self._recording.names.prefixes)
            self._recording.progress = progress

    def missing_notices(self) -> tuple[Notice, ...]:
        """Return notices about missing or incomplete tasks and events."""
        counted = {"tasks-before": self._before, **self._recording.not_read}
        return tuple(counted_notices(counted))

    def lasting_notices(self) -> list[Notice]:
        """Return the notices without counts that also apply after the end."""
        every = dict.fromkeys((*self.lasting, *self.notices))
        return [one for one in every if one.code not in COUNTING]

    def facts(self) -> dict[str, Any]:
        """Return times, workers and missing data, as of the latest answer."""
        start = self.began + self.clock.ahead_s
        if self._recording.origin is not None:  # an agent from before may have kept earlier tasks
            start = min(start, self._recording.origin)
        stop = max(self.now or start, start)
        # Closing the client or the session does not cause missing data.
        over = ("client-closed", "session-closed")
        lasting = [one for one in self.lasting_notices() if one.code not in over]
        return {
            "start": start,
            "stop": stop,
            "duration": stop - start,
            "workers": list(self.workers),
            "unfinished": self.unfinished,
            "missing": [one.to_json() for one in (*lasting, *self.missing_notices())],
        }

    def _log_gap(self, now: float) -> None:
        reason, self._gap_reason = self._gap_reason, "scheduler-restarted"
        gap = {"start": self.now or now, "stop": now, "reason": reason, "text": GAP_TEXTS[reason]}
        self._recording.log("gaps").append([gap])

    async def _release(self, link: Link) -> None:
        if self._use_agent:
            await asyncio.wait_for(
                link.ask(agent.name() + "_release", reader=self._reader), LAST_ANSWER_S
            )
