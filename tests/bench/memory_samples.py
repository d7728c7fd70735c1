"""What sampling the memory of 200 workers costs a scheduler, and a day of it in the kernel.

And what plots show of the samples of an hour: distributed's takes the nearest one of each second.

The scheduler's share is that of our timer and of the answers, for all measures of each worker,
next to Dask's `MemorySampler` (one measure of the cluster) and to what the dashboard does for
an open page, in the same run. Workers beat every two seconds, as 200 of them do; what they
report is random. The day goes through the same code as the answers of an agent.

python tests/bench/memory_samples.py [workers] [hours]
"""

from __future__ import annotations

import asyncio
import json
import pickle
import random
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from agent_cost import scheduler_of
from distributed.diagnostics.memory_sampler import MemorySampler, MemorySamplerExtension
from distributed.protocol.core import dumps
from workers import GIB, beat, worker

import daskscope
from daskscope import agent
from daskscope.collect.memory import MemoryRows
from daskscope.recording import RecordingStore

if TYPE_CHECKING:
    from collections.abc import Callable

BEAT_S = 2.0
SAMPLE_S = 0.5
ANSWER_S = 0.1
PAGE_S = 0.1
"""So often a plot of the dashboard is updated."""

MINUTE_S = 60.0
LIMIT_PERCENT = 1.0
LIMIT_KERNEL_BYTES = 250_000_000


def own_bytes() -> int:
    """Return the memory of this process, without the files that are mapped into it."""
    resident, shared = Path("/proc/self/statm").read_text().split()[1:3]
    return (int(resident) - int(shared)) * 4096


def cluster(workers: int, dice: random.Random) -> Any:
    """Return the state of a scheduler with these workers."""
    scheduler = scheduler_of([])
    for number in range(workers):
        state = worker(number)
        beat(state, dice)
        scheduler.workers[state.address] = state
    scheduler.clients = {"client": None}
    scheduler.periodic_callbacks = {}
    scheduler.loop = SimpleNamespace(asyncio_loop=asyncio.new_event_loop())
    return scheduler


def ours(scheduler: Any) -> dict[float, Callable[[], object]]:
    """Return what the agent does, by how often: the timer's part, and an answer on the wire."""
    plugin: Any = pickle.loads(agent.pickled(memory_limit=256_000_000))
    plugin.scheduler = scheduler
    plugin.answer_memory({"memory_s": SAMPLE_S})
    cursors = [0, 0]

    def sample() -> None:
        plugin.memory_samples.sample(scheduler.workers, time.time())
        plugin.memory_samples.sample_held(plugin.pending, time.time())

    def answer() -> None:
        got = plugin.answer_memory({"memory_s": 60.0, "memory": cursors})
        for at, rows in enumerate((got["memory"], got["held"]) if got else ()):
            cursors[at] = rows["first"] + len(rows["columns"][0]) // 8
        dumps(got)

    return {SAMPLE_S: sample, ANSWER_S: answer}


def memory_sampler(scheduler: Any) -> dict[float, Callable[[], object]]:
    """Return what distributed's MemorySampler does for one measure."""
    extension = MemorySamplerExtension(scheduler)
    loop = scheduler.loop.asyncio_loop
    asyncio.set_event_loop(loop)

    async def start() -> Any:
        extension.start("client", "process", SAMPLE_S)
        (timer,) = scheduler.periodic_callbacks.values()
        timer.stop()
        return timer.callback

    return {SAMPLE_S: loop.run_until_complete(start())}


def plot(name: str) -> Callable[[Any], dict[float, Callable[[], object]]]:
    """Return what the dashboard does for a page with that plot."""

    def of(scheduler: Any) -> dict[float, Callable[[], object]]:
        from distributed.dashboard.components import scheduler as components

        return {PAGE_S: getattr(components, name)(scheduler).update}

    return of


def a_minute(
    scheduler: Any, dice: random.Random, calls: dict[float, Callable[[], object]]
) -> tuple[float, dict[float, float]]:
    """Let a minute pass; return the share of a core in percent, and microseconds a call."""
    states, took = list(scheduler.workers.values()), dict.fromkeys(calls, 0.0)
    tick_s = min(*calls, 0.1)
    for tick in range(round(MINUTE_S / tick_s)):
        for at in range(tick % round(BEAT_S / tick_s), len(states), round(BEAT_S / tick_s)):
            beat(states[at], dice)
        for every_s, call in calls.items():
            if tick % round(every_s / tick_s) == 0:
                began = time.process_time()
                call()
                took[every_s] += time.process_time() - began
    each = {every_s: took[every_s] / (MINUTE_S / every_s) * 1e6 for every_s in calls}
    return sum(took.values()) / MINUTE_S * 100, each


