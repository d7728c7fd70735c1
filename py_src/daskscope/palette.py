"""The colours of slots, actions and memory on light backgrounds, for what Python draws.

``js_src/base/palette.ts`` has the same ones for pages; a test holds the two equal.
"""

from __future__ import annotations

from typing import Final

_SLOTS: Final = (
    "#cdc975 #4c6502 #87b686 #3c8763 #015b69 #65d0eb #5da5e5 #5a73de "
    "#4936a1 #795f94 #bb76aa #832055 #95935c #81955d #5f7e5e #85b79b "
    "#5b8a94 #5296a7 #42709a #96adfb #7772bf #a896bd #e7b3d9 #ab6483"
)
PREFIX_COLOURS: Final = tuple(_SLOTS.split())
"""By slot, which a recording stores with each name."""

ACTION_COLOURS: Final = {
    "transfer": "#d7263d",
    "disk": "#e8871e",
    "deserialize": "#9a9a9a",
    "erred": "#111111",
}

MEMORY_COLOURS: Final = {
    "managed": "#2f6db3",
    "unmanaged_old": "#86b0dd",
    "unmanaged_recent": "#c9def3",
}

ACTIVITY_COLOURS: Final = {
    "thread-cpu": "#4a6785",
    "thread-noncpu": "#a9c0d6",
    "p2p": "#8467b5",
    "executor": "#d2d2d2",
    "disk-read": "#e8871e",
    "deserialize": "#9a958c",
    "disk-write": "#8c4a00",
    "network": "#d7263d",
    "serialize": "#504c47",
    "compress": "#17756c",
    "decompress": "#5cb3a6",
    "other": "#e8e8e8",
}

_KIND_OF: Final = {
    "compute": "thread-cpu",
    "transfer": "network",
    "offload": "executor",
    "memory-read": "thread-noncpu",
}
"""Actions of tasks, and activities that are called otherwise than their kind."""
FLAME_COLOURS: Final = {
    "yours": "#a8cefe",
    "dask": "#ead5ab",
    "pandas": "#b3e6c4",
    "pyarrow": "#e5ccf8",
    "numpy": "#aae3ed",
    "other": "#d7d7d7",
}
"""Of functions, by whose code they are."""

LINE_SLOTS: Final = (7, 3, 10, 9)
"""The slots of the first lines of a plot that has one line a label; others follow in order."""


def action_colour(action: str) -> str | None:
    """Return which of `ACTION_COLOURS` an action of distributed has; None is the prefix's own.

    >>> action_colour("disk-write"), action_colour("compute")
    ('disk', None)
    """
    if action == "compute":
        return None
    if action == "transfer":
        return action
    return "disk" if action.startswith("disk") else "deserialize"


def activity_kind(activity: str) -> str | None:
    """Return which of `ACTIVITY_COLOURS` an activity or action has; None is its name's own.

    One that is not known by its name is of the longest kind that its name has in it.

    >>> activity_kind("p2p-shard"), activity_kind("x-decompress"), activity_kind("gpu")
    ('p2p', 'decompress', None)
    """
    if activity in ACTIVITY_COLOURS:
        return activity
    kinds = [kind for kind in ACTIVITY_COLOURS if kind in activity and kind != "other"]
    return _KIND_OF.get(activity) or max(kinds, key=len, default=None)


def activity_colour(activity: str, slot: int) -> str:
    """Return the colour of an activity that workers measured: that of its kind, or of its slot.

    >>> activity_colour("gpu", 2) == PREFIX_COLOURS[2]
    True
    """
    kind = activity_kind(activity)
    return PREFIX_COLOURS[slot] if kind is None else ACTIVITY_COLOURS[kind]


def line_colour(number: int) -> str:
    """Return the colour of a line, by its number in the plot.

    >>> line_colour(0) == PREFIX_COLOURS[7]
    True
    """
    others = [slot for slot in range(12) if slot not in LINE_SLOTS]
    slots = [*LINE_SLOTS, *others]
    return PREFIX_COLOURS[slots[number % len(slots)]]
