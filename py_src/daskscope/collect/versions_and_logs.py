"""Reads versions and logs of a cluster at the end of a block, and new lines for a page.

The scheduler forwards requests to its workers, and waits for the slowest one. So workers are
asked in parts, each over its own connection.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from packaging.version import InvalidVersion, Version

from daskscope.agent.packing import clean_text
from daskscope.collect.link import ClientView, HandlerRefused, Link
from daskscope.collect.notices import brief, notice
from daskscope.format import count_text
from daskscope.schema import LOGS, MAX_TEXT_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from daskscope.errors import Notice

    Row = dict[str, Any]

MAX_LINES: Final = LOGS.rows
MAX_LINES_EACH: Final = 2_000
"""Lines to request from a process, which take 8 ms of its event loop. With many processes it is
fewer, so that all together fit into a recording."""

BATCHES: Final = 10
"""Number of parts in which workers are asked; a worker that hangs affects only its part."""

MANY_WORKERS: Final = 200
"""Assumed number of workers if the scheduler does not report it."""

MAX_WORKERS: Final = 500
"""With more workers, some with the same versions as others are left out."""

MAX_PACKAGES: Final = 100
MAX_VERSION_CHARACTERS: Final = 200

PACKAGES: Final = ("pyarrow", "fsspec", "s3fs", "gcsfs", "bokeh", "scipy", "scikit-learn", "xarray")
"""Packages to record in addition to those that Dask compares."""

VERSIONS_WITHOUT_IMPORTS: Final = Version("2026.8.0")
"""Older versions of distributed (for example 2025.1) import the packages on the event loop."""


@dataclass(frozen=True)
class VersionsAndLogs:
    """The answers; `missing` has texts about requests that failed."""

    versions: dict[str, Any] = field(default_factory=dict)
    lines: tuple[dict[str, Any], ...] = ()
    """Rows for the table `logs`."""
    missing: tuple[str, ...] = ()


async def versions_and_logs(client: ClientView, since: float, timeout_s: float) -> VersionsAndLogs:
    """Ask scheduler and workers. Await it in the background loop."""
    questions = _Questions(client, timeout_s)
    versions = await questions.ask("versions of the scheduler", "versions")
    if questions.unreachable:
        missing = f"versions and logs: {questions.unreachable}"
        return VersionsAndLogs({"client": _versions_here(())}, (), (missing,))
    packages = PACKAGES if _avoids_imports(versions) else ()
    if packages:
        what = "versions of some packages of the scheduler"
        versions = await questions.ask(what, "versions", packages=packages) or versions
    threads = await questions.ask("list of workers", "ncores")
    workers = None if threads is None else list(threads)
    most = most_lines(MANY_WORKERS if workers is None else len(workers))
    log: dict[str, Any] = {"start": since, "n": most, "timestamps": True}
    batches = _batches(workers)
    worker_versions, scheduler_log, worker_logs = await asyncio.gather(
        questions.ask_workers(
            "versions of the workers", batches, {"op": "versions", "packages": packages}
        ),
        questions.ask("log of the scheduler", "logs", **log),
        questions.ask_workers("logs of the workers", batches, {"op": "get_logs", **log}),
    )
    found = {
        "client": _versions_here(packages),
        "scheduler": _plain(versions),
        "workers": _differing_first(worker_versions, questions.missing),
    }
    lines = _lines({"scheduler": scheduler_log, **worker_logs}, most, questions.missing)
    return VersionsAndLogs({k: v for k, v in found.items() if v}, lines, tuple(questions.missing))


class _Questions:
    """Requests to one cluster, each over its own connection, so that none delays another."""

    def __init__(self, client: ClientView, timeout_s: float) -> None:
        self.missing: list[str] = []
        self.unreachable = ""
        """Why the scheduler did not answer, if it did not."""
        self._client = client
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._deadline = self._loop.time() + timeout_s

    async def ask(self, what: str, op: str, **arguments: Any) -> Any:
        """Return the answer; on failure, note it in `missing` and return None."""
        try:
            async with asyncio.timeout_at(self._deadline):
                link = await Link.open(self._client)
                try:
                    return await link.ask(op, **arguments)
                finally:
                    link.abort()
        except HandlerRefused:
            self._miss(f"{what}: the scheduler refuses `{op}`")
        except OSError as error:
            late = self._loop.time() >= self._deadline
            why = f"no answer within {self._timeout_s:g} s" if late else brief(error)
            self.unreachable = f"the scheduler could not be reached ({why})"
            self._miss(f"{what}: {why}")
        except Exception as error:  # noqa: BLE001 - a cluster may answer anything
            self._miss(f"{what}: {type(error).__name__}: {error}"[:500])
        return None

    async def ask_workers(
        self, what: str, batches: Sequence[Sequence[str] | None], message: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the available answers by worker."""
        answers = await asyncio.gather(
            *[
                self.ask(what, "broadcast", msg=message, workers=batch, on_error="ignore")
                for batch in batches
            ]
        )
        found = {str(worker): one for answer in answers for worker, one in (answer or {}).items()}
        asked = sum(len(batch or ()) for batch in batches)
        if 0 < len(found) < asked:
            self._miss(f"{what}: {len(found):,} of {asked:,} answered")
        return found

    def _miss(self, text: str) -> None:
        if text not in self.missing:
            self.missing.append(text)


