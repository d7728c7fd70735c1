"""What reports and recordings say of themselves, for files that lie in a library without facts."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, BinaryIO, cast

from daskscope.library.facts import Facts
from daskscope.recording.file_reader import about_in
from daskscope.report.extract import summary_of

if TYPE_CHECKING:
    from daskscope.library.facts import Kind


def read_facts(file: IO[bytes], kind: Kind, written: float) -> Facts | None:
    """Return what a file says of itself; nothing if it is no report or recording of ours."""
    found = summary_of(file) if kind == "report" else about_in(cast("BinaryIO", file))
    return None if found is None else Facts.of(found, kind, written)