def scheduler_share(workers: int) -> None:
    """Measure what a scheduler pays."""
    peers = {
        "MemorySampler": memory_sampler,
        "ClusterMemory": plot("ClusterMemory"),
        "WorkersMemory": plot("WorkersMemory"),
    }
    dice, found = random.Random(1), {}
    for name, made in {"daskscope": ours, **peers}.items():
        scheduler = cluster(workers, dice)
        calls = made(scheduler)
        a_minute(scheduler, dice, calls)
        found[name] = a_minute(scheduler, dice, calls)
    share, each = found.pop("daskscope")
    report(
        f"scheduler, all measures of {workers} workers every {SAMPLE_S} s",
        share,
        "% of a core",
        limit=LIMIT_PERCENT,
        peer={name: round(percent, 3) for name, (percent, _) in found.items()},
        us_a_sample=round(each[SAMPLE_S], 1),
        us_an_answer=round(each[ANSWER_S], 1),
        peer_us_a_call={name: round(next(iter(us.values())), 1) for name, (_, us) in found.items()},
    )


def kernel_memory(workers: int, hours: float) -> None:
    """Let hours of samples come into a recording, an answer a second."""
    before, rng = own_bytes(), np.random.default_rng(1)
    recording = RecordingStore()
    rows, series = MemoryRows(recording), recording.series("memory")
    addresses = {0: ""} | {at: worker(at).address for at in range(1, workers + 1)}
    beating, clusters = round(workers / BEAT_S), round(1 / SAMPLE_S)
    count, start = beating + clusters, 1_790_000_000.0
    took, most = 0.0, 0
    for second in range(round(hours * 3600)):
        place = np.zeros(count, np.uint16)
        place[clusters:] = 1 + (second * beating + np.arange(beating)) % workers
        values = rng.random((4, count), np.float32) * np.float32(GIB)
        limit, cpu = np.full(count, 16 * GIB, np.float32), rng.random(count, np.float32)
        times = start + second + np.sort(rng.random(count))
        began = time.process_time()
        columns = [times, place, *values, limit, cpu, place > 0]
        rows.take(columns, addresses, times[-1], whole=second == 0)
        took += time.process_time() - began
        most = max(most, series.memory_bytes)
    report(
        f"kernel, {hours:g} hours of {workers} workers",
        most / 1e6,
        "MB",
        limit=LIMIT_KERNEL_BYTES / 1e6,
        process_MB=round((own_bytes() - before) / 1e6, 1),
        rows=[ring.next - ring.first for ring in series.rings],
        hours=[round(float(np.ptp(ring.columns()["time"])) / 3600, 1) for ring in series.rings],
        us_a_row=round(took / series.next * 1e6, 2),
    )


def left_out(hours: float = 1.0) -> None:
    """Let both samplers plot the same samples, and count those that are not in the plot."""
    rng = np.random.default_rng(2)
    count = round(hours * 3600 / SAMPLE_S)
    times = 1_790_000_000.0 + SAMPLE_S * np.arange(count) + rng.uniform(0, 0.01, count)
    sizes = rng.permutation(np.arange(1, count + 1)) * 2**20  # no two are the same
    theirs = MemorySampler()
    theirs.samples["an hour"] = list(zip(times.tolist(), sizes.tolist(), strict=True))
    samplers = {"daskscope": daskscope.MemorySampler.from_samples(theirs), "distributed": theirs}

    backend: Any = ModuleType("drawn")  # pandas hands it what matplotlib would draw
    backend.plot = lambda frame, **_: np.rint(frame["an hour"].dropna() * 2**10)
    sys.modules["drawn"] = backend
    drawn = {name: set(each.plot(backend="drawn").tolist()) for name, each in samplers.items()}
    missing = {name: set((sizes >> 20).tolist()) - found for name, found in drawn.items()}
    share = {name: len(found) / count * 100 for name, found in missing.items()}
    report(
        f"samples that a plot leaves out, of one each {SAMPLE_S} s",
        share["daskscope"],
        "%",
        limit=0.0,
        peer=round(share["distributed"], 1),
        samples=count,
        peak_drawn={name: count in found for name, found in drawn.items()},
    )


def report(metric: str, value: float, unit: str, **more: Any) -> None:
    figure = {"bench": "memory_samples", "metric": metric, "value": round(value, 3), "unit": unit}
    print(json.dumps(figure | more), flush=True)


if __name__ == "__main__":
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    left_out()
    scheduler_share(workers)
    kernel_memory(workers, float(sys.argv[2]) if len(sys.argv) > 2 else 24.0)
