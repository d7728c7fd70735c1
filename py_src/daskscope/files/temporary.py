"""Temporary files: where they go, and the error if none can be written."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from daskscope import config
from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from collections.abc import Iterator


def temporary_directory() -> str | None:
    """Return where temporary files go, made if it is not there; nothing for the system's place."""
    directory = config.recording_limits().directory
    if directory is not None:
        Path(directory).mkdir(parents=True, exist_ok=True)
    return directory


@contextmanager
def in_temporary_file() -> Iterator[None]:
    """Raise errors of temporary files as errors of their directory."""
    try:
        yield
    except OSError as error:
        # Where the system has no place that can be written to, gettempdir() would fail again.
        place = config.recording_limits().directory or tempfile.tempdir or "the system's place"
        raise DaskscopeError(
            "no-room",
            f"No temporary file could be written in {place}: {error.strerror or error}.",
            "Free some space there, or set another directory with "
            "dask.config.set({'daskscope.recording.directory': …}).",
        ) from error


def temporary_file() -> IO[bytes]:
    """Return a file that is gone when it is closed."""
    with in_temporary_file():
        return tempfile.TemporaryFile(dir=temporary_directory())


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a folder that is gone afterwards."""
    with in_temporary_file():
        folder = tempfile.TemporaryDirectory(
            prefix="daskscope-", dir=temporary_directory(), ignore_cleanup_errors=True
        )
    with folder as name:
        yield Path(name)
