"""The figures that a file says of itself: of all that was captured, in it or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from daskscope.recording.names import Merged
from daskscope.recording.recording_store import MAX_TASKS
from daskscope.recording.totals import ActionTotal, PrefixTotal, Totals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from daskscope.recording.recording_store import RecordingStore

MAX_FIGURE: Final = 2**53
"""Larger whole numbers are not exact in a page."""


def take_figures(
    recording: RecordingStore,
    about: Mapping[str, Any],
    place: Callable[[str, int], int | None],
) -> None:
    """Let a recording that was read count what its file says was captured besides.

    Nobody vouches for that: no figure falls below what the tables of the file say, and what
    is none is passed over. `place` says what a number of the file, of a kind of names, is here.
    """
    totals = _totals(about.get("totals"), place)
    if totals is not None:
        recording.raise_totals(totals)
    dropped = about.get("dropped")
    if isinstance(dropped, dict):
        for name, store in recording.tables.items():
            store.count_dropped(_figure(dropped, name))
    _take_merged(recording, about.get("merged"))
    counts = about.get("counts")
    if not isinstance(counts, dict):
        return
    recording.drop_from_agent(_figure(counts, "dropped_agent"))
    # What this recording has dropped of its own while it was read was in the file.
    after_the_last = _figure(counts, "dropped_recording") - recording.skipped
    recording.skip_tasks(min(after_the_last, MAX_TASKS - recording.next_task))
    recording.take_logged(_figure(counts, "erred"), _figure(counts, "changes"))


def _take_merged(recording: RecordingStore, said: Any) -> None:
    for kind in recording.names.tables:
        merged = said.get(kind) if isinstance(said, dict) else None
        if isinstance(merged, dict) and (names := _figure(merged, "names")):
            exact, session = (merged.get(name) is True for name in ("exact", "session"))
            recording.names.merged_before[kind] = Merged(names, exact, session)


def _figure(counts: Mapping[str, Any], name: str) -> int:
    figure = counts.get(name)
    return min(max(figure, 0), MAX_FIGURE) if isinstance(figure, int) else 0


def _totals(said: Any, place: Callable[[str, int], int | None]) -> Totals | None:
    """Return totals with the numbers that names have here; nothing if one of them is wrong."""
    try:
        return Totals(
            tuple(
                PrefixTotal(
                    _known(place("prefixes", _count(one["prefix"]))),
                    _count(one["tasks"]),
                    _seconds(one["seconds"]),
                    _count(one["erred"]),
                    _count(one["computes"]),
                )
                for one in said["prefixes"]
            ),
            tuple(
                ActionTotal(
                    _known(place("actions", _count(one["action"]))),
                    _count(one["rows"]),
                    _seconds(one["seconds"]),
                )
                for one in said["actions"]
            ),
        )
    except (TypeError, KeyError, ValueError):
        return None


def _known(place: int | None) -> int:
    if place is None:
        raise ValueError("a name that the file has not")
    return place


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_FIGURE:
        raise ValueError("no count")
    return value


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= MAX_FIGURE:
        raise ValueError("no seconds")
    return float(value)
