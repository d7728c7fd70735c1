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


@dataclass(frozen=True)
class Counts:
    """How often each stack was seen in a window, without what it called."""

    count: NDArray[np.float64]
    """By number of the stack; as many as there were stacks."""
    step: float
    """Seconds of the coarsest step in the window; infinite where all from before is in it."""


def stacks_of(names: Names) -> Stacks:
    """Return the stacks and frames that a recording has now."""
    columns = names.numbers(STACKS.name)
    return Stacks(columns["parent"], columns["frame"], names.since(FRAMES.name, 0))


def counts_in(
    recording: RecordingStore,
    start: float = -inf,
    stop: float = inf,
    *,
    scope: int = COMPUTE,
    prefixes: Collection[int] | None = None,
    workers: Collection[str] | None = None,
) -> Counts:
    """Return the counts of a window: of cycles that are partly in it their share.

    `prefixes` are indexes of names, `workers` addresses; all without.
    """
    parts = [*parts_in(recording, start, stop, scope, prefixes, workers)]
    stacks = recording.names.count(STACKS.name)  # afterwards: all of them are there
    found, coarsest = np.zeros(stacks), 0.0
    for rows, count, step in parts:
        found += np.bincount(rows["stack"], count, stacks)
        coarsest = max(coarsest, step if len(count) else 0.0)
    return Counts(found, coarsest)


def counts_over(
    recording: RecordingStore,
    start: float,
    stop: float,
    edges: NDArray[np.float64],
    *,
    scope: int = COMPUTE,
    prefixes: Collection[int] | None = None,
    workers: Collection[str] | None = None,
) -> NDArray[np.float64]:
    """Return the samples between each two of some rising edges: activity over time."""
    found = np.zeros(len(edges) - 1)
    for rows, count, _ in parts_in(recording, start, stop, scope, prefixes, workers):
        since, until = np.maximum(rows["time"], start), rows["time"] + rows["duration"]
        until = np.maximum(np.minimum(until, stop), since + 1e-9)
        order = np.sort(np.concatenate([since, until]))
        rate = np.zeros(len(order))
        density = count / (until - since)
        np.add.at(rate, np.searchsorted(order, since), density)
        np.add.at(rate, np.searchsorted(order, until), -density)
        area = np.concatenate([[0.0], np.cumsum(np.cumsum(rate)[:-1] * np.diff(order))])
        found += np.diff(np.interp(edges, order, area)) if len(order) else 0.0
    return found


def counts_by(
    recording: RecordingStore,
    column: str,
    start: float = -inf,
    stop: float = inf,
    *,
    scope: int = COMPUTE,
    prefixes: Collection[int] | None = None,
    workers: Collection[str] | None = None,
) -> dict[Any, NDArray[np.float64]]:
    """Return the same as `counts_in` for each worker (its address) or prefix (its index)."""
    parts = [*parts_in(recording, start, stop, scope, prefixes, workers)]
    stacks = recording.names.count(STACKS.name)
    found: dict[Any, NDArray[np.float64]] = {}
    for rows, count, _ in parts:
        for number in np.unique(rows[column]).tolist():
            own = rows[column] == number
            sums = np.bincount(rows["stack"][own], count[own], stacks)
            found[number] = found.get(number, np.zeros(stacks)) + sums
    texts = recording.series(PROFILE_COUNTS.name).texts() if column == "worker" else None
    return {texts[number] if texts else number: sums for number, sums in found.items()}


def intervals_of(
    recording: RecordingStore, scope: int = COMPUTE, workers: Collection[str] | None = None
) -> set[float]:
    """Return the seconds between two samples, of all processes of a scope: mostly one value."""
    scheduler = scope == SCOPES.index("scheduler")
    return {
        row.interval
        for row in recording.log(PROFILED.name).since(0)
        if (row.worker == "") == scheduler and (workers is None or row.worker in workers)
    }


def parts_in(
    recording: RecordingStore,
    start: float,
    stop: float,
    scope: int,
    prefixes: Collection[int] | None,
    workers: Collection[str] | None,
) -> Iterator[tuple[dict[str, Cells], Cells, float]]:
    """Yield the rows that are wanted, the counts that are in the window, and their step."""
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
