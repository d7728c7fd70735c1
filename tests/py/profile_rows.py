"""Samples for tests of the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from recording_rows import START, new_recording

from daskscope.schema import SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from daskscope.recording import RecordingStore

WORKERS = ("tcp://10.0.0.1:0", "tcp://10.0.0.1:1")
POOL = ("run", "/lib/pool.py", 10, 12, "call()")
WORK = ("work", "/home/ada/job.py", 1, 3, "time.sleep(1)")
LOAD = ("load", "/home/ada/job.py", 20, 22, "read()")
Frame = tuple[str, str, int, int, str]


def add_stack(recording: RecordingStore, *frames: Frame) -> int:
    """Return the number of a stack, the outermost function first."""
    stack, names = 0, recording.names
    for frame in frames:
        stack = names.intern("stacks", (stack, names.intern("frames", frame)))
    return stack


def add_cycle(
    recording: RecordingStore,
    time: float,
    counts: Mapping[tuple[Frame, ...], float],
    *,
    worker: str = WORKERS[0],
    prefix: str = "inc",
    scope: str = "compute",
    duration: float = 1.0,
) -> None:
    """Append what one process saw in a cycle, by stack."""
    number = recording.names.intern("prefixes", prefix)
    recording.series("profile_counts").append(
        {
            "time": np.full(len(counts), time),
            "duration": np.full(len(counts), duration),
            "scope": np.full(len(counts), SCOPES.index(scope)),
            "worker": np.array([worker] * len(counts), object),
            "prefix": np.full(len(counts), number),
            "stack": [add_stack(recording, *stack) for stack in counts],
            "count": [*counts.values()],
        },
        now=time + duration,
    )


def add_processes(
    recording: RecordingStore, workers: Iterable[str] = WORKERS, interval: float = 0.01
) -> None:
    """Say of which processes the profile is."""
    recording.log("profiled").append(
        {
            "worker": worker,
            "time": START,
            "until": START + 10,
            "interval": interval,
            "cycle": 1.0,
            "compute": "ok",
            "administrative": "ok",
            "lost": 0,
        }
        for worker in workers
    )


def profiled(interval: float = 0.01) -> RecordingStore:
    """Ten cycles of two workers: `inc` works, `sum` loads and works."""
    recording = new_recording()
    recording.name_workers({WORKERS[0]: "0", WORKERS[1]: "1"})
    add_profile(recording, interval)
    return recording


def add_profile(recording: RecordingStore, interval: float = 0.01) -> None:
    """Append these ten cycles."""
    add_processes(recording, interval=interval)
    for cycle in range(10):
        for worker in WORKERS:
            time = START + cycle
            add_cycle(recording, time, {(POOL, WORK): 6, (POOL,): 1}, worker=worker)
            add_cycle(
                recording,
                time,
                {(POOL, LOAD): 2, (POOL, LOAD, WORK): 1},
                worker=worker,
                prefix="sum",
            )
