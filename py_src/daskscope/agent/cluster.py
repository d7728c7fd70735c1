"""What a scheduler tells of its workers and of the tasks that it has seen.

Runs inside the scheduler, as `daskscope.agent.scheduler` does.
"""

from __future__ import annotations

from typing import Any

from daskscope.agent.packing import MAX_NAME_CHARS, clean_text

MAX_SAMPLES = 1_000  # in one answer: eight minutes, as distributed takes them


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
                # What has finished since the heartbeat, the scheduler knows.
                "running": min(running_tasks(state.metrics), len(state.processing)),
            }
        )
    return snapshot


def running_tasks(metrics: Any) -> int:
    """Return how many tasks a worker runs, by its last heartbeat; not those that wait there."""
    counts = metrics.get("task_counts") or {}
    return int(counts.get("executing", 0) + counts.get("long-running", 0))


def describe_span(scheduler: Any, span_id: Any) -> list[str]:
    """Return id and full name of a span."""
    if span_id is None:
        return ["", "(other)"]
    if not span_id:
        return [""]
    extension = scheduler.extensions.get("spans")
    span = extension.spans.get(span_id) if extension is not None else None
    name = span.name if span is not None else ()
    return [span_id, *[clean_text(part, MAX_NAME_CHARS) for part in name]]


def finished_tasks(scheduler: Any) -> int:
    """Return about how many tasks have finished on this scheduler; data put there counts, too."""
    prefixes = scheduler.task_prefixes.values()
    return sum(p.state_counts["memory"] + p.state_counts["erred"] for p in prefixes)


def describe_load(scheduler: Any, cursor: Any) -> dict[str, Any]:
    """Return samples of the scheduler's own time, CPU and memory from number `cursor` on.

    Without a cursor there are none yet: what a reader wants begins with its first question.
    """
    try:
        count = scheduler.monitor.count
        start = count if cursor is None else max(cursor, count - MAX_SAMPLES)
        found = scheduler.monitor.range_query(start=start)
        items = [list(sample) for sample in zip(found["time"], found["cpu"], found["memory"])]
    except Exception:  # of a distributed that has no such monitor: tasks are worth more
        count, items = 0, []
    return {
        "first": count - len(items),
        "items": items,
        "loop_interval": getattr(scheduler, "_tick_interval_observed", None),
    }
