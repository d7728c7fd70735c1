"""`daskscope export`: a recording in the format of another program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daskscope.cli.console import plain, say, teller, warn
from daskscope.cli.parser import PROFILE_FORMATS
from daskscope.cli.places import lasting, place_of, recording_of
from daskscope.cli.progress import Progress
from daskscope.errors import DaskscopeError
from daskscope.export import to_chrome, to_csv
from daskscope.recording.parquet import write_parquet
from daskscope.words import bytes_text, count_text

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from daskscope.recording import RecordingStore

ENDINGS: Final = {"chrome": ".trace.json.gz", "parquet": "-parquet", "csv": "-csv"}


def run(given: argparse.Namespace) -> int:
    """Write it."""
    if given.to in PROFILE_FORMATS:
        raise DaskscopeError(
            "no-profile",
            f"{given.to} is a format of profiles, which this version of daskscope does not "
            "record yet.",
            f"--to {', '.join(ENDINGS)} can be written.",
        )
    output = place_of(given.output, given.file, ENDINGS[given.to])
    recording = recording_of(given.file)
    if given.to == "chrome":
        _chrome(recording, output)
    else:
        _tables(recording, output, given.to)
    return 0


def _chrome(recording: RecordingStore, output: Path) -> None:
    path, tell = lasting(output), teller(output)
    with Progress(f"Writing {output}") as progress:
        counts = to_chrome(recording, output, progress.at)
    written_size = f", {bytes_text(path.stat().st_size)}" if path else ""
    tell(f"{plain(output)}: {count_text(counts.rows, 'slice')}{written_size}")
    if counts.left_out:
        rows = count_text(counts.left_out, "row")
        warn(f"{rows} left out: their times are more than thirty years from the others, or none")


def _tables(recording: RecordingStore, output: Path, form: str) -> None:
    with Progress(f"Writing {output}") as progress:
        write = to_csv if form == "csv" else write_parquet
        files = write(recording, output, progress.at)
    rows = count_text(recording.counts.rows, "row")
    say(f"{plain(output)}: {count_text(len(files), 'file')}, {rows} of tasks")
