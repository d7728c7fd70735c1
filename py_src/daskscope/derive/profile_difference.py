"""What differs between two profiles, beyond what parts of one run differ by.

A function that runs for long is seen many times in a row, so samples are not independent, and
counting errors alone would find differences everywhere. The time of each profile is therefore cut
into equal stretches: by how much neighbours differ says how far the
whole may be off by chance. What runs for longer than a stretch may be alike in neighbours, so
wider stretches are compared, too, and the largest difference counts.
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
from daskscope.words import count_text, seconds_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STRETCHES: Final = (16, 8, 4, 2)
"""Into so many the time of a profile is cut, where none gets shorter than a cycle."""
_PER_DEGREE: Final = (0.0, 1 / 16, 1 / 8, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1.0)
_QUANTILE: Final = (1.96, 2.12, 2.306, 2.571, 2.776, 3.182, 4.303, 12.706)
"""Student's t: 95 % of differences are within so many standard errors, by degrees of freedom."""


@dataclass(frozen=True)
class Change:
    """Samples before and after, by function or by node, and which differ beyond chance."""

    before: Floats
    after: Floats
    beyond_chance: NDArray[np.bool_]

    @property
    def grown(self) -> Floats:
        """Samples by which each grew."""
        return self.after - self.before


@dataclass(frozen=True, eq=False, repr=False)
class ProfileDifference:
    """What ``b - a`` returns: the functions that took longer in `after`, and those that did not.

    A difference counts where it exceeds what stretches of one run differ by, with 95 %
    certainty; all others may be chance.

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
        """Samples by which it grew in all."""
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
        """Return a row for each function: what `grew` has, of own samples and of totals.

        ``self`` and ``total`` are differences; ``self_beyond_chance`` and
        ``total_beyond_chance`` say whether they count.
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
        """The functions that took longer beyond chance, by their own samples; most first."""
        return self._changed(1)

    @property
    def shrank(self) -> pd.DataFrame:
        """The functions that took less beyond chance, by their own samples; most first."""
        return self._changed(-1)

    def _changed(self, sign: int) -> pd.DataFrame:
        frame = self.to_pandas()
        frame = frame[frame["self_beyond_chance"] & (frame["self"] * sign > 0)]
        names = {"self_before": "before", "self_after": "after", "self": "difference"}
        shown = ["function", "file", "line", *names.values()]
        return frame.rename(columns=names)[shown].reset_index(drop=True)

    def _change(self, summed: Any) -> Change:
        """Return totals of both and which differ; `summed` adds up samples by node."""
        before, after = self._half(self.before, 0), self._half(self.after, len(self.before.samples))
        sums = [summed(own) for own in (before, after)]
        whole_before, whole_after = (one[:, 0] for one in sums)
        errors = [_squared_error(one) for one in sums]
        degrees = [_degrees(one.shape[1] - 1) for one in sums]
        error = errors[0] + errors[1]
        spread = errors[0] ** 2 / degrees[0] + errors[1] ** 2 / degrees[1]
        per_degree = spread / np.maximum(error, 1e-9) ** 2
        quantile = np.interp(per_degree, _PER_DEGREE, _QUANTILE)
        differ = np.abs(whole_after - whole_before) > quantile * np.sqrt(error)
        return Change(whole_before, whole_after, differ)

    def _half(self, tree: ProfileTree, first: int) -> Floats:
        """Return by node of the union the samples of one tree: in all, and in each stretch."""
        rows = slice(first, first + len(tree.samples))
        node = self.tree.samples.node[rows]
        own = np.zeros((len(self.tree.parent), _stretches(tree) + 1))
        own[:, 0] = np.bincount(node, tree.samples.count, len(own))
        for number, count in enumerate(stretches_of(tree), 1):
            own[:, number] = np.bincount(node, count, len(own))
        return own

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
    if after.intervals != before.intervals:
        texts = (_intervals(tree) for tree in (before, after))
        raise _refused(
            f"Samples were taken in other intervals: {' and '.join(texts)}.",
            "Compare runs with the same distributed.worker.profile.interval.",
        )
    for tree, which in ((before, "first"), (after, "second")):
        if not len(tree.samples):
            raise _refused(f"The {which} profile has no samples.", "Choose another time or name.")
        if _stretches(tree) < 2:
            raise _refused(
                f"The {which} profile is of one cycle of Dask's profiler: it has no parts that "
                "say how much is chance.",
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


def _squared_error(sums: Floats) -> Floats:
    """Return the variance of totals; the first column has them, the others have stretches.

    Counting errors are the least: few samples may be in all stretches alike.
    """
    found, parts = sums[:, 0].copy(), sums[:, 1:]
    while (number := parts.shape[1]) >= min(4, sums.shape[1] - 1):
        steps = (np.diff(parts, axis=1) ** 2).sum(axis=1)
        np.maximum(found, steps * number / (2 * (number - 1)), out=found)
        parts = parts[:, ::2] + parts[:, 1::2] if number > 2 else parts[:, :0]
    return found


def _degrees(number: int) -> float:
    """Return the degrees of freedom of a variance that is made of differences of neighbours.

    >>> round(_degrees(16), 1), _degrees(2)
    (10.2, 1.0)
    """
    return 2 * (number - 1) ** 2 / (3 * number - 4)


def _intervals(tree: ProfileTree) -> str:
    texts = [f"{interval * 1000:g} ms" for interval in sorted(tree.intervals)]
    return " or ".join(texts) or "an interval that is not known"


def _refused(text: str, to_do: str) -> DaskscopeError:
    return DaskscopeError("not-comparable", text, to_do)
