"""Reading what is on a disk, in a pipe, or anywhere fsspec reaches."""

from __future__ import annotations

from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from daskscope.errors import DaskscopeError
from daskscope.files.remote import lacking
from daskscope.files.temporary import in_temporary_file, temporary_file
from daskscope.urls import is_url, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

FETCH_BYTES: Final = 2**20
MAX_PIPE_BYTES: Final = 2_000_000_000


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
        import fsspec

        with fsspec.open(url, "rb") as remote:
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
