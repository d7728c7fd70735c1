"""How much memory a recorded task takes and how fast rows are appended, as JSON lines.

python tests/bench/recording.py [tasks]
"""

from __future__ import annotations

import json
import sys
import time
import uuid
import zlib
from pathlib import Path

import numpy as np

from daskscope.recording import RecordingCore
from daskscope.recording.coarse import coarse

CHUNK_TASKS = 5_000
LANES = 64
PREFIXES = 12


def rss_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def packed_collection_keys(first: int) -> bytes:
    """Keys as Dask collections make them: ('name-token', i, j)."""
    token = uuid.UUID(int=first // 40_000 + 1).hex
    text = "\0".join(f"('sum-{token}', {i // 200}, {i % 200})" for i in range(first, first + 5000))
    return zlib.compress(text.encode(), 1)


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
    }


def main(tasks: int) -> None:
    rng = np.random.default_rng(1)
    recording = RecordingCore(memory_limit=2_000_000_000)
    for i in range(LANES):
        recording.names.intern("lanes", (f"tcp://10.0.0.{i // 4}:1", str(i)))
    for i in range(PREFIXES):
        recording.names.intern("prefixes", f"prefix-{i}")
    before = rss_bytes()
    spent = 0.0
    for first in range(0, tasks, CHUNK_TASKS):
        rows, keys = columns(first, rng), packed_collection_keys(first)
        began = time.perf_counter()
        recording.append_tasks(CHUNK_TASKS, rows, keys)
        spent += time.perf_counter() - began
    counts = recording.counts

    def report(metric: str, value: float, unit: str, **limit: float) -> None:
        line = {"bench": "recording", "metric": metric, "value": round(value, 2), "unit": unit}
        print(json.dumps(line | limit | {"tasks": tasks, "rows": counts.rows}))

    report("memory by own count", recording.memory_bytes / counts.kept, "bytes/task", limit=100)
    report("memory of the process", (rss_bytes() - before) / counts.kept, "bytes/task", limit=100)
    report("append", counts.rows / spent, "rows/s")
    coarse(RecordingCore())  # imports
    began = time.perf_counter()
    picture = coarse(recording)
    report("coarse picture of everything", (time.perf_counter() - began) * 1e3, "ms", limit=1_000)
    report("stretches of it", len(picture), "rows")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
