"""What a session captured: columns, keys and logs, bounded in memory and on disk."""

from __future__ import annotations

from daskscope.recording.chunk import KeyBlock, TaskChunk, pack_keys
from daskscope.recording.logs import UNKNOWN_TASK, Gap, Log, TaskError, WorkerChange
from daskscope.recording.names import Names
from daskscope.recording.recording import Counts, Recording
from daskscope.recording.totals import ActionTotal, PrefixTotal, Sums, Totals

__all__ = [
    "UNKNOWN_TASK",
    "ActionTotal",
    "Counts",
    "Gap",
    "KeyBlock",
    "Log",
    "Names",
    "PrefixTotal",
    "Recording",
    "Sums",
    "TaskChunk",
    "TaskError",
    "Totals",
    "WorkerChange",
    "pack_keys",
]
