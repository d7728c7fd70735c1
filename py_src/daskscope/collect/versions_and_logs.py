"""Versions and logs of a cluster: at the end of a block, and new lines while a page shows them.

The scheduler asks its workers for us, and waits for the slowest. So they are asked in parts,
each over a connection of its own.
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
"""Of one process: so many cost its event loop 8 ms. Of many processes fewer, so that
all together are not more than a recording takes."""

BATCHES: Final = 10
"""Workers are asked in so many parts: one that hangs costs what its part would have said."""

MANY_WORKERS: Final = 200
"""Assumed if the scheduler does not report how many there are."""

MAX_WORKERS: Final = 500
"""Of more, only some of those whose versions are alike are kept."""

MAX_PACKAGES: Final = 100
MAX_VERSION_CHARACTERS: Final = 200

PACKAGES: Final = ("pyarrow", "fsspec", "s3fs", "gcsfs", "bokeh", "scipy", "scikit-learn", "xarray")
"""Whose versions are worth a look beside those that Dask compares."""

TELLS_WITHOUT_IMPORTS: Final = Version("2026.8.0")
"""Older ones (2025.1, for example) import what they are asked for, in the scheduler's loop."""


@dataclass(frozen=True)
class VersionsAndLogs:
    """Answers; what could not be asked is among the `missing`, in words."""

    versions: dict[str, Any] = field(default_factory=dict)
    lines: tuple[dict[str, Any], ...] = ()
    """Rows of the log of lines."""
    missing: tuple[str, ...] = ()


async def versions_and_logs(client: ClientView, since: float, timeout_s: float) -> VersionsAndLogs:
    """Ask scheduler and workers. To be awaited in the background loop."""
    questions = _Questions(client, timeout_s)
    versions = await questions.ask("versions of the scheduler", "versions")
    if questions.unreachable:
        missing = f"versions and logs: {questions.unreachable}"
        return VersionsAndLogs({"client": _versions_here(())}, (), (missing,))
    packages = PACKAGES if _tells_without_imports(versions) else ()
    if packages:
        what = "versions of some packages of the scheduler"
        versions = await questions.ask(what, "versions", packages=packages) or versions
    threads = await questions.ask("list of workers", "ncores")
    workers = None if threads is None else list(threads)
    most = most_lines(MANY_WORKERS if workers is None else len(workers))
    log: dict[str, Any] = {"start": since, "n": most, "timestamps": True}
    batches = _batches(workers)
    of_workers, said, said_by_workers = await asyncio.gather(
        questions.ask_workers(
            "versions of the workers", batches, {"op": "versions", "packages": packages}
        ),
        questions.ask("log of the scheduler", "logs", **log),
        questions.ask_workers("logs of the workers", batches, {"op": "get_logs", **log}),
    )
    found = {
        "client": _versions_here(packages),
        "scheduler": _plain(versions),
        "workers": _differing_first(of_workers, questions.missing),
    }
    lines = _lines({"scheduler": said, **said_by_workers}, most, questions.missing)
    return VersionsAndLogs({k: v for k, v in found.items() if v}, lines, tuple(questions.missing))


class _Questions:
    """Questions to one cluster, each over a connection of its own: none holds up another."""

    def __init__(self, client: ClientView, timeout_s: float) -> None:
        self.missing: list[str] = []
        self.unreachable = ""
        """Why there was no answer from the scheduler, if so."""
        self._client = client
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._deadline = self._loop.time() + timeout_s

    async def ask(self, what: str, op: str, **arguments: Any) -> Any:
        """Return the answer, or nothing, which is written down."""
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
        except Exception as error:  # noqa: BLE001 - whatever a cluster answers
            self._miss(f"{what}: {type(error).__name__}: {error}"[:500])
        return None

    async def ask_workers(
        self, what: str, batches: Sequence[Sequence[str] | None], message: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the answers by worker, as many as there are."""
        answers = await asyncio.gather(
            *[
                self.ask(what, "broadcast", msg=message, workers=batch, on_error="ignore")
                for batch in batches
            ]
        )
        found = {str(worker): told for answer in answers for worker, told in (answer or {}).items()}
        asked = sum(len(batch or ()) for batch in batches)
        if 0 < len(found) < asked:
            self._miss(f"{what}: {len(found):,} of {asked:,} answered")
        return found

    def _miss(self, text: str) -> None:
        if text not in self.missing:
            self.missing.append(text)


def most_lines(workers: int) -> int:
    """Return how many lines each process of a cluster is asked for."""
    return max(1, min(MAX_LINES_EACH, MAX_LINES // (1 + workers)))


def lines_of(source: str, entries: Sequence[Any]) -> list[dict[str, Any]]:
    """Return what a process answered as rows of the log, the oldest first."""
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
    """Return the workers in the parts in which they are asked; ``None`` is all."""
    if workers is None:
        return [None]
    size = math.ceil(len(workers) / BATCHES)
    return [workers[first : first + size] for first in range(0, len(workers), max(1, size))]


def _versions_here(packages: Sequence[str]) -> dict[str, Any]:
    from distributed.versions import get_versions

    return _plain(get_versions(packages=packages))


def _tells_without_imports(answer: Any) -> bool:
    try:
        return Version(answer["packages"]["distributed"]) >= TELLS_WITHOUT_IMPORTS
    except (TypeError, KeyError, InvalidVersion):
        return False


def _plain(answer: Any) -> dict[str, dict[str, str | None]]:
    """Return the answer of `get_versions`, as far as it has the known form."""
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
    """Return the versions of workers; of too many those go that are like others'."""
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
"""The scheduler opens a connection to each worker that it asks: many are asked seldom."""

CLOCKS_S: Final = 120.0
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
        """What is missing, while logs are read."""
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
        """Ask a part of the processes again and again, until cancelled or refused."""
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
        self._read: dict[str, float] = {}
        """When the newest line was, as each process answered the last time."""

    def members(self, workers: Collection[str]) -> list[str]:
        """Return the processes of this part."""
        if self._number < 0:
            return [SCHEDULER]
        return [one for one in workers if crc32(one.encode()) % BATCHES == self._number]

    async def read(self, link: Link, members: list[str], most: int) -> list[Row]:
        """Return the lines that are new, in order of time."""
        known = [one for one in members if one in self._known]
        new = [one for one in members if one not in self._known]
        # A process that did not answer the last time may have older lines.
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
