"""The way without an agent: what a scheduler that refuses plugins still answers.

Dask's own task stream (`daskscope.collect.task_stream`) forgets: it keeps 100,000 tasks by
default, and nothing from before somebody first asked, unless a dashboard was open. It knows
no spans and no killed workers.
"""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.utils import key_split

from daskscope.agent.cluster import running_tasks
from daskscope.agent.packing import MAX_ERROR_CHARS, clean_text
from daskscope.collect.event_topics import EventTopics
from daskscope.collect.notices import EVENTS_NOT_TOLD, GAP_TEXTS
from daskscope.collect.task_stream import TaskStream
from daskscope.collect.tracebacks import whole_traceback
from daskscope.collect.unfinished import by_states
from daskscope.recording import RecordingStore, pack_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.collect.link import Link
    from daskscope.errors import Notice
    from daskscope.recording import Unfinished


class BuiltinRoutes:
    """Reads Dask's task stream, and its events, into a recording."""

    def __init__(self, link: Link, recording: RecordingStore, scheduler: str) -> None:
        self._link = link
        self._recording = recording
        self._scheduler = scheduler
        self._stream = TaskStream(link)
        self._events = EventTopics(link)
        self._read_at = time()
        self._has_states = True

    @classmethod
    async def on(
        cls, link: Link, recording: RecordingStore, before: BuiltinRoutes | None, *, from_now: bool
    ) -> BuiltinRoutes:
        """Return the routes over a new connection; to the same scheduler, they go on."""
        identity = await _identity(link)
        if before is not None and before._scheduler == identity["id"]:
            before._link = before._stream.link = before._events.link = link
            return before
        if before is not None:
            before._say_gap("scheduler-restarted")
        routes = cls(link, recording, identity["id"])
        if from_now:
            await routes._stream.skip()
        return routes

    async def poll(self) -> int:
        """Append what is new; return how many tasks that were."""
        news = await self._stream.read()
        if news.forgotten is None:
            self._say_gap("stream-overrun")
        elif news.forgotten:
            self._recording.drop_from_agent(news.forgotten)
        self._read_at = time()
        if news.messages:
            self._append(news.messages)
        self._recording.log("events").append(await self._events.read())
        return len(news.messages)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What to say of that which these routes do not tell either."""
        return (EVENTS_NOT_TOLD,) if self._events.unreadable else ()

    def _say_gap(self, reason: str) -> None:
        gap = {"start": self._read_at, "stop": time(), "reason": reason, "text": GAP_TEXTS[reason]}
        self._recording.log("gaps").append([gap])

    def _append(self, messages: Sequence[Mapping[str, Any]]) -> None:
        names = self._recording.names
        rows: dict[str, list[Any]] = {
            name: []
            for name in (
                "start", "duration", "lane", "prefix", "action", "status", "nbytes", "span", "task"
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
        """Return what is known of unfinished tasks, if the scheduler answers that."""
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
        "time": max((row["stop"] for row in message.get("startstops") or ()), default=time()),
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
