"""What an answer of the agent does to a recording: names, rows, events, what was lost."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any

from daskscope.agent.packing import MAX_MERGED
from daskscope.collect.decode import IndexMap, Tasks, decode
from daskscope.collect.tracebacks import whole_traceback
from daskscope.recording import (
    UNKNOWN_TASK,
    Event,
    Merged,
    NotRead,
    RecordingCore,
    SchedulerSample,
    TaskError,
    WorkerChange,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

logger = logging.getLogger(__name__)


class Intake:
    """Feeds the answers of one agent to a recording, and keeps the cursors."""

    def __init__(self, agent: str, recording: RecordingCore) -> None:
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
        self._recording.drop_errors(errors["first"] - self.errors)
        self._recording.drop_changes(changes["first"] - self.changes)
        self._waiting += errors["items"]
        self.errors = errors["first"] + len(errors["items"])
        self.changes = changes["first"] + len(changes["items"])
        self._take_events(answer["events"])
        if "scheduler" in answer:
            self._take_load(answer["scheduler"])
        before = self.cursor
        for chunk in answer["chunks"]:
            self._take_chunk(chunk)
        if not answer["chunks"]:
            self._skip_to(answer["first"])
        self._recording.name_workers(
            {item["worker"]: item["name"] for item in changes["items"] if "name" in item}
        )
        self._recording.append_changes([_change(item) for item in changes["items"]])
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
        self._recording.append_events(
            [Event(item["time"], item["topic"], item["message"]) for item in events["items"]]
        )

    def _take_load(self, load: Mapping[str, Any]) -> None:
        self.load = load["first"] + len(load["items"])
        interval = _number(load["loop_interval"])
        self._recording.append_scheduler(
            [
                SchedulerSample(when, _number(cpu), _number(memory), interval)
                for when, cpu, memory in load["items"]
            ]
        )

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
            self._recording.append_errors(
                [self._error(error, first - tasks.first, tasks.first) for error in ready]
            )

    def _skip_to(self, first: int) -> None:
        if first > self.cursor:
            self._recording.drop_from_agent(first - self.cursor)
            self.cursor = first

    def _error(self, error: Mapping[str, Any], offset: int, oldest: int) -> TaskError:
        task = error["task"]
        return TaskError(
            task=task + offset if task >= oldest else UNKNOWN_TASK,
            key=error["key"],
            prefix=self._recording.names.intern("prefixes", error["prefix"]),
            worker=error["worker"],
            time=error["time"],
            exception=error["exception"],
            traceback=whole_traceback(error["traceback"], error["exception"]),
        )


def _change(item: Mapping[str, Any]) -> WorkerChange:
    return WorkerChange(
        time=item["time"], worker=item["worker"], what=item["what"], detail=item["detail"]
    )


def _number(value: Any) -> float:
    """Return what a scheduler measured; NaN where it could not."""
    return math.nan if value is None else float(value)
