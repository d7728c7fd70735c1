"""The unnumbered messages: whole state, of which the last one wins."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any, Final

from daskscope.derive import FocusTotals
from daskscope.errors import Notice
from daskscope.wire import outgoing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daskscope.focus import Focus
    from daskscope.recording import Totals
    from daskscope.stream.feed import Feed
    from daskscope.stream.sources import Source
    from daskscope.wire import Outgoing


ACTIVE_S: Final = 3.0
"""So long after tasks came a session counts as active: long enough that a pause of a
second between two of them is none for whoever reads it."""


def chooser(sources: Iterable[Source], *, recorder_on: bool) -> dict[str, Any]:
    """Return what a chooser shows: each session, and whether others come by themselves.

    What is ``active`` ends with time alone: sources say that there may be news after
    each answer of their schedulers, also where no tasks came.
    """
    sessions = [
        {
            "id": source.id,
            "name": source.name,
            "address": source.address,
            "state": source.state,
            "workers": len(source.workers),
            "threads": sum(int(worker.get("threads") or 0) for worker in source.workers),
            "active": source.state in ("live", "partly") and _busy(source),
        }
        for source in sources
    ]
    return {"sessions": sessions, "recorder": recorder_on}


def _busy(source: Source) -> bool:
    """Whether tasks run, or came just now."""
    if source.recording._core.quiet_s < ACTIVE_S:
        return True
    return any(worker.get("running") for worker in source.workers)


def status(feed: Feed, of_page: Sequence[Notice]) -> Outgoing:
    """Return the state of a session, for one page, with what that page alone is told."""
    source = feed.source
    recording = source.recording._core
    notices = [*source.notices]
    if recording.spill_error:
        notices.append(
            Notice(
                "disk-refused",
                "warn",
                f"The disk takes no more tasks ({recording.spill_error}); the oldest are dropped.",
                "Make room there, or choose another place with daskscope.recording.directory.",
            )
        )
    if feed.full and (missing := feed.history_missing()):
        notices.append(
            Notice(
                "page-full",
                "info",
                "This page holds as many rows as it may and fetches no more history: "
                f"{missing:,} tasks are shown as a coarse picture.",
                "What happens now still comes in detail. Reload the page to begin with "
                "the newest tasks; session.recording.tasks has all that are kept.",
            )
        )
    fields = {
        "page": feed.page,
        "session": source.id,
        "state": source.state,
        "counts": recording.counts.to_json(),
        "behind_s": source.behind_s,
        "now": source.now if source.now is not None else time.time(),
        "origin": recording.origin,
        "last_seq": feed.seq,
        "notices": [notice.to_json() for notice in (*notices, *of_page)],
        "workers": list(source.workers),
    }
    return outgoing("status", fields)


def totals(feed: Feed, focus: Focus, figures: Totals) -> Outgoing:
    """Return figures for the legend."""
    fields = {
        "page": feed.page,
        "session": feed.source.id,
        "focus": focus.to_json(),
        "prefixes": [[t.prefix, t.tasks, t.seconds, t.erred, t.computes] for t in figures.prefixes],
        "actions": [[t.action, t.rows, t.seconds] for t in figures.actions],
    }
    return outgoing("totals", fields)


class SessionTotals:
    """The figures of one session for all its pages, in small steps.

    They are of the focus without its prefixes: a legend shows what it isolates beside
    the rest, whose figures must not vanish with it.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._focus: Focus | None = None
        self._running: FocusTotals | None = None
        self._done: tuple[Focus, int, Totals] | None = None

    def advance(self, budget_s: float) -> tuple[Focus, int, Totals] | None:
        """Return focus, number of tasks and figures once they are complete."""
        focus = dataclasses.replace(self._source.focus, prefixes=())
        recording = self._source.recording._core
        if focus != self._focus:
            self._focus, self._running = focus, None
        tasks = recording.next_task
        if self._done and self._done[:2] == (focus, tasks):
            return self._done
        if not focus:
            self._done = (focus, tasks, recording.totals)
            return self._done
        if self._running is None:
            self._running = FocusTotals(recording, focus)
        if not self._running.advance(budget_s):
            return None
        self._done = (focus, tasks, self._running.totals)
        return self._done
