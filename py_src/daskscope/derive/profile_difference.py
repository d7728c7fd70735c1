"""The differences between two profiles that exceed those between parts of one run.

A function that runs for long is seen many times in a row, so samples are not independent, and
counting errors alone would find differences everywhere. The time of each profile is therefore cut
into equal stretches; the differences between neighbours show how much of the whole may be chance.
A function may run for longer than a stretch, so wider stretches are compared as well, and the
largest difference counts. Changes that all workers make together are another part of the program
and not chance: with several workers, only the differences between them count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.derive.profile_tree import (
    ProfileTree,
    frame_columns,
    merged,
    plain,
    whole,
)
from daskscope.errors import DaskscopeError
from daskscope.format import count_text, seconds_text
from daskscope.schema import SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STRETCHES: Final = (16, 8, 4, 2)
"""The time of a profile is cut into the first number that leaves no part shorter than a cycle."""
MOST_GROUPS: Final = 4
"""The most groups into which workers are put."""

LIMIT: Final = 3.0
"""In standard errors: nodes of one branch differ together, and at most 5 % of all may by chance."""


@dataclass(frozen=True)
class Change:
    """Samples before and after, by function or by node, and which differ beyond chance."""

    before: Floats
    after: Floats
    bound: Floats
    """A difference up to this one may be chance."""

    @property
    def beyond_chance(self) -> NDArray[np.bool_]:
        """Which differ by more."""
        return np.abs(self.grown) > self.bound

    @property
    def grown(self) -> Floats:
        """Samples by which each grew."""
        return self.after - self.before


@dataclass(frozen=True, eq=False, repr=False)
class ProfileDifference:
    """What ``b - a`` returns: the functions that took more or less time in `after`.

    A difference counts if it exceeds, with 95 % certainty, the differences between parts of one
    run. All others may be chance.

    >>> change = rec.profile(prefix="inc") - rec.profile(prefix="sum")
    >>> list(change.grew.columns)
    ['function', 'file', 'line', 'before', 'after', 'difference']
    """

    before: ProfileTree
    after: ProfileTree

    @cached_property
    def tree(self) -> ProfileTree:
        """Every function of both, with the samples of both together."""
        return merged([self.before, self.after])

    @property
    def count(self) -> float:
        """The difference of the total number of samples."""
        return plain(self.after.count - self.before.count)

    @property
    def seconds(self) -> float | None:
        """The same in seconds of threads; None where the interval is not known."""
        interval = self.after.interval
        return None if interval is None else round(self.count * interval, 9)

    @cached_property
    def nodes(self) -> Change:
        """The totals of each node of `tree`."""
        return self._change(lambda own: self.tree.summed(own))

    @cached_property
    def own(self) -> Change:
        """The own samples of each function of `tree`."""
        return self._change(lambda own: self.tree.by_frame(own))

    @cached_property
    def totals(self) -> Change:
        """The totals of each function of `tree`."""
        outermost = self.tree.outermost[:, None]
        return self._change(lambda own: self.tree.by_frame(self.tree.summed(own) * outermost))

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each function, with before and after of self and total samples.

        ``self`` and ``total`` are differences; ``self_beyond_chance`` and
        ``total_beyond_chance`` say whether they are more than chance.
        """
        import pandas as pd

        seen = np.flatnonzero((self.totals.before + self.totals.after)[1:] > 0) + 1
        columns: dict[str, Any] = {}
        for name, change in (("self", self.own), ("total", self.totals)):
            columns |= {
                f"{name}_before": whole(change.before[seen]),
                f"{name}_after": whole(change.after[seen]),
                name: whole(change.grown[seen]),
                f"{name}_beyond_chance": change.beyond_chance[seen],
            }
        frame = pd.DataFrame(frame_columns(self.tree.frames, seen) | columns)
        return frame.sort_values("self", key=abs, ascending=False, ignore_index=True)

    @property
    def grew(self) -> pd.DataFrame:
        """Functions whose self samples grew by more than chance, largest difference first."""
        return self._changed(1)

    @property
    def shrank(self) -> pd.DataFrame:
        """Functions whose self samples shrank by more than chance, largest difference first."""
        return self._changed(-1)

    def _changed(self, sign: int) -> pd.DataFrame:
        frame = self.to_pandas()
        frame = frame[frame["self_beyond_chance"] & (frame["self"] * sign > 0)]
        names = {"self_before": "before", "self_after": "after", "self": "difference"}
        shown = ["function", "file", "line", *names.values()]
        return frame.rename(columns=names)[shown].reset_index(drop=True)

    def _change(self, summed: Any) -> Change:
        """Return totals of both and which differ; `summed` adds up samples by node."""
        sums = [summed(own) for own in self._sides]
        whole_before, whole_after = (one[:, 0] for one in sums)
        error, spread = whole_before + whole_after, np.zeros(len(whole_before))
        for one, tree in zip(sums, (self.before, self.after), strict=True):
            excess, degrees = _excess(one, _groups(tree))
            error, spread = error + excess, spread + excess**2 / degrees
        degrees_of_both = error**2 / np.maximum(spread, 1e-9)
        bound = _student(np.clip(degrees_of_both, 1e-3, 1e9)) * np.sqrt(error)
        return Change(whole_before, whole_after, np.maximum(bound, 1.0))

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        return self._side(self.before, 0), self._side(self.after, len(self.before.samples))

    def _side(self, tree: ProfileTree, first: int) -> Floats:
        """Return by node the samples of one side: in all, and by stretch and group of workers."""
        rows = slice(first, first + len(tree.samples))
        node = self.tree.samples.node[rows]
        nodes, groups = len(self.tree.parent), _groups(tree)
        order = np.argsort(np.argsort(tree.samples.workers))
        group = np.unique(order[tree.samples.worker], return_inverse=True)[1] % groups
        place = node * groups + group
        parts = [
            np.bincount(place, count, nodes * groups).reshape(nodes, groups)
            for count in stretches_of(tree)
        ]
        own = np.bincount(node, tree.samples.count, nodes)[:, None]
        return np.concatenate([own, *parts], axis=1)

    def __repr__(self) -> str:
        grew, shrank = len(self.grew), len(self.shrank)
        count = plain(self.count)
        by = f"{count:+,}" + (" sample" if abs(count) == 1 else " samples")
        seconds = self.seconds
        in_all = (
            by if seconds is None else f"{'-' if seconds < 0 else '+'}{seconds_text(abs(seconds))}"
        )
        others = len(self.own.before) - 1 - grew - shrank
        return (
            f"<ProfileDifference: {in_all}; {count_text(grew, 'function')} grew, "
            f"{shrank:,} shrank, {others:,} as before or within chance>"
        )


