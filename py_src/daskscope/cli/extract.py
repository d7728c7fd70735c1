"""`daskscope extract`: the recording and the summary of a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from daskscope.cli.console import plain, say
from daskscope.cli.places import beside, check_apart, reading
from daskscope.errors import DaskscopeError
from daskscope.report.extract import extract_to
from daskscope.words import bytes_text
from daskscope.written import check_no_url, not_written, real, written

if TYPE_CHECKING:
    import argparse


def run(given: argparse.Namespace) -> int:
    """Write both."""
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
        # Only now: it is a report, with an odd name.
        check_apart(given.file, recording, "--to")
        if not given.force:
            _check_free(recording, summary)
        # Within: where it cannot be written, the recording does not stay either.
        with written(summary) as beside_it:
            beside_it.write(json.dumps(figures, indent=1).encode("ascii"))
    for path in (recording, summary):
        say(f"{plain(path)}: {bytes_text(path.stat().st_size)}")
    return 0


def _check_free(*paths: Path) -> None:
    """Refuse to replace: the recording that a report was made of may hold more than that does."""
    for path in paths:
        if path.is_file():
            raise DaskscopeError(
                "file-there",
                f"{path} is there already: nothing was written.",
                "Name another directory with --to, or replace it with --force.",
            )
