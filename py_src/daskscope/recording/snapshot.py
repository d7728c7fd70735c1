"""A recording as it is at one moment: what is written of it agrees, though it goes on."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import TYPE_CHECKING

from daskscope.recording.logs import Log

if TYPE_CHECKING:
    from daskscope.recording.core import RecordingCore


def snapshot(recording: RecordingCore) -> RecordingCore:
    """Return a recording as it is now: nothing comes to it, and nothing goes.

    What never changes is in both: of tasks the chunks alone are listed, however many there are.
    """
    with recording.together(), recording._lock:
        now = copy(recording)
        now._store = recording._store.snapshot()
        now._sums = deepcopy(recording._sums)
        now.names = recording.names.snapshot()
        logs = {log: log.snapshot() for log in recording.log_of.values()}
        now.log_of = {table: logs[log] for table, log in recording.log_of.items()}
        for name, value in vars(recording).items():
            if isinstance(value, Log):
                setattr(now, name, logs[value])
    now._renew_locks()
    now.close()
    return now
