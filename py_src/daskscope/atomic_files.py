"""Files that appear under their name once they are whole."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from daskscope.errors import DaskscopeError
from daskscope.urls import is_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike


@contextmanager
def written(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write; what was there before stays until this one is whole.

    Pipes and devices are written to as they are: nothing can take their place. Where whoever
    reads a pipe has enough, that is a `BrokenPipeError`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written(Path(folder) / "a.txt") as file:
    ...         before = (Path(folder) / "a.txt").exists()
    ...         _ = file.write(b"whole")
    ...     before, (Path(folder) / "a.txt").read_bytes()
    (False, b'whole')
    """
    streamed = is_stream(path)
    try:
        # A pipe without a name has a path only as what was given, such as /dev/stdout.
        with Path(path).expanduser().open("wb") if streamed else replaced(real(path)) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise not_written(path, error, "" if streamed else NOTHING_LEFT) from error


def is_stream(path: str | PathLike[str]) -> bool:
    """Return whether a path is that of a pipe or a device."""
    try:
        mode = Path(path).expanduser().stat().st_mode
    except (OSError, RuntimeError, ValueError):  # no home; a NUL in it
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def replaced(target: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Open a file that takes the place of another one in one step. Raises `OSError`.

    It takes the permissions of that one; a private file is for its user alone.
    """
    check_no_directory(target)
    part = target.with_name(f".daskscope-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            take_mode(part, target)
            if private:
                part.chmod(0o600)
            yield file
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@contextmanager
def written_folder(directory: str | PathLike[str]) -> Iterator[Path]:
    """Give a folder for files that come into `directory` together, once all are whole.

    It is made where it is not there, but not the directories above. Other files that are
    there stay, and those that are replaced may be read by whom they were. Where that fails
    nothing is left behind.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_folder(Path(folder) / "tables") as part:
    ...         _ = (part / "a.csv").write_bytes(b"whole")
    ...     [path.name for path in (Path(folder) / "tables").iterdir()]
    ['a.csv']
    """
    target = Path(directory) if is_stream(directory) else real(directory)
    made, left = not target.exists(), NOTHING_LEFT
    part = target / f".daskscope-{secrets.token_hex(8)}.part"
    try:
        target.mkdir(exist_ok=True)
        part.mkdir(mode=0o700)
        yield part
        paths = list(part.iterdir())
        for path in paths:
            check_no_directory(target / path.name)
        left = ""
        for path in paths:
            take_mode(path, target / path.name)
            path.replace(target / path.name)
    except OSError as error:
        raise not_written(error.filename2 or directory, error, left) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if made:
            with suppress(OSError):  # it has files now
                target.rmdir()


def take_mode(part: Path, target: Path) -> None:
    """Give a file that is to replace another one the permissions of that, if there is one."""
    with suppress(OSError):  # such as that of a disk without them
        part.chmod(target.stat().st_mode & 0o777)


def check_no_directory(path: Path) -> None:
    """Raise the `OSError` of a file that is to be where a directory is, before it is written."""
    if path.is_dir():
        error = IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        error.filename2 = str(path)
        raise error


def text_of(path: str | PathLike[str], argument: str = "path") -> str:
    """Return a path that a user passed as text, or raise an error that names the argument.

    >>> text_of(Path("run.daskscope"))
    'run.daskscope'
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{argument} must be text or a path, got {type(path).__name__}")
    text = os.fspath(path)
    for wrong, what in ((not text, "is empty"), ("\0" in text, "has a NUL character")):
        if wrong:
            raise DaskscopeError("bad-path", f"The {argument} {what}.", "Give a file name.")
    return text


def real(path: str | PathLike[str]) -> Path:
    """Return what a link points to, not the link; `~` is whose home it is. A URL is refused."""
    check_no_url(path)
    try:
        return Path(os.path.realpath(Path(path).expanduser()))
    except RuntimeError as error:
        raise DaskscopeError(
            "bad-path",
            f"Cannot expand {os.fspath(path)}: no such user.",
            "Check the name after `~`.",
        ) from error


def check_no_url(path: str | PathLike[str]) -> None:
    """Raise an error for a URL."""
    place = os.fspath(path)
    if is_url(place):
        raise DaskscopeError(
            "bad-path",
            f"A URL ({place.partition(':')[0]}://…) is not supported here.",
            "Give a path, and copy the file afterwards, for example with fsspec; only reports can "
            "be written to a URL.",
        )


NOTHING_LEFT: Final = "No file was written."


def not_written(
    path: str | PathLike[str], error: OSError, left: str = NOTHING_LEFT
) -> DaskscopeError:
    """Return the error for a file that could not be written; `left` says what remains."""
    if isinstance(error, FileNotFoundError):
        todo = "Create its directory first, or choose another place."
    else:
        todo = "Choose another place, or free some space."
    return DaskscopeError(
        "not-written",
        f"{os.fspath(path)} could not be written: {error.strerror or error}.",
        f"{left} {todo}".strip(),
    )
