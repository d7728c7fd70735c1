"""The last cell, as the flight recorder has it: for `%perfreport --last`.

While cells run, only their times and the positions of the recordings are noted.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from daskscope.cell_monitor import of_notebook
from daskscope.errors import DaskscopeError
from daskscope.magics.options import without_first_line

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore
    from daskscope.recording.block_recording import Positions
    from daskscope.session import Session


@dataclass(frozen=True, slots=True)
class LastCell:
    """One cell that ran; times are this computer's."""

    number: int | None
    code: str
    start: float
    stop: float
    over_s: float
    """Its end on the monotonic clock."""
    before: dict[str, Positions]
    """Where each session's recording was when it began, by the session's id."""
    after: dict[str, Positions]
    exception: dict[str, str] | None

    @classmethod
    def of(cls, result: Any, start: float, before: dict[str, Positions]) -> LastCell:
        """Return what is known of a cell that has just run, from IPython's result."""
        stop, over_s = time.time(), time.monotonic()
        exception = None
        if (error := result.error_in_exec) is not None:
            from daskscope.block.facts import describe

            exception = describe(error)
        code, number = without_first_line(result.info.raw_cell), result.execution_count
        return cls(number, code, start, stop, over_s, before, positions(), exception)

    @property
    def name(self) -> str:
        """What a notebook shows beside it."""
        return f"In [{self.number}]" if self.number else "the last cell"


def _sessions() -> list[Session]:
    """Return the sessions, and import nothing where there are none."""
    listed = getattr(sys.modules.get("daskscope.session_list"), "sessions", None)
    return listed() if listed is not None else []


def positions() -> dict[str, Positions]:
    """Return how far the recording of each session is, by the session's id."""
    sessions = _sessions()
    if not sessions:
        return {}
    from daskscope.block.past_time import positions_now

    return positions_now(sessions)


def recording_of(cell: LastCell, title: str | None) -> RecordingStore:
    """Return the tasks of a cell as if it had been recorded as a block; without its figures."""
    from daskscope.block.past_time import NOT_TOLD, PastTasks

    times = cell.start, cell.stop, cell.over_s
    found = [
        PastTasks(one, *times, cell.before.get(one.id), cell.after.get(one.id))
        for one in _sessions()
    ]
    best = max(found, key=lambda one: one.count, default=None)
    if best is not None and best.count:
        return best.recording(title, cell.code, of_notebook(cell.name), cell.exception)
    if not all(one.complete for one in found):
        raise DaskscopeError(
            "no-tasks",
            f"The scheduler has not reported the tasks of {cell.name}, the cell that ran last.",
            NOT_TOLD.next,
        )
    recorded = "" if found else " No client is recorded, either."
    raise DaskscopeError(
        "no-tasks",
        f"No task finished on a Dask cluster in {cell.name}, the cell that ran last.{recorded}",
        "Run the cell again with %%perfreport as its first line.",
    )
