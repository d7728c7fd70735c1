"""Answers to what a page asks about a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.errors import DaskscopeError
from daskscope.schema import STATUSES
from daskscope.wire import BadMessageError
from daskscope.wire.parse import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daskscope.recording import RecordingStore
    from daskscope.stream.feed import Feed

MAX_ASKED_TASKS: Final = 65_536


def ask_keys(feed: Feed, args: Mapping[str, Any]) -> None:
    """Let a page have the keys that it asks for."""
    first = number(args.get("first"), "args.first")
    tasks = number(args.get("tasks"), "args.tasks")
    if tasks > MAX_ASKED_TASKS:
        raise BadMessageError(f"it asks for more than {MAX_ASKED_TASKS:,} keys")
    feed.ask_keys(first, first + tasks)


def describe_task(recording: RecordingStore, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything that is known of one task."""
    task = number(args.get("task"), "args.task")
    chunk = recording.chunk_of(task)
    if chunk is None:
        raise DaskscopeError(
            "unknown-task",
            "The recording does not hold this task any more.",
            "A larger daskscope.recording.memory-limit or disk-limit keeps more.",
        )
    names = recording.names
    rows = chunk.rows_of(task, task + 1)
    columns = {name: column[rows] for name, column in chunk.columns.items()}
    error = next((e for e in recording.log("errors").since(0) if e.task == task), None)
    found: dict[str, Any] = {
        "task": task,
        "key": chunk.key_of(task),
        "prefix": names.prefixes[error.prefix] if error else "",
        "worker": error.worker if error else "",
        "thread": "",
        "nbytes": 0,
        "span": [],
        "status": STATUSES[1 if error else 0],
        "startstops": [],
        "error": {"exception": error.exception, "traceback": error.traceback} if error else None,
    }
    if len(columns["task"]):
        lane = names.lanes[int(columns["lane"][0])]
        found |= {
            "prefix": names.prefixes[int(columns["prefix"][0])],
            "worker": lane[0],
            "thread": lane[1],
            "nbytes": float(columns["nbytes"][0]),
            "span": list(names.spans[int(columns["span"][0])][1]),
            "status": STATUSES[int(columns["status"][0])],
            "startstops": [
                {"action": names.actions[int(action)], "start": start, "stop": start + duration}
                for action, start, duration in zip(
                    columns["action"],
                    columns["start"].tolist(),
                    columns["duration"].astype(np.float64).tolist(),
                    strict=True,
                )
            ],
        }
    return found
