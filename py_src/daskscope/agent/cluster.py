"""Describes the workers and tasks of a scheduler.

Runs inside the scheduler, as `daskscope.agent.scheduler` does.
"""

from __future__ import annotations

from heapq import nlargest
from itertools import islice
from typing import Any

from daskscope.agent.packing import MAX_NAME_CHARS, OTHER_NAME, clean_text

MAX_SAMPLES = 1_000  # in one answer: eight minutes at distributed's interval
UNFINISHED_STATES = ("waiting", "queued", "no-worker", "processing")
MAX_SCANNED_PREFIXES = 10_000  # scanning takes about 8 ms; schedulers never forget a prefix
MAX_SENT_PREFIXES = 1_000


def describe_workers(scheduler: Any) -> list[dict[str, Any]]:
    """Return a snapshot of the workers."""
    snapshot = []
    for state in scheduler.workers.values():
        memory = state.memory
        snapshot.append(
            {
                "address": state.address,
                "name": clean_text(state.name, MAX_NAME_CHARS),
                "host": state.host,
                "threads": state.nthreads,
                "memory_limit": state.memory_limit,
                "process": memory.process,
                "managed": memory.managed,
                "spilled": memory.spilled,
                "status": state.status.name,
                # Tasks that finished since the heartbeat are no longer in `processing`.
                "running": min(running_tasks(state.metrics), len(state.processing)),
            }
        )
    return snapshot


def running_tasks(metrics: Any) -> int:
    """Return how many tasks a worker ran at its last heartbeat, without waiting ones."""
    counts = metrics.get("task_counts") or {}
    return int(counts.get("executing", 0) + counts.get("long-running", 0))


def erred_counts(scheduler: Any) -> dict[str, int]:
    """Return by prefix how many tasks erred or could not run because another task erred."""
    try:
        prefixes = scheduler.task_prefixes.values()
        return {p.name: p.state_counts["erred"] for p in prefixes if "erred" in p.state_counts}
    except Exception:  # this version of distributed has no counts, so there is no progress
        return {}


def describe_progress(scheduler: Any, raised: dict[str, int]) -> Any:
    """Return a list for each prefix with unfinished tasks, or None if they are unknown.

    A list contains the name, the number of tasks in each of UNFINISHED_STATES, the number of
    running tasks, and the number that could not run because another task erred. `raised`
    counts by prefix the erred tasks that did run.
    """
    try:
        if len(scheduler.task_prefixes) > MAX_SCANNED_PREFIXES:
            return None
        running = running_by_prefix(scheduler)
        found = []
        for prefix in scheduler.task_prefixes.values():
            name, states = prefix.name, prefix.states
            blocked = max(prefix.state_counts.get("erred", 0) - raised.get(name, 0), 0)
            counts = [states.get(state, 0) for state in UNFINISHED_STATES]
            if blocked or any(counts):
                text = clean_text(name, MAX_NAME_CHARS)
                found.append([text, *counts, running.get(name, 0), blocked])
    except Exception:  # another version of distributed
        return None
    if len(found) <= MAX_SENT_PREFIXES:
        return found
    largest = nlargest(MAX_SENT_PREFIXES, range(len(found)), key=lambda at: sum(found[at][1:]))
    shown = set(largest)
    rest = [counts[1:] for at, counts in enumerate(found) if at not in shown]
    return [found[at] for at in sorted(shown)] + [[OTHER_NAME, *map(sum, zip(*rest))]]


def running_by_prefix(scheduler: Any) -> dict[str, int]:
    """Return how many tasks of each prefix run now. Heartbeats report which tasks run.

    Tasks that ended since the heartbeat were replaced by waiting tasks of the same worker.
    Which ones is unknown, so any of them are counted.
    """
    running: dict[str, int] = {}
    for worker in scheduler.workers.values():
        for task, _ in running_of(worker):
            name = task.prefix.name
            running[name] = running.get(name, 0) + 1
    return running


def running_of(worker: Any) -> list[tuple[Any, float]]:
    """Return the tasks that a worker runs now, as above, and roughly when each began."""
    processing, executing, seen = worker.processing, worker.executing, worker.last_seen
    tasks = [(task, seen - took) for task, took in executing.items() if task in processing]
    more = min(running_tasks(worker.metrics), len(processing)) - len(tasks)
    if more > 0:
        others = islice((task for task in processing if task not in executing), more)
        tasks += [(task, seen) for task in others]
    return tasks


def describe_span(scheduler: Any, span_id: Any) -> list[str]:
    """Return the id of a span and its names, from the outermost span to this one."""
    if span_id is None:
        return ["", "(other)"]
    if not span_id:
        return [""]
    extension = scheduler.extensions.get("spans")
    span = extension.spans.get(span_id) if extension is not None else None
    name = span.name if span is not None else ()
    return [span_id, *[clean_text(part, MAX_NAME_CHARS) for part in name]]


def finished_tasks(scheduler: Any) -> int:
    """Return roughly how many tasks finished on this scheduler, including scattered data."""
    prefixes = scheduler.task_prefixes.values()
    return sum(p.state_counts["memory"] + p.state_counts["erred"] for p in prefixes)


def describe_load(scheduler: Any, cursor: Any) -> dict[str, Any]:
    """Return samples of the scheduler's own time, CPU and memory from number `cursor` on.

    Without a cursor, return no samples: a reader gets samples from its first request on.
    """
    try:
        count = scheduler.monitor.count
        start = count if cursor is None else max(cursor, count - MAX_SAMPLES)
        found = scheduler.monitor.range_query(start=start)
        items = [list(sample) for sample in zip(found["time"], found["cpu"], found["memory"])]
    except Exception:  # this version of distributed has no such monitor; tasks still count
        count, items = 0, []
    return {
        "first": count - len(items),
        "items": items,
        "loop_interval": getattr(scheduler, "_tick_interval_observed", None),
    }
