"""How much slower a cell of pure Python gets while 2,000 tasks a second are recorded.

Fresh kernels are connected to one real scheduler, one after the other. In each, the same
computation runs again and again, in turns with daskscope (a session, and a page that watches it)
and without (the session closed, the page gone). One kernel is compared with itself: two of them
differ by some percent for as long as they live, from where their memory happens to lie.
The tasks are put to the agent inside the scheduler's process as the scheduler would, since
workers that really run them would compete with the kernel for this machine's cores. Without
daskscope they are put to an agent that nobody reads: the scheduler, a neighbour of the kernel
on this machine alone, has the same to do in all turns.

Wall time shows what a user feels, with the machine's noise; the CPU time of all other threads
of the kernel is what may stand in the way of the main thread, and hardly varies.
"""

from __future__ import annotations

import argparse
import ast
import json
import pickle
import queue
import statistics
import threading
import time
import uuid
from dataclasses import dataclass
from typing import Any

from distributed import Client, LocalCluster
from interval import median_between
from jupyter_client.manager import KernelManager

from daskscope.schema import LIMITS, PROTOCOL

TASKS_PER_S = 2_000
LEAST_TASKS_PER_S = 1_900
LIMIT_PERCENT = 3.0

SPIN = """
def spin(rounds):
    total = 0
    for i in range(rounds):
        total += i * i % 7
    return total

import time
def measured(rounds):
    wall, cpu, mine = time.perf_counter(), time.process_time(), time.thread_time()
    spin(rounds)
    wall, cpu, mine = (time.perf_counter() - wall, time.process_time() - cpu,
                       time.thread_time() - mine)
    return wall, cpu - mine
"""
ROUNDS = 6_000_000
TURNS = 8
"""With and without, in each kernel."""

CELLS = 3
"""In each turn."""


def feed(dask_scheduler: Any, tasks_per_s: int) -> None:
    """Put finished tasks to every plugin of ours, inside the scheduler's process."""
    import asyncio
    import random
    from time import time as now

    from daskscope import agent

    unread: Any = pickle.loads(agent.pickled(memory_limit=1_000_000))
    unread.scheduler = dask_scheduler
    unread.transition = unread.make_transition()
    dice = random.Random(1)
    token = f"{dice.getrandbits(128):032x}"
    keys = [f"('transform-{token}', {i})" for i in range(20_000)]
    for key in keys:
        dask_scheduler.new_task(key, None, "released")
    workers = [f"tcp://10.0.0.{i}:3{i:04d}" for i in range(8)]

    async def run() -> None:
        put, begun = 0, now()
        while True:
            await asyncio.sleep(0.01)
            plugins = [
                plugin
                for name, plugin in dask_scheduler.plugins.items()
                if name.startswith("daskscope_")
            ] or [unread]
            while put < (now() - begun) * tasks_per_s:
                stop = now()
                for plugin in plugins:
                    plugin.transition(
                        keys[put % len(keys)],
                        "processing",
                        "memory",
                        worker=workers[put % 8],
                        thread=put % 16,
                        nbytes=1_000,
                        status="OK",
                        startstops=[{"action": "compute", "start": stop - 0.004, "stop": stop}],
                    )
                put += 1

    dask_scheduler.daskscope_bench = asyncio.ensure_future(run())


class Kernel:
    """A kernel, driven as a notebook drives it."""

    def __init__(self) -> None:
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel()
        self.client: Any = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.comm: queue.Queue[dict[str, Any]] = queue.Queue()
        self.open = True
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        while self.open:
            try:
                message = self.client.get_iopub_msg(timeout=0.2)
            except queue.Empty:
                continue
            content = message["content"]
            if message["msg_type"] == "comm_msg":
                self.comm.put(content["data"])
            elif message["msg_type"] == "error":
                print("\n".join(content["traceback"]))

    def run(self, code: str, result: str = "None") -> Any:
        """Run a cell; return the value of a literal that it left in `result`."""
        asked = {"result": result}
        reply = self.client.execute(code, user_expressions=asked, reply=True, timeout=120)
        assert reply["content"]["status"] == "ok", reply["content"]
        return ast.literal_eval(
            reply["content"]["user_expressions"]["result"]["data"]["text/plain"]
        )

    def measure(self) -> tuple[float, float]:
        """Return wall seconds, and CPU seconds of all threads but the main one."""
        figures: tuple[float, float] = self.run(f"figures = measured({ROUNDS})", "figures")
        return figures

    def stop(self) -> None:
        self.open = False
        self.listener.join()
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


