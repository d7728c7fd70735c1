"""Writes series.json: rows that are appended to series, and what readers get of them.

    python tests/contract/series.py

Python appends the rows and compares; TypeScript merges the rings that came of them. What
JSON has no number for is text, and null is NaN.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
FILE = HERE / "series.json"
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1] / "py_src"))

import numpy as np  # noqa: E402

from daskscope.recording.series_store import SeriesStore  # noqa: E402
from daskscope.schema import Column, Series, columns_of  # noqa: E402

START = 1_700_000_000.0
TIME = Column("time", "float64", "when", unit="s")
BYTES = (1_200, 2_000, 1_600, 1_000)
"""So little that each ring drops rows: those as measured after a minute or two."""

LOAD = Series(
    "load",
    "A row is a sample; some measure only one of the two.",
    (
        TIME,
        Column("cpu", "float64", "percent", combine="extremes"),
        Column("memory", "float32", "bytes", unit="B", combine="extremes"),
    ),
    ring_bytes=BYTES,
)
READS = Series(
    "reads",
    "A row is what a worker read in a time.",
    (
        TIME,
        Column("duration", "float64", "how long", unit="s"),
        Column("worker", "utf8", "address", combine="key", holds=("hosts",)),
        Column("kind", "uint16", "of file", combine="key"),
        Column("nbytes", "float64", "how much", unit="B", combine="sum"),
    ),
    ring_bytes=BYTES,
)
STATES = Series(
    "states",
    "A row is how many tasks are in a state.",
    (
        TIME,
        Column("prefix", "uint16", "of the tasks", combine="key"),
        Column("waiting", "uint32", "how many wait", combine="last"),
    ),
    ring_bytes=BYTES,
)


def _load(random: Random, now: float) -> dict[str, list[Any]]:
    late = now - 200 if random.random() < 0.05 else now - 1
    cpu, memory = round(random.uniform(0, 100)), round(random.uniform(1e9, 2e9))
    return {
        "time": [late, now],
        "cpu": [cpu, math.nan],
        "memory": [math.nan if random.random() < 0.5 else memory, memory + 1],
    }


def _reads(random: Random, now: float) -> dict[str, list[Any]]:
    rows = random.randint(0, 3)
    return {
        "time": [now - random.choice([2, 4, 4, 30]) for _ in range(rows)],
        "duration": [random.choice([0, 2, 3, 14]) for _ in range(rows)],
        "worker": [random.choice(["tcp://10.0.0.1:1", "tcp://10.0.0.2:2"]) for _ in range(rows)],
        "kind": [random.randint(0, 1) for _ in range(rows)],
        "nbytes": [random.randint(1, 1_000) for _ in range(rows)],
    }


def _states(random: Random, now: float) -> dict[str, list[Any]]:
    prefixes = [prefix for prefix in range(3) if random.random() < 0.5]
    times = [now - random.choice([0.5, 1, 40]) for _ in prefixes]
    return {"time": times, "prefix": prefixes, "waiting": [random.randint(0, 99) for _ in prefixes]}


def batches(fill: Any, seed: int) -> list[dict[str, Any]]:
    """Half an hour: the clock jumps back by three minutes, and forth again."""
    random = Random(seed)
    found, now = [], START + 3
    for number in range(160):
        jump = {90: -180.0, 120: 185.0}.get(number, 0.0)
        now += random.choice([5, 11, 20]) + jump
        found.append({"now": now, "columns": fill(random, now)})
    return found


def plain(rows: dict[str, Any]) -> dict[str, list[Any]]:
    """Return columns as JSON has them."""
    return {
        name: [_plain(cell) for cell in np.asarray(cells).tolist()] for name, cells in rows.items()
    }


def _plain(cell: Any) -> Any:
    if not isinstance(cell, float) or math.isfinite(cell):
        return cell
    return None if math.isnan(cell) else repr(cell)


def built(table: Series, appended: list[dict[str, Any]]) -> SeriesStore:
    """Return a series to which batches were appended."""
    store = SeriesStore(table)
    for batch in appended:
        store.append(batch["columns"], now=batch["now"])
    return store


def case(table: Series, appended: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what goes in and what comes out."""
    store = built(table, appended)
    last = appended[-1]["now"]
    windows = [
        (last - 60, last - 30),
        (last - 47.5, last - 3.25),
        (last - 400, last - 61),
        (last - 700, last - 400),
        (last - 1_200, last + 10),
    ]
    return {
        "table": {
            "name": table.name,
            "ring_bytes": table.ring_bytes,
            "columns": [[c.name, c.type, c.combine or ""] for c in table.columns],
            "readers": {c.name: {"combine": c.combine or ""} for c in columns_of(table)},
        },
        "appended": [{"now": b["now"], "columns": plain(b["columns"])} for b in appended],
        "rings": [
            {
                "step": ring.step,
                "first": ring.first,
                "begin": _plain(ring.begin),
                "columns": plain(ring.columns()),
            }
            for ring in store.rings
        ],
        "before": plain(store.before),
        "rows": plain(store.rows()),
        "windows": [
            {"start": start, "stop": stop, "result": plain(store.window(start, stop))}
            for start, stop in windows
        ],
        "dropped": store.dropped,
    }


def cases() -> list[dict[str, Any]]:
    """Return one case for each way in which values combine."""
    return [
        case(LOAD, batches(_load, 1)),
        case(READS, batches(_reads, 2)),
        case(STATES, batches(_states, 3)),
    ]


if __name__ == "__main__":
    FILE.write_text(json.dumps(cases()) + "\n")
