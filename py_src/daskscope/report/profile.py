"""A profile as a report: its samples as a recording of their own, and one tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from daskscope.derive.profile_tree import known_time
from daskscope.file_summary import new_recording
from daskscope.files.target import page_target
from daskscope.recording.recording_store import SUMMARY, about_of
from daskscope.report.html import packed, write
from daskscope.schema import FRAMES, PREFIXES, PROFILE_COUNTS, PROFILED, SCOPES, STACKS

if TYPE_CHECKING:
    from os import PathLike

    from daskscope.derive.profile_tree import ProfileTree
    from daskscope.recording import RecordingStore

PANEL: Final = "profile"
TITLE: Final = "Dask profile"


def write_report(tree: ProfileTree, path: str | PathLike[str]) -> str:
    """Write a page with the profile alone; return where it is."""
    place = page_target(path)
    recording = recording_of(tree)
    about = about_of(recording)
    figures = about[SUMMARY] | {"panels": [PANEL]}
    with packed(recording, about | {SUMMARY: figures}) as file:
        place.write(lambda out: write(figures, file, out), lambda *_: None)
    return place.name


def recording_of(tree: ProfileTree) -> RecordingStore:
    """Return a recording that has nothing but the samples of a tree."""
    recording = new_recording()
    names, samples = recording.names, tree.samples
    start, stop = known_time(tree)
    frames = [names.intern(FRAMES.name, tuple(frame)) for frame in tree.frames]
    stacks = [0]
    for parent, frame in zip(tree.parent[1:].tolist(), tree.frame[1:].tolist(), strict=True):
        # If the table is full, the samples go to the caller.
        above = stacks[parent]
        stacks.append(names.intern(STACKS.name, (above, frames[frame])) or above)
    prefixes = [names.intern(PREFIXES.name, name) for name in samples.prefixes]
    timed = np.isfinite(samples.duration)
    order = np.argsort(np.where(timed, samples.time, start), kind="stable")
    workers = np.array(samples.workers, object)
    recording.series(PROFILE_COUNTS.name).append(
        {
            "time": np.where(timed, samples.time, start)[order],
            "duration": np.where(timed, samples.duration, stop - start)[order],
            "scope": np.full(len(order), SCOPES.index(tree.scope)),
            "worker": workers[samples.worker[order]],
            "prefix": np.array(prefixes)[samples.prefix[order]],
            "stack": np.array(stacks)[samples.node[order]],
            "count": samples.count[order],
        },
        now=stop,
    )
    used = np.unique(samples.worker).tolist()
    interval = max(tree.intervals, default=0.0)
    cycle = float(np.median(samples.duration[timed])) if timed.any() else 0.0
    recording.log(PROFILED.name).append(
        {
            "worker": samples.workers[number],
            "time": start,
            "until": stop,
            "interval": interval,
            # Event loops are sampled once a cycle; rows may be longer than that.
            "cycle": cycle if tree.scope == SCOPES[0] else interval,
            "compute": "ok",
            "administrative": "ok",
            "lost": 0,
        }
        for number in used
    )
    recording.about_facts |= {"title": TITLE, "start": start, "stop": stop}
    return recording
