"""What a panel says beside the data: a code, a sentence, and what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Notice:
    """Something that the user should know while it lasts."""

    code: str
    level: Literal["info", "warn", "error"]
    text: str
    next: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the message form, see docs/protocol.md."""
        return asdict(self)


PLUGINS_REFUSED = Notice(
    "plugins-refused",
    "warn",
    "This scheduler refuses plugins, so the tasks come from Dask's own task stream: without "
    "spans and killed workers, and what ran before this panel may be missing.",
    "To see everything, remove register_scheduler_plugin from the scheduler's setting "
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


def tasks_incomplete(tasks: int) -> Notice:
    """Return the notice of tasks of which the workers' reports could not be read whole."""
    return Notice(
        "tasks-incomplete",
        "warn",
        f"Of {tasks:,} {'task' if tasks == 1 else 'tasks'} the workers reported times that cannot "
        "be read. The tasks are counted; those times are not shown.",
    )


def scheduler_lost(address: str, reason: str) -> Notice:
    """Return the notice of a scheduler that does not answer."""
    return Notice(
        "scheduler-lost",
        "warn",
        f"The scheduler at {address} does not answer ({reason[:300]}). What was recorded stays "
        "here; connecting again.",
        "If the cluster is gone for good, close the client.",
    )
