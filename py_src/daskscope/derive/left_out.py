"""What the bounds of a recording have cost of its small tables and names, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daskscope.errors import Notice
from daskscope.recording import merged_notices
from daskscope.recording.logs import (
    MAX_CHANGES,
    MAX_EVENTS,
    MAX_GAPS,
    MAX_LINES,
    MAX_LOG_CHARACTERS,
    MAX_SAMPLES,
    MAX_TOPIC_EVENTS,
)
from daskscope.schema import CLUSTER, EVENTS, GAPS, LOGS, SCHEDULER, WORKERS
from daskscope.words import count_text

if TYPE_CHECKING:
    from daskscope.recording import Counts, RecordingCore


_TEXTS: Final = f"of {MAX_LOG_CHARACTERS:,} characters together"
_BOUNDS: Final = {
    EVENTS.name: ("event", "events", f"{MAX_TOPIC_EVENTS:,} of a topic, {MAX_EVENTS:,} {_TEXTS}"),
    LOGS.name: ("line of a log", "lines of logs", f"{MAX_LINES:,} {_TEXTS}"),
    WORKERS.name: ("change of a worker", "changes of workers", f"{MAX_CHANGES:,} {_TEXTS}"),
    GAPS.name: ("gap", "gaps", f"{MAX_GAPS:,} {_TEXTS}"),
    CLUSTER.name: ("sample of the cluster", "samples of the cluster", f"{MAX_SAMPLES:,}"),
    SCHEDULER.name: ("sample of the scheduler", "samples of the scheduler", f"{MAX_SAMPLES:,}"),
}
"""One, many, and how many of them a recording keeps."""


def left_out(recording: RecordingCore, counts: Counts) -> list[Notice]:
    """Return what to say of entries that are not in a recording any more, and of merged names."""
    notices = _of_errors(len(recording.error_log.since(0)), counts.erred)
    for table, (one, many, bound) in _BOUNDS.items():
        if dropped := recording.log_of[table].dropped:
            was = "was" if dropped == 1 else "were"
            text = (
                f"{count_text(dropped, one, many)} {was} dropped: a recording keeps the newest, "
                f"at most {bound}."
            )
            notices.append(Notice(f"{table}-dropped", "warn", text))
    return [*notices, *merged_notices(recording.names)]


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
