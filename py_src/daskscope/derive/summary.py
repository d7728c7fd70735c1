"""The figures of a run, for the Summary panel, for reports and for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.derive import findings
from daskscope.derive.findings import missing_notices, package_versions
from daskscope.derive.progress import MAX_NAME_CHARACTERS, live_progress, stored_progress
from daskscope.derive.work import (
    COMPUTE,
    MAX_FIGURE,
    ClusterTotals,
    Work,
    running_work,
    work,
    workers_of,
)
from daskscope.errors import Notice
from daskscope.format import cut
from daskscope.recording.names import name_of
from daskscope.recording.summary_blocks import FAR_S
from daskscope.schema import OTHER_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.recording import Counts, RecordingStore

MAX_PREFIXES: Final = 1_000
"""Prefixes with less time share one row; the recording has all of them."""

LIVE_PREFIXES: Final = 100
"""The same for a live summary, which is sent repeatedly."""

SECONDS_AN_HOUR: Final = 3600
MAX_TITLE_CHARACTERS: Final = 500
LEVELS: Final = ("info", "warn", "error")
FILE_CUT: Final = Notice(
    "file-cut",
    "warn",
    "This was made from a truncated file: its last part is missing.",
    "The complete part of the file was read.",
)
UNREAD: Final = frozenset({FILE_CUT.code, "reading-refused", "scheduler-lost", "collect-failed"})
"""Codes of notices after which tasks may have run without being recorded."""


def summary(
    recording: RecordingStore,
    *,
    price_per_thread_hour: float | None = None,
    currency: str = "$",
    counts: Counts | None = None,
    live: ClusterTotals | None = None,
    ended: bool = False,
) -> dict[str, Any]:
    """Return the figures of a recording, as values that JSON supports.

    Times are seconds since the epoch, sizes are bytes. Unknown figures are None or an empty list;
    ``missing`` has the reasons, if they are known. Pass the `counts` of a file if it has more
    tasks than the recording has kept.

    `live` has the totals of a live recording's cluster, which are updated. With it, no task rows
    are read: seconds are running totals, idle times are left out, and ``answer`` and ``progress``
    describe the current computation. `ended`: that computation will not continue.
    """
    facts = recording.about_facts
    counts = counts or recording.counts
    start, stop = _window(recording, facts)
    cluster = live or ClusterTotals(recording)
    cluster.advance(start, stop)
    if live:
        sums = recording.sums()
        done, progress = running_work(sums), live_progress(recording, sums, ended=ended)
    else:
        done = work(recording, start, stop)
        progress = stored_progress(recording, counts, done, start, stop)
    errors = findings.errors_by_type(recording)
    versions = package_versions(facts.get("versions"))
    spilled = _spilled(recording, cluster, facts)
    prefixes, by_prefix_action = _prefixes(recording, done, LIVE_PREFIXES if live else MAX_PREFIXES)
    exception = facts.get("exception")
    missing = _missing(facts, missing_notices(recording, counts))
    codes = {notice["code"] for notice in missing}
    # If some tasks could not be read, it is unknown whether none ran.
    nothing = [] if live or codes & UNREAD else findings.of_no_tasks(recording, counts)
    # If tasks are missing, threads that seem idle may have run them.
    all_here = not (FILE_CUT.code in codes or counts.dropped or recording.counts.dropped)
    actions = recording.names.actions
    totals = recording.totals.actions
    computed = sum(total.seconds for total in totals if total.action == COMPUTE)
    found = [
        *(findings.of_exception(exception) or nothing),
        *findings.of_errors(recording, errors, counts.erred),
        *(findings.of_spilling(**spilled, times=cluster.spill_times) if spilled else ()),
        *findings.of_lost_data(recording, counts),
        *findings.of_versions(recording, versions),
        *findings.of_overheads(cluster.execution, computed),
        *(
            findings.of_idle(recording, done.idle, start)
            if counts.captured and all_here and not live
            else ()
        ),
    ]
    transfers = [total for total in totals if actions[total.action] == "transfer"]
    return progress | {
        "title": (_text(facts, "title") or _text(facts, "source"))[:MAX_TITLE_CHARACTERS],
        "start": start,
        "stop": stop,
        "duration": stop - start,
        "user": _text(facts, "user"),
        "host": _text(facts, "host"),
        "cluster": _text(facts, "cluster"),
        "scheduler": _text(facts, "scheduler"),
        "daskscope": _text(facts, "daskscope"),
        "tasks": {name: getattr(counts, name) for name in ("captured", "kept", "erred", "rows")},
        "busy": _busy(cluster, done),
        "memory": _memory(cluster, facts, stop),
        "spilled": spilled and {"peak": spilled["peak"], "workers": spilled["workers"]},
        "transfers": {
            "rows": sum(total.rows for total in transfers),
            "seconds": _finite(sum(total.seconds for total in transfers)),
        },
        "errors": {
            "count": counts.erred,
            "kept": sum(len(found) for found in errors.values()),
            "types": [[kind, len(found)] for kind, found in errors.items()],
        },
        "cost": _cost(cluster, price_per_thread_hour, currency),
        "prefixes": prefixes,
        "actions": [
            {"name": _name(actions[one.action]), "rows": one.rows, "seconds": _finite(one.seconds)}
            for one in sorted(totals, key=lambda total: -total.seconds)
        ],
        "by_prefix_action": by_prefix_action,
        "versions": [one.to_json() for one in versions],
        "cluster_facts": _cluster(cluster, facts),
        "needs_a_look": [finding.to_json() for finding in found],
        "code": _text(facts, "code"),
        "source": _text(facts, "source"),
        "exception": {name: _text(exception, name) for name in ("type", "text", "traceback")}
        if isinstance(exception, dict)
        else None,
        "counts": counts.to_json(),
        "missing": missing,
        "redacted": [str(what) for what in _list(facts, "redacted")],
    }


def _window(recording: RecordingStore, facts: Mapping[str, Any]) -> tuple[float, float]:
    """Return the time of the block or, without a block, from the first to the last task row."""
    start, stop = _time(facts, "start"), _time(facts, "stop")
    if start is not None and stop is not None and start <= stop:
        return start, stop
    first, last = math.inf, -math.inf
    for chunk in recording.chunks():
        begin = chunk.columns["start"]
        with np.errstate(over="ignore", invalid="ignore"):  # workers may send nonsense times
            end = begin + chunk.columns["duration"]
        sound = (np.abs(begin) < FAR_S) & (np.abs(end) < FAR_S)
        first = float(np.min(begin, initial=first, where=sound))
        last = float(np.max(end, initial=last, where=sound))
    if first <= last:
        return (first if start is None or start > last else start), last
    return start or 0.0, start or 0.0


def _busy(cluster: ClusterTotals, done: Work) -> dict[str, Any] | None:
    if not cluster.seconds > 0:
        return None
    return {
        "threads": cluster.threads,
        "thread_seconds": cluster.seconds,
        "busy_seconds": done.busy_seconds,
        "percent": 100 * done.busy_seconds / cluster.seconds,
    }


def _memory(cluster: ClusterTotals, facts: Mapping[str, Any], stop: float) -> dict[str, Any] | None:
    if cluster.most:
        peak, time = cluster.peak, min(cluster.peak_time, stop)  # the last sample is later
        limit = cluster.most["memory_limit"]
    else:  # the block was shorter than the time between two samples
        peak, time = _sum(facts, "process"), stop
        limit = _sum(facts, "memory_limit")
    return {"peak": peak, "peak_time": time, "limit": limit or None} if peak else None


def _spilled(
    recording: RecordingStore, cluster: ClusterTotals, facts: Mapping[str, Any]
) -> dict[str, Any] | None:
    peak = max(_sum(facts, "spilled"), cluster.spilled)
    names = recording.worker_names
    spilling = [
        *cluster.spilling,
        *(
            str(worker.get("address", ""))
            for worker in workers_of(facts)
            if _size(worker, "spilled")
        ),
    ]
    workers = [_name(name_of(address, names)) for address in dict.fromkeys(spilling)]
    return {"peak": peak, "workers": workers} if peak or workers else None


def _cost(cluster: ClusterTotals, price: float | None, currency: str) -> dict[str, Any] | None:
    if not cluster.seconds > 0 or price is None:
        return None
    hours = cluster.seconds / SECONDS_AN_HOUR
    return {"amount": hours * price, "per_hour": price, "unit": currency, "thread_hours": hours}


def _prefixes(
    recording: RecordingStore, done: Work, most: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return totals by prefix, longest first, and the seconds of each prefix by action."""
    names, actions = recording.names.prefixes, recording.names.actions
    totals = sorted(recording.totals.prefixes, key=lambda total: (-total.seconds, -total.tasks))
    shown, rest = totals[:most], totals[most:]
    prefixes = [
        {
            "name": _name(names[total.prefix]),
            "tasks": total.tasks,
            "seconds": _finite(total.seconds),
            "erred": total.erred,
        }
        for total in shown
    ]
    if rest:
        prefixes.append(
            {
                "name": OTHER_NAME,
                "tasks": sum(total.tasks for total in rest),
                "seconds": _finite(sum(total.seconds for total in rest)),
                "erred": sum(total.erred for total in rest),
            }
        )
    parts = []
    chosen = {total.prefix for total in shown}
    for action, seconds in sorted(done.seconds.items()):
        others = 0.0
        for prefix in np.flatnonzero(seconds).tolist():
            if prefix in chosen:
                parts.append((names[prefix], action, float(seconds[prefix])))
            else:
                others += float(seconds[prefix])
        if others:
            parts.append((OTHER_NAME, action, others))
    return prefixes, [
        {"prefix": _name(prefix), "action": _name(actions[action]), "seconds": seconds}
        for prefix, action, seconds in parts
    ]


