"""The coarse picture of a whole recording: what a late panel shows first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daskscope.recording.stretches import Stretches, fit, of_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daskscope.recording.chunk import TaskChunk
    from daskscope.recording.recording_store import RecordingStore

MAX_STRETCHES: Final = 32_768
"""At 25 bytes each, one message below 1 MB."""


def coarse(recording: RecordingStore, limit: int = MAX_STRETCHES) -> Stretches:
    """Return at most ``limit`` stretches of lanes that stand for every row.

    Each says when it starts and stops, which prefix was busiest, how many seconds
    the lane was busy, how many rows it stands for and whether a task erred. It is
    put together from summaries of the chunks, so it reads nothing from disk. With
    more lanes than ``limit`` there are more stretches: at least one a lane.

    >>> from daskscope.recording import RecordingStore
    >>> len(coarse(RecordingStore()))
    0
    """
    return coarse_of(recording.chunks(), limit)


def coarse_of(chunks: Sequence[TaskChunk], limit: int = MAX_STRETCHES) -> Stretches:
    """Return the coarse picture of some chunks."""
    parts = [
        chunk.summary if chunk.summary is not None else of_rows(chunk.columns) for chunk in chunks
    ]
    return fit(Stretches.concat(parts), limit)
