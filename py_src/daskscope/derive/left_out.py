"""What of its small tables the bounds of a recording have cost, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daskscope.derive.words import count_text
from daskscope.errors import Notice

if TYPE_CHECKING:
    from daskscope.recording import Counts, RecordingCore


def left_out(recording: RecordingCore, counts: Counts) -> list[Notice]:
    """Return what to say of entries that are not in a recording any more."""
    return _of_errors(len(recording.error_log.since(0)), counts.erred)


def _of_errors(kept: int, erred: int) -> list[Notice]:
    if kept >= erred:
        return []
    tasks = count_text(erred, "task")
    if kept:
        text = (
            f"What tasks raised is here of the newest {kept:,} of {tasks} that erred: more is not "
            "kept. Errors by type are of these alone; how many erred, by prefix too, is of all."
        )
    else:
        text = f"What {tasks} raised is not here: that they erred is all that is known."
    return [Notice("errors-dropped", "warn", text)]
