"""A recording as a Chrome trace: JSON that Perfetto and chrome://tracing open.

Workers are processes and their threads threads; what is not computing is on threads of its
own below, since it overlaps with it, and whatever still overlaps is on further ones. So
the slices of a thread nest, without which viewers drop some or show them wrong.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from os import fspath
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from daskscope.export.chrome_cluster import write_cluster
from daskscope.export.chrome_lines import Lines, as_json
from daskscope.export.chrome_slices import Slices
from daskscope.export.clock import clock_of
from daskscope.version import installed_version
from daskscope.written import written

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from daskscope.recording import RecordingStore

GZIP_LEVEL = 6


@dataclass(frozen=True)
class TraceCounts:
    """How many rows became slices, and how many have times that no trace can show."""

    rows: int
    left_out: int


def to_chrome(
    recording: RecordingStore,
    path: str | PathLike[str],
    watch: Callable[[int, int], None] | None = None,
) -> TraceCounts:
    """Write a recording as a Chrome trace; compressed where the name ends with ``.gz``.

    `watch` is told while it is written: how many rows of how many are done.
    """
    with written(path) as file:
        if not fspath(path).endswith(".gz"):
            return write_chrome(recording, file, watch)
        # Without a name and a time of its own: the same recording gives the same file.
        with gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0) as packed:
            return write_chrome(recording, cast("BinaryIO", packed), watch)


def write_chrome(
    recording: RecordingStore,
    out: BinaryIO,
    watch: Callable[[int, int], None] | None = None,
) -> TraceCounts:
    """Write a recording as a Chrome trace into an open file."""
    clock = clock_of(recording)
    lines = Lines(out)
    out.write(b'{"displayTimeUnit":"ms","traceEvents":[')
    write_cluster(recording, lines, clock)
    slices = Slices(recording, lines, clock)
    slices.write(watch or _nobody)
    lines.flush()
    about: dict[str, Any] = {
        "recorded with": f"daskscope {installed_version()}",
        "zero, seconds since the epoch": clock.zero,
        "title": str(recording.about_facts.get("title") or ""),
        "tasks kept": recording.counts.kept,
        "tasks captured": recording.counts.captured,
        "rows left out, whose times cannot be": slices.left_out,
    }
    out.write(f'\n],"otherData":{as_json(about)}}}\n'.encode("utf-8", "replace"))
    return TraceCounts(slices.rows, slices.left_out)


def _nobody(done: int, of: int) -> None:
    """Watch nothing."""
