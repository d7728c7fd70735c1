"""How much slower a cell of pure Python gets while 2,000 tasks a second are recorded.

Two real kernels are connected to one real scheduler. One has daskscope, a session, and a page
that watches it; the other has never heard of it. They take turns at the same computation.
The tasks are put to the agent inside the scheduler's process as the scheduler would, since
workers that really run them would compete with the kernels for this machine's cores.

Wall time shows what a user feels, with this machine's noise; the CPU time of all other threads
of the kernel is what may stand in the way of the main thread, and hardly varies.
"""

from __future__ import annotations

import argparse
import ast
import json
import queue
import statistics
import threading
import time
import uuid
from typing import Any

from distributed import Client, LocalCluster
from interval import median_between
from jupyter_client.manager import KernelManager

from daskscope.schema import LIMITS

TASKS_PER_S = 2_000
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
ROUNDS = 24_000_000


def feed(dask_scheduler: Any, tasks_per_s: int) -> None:
    """Put finished tasks to every plugin of ours, inside the scheduler's process."""
    import asyncio
    import random
    from time import time as now

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
            plugins = [p for n, p in dask_scheduler.plugins.items() if n.startswith("daskscope_")]
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
        self._send("comm_open", {"target_name": "daskscope", "data": {}})
        self._say("hello", protocol=1, version="0")
        self.session = self._session()
        self._say("watch", session=self.session, visible=True, have=[])
        threading.Thread(target=self._receive, daemon=True).start()

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
            if data.get("type") in ("welcome", "sessions") and data["sessions"]:
                return str(data["sessions"][0]["id"])

    def _receive(self) -> None:
        said, said_s = 0, 0.0
        while self.kernel.open:
            try:
                data = self.kernel.comm.get(timeout=0.01)
            except queue.Empty:
                data = {}
            self.seq = max(self.seq, data.get("seq") or 0)
            if data.get("type") == "batch" and data["kind"] != "coarse":
                self.tasks += data["tasks"]
            elif data.get("type") == "status":
                self.kept = data["counts"]["kept"]
            now_s = time.monotonic()
            if self.seq > said and now_s - said_s > LIMITS["ack_ms"] / 1000:
                said, said_s = self.seq, now_s
                self._say("ack", session=self.session, seq=self.seq, missing=[])


def main(pairs: int) -> None:
    with LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster:
        address = cluster.scheduler_address
        with Client(cluster) as client:
            client.run_on_scheduler(feed, tasks_per_s=TASKS_PER_S)
            kernels = {"with": Kernel(), "without": Kernel()}
            try:
                compare(kernels, address, pairs)
            finally:
                for kernel in kernels.values():
                    kernel.stop()


def compare(kernels: dict[str, Kernel], address: str, pairs: int) -> None:
    for name, kernel in kernels.items():
        if name == "with":
            kernel.run("import daskscope.kernel\ndaskscope.kernel.ensure()")
        kernel.run(f"from distributed import Client\nclient = Client({address!r})")
        kernel.run(SPIN)
        kernel.measure()
    page = Page(kernels["with"])
    while not page.kept or page.tasks < page.kept:  # history first: then only what is live
        time.sleep(0.1)
    arrived, begun_s = page.tasks, time.monotonic()
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in kernels}
    for pair in range(pairs):
        order = list(kernels) if pair % 2 else list(reversed(kernels))
        for name in order:
            figures[name].append(kernels[name].measure())
    per_s = (page.tasks - arrived) / (time.monotonic() - begun_s)
    ratios = [a[0] / b[0] for a, b in zip(figures["with"], figures["without"], strict=True)]
    others = {
        name: statistics.median(100 * cpu / wall for wall, cpu in values)
        for name, values in figures.items()
    }
    about = {"pairs": pairs, "tasks_per_s_on_the_page": round(per_s)}

    def report(metric: str, value: float, **more: Any) -> None:
        line = {"bench": "kernel_slowdown", "metric": metric, "value": round(value, 2)}
        print(json.dumps(line | {"unit": "%"} | more | about), flush=True)

    low, high = ((end - 1) * 100 for end in median_between(ratios))
    report(
        "main thread slower, wall, upper end of 95 %",
        high,
        limit=LIMIT_PERCENT,
        median=round((statistics.median(ratios) - 1) * 100, 2),
        lower_end=round(low, 2),
    )
    report("CPU of the other threads", others["with"], peer=round(others["without"], 2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=30)
    main(parser.parse_args().pairs)
