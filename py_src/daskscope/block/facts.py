"""Facts about a block in addition to its tables, and the requests for them at its end."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from daskscope.collect.notices import counted_notices
from daskscope.collect.versions_and_logs import VersionsAndLogs, versions_and_logs
from daskscope.derive.findings import missing_notices
from daskscope.file_summary import figures_of
from daskscope.provenance import made_by
from daskscope.recording.block_recording import BlockRecording, Positions
from daskscope.schema import MAX_TEXT_CHARACTERS
from daskscope.session import parts_of

if TYPE_CHECKING:
    from daskscope.session import Session

VERSIONS_AND_LOGS_S: Final = 5.0
HEARTBEAT_SLACK_S: Final = 0.2
MAX_TRACEBACK: Final = 100_000


def new_block_recording(session: Session, since: Positions, start: float) -> BlockRecording:
    """Return an empty part of a session's recording, within the session's bounds."""
    parts = parts_of(session)
    copier = BlockRecording(parts.store, since, start=start, **asdict(parts.limits))
    copier.recording.make_figures = figures_of
    return copier


def facts_at_start(
    session: Session, *, title: str | None, code: str, source: str, start: float
) -> dict[str, Any]:
    """Return the facts at the beginning of a block."""
    known = made_by(session.name, session.address, title=title or "", code=code, source=source)
    return {**known, "start": start}


def note_end(
    session: Session,
    copier: BlockRecording,
    since: Positions,
    until: Positions,
    *,
    start: float,
    stop: float,
    clock: float,
    versions_and_logs: VersionsAndLogs,
    exception: dict[str, str] | None,
    asked: bool = False,
) -> None:
    """Add logs up to `clock`, and the facts that are known at the end, to a block's recording.

    The block lies between `since` and `until`. `asked`: whether the scheduler reported just after
    the end which tasks were unfinished.
    """
    recording, of_session = copier.recording, parts_of(session)
    recording.log("logs").append(line for line in versions_and_logs.lines if line["time"] <= clock)
    copier.name_workers()
    names = of_session.store.names.prefixes
    recording.about_facts = recording.about_facts | {
        "unfinished": until.progress.facts(names, since.progress, asked=asked),
        "stop": stop,
        "duration": stop - start,
        "workers": [dict(worker) for worker in session.workers],
        "versions": versions_and_logs.versions,
        "missing": [
            *(notice.to_json() for notice in of_session.collector.lasting_notices()),
            *(n.to_json() for n in counted_notices(until.not_read - since.not_read)),
            *(
                {"code": "not-asked", "level": "warn", "text": t, "next": ""}
                for t in versions_and_logs.missing
            ),
            *(notice.to_json() for notice in missing_notices(recording, recording.counts)),
        ],
        "exception": exception,
        # An error of either: the block never gets tasks that the session has dropped.
        "spill_error": recording.spill_error or of_session.store.spill_error or "",
    }


async def versions_and_logs_of(session: Session, start: float) -> VersionsAndLogs:
    """Request versions and logs; await it in the background loop."""
    try:
        return await versions_and_logs(parts_of(session).client, start, VERSIONS_AND_LOGS_S)
    except Exception as error:  # noqa: BLE001 - keep what was recorded
        return not_asked(error)


def not_asked(error: Exception) -> VersionsAndLogs:
    """Return versions and logs after a failed request: only why they are missing."""
    return VersionsAndLogs(missing=(f"versions and logs: {type(error).__name__}: {error}"[:500],))


def heartbeat_s(workers: int) -> float:
    """Return the seconds between two heartbeats of a worker, which report its metrics."""
    from distributed.scheduler import heartbeat_interval

    return float(heartbeat_interval(workers))


def describe(error: BaseException | None) -> dict[str, str] | None:
    """Return type, text and traceback of the exception that ended a block, if any."""
    if error is None:
        return None
    import traceback

    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - a user's exception may do anything
        text = "(its text cannot be read: str() of it raises)"
    return {
        "type": type(error).__name__,
        "text": text[:MAX_TEXT_CHARACTERS],
        "traceback": "".join(traceback.format_exception(error))[-MAX_TRACEBACK:],
    }


def checked_text(value: object, argument: str) -> str:
    """Return text, or raise an error that names the argument."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be text, got {type(value).__name__}")
    return value
