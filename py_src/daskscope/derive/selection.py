"""Which rows are in focus: names looked up once, then plain array work."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from daskscope.recording.frames import tasks_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from daskscope.recording import Names, RecordingStore

    Rows = Mapping[str, NDArray[Any]]


class FocusLike(Protocol):
    """A selection by names; empty means all. `daskscope.focus.Focus` is one."""

    @property
    def time(self) -> tuple[float, float] | None: ...  # noqa: D102
    @property
    def prefixes(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def workers(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def spans(self) -> Sequence[str]: ...  # noqa: D102


def _chosen(names: list[Any], wanted: Sequence[str], part: int | None) -> NDArray[np.bool_]:
    """Return for each index of a list whether its name (or a part of it) is wanted."""
    chosen = set(wanted)
    return np.array([(n if part is None else n[part]) in chosen for n in names] or [False], bool)


class Selection:
    """A focus in terms of one session's names, as they are now."""

    def __init__(self, names: Names, focus: FocusLike) -> None:
        self.time = focus.time
        self._lookups: list[tuple[str, NDArray[np.bool_]]] = []
        for column, kind, wanted, part in (
            ("prefix", "prefixes", focus.prefixes, None),
            ("lane", "lanes", focus.workers, 0),
            ("span", "spans", focus.spans, 0),
        ):
            if wanted:
                self._lookups.append((column, _chosen(names.since(kind, 0), wanted, part)))

    def mask(self, columns: Rows) -> NDArray[np.bool_]:
        """Return for each row whether it is in focus: it overlaps the time, at least."""
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
            # A negative duration has nothing to cut, and stays what it is.
            duration = chosen["duration"]
            chosen["duration"] = np.where(duration < 0, duration, inside).astype("f4")
        return chosen


def tasks_in_focus(recording: RecordingStore, focus: FocusLike) -> pd.DataFrame:
    """Return the rows of `recording.tasks` that are in focus, whole.

    >>> from daskscope.focus import Focus
    >>> from daskscope.recording import RecordingStore
    >>> tasks_in_focus(RecordingStore(), Focus(prefixes=["inc"])).empty
    True
    """
    chunks = recording.chunks()
    selection = Selection(recording.names, focus)
    chosen = []
    for chunk in chunks:
        mask = selection.mask(chunk.columns)
        if mask.any():
            columns = {name: column[mask] for name, column in chunk.columns.items()}
            chosen.append(replace(chunk, columns=columns))
    return tasks_frame(chosen, recording.names)
