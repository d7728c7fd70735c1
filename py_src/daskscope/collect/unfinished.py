"""What a scheduler says of tasks that have not finished: by the agent, or without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from daskscope.agent.packing import MAX_NAME_CHARS, clean_text
from daskscope.recording import Unfinished

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.recording import Names


def by_agent(
    counts: Sequence[Sequence[Any]], names: Names, *, time: float, agent: str
) -> Unfinished:
    """Return what `describe_progress` returned on the scheduler."""
    found: dict[int, tuple[int, int, int]] = {}
    for name, waiting, queued, no_worker, processing, running, blocked in counts:
        prefix = names.intern("prefixes", name)
        waits = waiting + queued + no_worker + processing - running
        # Names of which the ends were cut may be one.
        before = found.get(prefix, (0, 0, 0))
        found[prefix] = (before[0] + running, before[1] + waits, before[2] + blocked)
    return Unfinished(time, agent, found)


def by_states(states: Mapping[str, Mapping[str, int]], names: Names, *, time: float) -> Unfinished:
    """Return the answer of Dask's own route: without queued tasks, and without which ones run."""
    found: dict[int, tuple[int, int, int]] = {}
    for name, counts in states.items():
        if waits := counts.get("processing", 0) + counts.get("waiting", 0):
            prefix = names.intern("prefixes", clean_text(name, MAX_NAME_CHARS))
            found[prefix] = (0, found.get(prefix, (0, 0, 0))[1] + waits, 0)
    return Unfinished(time, "", found, whole=False)
