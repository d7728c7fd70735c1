"""What the threads did in a time, in one pass over the rows: seconds, and when nobody computed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.stretches import FAR_S
from daskscope.schema import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore, Sums

    Floats = NDArray[np.float64]

COMPUTE: Final = ACTIONS.index("compute")
MIN_IDLE_S: Final = 0.5
IDLE_SHARE: Final = 0.05
"""Nobody computes for a while in every run; what is longer than this part of it is told."""


@dataclass(slots=True)
class Work:
    """Seconds by action and prefix; compute seconds inside the time; when no thread computed."""

    busy_seconds: float = 0.0
    idle: list[tuple[float, float]] = field(default_factory=list)
    seconds: dict[int, Floats] = field(default_factory=dict)
    """By action: an array with the seconds of each prefix."""
    began: Floats = field(default_factory=lambda: np.zeros(0))
    """When the first row of each prefix started."""
    ended: float = -math.inf
    """When the last row of all stopped."""


def running_work(sums: Sums) -> Work:
    """Return what running totals say, without a look at any row: nothing of idle times.

    >>> from daskscope.recording import Sums
    >>> running_work(Sums()).busy_seconds
    0.0
    """
    return Work(
        busy_seconds=float(sums.seconds.sum()),
        seconds={COMPUTE: sums.seconds, **sums.other_seconds},
    )


def work(recording: RecordingStore, start: float, stop: float) -> Work:
    """Look at each row that is kept once; memory is bounded by a chunk, not by the run.

    >>> from daskscope.recording import RecordingStore
    >>> work(RecordingStore(), 0.0, 10.0).idle
    [(0.0, 10.0)]
    """
    found = Work()
    shortest = max(MIN_IDLE_S, IDLE_SHARE * (stop - start))
    # Ends of the time count as computing, so that what lies before and behind is idle.
    computing = [(np.array([start, stop]), np.array([start, stop]))]
    for chunk in recording.chunks():
        columns = _sound(chunk.columns)
        _add_seconds(found.seconds, columns)
        _add_times(found, columns)
        compute = columns["action"] == COMPUTE
        begin = np.maximum(columns["start"][compute], start)
        end = np.minimum(columns["start"][compute] + columns["duration"][compute], stop)
        inside = end > begin
        begin, end = begin[inside], end[inside]
        found.busy_seconds += float((end - begin).sum())
        if len(begin):
            # What is joined here lies nearer than any gap that is looked for.
            computing.append(_joined(begin, end, shortest))
    begin, end = _joined(
        np.concatenate([begin for begin, _ in computing]),
        np.concatenate([end for _, end in computing]),
        shortest,
    )
    found.idle = [(float(a), float(b)) for a, b in zip(end[:-1], begin[1:], strict=True)]
    return found


def _sound(columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the rows that say how long they took; clocks of some workers may have failed."""
    duration, start = columns["duration"].astype("f8"), columns["start"]
    sound = (duration >= 0) & np.isfinite(duration) & np.isfinite(start)
    wanted = {"start": start, "duration": duration} | {
        name: columns[name] for name in ("prefix", "action")
    }
    return wanted if sound.all() else {name: column[sound] for name, column in wanted.items()}


def _add_seconds(seconds: dict[int, Floats], columns: Mapping[str, NDArray[Any]]) -> None:
    action = columns["action"]
    for place in np.flatnonzero(np.bincount(action)).tolist():
        chosen = action == place
        weights = columns["duration"][chosen]
        more = np.bincount(columns["prefix"][chosen], weights).astype("f8")
        known = seconds.get(place, np.zeros(0))
        if len(known) < len(more):
            known, more = more, known
        known[: len(more)] += more
        seconds[place] = known


def _add_times(found: Work, columns: Mapping[str, NDArray[Any]]) -> None:
    start, prefix = columns["start"], columns["prefix"]
    end = start + columns["duration"]
    near = (np.abs(start) < FAR_S) & (np.abs(end) < FAR_S)
    more = int(prefix.max(initial=0)) + 1 - len(found.began)
    found.began = np.pad(found.began, (0, max(more, 0)), constant_values=math.inf)
    np.minimum.at(found.began, prefix[near], start[near])
    found.ended = float(np.max(end, initial=found.ended, where=near))


def _joined(start: Floats, stop: Floats, gap: float) -> tuple[Floats, Floats]:
    """Return intervals that stand for all, joined where less than `gap` lies between them."""
    order = np.argsort(start)
    start, reach = start[order], np.maximum.accumulate(stop[order])
    first = np.ones(len(start), bool)
    first[1:] = start[1:] - reach[:-1] >= gap
    places = np.flatnonzero(first)
    return start[places], np.append(reach[places[1:] - 1], reach[-1])