def _cluster(cluster: ClusterTotals, facts: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the cluster at the end of the run or, if no worker was left, its largest size."""
    workers = workers_of(facts)
    if workers:
        hosts = {str(worker.get("host", "")) for worker in workers}
        return {
            "workers": len(workers),
            "hosts": len(hosts),
            "threads": _sum(facts, "threads"),
            "memory_limit": _sum(facts, "memory_limit") or None,
        }
    most = {name: cluster.most.get(name) for name in ("workers", "threads", "memory_limit")}
    return most | {"hosts": None}


def _missing(facts: Mapping[str, Any], dropped: Sequence[Notice]) -> list[dict[str, str]]:
    notices = [
        {name: _text(notice, name) for name in ("code", "text", "next")}
        | {"level": level if (level := _text(notice, "level")) in LEVELS else "warn"}
        for notice in _list(facts, "missing")
        if isinstance(notice, dict)
    ]
    now = [*dropped, *([FILE_CUT] if facts.get("whole") is False else [])]
    # Current notices replace stored ones, since more may have been dropped.
    known = {notice.code for notice in now}
    return [
        *(notice for notice in notices if notice["code"] not in known),
        *(notice.to_json() for notice in now),
    ]


def _name(name: str) -> str:
    return cut(name, MAX_NAME_CHARACTERS)


# The functions below check values, since facts may come from any file.


def _text(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) else ""


def _list(facts: Mapping[str, Any], name: str) -> list[Any]:
    value = facts.get(name)
    return value if isinstance(value, list) else []


def _size(worker: Mapping[str, Any], name: str) -> int:
    value = worker.get(name)
    return int(value) if isinstance(value, int | float) and abs(value) < MAX_FIGURE else 0


def _sum(facts: Mapping[str, Any], name: str) -> int:
    return sum(_size(worker, name) for worker in workers_of(facts))


def _time(facts: Mapping[str, Any], name: str) -> float | None:
    value = facts.get(name)
    return float(value) if isinstance(value, int | float) and abs(value) < FAR_S else None


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
