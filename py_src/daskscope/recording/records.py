"""The small tables of a recording as columns, and back: what a file and DataFrames have of them."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from daskscope.recording.logs import (
    MAX_CHANGES,
    MAX_ERRORS,
    MAX_EVENTS,
    MAX_GAPS,
    MAX_LINES,
    MAX_ROWLESS,
    MAX_SAMPLES,
    ClusterSample,
    Event,
    LogLine,
    RowlessTask,
    SchedulerSample,
    TaskError,
    WorkerChange,
)
from daskscope.schema import (
    CLUSTER,
    ERRORS,
    EVENTS,
    GAPS,
    LOGS,
    ROWLESS,
    SCHEDULER,
    STATUSES,
    WORKERS,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from daskscope.recording.core import RecordingCore

Columns = dict[str, list[Any]]

MAX_ROWS: Final = {
    ERRORS.name: MAX_ERRORS,
    WORKERS.name: 2 * MAX_CHANGES,  # who was there, and what changed
    EVENTS.name: MAX_EVENTS,
    LOGS.name: MAX_LINES,
    CLUSTER.name: MAX_SAMPLES,
    SCHEDULER.name: MAX_SAMPLES,
    GAPS.name: MAX_GAPS,
    ROWLESS.name: MAX_ROWLESS,
}
"""So many a recording keeps of each table."""


def records_of(recording: RecordingCore, table: Table) -> Columns:
    """Return a table of a recording as lists, one a column."""
    return columns_of(recording, table, entries_of(recording, table))


def entries_of(recording: RecordingCore, table: Table) -> Sequence[Any]:
    """Return what a recording has of a table now."""
    if table is WORKERS:
        return [*recording.present, *recording.change_log.since(0)]
    return recording.log_of[table.name].since(0)


def columns_of(recording: RecordingCore, table: Table, entries: Sequence[Any]) -> Columns:
    """Return entries of a recording's table as lists, one a column, with names for indexes."""
    special: dict[str, Callable[[Any], str]] = {}
    if table is ERRORS or table is ROWLESS:
        prefixes = recording.names.prefixes
        special["prefix"] = lambda entry: prefixes[entry.prefix]
    elif table is WORKERS:
        names = recording.worker_names
        special["name"] = lambda change: names.get(change.worker, "")
    readers = {c.name: special.get(c.name, attrgetter(c.name)) for c in table.columns}
    return {
        name: [sound(value_of(entry)) for entry in entries] for name, value_of in readers.items()
    }


def sound(value: Any) -> Any:
    """Return text that can be encoded; a lone surrogate becomes U+FFFD."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def take_records(
    recording: RecordingCore, table: Table, columns: Mapping[str, Sequence[Any]]
) -> None:
    """Append what `records_of` returned."""
    rows = (  # one at a time: as dicts they take many times what they are
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    )
    if table is ERRORS:
        intern = recording.names.intern
        recording.append_errors(
            [TaskError(**row | {"prefix": intern("prefixes", row["prefix"])}) for row in rows]
        )
    elif table is WORKERS:
        named = zip(columns["worker"], columns["name"], strict=True)
        recording.name_workers({worker: name for worker, name in named if name})
        changes = [
            WorkerChange(row["time"], row["worker"], row["what"], row["detail"]) for row in rows
        ]
        recording.take_present([change for change in changes if change.what == "present"])
        recording.append_changes([change for change in changes if change.what != "present"])
    elif table is ROWLESS:
        intern = recording.names.intern
        recording.append_rowless(
            [
                RowlessTask(row["task"], intern("prefixes", row["prefix"]), row["status"])
                for row in rows
                if 0 <= row["status"] < len(STATUSES)
            ]
        )
    elif table is GAPS:
        for row in rows:
            recording.append_gap(**row)
    elif table is EVENTS:
        recording.append_events([Event(**row) for row in rows])
    elif table is LOGS:
        recording.append_lines([LogLine(**row) for row in rows])
    elif table is CLUSTER:
        recording.append_cluster([ClusterSample(**row) for row in rows])
    elif table is SCHEDULER:
        recording.append_scheduler([SchedulerSample(**row) for row in rows])
