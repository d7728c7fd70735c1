"""`daskscope info`: what is in a recording or a report."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from daskscope.cli.console import plain, say
from daskscope.cli.places import reading
from daskscope.loading import opened
from daskscope.recording.about import about_json
from daskscope.urls import is_url, without_secrets
from daskscope.words import bytes_text, count_text, raised_text, seconds_text
from daskscope.written import is_stream

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from daskscope.recording import RecordingStore

MOST_PREFIXES: Final = 12
TEXT_CHARACTERS: Final = 200


def run(given: argparse.Namespace) -> int:
    """Print it."""
    with reading(given.file):
        recording = opened(given.file)
    if given.json:
        say(about_json(recording))
        return 0
    for name, text in facts_of(given.file, recording):
        say(f"{name:<11} {text}")
    prefixes = sorted(recording.totals.prefixes, key=lambda total: -total.seconds)
    if prefixes:
        say()
        say(f"{'seconds':>12} {'tasks':>12} {'erred':>8}  prefix")
    for total in prefixes[:MOST_PREFIXES]:
        name = _text(recording.names.prefixes[total.prefix])
        say(f"{total.seconds:12,.1f} {total.tasks:12,} {total.erred:8,}  {name}")
    if len(prefixes) > MOST_PREFIXES:
        say(f"{'':>35}  and {len(prefixes) - MOST_PREFIXES:,} more")
    return 0


def facts_of(file: str, recording: RecordingStore) -> Iterator[tuple[str, str]]:
    """Return names and words of what is worth a line."""
    about, counts = recording.about_facts, recording.counts
    is_file = not is_url(file) and not is_stream(file)
    on_disk = f", {bytes_text(Path(file).stat().st_size)}" if is_file else ""
    yield "file", f"{plain(without_secrets(file))}{on_disk}"
    if not about.get("whole", True):
        yield "", "cut off: its program was stopped, or it was not copied to its end;"
        yield "", "this is what is whole"
    if title := _text(about.get("title")):
        yield "title", title
    start, stop = _time(about.get("start")), _time(about.get("stop"))
    if start is not None:
        length = f", {seconds_text(stop - start)}" if stop is not None and stop >= start else ""
        yield "recorded", f"{datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M:%S} UTC{length}"
    by = "@".join(filter(None, (_text(about.get("user")), _text(about.get("host")))))
    version = _text(about.get("daskscope"))
    if by or version:
        yield "by", ", ".join(filter(None, (by, version and f"daskscope {version}")))
    cluster = " ".join(
        dict.fromkeys(filter(None, (_text(about.get("cluster")), _text(about.get("scheduler")))))
    )
    workers = {worker for worker, _ in recording.names.lanes}
    lanes = count_text(len(recording.names.lanes), "thread")
    ran = f"{count_text(len(workers), 'worker')} with {lanes} ran tasks"
    yield "cluster", f"{cluster}, {ran}" if cluster else ran
    yield "tasks", f"{counts.kept:,} of {counts.captured:,}, {count_text(counts.rows, 'row')}"
    if counts.dropped_agent:
        yield "", f"{counts.dropped_agent:,} were dropped on the scheduler"
    if counts.dropped_recording:
        yield "", f"{counts.dropped_recording:,} were dropped by the recording"
    if recording.skewed_rows:
        yield "", f"{count_text(recording.skewed_rows, 'row')} with clocks that disagree"
    yield "errors", f"{counts.erred:,}"
    if gaps := len(recording.gaps):
        yield "gaps", f"{count_text(gaps, 'time')} in which tasks may have run unseen"
    exception = about.get("exception")
    if isinstance(exception, dict):
        yield "ended by", _text(raised_text(exception))


def _text(value: Any) -> str:
    return plain(value[: 2 * TEXT_CHARACTERS])[:TEXT_CHARACTERS] if isinstance(value, str) else ""


def _time(value: Any) -> float | None:
    """Return a time that a calendar has."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 2e11 else None
