"""Files that appear under their name once they are whole."""

from __future__ import annotations

import os
import secrets
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
    target = Path(os.path.realpath(path))  # what a link points to, not the link
    part = target.with_name(f".daskscope-{secrets.token_hex(8)}.part")
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        with part.open("xb") as file:
            yield file
        part.replace(target)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            raise not_written(path, error) from error
        raise


def not_written(path: str | PathLike[str], error: OSError) -> DaskscopeError:
    """Return what to tell whoever wanted a file."""
    return DaskscopeError(
        "not-written",
        f"{os.fspath(path)} could not be written: {error.strerror or error}.",
        "Nothing was left behind. Choose another place, or make room there.",
    )
