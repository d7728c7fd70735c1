"""From the agent's chunks to columns in terms of the session's names.

The other half of `daskscope.agent.packing`; the layout is in docs/protocol.md, part A.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from daskscope.recording import Names

Array = NDArray[Any]

TASK_COLUMNS: Final = ("rows", "prefix", "lane", "span", "status", "nbytes")
ROW_COLUMNS: Final = ("start", "duration", "action")

_DTYPES: Final = {code: np.dtype(f"<{code}") for code in "BHiq"}
_KINDS: Final = {
    "prefix": "prefixes",
    "lane": "lanes",
    "span": "spans",
    "action": "actions",
}


@dataclass(frozen=True, slots=True)
class Tasks:
    """Consecutive tasks, as `Recording.append_tasks` takes them."""

    first: int  # by the agent's count
    tasks: int
    columns: Mapping[str, Array]
    rowless: Mapping[str, Array]
    keys: bytes


class IndexMap:
    """Turns the indices of one agent into those of the session."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._maps: dict[str, Array] = {kind: np.zeros(0, np.uint16) for kind in _KINDS.values()}

    def known(self) -> dict[str, int]:
        """Return how many names of each kind have been read."""
        return {kind: len(known) for kind, known in self._maps.items()}

    def extend(self, names: Mapping[str, Sequence[Any]]) -> None:
        """Take in what an answer says is new."""
        for kind, items in names.items():
            if kind in self._maps and items:
                new = [
                    self._names.intern(kind, item if isinstance(item, str) else tuple(item))
                    for item in items
                ]
                self._maps[kind] = np.concatenate([self._maps[kind], np.array(new, np.uint16)])

    def translate(self, column: str, indices: Array) -> Array:
        """Return the session's indices for the agent's."""
        return self._maps[_KINDS[column]][indices]


def _columns(chunk: Mapping[str, Any]) -> dict[str, Array]:
    data = zlib.decompress(chunk["data"])
    columns: dict[str, Array] = {}
    offset = 0
    names = TASK_COLUMNS + ROW_COLUMNS
    for name, code in zip(names, chunk["format"], strict=True):
        dtype = _DTYPES[code]
        length = chunk["tasks" if name in TASK_COLUMNS else "rows"]
        size = length * dtype.itemsize
        planes = np.frombuffer(data, np.uint8, size, offset).reshape(dtype.itemsize, length)
        columns[name] = np.ascontiguousarray(planes.T).view(dtype).reshape(length)
        offset += size
    return columns


def decode(chunk: Mapping[str, Any], index_map: IndexMap) -> Tasks:
    """Return the columns of one chunk; malformed chunks raise `ValueError`."""
    try:
        packed = _columns(chunk)
        prefix = index_map.translate("prefix", packed["prefix"])
        lane = index_map.translate("lane", packed["lane"])
        span = index_map.translate("span", packed["span"])
        action = index_map.translate("action", packed["action"])
    except (zlib.error, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"a chunk of the agent cannot be read: {error!r}") from error
    rows = packed["rows"].astype(np.int64)
    if int(rows.sum()) != chunk["rows"]:
        raise ValueError("a chunk of the agent has rows that belong to no task")
    task = np.repeat(np.arange(len(rows), dtype=np.uint32), rows)
    status = packed["status"]
    nowhere = rows == 0
    return Tasks(
        first=chunk["first"],
        tasks=chunk["tasks"],
        columns={
            "start": chunk["base"] + packed["start"] / 1e6,
            "duration": (packed["duration"] / 1e6).astype(np.float32),
            "lane": lane[task],
            "prefix": prefix[task],
            "action": action.astype(np.uint8),
            "status": status[task],
            "nbytes": packed["nbytes"].astype(np.float64)[task],
            "span": span[task],
            "task": task,
        },
        rowless={"prefix": prefix[nowhere], "status": status[nowhere]},
        keys=chunk["keys"],
    )
