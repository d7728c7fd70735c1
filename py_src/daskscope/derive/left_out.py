"""What the bounds of a recording have cost of its small tables and names, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daskscope.errors import Notice
from daskscope.recording import LogStore, merged_notices
from daskscope.recording.log_store import MAX_LOG_CHARACTERS
from daskscope.schema import ERRORS
from daskscope.words import bytes_text, count_text

if TYPE_CHECKING:
    from daskscope.recording import Counts, RecordingStore, SeriesStore


def left_out(recording: RecordingStore, counts: Counts) -> list[Notice]:
    """Return what to say of rows that are not in a recording any more, and of merged names."""
    notices = _of_errors(len(recording.log(ERRORS.name).since(0)), counts.erred)
    for name, store in recording.tables.items():
        if store.dropped and name != ERRORS.name:
            was = "was" if store.dropped == 1 else "were"
            rows = count_text(store.dropped, store.table.noun, store.table.nouns)
            text = f"{rows} {was} dropped: a recording keeps the newest, at most {_bound(store)}."
            notices.append(Notice(f"{name}-dropped", "warn", text))
    return [*notices, *merged_notices(recording.names)]


def _bound(store: LogStore | SeriesStore) -> str:
    if not isinstance(store, LogStore):
        return bytes_text(sum(store.table.ring_bytes))
    table = store.table
    group = f"{table.group_rows:,} of a {table.group}, " if table.group else ""
    return f"{group}{table.rows:,} of {MAX_LOG_CHARACTERS:,} characters together"


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
