"""Where a file is to be written: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

from daskscope.atomic_files import is_stream, not_written, real, text_of, written
from daskscope.errors import DaskscopeError
from daskscope.files.reading import missing_package
from daskscope.files.temporary import in_temporary_file, temporary_folder
from daskscope.urls import is_url, path_or_url, reason, without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

T = TypeVar("T")

PAGE: Final = ".html"
PAGES: Final = (PAGE, ".htm")
"""In capitals, too: neither JupyterLab nor a server shows what ends otherwise as a page."""


def page_target(
    filename: str | PathLike[str], *, streams: bool = False
) -> LocalTarget | RemoteTarget:
    """Return where a page is written; a name without an ending gets that of pages."""
    place = path_or_url(text_of(filename, "filename"))
    if not is_url(place):
        return LocalTarget(page_path(place), streams=streams)
    there = RemoteTarget(place)
    name = there.filename
    return there if PurePath(name).suffix else there.beside(name + PAGE)


def page_path(path: str) -> str:
    """Return a path with the ending of a page, if it has none.

    What is there already and no file stays as it is: directories, pipes, devices; and links,
    such as /dev/stdout, which may lead to a file.

    >>> page_path("runs/run"), page_path("run.htm"), page_path(".")
    ('runs/run.html', 'run.htm', '.')
    """
    page, there = Path(path), os.path.expanduser(path)  # noqa: PTH111 - raises nothing
    other = os.path.islink(there) or os.path.isdir(there) or is_stream(path)  # noqa: PTH112, PTH114
    return path if page.suffix or other else str(page.with_name(page.name + PAGE))


class LocalTarget:
    """A file on a disk; what is there is replaced in one step. A pipe or device, if allowed."""

    def __init__(self, name: str, *, streams: bool = False) -> None:
        self.name = name
        self._streamed = streams and is_stream(name)
        try:
            # The directory may be another one when the time comes to write. Of a pipe without a
            # name there is only the path that was given, such as /dev/stdout.
            self.path = Path(name).expanduser() if self._streamed else real(name)
            self.filename, self.location = self.path.name, str(self.path)
            if not self._streamed:
                self._check()
        except (OSError, ValueError) as error:  # a NUL in it
            raise _cannot(name, reason(error)) from error

    def _check(self) -> None:
        if is_stream(self.name):
            raise _cannot(self.name, "it is not a regular file")
        with suppress(FileNotFoundError):
            if stat.S_ISDIR(self.path.stat().st_mode):
                raise _cannot(self.name, "it is a directory")
        if not self.path.parent.is_dir():
            raise DaskscopeError(
                "bad-path",
                f"There is no directory {self.path.parent} for {self.path.name}.",
                f"Create it, or choose another filename; the current directory is {Path.cwd()}.",
            )
        with tempfile.NamedTemporaryFile(dir=self.path.parent, prefix=".daskscope-"):
            pass

    def beside(self, name: str) -> LocalTarget:
        """Return a target of another name in the same directory."""
        return LocalTarget(str(self.path.with_name(name)))

    def write(self, fill: Callable[[BinaryIO], T], then: Callable[[Path, T], object]) -> None:
        """Let `fill` write the file; it appears once it is whole.

        `then` is called with its path on this machine and what `fill` returned, if it is a file.
        """
        with written(self.path) as file:
            filled = fill(file)
        if not self._streamed:  # a pipe cannot be read again
            then(self.path, filled)


class RemoteTarget:
    """Where a URL points to that fsspec can write; the file is made here, then put there.

    A URL may contain credentials; they are never shown.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.name = self.location = without_secrets(url)
        self.filename = self.name.rpartition("/")[2]
        try:
            import fsspec

            self._files: Any
            self._files, self._path = fsspec.core.url_to_fs(url)
        except ImportError as error:
            raise missing_package(url, error) from error
        except Exception as error:
            raise _cannot(self.name, reason(error)) from error
        if not self.filename:
            raise _cannot(self.name, "it does not name a file")

    def beside(self, name: str) -> RemoteTarget:
        """Return a target of another name in the same place."""
        own = rf"{re.escape(self.filename)}(?=[?#]|$)"
        return RemoteTarget(re.sub(own, lambda _: name, self._url, count=1))

    def write(self, fill: Callable[[BinaryIO], T], then: Callable[[Path, T], object]) -> None:
        """Let `fill` write the file, then put it into its place.

        `then` is called with its path on this machine, a temporary one, and what `fill` returned.
        """
        with temporary_folder() as folder:
            local = folder / "report"
            with in_temporary_file(), local.open("xb") as file:
                filled = fill(file)
            try:
                self._files.put_file(str(local), self._path)
            except Exception as error:  # each kind of storage has its own
                raise not_written(self.name, OSError(reason(error)), "") from error
            then(local, filled)


def _cannot(name: str, why: str) -> DaskscopeError:
    text = f"Nothing can be written to {name}: {why}."
    return DaskscopeError("bad-path", text, "Choose another filename.")