def difference(after: ProfileTree, before: ProfileTree) -> ProfileDifference:
    """Return what grew from one profile to another; refuse what cannot be compared."""
    if after.scope != before.scope and SCOPES[0] in (after.scope, before.scope):
        raise _refused(
            "One profile is of threads that run tasks, the other of event loops.",
            "Compare profiles of one scope.",
        )
    if after.intervals != before.intervals:
        texts = (_intervals(tree) for tree in (before, after))
        raise _refused(
            f"Samples were taken at different intervals: {' and '.join(texts)}.",
            "Compare runs with the same distributed.worker.profile.interval.",
        )
    for tree, which in ((before, "first"), (after, "second")):
        if not len(tree.samples):
            raise _refused(f"The {which} profile has no samples.", "Choose another time or name.")
        if _stretches(tree) < 2:
            raise _refused(
                f"The {which} profile has only one cycle of Dask's profiler, too little to tell a "
                "difference from chance.",
                "Choose a longer time: a cycle is a second, unless "
                "distributed.worker.profile.cycle is set.",
            )
    found = ProfileDifference(before, after)
    _ = found.tree  # refuses what is of other threads
    return found


def stretches_of(tree: ProfileTree) -> Iterator[Floats]:
    """Yield for each stretch of a tree's time how many of each row of samples are in it."""
    samples, number = tree.samples, _stretches(tree)
    begin, end = _covered(tree)
    length = np.maximum(end - begin, 1e-9)
    for edge, next_edge in pairwise(np.linspace(0, end.max(initial=0.0), number + 1).tolist()):
        inside = np.minimum(begin + length, next_edge) - np.maximum(begin, edge)
        yield np.maximum(inside, 0) / length * samples.count


