"""The profile of a recording as columns of numbers: stacks and their samples."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import FRAMES, PROFILE_COUNTS, PROFILED, SCOPES, STACKS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from daskscope.recording.names import Names
    from daskscope.recording.recording_store import RecordingStore

    Cells = NDArray[Any]

COMPUTE: Final = SCOPES.index("compute")


@dataclass(frozen=True)
class Stacks:
    """All stacks of a recording by number; parents have smaller numbers, and the root is 0."""

    parent: NDArray[np.uint32]
    frame: NDArray[np.uint32]
    frames: list[tuple[str, str, int, int, str]]
    """By number of the frame: name, file, first line, a sampled line, and its source code."""


def stacks_of(names: Names) -> Stacks:
    """Return the present stacks and frames of a recording."""
    columns = names.numbers(STACKS.name)
    return Stacks(columns["parent"], columns["frame"], names.since(FRAMES.name, 0))


def parts_in(
    recording: RecordingStore,
    start: float,
    stop: float,
    scope: int,
    prefixes: Collection[int] | None,
    workers: Collection[str] | None,
) -> Iterator[tuple[dict[str, Cells], Cells, float]]:
    """Yield the selected rows, their counts in the window, and their step.

    Cycles partly in the window count in proportion. `prefixes` are indexes of names, `workers`
    are addresses; None selects all. Workers in rows are numbers (see `SeriesStore.texts`).
    """
    series = recording.series(PROFILE_COUNTS.name)
    numbers = None if workers is None else series.text_numbers(workers)
    for rows, share, step in series.shares(start, stop):
        wanted = rows["scope"] == scope
        if prefixes is not None:
            wanted &= np.isin(rows["prefix"], [*prefixes])
        if numbers is not None:
            wanted &= np.isin(rows["worker"], numbers)
        rows = {name: cells[wanted] for name, cells in rows.items()}
        yield rows, rows["count"] * share[wanted], step


def intervals_of(
    recording: RecordingStore, scope: int = COMPUTE, workers: Collection[str] | None = None
) -> set[float]:
    """Return the sampling intervals of all processes of a scope, usually a single value.

    distributed samples event loops once per cycle. Processes without answers are left out.
    """
    scheduler = scope == SCOPES.index("scheduler")
    intervals = {
        row.interval if scope == COMPUTE else row.cycle
        for row in recording.log(PROFILED.name).since(0)
        if (row.worker == "") == scheduler and (workers is None or row.worker in workers)
    }
    return {seconds for seconds in intervals if 0 < seconds < inf}
