"""A recording whose every text would be markup, if anybody let it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recording_rows import (
    append_cluster,
    append_scheduler,
    gap,
    log_line,
    logged_event,
    task_error,
    worker_change,
)

from daskscope.recording import (
    RecordingStore,
    pack_keys,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

HOSTILE = (
    "</script><script>window.hacked=1;alert(1)</script><!--<script>"
    "\"'`&lt; \u202eevil\u2066 \0 \ud800 <img src=x onerror=alert(2)> javascript:alert(3) ]]>"
)


def hostile_recording(tasks: int = 40) -> RecordingStore:
    """Return one with something in each table, all of it hostile."""
    recording = RecordingStore()
    names = recording.names
    for lane in range(2):
        names.intern("lanes", (f"tcp://{HOSTILE}:{lane}", HOSTILE))
    for number in range(3):
        names.intern("prefixes", f"{HOSTILE}{number}")
    names.intern("actions", HOSTILE)
    names.intern("spans", (HOSTILE, (HOSTILE, HOSTILE)))
    keys = [f"{HOSTILE}-{number}" for number in range(tasks)]
    recording.append_tasks(tasks, rows(tasks), pack_keys(0, keys).data)
    worker = f"tcp://{HOSTILE}:0"
    recording.log("errors").append(
        [task_error(7, HOSTILE, 1, worker, 3.0, f"ValueError({HOSTILE!r})", HOSTILE)]
    )
    recording.name_workers({worker: HOSTILE})
    recording.note_present({worker: 1}, 1.0)
    recording.log("workers").append([worker_change(2.0, worker, HOSTILE, HOSTILE)])
    recording.log("gaps").append([gap(2.0, 3.0, HOSTILE, HOSTILE)])
    recording.log("events").append([logged_event(2.0, HOSTILE, HOSTILE)])
    recording.log("logs").append([log_line(2.0, HOSTILE, HOSTILE, HOSTILE)])
    append_cluster(recording, (2.0, 1, 1, 1000, 500, 100, 50))
    append_scheduler(recording, (2.0, 12.5, 1e8, 0.02))
    facts: dict[str, Any] = dict.fromkeys(
        ("title", "user", "host", "cluster", "scheduler", "daskscope", "code", "source"), HOSTILE
    )
    figures = ("threads", "memory_limit", "process", "managed", "spilled")
    versions = {"packages": {HOSTILE: HOSTILE}}
    recording.about_facts = facts | {
        "start": 1.0,
        "stop": 9.0,
        "exception": dict.fromkeys(("type", "text", "traceback"), HOSTILE),
        "missing": [dict.fromkeys(("code", "text", "next"), HOSTILE) | {"level": "warn"}],
        "versions": {"client": versions, "scheduler": versions, "workers": {HOSTILE: versions}},
        "workers": [
            {"address": worker, "name": HOSTILE, "host": HOSTILE, "status": HOSTILE}
            | dict.fromkeys(figures, 5)
        ],
        "redacted": [HOSTILE],
    }
    return recording


def rows(tasks: int) -> dict[str, NDArray[Any]]:
    """Return one row a task, in all names; one of them erred."""
    import numpy as np

    task = np.arange(tasks, dtype="u4")
    return {
        "start": 1 + task * 0.1,
        "duration": np.full(tasks, 0.09, "f4"),
        "lane": (task % 2).astype("u2"),
        "prefix": (task % 3).astype("u2"),
        "action": np.where(task % 5 == 4, 5, 0).astype("u1"),
        "status": (task == 7).astype("u1"),
        "nbytes": np.full(tasks, 28.0),
        "span": (task % 2).astype("u2"),
        "task": task,
        "computation": np.zeros(tasks, "u2"),
    }
