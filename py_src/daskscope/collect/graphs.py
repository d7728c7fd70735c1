"""The graphs that clients sent, as rows of `computations`; what tasks call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import COMPUTATIONS, RECOMPUTED, UNKNOWN_GRAPH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from daskscope.recording import RecordingStore

MAX_COMPUTATIONS: Final = COMPUTATIONS.rows


class Graphs:
    """Gives the graphs of one agent their places in the table `computations` of a recording."""

    def __init__(self, recording: RecordingStore) -> None:
        self._log = recording.log(COMPUTATIONS.name)
        self._next = max([RECOMPUTED, *self._log.columns()["computation"]]) + 1
        # By the agent's number, which are dense; those before the first that came are unknown.
        self._known = np.array([UNKNOWN_GRAPH, RECOMPUTED], np.uint16)

    def take(self, entries: Sequence[dict[str, Any]], now: float) -> None:
        """Note graphs that an agent tells of, in order; `now` is the time of its answer."""
        if not entries:
            return
        known = np.zeros(entries[-1]["number"] + 1, np.uint16)
        known[: len(self._known)] = self._known
        self._known = known
        for entry in entries:
            if self._next >= MAX_COMPUTATIONS:
                self._log.count_dropped(1)
                continue
            stop = min(entry["time"], now)
            row = {
                "computation": self._next,
                "time": sent_at(entry["stimulus"], stop),
                "stop": stop,
                "graphs": 1,
                "tasks": entry["tasks"],
                "client": entry["client"],
            }
            self._log.append([row])
            known[entry["number"]] = self._next
            self._next += 1

    def numbers(self, agent_numbers: NDArray[Any]) -> NDArray[np.uint16]:
        """Return what the recording calls the graphs that an agent gave these numbers."""
        known = self._known
        found = known[np.minimum(agent_numbers, len(known) - 1)]
        return np.where(agent_numbers < len(known), found, np.uint16(UNKNOWN_GRAPH))


def sent_at(stimulus: str, read: float) -> float:
    """Return when a graph came to the scheduler, which says so in its stimulus; else `read`.

    >>> sent_at("update-graph-1790000000.25", 1790000001.0), sent_at("mine-7", 3.0)
    (1790000000.25, 3.0)
    """
    try:
        sent = float(stimulus.removeprefix("update-graph-"))
    except ValueError:
        return read
    return sent if 0 <= read - sent < MAX_READING_S else read


MAX_READING_S: Final = 86_400.0
"""A graph takes no longer to read: then what its stimulus says is no time."""
