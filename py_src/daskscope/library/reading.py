"""What reports and recordings say of themselves, for files that lie in a library without facts."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from daskscope.library.facts import Facts, Kind
from daskscope.recording.about import ABOUT
from daskscope.recording.file_reader import MAX_JSON_BYTES
from daskscope.recording.file_writer import HEADER
from daskscope.recording.file_zip import BadZipError, Members
from daskscope.report.html import SCRIPT_END, SUMMARY_BEGIN

if TYPE_CHECKING:
    from collections.abc import Mapping

_SLICE_BYTES: Final = 2**20


def read_facts(file: IO[bytes], kind: Kind, written: float) -> Facts | None:
    """Return what a file says of itself; nothing if it is no report or recording of ours."""
    found = _summary(file) if kind == "report" else _about(file)
    return None if found is None else Facts.of(found, kind, written)


def _summary(file: IO[bytes]) -> Mapping[str, Any] | None:
    """Find the summary in a report, without what comes behind it."""
    before = _up_to(file, SUMMARY_BEGIN, b"")
    if before is None:
        return None
    found = _up_to(file, SCRIPT_END, before[1])
    return None if found is None else _object(found[0])


def _up_to(file: IO[bytes], mark: bytes, begun: bytes) -> tuple[bytes, bytes] | None:
    """Read until a mark; return what is in front of it and what was read behind it."""
    read = bytearray(begun)
    searched = 0
    while True:
        place = read.find(mark, searched)
        if place >= 0:
            return bytes(read[:place]), bytes(read[place + len(mark) :])
        searched = max(len(read) - len(mark), 0)
        more = file.read(_SLICE_BYTES) if len(read) <= MAX_JSON_BYTES else b""
        if not more:
            return None
        read += more


def _about(file: IO[bytes]) -> Mapping[str, Any] | None:
    """Take what a recording knows of itself at its end, else what it knew at its beginning."""
    facts: Mapping[str, Any] | None = None
    try:
        for member, data in Members(cast("BinaryIO", file)):
            if facts is None:
                header = _object(data) if member == HEADER else None
                if header is None:
                    return None
                first = header.get("facts")
                facts = first if isinstance(first, dict) else {}
            elif member == ABOUT:
                facts = _object(data) or facts
    except BadZipError:  # what comes first was read all the same
        pass
    return facts


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data) if len(data) <= MAX_JSON_BYTES else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
