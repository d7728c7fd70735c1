"""Records without an agent, from the routes of a scheduler that refuses plugins.

Dask's own task stream keeps 100,000 tasks by default, and none from before the first request,
unless a dashboard was open. It has no spans and no tasks of killed workers.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from dask.utils import key_split

from daskscope.agent.cluster import running_tasks
from daskscope.agent.events import MAX_TOPICS_CHARS, json_text
from daskscope.agent.packing import MAX_ERROR_CHARS, MAX_NAME_CHARS, clean_text
from daskscope.collect.intake import whole_traceback
from daskscope.collect.notices import GAP_TEXTS, notice
from daskscope.collect.snapshots import by_states
from daskscope.recording import RecordingStore, pack_keys
from daskscope.schema import UNKNOWN_GRAPH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.collect.link import Link
    from daskscope.errors import Notice
    from daskscope.recording import Unfinished

    Message = Mapping[str, Any]
    Topics = Mapping[Any, Sequence[tuple[float, Any]]]

logger = logging.getLogger(__name__)


class BuiltinRoutes:
    """Reads Dask's task stream, and its events, into a recording."""

    def __init__(self, link: Link, recording: RecordingStore, scheduler: str) -> None:
        self._link = link
        self._recording = recording
        self._scheduler = scheduler
        self._stream = TaskStream(link)
        self._events = EventTopics(link)
        self._read_at = time.time()
        self._has_states = True

    @classmethod
    async def on(
        cls, link: Link, recording: RecordingStore, before: BuiltinRoutes | None, *, from_now: bool
    ) -> BuiltinRoutes:
        """Return routes for a new connection, which continue `before` on the same scheduler."""
        identity = await _identity(link)
        if before is not None and before._scheduler == identity["id"]:
            before._link = before._stream.link = before._events.link = link
            return before
        if before is not None:
            before._log_gap("scheduler-restarted")
        routes = cls(link, recording, identity["id"])
        if from_now:
            await routes._stream.skip()
        return routes

    async def poll(self) -> int:
        """Append what is new; return the number of new tasks."""
        news = await self._stream.read()
        if news.forgotten is None:
            self._log_gap("stream-overrun")
        elif news.forgotten:
            self._recording.drop_from_agent(news.forgotten)
        self._read_at = time.time()
        if news.messages:
            self._append(news.messages)
        self._recording.log("events").append(await self._events.read())
        return len(news.messages)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about data that these routes could not read."""
        return (notice("events-blocked"),) if self._events.unreadable else ()

    def _log_gap(self, reason: str) -> None:
        gap = {"start": self._read_at, "stop": time.time(), "reason": reason}
        gap["text"] = GAP_TEXTS[reason]
        self._recording.log("gaps").append([gap])

    def _append(self, messages: Sequence[Mapping[str, Any]]) -> None:
        names = self._recording.names
        rows: dict[str, list[Any]] = {
            name: []
            for name in (
                "start", "duration", "lane", "prefix", "action", "status", "nbytes", "span", "task",
                "computation",
            )
        }  # fmt: skip
        errors = []
        for task, message in enumerate(messages):
            prefix = names.intern("prefixes", key_split(message["key"]))
            worker, thread = message.get("worker"), message.get("thread")
            lane = names.intern("lanes", (str(worker or ""), "" if thread is None else str(thread)))
            erred = message.get("status") == "error"
            for interval in message.get("startstops") or ():
                rows["start"].append(interval["start"])
                rows["duration"].append(interval["stop"] - interval["start"])
                rows["lane"].append(lane)
                rows["prefix"].append(prefix)
                rows["action"].append(names.intern("actions", interval["action"]))
                rows["status"].append(int(erred))
                rows["nbytes"].append(message.get("nbytes") or 0)
                rows["span"].append(0)
                rows["task"].append(task)
                rows["computation"].append(UNKNOWN_GRAPH)
            if erred:
                errors.append((task, prefix, message))
        keys = [clean_text(message["key"]) for message in messages]
        columns = {name: np.array(values) for name, values in rows.items()}
        first = self._recording.append_tasks(len(messages), columns, bytes(pack_keys(0, keys).data))
        self._recording.log("errors").append(
            _error(message, first + task, keys[task], prefix) for task, prefix, message in errors
        )

    async def workers(self) -> list[dict[str, Any]]:
        """Return a snapshot of the workers, in the agent's form."""
        workers = (await _identity(self._link))["workers"]
        return [_worker(address, info) for address, info in workers.items()]

    async def unfinished(self, now: float) -> Unfinished | None:
        """Return the unfinished tasks, if the scheduler reports them."""
        if not self._has_states:
            return None
        try:
            states = await self._link.ask("get_task_prefix_states")
            return by_states(states, self._recording.names, time=now)
        except OSError:
            raise
        except Exception:  # noqa: BLE001 - forbidden, for example
            self._has_states = False
            return None


