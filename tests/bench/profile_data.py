"""What reading the profile costs workers and scheduler, and an hour of 100 workers in the kernel.

Workers run array tasks; each second the kernel asks. Next to it, in the same run, are Dask's
routes for the same second, `client.profile(start=…)`, and its figure, `plot_data` and
`plot_figure`. The hour is simulated: each of 400 threads
has stacks as a mixed workload has them, 9.5 different ones a second, 39 in ten, 72 a minute. They
are read each second, as for a panel, and once a minute, as when nobody looks.

python tests/bench/profile_data.py [workers] [seconds of the simulation]
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import deque
from statistics import median
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock

import msgpack
import numpy as np
from distributed import Client, LocalCluster, Scheduler
from distributed.core import Server
from distributed.profile import create, plot_data, plot_figure
from distributed.protocol.core import dumps
from memory_samples import own_bytes

import daskscope
from daskscope import agent, collect, figures
from daskscope.agent.gather import ProfileGather
from daskscope.agent.profile import NOTHING_KNOWN, ProfileCycles
from daskscope.collect.link import ClientView, Link
from daskscope.collect.profile_rows import ProfileRows
from daskscope.recording import Recording, RecordingStore
from daskscope.report.html import build
from daskscope.session import read_profile

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 15
LIMIT_WORKER_MS = 1.0
LIMIT_SCHEDULER_MS = 0.2
LIMIT_KERNEL_BYTES = 100_000_000
LIMIT_REPORT_BYTES = 8_000_000
THREADS = 4
WORKERS = 100


def say(metric: str, value: float, unit: str, **more: Any) -> None:
    """Print a figure."""
    figure = {"bench": "profile", "metric": metric, "value": value, "unit": unit} | more
    print(json.dumps(figure), flush=True)


def timed(names: list[str], dask_worker: Any) -> None:
    """Let handlers of a worker add up what they cost its event loop."""
    dask_worker.took = {}

    def wrapped(name: str, handler: Any) -> Any:
        async def call(**arguments: Any) -> Any:
            begun = time.thread_time()
            answer = handler(**arguments)
            answer = await answer if asyncio.iscoroutine(answer) else answer
            dask_worker.took[name] = dask_worker.took.get(name, 0) + time.thread_time() - begun
            return answer

        return call

    for name in names:
        dask_worker.handlers[name] = wrapped(name, dask_worker.handlers[name])


def seconds_of(run: Callable[[], Any], times: int = 3) -> float:
    """Return the shortest time that a function took."""
    took = []
    for _ in range(times):
        begun = time.perf_counter()
        run()
        took.append(time.perf_counter() - begun)
    return min(took)


def work(seconds: float) -> None:
    """Do what tasks of arrays and tables do."""
    import pandas as pd

    end = time.time() + seconds
    while time.time() < end:
        frame = pd.DataFrame({"a": np.arange(5_000) % 50, "b": np.random.rand(5_000)})
        frame.groupby("a").b.mean().sort_values()
        np.linalg.norm(np.sort(np.random.rand(100, 100), axis=0))
        json.dumps([{"a": [*range(20)]}] * 50)


async def ask(link: Link, reader: str, rows: ProfileRows) -> int:
    """Ask as the kernel does; return the bytes that came."""
    answer = await link.ask(
        agent.name() + "_profile", reader=reader, known=rows.packed(), left=0, limit_bytes=2_000_000
    )
    for address, data in answer["workers"].items():
        rows.take(address, data, answer["time"])
    return sum(map(len, answer["workers"].values()))


def worker_costs(workers: int) -> None:
    """Measure workers that work."""
    options = {"threads_per_worker": 2, "dashboard_address": ":0"}
    with (
        LocalCluster(workers, **options) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as session,
    ):
        collect.submit(read_profile(session)).result()
        handlers = [agent.name() + "_profile", "profile"]
        client.run(timed, names=handlers)
        futures = client.map(work, [ROUNDS * 3.0] * 2 * workers, pure=False)
        store = RecordingStore()
        rows = ProfileRows(store)
        link = collect.submit(Link.open(ClientView(client))).result()
        collect.submit(ask(link, "bench", rows)).result()
        client.run(lambda dask_worker: dask_worker.took.clear())
        begun, sizes = time.time(), []
        for _ in range(ROUNDS):
            time.sleep(1)
            sizes.append(collect.submit(ask(link, "bench", rows)).result())
            client.profile(start=time.time() - 1)
        lasted = time.time() - begun
        costs = client.run(lambda dask_worker: dask_worker.took)
        ours_s = seconds_of(lambda: figures.profile(Recording(store)))
        dasks_s = seconds_of(lambda: plot_figure(plot_data(client.profile())))
        client.cancel(futures)
        collect.submit(link.close()).result()
    ours, dasks = ([1000 * one[name] / lasted for one in costs.values()] for name in handlers)
    what = "CPU of a worker with two threads, asked once a second"
    peer = round(max(dasks), 3)
    say(what, round(max(ours), 3), "ms/s", limit=LIMIT_WORKER_MS, peer=peer)
    say("bytes of a thread", round(sum(sizes) / lasted / workers / 2), "B/s")
    what = f"from {lasted:.0f} s of samples to a Bokeh figure; the peer's come from the workers"
    say(what, round(1000 * ours_s), "ms", peer=round(1000 * dasks_s))


def tree(dice: np.random.Generator) -> dict[str, Any]:
    """Return a cycle of four busy threads, as distributed has it."""
    root = create()
    for _ in range(400):
        node, leaf = root, int(dice.geometric(0.15))
        node["count"] += 1
        for depth in range(12 + leaf % 12):
            name = f"function_{depth if depth < 10 else depth * leaf}"
            about = {"name": name, "filename": "/x.py", "line_number": 8, "line": "x()"}
            ident = f"{name};/x.py;7"
            empty = {"count": 0, "children": {}, "identifier": ident, "description": about}
            node = node["children"].setdefault(ident, empty)
            node["count"] += depth < 11 + leaf % 12
    return root


async def serve(workers: int) -> None:
    """Be so many workers, which answer as if a second had passed."""
    state, ended, servers = tree(np.random.default_rng(3)), deque(maxlen=10), []
    for _ in range(workers):
        cycles = ProfileCycles()

        def ours(reader: str, packed: bytes, last: bool, cycles: ProfileCycles = cycles) -> Any:
            known = msgpack.unpackb(packed) if packed else NOTHING_KNOWN
            ended.append((time.time(), {"task": state}))
            process = SimpleNamespace(cycles=lambda scope: [*ended] if not scope else [])
            process.interval_s, process.cycle_s, process.ahead_s = 0.01, 1.0, 0.0
            process.states = ["ok", "ok"]
            return cycles.answer([*known[:5], cycles.histories[0].next, 0], process)

        def dasks(start: Any, stop: Any, key: Any, server: Any) -> Any:
            return state

        server = Server({agent.name() + "_profile": ours, "profile": dasks})
        await server.listen("tcp://127.0.0.1:0")
        servers.append(server)
    print(json.dumps([server.address for server in servers]), flush=True)
    await asyncio.Event().wait()


async def scheduler_costs(workers: int) -> None:
    """Measure what of a scheduler asks workers: of another process, which stand for workers."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "serve", str(workers), stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    addresses = json.loads(await child.stdout.readline())
    scheduler = await Server({})
    fake: Any = SimpleNamespace(
        workers=dict.fromkeys(addresses),
        rpc=scheduler.rpc,
        io_loop=scheduler.io_loop,
        periodic_callbacks={},
        handlers={},
    )
    fake.register_worker_plugin = AsyncMock()
    gather = ProfileGather(agent.name(), b"")
    gather.start(fake)
    rows = ProfileRows(RecordingStore())
    ours, dasks = [], []
    for _ in range(ROUNDS):
        known = rows.packed()
        begun = time.thread_time()
        answer = await gather.answer("bench", known, "", 0, 10**9)
        dumps(answer)
        ours.append(time.thread_time() - begun)
        assert len(answer["workers"]) == workers + 1, "workers did not answer"
        for address, data in answer["workers"].items():
            rows.take(address, data, time.time())
        assert not rows.unreadable
    for _ in range(ROUNDS):
        begun = time.thread_time()
        dumps(await Scheduler.get_profile(fake, start=time.time() - 1))
        dasks.append(time.thread_time() - begun)
    child.kill()
    await child.wait()
    await scheduler.close()
    # The first request of each kind opens connections, or sends all names.
    usual, peer = (round(1000 * median(s[1:]) / workers, 3) for s in (ours, dasks))
    most = round(1000 * max(ours[1:]) / workers, 3)
    what = f"CPU of the scheduler, a worker and request, {workers} workers, median"
    say(what, usual, "ms", limit=LIMIT_SCHEDULER_MS, peer=peer, longest=most)


