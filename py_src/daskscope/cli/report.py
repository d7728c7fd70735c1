"""`daskscope report`: one HTML file of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from daskscope.cli.console import plain, plural, say, size
from daskscope.cli.places import beside, check_apart, check_no_recording, recording_of
from daskscope.cli.progress import Progress
from daskscope.library import keep
from daskscope.report.html import build
from daskscope.report.redact import redacted
from daskscope.written import written

if TYPE_CHECKING:
    import argparse


def run(given: argparse.Namespace) -> int:
    """Write it."""
    output = Path(given.output) if given.output else beside(given.file, ".html")
    check_apart(given.file, output)
    check_no_recording(output)
    recording = recording_of(given.file)
    if given.title is not None:
        recording.about_facts["title"] = given.title
    if given.redact:
        with Progress("Leaving out what the report must not tell"):
            recording = redacted(recording, given.redact)
    with Progress(f"Writing {output}") as progress, written(output) as file:
        figures = build(recording, file, progress.at)
    if output.is_file():  # and no pipe, which nobody can read again
        keep(output, figures)
    counts = recording.counts
    tasks = f"{counts.kept:,} of {plural(counts.captured, 'task')}"
    say(f"{plain(output)}: {tasks}, {size(output.stat().st_size)}")
    return 0