def most_lines(workers: int) -> int:
    """Return how many lines to request from each process of a cluster."""
    return max(1, min(MAX_LINES_EACH, MAX_LINES // (1 + workers)))


def lines_of(source: str, entries: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the answer of a process as rows of the log, the oldest first."""
    return [
        {
            "time": float(created),
            "source": source,
            "level": clean_text(level, MAX_VERSION_CHARACTERS),
            "text": clean_text(text, MAX_TEXT_CHARACTERS),
        }
        for entry in reversed(entries)
        if isinstance(entry, list | tuple) and len(entry) == 3
        for created, level, text in [entry]
    ]


def _batches(workers: Sequence[str] | None) -> Sequence[Sequence[str] | None]:
    """Return the parts in which to ask the workers; ``None`` means all workers."""
    if workers is None:
        return [None]
    size = math.ceil(len(workers) / BATCHES)
    return [workers[first : first + size] for first in range(0, len(workers), max(1, size))]


def _versions_here(packages: Sequence[str]) -> dict[str, Any]:
    from distributed.versions import get_versions

    return _plain(get_versions(packages=packages))


def _avoids_imports(answer: Any) -> bool:
    try:
        return Version(answer["packages"]["distributed"]) >= VERSIONS_WITHOUT_IMPORTS
    except (TypeError, KeyError, InvalidVersion):
        return False


def _plain(answer: Any) -> dict[str, dict[str, str | None]]:
    """Return the parts of an answer of `get_versions` that have the expected form."""
    if not isinstance(answer, dict):
        return {}
    return {
        part: {
            clean_text(name, MAX_VERSION_CHARACTERS): (
                None if value is None else clean_text(value, MAX_VERSION_CHARACTERS)
            )
            for name, value in islice(answer[part].items(), MAX_PACKAGES)
        }
        for part in ("host", "packages")
        if isinstance(answer.get(part), dict)
    }


def _differing_first(answers: Mapping[str, Any], missing: list[str]) -> dict[str, Any]:
    """Return the versions of at most MAX_WORKERS workers, each distinct set first."""
    plain = {worker: versions for worker, answer in answers.items() if (versions := _plain(answer))}
    if len(plain) <= MAX_WORKERS:
        return plain
    firsts = {str(versions): worker for worker, versions in plain.items()}
    chosen = list(islice(dict.fromkeys([*firsts.values(), *plain]), MAX_WORKERS))
    missing.append(f"versions of the workers: {MAX_WORKERS:,} of {len(plain):,} are here")
    return {worker: plain[worker] for worker in chosen}


def _lines(
    logs: Mapping[str, Sequence[Any] | None], most: int, missing: list[str]
) -> tuple[dict[str, Any], ...]:
    """Return the lines of all processes in order of time."""
    lines = [line for source, entries in logs.items() for line in lines_of(source, entries or ())]
    if cut := sum(len(entries or ()) >= most for entries in logs.values()):
        missing.append(
            f"logs: of {cut:,} of {len(logs):,} processes the newest {most:,} lines only"
        )
    return tuple(sorted(lines, key=lambda line: line["time"]))


EVERY_S: Final = 2.0
WORKERS_A_SECOND: Final = 25
"""Bounds the rate, since the scheduler opens a connection to each worker that it asks."""

CLOCKS_S: Final = 120.0
"""Lines are requested from this long before the last one, because clocks of processes differ."""

LONGEST_S: Final = 60.0
SCHEDULER: Final = "scheduler"


class LogTail:
    """Reads the logs of one cluster in the background loop, beginning with existing lines."""

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

    def set_enabled(self, enabled: bool) -> None:
        """Start reading where it stopped before, or stop. Call it in the loop."""
        if enabled == bool(self._tasks):
            return
        if not enabled:
            for task in self._tasks:
                task.cancel()
            self._tasks.clear()
            return
        self._parts = self._parts or [_Part(number) for number in range(-1, BATCHES)]
        self._tasks = [asyncio.create_task(self._follow(part)) for part in self._parts]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about missing lines, while logs are read."""
        if not self._tasks:
            return ()
        failures = dict.fromkeys(part.failure for part in self._parts if part.failure)
        cut = sum(len(part.cut) for part in self._parts)
        processes = count_text(cut, "process", "processes")
        return (
            *([notice("logs-not-read", reasons="; ".join(failures))] if failures else ()),
            *([notice("logs-cut", count=processes, most=self._most)] if cut else ()),
        )

    @property
    def _most(self) -> int:
        return most_lines(len(self._workers()))

    async def _follow(self, part: _Part) -> None:
        """Ask a part of the processes repeatedly, until cancelled or refused."""
        link: Link | None = None
        failures = 0
        try:
            while True:
                try:
                    if members := part.members(self._workers()):
                        link = link or await Link.open(self._client)
                        self._append(await part.read(link, members, self._most))
                    else:
                        part.failure = ""
                    failures = failures + 1 if part.failure else 0
                except HandlerRefused as refused:
                    part.failure = f"the scheduler refuses `{refused.op}`"
                    return
                except Exception as error:  # noqa: BLE001 - a cluster may answer anything
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


class _Part:
    """Some of the processes, and which of their lines were read. The scheduler is part -1."""

    def __init__(self, number: int) -> None:
        self.failure = ""
        """Why lines are missing, if any are."""
        self.cut: set[str] = set()
        """Processes that had more lines than requested."""
        self._number = number
        self._known: dict[str, Counter[tuple[Any, ...]]] = {}
        self._newest = 0.0
        self._read: dict[str, float] = {}
        """By process: time of the newest line of all when the process last answered."""

    def members(self, workers: Collection[str]) -> list[str]:
        """Return the processes of this part."""
        if self._number < 0:
            return [SCHEDULER]
        return [one for one in workers if crc32(one.encode()) % BATCHES == self._number]

    async def read(self, link: Link, members: list[str], most: int) -> list[Row]:
        """Return new lines, in order of time."""
        known = [one for one in members if one in self._known]
        new = [one for one in members if one not in self._known]
        # A process that did not answer the last request may have older lines.
        since = min((self._read.get(one, 0.0) for one in known), default=0.0)
        answers = {
            **await self._ask(link, new, 0.0, most),
            **await self._ask(link, known, since - CLOCKS_S, most),
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
        self._read = {one: self._read.get(one, 0.0) for one in members}
        self._read |= dict.fromkeys(answers, self._newest)
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
        """Return lines that were not read before; equal lines are counted, not merged."""
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
