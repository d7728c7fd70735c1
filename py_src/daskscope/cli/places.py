"""Where results go when nobody says so, and that they do not take the place of what is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from daskscope.cli.console import plain, warn
from daskscope.cli.progress import Progress
from daskscope.errors import DaskscopeError
from daskscope.loading import opened
from daskscope.recording.file_reader import is_recording
from daskscope.urls import is_url, without_secrets
from daskscope.written import check_no_url, is_stream, real

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore

_ENDINGS: Final = (".daskscope", ".html", ".htm")

_OF_SYSTEM: Final = re.compile(r"/dev/(?!shm/)|/proc/")
"""Nothing is written beside such a file: /dev/stdin may be one that has its place elsewhere."""


def beside(file: str, ending: str) -> Path:
    """Return the name of a result: beside a file, in this directory where that is a URL or a pipe.

    >>> beside("runs/monday.daskscope", ".html").as_posix()
    'runs/monday.html'
    >>> beside("s3://bucket/runs/monday.daskscope", "-tables").as_posix()
    'monday-tables'
    >>> [beside(f"/dev/{name}", ".html").as_posix() for name in ("stdin", "shm/run.daskscope")]
    ['stdin.html', '/dev/shm/run.html']
    """
    path = Path(urlsplit(file).path if is_url(file) else file)
    if is_url(file) or is_stream(file) or _OF_SYSTEM.match(file):
        path = Path(path.name)
    stem = path.name or "run"
    for known in _ENDINGS:
        stem = stem.removesuffix(known)
    return path.parent / f"{stem}{ending}"


def place_of(output: str | None, file: str, ending: str) -> Path:
    """Return where a result goes: as it was said, or beside the file. It is no other's place."""
    if output:
        check_no_url(output)
    place = Path(output) if output else beside(file, ending)
    check_apart(file, place)
    _check_no_recording(place)
    return place


def lasting(place: Path) -> Path | None:
    """Return where a result stays, before it is written; nothing for a pipe or a device.

    /dev/stdout may be a file, and another one afterwards.
    """
    return None if is_stream(place) else real(place)


def reading(file: str) -> Progress:
    """Return what shows that a file is read."""
    return Progress(f"Reading {without_secrets(file)}")


def recording_of(file: str) -> RecordingStore:
    """Open what a result is to be made of, and say where it was cut off."""
    with reading(file):
        recording = opened(file)
    if not recording.about_facts["whole"]:
        warn(f"{plain(without_secrets(file))} was cut off: this is made of what is whole of it")
    return recording


def check_apart(file: str, output: Path, option: str = "--output") -> None:
    """Refuse to write a result over what it is made of; `option` is how to name another place."""
    if not is_url(file) and output.exists() and real(file) == real(output):
        raise DaskscopeError(
            "same-file",
            f"{output} is the file that is read: nothing is written over it.",
            f"Name another place with {option}.",
        )


def _check_no_recording(output: Path) -> None:
    """Refuse to write a result of another kind over a recording: there may be no other copy."""
    if is_recording(output):
        raise DaskscopeError(
            "is-recording",
            f"{output} is a recording: nothing else is written over it.",
            "Name another place with --output.",
        )
