"""What a panel says beside the data: a code, a sentence, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from daskscope.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daskscope.recording import NotRead

_CONNECTION: Final = re.compile(r"\bin <[^<>]*>: ")

GAP_TEXTS: Final = {
    "agent-failed": "The agent on the scheduler stopped after an error: what finished just then "
    "is not here.",
    "scheduler-restarted": "The scheduler was restarted: what finished in between is not here.",
    "agent-left": "The agent on the scheduler was gone, as nobody read it for long or somebody "
    "unregistered it: what finished in between is not here.",
    "stream-overrun": "Dask's own task stream had forgotten some of the tasks that finished in "
    "between before they could be read.",
}
"""Why tasks may have run unseen, by the reason of the gap."""

PLUGINS_REFUSED = Notice(
    "plugins-refused",
    "warn",
    "This scheduler refuses plugins, so the tasks come from Dask's own task stream: without "
    "spans and killed workers, and what ran before this panel may be missing.",
    "To see everything, remove register_scheduler_plugin from the scheduler's setting "
    "distributed.scheduler.blocked-handlers.",
)

EVENTS_NOT_TOLD = Notice(
    "events-not-told",
    "info",
    "This scheduler does not tell its events either: what was logged on it is not here.",
    "If it is wanted, remove events from the scheduler's setting "
    "distributed.scheduler.blocked-handlers.",
)

CLIENT_CLOSED = Notice(
    "client-closed",
    "info",
    "The client was closed. What was recorded stays here.",
    "Run Client() for a new recording.",
)

SESSION_CLOSED = Notice(
    "session-closed",
    "info",
    "This session was closed. What was recorded stays here.",
    "Run daskscope.connect(client) for a new recording.",
)


def agent_failed(text: str) -> Notice:
    """Return the notice of an agent that disabled itself."""
    last_line = text.strip().splitlines()[-1] if text.strip() else "unknown error"
    return Notice(
        "agent-failed",
        "error",
        f"The agent on the scheduler stopped after an error ({last_line[:300]}); your work is "
        "not affected. The tasks now come from Dask's own task stream, without spans.",
        "Please report this, with the text of session.agent_error.",
    )


def agent_not_installed(reason: str) -> Notice:
    """Return the notice of a scheduler that could not take the agent."""
    return Notice(
        "agent-not-installed",
        "error",
        f"The agent could not be installed on the scheduler ({reason[:300]}). The tasks come from "
        "Dask's own task stream: without spans and killed workers, and what ran before this panel "
        "may be missing.",
        "Please report this, with the text of session.agent_error.",
    )


def reading_refused(address: str, op: str) -> Notice:
    """Return the notice of a scheduler that refuses plugins and its own routes as well."""
    return Notice(
        "reading-refused",
        "error",
        f"The scheduler at {address} took no plugin and refuses {op} as well: its tasks cannot "
        "be recorded.",
        "Remove register_scheduler_plugin from the scheduler's setting "
        f"distributed.scheduler.blocked-handlers, or at least {op}. It is asked again once a "
        "minute.",
    )


def tasks_unreadable(tasks: int) -> Notice:
    """Return the notice of tasks that arrived in a form that cannot be read."""
    return Notice(
        "tasks-unreadable",
        "error",
        f"{tasks:,} {'task' if tasks == 1 else 'tasks'} of the scheduler's agent could not be "
        "read. They are counted as dropped; recording goes on.",
        "Please report this, with the text of session.agent_error.",
    )


def tasks_before(tasks: int) -> Notice:
    """Return the notice of tasks that had finished before anybody captured them."""
    return Notice(
        "tasks-before",
        "info",
        f"About {tasks:,} {'task' if tasks == 1 else 'tasks'} had finished on this cluster before "
        "recording began; they are not here.",
        "To have all from the first task on, run `import daskscope` before `Client()` in a "
        "notebook, or `daskscope.connect(client)` (`await` it where the client is asynchronous) "
        "before the first task.",
    )


def tasks_incomplete(tasks: int) -> Notice:
    """Return the notice of tasks of which the workers' reports could not be read whole."""
    return Notice(
        "tasks-incomplete",
        "warn",
        f"Of {tasks:,} {'task' if tasks == 1 else 'tasks'} the workers reported times that cannot "
        "be read. The tasks are counted; those times are not shown.",
    )


def events_missed(events: int) -> Notice:
    """Return the notice of events that the agent dropped before they could be read."""
    return Notice(
        "events-missed",
        "info",
        f"{events:,} {'event was' if events == 1 else 'events were'} logged on the "
        "scheduler faster than they were read, and dropped: of each topic it keeps the newest. "
        "Tasks are not affected.",
    )


def logs_not_read(reasons: Sequence[str]) -> Notice:
    """Return the notice of logs that cannot be read while a page wants them."""
    return Notice(
        "logs-not-read",
        "info",
        f"Some lines of logs are missing: {'; '.join(reasons)}."[:1_000],
        "A scheduler refuses what its setting distributed.scheduler.blocked-handlers names.",
    )


def logs_cut(processes: int, most: int) -> Notice:
    """Return the notice of processes that log more than is read."""
    return Notice(
        "logs-cut",
        "info",
        f"Of {processes:,} {'process' if processes == 1 else 'processes'} older lines of the log "
        f"are missing: at most the newest {most:,} lines are read at a time.",
    )


SINCE_THE_SESSION_BEGAN: Final = frozenset(
    {
        "tasks-before",
        "tasks-incomplete",
        "tasks-unreadable",
        "events-missed",
        "logs-not-read",
        "logs-cut",
    }
)
"""Codes of the notices that count: of a part of a recording they tell too much."""


def not_read(counted: NotRead) -> list[Notice]:
    """Return the notices of what could not be read."""
    notices = []
    if counted.incomplete:
        notices.append(tasks_incomplete(counted.incomplete))
    if counted.unreadable:
        notices.append(tasks_unreadable(counted.unreadable))
    if counted.events:
        notices.append(events_missed(counted.events))
    return notices


def scheduler_lost(address: str, error: Exception) -> Notice:
    """Return the notice of a connection that ended with an error."""
    if isinstance(error, (OSError, TimeoutError)):
        return Notice(
            "scheduler-lost",
            "warn",
            f"The scheduler at {address} does not answer ({brief(error)}). What was recorded "
            "stays here; connecting again.",
        )
    return Notice(
        "collect-failed",
        "error",
        f"Reading from the scheduler at {address} failed ({type(error).__name__}: "
        f"{brief(error)}). What was recorded stays here; trying again.",
        "If it does not go away, please report it.",
    )


def brief(error: Exception) -> str:
    """Return an error's text without the connection that distributed puts in front of it.

    >>> brief(OSError("in <TCP (closed) local=tcp://a:1 remote=tcp://b:2>: Stream is closed"))
    'Stream is closed'
    """
    return _CONNECTION.sub("", str(error) or type(error).__name__)[:300]
