"""Progress of the current computation: tasks done, running, waiting, or unable to run.

A computation begins with the first task after a pause and lasts until the next one begins.
The recording counts what has finished, so tasks that the scheduler forgets stay done.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.summary_blocks import FAR_S

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording.recording_store import RecordingStore

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

PAUSE_S: Final = 5.0
"""A shorter pause does not end a computation, since loops compute repeatedly."""

RATE_S: Final = 10.0
"""Time constant of the rate: a task that ended this long ago has the weight 1/e."""

MAX_LOOKED_AT: Final = 200_000
"""Number of the newest tasks whose times are read, since one answer may bring millions."""

DONE, RAISED, BLOCKED, RUNNING, WAITING = range(5)
"""Rows of `Counts`, which have a column for each prefix."""

ENDED: Final = slice(DONE, RUNNING)
OPEN: Final = slice(RUNNING, WAITING + 1)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The unfinished tasks of a scheduler at one time, by index of prefix."""

    time: float
    counter: str
    """Id of the agent that counts blocked tasks; each agent begins at 0."""
    prefixes: Mapping[int, tuple[int, int, int]]
    """Numbers of running tasks, waiting tasks, and tasks blocked by an erred one."""
    whole: bool = True
    """Whether these are all unfinished tasks, with the running ones known."""


