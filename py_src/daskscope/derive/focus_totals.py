"""Selects the rows in focus, and sums them by prefix and by action."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope.recording import RecordingStore, Sums, Totals
from daskscope.recording.frames import cells_of_graphs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.focus import Focus

    Rows = Mapping[str, NDArray[Any]]


def _chosen(names: list[Any], wanted: Sequence[str], part: int | None) -> NDArray[np.bool_]:
    """Return a mask of the names that are wanted; with `part`, that item of a name is compared."""
    chosen = set(wanted)
    return np.array([(n if part is None else n[part]) in chosen for n in names] or [False], bool)


class Selection:
    """A focus translated into the indexes of one recording, as they are now."""

    def __init__(self, recording: RecordingStore, focus: Focus) -> None:
        names = recording.names
        self.time = focus.time
        self._lookups: list[tuple[str, NDArray[np.bool_]]] = []
        for column, kind, wanted, part in (
            ("prefix", "prefixes", focus.prefixes, None),
            ("lane", "lanes", focus.workers, 0),
            ("span", "spans", focus.spans, 0),
        ):
            if wanted:
                self._lookups.append((column, _chosen(names.since(kind, 0), wanted, part)))
        if focus.cells:
            cells, lookup = cells_of_graphs(recording), np.zeros(2**16, bool)
            lookup[: len(cells)] = _chosen(cells, focus.cells, None)
            self._lookups.append(("computation", lookup))

    def mask(self, columns: Rows) -> NDArray[np.bool_]:
        """Return which rows are in focus; a row that overlaps the time in part counts."""
        mask = np.ones(len(columns["task"]), bool)
        for column, lookup in self._lookups:
            mask &= lookup[columns[column]]
        if self.time is not None:
            start = columns["start"]
            mask &= (start <= self.time[1]) & (start + columns["duration"] >= self.time[0])
        return mask

    def rows(self, columns: Rows) -> dict[str, NDArray[Any]]:
        """Return the rows in focus, with durations cut to the time in focus."""
        mask = self.mask(columns)
        chosen = {name: column[mask] for name, column in columns.items()}
        if self.time is not None:
            start = chosen["start"]
            stop = np.minimum(start + chosen["duration"], self.time[1])
            inside = stop - np.maximum(start, self.time[0])
            # A negative duration (clocks disagree) is kept, so that its row counts as skewed.
            duration = chosen["duration"]
            chosen["duration"] = np.where(duration < 0, duration, inside).astype("f4")
        return chosen


class FocusTotals:
    """Totals of a focus that follow a growing recording in small steps.

    Rows never change, so each is read once per focus. Rows that the recording drops before they
    are read are missing; rows that it drops later stay counted.
    """

    def __init__(self, recording: RecordingStore) -> None:
        self._recording = recording
        self._focus: Focus | None = None
        self._done_until = 0
        self._sums = Sums()

    def advance(self, focus: Focus, budget_s: float = float("inf")) -> Totals | None:
        """Add at least one chunk, and more within the budget; return complete totals, else None.

        Without a focus, return the recording's running totals, which include dropped tasks.
        """
        if not focus:
            return self._recording.totals
        if focus != self._focus:
            self._focus, self._done_until, self._sums = focus, 0, Sums()
        end = time.monotonic() + budget_s
        chunks = self._recording.chunks()  # before the names, so that rows use only known names
        selection = Selection(self._recording, focus)
        for chunk in chunks:
            if chunk.stop <= self._done_until:
                continue
            rows = chunk.rows_of(self._done_until, chunk.stop)
            columns = {name: column[rows] for name, column in chunk.columns.items()}
            self._sums.add_rows(selection.rows(columns))
            self._done_until = chunk.stop
            if time.monotonic() > end and self._done_until < self._recording.next_task:
                return None
        return self._sums.freeze()
