"""Progress and state of a computation, as JSON for the Summary panel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.derive.findings import split_exception
from daskscope.format import cut
from daskscope.recording.progress import RUNNING
from daskscope.schema import MAX_NAMES, OTHER_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daskscope.derive.work import Work
    from daskscope.recording import Counts, Progress, RecordingStore, Sums

MAX_ROWS: Final = 200
"""Further prefixes share one row: first those that finished without errors, oldest first."""

MAX_NAME_CHARACTERS: Final = 300
"""The agent's limit for prefixes; a loaded recording may have longer names."""

MAX_TASKS: Final = 2**53
STUCK_S: Final = 40.0
STUCK_TIMES: Final = 3
"""A computation is stuck if no task ends for this many times the mean duration of the slowest
running prefix, and for at least STUCK_S."""

LEAST_SHARE: Final = 0.05
"""Share of the tasks that must have ended before the remaining time is estimated."""


@dataclass(frozen=True, slots=True)
class _Row:
    """Tasks of one prefix; unless `whole`, it is unknown which run and how many are queued."""

    name: str
    began: float
    done: int
    raised: int
    blocked: int
    running: int
    waiting: int
    rate: float = 0.0
    whole: bool = True

    @property
    def unfinished(self) -> int:
        return self.running + self.waiting

    @property
    def erred(self) -> int:
        return self.raised + self.blocked

    @property
    def total(self) -> int:
        return self.done + self.erred + self.unfinished

    @property
    def left_s(self) -> float | None:
        ended = self.done + self.erred
        if not (self.whole and self.unfinished and self.rate > 0):
            return None
        return self.unfinished / self.rate if ended >= LEAST_SHARE * self.total else None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "began": self.began if math.isfinite(self.began) else None,
            "done": self.done,
            "running": self.running if self.whole else None,
            "waiting": self.waiting,
            "erred": self.erred,
            "raised": self.raised,
            "total": self.total if self.whole else None,
            "rate": self.rate if self.unfinished and self.rate > 0 else None,
            "left": self.left_s,
        }


def live_progress(recording: RecordingStore, sums: Sums, *, ended: bool = False) -> dict[str, Any]:
    """Return `answer` and `progress` of the current computation, as of the latest answer.

    `ended`: the scheduler will not answer again.
    """
    progress = recording.progress
    now, found = progress.now, progress.found
    rates = [0.0] if ended else now.rates.tolist()
    if not math.isfinite(found.time):
        return {"answer": None, "progress": None}
    names, counts = recording.names.prefixes, progress.counts.T.tolist()
    rows = []
    for prefix in progress.order:
        name, began = cut(names[prefix], MAX_NAME_CHARACTERS), now.began.get(prefix, math.inf)
        rate = rates[prefix + 1] if prefix + 1 < len(rates) else 0.0
        done, raised, blocked, running, waiting = counts[prefix]
        rows.append(_Row(name, began, done, raised, blocked, running, waiting, rate, found.whole))
    dropped = progress.dropped - now.dropped_before
    every = replace(_together("", rows, dropped), rate=rates[0], whole=found.whole)
    state = _state(every, cancelled=now.cancelled_last)
    quiet_s = found.time - max(now.ended, now.since)
    if state == "running" and quiet_s >= max(STUCK_S, STUCK_TIMES * _slowest_s(progress, sums)):
        state = "stuck"
    if ended and every.unfinished:
        state = "interrupted"
    return _figures(recording, rows, every, state, found.time, now.since, now.ended, now.cancelled)


