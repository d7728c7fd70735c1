"""Running totals of a recording, which stay exact when rows are dropped or spilled."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope.schema import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, repr=False)
class Counts:
    """Numbers of captured, kept and dropped tasks.

    ``captured`` tasks reached the agent since it was installed; ``kept`` are in the
    recording, with ``rows`` start/stop intervals. The rest was ``dropped``:
    ``dropped_agent`` by the agent's bound, ``dropped_recording`` by the recording's.
    ``erred`` counts captured tasks that erred, and ``changes`` how often a worker
    joined, changed or left; both include dropped ones.

    >>> Counts(captured=10, kept=7, dropped_agent=2, dropped_recording=1, rows=9)
    Counts(captured=10, kept=7, dropped=3, dropped_agent=2, dropped_recording=1, rows=9, \
erred=0, changes=0)
    """

    captured: int = 0
    kept: int = 0
    dropped_agent: int = 0
    dropped_recording: int = 0
    rows: int = 0
    erred: int = 0
    changes: int = 0

    @property
    def dropped(self) -> int:
        """Number of captured tasks that are not kept."""
        return self.dropped_agent + self.dropped_recording

    def to_json(self) -> dict[str, int]:
        """Return the counts for a message."""
        return asdict(self)

    def __repr__(self) -> str:
        sums = {"captured": self.captured, "kept": self.kept, "dropped": self.dropped}
        figures = ", ".join(f"{name}={count}" for name, count in {**sums, **asdict(self)}.items())
        return f"Counts({figures})"


COMPUTE = ACTIONS.index("compute")


@dataclass(frozen=True, slots=True)
class PrefixTotal:
    """Totals of one prefix: tasks, seconds of computing, erred tasks, number of computes."""

    prefix: int
    tasks: int
    seconds: float
    erred: int
    computes: int
    """Number of compute rows with a valid duration."""


@dataclass(frozen=True, slots=True)
class ActionTotal:
    """Totals of one action over all prefixes: rows and seconds."""

    action: int
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals by prefix and by action, in order of index, without empty ones."""

    prefixes: tuple[PrefixTotal, ...] = ()
    actions: tuple[ActionTotal, ...] = ()


def _floats() -> NDArray[np.float64]:
    return np.zeros(0)


def _add(total: NDArray[np.float64], more: NDArray[Any]) -> NDArray[np.float64]:
    if len(more) > len(total):
        total = np.concatenate([total, np.zeros(len(more) - len(total))])
    total[: len(more)] += more
    return total


def _summed(places: NDArray[Any], values: Sequence[float]) -> NDArray[np.float64]:
    total = np.zeros(int(places.max(initial=-1)) + 1)
    np.add.at(total, places, values)
    return total


def _larger(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    size = max(len(one), len(other))
    return np.maximum(*(np.pad(a, (0, size - len(a))) for a in (one, other)))


@dataclass(slots=True)
class Sums:
    """Adds up rows; the only place that defines the totals.

    A task counts once, regardless of its number of rows. The seconds of a prefix include only
    computing. A duration that is negative (clocks disagree) or NaN adds no seconds and no compute,
    and its row counts as skewed.
    """

    tasks: NDArray[np.float64] = field(default_factory=_floats)
    seconds: NDArray[np.float64] = field(default_factory=_floats)
    erred: NDArray[np.float64] = field(default_factory=_floats)
    computes: NDArray[np.float64] = field(default_factory=_floats)
    action_rows: NDArray[np.float64] = field(default_factory=_floats)
    action_seconds: NDArray[np.float64] = field(default_factory=_floats)
    other_seconds: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Seconds of each prefix by action, without computing; not taken over by `raise_to`."""
    skewed_rows: int = 0

    def raise_to(self, totals: Totals) -> None:
        """Raise figures to those of `totals`; entries of `totals` with equal names are added up."""
        for group, place, figures in (
            (totals.prefixes, "prefix", ("tasks", "seconds", "erred", "computes")),
            (totals.actions, "action", ("rows", "seconds")),
        ):
            places = np.array([getattr(one, place) for one in group], "i8")
            for figure in figures:
                name = figure if place == "prefix" else f"action_{figure}"
                least = _summed(places, [getattr(one, figure) for one in group])
                setattr(self, name, _larger(getattr(self, name), least))

    def add_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows in order of task number."""
        task = columns["task"]
        if not len(task):
            return
        duration = columns["duration"]
        sound = (duration >= 0) & np.isfinite(duration)
        self.skewed_rows += len(duration) - int(np.count_nonzero(sound))
        seconds = np.where(sound, duration, 0)
        prefix, action = columns["prefix"], columns["action"]
        compute = action == COMPUTE
        self.seconds = _add(self.seconds, np.bincount(prefix[compute], seconds[compute]))
        self.computes = _add(self.computes, np.bincount(prefix[compute & sound]))
        rows = np.bincount(action)
        self.action_rows = _add(self.action_rows, rows)
        self.action_seconds = _add(self.action_seconds, np.bincount(action, seconds))
        rows[COMPUTE] = 0
        for other in np.flatnonzero(rows).tolist():
            chosen = action == other
            known = self.other_seconds.get(other, _floats())
            self.other_seconds[other] = _add(known, np.bincount(prefix[chosen], seconds[chosen]))
        once = np.ones(len(task), bool)
        once[1:] = task[1:] != task[:-1]
        self.add_tasks(prefix[once], columns["status"][once])

    def add_tasks(self, prefix: NDArray[Any], status: NDArray[Any]) -> None:
        """Add tasks; used directly for tasks without rows."""
        self.tasks = _add(self.tasks, np.bincount(prefix))
        self.erred = _add(self.erred, np.bincount(prefix[status != 0]))

    def freeze(self) -> Totals:
        """Return the totals so far."""
        sums = (self.tasks, self.seconds, self.erred, self.computes)
        size = max(map(len, sums))
        tasks, seconds, erred, computes = (np.pad(a, (0, size - len(a))) for a in sums)
        prefixes = tuple(
            PrefixTotal(int(i), int(tasks[i]), float(seconds[i]), int(erred[i]), int(computes[i]))
            for i in np.flatnonzero(tasks + seconds)
        )
        actions = tuple(
            ActionTotal(int(i), int(self.action_rows[i]), float(self.action_seconds[i]))
            for i in np.flatnonzero(self.action_rows)
        )
        return Totals(prefixes, actions)
