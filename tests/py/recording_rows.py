"""Rows for tests of what stands on a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope.recording import RecordingStore, pack_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from daskscope.recording import Recording

START = 1_700_000_000.0


def new_recording(lanes: int = 4, prefixes: Sequence[str] = ("inc", "sum"), **limits: Any):
    recording = RecordingStore(**limits)
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
        "computation": np.zeros(len(task), "u2"),
    }


def append(recording: RecordingStore, tasks: int, *, key: str = "key-{}", **options: Any) -> int:
    columns = make_rows(tasks, **options)
    keys = [key.format(recording.next_task + i) for i in range(tasks)]
    return recording.append_tasks(tasks, columns, pack_keys(0, keys).data)


def task_error(
    task: int, key: str, prefix: int, worker: str, time: float, exception: str, traceback: str
) -> dict[str, Any]:
    """A row of the log of errors."""
    return {
        "task": task,
        "key": key,
        "prefix": prefix,
        "worker": worker,
        "time": time,
        "exception": exception,
        "traceback": traceback,
    }


def worker_change(time: float, worker: str, what: str, detail: str = "") -> dict[str, Any]:
    """A row of the log of workers."""
    return {"time": time, "worker": worker, "what": what, "detail": detail}


def logged_event(time: float, topic: str, message: str) -> dict[str, Any]:
    """A row of the log of events."""
    return {"time": time, "topic": topic, "message": message}


def log_line(time: float, source: str, level: str, text: str) -> dict[str, Any]:
    """A row of the log of lines."""
    return {"time": time, "source": source, "level": level, "text": text}


def gap(start: float, stop: float, reason: str = "lost", text: str = "") -> dict[str, Any]:
    """A row of the log of gaps."""
    return {"start": start, "stop": stop, "reason": reason, "text": text}


def rowless_task(task: int, prefix: int, status: int) -> dict[str, Any]:
    """A row of the log of tasks without rows."""
    return {"task": task, "prefix": prefix, "status": status}


CLUSTER = ("time", "workers", "threads", "memory_limit", "process", "managed", "spilled")
SCHEDULER = ("time", "cpu", "memory", "loop_interval")


def append_cluster(recording: RecordingStore, *samples: tuple[float, ...]) -> None:
    """Append samples of all workers together, with values in order of `CLUSTER`."""
    _append_samples(recording, CLUSTER, samples)


def append_scheduler(recording: RecordingStore, *samples: tuple[float, ...]) -> None:
    """Append samples of the scheduler, with values in order of `SCHEDULER`."""
    _append_samples(recording, SCHEDULER, samples)


def append_memory(recording: RecordingStore, time: float, process: dict[str, float]) -> None:
    """Append rows of the memory of workers: of the process alone, by address."""
    columns = {"time": [time] * len(process), "worker": [*process], "process": [*process.values()]}
    recording.series("memory").append(columns, now=time)


def _append_samples(
    recording: RecordingStore, names: tuple[str, ...], samples: Sequence[tuple[float, ...]]
) -> None:
    columns = dict(zip(names, zip(*samples, strict=True), strict=True))
    recording.series("system").append(columns, now=max(columns["time"]))


def cluster_of(recording: Recording) -> pd.DataFrame:
    """The samples of all workers together."""
    system = recording.system
    return system[system["workers"].notna()].reset_index(drop=True)


def scheduler_of(recording: Recording) -> pd.DataFrame:
    """The samples of the scheduler."""
    system = recording.system
    return system[system["loop_interval"].notna()].reset_index(drop=True)


def append_metrics(recording: RecordingStore, *rows: tuple[str, str, float]) -> None:
    """Append seconds of `execute` by function and activity, in the first second."""
    names, unit = recording.names, recording.names.intern("units", "seconds")
    prefix, activity, value = zip(*rows, strict=True)
    columns = {
        "time": np.full(len(rows), START),
        "duration": np.ones(len(rows)),
        "context": np.zeros(len(rows)),
        "prefix": [names.intern("prefixes", name) for name in prefix],
        "activity": [names.intern("activities", name) for name in activity],
        "unit": np.full(len(rows), unit),
        "span": np.zeros(len(rows)),
        "value": value,
    }
    recording.series("metrics").append(columns, now=START + 1)