def _nothing() -> Counts:
    return np.zeros((5, 0), np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Computation:
    """A computation: tasks between two pauses."""

    since: float = -math.inf
    ended: float = -math.inf
    """When its last task ended."""
    before: Counts = field(default_factory=_nothing)
    """Tasks that had ended before it began."""
    dropped_before: int = 0
    began: Mapping[int, float] = field(default_factory=dict)
    """Start time of each prefix, in order of start."""
    cancelled: int = 0
    """Number of tasks that were cancelled while running or waiting."""
    cancelled_last: bool = False
    """Whether the latest change was a cancellation."""
    pace: Floats = field(default_factory=lambda: np.zeros((3, 1)))
    """Tasks that ended and seconds with running tasks, weighted by age; seconds since tasks ran.
    The first column is for all prefixes together."""

    @property
    def rates(self) -> Floats:
        """Tasks per second while some ran: of all prefixes, then of each that ran recently."""
        ended, seconds, ago = self.pace
        known = (seconds > 0) & (ago < RATE_S)
        rates: Floats = np.divide(ended, seconds, out=np.zeros(len(ended)), where=known)
        return rates


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The progress after one answer of the scheduler: immutable; `then` returns the next one."""

    found: Unfinished = field(default_factory=lambda: Unfinished(-math.inf, "", {}))
    ever: Counts = field(default_factory=_nothing)
    """Counts of the whole recording."""
    dropped: int = 0
    """Tasks that ended and were dropped before they could be read."""
    now: Computation = field(default_factory=Computation)
    _next: int = 0
    _active: float = -math.inf  # when tasks last ran, waited or ended

    @property
    def counts(self) -> Counts:
        """Counts of the current computation."""
        return self.ever - _wide(self.now.before, self.ever.shape[1])

    @property
    def order(self) -> tuple[int, ...]:
        """Prefixes of the current computation: started ones in order of start, then the rest."""
        there = set(np.flatnonzero(self.counts.sum(axis=0)).tolist())
        # A scheduler lists a task before its dependencies.
        later = [prefix for prefix in [*self.found.prefixes][::-1] if prefix in there]
        return tuple(dict.fromkeys([*self.now.began, *later]))

    def then(self, found: Unfinished, recording: RecordingStore) -> Progress:
        """Return the progress after a further answer, whose tasks are already in the recording."""
        ever = self._counted(found, recording)
        before = _wide(self.ever, ever.shape[1])
        more = ever[ENDED] - before[ENDED]
        dropped, next_task = recording.counts.dropped_agent, recording.next_task
        missed = dropped - self.dropped
        grew = bool(more.any() or missed)
        now, active = self.now, self._active
        if grew or ever[OPEN].any():
            starts, stop = _times(recording, self._next, ever.shape[1])
            paused = not active <= found.time < active + PAUSE_S  # a clock may also go back
            if paused and not before[OPEN].any():
                now = Computation(
                    since=min(found.time, float(starts.min(initial=math.inf))),
                    before=np.where(np.arange(5)[:, None] < RUNNING, before, 0),
                    dropped_before=self.dropped,
                )
            # The start of a task is known only once it has ended, so `since` may move back.
            now = replace(now, since=min(now.since, float(starts.min(initial=math.inf))))
            if more[:BLOCKED].any():
                stop = min(stop, found.time) if stop > now.since else found.time
                now = replace(now, ended=max(now.ended, stop))
            now = replace(
                now,
                began=_begun(now.began, more, ever, starts, found.time),
                pace=_paced(now.pace, more, ever, found.time - max(self.found.time, now.since)),
            )
            active = found.time
        if found.whole:  # tasks that disappeared without ending were cancelled
            gone = before[OPEN].sum(axis=0) - more.sum(axis=0) - ever[OPEN].sum(axis=0)
            cancelled = max(int(np.maximum(gone, 0).sum()) - missed, 0)
            if cancelled or grew:
                cancelled_last, cancelled = cancelled > 0, now.cancelled + cancelled
                now = replace(now, cancelled=cancelled, cancelled_last=cancelled_last)
        return Progress(found, ever, dropped, now, next_task, active)

    def facts(
        self, names: Sequence[str], before: Progress | None = None, *, asked: bool = True
    ) -> dict[str, Any]:
        """Return facts about the tasks that are not in a recording, at its end.

        For a part of a recording, `before` is the progress at its start. If the scheduler was not
        `asked` at the end, running and waiting tasks are unknown.
        """
        before = before or Progress()
        blocked = self.ever[BLOCKED] - _wide(before.ever, self.ever.shape[1])[BLOCKED]
        running, waiting = self.ever[OPEN] * asked
        is_same = before.now.since == self.now.since
        cancelled = self.now.cancelled - (before.now.cancelled if is_same else 0)
        return {
            "prefixes": {
                names[prefix]: [int(counts[prefix]) for counts in (blocked, running, waiting)]
                for prefix in np.flatnonzero(blocked + running + waiting).tolist()
            },
            "cancelled": cancelled,
            "cancelled_last": cancelled > 0 and self.now.cancelled_last,
        }

    def _counted(self, found: Unfinished, recording: RecordingStore) -> Counts:
        """Return the present counts of the whole recording."""
        sums = recording.sums()
        newest = max(found.prefixes, default=-1) + 1
        size = max(len(sums.tasks), len(sums.erred), self.ever.shape[1], newest)
        ever = _wide(self.ever, size).copy()
        ever[OPEN] = 0
        ever[DONE, : len(sums.tasks)] = sums.tasks
        ever[RAISED, : len(sums.erred)] = sums.erred
        ever[DONE] -= ever[RAISED]
        known = self.found.prefixes if found.counter == self.found.counter else {}
        for prefix, (running, waiting, blocked) in found.prefixes.items():
            ever[RUNNING, prefix], ever[WAITING, prefix] = running, waiting
            more = blocked - known.get(prefix, (0, 0, 0))[2]
            # A restarted cluster resets its counts.
            ever[BLOCKED, prefix] += more if more >= 0 else blocked
        return ever


def _wide(counts: Counts, size: int) -> Counts:
    return np.pad(counts, ((0, 0), (0, size - counts.shape[1])))


def _times(recording: RecordingStore, first: int, size: int) -> tuple[Floats, float]:
    """Return the first start of each prefix among new rows, and the last stop of all."""
    starts, last = np.full(size, math.inf), -math.inf
    stop = recording.next_task
    first = max(first, stop - MAX_LOOKED_AT)
    for chunk in recording.chunks_of(first, stop) if first < stop else ():
        rows = chunk.rows_of(first, stop)
        start, prefix = chunk.columns["start"][rows], chunk.columns["prefix"][rows]
        with np.errstate(over="ignore", invalid="ignore"):  # workers may send nonsense times
            end = start + chunk.columns["duration"][rows]
            sound = (np.abs(start) < FAR_S) & (np.abs(end) < FAR_S) & (prefix < size)
        np.minimum.at(starts, prefix[sound], start[sound])
        last = max(last, float(end[sound].max(initial=-math.inf)))
    return starts, last


def _begun(
    before: Mapping[int, float], more: Counts, ever: Counts, starts: Floats, time: float
) -> Mapping[int, float]:
    """Return the start times of prefixes, including those that started now."""
    begun = more[:BLOCKED].any(axis=0) | (ever[RUNNING] > 0)
    new = [prefix for prefix in np.flatnonzero(begun).tolist() if prefix not in before]
    times = {prefix: min(float(starts[prefix]), time) for prefix in new}
    return {**before, **dict(sorted(times.items(), key=lambda item: item[1]))}


def _paced(before: Floats, more: Counts, ever: Counts, seconds: float) -> Floats:
    """Return the pace after further seconds; prefixes that did not run keep theirs."""
    ended = more[:BLOCKED].sum(axis=0)
    active = np.concatenate([[True], (ended > 0) | (ever[RUNNING] > 0)])
    pace = np.pad(before, ((0, 0), (0, len(active) - before.shape[1])))
    seconds = max(seconds, 0.0)
    fade = math.exp(-seconds / RATE_S)
    passed = np.full(len(active), seconds)
    news = np.stack([np.concatenate([[ended.sum()], ended]), passed, 0 * passed])
    pace[2] += seconds
    return np.where(active, pace * [[fade], [fade], [0]] + news, pace)
