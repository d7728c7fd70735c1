"""A profile as a tree of calls: how often each function was sampled, and who called it.

Trees are columns of numbers, independent of a recording, so those of several runs can be merged
and compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import inf, isfinite
from operator import index
from typing import TYPE_CHECKING, Any, Final, NamedTuple, SupportsIndex

import numpy as np

from daskscope.errors import DaskscopeError
from daskscope.format import count_text, seconds_text
from daskscope.schema import SCOPES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from daskscope.derive.profile_difference import ProfileDifference

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]

ROOT: Final = 0


class Frame(NamedTuple):
    """A function; `line` and `source` are from its first sample."""

    name: str
    file: str = ""
    first_line: int = 0
    line: int = 0
    source: str = ""

    @property
    def identity(self) -> tuple[str, str, int]:
        """Equal for the same function in two profiles: name, file and first line."""
        return self[:3]


@dataclass(frozen=True)
class Samples:
    """The samples of a tree: each row counts the samples of a node in some time."""

    time: Floats
    duration: Floats
    """Seconds; infinite if the time is unknown."""
    worker: Numbers
    prefix: Numbers
    """Indexes into `workers` and `prefixes`."""
    node: Numbers
    count: Floats
    workers: tuple[str, ...] = ("",)
    prefixes: tuple[str, ...] = ("",)

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True, eq=False, repr=False)
class ProfileTree:
    """A profile: the functions that threads were in, as a tree with sample counts.

    Dask samples each worker thread every `interval` seconds. The self count of a function has the
    samples in which it called nothing else; its total includes the functions that it called.

    >>> tree = rec.profile(prefix="inc")
    >>> tree.count, tree.seconds
    (149, 1.49)
    >>> tree.top(1)[["function", "self", "total"]].values.tolist()
    [['work', 120, 120]]

    ``b - a`` is the difference of two profiles, ``a + b`` their sum.
    """

    frames: Sequence[Frame]
    parent: Numbers
    """The parent of each node, which comes before it; the root is its own parent."""
    frame: Numbers
    samples: Samples
    scope: str = SCOPES[0]
    """``compute``: threads of tasks; ``worker`` and ``scheduler``: their event loops."""
    intervals: frozenset[float] = frozenset()
    """Seconds between two samples of the processes: mostly one value."""
    start: float = -inf
    stop: float = inf
    reason: str = ""
    """Why there are no samples, and what to do, if known."""

    # -- figures ------------------------------------------------------------

    @cached_property
    def self_counts(self) -> Floats:
        """Samples of each node, without the functions that it called."""
        found = np.zeros(len(self.parent))
        np.add.at(found, self.samples.node, self.samples.count)
        return found

    @cached_property
    def totals(self) -> Floats:
        """Samples of each node, with the functions that it called."""
        return self.summed(self.self_counts)

    def summed(self, own: Floats) -> Floats:
        """Return the sums over each node and its descendants, for one or several columns."""
        if own.ndim > 1:
            return np.stack([self.summed(column) for column in own.T], axis=1)
        sums = own.copy()
        for nodes in self._levels[:0:-1]:  # children before their parents
            np.add.at(sums, self.parent[nodes], sums[nodes])
        return sums

    @cached_property
    def depth(self) -> Numbers:
        """The number of calls from the root to each node."""
        return depths(self.parent)

    @cached_property
    def _levels(self) -> list[Numbers]:
        """The nodes of each depth."""
        order = np.argsort(self.depth, kind="stable")
        ends = np.searchsorted(self.depth[order], np.arange(1, int(self.depth.max()) + 1))
        return np.split(order, ends)

    @cached_property
    def outermost(self) -> NDArray[np.bool_]:
        """The nodes not inside another call of the same function: their totals can be added."""
        frame, depth = self.frame.tolist(), self.depth.tolist()
        found, path, within = [True] * len(frame), list[int](), [0] * len(self.frames)
        for node in laid_out(self)[0].tolist():
            while len(path) > depth[node]:
                within[path.pop()] -= 1
            own = frame[node]
            found[node] = within[own] == 0
            within[own] += 1
            path.append(own)
        return np.array(found)

    @property
    def count(self) -> float:
        """Total number of samples, as in ``client.profile()["count"]``."""
        return plain(self.self_counts.sum())

    @property
    def interval(self) -> float | None:
        """Seconds between two samples of a thread; None if unknown or not the same for all."""
        return next(iter(self.intervals)) if len(self.intervals) == 1 else None

    @property
    def seconds(self) -> float | None:
        """Seconds, summed over all threads; None if `interval` is None."""
        return None if self.interval is None else round(self.count * self.interval, 9)

    # -- as tables ----------------------------------------------------------

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each function: function, file, line, self, total.

        ``self`` and ``total`` are samples; multiply by `interval` for seconds of threads. A
        function that calls itself is counted once in its total. ``line`` is one line where it
        was sampled. Functions that Dask does not distinguish share a row: ``in one of: …``.

        >>> rec.profile().to_pandas()[["function", "file", "line"]].values[0].tolist()
        ['work', '/home/ada/job.py', 3]
        """
        import pandas as pd

        own = self.by_frame(self.self_counts)
        total = self.by_frame(np.where(self.outermost, self.totals, 0))
        seen = np.flatnonzero(total[1:] > 0) + 1
        seen = seen[np.lexsort((-total[seen], -own[seen]))]
        columns = frame_columns(self.frames, seen)
        return pd.DataFrame(columns | {"self": whole(own[seen]), "total": whole(total[seen])})

    def by_frame(self, by_node: Floats) -> Floats:
        """Return the sums of a column of nodes by frame."""
        if by_node.ndim > 1:
            return np.stack([self.by_frame(column) for column in by_node.T], axis=1)
        sums = np.zeros(len(self.frames))
        np.add.at(sums, self.frame, by_node)
        return sums

    def top(self, n: SupportsIndex = 10, by: str = "self") -> pd.DataFrame:
        """Return the `n` functions with the most samples, by ``"self"`` or ``"total"``.

        >>> rec.profile().top(2, by="total")["function"].tolist()
        ['run', 'work']
        """
        if by not in ("self", "total"):
            raise _bad_argument("by", by, 'It is "self" or "total".')
        count = index(n) if isinstance(n, SupportsIndex) else -1
        if count < 0 or isinstance(n, bool):
            raise _bad_argument("n", n, "It is a whole number of functions, 0 or more.")
        return self.to_pandas().sort_values(by, ascending=False, kind="stable").head(count)

    def to_dict(self) -> dict[str, Any]:
        """Return the dict of ``Client.profile``, for ``distributed.profile.plot_data``.

        >>> state = rec.profile(prefix="sum").to_dict()
        >>> state["count"], [*state["children"]]
        (60, ['run;/lib/pool.py;10'])
        """
        nodes: list[dict[str, Any]] = []
        for total, parent, frame in zip(
            self.totals.tolist(), self.parent.tolist(), self.frame.tolist(), strict=True
        ):
            name, file, first_line, line, source = self.frames[frame]
            ident = f"{name};{file};{first_line}" if nodes else "root"
            node = {
                "count": plain(total),
                "children": {},
                "identifier": ident,
                "description": {
                    "filename": file,
                    "name": name,
                    "line_number": line,
                    "line": source,
                },
            }
            if nodes:
                nodes[parent]["children"][ident] = node
            nodes.append(node)
        return nodes[0]

    # -- other trees --------------------------------------------------------

    def __add__(self, other: ProfileTree) -> ProfileTree:
        return self.merge(other) if isinstance(other, ProfileTree) else NotImplemented

    def __radd__(self, other: object) -> ProfileTree:
        return self if other == 0 else NotImplemented  # sum([a, b]) begins with 0

    def merge(self, *others: ProfileTree) -> ProfileTree:
        """Return the sum of this and other trees, as `+` does.

        >>> rec.profile(prefix="inc").merge(rec.profile(prefix="sum")).count == rec.profile().count
        True
        """
        wrong = [other for other in others if not isinstance(other, ProfileTree)]
        if wrong:
            raise _bad_argument("others", wrong[0], "Each is a ProfileTree.")
        return merged([self, *others])

    def __sub__(self, other: ProfileTree) -> ProfileDifference:
        """Return what changed from `other` to this profile (see `ProfileDifference`).

        >>> (rec.profile(prefix="inc") - rec.profile(prefix="sum")).count
        89
        """
        from daskscope.derive.profile_difference import difference

        return difference(self, other) if isinstance(other, ProfileTree) else NotImplemented

    # -- files --------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> str:
        """Write a report with only this profile: an HTML file that opens in any browser, offline.

        Return its path. A name without an extension gets ``.html``.

        >>> rec.profile().save("profile.html")
        'profile.html'
        """
        from daskscope.report.profile import write_report

        return write_report(self, path)

    def to_speedscope(self, path: str | PathLike[str]) -> Path:
        """Write a file for https://www.speedscope.app.

        >>> rec.profile().to_speedscope("profile.speedscope.json").name
        'profile.speedscope.json'
        """
        from daskscope.export.profile import to_speedscope

        return to_speedscope([self], path)

    def to_collapsed(self, path: str | PathLike[str]) -> Path:
        """Write collapsed stacks, lines such as ``a;b;c 12``, for flamegraph.pl and inferno.

        >>> rec.profile().to_collapsed("profile.txt").read_text().splitlines()[0]
        'inc (inc.py:3) 9'
        """
        from daskscope.export.profile import to_collapsed

        return to_collapsed([self], path)

    def __repr__(self) -> str:
        if not len(self.samples):
            return f"<ProfileTree {self.scope}: 0 samples. {self.reason}".rstrip(". ") + ">"
        functions = len(np.unique(self.frame[1:]))
        seconds = "" if self.seconds is None else f", {seconds_text(self.seconds)} of threads"
        count = count_text(round(self.count), "sample")
        return f"<ProfileTree {self.scope}: {count}{seconds}, {count_text(functions, 'function')}>"


