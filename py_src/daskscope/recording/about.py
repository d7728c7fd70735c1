"""What is said of a recording as a whole, wherever it goes: into a file, or beside its tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from daskscope.recording.recording_store import RecordingStore

ABOUT: Final = "about.json"
SUMMARY: Final = "summary"
WHOLE: Final = "whole"
"""Whether the file that was read had its end."""


def about_of(recording: RecordingStore) -> dict[str, Any]:
    """Return what is known of the whole, with figures of what is there now.

    Those that came with it are of another time: since then it may have grown, or may have
    dropped tasks while it was opened.
    """
    facts = {name: fact for name, fact in recording.about_facts.items() if name != SUMMARY}
    if recording.spill_error:
        facts["spill_error"] = recording.spill_error
    if recording.make_figures is not None:
        figures = recording.make_figures(recording)
        facts |= {"missing": list(figures["missing"]), SUMMARY: figures}
    return facts


def about_json(recording: RecordingStore) -> str:
    """Return the same as JSON, with the counts: for who has the tables in another format."""
    facts = {
        **about_of(recording),
        "origin": recording.origin,
        "counts": recording.counts.to_json(),
    }
    return json.dumps(facts, indent=1)
