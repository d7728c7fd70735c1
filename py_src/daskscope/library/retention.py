"""Which copies are kept no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daskscope.config import LibrarySettings
    from daskscope.library.library import Entry

DAY_S: Final = 86_400.0


def too_many(entries: Sequence[Entry], settings: LibrarySettings, now: float) -> list[Entry]:
    """Return what is beyond a limit, of entries that are sorted newest first.

    The newest is never among them. What is older than one that does not fit goes, too.
    """
    oldest = None if settings.keep_days is None else now - settings.keep_days * DAY_S
    total_bytes = 0
    for place, entry in enumerate(entries):
        total_bytes += entry.size
        if place and (
            (settings.keep_reports is not None and place >= settings.keep_reports)
            or (oldest is not None and entry.facts.created < oldest)
            or (settings.keep_bytes is not None and total_bytes > settings.keep_bytes)
        ):
            return list(entries[place:])
    return []
