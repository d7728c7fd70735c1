"""Files that appear under their name once they are whole."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike


@contextmanager
def written(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write; what was there before stays until this one is whole.

    Pipes and devices are written to as they are: nothing can take their place.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written(Path(folder) / "a.txt") as file:
    ...         before = (Path(folder) / "a.txt").exists()
    ...         _ = file.write(b"whole")
    ...     before, (Path(folder) / "a.txt").read_bytes()
    (False, b'whole')
    """
    target = real(path)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        with replaced(target) as file:
            yield file
    except OSError as error:
        raise not_written(path, error) from error


@contextmanager
def replaced(target: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of another one in one step. Raises `OSError`."""
    part = target.with_name(f".daskscope-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
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
    there stay. Where that fails nothing is left behind.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_folder(Path(folder) / "tables") as part:
    ...         _ = (part / "a.csv").write_bytes(b"whole")
    ...     [path.name for path in (Path(folder) / "tables").iterdir()]
    ['a.csv']
    """
    target = real(directory)
    made = not target.exists()
    part = target / f".daskscope-{secrets.token_hex(8)}.part"
    try:
        if made:
            target.mkdir()
        part.mkdir()
        yield part
        for path in part.iterdir():
            path.replace(target / path.name)
        part.rmdir()
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        if made:
            with suppress(OSError):
                target.rmdir()
        if isinstance(error, OSError):
            raise not_written(directory, error) from error
        raise


def text_of(path: str | PathLike[str], argument: str = "path") -> str:
    """Return what a user gave as a path, or say what is wrong with the argument.

    >>> text_of(Path("run.daskscope"))
    'run.daskscope'
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{argument} must be text or a path, got {type(path).__name__}")
    text = os.fspath(path)
    for wrong, what in ((not text, "is empty"), ("\0" in text, "has a NUL character")):
        if wrong:
            raise DaskscopeError("bad-path", f"The {argument} {what}.", "Give one with a name.")
    return text


def real(path: str | PathLike[str]) -> Path:
    """Return what a link points to, not the link; `~` is whose home it is."""
    return Path(os.path.realpath(Path(path).expanduser()))


def not_written(path: str | PathLike[str], error: OSError) -> DaskscopeError:
    """Return what to tell whoever wanted a file."""
    if isinstance(error, FileNotFoundError):
        todo = "Make its directory first, or choose another place."
    else:
        todo = "Choose another place, or make room there."
    return DaskscopeError(
        "not-written",
        f"{os.fspath(path)} could not be written: {error.strerror or error}.",
        f"Nothing was left behind. {todo}",
    )
