"""Events without an agent: what is new in the lists that a scheduler keeps by topic.

The scheduler has only one answer, all lists as they are. So it is asked once a second at most,
and seldom where they are long. Events from before the first answer are left out.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Final

from daskscope.agent.events import MAX_TOPICS_CHARS, json_text
from daskscope.agent.packing import MAX_NAME_CHARS, clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.collect.link import Link

    Topics = Mapping[Any, Sequence[tuple[float, Any]]]

logger = logging.getLogger(__name__)

EVERY_S: Final = 1.0
SHARE: Final = 0.05
"""Of our time: so long an answer took, twenty times as long the next one waits."""


class EventTopics:
    """Reads the events of one scheduler from now on."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.unreadable = False
        """Whether the scheduler refuses to tell them, or tells what cannot be read here."""
        self._newest: dict[Any, float] | None = None  # by topic: time of the last that was read
        self._due_s = 0.0  # monotonic

    async def read(self) -> list[dict[str, Any]]:
        """Return what is new as rows of the log of events, if it is time to ask."""
        asked_s = time.monotonic()
        if self.unreadable or asked_s < self._due_s:
            return []
        try:
            topics: Topics = await self.link.ask("events")
            new = self._take(topics)
        except OSError:
            raise
        except Exception:  # forbidden, or of a class that only workers have
            logger.debug("daskscope cannot read this scheduler's events", exc_info=True)
            self.unreadable = True
            return []
        now = time.monotonic()
        self._due_s = now + max(EVERY_S, (now - asked_s) / SHARE)
        return new

    def _take(self, topics: Topics) -> list[dict[str, Any]]:
        before = self._newest
        self._newest = {topic: events[-1][0] for topic, events in topics.items() if events}
        if before is None:
            return []
        # An event of several topics is in the list of each, with the same time.
        found: dict[tuple[float, str], list[str]] = {}
        for topic, events in topics.items():
            for created, message in events[_known(events, before.get(topic)) :]:
                place = (float(created), json_text(message))
                found.setdefault(place, []).append(clean_text(topic, MAX_NAME_CHARS))
        return [
            {
                "time": created,
                "topic": clean_text(", ".join(names), MAX_TOPICS_CHARS),
                "message": message,
            }
            for (created, message), names in sorted(found.items())
        ]


def _known(events: Sequence[tuple[float, Any]], newest: float | None) -> int:
    """Return how many of the first events were read before: up to the last known one."""
    known = len(events) if newest is not None else 0
    while known and events[known - 1][0] != newest:
        known -= 1
    return known