def _bad_argument(name: str, value: object, allowed: str) -> DaskscopeError:
    return DaskscopeError("bad-query", f"`{name}` cannot be {value!r:.100}.", allowed)


def plain(count: float) -> float:
    """Return a count as an integer, unless a cycle was only partly in the window.

    >>> plain(3.0), plain(2.5)
    (3, 2.5)
    """
    nearest = round(float(count))
    return nearest if abs(count - nearest) < 1e-3 else float(count)


def whole(counts: Floats) -> NDArray[Any]:
    """Return counts as integers if all of them are whole."""
    nearest = np.round(counts)
    return nearest.astype(np.int64) if np.allclose(counts, nearest, 0, 1e-3) else counts


def frame_columns(frames: Sequence[Frame], numbers: Numbers) -> dict[str, list[Any]]:
    """Return the columns that describe functions in a table."""
    found = [frames[number] for number in numbers.tolist()]
    return {
        "function": [frame.name for frame in found],
        "file": [frame.file for frame in found],
        "line": [frame.line or frame.first_line for frame in found],
    }


def depths(parent: NDArray[Any]) -> Numbers:
    """Return the number of calls from the root to each node, without recursion.

    >>> depths(np.array([0, 0, 1, 2, 0])).tolist()
    [0, 1, 2, 3, 1]
    """
    up: Numbers = parent.astype(np.int64)
    depth: Numbers = (up != np.arange(len(up))).astype(np.int64)
    while up.any():  # each round doubles the distance
        depth += depth[up]
        up = up[up]
    return depth