def _error(message: Mapping[str, Any], task: int, key: str, prefix: int) -> dict[str, Any]:
    exception = clean_text(message.get("exception_text") or "", MAX_ERROR_CHARS)
    frames = clean_text(message.get("traceback_text") or "", MAX_ERROR_CHARS)
    return {
        "task": task,
        "key": key,
        "prefix": prefix,
        "worker": str(message.get("worker") or ""),
        "time": max((row["stop"] for row in message.get("startstops") or ()), default=time.time()),
        "exception": exception,
        "traceback": whole_traceback(frames, exception),
    }


async def _identity(link: Link) -> Mapping[str, Any]:
    identity: Mapping[str, Any]
    try:
        identity = await link.ask("identity", n_workers=-1)
    except OSError:
        raise
    except Exception:  # noqa: BLE001
        identity = await link.ask("identity")
    return identity


def _worker(address: str, info: Mapping[str, Any]) -> dict[str, Any]:
    metrics = info.get("metrics") or {}
    return {
        "address": address,
        "name": str(info.get("name", "")),
        "host": info.get("host", ""),
        "threads": info.get("nthreads", 0),
        "memory_limit": info.get("memory_limit", 0),
        "process": metrics.get("memory", 0),
        "managed": metrics.get("managed_bytes", 0),
        "spilled": (metrics.get("spilled_bytes") or {}).get("disk", 0),
        "status": info.get("status", ""),
        "running": running_tasks(metrics),
    }


LEAST_COUNT: Final = 16
MORE: Final = 4
"""Factor for the next request if the last known task was not in an answer."""


@dataclass(frozen=True, slots=True)
class News:
    """The result of one reading of the stream."""

    messages: Sequence[Message]
    forgotten: int | None = 0
    """Number of tasks that can no longer be read; ``None`` if unknown."""


