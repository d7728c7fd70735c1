"""Counts of the profile of a recording, by number of the stack."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope.recording.profile import COMPUTE, parts_in

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore


def counts_in(
    recording: RecordingStore,
    start: float = -inf,
    stop: float = inf,
    *,
    scope: int = COMPUTE,
    prefixes: Collection[int] | None = None,
    workers: Collection[str] | None = None,
) -> NDArray[np.float64]:
    """Return how often each stack was seen in a window, without what it called."""
    parts = [*parts_in(recording, start, stop, scope, prefixes, workers)]
    found = np.zeros(recording.names.count("stacks"))
    for rows, count, _ in parts:
        found += np.bincount(rows["stack"], count, len(found))
    return found


def counts_by(recording: RecordingStore, column: str) -> dict[Any, float]:
    """Return how many samples each worker (its address) or prefix (its name) has."""
    found: dict[Any, float] = {}
    texts = recording.series("profile_counts").texts() if column == "worker" else None
    for rows, count, _ in parts_in(recording, -inf, inf, COMPUTE, None, None):
        for number in np.unique(rows[column]).tolist():
            name = (texts or recording.names.prefixes)[number]
            found[name] = found.get(name, 0) + float(count[rows[column] == number].sum())
    return found
