"""Answers to what a page asks: about a recording at once, others beside the loop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.errors import DaskscopeError
from daskscope.schema import STATUSES
from daskscope.wire import BadMessageError
from daskscope.wire.parse import number

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore
    from daskscope.stream.feed import Feed

logger = logging.getLogger(__name__)

Answerer = Callable[[str, Mapping[str, Any]], dict[str, Any]]

MAX_ASKED_TASKS: Final = 65_536
MAX_AT_ONCE: Final = 8


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


def nothing_known(what: str, args: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """Answer nothing: a hub without a kernel around it."""
    raise BadMessageError("it asks for something unknown")


def error_fields(error: DaskscopeError) -> dict[str, str]:
    """Return an error as it is told."""
    return {"code": error.code, "text": error.text, "next": error.next}


class KernelQuestions:
    """Answers questions that concern no session, in short-lived threads, a few at a time.

    Reading a library may take as long as a slow disk.
    """

    def __init__(self, answer: Answerer) -> None:
        self._answer = answer
        self._free = threading.Semaphore(MAX_AT_ONCE)

    def put(
        self, what: str, args: Mapping[str, Any], reply: Callable[[dict[str, Any]], None]
    ) -> None:
        """Have a question answered; `reply` is called in another thread."""
        if not self._free.acquire(blocking=False):
            raise DaskscopeError(
                "busy-library",
                "The kernel is still answering earlier questions.",
                "Try again in a moment.",
            )
        threading.Thread(
            target=self._work, args=(what, args, reply), name="daskscope-question", daemon=True
        ).start()

    def _work(
        self, what: str, args: Mapping[str, Any], reply: Callable[[dict[str, Any]], None]
    ) -> None:
        try:
            fields: dict[str, Any] = {"result": self._answer(what, args)}
        except DaskscopeError as error:
            fields = {"error": error_fields(error)}
        except Exception as error:
            logger.exception("daskscope could not answer a question of a page")
            fields = {
                "error": {
                    "code": "no-answer",
                    "text": f"The kernel could not answer: {type(error).__name__}: {error}.",
                    "next": "The kernel's log has the traceback.",
                }
            }
        finally:
            self._free.release()
        reply(fields)
