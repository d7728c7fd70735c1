"""Reads the profiles of workers and scheduler, from the agent or from Dask's own routes.

The data are the cycles of distributed's profiler. They are read often while a page or a block
needs them, otherwise once a minute.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Final

from daskscope import agent
from daskscope.collect.link import ClientView, HandlerRefused, Link
from daskscope.collect.notices import brief, notice
from daskscope.collect.poll_pace import Alarm
from daskscope.collect.profile_routes import EVERY_S as ROUTES_S
from daskscope.collect.profile_routes import ProfileRoutes
from daskscope.collect.profile_rows import ProfileRows
from daskscope.format import count_text

if TYPE_CHECKING:
    from daskscope.errors import Notice
    from daskscope.recording import RecordingStore

SHOWN_S: Final = 1.0
BLOCK_S: Final = 2.0
IDLE_S: Final = 60.0
FIRST_IDLE_S: Final = 2.0
"""Delay of the first request, which installs the plugin that sends data of closing workers."""

LEAST_S: Final = 0.1
ANSWER_S: Final = 20.0
LONGEST_PAUSE_S: Final = 60.0


class ProfileTail:
    """Reads the profile of one cluster in the background loop."""

    def __init__(
        self, client: ClientView, recording: RecordingStore, bandwidth: float, reader: str
    ) -> None:
        self.rows = ProfileRows(recording)
        self.failure = ""
        """Why the profile cannot be read, if it cannot."""
        self.with_agent = True
        """Whether the scheduler has an agent."""
        self._refused = False
        self._routes = ProfileRoutes()
        self._client = client
        self._bandwidth = bandwidth  # bytes a second
        self._reader = reader
        self._intervals: dict[str, float] = {}  # requested interval in seconds, by requester
        self._alarm = Alarm()
        self._answered = asyncio.Event()
        self._after = ""  # the last worker that was asked, if others are left
        self._left: int | None = None
        self._task: asyncio.Task[None] | None = None
        self._link: Link | None = None
        self._last = False  # whether the next request is the last one
        self._asked_s = -math.inf  # monotonic
        self._answer_bytes = 0
        self._workers: list[str] | None = None  # None if the last answer was incomplete

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about profiles that cannot be read."""
        if self.failure:
            return (notice("profile-not-read", error=self.failure),)
        if self._refused and self.with_agent:
            return (notice("profile-refused"),)
        if self.rows.unreadable:
            processes = count_text(len(self.rows.unreadable), "process", "processes")
            return (notice("profile-unreadable", count=processes),)
        return ()

    def start(self) -> None:
        """Start reading, unless it has started. Call it in the loop."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._follow())

    async def finish(self, seconds: float) -> None:
        """Read the rest, including the current cycle, for at most some seconds."""
        if self._task is not None and self._link is not None and not self._task.done():
            self._last = True
            self._alarm.ring()
            await asyncio.wait({self._task}, timeout=seconds)

    def stop(self) -> None:
        """Stop reading."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def set_interval(self, who: str, every_s: float | None) -> None:
        """Set a requester's longest interval; None removes it. Call it in the loop."""
        before = self._every_s()
        if every_s is None:
            self._intervals.pop(who, None)
        else:
            self._intervals[who] = every_s
        if self._every_s() < before:
            self._alarm.ring()

    def _every_s(self) -> float:
        return max(min([IDLE_S, *self._intervals.values()]), ROUTES_S * self._by_routes)

    async def read_until(self, moment: float) -> None:
        """Wait until all samples up to a moment of the scheduler's clock were read.

        It does not return if a worker does not answer, so callers limit the time.
        """
        while self._task is not None and not self._task.done() and not self.failure:
            if self._workers is not None and self.rows.read_until(moment, self._workers):
                return
            self._alarm.ring()
            self._answered.clear()
            await self._answered.wait()

    async def _follow(self) -> None:
        failures, pause_s = 0, FIRST_IDLE_S
        try:
            while True:
                await self._alarm.wait(pause_s)
                self._alarm.clear()
                least_s = SHOWN_S if failures or self._by_routes else LEAST_S
                due_s = self._asked_s + max(least_s, self._answer_bytes / self._bandwidth)
                while not self._last and (rest_s := due_s - time.monotonic()) > 0:
                    await self._alarm.wait(rest_s)
                    self._alarm.clear()
                last = self._last
                self._asked_s, self._answer_bytes = time.monotonic(), 0
                try:
                    if self._link is None:  # the scheduler may be another one
                        self._link, self._refused = await Link.open(self._client), False
                    async with asyncio.timeout(ANSWER_S):
                        more = await self._ask(self._link, last)
                    failures, self.failure = 0, ""
                    pause_s = 0.0 if more else self._every_s()
                except Exception as error:  # noqa: BLE001 - a cluster may answer anything
                    failures, more = failures + 1, False
                    if isinstance(error, HandlerRefused):
                        self.failure = f"the scheduler refuses `{error.op}`"
                        failures += 5
                    elif failures > 2:
                        self.failure = brief(error)
                    pause_s = min(SHOWN_S * 2**failures, LONGEST_PAUSE_S)
                    if self._link is not None:
                        self._link.abort()
                        self._link = None
                self._answered.set()
                if last and not more:
                    return
        finally:
            self._answered.set()
            if self._link is not None:
                self._link.abort()

    @property
    def _by_routes(self) -> bool:
        return self._refused or not self.with_agent

    async def _ask(self, link: Link, last: bool) -> bool:
        """Send one request; return whether there is more to read."""
        if self._by_routes:
            await self._ask_routes(link)
            return False
        answer = await link.ask(
            agent.name() + "_profile",
            reader=self._reader,
            known=self.rows.packed(),
            after=self._after,
            left=self._left,
            limit_bytes=int(self._bandwidth),
            last=last,
        )
        if answer is None:  # the agent has gone; the collector may install it again
            self._left, self._workers = None, None
            return False
        if answer.get("refused"):
            self._refused = True
            await self._ask_routes(link)
            return False
        now, more, left = answer["time"], bool(answer["next"]), answer["left"]
        for address, data in answer["workers"].items():
            self._answer_bytes += len(data)
            more |= self.rows.take(address, data, now)
            await asyncio.sleep(0)
        for address, data in left["items"]:
            self._answer_bytes += len(data)
            self.rows.take_left(address, data, now)
            await asyncio.sleep(0)
        self._left = left["first"] + len(left["items"])
        self._after = answer["next"]
        if answer["all"] is not None:
            self.rows.note_workers(answer["all"], now)
            self._workers = None if more else answer["all"]
        return more

    async def _ask_routes(self, link: Link) -> None:
        """Read the profile from Dask's own routes."""
        async for address, data in self._routes.read(link, self.rows.known()):
            self.rows.take(address, data, time.time())
            self._answer_bytes = self._routes.answer_bytes
        self._answer_bytes = self._routes.answer_bytes
        self._workers = self._routes.workers
        self.rows.note_workers(self._workers, time.time())
