"""Reading what is on a disk, in a pipe, or anywhere fsspec reaches."""

from __future__ import annotations

from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from daskscope.atomic_files import text_of
from daskscope.errors import DaskscopeError
from daskscope.files.temporary import in_temporary_file, temporary_file
from daskscope.urls import is_url, path_or_url, reason, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

FETCH_BYTES: Final = 2**20
MAX_PIPE_BYTES: Final = 2_000_000_000


@contextmanager
def open_to_read(path: str | PathLike[str]) -> Iterator[tuple[IO[bytes], str]]:
    """Open a path, or fetch what is at a URL; give the file, and its name without secrets."""
    place = path_or_url(text_of(path))
    name, what = without_secrets(place), "address" if is_url(place) else "path"
    try:
        file = _opened(place)
    except DaskscopeError:
        raise
    except FileNotFoundError as error:
        here = "" if is_url(place) else f"; this is {Path.cwd()}"
        todo = f"Check the {what}{here}."
        raise DaskscopeError("no-file", f"There is no file {name}.", todo) from error
    except ImportError as error:
        raise missing_package(place, error) from error
    except Exception as error:  # each kind of storage has its own
        raise DaskscopeError(
            "no-file",
            f"{name} cannot be read: {reason(error)}.",
            f"Check the {what}, and who may read it.",
        ) from error
    with file:
        yield file, name


def _opened(place: str) -> IO[bytes]:
    if is_url(place):
        import fsspec

        with fsspec.open(place, "rb") as remote:
            return _copied(remote, place)
    file = Path(place).expanduser().open("rb")
    if file.seekable():
        return file
    with file:  # a pipe, or a terminal
        return _copied(file, place, MAX_PIPE_BYTES)


def _copied(source: IO[bytes], name: str, most: float = inf) -> IO[bytes]:
    """Copy to a temporary file, which can be read in any order."""
    local, size = temporary_file(), 0
    try:
        while piece := source.read(FETCH_BYTES):
            size += len(piece)
            if size > most:
                raise DaskscopeError(
                    "too-large",
                    f"{name} has more than {most:,} bytes, the limit for pipes.",
                    "Write it to a file, and open the file.",
                )
            with in_temporary_file():
                local.write(piece)
        with in_temporary_file():
            local.seek(0)
    except BaseException:
        local.close()
        raise
    return local


def missing_package(url: str, error: ImportError) -> DaskscopeError:
    """Return the error if fsspec lacks a package for a kind of URL."""
    module = getattr(error.__cause__, "name", None) or ""
    # Some packages are called otherwise than their module; fsspec's words name the package.
    known = module and module in str(error)
    why = without_secrets(str(error)).rstrip(".")
    return DaskscopeError(
        "no-package",
        f"{without_secrets(url)} needs a package that is not installed: {why}.",
        f"Run pip install {module}." if known else "Install that package, with pip for example.",
    )
