"""What reading increments of Fine Performance Metrics costs a scheduler, and a day in the kernel.

A scheduler has 10,000 spans and 1,000 workers; tasks of 50 spans run. Each reading is the whole of
what the agent does for its reader when it reads: increments, states of tasks and of workers, and
facts of spans. It is measured with nothing changed, and with 200 metrics of each of these spans,
their facts, and the workers whose heartbeats came since the reading before; next to what the
dashboard's component `FinePerformanceMetrics` does for an open page. The day goes through the same
code as the answers of an agent.

python tests/bench/metrics.py [hours]
"""

from __future__ import annotations

import asyncio
import gc
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
from distributed.scheduler import TaskGroup, TaskPrefix, heartbeat_interval
from distributed.spans import SpansSchedulerExtension
from memory_samples import own_bytes
from workers import beat, worker

from daskscope import agent
from daskscope.agent.metrics import METRICS_S
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
READS = 60
SHARE = 0.95
"""Of the readings, so many are within the figure."""

LIMIT_SAME_MS = 1.0
LIMIT_CHANGED_MS = 6.0
LIMIT_KERNEL_BYTES = 100_000_000


def keys_of(function: int) -> list[Any]:
    """Return the metrics of a function."""
    return [
        ("execute", f"function-{function}", f"activity-{activity}", "seconds")
        for activity in range(ACTIVITIES)
    ]


