"""A recording as it is at one moment: what is written of it agrees, though it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from daskscope.recording.records import entries_of
from daskscope.schema import NAME_KINDS, RECORD_TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.recording.chunk import TaskChunk
    from daskscope.recording.core import RecordingCore
    from daskscope.recording.counts import Counts
    from daskscope.recording.names import Merged
    from daskscope.recording.totals import Totals


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What belongs together. Nothing is copied but lists of what never changes."""

    chunks: Sequence[TaskChunk]
    next_task: int
    counts: Counts
    totals: Totals
    origin: float | None
    entries: Mapping[str, Sequence[Any]]
    """Of each small table, by its name."""
    dropped: Mapping[str, int]
    """How many entries their bounds have cost."""
    merged: Mapping[str, Merged]
    """Of each list of names."""


def snapshot(recording: RecordingCore) -> Snapshot:
    """Return what a recording has now; its names may only grow, and need no snapshot."""
    with recording.together():
        return Snapshot(
            recording.chunks(),
            recording.next_task,
            recording.counts,
            recording.totals,
            recording.origin,
            {table.name: entries_of(recording, table) for table in RECORD_TABLES},
            {name: log.dropped for name, log in recording.log_of.items()},
            {kind: recording.names.merged(kind) for kind in NAME_KINDS},
        )
