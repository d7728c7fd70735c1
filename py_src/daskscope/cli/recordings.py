"""Commands that read a recording or a report: `info`, `report`, `extract` and `export`."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from daskscope.atomic_files import check_no_url, is_stream, not_written, real, written
from daskscope.cli.console import Progress, reporter, say, warn
from daskscope.cli.parser import FORMATS
from daskscope.derive.recorded_profile import profile_of
from daskscope.errors import DaskscopeError
from daskscope.export import to_chrome, to_collapsed, to_csv, to_speedscope
from daskscope.export.profile import NAMES
from daskscope.files.target import PAGES, LocalTarget, page_target
from daskscope.format import bytes_text, count_text, one_line, raised_text, seconds_text
from daskscope.library import keep
from daskscope.loading import opened
from daskscope.recording.file_reader import is_recording
from daskscope.recording.file_writer import SUFFIX
from daskscope.recording.frames import write_parquet
from daskscope.recording.recording_store import about_json
from daskscope.report.extract import extract_to
from daskscope.report.html import build
from daskscope.report.redact import redacted
from daskscope.schema import SCOPES
from daskscope.urls import is_url, without_secrets

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from daskscope.recording import RecordingStore

MOST_PREFIXES: Final = 12
TEXT_CHARACTERS: Final = 200

_ENDINGS: Final = (SUFFIX, *PAGES)
_SYSTEM_FILE: Final = re.compile(r"/dev/(?!shm/)|/proc/")
"""Nothing is written beside such a file: /dev/stdin may point at a file elsewhere."""


def info(given: argparse.Namespace) -> int:
    """Print what is in a recording."""
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
        name = _shown(recording.names.prefixes[total.prefix])
        say(f"{total.seconds:12,.1f} {total.tasks:12,} {total.erred:8,}  {name}")
    if len(prefixes) > MOST_PREFIXES:
        say(f"{'':>35}  and {len(prefixes) - MOST_PREFIXES:,} more")
    return 0


def facts_of(file: str, recording: RecordingStore) -> Iterator[tuple[str, str]]:
    """Return the lines of `info`: a name and a text each."""
    about, counts = recording.about_facts, recording.counts
    is_file = not is_url(file) and not is_stream(file)
    on_disk = f", {bytes_text(Path(file).stat().st_size)}" if is_file else ""
    yield "file", f"{one_line(without_secrets(file))}{on_disk}"
    if not about.get("whole", True):
        yield "", "truncated: its program was stopped, or it was not copied completely;"
        yield "", "this is everything before that"
    if title := _shown(about.get("title")):
        yield "title", title
    start, stop = _time(about.get("start")), _time(about.get("stop"))
    if start is not None:
        length = f", {seconds_text(stop - start)}" if stop is not None and stop >= start else ""
        yield "recorded", f"{datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M:%S} UTC{length}"
    by = "@".join(filter(None, (_shown(about.get("user")), _shown(about.get("host")))))
    version = _shown(about.get("daskscope"))
    if by or version:
        yield "by", ", ".join(filter(None, (by, version and f"daskscope {version}")))
    cluster = " ".join(
        dict.fromkeys(filter(None, (_shown(about.get("cluster")), _shown(about.get("scheduler")))))
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
        yield "", f"{count_text(recording.skewed_rows, 'row')} with inconsistent clocks"
    yield "errors", f"{counts.erred:,}"
    if gaps := len(recording.gaps):
        yield "gaps", f"{count_text(gaps, 'interval')} in which tasks may be missing"
    exception = about.get("exception")
    if isinstance(exception, dict):
        yield "ended by", _shown(raised_text(exception))


def _shown(value: Any) -> str:
    return (
        one_line(value[: 2 * TEXT_CHARACTERS])[:TEXT_CHARACTERS] if isinstance(value, str) else ""
    )


def _time(value: Any) -> float | None:
    """Return a time, or None if no calendar can show it."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 2e11 else None


def report(given: argparse.Namespace) -> int:
    """Write one HTML file."""
    place = page_target(given.output, streams=True) if given.output else None
    recording = recording_of(given.file)
    place = place or page_target(beside(given.file, ".html"))
    if isinstance(place, LocalTarget):
        check_place(given.file, place.path)
    if given.title is not None:
        recording.about_facts["title"] = given.title
    if given.redact:
        with Progress("Redacting"):
            recording = redacted(recording, given.redact)
    length = ""

    def keep_copy(local: Path, figures: dict[str, Any]) -> None:
        nonlocal length
        length = f", {bytes_text(local.stat().st_size)}"
        keep(local, figures, location=place.location)

    tell = reporter(Path(place.name))
    with Progress(f"Writing {place.name}") as progress:
        place.write(lambda out: build(recording, out, progress.at), keep_copy)
    counts = recording.counts
    tasks = f"{counts.kept:,} of {count_text(counts.captured, 'task')}"
    tell(f"{one_line(place.name)}: {tasks}{length}")
    return 0