KEYS = [key for function in range(FUNCTIONS) for key in keys_of(function)]
FUNCTIONS_A_SPAN = -(-CHANGED // ACTIVITIES)
"""So many functions have as many metrics as change in a span."""


class Cluster:
    """The state of a scheduler with these workers and spans, and what happens to it."""

    def __init__(self) -> None:
        self.dice = random.Random(1)
        self.scheduler = scheduler = scheduler_of([])
        self.workers = [worker(number) for number in range(WORKERS)]
        self.beaten = 0
        scheduler.workers = {state.address: state for state in self.workers}
        scheduler.id = "Scheduler-1"
        scheduler.total_nthreads_history = [(time.time(), 4 * WORKERS)]
        scheduler.clients = {"client": None}
        scheduler.cumulative_worker_metrics = defaultdict(int)
        scheduler.loop = SimpleNamespace(asyncio_loop=asyncio.new_event_loop())
        spans = SpansSchedulerExtension(scheduler)
        scheduler.extensions = {"spans": spans}
        for number in range(SPANS):
            spans._ensure_span((f"span-{number}",), (f"id-{number}",))
        self.active, self.idle = [*spans.spans.values()][:ACTIVE], [*spans.spans.values()][ACTIVE:]
        for span in self.idle:
            span.groups.add(TaskGroup(f"group-{span.id}", TaskPrefix("function")))
            self.post(span, self.dice.sample(KEYS, IDLE_KEYS))
        self.keys: dict[str, list[Any]] = {}
        for number, span in enumerate(self.active):
            self.run(span, number)
        for state in self.workers:
            self.beat(state)

    def run(self, span: Any, number: int) -> None:
        """Let each worker run a part of the tasks of a span."""
        first = number * FUNCTIONS_A_SPAN
        functions = [at % FUNCTIONS for at in range(first, first + FUNCTIONS_A_SPAN)]
        self.keys[span.id] = [key for function in functions for key in keys_of(function)]
        self.post(span, self.keys[span.id])
        for at in range(number, WORKERS * 8, ACTIVE):
            name = f"function-{functions[at // ACTIVE % len(functions)]}-{number:032x}"
            task = self.scheduler.new_task((name, at), None, "processing")
            span.groups.add(task.group)
            task.group.span_id = span.id
            self.workers[at % WORKERS].processing.add(task)

    def post(self, span: Any, keys: list[Any]) -> None:
        """Do what heartbeats do with metrics."""
        for key in keys:
            value = self.dice.random()
            self.scheduler.cumulative_worker_metrics[key] += value
            span._cumulative_worker_metrics[key] += value

    def beat(self, state: Any) -> None:
        """Do what a heartbeat does with what runs at a worker."""
        beat(state, self.dice)
        running = self.dice.sample([*state.processing], min(state.nthreads, len(state.processing)))
        state.last_seen = time.time()
        state.executing = {task: self.dice.random() for task in running}
        state.metrics["task_counts"] = {"executing": len(running), "fetch": 2}

    def change(self) -> list[str]:
        """Let the time between two readings pass; return the spans that tasks ended in."""
        for span in self.active:
            self.post(span, self.dice.sample(self.keys[span.id], CHANGED))
        for _ in range(round(WORKERS * METRICS_S / heartbeat_interval(WORKERS))):
            self.beaten = (self.beaten + 1) % WORKERS
            self.beat(self.workers[self.beaten])
        self.scheduler.transition_counter += 1_000
        return [span.id for span in self.active]


def milliseconds(call: Callable[[], object]) -> float:
    """Return what a call takes of this thread."""
    began = time.thread_time()
    call()
    return (time.thread_time() - began) * 1e3


def reading() -> None:
    """Measure what a scheduler pays for a reading."""
    from distributed.dashboard.components.scheduler import FinePerformanceMetrics

    gc.set_threshold(*[threshold * 3 for threshold in gc.get_threshold()])  # as `dask scheduler`
    cluster = Cluster()
    plugin: Any = pickle.loads(agent.pickled(memory_limit=256_000_000))
    plugin.scheduler = cluster.scheduler
    samples = plugin.metric_samples
    samples.start(cluster.scheduler, time.time())
    asked: dict[str, Any] = {}
    got: dict[str, Any] = {}

    def read() -> None:
        plugin.metrics_at = 0.0  # the pause between two readings is over
        got.update(plugin.answer_metrics(asked))
        count = [len(got[name]["columns"][0]) // 8 for name in ("metrics", "states")]
        firsts = [got[name]["first"] for name in ("metrics", "states")]
        rows = [first + more for first, more in zip(firsts, count, strict=True)]
        asked["metrics"] = [*rows, len(samples.keys.described), got["spans"]["next"]]

    first_ms = milliseconds(read)
    panel = FinePerformanceMetrics(cluster.scheduler)
    panel.update()
    samples.spans.touched.update(cluster.change())
    while True:  # the facts of all spans come in several answers
        read()
        if not got["spans"]["items"]:
            break
    same, changed, ended, peer = [], [], [], []
    for _ in range(READS):
        samples.spans.touched.update(cluster.change())
        changed.append(milliseconds(read))
        assert len(got["metrics"]["columns"][0]) // 8 == ACTIVE * CHANGED
        assert len(got["spans"]["items"]) == ACTIVE
        assert len(samples.active) == ACTIVE
        same.append(milliseconds(read))
        assert not any(len(got[name]["columns"][0]) for name in ("metrics", "states"))
        samples.spans.touched.update(samples.active)
        ended.append(milliseconds(read))
        peer.append(milliseconds(panel.update))
    peer_ms = round(statistics.median(peer), 2)
    tasks_only = "tasks ended, heartbeats are still to come"
    changes = f"{CHANGED} metrics of {ACTIVE} spans changed"
    for what, found, limit in (
        ("nothing changed", same, LIMIT_SAME_MS),
        (changes, changed, LIMIT_CHANGED_MS),
        (tasks_only, ended, LIMIT_CHANGED_MS),
    ):
        report(
            f"scheduler, a reading of {SPANS:,} spans and {WORKERS:,} workers, {what}, p95",
            sorted(found)[int(SHARE * READS)],
            "ms",
            limit=limit,
            median=round(statistics.median(found), 3),
            longest=round(max(found), 3),
            peer={"FinePerformanceMetrics": peer_ms},
        )
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
