"""Tasks, seconds and errors by prefix and by action, of everything or of a focus."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from daskscope.derive.selection import FocusLike, Selection
from daskscope.recording import RecordingStore, Sums, Totals

if TYPE_CHECKING:
    import pandas as pd


class FocusTotals:
    """Totals of a focus that follow a growing recording in small steps.

    Rows never change, so each is looked at once. Rows that the recording dropped
    before their turn are missing; those dropped later stay counted.
    """

    def __init__(self, recording: RecordingStore, focus: FocusLike) -> None:
        self.done_until = 0
        self._recording = recording
        self._focus = focus
        self._sums = Sums()

    def advance(self, budget_s: float = float("inf")) -> bool:
        """Add at least one chunk, then work for about so long; return whether all are in."""
        end = time.monotonic() + budget_s
        chunks = self._recording.chunks()  # first: names that come meanwhile are of none of them
        selection = Selection(self._recording.names, self._focus)
        for chunk in chunks:
            if chunk.stop <= self.done_until:
                continue
            rows = chunk.rows_of(self.done_until, chunk.stop)
            columns = {name: column[rows] for name, column in chunk.columns.items()}
            self._sums.add_rows(selection.rows(columns))
            self.done_until = chunk.stop
            if time.monotonic() > end:
                return self.done_until == self._recording.next_task
        return True

    @property
    def totals(self) -> Totals:
        """Figures so far."""
        return self._sums.freeze()


def totals(recording: RecordingStore, focus: FocusLike | None = None) -> Totals:
    """Return totals by index of prefix and action.

    Without a focus these are the running figures of everything that was captured,
    kept or not. With one they are of the rows kept that are in focus, each with the
    seconds that lie inside the time in focus.

    >>> totals(RecordingStore()).prefixes
    ()
    """
    if focus is None or not (focus.time or focus.prefixes or focus.workers or focus.spans):
        return recording.totals
    in_focus = FocusTotals(recording, focus)
    in_focus.advance()
    return in_focus.totals


def by_prefix(recording: RecordingStore, focus: FocusLike | None = None) -> pd.DataFrame:
    """Return tasks, seconds of computing and errors, one row a prefix.

    >>> by_prefix(RecordingStore()).columns.tolist()
    ['tasks', 'seconds', 'erred']
    """
    import pandas as pd

    names = recording.names.prefixes
    found = totals(recording, focus).prefixes
    index = pd.Index([names[total.prefix] for total in found], name="prefix", dtype=object)
    rows = [(total.tasks, total.seconds, total.erred) for total in found]
    return pd.DataFrame(rows, index=index, columns=["tasks", "seconds", "erred"])


def by_action(recording: RecordingStore, focus: FocusLike | None = None) -> pd.DataFrame:
    """Return rows and seconds, one row an action.

    >>> by_action(RecordingStore()).columns.tolist()
    ['rows', 'seconds']
    """
    import pandas as pd

    names = recording.names.actions
    found = totals(recording, focus).actions
    index = pd.Index([names[total.action] for total in found], name="action", dtype=object)
    rows = [(total.rows, total.seconds) for total in found]
    return pd.DataFrame(rows, index=index, columns=["rows", "seconds"])
