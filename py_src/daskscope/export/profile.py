"""Profiles in the formats of other viewers: speedscope's JSON, and collapsed stacks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.atomic_files import real, text_of, written
from daskscope.derive.profile_tree import laid_out
from daskscope.errors import DaskscopeError
from daskscope.format import bytes_text
from daskscope.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    from daskscope.derive.profile_tree import Frame, ProfileTree

SCHEMA: Final = "https://www.speedscope.app/file-format-schema.json"
NAMES: Final = {"compute": "tasks", "worker": "workers", "scheduler": "scheduler"}
"""Names of profiles, by scope."""

MAX_BYTES: Final = 500_000_000
"""Each stack is written whole: a file of deep ones could fill a disk, and no viewer opens it."""


def to_speedscope(trees: Sequence[ProfileTree], path: str | PathLike[str]) -> Path:
    """Write trees as the profiles of a file for speedscope; the first one is shown first."""
    text_of(path)
    frames: dict[Frame, int] = {}
    numbers = [[frames.setdefault(frame, len(frames)) for frame in tree.frames] for tree in trees]
    _check_size(trees, [np.full(len(tree.frames), 6.0) for tree in trees])
    with written(path) as file:
        head: dict[str, Any] = {
            "$schema": SCHEMA,
            "exporter": f"daskscope {installed_version()}",
            "name": "Dask profile",
            "activeProfileIndex": 0,
            "shared": {"frames": [_described(frame) for frame in frames]},
        }
        file.write(json.dumps(head)[:-1].encode("ascii") + b', "profiles": [')
        for at, (tree, number) in enumerate(zip(trees, numbers, strict=True)):
            nodes, weights = weights_of(tree)
            each = 1.0 if tree.interval is None else tree.interval
            seconds = [round(weight * each, 9) for weight in weights]
            about = {
                "type": "sampled",
                "name": NAMES[tree.scope],
                "unit": "none" if tree.interval is None else "seconds",
                "startValue": 0,
                "endValue": round(sum(seconds), 9),
                "weights": seconds,
            }
            file.write(b",\n" * (at > 0) + json.dumps(about)[:-1].encode("ascii"))
            file.write(b', "samples": [')
            for place, stack in enumerate(stacks_of(tree, nodes)):
                own = ",".join(str(number[frame]) for frame in stack)
                file.write(b",\n" * (place > 0) + f"[{own}]".encode("ascii"))
            file.write(b"]}")
        file.write(b"]}\n")
    return real(path)


def to_collapsed(trees: Sequence[ProfileTree], path: str | PathLike[str]) -> Path:
    """Write trees as lines ``a;b;c 12``; with several trees, the name of each comes first."""
    text_of(path)
    labels = [[_label(frame) for frame in tree.frames] for tree in trees]
    _check_size(trees, [np.array([len(text) + 1.0 for text in own]) for own in labels])
    with written(path) as file:
        for tree, own in zip(trees, labels, strict=True):
            first = [NAMES[tree.scope]] if len(trees) > 1 else []
            nodes, weights = weights_of(tree)
            # A line has whole samples; rounding the sums keeps the total.
            counts = np.diff(np.round(np.cumsum([0, *weights]))).astype(int).tolist()
            for stack, count in zip(stacks_of(tree, nodes), counts, strict=True):
                if count:
                    line = ";".join([*first, *(own[frame] for frame in stack)])
                    file.write(f"{line} {count}\n".encode("utf-8", "replace"))
    return real(path)


def weights_of(tree: ProfileTree) -> tuple[list[int], list[float]]:
    """Return the nodes with samples of their own, from left to right, and these samples."""
    order, _ = laid_out(tree)
    order = order[tree.self_counts[order] > 0]
    return order.tolist(), tree.self_counts[order].tolist()


def stacks_of(tree: ProfileTree, nodes: Sequence[int]) -> Iterator[list[int]]:
    """Yield the frames of stacks, the outermost first."""
    parent, frame = tree.parent.tolist(), tree.frame.tolist()
    for node in nodes:
        stack = []
        while node:
            stack.append(frame[node])
            node = parent[node]
        yield stack[::-1]


def _described(frame: Frame) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": frame.name}
    if frame.file:
        facts["file"] = frame.file
    if line := frame.line or frame.first_line:
        facts["line"] = line
    return facts


def _label(frame: Frame) -> str:
    r"""Return a function on one line, without the character that separates functions.

    >>> from daskscope.derive.profile_tree import Frame
    >>> _label(Frame("inc", "/home/ada/job.py", 3)), _label(Frame("a;b\nc"))
    ('inc (job.py:3)', 'a:b c')
    """
    where = f" ({frame.file.replace(chr(92), '/').rpartition('/')[2]}:{frame.first_line})"
    return " ".join((frame.name + where * bool(frame.file)).replace(";", ":").split())


def _check_size(trees: Sequence[ProfileTree], widths: Sequence[np.ndarray[Any, Any]]) -> None:
    """Refuse a file that would be far too large: the sum over all stacks."""
    size = 0.0
    for tree, width in zip(trees, widths, strict=True):
        up, long = tree.parent.copy(), width[tree.frame]
        while up.any():  # each round doubles the distance
            long = long + np.where(up > 0, long[up], 0)
            up = up[up]
        size += float(long[tree.self_counts > 0].sum())
    if size > MAX_BYTES:
        raise DaskscopeError(
            "too-large",
            f"The file would have {bytes_text(size)}: there are too many deep stacks.",
            "Select a shorter time, a prefix or a worker.",
        )