def stored_progress(
    recording: RecordingStore, counts: Counts, done: Work, start: float, stop: float
) -> dict[str, Any]:
    """Return the same for a whole recording, which is treated as ended."""
    stored = recording.about_facts.get("unfinished")
    stored = stored if isinstance(stored, dict) else {}
    left = unfinished_counts(stored.get("prefixes"))
    names, totals = recording.names.prefixes, recording.totals.prefixes
    rows = [
        _Row(
            names[total.prefix],
            float(done.began[total.prefix]) if total.prefix < len(done.began) else math.inf,
            total.tasks - total.erred,
            total.erred,
            *left.pop(names[total.prefix], (0, 0, 0)),
        )
        for total in totals
    ]
    rows += [_Row(name, math.inf, 0, 0, *counted) for name, counted in left.items()]
    rows = [replace(row, name=cut(row.name, MAX_NAME_CHARACTERS)) for row in rows]
    rows.sort(key=lambda row: row.began)
    every = _together("", rows, max(counts.captured - sum(total.tasks for total in totals), 0))
    cancelled = _count(stored.get("cancelled"))
    state = _state(every, cancelled=stored.get("cancelled_last") is True)
    since = every.began if math.isfinite(every.began) else start
    return _figures(recording, rows, every, state, stop, since, done.ended, cancelled)


def unfinished_counts(stored: Any) -> dict[str, tuple[int, int, int]]:
    """Return blocked, running and waiting tasks by prefix; invalid values in a file are ignored."""
    if not isinstance(stored, dict):
        return {}
    return {
        str(name): (_count(counts[0]), _count(counts[1]), _count(counts[2]))
        for name, counts in islice(stored.items(), MAX_NAMES)
        if isinstance(counts, list) and len(counts) == 3
    }


def _count(value: Any) -> int:
    return min(max(value, 0), MAX_TASKS) if isinstance(value, int) else 0


def _together(name: str, rows: Sequence[_Row], more_done: int = 0) -> _Row:
    return _Row(
        name,
        min((row.began for row in rows), default=math.inf),
        sum(row.done for row in rows) + more_done,
        sum(row.raised for row in rows),
        sum(row.blocked for row in rows),
        sum(row.running for row in rows),
        sum(row.waiting for row in rows),
        whole=all(row.whole for row in rows),
    )


def _state(every: _Row, *, cancelled: bool) -> str:
    if every.unfinished:
        return "running"
    if every.erred:
        return "failed"
    if cancelled:
        return "cancelled"
    return "finished" if every.done else "idle"


def _slowest_s(progress: Progress, sums: Sums) -> float:
    """Return the longest mean duration of a running prefix."""
    running = np.flatnonzero(progress.ever[RUNNING])
    known = running[running < min(len(sums.seconds), len(sums.computes))]
    times = sums.seconds[known] / np.maximum(sums.computes[known], 1)
    return float(times.max(initial=0.0))


def _figures(
    recording: RecordingStore,
    rows: list[_Row],
    every: _Row,
    state: str,
    time: float,
    since: float,
    ended: float,
    cancelled: int,
) -> dict[str, Any]:
    left = [one.left_s for one in (every, *rows)]
    # Prefixes run in parallel, so the slowest one decides.
    longest = max((s for s in left if s is not None), default=None) if left[0] else None
    return {
        "answer": {
            "state": state,
            "time": time,
            "since": since if math.isfinite(since) else None,
            "ended": ended if math.isfinite(ended) else None,
            "left": longest,
            "cancelled": cancelled,
            "exception": _exception(recording, since) if every.erred else "",
        },
        "progress": {
            "rows": [row.to_json() for row in _fewer(rows)],
            "all": {**every.to_json(), "left": longest},
        },
    }


def _fewer(rows: list[_Row]) -> list[_Row]:
    """Return at most MAX_ROWS rows in their order; finished ones are combined first."""
    if len(rows) <= MAX_ROWS:
        return rows
    newest = sorted(range(len(rows)), key=lambda at: (rows[at].unfinished + rows[at].erred > 0, at))
    rest = set(newest[: len(rows) - MAX_ROWS + 1])
    together = _together(OTHER_NAME, [rows[at] for at in rest])
    return [*(row for at, row in enumerate(rows) if at not in rest), together]


def _exception(recording: RecordingStore, since: float) -> str:
    """Return the type of the first kept exception since a time, or ""."""
    for error in recording.log("errors").since(0):
        if not error.time < since:
            return cut(split_exception(error.exception)[0], MAX_NAME_CHARACTERS)
    return ""
