"""What the agent costs the scheduler per task, next to Dask's own task stream plugin.

Both are given the same calls: the four transitions of a task that runs and is forgotten,
with the messages as a worker sends them and distributed's protocol delivers them, and a
reader that asks every 200 tasks (2,000 tasks/s, ten answers a second), up to the frames
that go to the socket. The machine is noisy: CPU time, fresh processes, alternating pairs.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import operator
import pickle
import random
import statistics
import subprocess
import sys
import time
import uuid
from types import SimpleNamespace
from typing import Any

from distributed.collections import HeapSet
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.diagnostics.task_stream import TaskStreamPlugin
from distributed.protocol.core import dumps, loads
from distributed.scheduler import SchedulerState
from distributed.worker_state_machine import TaskFinishedMsg
from interval import median_between

TASKS_PER_ANSWER = 200
ROUNDS = 5
"""A process measures its tasks so often: preparing them takes ten times as long."""

WARM_UP_TASKS = 100_000
"""So many tasks pass before measuring starts: then Dask's buffer is full, as it is by
default on any scheduler that has run for some minutes, and drops one record for each new
one; and Python's garbage collector has that buffer to look through."""

LIMIT_BYTES = {"map": 60, "collection": 40}


def finished_messages(keys: str, tasks: int) -> list[dict[str, Any]]:
    """Return what the scheduler is told of `tasks` tasks, fresh from the wire."""
    dice = random.Random(1)
    workers = [f"tcp://10.0.0.{i}:3{i:04d}" for i in range(1, 9)]
    now = 1_790_000_000.0
    token = uuid.UUID(int=dice.getrandbits(128)).hex
    messages = []
    for i in range(tasks):
        now += dice.expovariate(2_000)
        seconds = dice.expovariate(1 / 0.003)
        rows = [{"action": "compute", "start": now - seconds, "stop": now}]
        if keys == "map":
            key: Any = f"inc-{uuid.UUID(int=dice.getrandbits(128)).hex}"
        else:
            key = (f"rechunk-merge-{token}", i // 100, i % 100)
            if i % 2:
                begun = now - seconds - dice.expovariate(1 / 0.001)
                rows.insert(0, {"action": "transfer", "start": begun, "stop": now - seconds})
        message = TaskFinishedMsg(
            key=key,
            run_id=i,
            nbytes=28 if keys == "map" else dice.choice([8_000_000, 7_200_128, 128]),
            type=b"\x80\x05\x95\x14\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins\x94\x8c\x03int\x94\x93\x94.",
            typename="int" if keys == "map" else "numpy.ndarray",
            metadata={},
            thread=140_000_000_000_000 + dice.randrange(2) * 8_392_704,
            startstops=rows,  # type: ignore[arg-type]
            stimulus_id=f"task-finished-{now}",
        ).to_dict()
        message["worker"] = dice.choice(workers)
        messages.append(message)
    wired: list[dict[str, Any]] = []
    for first in range(0, tasks, 100):
        wired += loads(dumps(messages[first : first + 100]))
    addresses = {address: address for address in workers}
    for message in wired:
        message["worker"] = addresses[message["worker"]]  # the scheduler has one text of each
        del message["op"], message["run_id"]  # the scheduler does not pass these on
    return wired


class _Spec:
    """What a task runs: without one it would be scattered, and no prefix would hold it."""


class _State(SchedulerState):
    """The scheduler's state without its server; a subclass, since the class has slots."""

    loop: Any
    handlers: dict[str, Any]
    extensions: dict[str, Any]


def scheduler_of(messages: list[dict[str, Any]]) -> Any:
    """Return the state of a scheduler that knows these tasks."""
    state = _State(
        aliases={},
        clients={},
        workers={},  # type: ignore[arg-type]
        host_info={},
        resources={},
        tasks={},
        queued=HeapSet(key=operator.attrgetter("priority")),
        unrunnable={},
        validate=False,
    )
    for message in messages:
        task = state.new_task(message["key"], _Spec(), "released")  # type: ignore[arg-type]
        task.nbytes = message["nbytes"]
    state.loop = SimpleNamespace(asyncio_loop=asyncio.new_event_loop())  # its timers never fire
    state.handlers = {}
    state.extensions = {}
    return state


class _Nothing(SchedulerPlugin):
    def transition(self, key: Any, start: Any, finish: Any, *args: Any, **kwargs: Any) -> None:
        pass


def nothing(scheduler: Any) -> tuple[Any, Any]:
    return _Nothing(), list


def dask(scheduler: Any) -> tuple[Any, Any]:
    plugin = TaskStreamPlugin(scheduler, maxlen=100_000)
    cursor = 0

    def answer() -> Any:
        nonlocal cursor
        tasks = plugin.collect(start_index=cursor)
        cursor += len(tasks)
        return tasks

    return plugin, answer


def daskscope(scheduler: Any) -> tuple[Any, Any]:
    from daskscope import agent

    plugin: Any = pickle.loads(agent.pickled(memory_limit=256_000_000))
    plugin.scheduler = scheduler
    scheduler.plugins[plugin.name] = plugin
    plugin.transition = plugin.make_transition()
    asked: dict[str, Any] = {"cursor": 0, "names": {}, "errors": 0, "changes": 0, "memory_s": 0.5}

    def answer() -> Any:
        got = plugin.poll(reader="reader", client="client", limit_bytes=10**9, **asked)
        assert "error" not in got, got["error"]
        assert {*plugin.memory_samples.held.values()} <= {0}  # each came, and left
        asked["cursor"] = got["next"]
        if got["memory"]:
            tables = (got["memory"]["memory"], got["memory"]["held"])
            asked["memory"] = [rows["first"] + len(rows["columns"][0]) // 8 for rows in tables]
        for kind, names in got["names"].items():
            asked["names"][kind] = asked["names"].get(kind, 0) + len(names)
        return got

    return plugin, answer


PLUGINS = {"nothing": nothing, "dask": dask, "daskscope": daskscope}


def measure(which: str, keys: str, tasks: int) -> dict[str, float]:
    """Return CPU microseconds and bytes per task of one plugin, in its steady state."""
    messages = finished_messages(keys, tasks)
    scheduler = scheduler_of(messages)
    plugin, answer = PLUGINS[which](scheduler)
    gc.set_threshold(*[threshold * 3 for threshold in gc.get_threshold()])  # as `dask scheduler`
    for number in range(WARM_UP_TASKS):
        message = copy_of(messages[number % len(messages)])
        key = message.pop("key")
        plugin.transition(key, "processing", "memory", **message)
        plugin.transition(key, "memory", "released", stimulus_id="s")
    answer()
    seconds, size = 0.0, 0
    for _ in range(ROUNDS):
        coming = [copy_of(message) for message in reversed(messages)]
        began = time.process_time()
        size += run(scheduler, plugin, answer, coming, tasks)
        seconds += time.process_time() - began
    passed = tasks * ROUNDS
    return {"us": seconds / passed * 1e6, "bytes": size / passed}


def copy_of(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "startstops": [dict(row) for row in message["startstops"]]}


def run(
    scheduler: Any, plugin: Any, answer: Any, messages: list[dict[str, Any]], tasks: int
) -> int:
    """Let `tasks` tasks pass; return the bytes of the answers."""
    size = 0
    tasks_of = scheduler.tasks
    for number in range(1, tasks + 1):
        message = messages.pop()
        key = message.pop("key")
        tasks_of[key].group.states  # noqa: B018
        plugin.transition(key, "waiting", "processing", stimulus_id="s")
        plugin.transition(key, "processing", "memory", **message)
        plugin.transition(key, "memory", "released", stimulus_id="s")
        plugin.transition(key, "released", "forgotten", stimulus_id="s")
        if number % TASKS_PER_ANSWER == 0:
            size += sum(map(len, dumps(answer())))
    return size


def fresh(which: str, keys: str, tasks: int) -> dict[str, float]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--one", which, "--keys", keys, "--tasks", str(tasks)]
    figures: dict[str, float] = json.loads(subprocess.check_output(command, text=True))
    return figures


def compare(keys: str, pairs: int, tasks: int) -> None:
    """Measure in pairs; print what a task costs beside Dask's plugin."""
    figures: dict[str, list[float]] = {"nothing": [], "dask": [], "daskscope": []}
    sizes: dict[str, float] = {}
    for pair in range(pairs):
        # The order alternates, so that a drift of the machine hits both alike.
        order = ["dask", "daskscope"] if pair % 2 else ["daskscope", "dask"]
        if pair % 4 == 0:
            order.append("nothing")
        for which in order:
            got = fresh(which, keys, tasks)
            figures[which].append(got["us"])
            sizes[which] = got["bytes"]
    median = {which: statistics.median(values) for which, values in figures.items()}
    more = [a - b for a, b in zip(figures["daskscope"], figures["dask"], strict=True)]
    low, high = median_between(more)
    report(
        f"scheduler CPU per task more than Dask's plugin, {keys} keys, upper end of 95 %",
        high,
        "us",
        limit=0,
        median=round(statistics.median(more), 3),
        lower_end=round(low, 3),
        daskscope=round(median["daskscope"], 3),
        peer=round(median["dask"], 3),
        empty_plugin=round(median["nothing"], 3),
        pairs=pairs,
    )
    report(
        f"agent to kernel, {keys} keys, per task",
        sizes["daskscope"],
        "bytes",
        limit=LIMIT_BYTES[keys],
        peer=round(sizes["dask"], 1),
    )


def report(metric: str, value: float, unit: str, **more: Any) -> None:
    figure = {"bench": "agent_cost", "metric": metric, "value": round(value, 3), "unit": unit}
    print(json.dumps(figure | more), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--one", choices=PLUGINS)
    parser.add_argument("--keys", choices=LIMIT_BYTES)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.keys, options.tasks)))
        return
    for keys in [options.keys] if options.keys else LIMIT_BYTES:
        compare(keys, options.pairs, options.tasks)


if __name__ == "__main__":
    main()
