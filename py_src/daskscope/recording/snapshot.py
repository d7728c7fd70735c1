"""A recording as it is at one moment: what is written of it agrees, though it goes on."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daskscope.recording.recording_store import RecordingStore


def snapshot(recording: RecordingStore) -> RecordingStore:
    """Return a recording as it is now: nothing comes to it, and nothing goes.

    What never changes is in both: of tasks the chunks alone are listed, however many there are.
    """
    with recording.together():
        now = copy(recording)
        # Before the lock below is taken: who appends to a log takes it within that log's.
        now.tables = {name: table.snapshot() for name, table in recording.tables.items()}
        with recording._lock:
            now._store = recording._store.snapshot()
            now._sums = deepcopy(recording._sums)
        now.names = recording.names.snapshot()
    now._renew_locks()
    now.close()
    return now