class Page:
    """Watches the kernel's session as a browser does, and counts what arrives."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.client: Any = kernel.manager.blocking_client()  # sockets belong to one thread
        self.client.start_channels(iopub=False, hb=False)
        self.comm_id, self.id = uuid.uuid4().hex, uuid.uuid4().hex
        self.subshell = self._make_subshell()
        self.tasks = self.kept = self.seq = 0
        self.arrivals: list[tuple[float, int]] = []
        """When tasks came, and how many had come by then."""
        self._send("comm_open", {"target_name": "daskscope", "data": {}})
        self._say("hello", protocol=PROTOCOL, version="0")
        self.session = self._session()
        tables = ["errors", "gaps", "tasks", "workers"]
        self._say("watch", session=self.session, visible=True, tables=tables, have=[])
        self.open = True
        self.receiver = threading.Thread(target=self._receive, daemon=True)
        self.receiver.start()

    def catch_up(self) -> None:
        """Wait for the history: then only what is live comes."""
        give_up_s = time.monotonic() + 30
        while not self.kept or self.tasks < self.kept:
            if time.monotonic() > give_up_s:
                raise TimeoutError(f"the page has {self.tasks} of {self.kept} tasks")
            time.sleep(0.05)

    def close(self) -> None:
        """Leave, as a page does that is closed."""
        self.open = False
        self.receiver.join()
        self._say("bye")
        self.client.stop_channels()

    def _make_subshell(self) -> str | None:
        client = self.client
        request = client.session.msg("create_subshell_request", {})
        client.control_channel.send(request)
        try:
            reply = client.get_control_msg(timeout=5)
        except queue.Empty:
            return None
        subshell: str | None = reply["content"].get("subshell_id")
        return subshell

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        client = self.client
        message = client.session.msg(kind, {"comm_id": self.comm_id, **content})
        if self.subshell:
            message["header"]["subshell_id"] = self.subshell
        client.shell_channel.send(message)

    def _say(self, kind: str, **fields: Any) -> None:
        self._send("comm_msg", {"data": {"type": kind, "page": self.id, **fields}})

    def _session(self) -> str:
        while True:
            data = self.kernel.comm.get(timeout=30)
            if data.get("type") in ("welcome", "sessions"):
                for entry in data["sessions"]:
                    if entry["state"] != "stopped":
                        return str(entry["id"])

    def _receive(self) -> None:
        said, said_s = 0, 0.0
        while self.open:
            try:
                data = self.kernel.comm.get(timeout=0.01)
            except queue.Empty:
                data = {}
            self.seq = max(self.seq, data.get("seq") or 0)
            if data.get("type") == "batch" and data["kind"] != "coarse":
                self.tasks += data["tasks"]
                self.arrivals.append((time.monotonic(), self.tasks))
            elif data.get("type") == "status":
                self.kept = data["counts"]["kept"]
            now_s = time.monotonic()
            if self.seq > said and now_s - said_s > LIMITS["ack_ms"] / 1000:
                said, said_s = self.seq, now_s
                self._say("ack", session=self.session, seq=self.seq, missing=[])


def main(kernels: int) -> None:
    with LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster:
        address = cluster.scheduler_address
        with Client(cluster) as client:
            client.run_on_scheduler(feed, tasks_per_s=TASKS_PER_S)
            report([compare(address, with_first=bool(n % 2)) for n in range(kernels)])


@dataclass
class Pair:
    """One kernel with and without."""

    slower: float
    others_percent: dict[str, float]
    tasks_per_s: float


def compare(address: str, *, with_first: bool) -> Pair:
    kernel = Kernel()
    figures: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
    tasks, watched_s = 0, 0.0  # from one arrival to another
    try:
        kernel.run("import dask\ndask.config.set({'daskscope.recorder.enabled': False})")
        kernel.run("import daskscope.kernel\ndaskscope.kernel.ensure()")
        kernel.run(f"from distributed import Client\nclient = Client({address!r})")
        kernel.run(SPIN)
        kernel.measure()
        for _ in range(TURNS):
            for name in sorted(figures, reverse=not with_first):
                if name == "without":
                    figures[name] += [kernel.measure() for _ in range(CELLS)]
                    continue
                kernel.run("session = daskscope.connect(client)")
                page = Page(kernel)
                page.catch_up()
                page.arrivals.clear()
                figures[name] += [kernel.measure() for _ in range(CELLS)]
                page.close()
                (begun_s, before), (ended_s, after) = page.arrivals[0], page.arrivals[-1]
                tasks += after - before
                watched_s += ended_s - begun_s
                kernel.run("session.close()")
    finally:
        kernel.stop()
    wall = {name: statistics.median(wall for wall, _ in values) for name, values in figures.items()}
    others = {
        name: statistics.median(100 * cpu / wall for wall, cpu in values)
        for name, values in figures.items()
    }
    return Pair(wall["with"] / wall["without"], others, tasks / watched_s)


def report(pairs: list[Pair]) -> None:
    per_s = statistics.median(pair.tasks_per_s for pair in pairs)
    about = {"kernels": len(pairs), "tasks_per_s_on_the_page": round(per_s)}

    def say(metric: str, value: float, **more: Any) -> None:
        line = {"bench": "kernel_slowdown", "metric": metric, "value": round(value, 2)}
        print(json.dumps(line | {"unit": "%"} | more | about), flush=True)

    ratios = [pair.slower for pair in pairs]
    low, high = ((end - 1) * 100 for end in median_between(ratios))
    say(
        "main thread slower, wall, upper end of 95 %",
        high,
        limit=LIMIT_PERCENT,
        median=round((statistics.median(ratios) - 1) * 100, 2),
        lower_end=round(low, 2),
    )
    # Were nothing streamed, the cell would not be slower either.
    say("tasks that reach the page in a second", per_s, unit="tasks/s", at_least=LEAST_TASKS_PER_S)
    others = {
        name: statistics.median(pair.others_percent[name] for pair in pairs)
        for name in ("with", "without")
    }
    say("CPU of the other threads", others["with"], peer=round(others["without"], 2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=30)
    main(parser.parse_args().kernels)