def _stretches(tree: ProfileTree) -> int:
    """Return into how many stretches the time of a tree is cut: none is shorter than a row."""
    begin, end = _covered(tree)
    longest = float((end - begin).max(initial=0.0)) * 0.9  # cycles are not exactly as long as set
    fitting = int(float(end.max(initial=0.0)) / longest) if longest > 0 else 0
    return next((number for number in STRETCHES if number <= fitting), 0)


def _groups(tree: ProfileTree) -> int:
    """Return into how many groups the workers of a tree are put."""
    return min(MOST_GROUPS, len(np.unique(tree.samples.worker)))


def _covered(tree: ProfileTree) -> tuple[Floats, Floats]:
    """Return from when to when rows are, on a clock that runs while anything was seen.

    Profiles of two runs may be merged: there is nothing between them. Rows whose time is not
    known are before all.
    """
    samples = tree.samples
    timed = np.isfinite(samples.duration)
    time, stop = samples.time[timed], (samples.time + samples.duration)[timed]
    order = np.argsort(time, kind="stable")
    ends = np.maximum.accumulate(stop[order])
    first = np.flatnonzero(np.append(True, time[order][1:] > ends[:-1]))[: len(order)]
    starts, ends = time[order][first], ends[np.append(first[1:], len(order)) - 1]
    edges = np.stack([starts, ends], 1).ravel()
    clock = np.stack([np.cumsum(ends - starts) - (ends - starts), np.cumsum(ends - starts)], 1)
    begin, end = np.full(len(timed), -1.0), np.full(len(timed), -1.0)
    if len(edges):
        begin[timed], end[timed] = (np.interp(at, edges, clock.ravel()) for at in (time, stop))
    return begin, end


def _excess(sums: Floats, groups: int) -> tuple[Floats, float]:
    """Return by how much variances of totals exceed counting errors, and degrees of freedom.

    Of `sums` the first column has totals, the others have stretches, each by group of workers.
    """
    parts = sums[:, 1:].reshape(len(sums), -1, groups)
    stretches = parts.shape[1]
    found = np.zeros(len(sums))
    while (number := parts.shape[1]) >= min(4, stretches):
        steps = np.diff(parts, axis=1)
        if groups > 1:
            steps = steps - steps.mean(axis=2, keepdims=True)
        squares = (steps**2).sum(axis=(1, 2)) * groups / max(groups - 1, 1)
        np.maximum(found, squares * number / (2 * (number - 1)), out=found)
        parts = parts[:, ::2] + parts[:, 1::2] if number > 2 else parts[:, :0]
    degrees = _degrees(stretches) * max(groups - 1, 1)
    return np.maximum(found - sums[:, 0], 0), degrees


def _degrees(number: int) -> float:
    """Return the degrees of freedom of a variance that is made of differences of neighbours.

    >>> round(_degrees(16), 1), _degrees(2)
    (10.2, 1.0)
    """
    return 2 * (number - 1) ** 2 / (3 * number - 4)


def _student(degrees: Floats) -> Floats:
    """Return Student's t that is as rare as `LIMIT` is of a normal deviate (Wallace).

    >>> _student(np.array([2.0, 10.0, 1e9])).round(1).tolist()
    [23.5, 4.0, 3.0]
    """
    scale = (8 * degrees + 1) / (8 * degrees + 3)
    found: Floats = np.sqrt(degrees * np.expm1(np.minimum((LIMIT / scale) ** 2 / degrees, 700)))
    return found


def _intervals(tree: ProfileTree) -> str:
    texts = [f"{interval * 1000:g} ms" for interval in sorted(tree.intervals)]
    return " or ".join(texts) or "an unknown interval"


def _refused(text: str, to_do: str) -> DaskscopeError:
    return DaskscopeError("not-comparable", text, to_do)
