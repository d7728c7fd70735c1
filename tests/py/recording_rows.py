"""Rows for tests of what stands on a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope.recording import RecordingCore, pack_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

START = 1_700_000_000.0


def new_recording(lanes: int = 4, prefixes: Sequence[str] = ("inc", "sum"), **limits: Any):
    recording = RecordingCore(**limits)
    for lane in range(lanes):
        recording.names.intern("lanes", (f"tcp://10.0.0.1:{lane // 2}", str(lane)))
    for prefix in prefixes:
        recording.names.intern("prefixes", prefix)
    return recording


def make_rows(tasks: int, *, start: float = START, rows_each: int = 1, lanes: int = 4):
    """Columns of `tasks` tasks that follow each other in lanes, 10 ms each."""
    task = np.repeat(np.arange(tasks, dtype="u4"), rows_each)
    within = np.arange(len(task)) % rows_each
    return {
        "start": start + (task // lanes) * 0.01 + within * 0.001,
        "duration": np.full(len(task), 0.008 / rows_each, "f4"),
        "lane": (task % lanes).astype("u2"),
        "prefix": (task % 2).astype("u2"),
        "action": (within > 0).astype("u1"),
        "status": np.zeros(len(task), "u1"),
        "nbytes": np.full(len(task), 28.0),
        "span": np.zeros(len(task), "u2"),
        "task": task,
    }


def append(recording: RecordingCore, tasks: int, *, key: str = "key-{}", **options: Any) -> int:
    columns = make_rows(tasks, **options)
    keys = [key.format(recording.next_task + i) for i in range(tasks)]
    return recording.append_tasks(tasks, columns, pack_keys(0, keys).data)
