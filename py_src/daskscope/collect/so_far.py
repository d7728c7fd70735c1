"""What is known of a recording that goes on, besides its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from daskscope.collect.notices import CLIENT_CLOSED, SESSION_CLOSED, SINCE_THE_SESSION_BEGAN

if TYPE_CHECKING:
    from daskscope.collect.collector import Collector
    from daskscope.errors import Notice
    from daskscope.recording import RecordingStore

_OVER: Final = frozenset({CLIENT_CLOSED.code, SESSION_CLOSED.code})
"""Nothing is missing because of that."""


def told_so_far(collector: Collector) -> list[Notice]:
    """Return the notices that count nothing: those that last also when it has stopped."""
    told = dict.fromkeys((*collector.lasting, *collector.notices))
    return [notice for notice in told if notice.code not in SINCE_THE_SESSION_BEGAN]


def facts_so_far(collector: Collector, recording: RecordingStore) -> dict[str, Any]:
    """Return the time, the workers, and what is not in it, as of the latest answer."""
    start = collector.began + collector.clock.ahead_s
    if recording.origin is not None:  # of tasks that another session's agent had kept
        start = min(start, recording.origin)
    stop = max(collector.now or start, start)
    told = [notice for notice in told_so_far(collector) if notice.code not in _OVER]
    return {
        "start": start,
        "stop": stop,
        "duration": stop - start,
        "workers": list(collector.workers),
        "unfinished": collector.unfinished,
        "missing": [notice.to_json() for notice in (*told, *collector.left_out())],
    }
