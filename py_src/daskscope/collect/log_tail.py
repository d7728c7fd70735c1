"""New lines of the logs of scheduler and workers, while a page shows them.

The scheduler asks its workers for us, and waits for the slowest. So they are asked in parts,
each over a connection of its own and only once the last question was answered.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from daskscope.collect.link import ClientView, HandlerRefused, Link
from daskscope.collect.notices import brief, logs_cut, logs_not_read
from daskscope.collect.surroundings import BATCHES, lines_of, most_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from daskscope.errors import Notice

    Row = dict[str, Any]

EVERY_S: Final = 2.0
WORKERS_A_SECOND: Final = 25
"""The scheduler opens a connection to each worker that it asks: many are asked seldom."""

CLOCKS_S: Final = 10.0
"""So much earlier lines are asked for than the last one: clocks of processes differ."""

LONGEST_S: Final = 60.0
SCHEDULER: Final = "scheduler"


class LogTail:
    """Reads the logs of one cluster in the background loop, from what is there on."""

    def __init__(
        self,
        client: ClientView,
        workers: Callable[[], Collection[str]],
        append: Callable[[list[Row]], None],
    ) -> None:
        self._client = client
        self._workers = workers
        self._append = append
        self._parts: list[_Part] = []
        self._tasks: list[asyncio.Task[None]] = []

    def set_wanted(self, wanted: bool) -> None:
        """Begin to read, where it was left off, or stop. To be called in the loop."""
        if wanted == bool(self._tasks):
            return
        if not wanted:
            for task in self._tasks:
                task.cancel()
            self._tasks.clear()
            return
        self._parts = self._parts or [_Part(number) for number in range(-1, BATCHES)]
        self._tasks = [asyncio.create_task(self._follow(part)) for part in self._parts]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is missing, while somebody reads."""
        if not self._tasks:
            return ()
        failures = dict.fromkeys(part.failure for part in self._parts if part.failure)
        cut = sum(len(part.cut) for part in self._parts)
        return (
            *([logs_not_read(tuple(failures))] if failures else ()),
            *([logs_cut(cut, self._most)] if cut else ()),
        )

    @property
    def _most(self) -> int:
        return most_lines(len(self._workers()))

    async def _follow(self, part: _Part) -> None:
        """Ask a part of the processes again and again, until cancelled or refused."""
        link: Link | None = None
        failures = 0
        try:
            while True:
                try:
                    if members := part.members(self._workers()):
                        link = link or await self._connect()
                        self._append(await part.read(link, members, self._most))
                    else:
                        part.failure = ""
                    failures = failures + 1 if part.failure else 0
                except HandlerRefused as refused:
                    part.failure = f"the scheduler refuses `{refused.op}`"
                    return
                except Exception as error:  # noqa: BLE001 - whatever a cluster answers
                    part.failure = brief(error)
                    failures += 1
                    if link is not None:
                        link.abort()
                        link = None
                every_s = max(EVERY_S, len(self._workers()) / WORKERS_A_SECOND)
                await asyncio.sleep(max(every_s, min(every_s * 2 ** min(failures, 9), LONGEST_S)))
        finally:
            if link is not None:
                link.abort()

    async def _connect(self) -> Link:
        address = self._client.address
        if address is None:
            raise ConnectionError("there is no scheduler")
        return await Link.open(address, self._client.connection_args())


class _Part:
    """Some of the processes, and which of their lines have been read: the scheduler is part -1."""

    def __init__(self, number: int) -> None:
        self.failure = ""
        """Why lines are missing, if some are."""
        self.cut: set[str] = set()
        """Processes that had more lines than they were asked for."""
        self._number = number
        self._known: dict[str, Counter[tuple[Any, ...]]] = {}
        self._newest = 0.0

    def members(self, workers: Collection[str]) -> list[str]:
        """Return the processes of this part."""
        if self._number < 0:
            return [SCHEDULER]
        return [one for one in workers if crc32(one.encode()) % BATCHES == self._number]

    async def read(self, link: Link, members: list[str], most: int) -> list[Row]:
        """Return the lines that are new, in order of time."""
        known = [one for one in members if one in self._known]
        new = [one for one in members if one not in self._known]
        answers = {
            **await self._ask(link, new, 0.0, most),
            **await self._ask(link, known, self._newest - CLOCKS_S, most),
        }
        silent = len(members) - len(answers)
        self.failure = f"{silent:,} of {len(members):,} workers did not answer" if silent else ""
        self._known = {one: self._known[one] for one in known}
        lines = [
            line
            for process, entries in answers.items()
            for line in self._news(process, lines_of(process, entries or ()), most)
        ]
        self._newest = max([self._newest, *(line["time"] for line in lines)])
        return sorted(lines, key=lambda line: line["time"])

    async def _ask(self, link: Link, members: list[str], since: float, most: int) -> dict[str, Any]:
        log = {"start": max(since, 0.0), "n": most, "timestamps": True}
        if not members:
            return {}
        if self._number < 0:
            return {SCHEDULER: await link.ask("logs", **log)}
        message = {"op": "get_logs", **log}
        return await link.ask("broadcast", msg=message, workers=members, on_error="ignore") or {}

    def _news(self, process: str, lines: list[Row], most: int) -> list[Row]:
        """Return what was not read before; of lines that are alike, too."""
        known = self._known.get(process, Counter()).copy()
        self._known[process] = Counter(tuple(line.values()) for line in lines)
        news = []
        for line in lines:
            cells = tuple(line.values())
            if known[cells]:
                known[cells] -= 1
            else:
                news.append(line)
        if len(news) >= most:
            self.cut.add(process)
        return news