def laid_out(tree: ProfileTree) -> tuple[Numbers, Floats]:
    """Return the nodes from left to right, and the left edge of each, in samples.

    A node comes before its descendants. Siblings are sorted by name, so that pictures of two runs
    look alike.
    """
    rank = np.empty(len(tree.frames), np.int64)
    rank[sorted(range(len(tree.frames)), key=lambda at: tree.frames[at].identity)] = np.arange(
        len(tree.frames)
    )
    by_parent = np.lexsort((rank[tree.frame[1:]], tree.parent[1:])) + 1
    ends = np.searchsorted(tree.parent[by_parent], np.arange(len(tree.parent) + 1))
    children, first = by_parent.tolist(), ends.tolist()
    order, waiting = [], [ROOT]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += children[first[node] : first[node + 1]][::-1]
    left, parent, total = np.zeros(len(order)).tolist(), tree.parent.tolist(), tree.totals.tolist()
    free = left.copy()
    for node in order[1:]:
        above = parent[node]
        left[node] = free[node] = free[above]
        free[above] += total[node]
    return np.array(order), np.array(left)


def pruned(tree: ProfileTree) -> ProfileTree:
    """Return a tree with only the nodes and frames that have samples."""
    seen = np.zeros(len(tree.parent), bool)
    seen[ROOT] = True
    nodes = np.unique(tree.samples.node)
    while len(nodes):
        seen[nodes] = True
        nodes = np.unique(tree.parent[nodes])
        nodes = nodes[~seen[nodes]]
    kept = np.flatnonzero(seen)
    place = np.cumsum(seen) - 1
    used, frame = np.unique(tree.frame[kept], return_inverse=True)
    return replace(
        tree,
        frames=[tree.frames[number] for number in used.tolist()],
        parent=place[tree.parent[kept]],
        frame=frame,
        samples=replace(tree.samples, node=place[tree.samples.node]),
    )


