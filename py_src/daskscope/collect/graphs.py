"""Records graphs as rows of `computations`, and translates an agent's graph numbers."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import COMPUTATIONS, RECOMPUTED, UNKNOWN_GRAPH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from daskscope.collect.sent import SentGraphs
    from daskscope.recording import RecordingStore

MAX_COMPUTATIONS: Final = COMPUTATIONS.rows


MAX_OF_CELL: Final = 1_000
"""Maximum number of graphs with their own row: per cell, or per client outside of cells."""
MAX_UNREAD: Final = 1_000
"""Maximum number of graphs that wait for the time at which the scheduler had read them."""


class Graphs:
    """Maps the graphs of one agent to rows of a recording's table `computations`."""

    def __init__(self, recording: RecordingStore, sent: SentGraphs | None = None) -> None:
        self._log = recording.log(COMPUTATIONS.name)
        self._sent = sent
        self._next = max([RECOMPUTED, *self._log.columns()["computation"]]) + 1
        # By the agent's numbers, which are dense; numbers before the first known graph are unknown.
        self._known = np.array([UNKNOWN_GRAPH, RECOMPUTED], np.uint16)
        self._counts: Counter[tuple[str, str]] = Counter()  # by client and cell
        self._shared: dict[tuple[str, str], dict[str, Any]] = {}
        self._unread: dict[str, dict[str, Any]] = {}  # rows by the stimulus of their graph
        self._latest = ("", "")  # cell and code of the latest row

    def take(
        self, entries: Sequence[dict[str, Any]], now: float, events: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Add graphs that an agent reports, in order; `now` is the time of its answer.

        `events` may contain the times at which the scheduler had read graphs.
        """
        changed: dict[int, dict[str, Any]] = {}
        if entries:
            known = np.zeros(entries[-1]["number"] + 1, np.uint16)
            known[: len(self._known)] = self._known
            self._known = known
        for entry in entries:
            row = self._row(entry, now)
            if row is None:
                self._log.count_dropped(1)
                continue
            changed[row["computation"]] = row
            self._known[entry["number"]] = row["computation"]
            self._unread[entry["stimulus"]] = row
            if len(self._unread) > MAX_UNREAD:
                del self._unread[next(iter(self._unread))]
        for stimulus, read in read_at(events) if self._unread else ():
            if (row := self._unread.pop(stimulus, None)) is not None:
                row["stop"] = max(row["stop"], read)
                changed[row["computation"]] = row
        self._log.append(changed.values())

    def _row(self, entry: dict[str, Any], now: float) -> dict[str, Any] | None:
        """Return the row of a graph, its own or a shared one; `None` if there is no room."""
        stop = min(entry["time"], now)
        time, cell, code = sent_at(entry["stimulus"], stop), "", ""
        sent = self._sent.take(entry["client"], entry["key"]) if self._sent is not None else None
        if self._sent is not None and sent is not None:
            time = min(time, sent.time + self._sent.clock.ahead_s)
            cell, code = sent.cell, sent.code
        place = (entry["client"], cell)
        self._counts[place] += 1
        row = self._shared.get(place)
        if row is not None:
            row["graphs"] += 1
            row["tasks"] += entry["tasks"]
            row["stop"] = stop
            return row
        if self._next >= MAX_COMPUTATIONS:
            return None
        # Code is not repeated in successive rows, because the texts of the log are bounded.
        repeated, self._latest = self._latest == (cell, code), (cell, code)
        row = {
            "computation": self._next,
            "time": time,
            "stop": stop,
            "graphs": 1,
            "tasks": entry["tasks"],
            "client": entry["client"],
            "cell": cell,
            "code": "" if repeated else code,
        }
        self._next += 1
        if self._counts[place] > MAX_OF_CELL:
            self._shared[place] = row
        return row

    def numbers(self, agent_numbers: NDArray[Any]) -> NDArray[np.uint16]:
        """Return the recording's numbers of graphs for those of the agent."""
        known = self._known
        found = known[np.minimum(agent_numbers, len(known) - 1)]
        return np.where(agent_numbers < len(known), found, np.uint16(UNKNOWN_GRAPH))


def read_at(events: Sequence[dict[str, Any]]) -> list[tuple[str, float]]:
    """Return the stimuli of graphs that the scheduler had read, and when, from its events.

    The durations in these events have the wrong sign in some versions of distributed.
    """
    found = []
    for event in events:
        if '"update-graph"' not in event["message"] or "scheduler" not in event["topic"]:
            continue
        try:
            message = json.loads(event["message"])
        except ValueError:  # the message was cut
            continue
        if isinstance(message, dict) and isinstance(message.get("stimulus_id"), str):
            found.append((message["stimulus_id"], float(event["time"])))
    return found


def sent_at(stimulus: str, read: float) -> float:
    """Return the time of arrival in the stimulus of a graph, or `read` if it has none.

    >>> sent_at("update-graph-1790000000.25", 1790000001.0), sent_at("mine-7", 3.0)
    (1790000000.25, 3.0)
    """
    try:
        sent = float(stimulus.removeprefix("update-graph-"))
    except ValueError:
        return read
    return sent if 0 <= read - sent < MAX_READING_S else read


MAX_READING_S: Final = 86_400.0
"""Longest time to read a graph; with a longer one, the stimulus does not contain a time."""