class TaskStream:
    """Reads the stream of one scheduler, from its beginning or from now on."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._knows_index = True
        self._read_once = False  # read at once, to notice a refusal before tasks are lost
        self._cursor = 0  # number of tasks that were read or are known to be dropped
        self._last: tuple[Any, ...] | None = None  # the newest task that was read
        self._count = LEAST_COUNT

    async def skip(self) -> None:
        """Skip the tasks that the stream has now."""
        index = await self._index()
        if index is not None:
            self._cursor = index
            return
        messages = await self.link.ask("get_task_stream", count=1)
        self._last = _run_of(messages[-1]) if messages else None

    async def read(self) -> News:
        """Return what is new."""
        index = await self._index()
        news = await (self._last_ones() if index is None else self._from_cursor(index))
        if news.messages:
            self._last = _run_of(news.messages[-1])
        return news

    async def _index(self) -> int | None:
        """Return the number of all tasks so far, if the scheduler reports it."""
        if not self._knows_index:
            return None
        try:
            index: int | None = await self.link.ask("get_task_stream_index")
        except OSError:
            raise
        except Exception:  # noqa: BLE001 - forbidden, for example
            index = None
        self._knows_index = index is not None
        return index

    async def _from_cursor(self, index: int) -> News:
        """Read the tasks from the cursor on.

        Between the two requests, tasks arrive and push out others. So after the second one, at
        least `index` tasks were read or dropped. If there were more, a later index corrects the
        cursor; until then, the next answer begins with tasks that were already read.
        """
        began_anew = index < self._cursor  # Dask removed its stream and started a new one
        if began_anew:
            self._cursor = 0
        if index == self._cursor and self._read_once:
            return News((), None if began_anew else 0)
        messages = await self.link.ask("get_task_stream", start_index=self._cursor)
        self._read_once = True
        new = messages[self._known(messages) :]
        read = self._cursor + len(new)
        self._cursor = max(read, index)
        return News(new, None if began_anew else self._cursor - read)

    async def _last_ones(self) -> News:
        """Read the newest tasks, and more of them until the last known one is included."""
        if self._last is None:
            return News(await self.link.ask("get_task_stream"))
        count = self._count
        while True:
            messages = await self.link.ask("get_task_stream", count=count)
            known = self._known(messages)
            if known or len(messages) < count:
                break
            count *= MORE
        self._count = max(LEAST_COUNT, 2 * (len(messages) - known))
        return News(messages[known:], 0 if known else None)

    def _known(self, messages: Sequence[Message]) -> int:
        """Return how many messages up to the last known one were already read."""
        if self._last is not None:
            for place in range(len(messages) - 1, -1, -1):
                if messages[place]["key"] == self._last[0] and (
                    _run_of(messages[place]) == self._last
                ):
                    return place + 1
        return 0


def _run_of(message: Message) -> tuple[Any, ...]:
    """Return a value that identifies one run of a task, since a key may run again."""
    # As text, since NaN does not equal itself.
    times = repr(message.get("startstops"))
    return (message["key"], message.get("worker"), message.get("thread"), times)


EVERY_S: Final = 1.0
SHARE: Final = 0.05
"""Share of our time for reading events: the pause is twenty times as long as an answer took."""


class EventTopics:
    """Reads the events of one scheduler from now on."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.unreadable = False
        """Whether the scheduler refuses to send events, or they cannot be read here."""
        self._closed = 0  # successive connections that were closed by this request
        self._newest: dict[Any, float] | None = None  # by topic: time of the last event read
        self._due_s = 0.0  # monotonic

    async def read(self) -> list[dict[str, Any]]:
        """Return new rows of the log of events, if a request is due."""
        asked_s = time.monotonic()
        if self.unreadable or asked_s < self._due_s:
            return []
        try:
            topics: Topics = await self.link.ask("events")
            new = self._take(topics)
        except OSError:
            # A scheduler that cannot serialize its events closes the connection.
            self._closed += 1
            self.unreadable = self._closed > 1
            raise
        except Exception:  # the route is forbidden, or a message has a class that is not installed
            logger.debug("daskscope cannot read this scheduler's events", exc_info=True)
            self.unreadable = True
            return []
        self._closed = 0
        now = time.monotonic()
        self._due_s = now + max(EVERY_S, (now - asked_s) / SHARE)
        return new

    def _take(self, topics: Topics) -> list[dict[str, Any]]:
        before = self._newest
        self._newest = {topic: events[-1][0] for topic, events in topics.items() if events}
        if before is None:
            return []
        # An event with several topics is in the list of each topic, with the same time.
        found: dict[tuple[float, str], list[str]] = {}
        for topic, events in topics.items():
            for created, message in events[_known(events, before.get(topic)) :]:
                place = (float(created), json_text(message))
                found.setdefault(place, []).append(clean_text(topic, MAX_NAME_CHARS))
        return [
            {
                "time": created,
                "topic": clean_text(", ".join(names), MAX_TOPICS_CHARS),
                "message": message,
            }
            for (created, message), names in sorted(found.items())
        ]


def _known(events: Sequence[tuple[float, Any]], newest: float | None) -> int:
    """Return how many events up to the last known one were already read."""
    known = len(events) if newest is not None else 0
    while known and events[known - 1][0] != newest:
        known -= 1
    return known
