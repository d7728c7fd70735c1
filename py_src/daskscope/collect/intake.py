"""What an answer of the agent does to a recording: names, rows, events, what was lost."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any

from daskscope.agent.packing import MAX_MERGED
from daskscope.collect.decode import IndexMap, Tasks, decode
from daskscope.collect.tracebacks import whole_traceback
from daskscope.recording import UNKNOWN_TASK, Merged, NotRead, RecordingStore

if TYPE_CHECKING:
    from collections.abc import Mapping

logger = logging.getLogger(__name__)


class Intake:
    """Feeds the answers of one agent to a recording, and keeps the cursors."""

    def __init__(self, agent: str, recording: RecordingStore) -> None:
        self.agent = agent
        self.cursor = 0
        self.errors = 0
        self.changes = 0
        self.events: int | None = None  # until the first answer
        self.load: int | None = None
        self._recording = recording
        self.missed_events = 0
        """Events that came and went in the agent between two answers."""
        self.unreadable = 0
        """Tasks that came in a form that cannot be read; they count as dropped."""
        self.unreadable_why = ""
        self._not_read_before = recording.not_read  # with earlier agents
        self._merged_before = dict(recording.names.merged_before)
        self._first = not recording.names.lanes  # names of an earlier agent may come again
        self._map = IndexMap(recording.names)
        self._waiting: list[Mapping[str, Any]] = []  # errors whose tasks are still to come

    def request(self) -> dict[str, Any]:
        """Return what is to be asked for next."""
        return {
            "cursor": self.cursor,
            "errors": self.errors,
            "changes": self.changes,
            "events": self.events or 0,
            "load": self.load,
            "names": self._map.known(),
        }

    def take(self, answer: Mapping[str, Any]) -> int:
        """Append what an answer brings; return how many tasks that were."""
        self._map.extend(answer["names"])
        self._take_merged(answer["merged"])
        errors, changes = answer["errors"], answer["changes"]
        workers = self._recording.log("workers")
        self._recording.log("errors").count_dropped(errors["first"] - self.errors)
        workers.count_dropped(changes["first"] - self.changes)
        self._waiting += errors["items"]
        self.errors = errors["first"] + len(errors["items"])
        self.changes = changes["first"] + len(changes["items"])
        self._take_events(answer["events"])
        if "scheduler" in answer:
            self._take_load(answer["scheduler"], answer["time"])
        before = self.cursor
        for chunk in answer["chunks"]:
            self._take_chunk(chunk)
        if not answer["chunks"]:
            self._skip_to(answer["first"])
        self._recording.name_workers(
            {item["worker"]: item["name"] for item in changes["items"] if "name" in item}
        )
        workers.append(item | {"name": ""} for item in changes["items"])  # as panels call it
        counted = NotRead(self.missed_events, answer["incomplete"], self.unreadable)
        self._recording.not_read = self._not_read_before + counted
        return self.cursor - before

    def _take_merged(self, merged: Mapping[str, int]) -> None:
        for kind, names in merged.items():
            if names:
                most = max(names, self._merged_before[kind].names)
                exact = self._first and names < MAX_MERGED
                self._recording.names.merged_before[kind] = Merged(most, exact)

    def _take_events(self, events: Mapping[str, Any]) -> None:
        if self.events is not None:
            self.missed_events += events["first"] - self.events
        self.events = events["first"] + len(events["items"])
        self._recording.log("events").append(events["items"])

    def _take_load(self, load: Mapping[str, Any], now: float) -> None:
        self.load = load["first"] + len(load["items"])
        if load["items"]:
            time, cpu, memory = zip(*load["items"], strict=True)
            columns = {
                "time": time,
                "cpu": [_number(value) for value in cpu],
                "memory": [_number(value) for value in memory],
                "loop_interval": [_number(load["loop_interval"])] * len(time),
            }
            self._recording.append_samples("system", columns, now=now)

    def _take_chunk(self, chunk: Mapping[str, Any]) -> None:
        try:
            tasks = decode(chunk, self._map)
        except ValueError as error:  # it would be the same the next time: go on behind it
            logger.exception("daskscope cannot read what the scheduler's agent sent")
            stop = chunk["first"] + chunk["tasks"]
            self.unreadable += stop - max(self.cursor, chunk["first"])
            self.unreadable_why = str(error)
            self._skip_to(stop)
        else:
            self._take_tasks(tasks)

    def _take_tasks(self, tasks: Tasks) -> None:
        self._skip_to(tasks.first)
        rowless = tasks.rowless if len(tasks.rowless["prefix"]) else None
        stop = tasks.first + tasks.tasks
        ready = [error for error in self._waiting if error["task"] < stop]
        self._waiting = [error for error in self._waiting if error["task"] >= stop]
        with self._recording.together():
            first = self._recording.append_tasks(
                tasks.tasks, tasks.columns, tasks.keys, rowless=rowless
            )
            self.cursor = stop
            self._recording.log("errors").append(
                self._error(error, first - tasks.first, tasks.first) for error in ready
            )

    def _skip_to(self, first: int) -> None:
        if first > self.cursor:
            self._recording.drop_from_agent(first - self.cursor)
            self.cursor = first

    def _error(self, error: Mapping[str, Any], offset: int, oldest: int) -> dict[str, Any]:
        task = error["task"]
        return {
            **error,
            "task": task + offset if task >= oldest else UNKNOWN_TASK,
            "prefix": self._recording.names.intern("prefixes", error["prefix"]),
            "traceback": whole_traceback(error["traceback"], error["exception"]),
        }


def _number(value: Any) -> float:
    """Return what a scheduler measured; NaN where it could not."""
    return math.nan if value is None else float(value)
