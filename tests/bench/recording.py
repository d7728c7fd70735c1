"""How much memory a recorded task takes and how fast rows are appended, as JSON lines.

With the keys of collections and of ``Client.map``; all in memory, and with the bounds that are
shipped, so that the oldest go to disk. Each run has a process of its own.

python tests/bench/recording.py [tasks]
"""

from __future__ import annotations

import json
import random
import sys
import time
import uuid
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from daskscope import config
from daskscope.agent.packing import pack_keys
from daskscope.recording import RecordingStore
from daskscope.recording.summary_blocks import coarse

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK_TASKS = 5_000
LANES = 64
PREFIXES = 12


def own_bytes() -> int:
    """Return the memory of this process, without the files that are mapped into it."""
    resident, shared = Path("/proc/self/statm").read_text().split()[1:3]
    return (int(resident) - int(shared)) * 4096


def packed_collection_keys(first: int) -> bytes:
    """Keys as Dask collections make them: ('name-token', i, j)."""
    token = uuid.UUID(int=first // 40_000 + 1).hex
    text = "\0".join(f"('sum-{token}', {i // 200}, {i % 200})" for i in range(first, first + 5000))
    return zlib.compress(text.encode(), 1)


def packed_map_keys(first: int) -> bytes:
    """Keys as ``Client.map`` makes them: 'name-token'."""
    dice = random.Random(first)
    encoding, data = pack_keys([f"inc-{dice.getrandbits(128):032x}" for _ in range(CHUNK_TASKS)])
    assert encoding == "text", encoding  # as a recording has it
    return data


def columns(first: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """1.5 rows a task: each second one has a transfer."""
    task = np.repeat(np.arange(CHUNK_TASKS, dtype="u4"), np.tile([1, 2], CHUNK_TASKS // 2))
    rows = len(task)
    starts = first * 0.01 / LANES + np.sort(rng.random(CHUNK_TASKS)) * CHUNK_TASKS * 0.01 / LANES
    action = np.zeros(rows, "u1")
    action[1:][task[1:] == task[:-1]] = 1
    return {
        "start": 1.7e9 + starts[task],
        "duration": rng.random(rows).astype("f4") * 0.02,
        "lane": (task % LANES).astype("u2"),
        "prefix": ((task // 100) % PREFIXES).astype("u2"),
        "action": action,
        "status": np.zeros(rows, "u1"),
        "nbytes": rng.random(rows) * 1e6,
        "span": np.zeros(rows, "u2"),
        "task": task,
        "computation": np.full(rows, 2, "u2"),
    }


KEYS: dict[str, Callable[[int], bytes]] = {
    "collection": packed_collection_keys,
    "map": packed_map_keys,
}
BOUNDS = {
    "in memory": {"memory_limit": 2_000_000_000},
    "spilled": asdict(config.recording_limits()),
}
RUNS = [("collection", "in memory"), ("map", "in memory"), ("map", "spilled")]
"""Ten million tasks with a collection's keys fit into the shipped bound as they are."""


def record(tasks: int, keys: str, bounds: str) -> None:
    """Record so many tasks, and report what that took."""
    rng = np.random.default_rng(1)
    recording = RecordingStore(**BOUNDS[bounds])
    for i in range(LANES):
        recording.names.intern("lanes", (f"tcp://10.0.0.{i // 4}:1", str(i)))
    for i in range(PREFIXES):
        recording.names.intern("prefixes", f"prefix-{i}")
    before = own_bytes()
    spent = longest = 0.0
    for first in range(0, tasks, CHUNK_TASKS):
        rows, packed = columns(first, rng), KEYS[keys](first)
        began = time.perf_counter()
        recording.append_tasks(CHUNK_TASKS, rows, packed)
        took = time.perf_counter() - began
        spent, longest = spent + took, max(longest, took)
    counts = recording.counts
    assert counts.kept == counts.captured == tasks, counts
    assert recording.spill_error is None, recording.spill_error
    about = {"tasks": tasks, "rows": counts.rows, "keys": keys, "bounds": bounds}

    def report(metric: str, value: float, unit: str, **more: float) -> None:
        line = {"bench": "recording", "metric": f"{metric}, {keys} keys, {bounds}"}
        line |= {"value": round(value, 2), "unit": unit}
        print(json.dumps(line | more | about), flush=True)

    memory, process = recording.memory_bytes, own_bytes() - before
    if bounds == "in memory":
        assert recording.disk_bytes == 0
        report("memory by own count", memory / tasks, "bytes/task", limit=100)
        report("memory of the process", process / tasks, "bytes/task", limit=100)
    else:
        assert recording.disk_bytes > 0, "too few tasks for the disk"
        report(
            "memory by own count", memory / 1e6, "MB", limit=BOUNDS[bounds]["memory_limit"] / 1e6
        )
        report("memory of the process", process / 1e6, "MB")
        report("on disk", recording.disk_bytes / 1e6, "MB")
    report("append", counts.rows / spent, "rows/s", longest_ms=round(longest * 1e3))
    coarse([])  # imports
    began = time.perf_counter()
    picture = coarse(recording.chunks())
    report("coarse picture of everything", (time.perf_counter() - began) * 1e3, "ms", limit=1_000)
    report("stretches of it", len(picture), "rows")


def main(tasks: int) -> None:
    """Record with both kinds of keys, and beyond the memory that a recording has."""
    for keys, bounds in RUNS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            process.submit(record, tasks, keys, bounds).result()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
