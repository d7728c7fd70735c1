"""The sessions of the hub, and answers to questions of pages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from daskscope.errors import DaskscopeError
from daskscope.focus import on_focus, set_shown_tables
from daskscope.schema import STATUSES
from daskscope.wire import BadMessageError, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daskscope.errors import Notice
    from daskscope.focus import Focus
    from daskscope.recording import Recording, RecordingStore
    from daskscope.stream.feed import Feed

logger = logging.getLogger(__name__)


class Source(Protocol):
    """The interface of a session to the stream: a `SharedFocus`, read from the hub's thread."""

    id: str
    focus: Focus

    @property
    def recording(self) -> Recording: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def address(self) -> str: ...  # noqa: D102
    @property
    def state(self) -> str: ...  # noqa: D102
    @property
    def notices(self) -> Sequence[Notice]: ...  # noqa: D102
    @property
    def workers(self) -> Sequence[Mapping[str, Any]]: ...  # noqa: D102
    @property
    def now(self) -> float | None: ...  # noqa: D102
    @property
    def behind_s(self) -> float: ...  # noqa: D102

    def summary(self) -> Mapping[str, Any]:
        """Return the summary of the session; it is the same object until it changes."""

    def on_change(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Call `callback(source)` after possible changes; return a function that stops this."""


class Sources:
    """Sessions by id, in order of arrival."""

    def __init__(
        self, on_change: Callable[[], None], on_focus: Callable[[str, Focus, str], None]
    ) -> None:
        self._on_change = on_change
        self._on_focus = on_focus  # called with session id, focus, and who set it
        self._known: dict[str, Source] = {}
        self._stops: dict[str, tuple[Callable[[], None], ...]] = {}
        self._shown_tables: dict[str, frozenset[str]] = {}

    def get(self, session: str) -> Source | None:
        """Return a session, or None if it is unknown."""
        return self._known.get(session)

    def all(self) -> Iterable[Source]:
        """Return every session."""
        return self._known.values()

    def replace(self, sources: Iterable[Source]) -> list[str]:
        """Listen to these sessions instead; return the ids of those that were removed."""
        current = {source.id: source for source in sources}
        gone = [session for session in self._known if session not in current]
        for session in gone:
            for stop in self._stops.pop(session):
                stop()
        for session, source in current.items():
            if session not in self._known:
                self._stops[session] = (
                    source.on_change(lambda _: self._on_change()),
                    on_focus(source, partial(self._on_focus, session)),
                )
        self._known = current
        return gone

    def update_shown_tables(self, shown: Mapping[str, frozenset[str]]) -> None:
        """Report to sessions which of their tables pages show, if that changed."""
        for session, source in self._known.items():
            tables = shown.get(session, frozenset())
            if tables != self._shown_tables.get(session, frozenset()):
                set_shown_tables(source, tables)
        self._shown_tables = dict(shown)


Answerer = Callable[[str, Mapping[str, Any]], dict[str, Any]]

MAX_ASKED_TASKS: Final = 65_536
MAX_AT_ONCE: Final = 8


def ask_keys(feed: Feed, args: Mapping[str, Any]) -> None:
    """Make a feed send the keys that a page asks for before anything else."""
    first = number(args.get("first"), "args.first")
    tasks = number(args.get("tasks"), "args.tasks")
    if tasks > MAX_ASKED_TASKS:
        raise BadMessageError(f"it asks for more than {MAX_ASKED_TASKS:,} keys")
    feed.ask_keys(first, first + tasks)


def describe_task(recording: RecordingStore, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return all details of one task."""
    task = number(args.get("task"), "args.task")
    chunk = recording.chunk_of(task)
    if chunk is None:
        raise DaskscopeError(
            "unknown-task",
            "This task is no longer in the recording.",
            "To keep more tasks, raise daskscope.recording.memory-limit or disk-limit.",
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


def reject_questions(what: str, args: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """Reject all questions, for a hub without a kernel."""
    raise BadMessageError("its question is unknown")


class KernelQuestions:
    """Answers questions that belong to no session, in a few short-lived threads.

    It uses threads because reading a library from a slow disk takes long.
    """

    def __init__(self, answer: Answerer) -> None:
        self._answer = answer
        self._free = threading.Semaphore(MAX_AT_ONCE)

    def put(
        self, what: str, args: Mapping[str, Any], reply: Callable[[dict[str, Any]], None]
    ) -> None:
        """Answer a question in another thread, which calls `reply`."""
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
            fields = {"error": error.to_json()}
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
