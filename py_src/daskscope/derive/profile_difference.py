"""Compares two profiles, and finds the differences that are too large to be chance.

Samples are not independent: a long-running function is sampled many times in a row. With counting
errors alone, nearly all differences would seem significant. So the time of each profile is cut
into equal slices, and the differences between neighbouring slices show how much the samples
vary by chance. A function may run for longer than a slice, so wider slices are compared, too,
and the largest variance counts. A change that all workers make together is a new phase of the
program, not chance, so with several workers only the differences between them count.
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

SLICE_COUNTS: Final = (16, 8, 4, 2)
"""Numbers of slices to try: the first that leaves none shorter than a cycle is used."""
MOST_GROUPS: Final = 4
"""Maximum number of groups of workers."""

LIMIT: Final = 3.0
"""In standard errors; 3, as nodes of a branch differ together and at most 5 % may by chance."""


@dataclass(frozen=True)
class Change:
    """Samples before and after, by function or by node, and the differences that may be chance."""

    before: Floats
    after: Floats
    bound: Floats
    """A difference up to this may be chance."""

    @property
    def beyond_chance(self) -> NDArray[np.bool_]:
        """Which differences are larger than `bound`."""
        return np.abs(self.grown) > self.bound

    @property
    def grown(self) -> Floats:
        """Samples after minus samples before."""
        return self.after - self.before


@dataclass(frozen=True, eq=False, repr=False)
class ProfileDifference:
    """The result of ``b - a``: the functions that took more or less time in `after`.

    A difference counts if, with 95 % certainty, it is larger than the differences between parts
    of one run. All others may be chance.

    >>> change = rec.profile(prefix="inc") - rec.profile(prefix="sum")
    >>> list(change.grew.columns)
    ['function', 'file', 'line', 'before', 'after', 'difference']
    """

    before: ProfileTree
    after: ProfileTree

    @cached_property
    def tree(self) -> ProfileTree:
        """Both profiles merged into one tree."""
        return merged([self.before, self.after])

    @property
    def count(self) -> float:
        """The difference of the total number of samples."""
        return plain(self.after.count - self.before.count)

    @property
    def seconds(self) -> float | None:
        """The same in seconds of threads; None if the interval is unknown."""
        interval = self.after.interval
        return None if interval is None else round(self.count * interval, 9)

    @cached_property
    def nodes(self) -> Change:
        """The totals of each node of `tree`."""
        return self._change(lambda own: self.tree.summed(own))

    @cached_property
    def own(self) -> Change:
        """The self samples of each function of `tree`."""
        return self._change(lambda own: self.tree.by_frame(own))

    @cached_property
    def totals(self) -> Change:
        """The totals of each function of `tree`."""
        outermost = self.tree.outermost[:, None]
        return self._change(lambda own: self.tree.by_frame(self.tree.summed(own) * outermost))

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each function, with before and after of self and total samples.

        ``self`` and ``total`` are differences; ``self_beyond_chance`` and
        ``total_beyond_chance`` are true if they are too large to be chance.
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
        """Return the sums of both sides with their bound; `summed` sums samples by node."""
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
        """Return the samples of one side by node: a total, then one for each slice and group."""
        rows = slice(first, first + len(tree.samples))
        node = self.tree.samples.node[rows]
        nodes, groups = len(self.tree.parent), _groups(tree)
        order = np.argsort(np.argsort(tree.samples.workers))
        group = np.unique(order[tree.samples.worker], return_inverse=True)[1] % groups
        place = node * groups + group
        parts = [
            np.bincount(place, count, nodes * groups).reshape(nodes, groups)
            for count in slices_of(tree)
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
    """Return the difference of two profiles; raise an error if they cannot be compared."""
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
        if _slices(tree) < 2:
            raise _refused(
                f"The {which} profile has only one cycle of Dask's profiler, too little to tell a "
                "difference from chance.",
                "Choose a longer time: a cycle is a second, unless "
                "distributed.worker.profile.cycle is set.",
            )
    found = ProfileDifference(before, after)
    _ = found.tree  # raises if the scopes differ
    return found


def slices_of(tree: ProfileTree) -> Iterator[Floats]:
    """Yield, for each slice of a tree's time, the part of each row's count that is in it."""
    samples, number = tree.samples, _slices(tree)
    begin, end = _covered(tree)
    length = np.maximum(end - begin, 1e-9)
    for edge, next_edge in pairwise(np.linspace(0, end.max(initial=0.0), number + 1).tolist()):
        inside = np.minimum(begin + length, next_edge) - np.maximum(begin, edge)
        yield np.maximum(inside, 0) / length * samples.count


def _slices(tree: ProfileTree) -> int:
    """Return the number of slices for a tree: none may be shorter than a row of samples."""
    begin, end = _covered(tree)
    longest = float((end - begin).max(initial=0.0)) * 0.9  # cycles are not exactly that long
    fitting = int(float(end.max(initial=0.0)) / longest) if longest > 0 else 0
    return next((number for number in SLICE_COUNTS if number <= fitting), 0)


def _groups(tree: ProfileTree) -> int:
    """Return the number of groups for the workers of a tree."""
    return min(MOST_GROUPS, len(np.unique(tree.samples.worker)))


def _covered(tree: ProfileTree) -> tuple[Floats, Floats]:
    """Return start and end of each row, on a clock that only runs during times with samples.

    A merged profile may have hours without samples between its runs. Rows whose time is unknown
    are at -1.
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
    """Return the variance of totals beyond counting errors, and its degrees of freedom.

    The first column of `sums` has totals; the others have each slice by group of workers.
    """
    parts = sums[:, 1:].reshape(len(sums), -1, groups)
    slices = parts.shape[1]
    found = np.zeros(len(sums))
    while (number := parts.shape[1]) >= min(4, slices):
        steps = np.diff(parts, axis=1)
        if groups > 1:
            steps = steps - steps.mean(axis=2, keepdims=True)
        squares = (steps**2).sum(axis=(1, 2)) * groups / max(groups - 1, 1)
        np.maximum(found, squares * number / (2 * (number - 1)), out=found)
        parts = parts[:, ::2] + parts[:, 1::2] if number > 2 else parts[:, :0]
    degrees = _degrees(slices) * max(groups - 1, 1)
    return np.maximum(found - sums[:, 0], 0), degrees


def _degrees(number: int) -> float:
    """Return the degrees of freedom of a variance estimated from differences of neighbours.

    >>> round(_degrees(16), 1), _degrees(2)
    (10.2, 1.0)
    """
    return 2 * (number - 1) ** 2 / (3 * number - 4)


def _student(degrees: Floats) -> Floats:
    """Return the value of Student's t that is as rare as `LIMIT` for a normal deviate (Wallace).

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
