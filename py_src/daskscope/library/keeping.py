"""Puts what was just written into the library. What fails here costs no more than a warning."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daskscope import config
from daskscope.library.place import open_library, why
from daskscope.urls import without_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from types import FrameType

    from daskscope.library.facts import Kind


def keep(
    path: str | PathLike[str],
    facts: Mapping[str, Any],
    *,
    kind: Kind = "report",
    location: str | None = None,
) -> dict[str, Any] | None:
    """Copy a report or a recording that was written; return what `list_…` will say of it.

    `facts` are a report's summary, or what a recording has in `about`, with `private` and what
    else the copy should be known by. `location` is where the file at `path` was put for its
    user, if that is elsewhere. If the library does not take it, a warning says why.
    """
    name = without_secrets(str(path) if location is None else location)
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
        entry = library.add(Path(path).expanduser(), kind, facts, Path(name).stem)
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


def _warn(text: str) -> None:
    """Warn whoever called us from outside of daskscope."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("daskscope"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)
