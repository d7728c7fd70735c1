"""Takes summary and recording out of a report again. Nothing in the file is believed."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from daskscope.errors import DaskscopeError
from daskscope.files.reading import open_to_read
from daskscope.recording.file_reader import begins_as_recording, finite_json
from daskscope.report import base85
from daskscope.report.html import RECORDING_BEGIN, SCRIPT_END, SUMMARY_BEGIN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

MAX_SUMMARY_BYTES: Final = 16_000_000
MAX_BEFORE_BYTES: Final = 16_000_000
"""Style and static figures take far less."""

SLICE_BYTES: Final = 2**20
_SPACE: Final = re.compile(rb"\s+")


def extract_to(html_path: str | PathLike[str], out: IO[bytes]) -> dict[str, Any]:
    """Write the recording of a report somewhere, piece by piece; return the summary.

    A truncated file is an error; `daskscope.load` opens what is complete.

    >>> with open("taken.daskscope", "wb") as file:
    ...     figures = extract_to("run.html", file)
    >>> figures["title"], figures["tasks"]["kept"], daskscope.load("taken.daskscope").counts.kept
    ('A run', 320, 320)
    """
    with open_to_read(html_path) as (file, name):
        if begins_as_recording(cast("BinaryIO", file)):
            raise DaskscopeError(
                "is-recording",
                f"{name} is a recording, not a report.",
                "daskscope info, report and export read it; daskscope.load opens it.",
            )
        figures, whole = take(file, out, name)
    if not whole:
        raise DaskscopeError(
            "cut-file",
            f"{name} is truncated: its recording is incomplete.",
            f"daskscope.load({name!r}) opens what is there.",
        )
    return figures


def is_report(file: IO[bytes]) -> bool:
    """Return whether a file begins as HTML does; recordings do not."""
    file.seek(0)
    begin = file.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip()
    file.seek(0)
    return begin.startswith(b"<")


def take(file: IO[bytes], out: IO[bytes], name: str) -> tuple[dict[str, Any], bool]:
    """Copy the recording as far as it is there; return the summary, and whether all was there."""
    try:
        text = _Text(file)
        figures = _figures(text)
        text.skip_past(RECORDING_BEGIN, SLICE_BYTES)
        _decode(text.until(SCRIPT_END), out)
    except _BadReportError as error:
        raise DaskscopeError(
            "bad-file",
            f"{name} cannot be read: {error}.",
            "Only reports that daskscope wrote can be opened.",
        ) from error
    return figures, text.ended


def summary_of(file: IO[bytes]) -> dict[str, Any] | None:
    """Return the summary alone, without what comes behind it; nothing if it is no report."""
    try:
        return _figures(_Text(file))
    except _BadReportError:
        return None


class _BadReportError(ValueError):
    """What is wrong, in words."""


class _Text:
    """Reads a file from mark to mark, one slice at a time."""

    def __init__(self, file: IO[bytes]) -> None:
        self.ended = False
        """Whether the last mark was found, or the file was over before it."""
        self._file = file
        self._read = b""
        file.seek(0)

    def skip_past(self, mark: bytes, limit: int) -> None:
        for _ in self.until(mark, limit):
            pass
        if not self.ended:
            raise _BadReportError("it is not a daskscope report, or it is truncated")

    def until(self, mark: bytes, limit: int | None = None) -> Iterator[bytes]:
        """Yield the bytes in front of a mark, in pieces."""
        self.ended = False
        length = 0
        more = b"-"
        while not self.ended and more:
            place = self._read.find(mark)
            if place >= 0:
                piece, self._read = self._read[:place], self._read[place + len(mark) :]
                self.ended = True
            else:
                more = self._file.read(SLICE_BYTES)
                # The mark may begin in the last bytes that were read.
                cut = max(len(self._read) - len(mark) + 1, 0) if more else len(self._read)
                piece, self._read = self._read[:cut], self._read[cut:] + more
            length += len(piece)
            if limit is not None and length > limit:
                raise _BadReportError("it is larger than any daskscope report")
            yield piece


def _figures(text: _Text) -> dict[str, Any]:
    text.skip_past(SUMMARY_BEGIN, MAX_BEFORE_BYTES)
    summary = b"".join(text.until(SCRIPT_END, MAX_SUMMARY_BYTES))
    if not text.ended:
        raise _BadReportError("it is truncated before its recording")
    try:
        figures = finite_json(summary)
    except (ValueError, RecursionError) as error:
        raise _BadReportError("its summary is not JSON") from error
    if not isinstance(figures, dict):
        raise _BadReportError("its summary is unexpected JSON")
    return figures


def _decode(pieces: Iterator[bytes], out: IO[bytes]) -> None:
    """Decode base 85; of a truncated text, the complete part."""
    rest = b""
    try:
        for piece in pieces:
            text = rest + _SPACE.sub(b"", piece)
            whole = len(text) - len(text) % base85.CHARACTERS
            text, rest = text[:whole], text[whole:]
            out.write(base85.decode(text))
        out.write(base85.decode(rest))
    except ValueError as error:
        raise _BadReportError("its recording is damaged") from error
