"""Running figures of a recording: they stay true when rows are dropped or spilled."""

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
    """How much was captured, and how much is kept.

    ``captured`` tasks reached the agent since it came; ``kept`` are in the
    recording, with ``rows`` start/stop intervals. The rest was ``dropped``:
    ``dropped_agent`` by the agent's bound, ``dropped_recording`` by the recording's.
    ``erred`` counts captured tasks, whether they, or what they raised, were dropped
    or not. So does ``changes`` count how often a worker came, changed or left, of
    which the newest are kept.

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
        """How many captured tasks are not kept."""
        return self.dropped_agent + self.dropped_recording

    def to_json(self) -> dict[str, int]:
        """Return the counts as a message carries them."""
        return asdict(self)

    def __repr__(self) -> str:
        said = {"captured": self.captured, "kept": self.kept, "dropped": self.dropped}
        figures = ", ".join(f"{name}={count}" for name, count in {**said, **asdict(self)}.items())
        return f"Counts({figures})"


COMPUTE = ACTIONS.index("compute")


@dataclass(frozen=True, slots=True)
class PrefixTotal:
    """Of one prefix: tasks, seconds of computing, tasks that erred, how often one computed."""

    prefix: int
    tasks: int
    seconds: float
    erred: int
    computes: int
    """Those alone whose seconds are known."""


@dataclass(frozen=True, slots=True)
class ActionTotal:
    """Of one action: rows and seconds, over all prefixes."""

    action: int
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures by prefix and by action, each in order of index, without empty ones."""

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
    """Adds up rows; the single place where totals of rows are defined.

    A task counts once, however many rows it has. Seconds of a prefix are those of
    computing; a negative duration (clocks disagree), or one that is no number, adds
    nothing, counts as no compute, and is counted as skewed.
    """

    tasks: NDArray[np.float64] = field(default_factory=_floats)
    seconds: NDArray[np.float64] = field(default_factory=_floats)
    erred: NDArray[np.float64] = field(default_factory=_floats)
    computes: NDArray[np.float64] = field(default_factory=_floats)
    action_rows: NDArray[np.float64] = field(default_factory=_floats)
    action_seconds: NDArray[np.float64] = field(default_factory=_floats)
    other_seconds: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """By action: seconds of each prefix, of all actions but computing; of rows alone."""
    skewed_rows: int = 0

    def raise_to(self, totals: Totals) -> None:
        """Let no figure be smaller than that of some totals; those of one name are added up."""
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
        """Add rows whose task numbers do not fall."""
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
        """Add tasks: also those that ran nowhere and so have no rows."""
        self.tasks = _add(self.tasks, np.bincount(prefix))
        self.erred = _add(self.erred, np.bincount(prefix[status != 0]))

    def freeze(self) -> Totals:
        """Return the figures so far."""
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
