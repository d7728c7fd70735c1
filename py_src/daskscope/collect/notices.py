"""What a panel says beside the data: a code, a sentence, and what to do."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import Notice
from daskscope.format import count_text

if TYPE_CHECKING:
    from collections.abc import Mapping

GAP_TEXTS: Final = {
    "agent-failed": "The agent on the scheduler stopped after an error; tasks that finished then "
    "are missing.",
    "scheduler-restarted": "The scheduler was restarted; tasks that finished in between are "
    "missing.",
    "agent-left": "The agent was unregistered, or was not read for too long; tasks that finished "
    "in between are missing.",
    "stream-overrun": "Dask's own task stream dropped some tasks before they could be read.",
}
"""Why tasks may have run unseen, by the reason of the gap."""

_BLOCKED: Final = "the scheduler's setting distributed.scheduler.blocked-handlers"
_REPORT: Final = "Please report this, with the text of session.agent_error."

_TEMPLATES: Final = (
    Notice(
        "plugins-refused",
        "warn",
        "This scheduler refuses plugins, so the tasks come from Dask's own task stream: without "
        "spans, metrics and killed workers, and what ran before this panel may be missing.",
        f"To see everything, remove register_scheduler_plugin from {_BLOCKED}.",
    ),
    Notice(
        "events-not-told",
        "info",
        "This scheduler also blocks its event log: what was logged on it is missing.",
        f"To see it, remove events from {_BLOCKED}.",
    ),
    Notice(
        "client-closed",
        "info",
        "The client was closed. What was recorded stays here.",
        "Run Client() for a new recording.",
    ),
    Notice(
        "session-closed",
        "info",
        "This session was closed. What was recorded stays here.",
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
        "Dask's own task stream: without spans, metrics and killed workers, and what ran before "
        "this panel may be missing.",
        _REPORT,
    ),
    Notice(
        "reading-refused",
        "error",
        "The scheduler at {address} took no plugin and refuses {op} as well: its tasks cannot be "
        "recorded.",
        f"Remove register_scheduler_plugin from {_BLOCKED}, or at least {{op}}. It is asked again "
        "once a minute.",
    ),
    Notice(
        "tasks-before",
        "info",
        "About {count} had finished on this cluster before recording began; they are not here.",
        "To have all from the first task on, run `import daskscope` before `Client()` in a "
        "notebook, or `daskscope.connect(client)` (`await` it where the client is asynchronous) "
        "before the first task.",
    ),
    Notice(
        "tasks-incomplete",
        "warn",
        "Of {count} the workers reported times that cannot be read. The tasks are counted; those "
        "times are not shown.",
    ),
    Notice(
        "tasks-unreadable",
        "error",
        "The scheduler's agent sent {count} in a form that cannot be read. They are counted as "
        "dropped; recording goes on.",
        _REPORT,
    ),
    Notice(
        "events-missed",
        "info",
        "The agent dropped {count}, logged on the scheduler faster than they were read: of each "
        "topic it keeps the newest. Tasks are not affected.",
    ),
    Notice(
        "metrics-unreadable",
        "info",
        "Of the Fine Performance Metrics {count} had no usable value (not a number, negative, or "
        "more than 1e18). They are left out.",
        "If they are metrics of your own, check what your tasks report.",
    ),
    Notice(
        "metrics-stopped",
        "info",
        "A task reported a value of {names:.500} that is not a number, or more than 1e18. Dask's "
        "sum of it cannot be used since then: what came later is missing.",
        "If it is a metric of your own, check what your tasks report.",
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
        "Some lines of logs are missing: {reasons:.1000}.",
        f"A scheduler refuses what {_BLOCKED} names.",
    ),
    Notice(
        "logs-cut",
        "info",
        "Older log lines of {count} are missing: at most the newest {most:,} lines are read at "
        "a time.",
    ),
    Notice(
        "profile-refused",
        "info",
        "This scheduler refuses plugins for workers: the profile comes from Dask's own routes, "
        "without prefixes, and what a worker sampled just before it closed may be missing. Times "
        "are right if distributed.worker.profile.interval is the same here as on the workers.",
        f"To see everything, remove register_worker_plugin from {_BLOCKED}.",
    ),
    Notice(
        "profile-unreadable",
        "error",
        "The profile of {count} came in a form that cannot be read. Recording goes on.",
        _REPORT,
    ),
    Notice(
        "profile-not-read",
        "info",
        "The profile cannot be read just now: {error:.300}. Tasks are not affected.",
        f"A scheduler refuses what {_BLOCKED} names.",
    ),
    Notice(
        "scheduler-lost",
        "warn",
        "The scheduler at {address} does not answer ({error}). What was recorded stays here; "
        "connecting again.",
    ),
    Notice(
        "collect-failed",
        "error",
        "Reading from the scheduler at {address} failed ({error}). What was recorded stays here; "
        "trying again.",
        "If it does not go away, please report it.",
    ),
)
"""What may be said; in braces are values that are known then."""

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
"""Codes of notices with figures of the whole session, which are wrong of a part of it."""


def notice(code: str, **values: Any) -> Notice:
    """Return the notice of a code with values in its sentences.

    >>> notice("logs-cut", count="2 processes", most=1000).text
    'Older log lines of 2 processes are missing: at most the newest 1,000 lines are read at a time.'
    """
    (template,) = (one for one in _TEMPLATES if one.code == code)
    text, to_do = template.text.format(**values), template.next.format(**values)
    return replace(template, text=text, next=to_do)


def counted_notices(counted: Mapping[str, int]) -> list[Notice]:
    """Return the notices of what was not recorded, by code how many of it."""
    nouns = {"events-missed": "event", "metrics-unreadable": "increment"}
    return [
        notice(code, count=count_text(count, nouns.get(code, "task")))
        for code, count in counted.items()
        if count
    ]


def brief(error: Exception) -> str:
    """Return an error's text without the connection that distributed puts in front of it.

    >>> brief(OSError("in <TCP (closed) local=tcp://a:1 remote=tcp://b:2>: Stream is closed"))
    'Stream is closed'
    """
    return re.sub(r"\bin <[^<>]*>: ", "", str(error) or type(error).__name__)[:300]
