"""The data that a session captured: columns, keys and logs, bounded in memory and on disk."""

from __future__ import annotations

from daskscope.recording.chunk import KeyBlock, TaskChunk, pack_keys
from daskscope.recording.log_store import UNKNOWN_TASK, LogStore
from daskscope.recording.names import Merged, Names
from daskscope.recording.progress import Progress, Unfinished
from daskscope.recording.recording import Recording, store_of
from daskscope.recording.recording_store import RecordingStore
from daskscope.recording.series_store import SeriesStore
from daskscope.recording.totals import ActionTotal, Counts, PrefixTotal, Sums, Totals

__all__ = [
    "UNKNOWN_TASK",
    "ActionTotal",
    "Counts",
    "KeyBlock",
    "LogStore",
    "Merged",
    "Names",
    "PrefixTotal",
    "Progress",
    "Recording",
    "RecordingStore",
    "SeriesStore",
    "Sums",
    "TaskChunk",
    "Totals",
    "Unfinished",
    "pack_keys",
    "store_of",
]
