"""A part of a recording, as a recording of its own: what happened in a block of code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from daskscope.recording.chunk import key_blocks
from daskscope.recording.core import RecordingCore
from daskscope.recording.logs import UNKNOWN_TASK

if TYPE_CHECKING:
    from daskscope.recording.store import Overflow


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a recording was at some time: the numbers that come next."""

    task: int = 0
    errors: int = 0
    changes: int = 0
    gaps: int = 0
    events: int = 0
    lines: int = 0
    cluster: int = 0
    scheduler: int = 0
    rowless: int = 0
    dropped_agent: int = 0


def mark(recording: RecordingCore) -> Mark:
    """Return how far a recording is.

    >>> mark(RecordingCore())
    Mark(task=0, errors=0, changes=0, gaps=0, events=0, lines=0, cluster=0, scheduler=0, \
rowless=0, dropped_agent=0)
    """
    return Mark(
        task=recording.next_task,
        errors=recording.error_log.next,
        changes=recording.change_log.next,
        gaps=recording.gap_log.next,
        events=recording.event_log.next,
        lines=recording.line_log.next,
        cluster=recording.cluster_log.next,
        scheduler=recording.scheduler_log.next,
        rowless=recording.rowless_log.next,
        dropped_agent=recording.counts.dropped_agent,
    )


class Part:
    """Follows a recording from a mark on, and copies what came into a recording of its own.

    Columns are copied as they are; the copy is bounded, and spills, like any recording.
    """

    def __init__(
        self,
        source: RecordingCore,
        since: Mark,
        *,
        memory_limit: int,
        disk_limit: int,
        overflow: Overflow,
        directory: str | None = None,
    ) -> None:
        self.recording = RecordingCore(
            memory_limit=memory_limit,
            disk_limit=disk_limit,
            overflow=overflow,
            directory=directory,
        )
        # The same lists: an index means the same in both, and so does a colour.
        self.recording.names = source.names
        self._source = source
        self._first = since.task
        self._at = since

    def advance(self, until: Mark) -> None:
        """Copy what came since the last time, up to a mark."""
        source, copy, at = self._source, self.recording, self._at
        self._advance_tasks(at.task, until.task)
        copy.drop_from_agent(until.dropped_agent - at.dropped_agent)
        copy.append_errors(
            [
                replace(error, task=self._number(error.task))
                for error in source.error_log.between(at.errors, until.errors)
            ]
        )
        copy.append_rowless(
            [
                replace(task, task=self._number(task.task))
                for task in source.rowless_log.between(at.rowless, until.rowless)
                if self._number(task.task) != UNKNOWN_TASK
            ]
        )
        copy.append_changes(source.change_log.between(at.changes, until.changes))
        for gap in source.gap_log.between(at.gaps, until.gaps):
            copy.append_gap(gap.start, gap.stop, gap.reason, gap.text)
        copy.append_events(source.event_log.between(at.events, until.events))
        copy.append_lines(source.line_log.between(at.lines, until.lines))
        copy.append_cluster(source.cluster_log.between(at.cluster, until.cluster))
        copy.append_scheduler(source.scheduler_log.between(at.scheduler, until.scheduler))
        copy.name_workers(source.worker_names)
        self._at = until

    def _advance_tasks(self, first: int, stop: int) -> None:
        copy = self.recording
        for chunk in self._source.chunks_of(first, stop):
            copy.skip_tasks(chunk.first - self._first - copy.next_task)  # dropped meanwhile
            for block in key_blocks([chunk], first, stop):
                rows = chunk.rows_of(block.first, block.stop)
                columns = {name: column[rows] for name, column in chunk.columns.items()}
                columns["task"] = columns["task"] - np.uint32(block.first)
                copy.append_tasks(block.tasks, columns, bytes(block.data))
        copy.skip_tasks(stop - self._first - copy.next_task)

    def _number(self, task: int) -> int:
        return task - self._first if task >= self._first else UNKNOWN_TASK