def simulated(seconds: int, batch: int) -> None:
    """Fill the rings of a recording as 100 workers would, whose rows come every `batch` seconds."""
    dice = np.random.default_rng(7)
    recording = RecordingStore()
    names = recording.names
    frames = [names.intern("frames", (f"f{n}", f"m{n % 90}.py", n, n, "x()")) for n in range(3_000)]
    prefixes = np.array([names.intern("prefixes", f"prefix-{n}") for n in range(10)])
    leaves = []
    for leaf in range(2_000):
        stack = 0
        for frame in dice.integers(0, 3_000, 8 + leaf % 12).tolist():
            stack = names.intern("stacks", (stack, frames[frame]))
        leaves.append(stack)
    phases = dice.choice(leaves, (400, 12))
    weights = 0.72 ** np.arange(12)
    weights /= weights.sum()

    def sampled(worker: int, second: int) -> dict[str, Any]:
        thread = worker * THREADS + np.arange(THREADS)
        time = second + np.arange(batch)[:, None]
        phase = (thread * 13 + (time + thread) // 3 % 7) % 400
        drawn = dice.multinomial(100, weights, phase.shape)
        row, which, at = np.nonzero(drawn)
        phase = phase[row, which]
        return {
            "time": begin + second + row + worker % 25 / 25,
            "duration": np.ones(len(row)),
            "scope": np.zeros(len(row)),
            "worker": np.full(len(row), f"tcp://10.0.0.{worker}:4000", object),
            "prefix": prefixes[phase % 10],
            "stack": phases[phase, at],
            "count": drawn[row, which, at],
        }

    series = recording.series("profile_counts")
    begin = 1_700_000_000.0
    recording.names.numbers("stacks")
    ProfileRows(recording)
    before, spent, rows, samples, most = own_bytes(), 0.0, 0, 0.0, 0
    for second in range(0, seconds, batch):
        for worker in range(WORKERS):
            columns = sampled(worker, second)
            rows += len(columns["count"])
            samples += columns["count"].sum()
            begun = time.thread_time()
            # Answers of many workers take five seconds where they come once a minute.
            series.append(columns, now=begin + second + batch + 1 + worker * batch / 1_200)
            spent += time.thread_time() - begun
        most = max(most, own_bytes() - before)
    took = own_bytes() - before
    hour = f"{seconds / 3600:g} h of 100 workers with 4 threads, read every {batch} s"
    say("rows a thread and second", round(rows / seconds / WORKERS / THREADS, 1), "rows")
    say("CPU of the kernel to append", round(1e6 * spent / rows, 2), "µs/row")
    say(f"memory of the kernel, {hour}", took, "B", limit=LIMIT_KERNEL_BYTES, most=most)
    say("bytes of its rings", sum(ring.memory_bytes for ring in series.rings), "B")
    oldest = begin + seconds - max(ring.begin for ring in series.rings)
    say("held as measured", round(oldest), "s")
    for window in (seconds, 600, 60):
        times = begin + seconds - window, begin + seconds + 1
        tree = Recording(recording).profile(*times)
        tree_s = seconds_of(lambda times=times: Recording(recording).profile(*times))
        say(f"ProfileTree of the last {window} s", round(1000 * tree_s), "ms")
        assert window < seconds or abs(tree.count - samples) < 1, "samples were lost"
        # As `client.profile()` returns it: what Dask takes to get there is not counted.
        state = tree.to_dict()
        ours_s = seconds_of(lambda tree=tree: figures.profile(tree))
        dasks_s = seconds_of(lambda state=state: plot_figure(plot_data(state)))
        what = f"Bokeh figure of the last {window} s, {len(tree.parent)} nodes"
        say(what, round(1000 * ours_s), "ms", peer=round(1000 * dasks_s))
    with tempfile.TemporaryFile() as file:
        build(recording, file)
        say(f"report, {hour}", file.tell(), "B", limit=LIMIT_REPORT_BYTES)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(int(sys.argv[2])))
    elif sys.argv[1:2] == ["hour"]:
        simulated(int(sys.argv[2]), int(sys.argv[3]))
    else:
        worker_costs(2)
        asyncio.run(scheduler_costs(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
        for batch in ("1", "60"):  # in a process each, as its memory is measured
            subprocess.run([sys.executable, __file__, "hour", *(sys.argv[2:3] or ["3600"]), batch])
