"""What the agent costs the scheduler per task, next to Dask's own task stream plugin.

Both are given the same calls: a graph of 1,000 tasks, the four transitions of each task that
runs and is forgotten, with the messages as a worker sends them and distributed's protocol
delivers them, and a reader that asks every 200 tasks (2,000 tasks/s, ten answers a second), up
to the frames that go to the socket. Our reader asks for what a kernel asks for: tasks, graphs,
held bytes, and every 1,000 tasks (half a second) a reading of metrics, of states of tasks and of
eight workers, and of spans. Dask's plugin answers with its tasks. Heartbeats with metrics come
every 1,000 tasks, to both alike. Snapshots and memory of workers, whose cost goes by workers and
seconds, are not counted here: `memory_samples.py` measures them. The machine is noisy: CPU time,
fresh processes, alternating pairs.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import math
import operator
import pickle
import random
import statistics
import subprocess
import sys
import time
import uuid
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

from distributed.collections import HeapSet
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.diagnostics.task_stream import TaskStreamPlugin
from distributed.protocol.core import dumps, loads
from distributed.scheduler import SchedulerState
from distributed.spans import SpansSchedulerExtension
from distributed.worker_state_machine import TaskFinishedMsg
from interval import median_between
from workers import beat, worker

TASKS_PER_ANSWER = 200
TASKS_PER_GRAPH = 1_000
TASKS_PER_READING = 1_000
"""Half a second: so often the agent reads metrics, and eight workers beat."""

WORKERS = 8
ACTIVITIES = {
    ("execute",): ["thread-cpu", "thread-noncpu", "executor", "other", "deserialize"],
    ("gather-dep",): ["network", "decompress", "deserialize", "other"],
    ("get-data",): ["memory-read", "serialize", "compress", "network"],
}
"""What workers measure of tasks without spilling and shuffles, in seconds."""

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
    workers = [f"tcp://10.0.0.{i}:3{i:04d}" for i in range(1, WORKERS + 1)]
    now = 1_790_000_000.0
    messages = []
    for i in range(tasks):
        if i % TASKS_PER_GRAPH == 0:
            token = uuid.UUID(int=dice.getrandbits(128)).hex
        now += dice.expovariate(2_000)
        seconds = dice.expovariate(1 / 0.003)
        rows = [{"action": "compute", "start": now - seconds, "stop": now}]
        if keys == "map":
            key: Any = f"inc-{uuid.UUID(int=dice.getrandbits(128)).hex}"
        else:
            key = (f"rechunk-merge-{token}", i % TASKS_PER_GRAPH // 100, i % 100)
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
    know(state, messages)
    state.loop = SimpleNamespace(asyncio_loop=asyncio.new_event_loop())  # its timers never fire
    state.handlers = {}
    state.extensions = {}
    return state


def know(state: Any, messages: list[dict[str, Any]]) -> None:
    """Let a scheduler have these tasks, in groups of their own, and nothing else."""
    state.tasks.clear()
    state.task_groups.clear()
    for message in messages:
        task = state.new_task(message["key"], _Spec(), "released")
        task.nbytes = message["nbytes"]


def cluster_of(messages: list[dict[str, Any]]) -> Any:
    """Return such a scheduler with workers, spans and metrics."""
    state = scheduler_of(messages)
    state.id = "Scheduler-1"
    state.clients = {"client": None}
    state.total_nthreads_history = [(time.time(), 4 * WORKERS)]
    state.cumulative_worker_metrics = defaultdict(int)
    state.extensions = {"spans": SpansSchedulerExtension(state)}
    for number in range(1, WORKERS + 1):
        one = worker(number)
        beat(one, random.Random(number))
        state.workers[one.address] = one
    return state


def observe(state: Any) -> None:
    """Let the spans of a scheduler know its tasks: those without one are in `default`."""
    tasks = [*state.tasks.values()]
    for first in range(0, len(tasks), TASKS_PER_GRAPH):
        graph = tasks[first : first + TASKS_PER_GRAPH]
        state.extensions["spans"].observe_tasks(graph, (), {"collections": []})


def heartbeats(state: Any, tasks: list[Any], dice: random.Random) -> None:
    """Do what heartbeats of all workers do while these tasks run."""
    for at, one in enumerate(state.workers.values()):
        beat(one, dice)
        one.processing = {*tasks[16 * at : 16 * at + 16]}
        one.executing = dict.fromkeys(tasks[16 * at : 16 * at + 4], 0.001)
        one.metrics["task_counts"] = {"executing": 4}
        one.last_seen = time.time()
        for context, activities in ACTIVITIES.items():
            of = (tasks[0].prefix.name,) if context == ("execute",) else ()
            span = state.extensions["spans"].spans[tasks[0].group.span_id]
            for activity in activities:
                key = (*context, *of, activity, "seconds")
                state.cumulative_worker_metrics[key] += 0.01
                if of:
                    span._cumulative_worker_metrics[key] += 0.01
    state.transition_counter += 4 * TASKS_PER_READING


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
    asked["metrics_wanted"] = True
    answers = 0

    def answer() -> Any:
        nonlocal answers
        answers += 1
        # Its clock does not know how fast tasks pass here.
        is_due = answers * TASKS_PER_ANSWER % TASKS_PER_READING == 0
        plugin.metrics_at = 0.0 if is_due else math.inf
        got = plugin.poll(reader="reader", client="client", limit_bytes=10**9, **asked)
        assert "error" not in got, got["error"]
        assert {*plugin.memory_samples.held.values()} <= {0}  # each came, and left
        asked["cursor"] = got["next"]
        asked["graphs"] = got["graphs"]["first"] + len(got["graphs"]["items"])
        if got["memory"]:
            tables = (got["memory"]["memory"], got["memory"]["held"])
            asked["memory"] = [rows["first"] + len(rows["columns"][0]) // 8 for rows in tables]
        if read := got["metrics"]:
            tables = read["metrics"], read["states"]
            ends = [rows["first"] + len(rows["columns"][0]) // 8 for rows in tables]
            keys = (asked.get("metrics") or [0, 0, 0])[2] + len(read["keys"])
            asked["metrics"] = [*ends, keys, read["spans"]["next"]]
        for kind, names in got["names"].items():
            asked["names"][kind] = asked["names"].get(kind, 0) + len(names)
        return got

    return plugin, answer


PLUGINS = {"nothing": nothing, "dask": dask, "daskscope": daskscope}


def measure(which: str, keys: str, tasks: int) -> dict[str, float]:
    """Return CPU microseconds and bytes per task of one plugin, in its steady state."""
    messages = finished_messages(keys, tasks)
    scheduler, dice = cluster_of(messages), random.Random(3)
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
        know(scheduler, messages)
        observe(scheduler)
        coming = [copy_of(message) for message in reversed(messages)]
        began = time.process_time()
        size += run(scheduler, plugin, answer, coming, dice)
        seconds += time.process_time() - began
    passed = tasks * ROUNDS
    return {"us": seconds / passed * 1e6, "bytes": size / passed}


def copy_of(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "startstops": [dict(row) for row in message["startstops"]]}


def run(
    scheduler: Any,
    plugin: Any,
    answer: Any,
    messages: list[dict[str, Any]],
    dice: random.Random,
) -> int:
    """Let all tasks pass; return the bytes of the answers."""
    size = 0
    tasks_of = scheduler.tasks
    keys = [*tasks_of]
    for number in range(1, len(keys) + 1):
        if number % TASKS_PER_GRAPH == 1:
            graph = [tasks_of[key] for key in keys[number - 1 : number - 1 + TASKS_PER_GRAPH]]
            send_graph(scheduler, plugin, [task.key for task in graph])
        message = messages.pop()
        key = message.pop("key")
        tasks_of[key].group.states  # noqa: B018
        plugin.transition(key, "waiting", "processing", stimulus_id="s")
        plugin.transition(key, "processing", "memory", **message)
        plugin.transition(key, "memory", "released", stimulus_id="s")
        plugin.transition(key, "released", "forgotten", stimulus_id="s")
        if number % TASKS_PER_READING == 0:
            heartbeats(scheduler, graph, dice)
        if number % TASKS_PER_ANSWER == 0:
            size += sum(map(len, dumps(answer())))
    return size


def send_graph(scheduler: Any, plugin: Any, tasks: list[Any]) -> None:
    """Tell a plugin of a graph, as a scheduler does."""
    plugin.update_graph(
        scheduler,
        client="Client-91fe3a1c-bd6e-11f0-8f3a-0242ac110002",
        keys={*tasks},
        tasks=tasks,
        annotations={},
        priority={},
        stimulus_id="update-graph-1790000000.25",
    )


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
