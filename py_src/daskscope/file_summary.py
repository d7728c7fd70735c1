"""The summary of a recording as files carry it: with its price, and no larger than is read."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from daskscope import config
from daskscope.derive.summary import summary
from daskscope.derive.work import MAX_FIGURE
from daskscope.format import cut
from daskscope.recording import RecordingStore
from daskscope.recording.recording_store import SUMMARY

if TYPE_CHECKING:
    from daskscope.derive.work import ClusterTotals
    from daskscope.recording import Counts

MAX_SUMMARY_BYTES: Final = 12_000_000
"""Readers refuse more than 16,000,000, also of what a recording says of itself: this and more."""


def new_recording(limits: config.RecordingLimits | None = None) -> RecordingStore:
    """Return an empty recording, within the limits that are set."""
    recording = RecordingStore(**asdict(limits or config.recording_limits()))
    recording.make_figures = figures_of
    return recording


def figures_of(recording: RecordingStore, counts: Counts | None = None) -> dict[str, Any]:
    """Return the figures of a recording, with the counts of a file if that has more of it."""
    price, currency = _price(recording)
    return _fitting(
        summary(recording, price_per_thread_hour=price, currency=currency, counts=counts)
    )


def live_figures_of(totals: ClusterTotals, *, ended: bool = False) -> dict[str, Any]:
    """Return the figures of a session's recording, from running totals: in milliseconds."""
    price, currency = _price(totals.recording)
    return summary(
        totals.recording,
        price_per_thread_hour=price,
        currency=currency,
        live=totals,
        ended=ended,
    )


def _price(recording: RecordingStore) -> tuple[float | None, str]:
    """Return the price that is set, else that of the figures which came with the recording."""
    price, currency = config.read("report.price-per-thread-hour"), config.read("report.currency")
    stored = recording.about_facts.get(SUMMARY)
    cost = stored.get("cost") if isinstance(stored, dict) else None
    if price is None and isinstance(cost, dict):
        known, unit = cost.get("per_hour"), cost.get("unit")
        if isinstance(known, int | float) and 0 <= known < MAX_FIGURE and isinstance(unit, str):
            return known, unit
    return price, currency


def _fitting(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures that readers take: where they are too many, texts and lists are cut."""
    most = 2**17
    while len(inert_json(figures)) > MAX_SUMMARY_BYTES and most > 1:
        figures = _with_less(figures, most)
        most //= 2
    return figures


def _with_less(value: Any, most: int) -> Any:
    """Return JSON with at most so many entries a list, and eight times the characters a text."""
    if isinstance(value, str):
        return cut(value, 8 * most)
    if isinstance(value, list | tuple):
        return [_with_less(one, most) for one in value[:most]]
    if isinstance(value, dict):
        return {name: _with_less(one, most) for name, one in value.items()}
    return value


def inert_json(figures: dict[str, Any]) -> bytes:
    """Return JSON in which nothing is markup.

    >>> inert_json({"a": "</script>"})
    b'{"a": "\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(figures, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("ascii")
