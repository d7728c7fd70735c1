"""`daskscope report`: one HTML file of a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from daskscope.cli.console import plain, say, teller
from daskscope.cli.places import lasting, place_of, recording_of
from daskscope.cli.progress import Progress
from daskscope.files.target import RemoteTarget, page_path, page_target
from daskscope.library import keep
from daskscope.report.html import build
from daskscope.report.redact import redacted
from daskscope.urls import is_url
from daskscope.words import bytes_text, count_text
from daskscope.written import not_written, written

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from daskscope.recording import RecordingStore


def run(given: argparse.Namespace) -> int:
    """Write it."""
    place = _place(given)
    recording = recording_of(given.file)
    if given.title is not None:
        recording.about_facts["title"] = given.title
    if given.redact:
        with Progress("Leaving out what the report must not tell"):
            recording = redacted(recording, given.redact)
    where = place.location if isinstance(place, RemoteTarget) else str(place)
    tell = say if isinstance(place, RemoteTarget) else teller(place)
    with Progress(f"Writing {where}") as progress:
        if isinstance(place, RemoteTarget):
            length = _put(recording, place, progress.at)
        else:
            length = _write(recording, place, progress.at)
    counts = recording.counts
    tasks = f"{counts.kept:,} of {count_text(counts.captured, 'task')}"
    tell(f"{plain(where)}: {tasks}{f', {bytes_text(length)}' if length else ''}")
    return 0


def _place(given: argparse.Namespace) -> Path | RemoteTarget:
    output = given.output
    if output and is_url(output):
        there = page_target(output)
        if isinstance(there, RemoteTarget):
            return there
        output = str(there.path)
    return place_of(output and page_path(output), given.file, ".html")


def _write(recording: RecordingStore, place: Path, watch: Callable[[int, int], None]) -> int:
    """Write it to a path; return its size, nothing of a pipe."""
    path = lasting(place)
    with written(place) as file:
        figures = build(recording, file, watch)
    if path is None:  # nobody can read it again
        return 0
    keep(path, figures)
    return path.stat().st_size


def _put(recording: RecordingStore, place: RemoteTarget, watch: Callable[[int, int], None]) -> int:
    """Write it to where a URL points to; return its size."""
    figures: dict[str, Any] = {}
    length = 0

    def fill(out: BinaryIO) -> None:
        figures.update(build(recording, out, watch))

    def whole(local: Path) -> None:
        nonlocal length
        length = local.stat().st_size
        keep(local, figures, location=place.location)

    try:
        place.write(fill, whole)
    except OSError as error:
        raise not_written(place.location, error, "") from error
    return length
