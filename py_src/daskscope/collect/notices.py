"""The notices of the collector: a code, what happened, and what to do."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import Notice
from daskscope.format import count_text

if TYPE_CHECKING:
    from collections.abc import Mapping

GAP_TEXTS: Final = {
    "agent-failed": "The agent on the scheduler stopped after an error; tasks that finished "
    "meanwhile are missing.",
    "scheduler-restarted": "The scheduler was restarted; tasks that finished meanwhile are "
    "missing.",
    "agent-left": "The agent was removed, or was not read for too long; tasks that finished "
    "meanwhile are missing.",
    "stream-overrun": "Dask's own task stream dropped some tasks before they could be read.",
}
"""Texts of gaps in which tasks may be missing, by reason."""

_BLOCKED: Final = "the scheduler's setting distributed.scheduler.blocked-handlers"
_REPORT: Final = "Please report this, with the text of session.agent_error."

_TEMPLATES: Final = (
    Notice(
        "plugins-refused",
        "warn",
        "This scheduler refuses plugins, so the tasks come from Dask's own task stream. Spans, "
        "metrics and killed workers are missing, and earlier tasks may be missing.",
        f"To see everything, remove register_scheduler_plugin from {_BLOCKED}.",
    ),
    Notice(
        "events-blocked",
        "info",
        "This scheduler also blocks its event log: events are missing.",
        f"To see them, remove events from {_BLOCKED}.",
    ),
    Notice(
        "client-closed",
        "info",
        "The client was closed. The recording is kept.",
        "Run Client() for a new recording.",
    ),
    Notice(
        "session-closed",
        "info",
        "This session was closed. The recording is kept.",
        "Run daskscope.connect(client) for a new recording.",
    ),
    Notice(
        "agent-failed",
        "error",
        "The agent on the scheduler stopped after an error ({error:.300}); your work is not "
        "affected. The tasks now come from Dask's own task stream, without spans.",
        _REPORT,
    ),
    Notice(
        "agent-not-installed",
        "error",
        "The agent could not be installed on the scheduler ({error:.300}). The tasks come from "
        "Dask's own task stream. Spans, metrics and killed workers are missing, and earlier tasks "
        "may be missing.",
        _REPORT,
    ),
    Notice(
        "reading-refused",
        "error",
        "The scheduler at {address} refuses plugins and {op}: its tasks cannot be recorded.",
        f"Remove register_scheduler_plugin from {_BLOCKED}, or at least {{op}}. Daskscope tries "
        "again every minute.",
    ),
    Notice(
        "tasks-before",
        "info",
        "About {count} finished on this cluster before recording began; they are missing.",
        "To record all tasks, run `import daskscope` before `Client()` in a notebook, or "
        "`daskscope.connect(client)` before the first task (with `await` if the client is "
        "asynchronous).",
    ),
    Notice(
        "tasks-incomplete",
        "warn",
        "Workers reported unreadable times for {count}. The tasks are counted, but these times "
        "are not shown.",
    ),
    Notice(
        "tasks-unreadable",
        "error",
        "The agent on the scheduler sent {count} that cannot be read. They are counted as "
        "dropped; recording continues.",
        _REPORT,
    ),
    Notice(
        "events-missed",
        "info",
        "The agent dropped {count}: they were logged on the scheduler faster than they were read. "
        "The newest of each topic are kept; tasks are not affected.",
    ),
    Notice(
        "metrics-unreadable",
        "info",
        "{count} of Fine Performance Metrics had no usable value (not a number, negative, or more "
        "than 1e18). They are left out.",
        "If they are your own metrics, check what your tasks report.",
    ),
    Notice(
        "metrics-stopped",
        "info",
        "A task reported a value of {names:.500} that is not a number, or more than 1e18. This "
        "makes Dask's sum unusable, so later values are missing.",
        "If it is your own metric, check what your tasks report.",
    ),
    Notice(
        "metrics-failed",
        "error",
        "The agent stopped reading Fine Performance Metrics after an error ({error:.300}); your "
        "work is not affected, and tasks are still recorded.",
        _REPORT,
    ),
    Notice(
        "logs-not-read",
        "info",
        "Some log lines are missing: {reasons:.1000}.",
        f"If the scheduler refuses to send logs, check {_BLOCKED}.",
    ),
    Notice(
        "logs-cut",
        "info",
        "Older log lines of {count} are missing: at most {most:,} lines are read at a time.",
    ),
    Notice(
        "profile-refused",
        "info",
        "This scheduler refuses plugins for workers, so the profile comes from Dask's own routes. "
        "It has no prefixes, and the last samples of a closed worker may be missing. Times are "
        "right if distributed.worker.profile.interval is the same here as on the workers.",
        f"To see everything, remove register_worker_plugin from {_BLOCKED}.",
    ),
    Notice(
        "profile-unreadable",
        "error",
        "The profile of {count} cannot be read. Recording continues.",
        _REPORT,
    ),
    Notice(
        "profile-not-read",
        "info",
        "The profile cannot be read just now: {error:.300}. Tasks are not affected.",
        f"If the scheduler refuses this, check {_BLOCKED}.",
    ),
    Notice(
        "scheduler-lost",
        "warn",
        "The scheduler at {address} does not answer ({error}). Daskscope keeps the recording and "
        "connects again.",
    ),
    Notice(
        "collect-failed",
        "error",
        "Reading from the scheduler at {address} failed ({error}). Daskscope keeps the recording "
        "and tries again.",
        "If this message stays, please report it.",
    ),
)
"""All notices; `notice` replaces the names in braces."""

COUNTING: Final = frozenset(
    {
        "tasks-before",
        "tasks-incomplete",
        "tasks-unreadable",
        "events-missed",
        "metrics-unreadable",
        "logs-not-read",
        "logs-cut",
    }
)
"""Codes of notices with counts for the whole session, which are wrong for a block."""


def notice(code: str, **values: Any) -> Notice:
    """Return the notice with a code, with values inserted.

    >>> notice("logs-cut", count="2 processes", most=1000).text
    'Older log lines of 2 processes are missing: at most 1,000 lines are read at a time.'
    """
    (template,) = (one for one in _TEMPLATES if one.code == code)
    text, to_do = template.text.format(**values), template.next.format(**values)
    return replace(template, text=text, next=to_do)


def counted_notices(counted: Mapping[str, int]) -> list[Notice]:
    """Return notices about missing data, from a count for each code."""
    nouns = {"events-missed": "event", "metrics-unreadable": "increment"}
    return [
        notice(code, count=count_text(count, nouns.get(code, "task")))
        for code, count in counted.items()
        if count
    ]


def brief(error: Exception) -> str:
    """Return an error's text without distributed's description of the connection.

    >>> brief(OSError("in <TCP (closed) local=tcp://a:1 remote=tcp://b:2>: Stream is closed"))
    'Stream is closed'
    """
    return re.sub(r"\bin <[^<>]*>: ", "", str(error) or type(error).__name__)[:300]
