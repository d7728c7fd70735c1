"""The profile of a recording as columns of numbers: stacks, and how often each was seen."""

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
    """All stacks of a recording by number; a parent has a smaller number, that of the root is 0."""

    parent: NDArray[np.uint32]
    frame: NDArray[np.uint32]
    frames: list[tuple[str, str, int, int, str]]
    """By number of the frame: name, file, first line, a line where it was seen, its source."""


def stacks_of(names: Names) -> Stacks:
    """Return the stacks and frames that a recording has now."""
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
    """Yield the rows that are wanted, the counts that are in the window, and their step.

    Of cycles that are partly in the window it is their share. `prefixes` are indexes of names,
    `workers` addresses; all without. Workers of rows are numbers: see `SeriesStore.texts`.
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
    """Return the seconds between two samples, of all processes of a scope: mostly one value.

    distributed samples event loops once a cycle. A process that has not answered has none.
    """
    scheduler = scope == SCOPES.index("scheduler")
    intervals = {
        row.interval if scope == COMPUTE else row.cycle
        for row in recording.log(PROFILED.name).since(0)
        if (row.worker == "") == scheduler and (workers is None or row.worker in workers)
    }
    return {seconds for seconds in intervals if 0 < seconds < inf}
