"""What reading increments of Fine Performance Metrics costs a scheduler, and a day in the kernel.

A scheduler has 10,000 spans and 1,000 workers; tasks of 50 spans end. Each reading is measured
with nothing changed, and with 200 metrics of each of these spans changed, next to what the
dashboard's component `FinePerformanceMetrics` does for an open page. The day goes through the
same code as the answers of an agent.

python tests/bench/metrics.py [hours]
"""

from __future__ import annotations

import asyncio
import json
import pickle
import random
import statistics
import sys
import time
from collections import defaultdict
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from agent_cost import scheduler_of
from distributed.scheduler import TaskGroup, TaskPrefix
from distributed.spans import SpansSchedulerExtension
from memory_samples import beat, own_bytes, worker

from daskscope import agent
from daskscope.collect.metrics import MetricRows
from daskscope.recording import RecordingStore
from daskscope.recording.names import Places

if TYPE_CHECKING:
    from collections.abc import Callable

WORKERS = 1_000
SPANS = 10_000
ACTIVE = 50
CHANGED = 200
IDLE_KEYS = 24
FUNCTIONS, ACTIVITIES = 200, 12
READS = 40
LIMIT_SAME_MS = 1.0
LIMIT_CHANGED_MS = 6.0
LIMIT_KERNEL_BYTES = 100_000_000

KEYS = [
    ("execute", f"function-{prefix}", f"activity-{activity}", "seconds")
    for prefix in range(FUNCTIONS)
    for activity in range(ACTIVITIES)
]


def cluster() -> Any:
    """Return the state of a scheduler with these workers and spans."""
    dice, scheduler = random.Random(1), scheduler_of([])
    for number in range(WORKERS):
        state = worker(number)
        beat(state, dice)
        scheduler.workers[state.address] = state
    scheduler.id = "Scheduler-1"
    scheduler.total_nthreads_history = [(time.time(), 4 * WORKERS)]
    scheduler.clients = {"client": None}
    scheduler.cumulative_worker_metrics = defaultdict(int)
    scheduler.loop = SimpleNamespace(asyncio_loop=asyncio.new_event_loop())
    spans = SpansSchedulerExtension(scheduler)
    scheduler.extensions = {"spans": spans}
    for number in range(SPANS):
        span = spans._ensure_span((f"span-{number}",), (f"id-{number}",))
        span.groups.add(TaskGroup(f"group-{number}", TaskPrefix("function")))
        # Those that are active have measured each function.
        keys = KEYS if number < ACTIVE else dice.sample(KEYS, IDLE_KEYS)
        for key in keys:
            post(scheduler, span, key, dice.random())
    return scheduler


def post(scheduler: Any, span: Any, key: Any, value: float) -> None:
    """Do what a heartbeat does with a metric."""
    scheduler.cumulative_worker_metrics[key] += value
    span._cumulative_worker_metrics[key] += value


def change(scheduler: Any, dice: random.Random) -> list[str]:
    """Post as many metrics of each active span; return the spans."""
    spans = [*scheduler.extensions["spans"].spans.values()][:ACTIVE]
    for span in spans:
        for key in dice.sample(KEYS, CHANGED):
            post(scheduler, span, key, dice.random())
    return [span.id for span in spans]


def milliseconds(call: Callable[[], object]) -> float:
    """Return what a call takes of this thread."""
    began = time.thread_time()
    call()
    return (time.thread_time() - began) * 1e3


def reading() -> None:
    """Measure what a scheduler pays for a reading."""
    from distributed.dashboard.components.scheduler import FinePerformanceMetrics

    scheduler, dice = cluster(), random.Random(2)
    plugin: Any = pickle.loads(agent.pickled(memory_limit=256_000_000))
    plugin.scheduler = scheduler
    samples = plugin.metric_samples
    samples.start(scheduler, time.time())
    first_ms = milliseconds(lambda: plugin.answer_metrics({}))
    panel = FinePerformanceMetrics(scheduler)
    panel.update()
    same, changed, peer, states = [], [], [], []
    for _ in range(READS):
        samples.spans.touched.update(change(scheduler, dice))
        changed.append(milliseconds(lambda: samples.sample(scheduler, time.time())))
        samples.spans.touched.update(samples.active)
        same.append(milliseconds(lambda: samples.sample(scheduler, time.time())))
        states.append(milliseconds(lambda: plugin.task_states.sample(scheduler, time.time())))
        peer.append(milliseconds(panel.update))
    peer_ms = round(statistics.median(peer), 2)
    for what, found, limit in (
        ("nothing changed", same, LIMIT_SAME_MS),
        (f"{CHANGED} metrics of {ACTIVE} spans changed", changed, LIMIT_CHANGED_MS),
    ):
        report(
            f"scheduler, a reading of {SPANS:,} spans, {what}",
            statistics.median(found),
            "ms",
            limit=limit,
            peer={"FinePerformanceMetrics": peer_ms},
            worst_ms=round(max(found), 2),
        )
    report(f"scheduler, states of {WORKERS:,} workers, nothing changed", min(states), "ms")
    report("scheduler, the first answer to a reader", first_ms, "ms")


def kernel_memory(hours: float) -> None:
    """Let hours of increments come into a recording: each second some functions of some spans."""
    before, rng = own_bytes(), np.random.default_rng(1)
    recording = RecordingStore()
    rows, places = MetricRows(recording), Places(recording.names)
    places.add("spans", ("", ()))
    for number in range(ACTIVE):
        places.add("spans", (f"id-{number}", (f"span-{number}",)))
    start, took, most, count = 1_790_000_000.0, 0.0, 0, 20 * ACTIVITIES
    found: dict[str, Any] = {"scheduler": "s", "totals": None, "workers": []}
    found |= {"states": (0, [np.zeros(0, np.uint16)] * 12), "spans": {"next": 0, "items": []}}
    keys = [list(key) for key in KEYS]
    place = np.arange(ACTIVITIES)
    for second in range(round(hours * 3600)):
        now = start + second
        functions = rng.choice(FUNCTIONS, 20, replace=False)
        metric = (functions[:, None] * ACTIVITIES + place).ravel()
        columns = [np.full(count, now), np.full(count, now - 1), metric]
        columns += [rng.integers(1, ACTIVE + 1, count), rng.random(count)]
        took -= time.process_time()
        rows.take(found | {"metrics": (second * count, columns), "keys": keys}, places, now)
        took += time.process_time()
        keys = []
        if second % 600 == 0:
            most = max(most, recording.series("metrics").memory_bytes)
    report(
        f"kernel, {hours:g} h of {FUNCTIONS} functions, {ACTIVITIES} activities, {ACTIVE} spans",
        max(most, recording.series("metrics").memory_bytes),
        "bytes",
        limit=LIMIT_KERNEL_BYTES,
        process_grew=own_bytes() - before,
        us_an_increment=round(took / (hours * 3600 * count) * 1e6, 2),
    )


def report(metric: str, value: float, unit: str, **more: Any) -> None:
    """Print a figure."""
    value = round(value, 3)
    print(json.dumps({"bench": "metrics", "metric": metric, "value": value, "unit": unit, **more}))


if __name__ == "__main__":
    reading()
    kernel_memory(float(sys.argv[1]) if len(sys.argv) > 1 else 24.0)
