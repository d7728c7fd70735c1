"""Opening what was saved: recordings and reports, from a disk or from anywhere fsspec reaches."""

from __future__ import annotations

import tempfile
import warnings
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from daskscope import config
from daskscope.errors import DaskscopeError
from daskscope.recording import Recording, RecordingCore
from daskscope.recording.file_reader import read_file
from daskscope.urls import is_url, path_or_url, without_secrets
from daskscope.written import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike


def load(path: str | PathLike[str]) -> Recording:
    """Open a recording: a ``.daskscope`` file or a report, on disk or at a URL such as ``s3://…``.

    What was cut off, since its program was killed or it was copied in part, opens as far as
    it is whole: a warning and ``recording.about["whole"]`` say so. URLs need fsspec and what
    it needs for their kind.

    >>> rec = daskscope.load("run.daskscope")
    >>> rec.about["title"], rec.about["whole"]
    ('A run', True)
    """
    core = opened(path)
    if not core.about_facts["whole"]:
        warnings.warn(
            f"{without_secrets(text_of(path))} was cut off: its program was stopped, or it was "
            "not copied to its end. Opened is what is whole of it; tables and figures of the whole "
            "may be missing.",
            stacklevel=2,
        )
    return Recording(core)


def opened(path: str | PathLike[str]) -> RecordingCore:
    """Open a recording for our own code."""
    place = path_or_url(text_of(path))
    name = without_secrets(place)
    limits = config.recording_limits()
    recording = RecordingCore(
        memory_limit=limits.memory_limit,
        disk_limit=limits.disk_limit,
        overflow=limits.overflow,
        directory=limits.directory,
    )
    from daskscope.report import extract

    with open_to_read(place) as file:
        if extract.is_report(file):
            with temporary_file() as taken:
                with in_temporary_file():
                    extract.take(file, taken, name)
                read_file(cast("BinaryIO", taken), recording, name)
        else:
            read_file(cast("BinaryIO", file), recording, name)
    return recording


FETCH_BYTES: Final = 2**20
MAX_PIPE_BYTES: Final = 2_000_000_000


def temporary_directory() -> str | None:
    """Return where temporary files go, made if it is not there; nothing for the system's place."""
    directory = config.recording_limits().directory
    if directory is not None:
        Path(directory).mkdir(parents=True, exist_ok=True)
    return directory


@contextmanager
def in_temporary_file() -> Iterator[None]:
    """Say of what fails that it is the place of temporary files: only they are written here."""
    try:
        yield
    except OSError as error:
        # Where the system has no place that can be written to, gettempdir() would fail again.
        place = config.recording_limits().directory or tempfile.tempdir or "the system's place"
        raise DaskscopeError(
            "no-room",
            f"No temporary file could be written in {place}: {error.strerror or error}.",
            "Make room there, or name another directory by "
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


@contextmanager
def open_to_read(place: str) -> Iterator[IO[bytes]]:
    """Open a path, or fetch what is at a URL; errors say what to do, without secrets."""
    with _fetched(place) if is_url(place) else _opened(place) as file:
        yield file


def _opened(path: str) -> IO[bytes]:
    try:
        file = Path(path).expanduser().open("rb")
    except FileNotFoundError as error:
        raise DaskscopeError(
            "no-file", f"There is no file {path}.", f"Check the path; this is {Path.cwd()}."
        ) from error
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in it; no home
        raise _unreadable(path, error) from error
    if file.seekable():
        return file
    with file:  # a pipe, or a terminal
        try:
            return _copied(file, path, MAX_PIPE_BYTES)
        except OSError as error:
            raise _unreadable(path, error) from error


def _copied(source: IO[bytes], name: str, most: float = inf) -> IO[bytes]:
    """Copy into a temporary file: parts of it are wanted in any order."""
    local, size = temporary_file(), 0
    try:
        while piece := source.read(FETCH_BYTES):
            size += len(piece)
            if size > most:
                raise DaskscopeError(
                    "too-large",
                    f"{name} gives more than {most:,} bytes: a pipe may have no end.",
                    "Write it to a file, and open that.",
                )
            with in_temporary_file():
                local.write(piece)
        with in_temporary_file():
            local.seek(0)
    except BaseException:
        local.close()
        raise
    return local


def _fetched(url: str) -> IO[bytes]:
    try:
        with fsspec().open(url, "rb") as remote:
            return _copied(remote, url)
    except BaseException as error:
        if isinstance(error, FileNotFoundError):
            raise DaskscopeError(
                "no-file", f"There is no file {without_secrets(url)}.", "Check the address."
            ) from error
        if isinstance(error, ImportError):
            raise lacking(url, error) from error
        # Each kind of storage has errors of its own, and other words for them.
        if isinstance(error, Exception) and not isinstance(error, DaskscopeError):
            raise _unreadable(url, error) from error
        raise


def _unreadable(name: str, error: Exception) -> DaskscopeError:
    why = getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__
    return DaskscopeError(
        "no-file",
        f"{without_secrets(name)} cannot be read: {without_secrets(why).rstrip('.')}.",
        f"Check the {'address' if is_url(name) else 'path'}, and who may read it.",
    )


def fsspec() -> Any:
    """Return the module that opens URLs."""
    try:
        import fsspec as module
    except ImportError as error:
        raise DaskscopeError(
            "no-fsspec",
            "fsspec, which opens URLs, is not installed.",
            'Run pip install "daskscope[remote]", and what it needs for this kind of URL.',
        ) from error
    return module


def lacking(url: str, error: ImportError) -> DaskscopeError:
    """Return what to tell where fsspec lacks a package for a kind of URL."""
    module = getattr(error.__cause__, "name", None) or ""
    # Some packages are called otherwise than their module; fsspec's words name the package.
    package = module if module and module in str(error) else "and that package"
    why = without_secrets(str(error)).rstrip(".")
    return DaskscopeError(
        "no-fsspec",
        f"{without_secrets(url)} needs a package that is not installed: {why}.",
        f'Run pip install "daskscope[remote]" {package}.',
    )
