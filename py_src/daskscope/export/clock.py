"""Times of a recording as a trace has them: whole microseconds from its beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import ERRORS, EVENTS, GAPS, SYSTEM, WORKERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from daskscope.recording import RecordingStore

MAX_DISTANCE_S: Final = 1e9
"""From most of the others, some thirty years: a time beyond that is one that a worker made up."""


@dataclass(frozen=True)
class Clock:
    """`zero` is the first time of the recording: viewers take no negative ones.

    `middle` is one in the midst of the others.
    """

    middle: float
    zero: float

    def takes(self, start: ArrayLike, duration: ArrayLike = 0.0) -> NDArray[np.bool_]:
        """Return which times can be shown.

        >>> Clock(100.0, 99.0).takes([100.0, float("nan"), 1e300]).tolist()
        [True, False, False]
        """
        with np.errstate(invalid="ignore"):
            near = np.abs(np.asarray(start, "f8") - self.middle) <= MAX_DISTANCE_S
            return near & (np.asarray(duration, "f8") <= MAX_DISTANCE_S)  # NaN is neither

    def us(self, time: ArrayLike) -> NDArray[np.int64]:
        """Return times that can be shown in microseconds from zero.

        >>> Clock(100.0, 99.0).us([99.0, 100.5]).tolist()
        [0, 1500000]
        """
        return np.round((np.asarray(time, "f8") - self.zero) * 1e6).astype("i8")


def clock_of(recording: RecordingStore) -> Clock:
    """Return the clock of a recording: it begins with what is first in any table."""
    starts: list[NDArray[Any]] = [chunk.columns["start"] for chunk in recording.chunks()]
    others = [
        recording.series(SYSTEM.name).rows()["time"],
        *(
            np.array(recording.log(table.name).columns()[table.time], "f8")
            for table in (ERRORS, WORKERS, EVENTS, GAPS)
        ),
    ]
    middle = _middle(starts)
    if middle is None:
        middle = _middle(others) or 0.0
    clock = Clock(middle, middle)
    times = [*starts, *others]
    firsts = [float(some[sound].min()) for some in times if (sound := clock.takes(some)).any()]
    return Clock(middle, min(firsts, default=middle))


def _middle(times: Sequence[NDArray[Any]]) -> float | None:
    medians = [np.median(sound) for some in times if len(sound := some[np.isfinite(some)])]
    return float(np.median(medians)) if medians else None
