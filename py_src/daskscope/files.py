"""Opening what was saved: recordings and reports, from a disk or from anywhere fsspec reaches."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from daskscope import config
from daskscope.errors import DaskscopeError
from daskscope.recording import Recording, RecordingCore
from daskscope.recording.file_reader import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike


def load(path: str | PathLike[str]) -> Recording:
    """Open a recording: a ``.daskscope`` file or a report, on disk or at a URL such as ``s3://…``.

    What was cut off, since its program was killed, opens as far as it is whole;
    ``recording.about["whole"]`` says so. URLs need fsspec and what it needs for their kind.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Recording(RecordingCore()).save(pathlib.Path(folder) / "run.daskscope")
    ...     load(path).about["whole"]
    True
    """
    return Recording(opened(path))


def opened(path: str | PathLike[str]) -> RecordingCore:
    """Open a recording for our own code."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be text or a path, got {type(path).__name__}")
    limits = config.recording_limits()
    recording = RecordingCore(
        memory_limit=limits.memory_limit,
        disk_limit=limits.disk_limit,
        overflow=limits.overflow,
        directory=limits.directory,
    )
    name = os.fspath(path)
    from daskscope.report import extract

    with open_to_read(name) as file:
        if extract.is_report(file):
            with tempfile.TemporaryFile(dir=temporary_directory()) as taken:
                extract.take(file, taken, name)
                read_file(cast("BinaryIO", taken), recording, name)
        else:
            read_file(cast("BinaryIO", file), recording, name)
    return recording


URL_MARK: Final = "://"


def temporary_directory() -> str | None:
    """Return where temporary files go, made if it is not there; nothing for the system's place."""
    directory = config.recording_limits().directory
    if directory is not None:
        Path(directory).mkdir(parents=True, exist_ok=True)
    return directory


@contextmanager
def open_to_read(name: str) -> Iterator[IO[bytes]]:
    """Open a path, or fetch what is at a URL; errors say what to do."""
    try:
        if URL_MARK in name:
            with tempfile.TemporaryFile(dir=temporary_directory()) as local:
                with fsspec().open(name, "rb") as remote:
                    shutil.copyfileobj(remote, local)
                local.seek(0)
                yield local
        else:
            with Path(name).expanduser().open("rb") as file:
                yield file
    except FileNotFoundError as error:
        raise DaskscopeError(
            "no-file", f"There is no file {name}.", f"Check the path; this is {Path.cwd()}."
        ) from error
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        raise DaskscopeError(
            "no-file", f"{name} cannot be read: {why}.", "Check the path, and who may read it."
        ) from error


def fsspec() -> Any:
    """Return the module that opens URLs."""
    try:
        import fsspec as module
    except ImportError as error:
        raise DaskscopeError(
            "no-fsspec",
            "fsspec, which opens URLs, is not installed.",
            "Run pip install fsspec, and what it needs for this kind of URL.",
        ) from error
    return module