def extract(given: argparse.Namespace) -> int:
    """Write the recording and the summary of a report."""
    recording = beside(given.file, ".daskscope")
    if given.to is not None:
        check_no_url(given.to)
        recording = Path(given.to) / recording.name
    summary = recording.with_suffix(".json")
    try:
        real(recording.parent).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(recording.parent, error) from error
    with reading(given.file), written(recording) as file:
        figures = extract_to(given.file, file)
        # Checked here, so that a file that is not a report gets that error first.
        check_apart(given.file, recording, "--to")
        if not given.force:
            _check_free(recording, summary)
        # Nested: if the summary cannot be written, the recording is not kept either.
        with written(summary) as beside_it:
            beside_it.write(json.dumps(figures, indent=1).encode("ascii"))
    for path in (recording, summary):
        say(f"{one_line(path)}: {bytes_text(path.stat().st_size)}")
    return 0


def _check_free(*paths: Path) -> None:
    """Refuse to replace files: an existing recording may have more than the report."""
    for path in paths:
        if path.is_file():
            raise DaskscopeError(
                "file-there",
                f"{path} already exists; nothing was written.",
                "Name another directory with --to, or replace it with --force.",
            )


def export(given: argparse.Namespace) -> int:
    """Convert a recording for another program."""
    output = place_of(given.output, given.file, FORMATS[given.to])
    recording = recording_of(given.file)
    if given.to == "chrome":
        _chrome(recording, output)
    elif given.to in ("speedscope", "collapsed"):
        _profile(recording, output, given.to)
    else:
        _tables(recording, output, given.to)
    return 0


def _chrome(recording: RecordingStore, output: Path) -> None:
    path, tell = None if is_stream(output) else real(output), reporter(output)
    with Progress(f"Writing {output}") as progress:
        counts = to_chrome(recording, output, progress.at)
    written_size = f", {bytes_text(path.stat().st_size)}" if path else ""
    tell(f"{one_line(output)}: {count_text(counts.rows, 'slice')}{written_size}")
    if counts.left_out:
        rows = count_text(counts.left_out, "row")
        warn(f"{rows} left out: without a time, or more than thirty years from the others")


def _profile(recording: RecordingStore, output: Path, form: str) -> None:
    with Progress(f"Writing {output}"):
        trees = [profile_of(recording, scope=scope) for scope in SCOPES]
        trees = [tree for tree in trees if len(tree.samples)]
        if not trees:
            raise DaskscopeError(
                "no-profile",
                "This recording has no profile.",
                "Dask's profiler was probably disabled on the workers: "
                "check distributed.worker.profile.enabled.",
            )
        write = to_speedscope if form == "speedscope" else to_collapsed
        write(trees, output)
    counts = [f"{NAMES[tree.scope]} {round(tree.count):,}" for tree in trees]
    reporter(output)(f"{one_line(output)}: samples of {', '.join(counts)}")


def _tables(recording: RecordingStore, output: Path, form: str) -> None:
    with Progress(f"Writing {output}") as progress:
        write = to_csv if form == "csv" else write_parquet
        files = write(recording, output, progress.at)
    rows = count_text(recording.counts.rows, "row")
    say(f"{one_line(output)}: {count_text(len(files), 'file')}, {rows} of tasks")


def beside(file: str, ending: str) -> Path:
    """Return the path of a result: beside the file, or here if that is a URL or a pipe.

    >>> beside("runs/monday.daskscope", ".html").as_posix()
    'runs/monday.html'
    >>> beside("s3://bucket/runs/monday.daskscope", "-tables").as_posix()
    'monday-tables'
    >>> [beside(f"/dev/{name}", ".html").as_posix() for name in ("stdin", "shm/run.daskscope")]
    ['stdin.html', '/dev/shm/run.html']
    """
    path = Path(urlsplit(file).path if is_url(file) else file)
    if is_url(file) or is_stream(file) or _SYSTEM_FILE.match(file):
        path = Path(path.name)
    stem = path.name or "run"
    for known in _ENDINGS:
        stem = stem.removesuffix(known)
    return path.parent / f"{stem}{ending}"


def place_of(output: str | None, file: str, ending: str) -> Path:
    """Return the path of a result: the given one, or beside the file; never a recording's."""
    if output:
        check_no_url(output)
    place = Path(output) if output else beside(file, ending)
    check_place(file, place)
    return place


def reading(file: str) -> Progress:
    """Return the progress line for reading a file."""
    return Progress(f"Reading {without_secrets(file)}")


def recording_of(file: str) -> RecordingStore:
    """Open the input of a result, and warn if it is truncated."""
    with reading(file):
        recording = opened(file)
    if not recording.about_facts["whole"]:
        warn(
            f"{one_line(without_secrets(file))} is truncated: the result has everything before that"
        )
    return recording


def check_apart(file: str, output: Path, option: str = "--output") -> None:
    """Refuse to overwrite the input; `option` names another place."""
    if not is_url(file) and output.exists() and real(file) == real(output):
        raise DaskscopeError(
            "same-file",
            f"{output} is the input file; it is not overwritten.",
            f"Name another place with {option}.",
        )


def check_place(file: str, output: Path) -> None:
    """Refuse to overwrite the input or a recording: there may be no other copy."""
    check_apart(file, output)
    if is_recording(output):
        raise DaskscopeError(
            "is-recording",
            f"{output} is a recording; it is not overwritten.",
            "Name another place with --output.",
        )