def merged(trees: Sequence[ProfileTree]) -> ProfileTree:
    """Merge several trees; functions with the same name, file and first line are the same."""
    first = trees[0]
    if len({tree.scope for tree in trees}) > 1:
        scopes = " and ".join(sorted({tree.scope for tree in trees}))
        raise DaskscopeError(
            "not-comparable",
            f"The profiles are of different threads: {scopes}.",
            "Merge and compare profiles with the same scope.",
        )
    frames = {("", "", 0): Frame("")}
    nodes = {(-1, 0): ROOT}  # by parent and frame
    parts = []
    for tree in trees:
        for frame in tree.frames:
            frames.setdefault(frame.identity, frame)
        number = dict(zip(frames, range(len(frames)), strict=True))
        own = [number[frame.identity] for frame in tree.frames]
        place = [ROOT]
        for parent, at in zip(tree.parent[1:].tolist(), tree.frame[1:].tolist(), strict=True):
            place.append(nodes.setdefault((place[parent], own[at]), len(nodes)))
        parts.append(replace(tree.samples, node=np.array(place)[tree.samples.node]))
    parents_and_frames = np.array([(ROOT, 0), *islice(nodes, 1, None)])
    return replace(
        first,
        frames=[*frames.values()],
        parent=parents_and_frames[:, 0],
        frame=parents_and_frames[:, 1],
        samples=_joined(parts),
        intervals=frozenset().union(*(tree.intervals for tree in trees)),
        start=min(tree.start for tree in trees),
        stop=max(tree.stop for tree in trees),
    )


def _joined(parts: Sequence[Samples]) -> Samples:
    """Return samples of several trees as one table."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("time", "duration", "node", "count")
    }
    for name, names in (("worker", "workers"), ("prefix", "prefixes")):
        known: dict[str, int] = {}
        cells = [
            np.array([known.setdefault(text, len(known)) for text in getattr(part, names)])[
                getattr(part, name)
            ]
            for part in parts
        ]
        columns |= {name: np.concatenate(cells), names: tuple(known)}
    return Samples(**columns)


def known_time(tree: ProfileTree) -> tuple[float, float]:
    """Return the first and last time of samples whose time is known."""
    timed = np.isfinite(tree.samples.duration)
    time, duration = tree.samples.time[timed], tree.samples.duration[timed]
    if not len(time):
        return (0.0, 0.0)
    start, stop = float(time.min()), float((time + duration).max())
    return (
        max(start, tree.start) if isfinite(tree.start) else start,
        min(stop, tree.stop) if isfinite(tree.stop) else stop,
    )
