"""What a session captured: columns, keys and logs, bounded in memory and on disk."""

from __future__ import annotations

from daskscope.recording.chunk import KeyBlock, TaskChunk, pack_keys
from daskscope.recording.core import RecordingCore
from daskscope.recording.counts import Counts, NotRead
from daskscope.recording.logs import (
    UNKNOWN_TASK,
    ClusterSample,
    Event,
    Gap,
    Log,
    LogLine,
    SchedulerSample,
    TaskError,
    WorkerChange,
)
from daskscope.recording.merged import MERGED_CODES, merged_notices
from daskscope.recording.names import Merged, Names
from daskscope.recording.progress import Progress, Unfinished
from daskscope.recording.recording import Recording
from daskscope.recording.totals import ActionTotal, PrefixTotal, Sums, Totals

__all__ = [
    "MERGED_CODES",
    "UNKNOWN_TASK",
    "ActionTotal",
    "ClusterSample",
    "Counts",
    "Event",
    "Gap",
    "KeyBlock",
    "Log",
    "LogLine",
    "Merged",
    "Names",
    "NotRead",
    "PrefixTotal",
    "Progress",
    "Recording",
    "RecordingCore",
    "SchedulerSample",
    "Sums",
    "TaskChunk",
    "TaskError",
    "Totals",
    "Unfinished",
    "WorkerChange",
    "merged_notices",
    "pack_keys",
]
