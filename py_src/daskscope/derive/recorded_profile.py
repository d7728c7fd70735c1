"""Builds the profile of a recording for a time, prefixes and workers."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.derive.profile_tree import Frame, ProfileTree, Samples, pruned
from daskscope.recording.names import name_of
from daskscope.recording.profile import intervals_of, parts_in, stacks_of
from daskscope.recording.query import bad_query, indexes_of, known_ones, window_of
from daskscope.schema import PREFIXES, PROFILE_COUNTS, PROFILED, SCOPES

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore
    from daskscope.recording.query import Wanted


REASONS: Final = {
    "off": "Dask's profiler is off: set distributed.worker.profile.enabled: true in "
    "Dask's configuration of the workers, and restart them",
    "refused": "This scheduler refuses plugins and requests for profiles",
    "python-3.11": "Dask does not sample event loops on Python 3.11",
    "waiting": "The first samples arrive within two seconds",
}


def profile_of(
    recording: RecordingStore,
    start: float | None = None,
    stop: float | None = None,
    prefix: Wanted = None,
    worker: Wanted = None,
    scope: str = SCOPES[0],
) -> ProfileTree:
    """Return the profile of a time and some names (see `Recording.profile`)."""
    since, until = window_of(start, stop)
    number = SCOPES.index(known_ones(SCOPES, "scope", [scope])[0])
    if scope != SCOPES[0] and prefix is not None:
        raise bad_query(
            f"prefix selects tasks, but scope={scope!r} covers event loops.",
            f"Leave out prefix, or give scope={SCOPES[0]!r}.",
        )
    if scope == "scheduler" and worker is not None:
        raise bad_query(
            "worker selects workers, but scope='scheduler' covers the scheduler.",
            "Leave out worker, or give scope='worker'.",
        )
    prefixes = (
        None if prefix is None else indexes_of(recording.names, PREFIXES.name, "prefix", prefix)
    )
    workers = None if worker is None else _addresses(recording, worker)
    parts = [
        (rows, count, step)
        for rows, count, step in parts_in(recording, since, until, number, prefixes, workers)
    ]
    stacks = stacks_of(recording.names)  # read after the samples, so that it has all their stacks

    def column(name: str) -> Any:
        return np.concatenate([rows[name] for rows, _, _ in parts] or [np.empty(0)])

    time, stop_time = column("time"), column("time") + column("duration")
    begin = np.maximum(time, since)
    known = np.repeat([step < inf for *_, step in parts], [len(count) for _, count, _ in parts])
    tree = ProfileTree(
        [Frame(*frame) for frame in stacks.frames],
        stacks.parent.astype(np.int64),
        stacks.frame.astype(np.int64),
        Samples(
            begin,
            np.where(known, np.minimum(stop_time, until) - begin, inf),
            column("worker").astype(np.int64),
            column("prefix").astype(np.int64),
            column("stack").astype(np.int64),
            np.concatenate([count for _, count, _ in parts] or [np.empty(0)]).astype(np.float64),
            tuple(recording.series(PROFILE_COUNTS.name).texts()) or ("",),
            tuple(recording.names.prefixes) or ("",),
        ),
        scope,
        frozenset(intervals_of(recording, number, workers)),
        since,
        until,
        "" if any(len(count) for _, count, _ in parts) else _reason(recording, scope),
    )
    return pruned(tree)


def _reason(recording: RecordingStore, scope: str) -> str:
    """Return why most processes of a scope have no samples, or ""."""
    processes = recording.log(PROFILED.name).since(0)
    states = Counter(
        row.compute if scope == SCOPES[0] else row.administrative
        for row in processes
        if (row.worker == "") == (scope == "scheduler")
    )
    return REASONS.get(states.most_common(1)[0][0], "") if states else ""


def _addresses(recording: RecordingStore, wanted: Wanted) -> set[str]:
    """Return the addresses of workers given by address or by name."""
    names = recording.worker_names
    addresses = {
        *names,
        *(worker for worker, _ in recording.names.lanes),
        *(row.worker for row in recording.log(PROFILED.name).since(0)),
    } - {""}
    known: dict[str, set[str]] = {}
    for address in sorted(addresses):
        known.setdefault(name_of(address, names), set()).add(address)
    shown = [*known]
    for address in addresses:
        known.setdefault(address, {address})
    found = known_ones(known, "worker", wanted, shown)
    return set().union(*(known[text] for text in found))
