"""Puts what was just written into the library. What fails here costs no more than a warning."""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daskscope import config
from daskscope.library.facts import SUFFIXES, Kind
from daskscope.library.place import open_library, why
from daskscope.library.store import is_url, without_password

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike
    from types import FrameType


def keep(path: str | PathLike[str], facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Copy a report or a recording that was written; return what `list_…` will say of it.

    `facts` are a report's summary, or what a recording has in `about`, with `private` and what
    else the copy should be known by. If the library does not take it, a warning says why.
    """
    name = without_password(str(path))
    try:
        settings = config.library_settings()
        if not settings.enabled:
            return None
        library, store = open_library(settings)
        if store.remote and facts.get("private") is True:
            _warn(
                f"{name} is private, so no copy of it was put into the library at {store.name}, "
                "which others may read."
            )
            return None
        kind: Kind = "recording" if name.endswith(SUFFIXES["recording"]) else "report"
        with _local(path) as file:
            entry = library.add(file, kind, facts, Path(name).stem)
    except Exception as error:  # noqa: BLE001 - whatever stores raise
        _warn(
            f"{name} was written, but no copy of it could be put into the library: {why(error)}. "
            "Check daskscope.library.path, or set daskscope.library.enabled to false."
        )
        return None
    try:
        library.retain(settings, entry.facts.user)
    except Exception as error:  # noqa: BLE001
        _warn(f"Old reports could not be removed from the library at {store.name}: {why(error)}.")
    return entry.to_json()


@contextmanager
def _local(path: str | PathLike[str]) -> Iterator[Path]:
    """Fetch what is at a URL."""
    if not is_url(str(path)):
        yield Path(path).expanduser()
        return
    from daskscope.files import open_to_read

    with tempfile.TemporaryDirectory(dir=config.recording_limits().directory) as folder:
        fetched = Path(folder) / "fetched"
        with open_to_read(str(path)) as remote, fetched.open("wb") as file:
            shutil.copyfileobj(remote, file)
        yield fetched


def _warn(text: str) -> None:
    """Warn whoever called us from outside of daskscope."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("daskscope"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)
