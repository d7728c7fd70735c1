"""From the agent's chunks to columns in terms of the session's names.

The other half of `daskscope.agent.packing`; the layout is in docs/protocol.md, part A.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgpack
import numpy as np
from numpy.typing import NDArray

from daskscope.agent.packing import join_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from daskscope.recording import Names

Array = NDArray[Any]

TASK_COLUMNS: Final = ("rows", "place", "lane", "status", "nbytes")
ROW_COLUMNS: Final = ("start", "stop", "action")

_DTYPES: Final = {code: np.dtype(f"<{code}") for code in "BHIiqd"}
_KINDS: Final = {
    "prefix": "prefixes",
    "lane": "lanes",
    "span": "spans",
    "action": "actions",
}


@dataclass(frozen=True, slots=True)
class Tasks:
    """Consecutive tasks, as `RecordingStore.append_tasks` takes them."""

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
                if kind == "spans":  # flat: the id, and the names from outside in
                    items = [(span, tuple(name)) for span, *name in items]
                new = [self._names.intern(kind, item) for item in items]
                self._maps[kind] = np.concatenate([self._maps[kind], np.array(new, np.uint16)])

    def translate(self, column: str, indices: Array) -> Array:
        """Return the session's indices for the agent's."""
        return self._maps[_KINDS[column]][indices]


class _Reader:
    """Reads columns one after the other; what does not fit raises `ValueError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0

    def bytes(self, size: int) -> bytes:
        part = self._data[self._offset : self._offset + size]
        if len(part) < size:
            raise ValueError("it ends too early")
        self._offset += size
        return part

    def column(self, code: str, length: int) -> Array:
        """Read the planes of a column, lowest bytes first."""
        dtype = _DTYPES[code]
        planes = np.empty((length, dtype.itemsize), np.uint8)
        for place in range(dtype.itemsize):
            alike = self.bytes(1) == b"\1"
            planes[:, place] = np.frombuffer(self.bytes(1 if alike else length), np.uint8)
        return planes.view(dtype).reshape(length)


def _columns(chunk: Mapping[str, Any]) -> dict[str, Array]:
    data = _Reader(chunk["data"])
    return {
        name: data.column(code, chunk["tasks" if name in TASK_COLUMNS else "rows"])
        for name, code in zip(TASK_COLUMNS + ROW_COLUMNS, chunk["format"], strict=True)
    }


def _keys(chunk: Mapping[str, Any]) -> bytes:
    """Return the block of keys as a recording has it: zlib of text, NUL between."""
    block: bytes = chunk["keys"]
    if chunk["key_encoding"] == "text":
        return block
    # Tuples are sent as they are, since making text of them costs the scheduler too much.
    keys: Sequence[Any]
    if chunk["key_encoding"] == "columns":
        keys = _tuples(_Reader(block), chunk["tasks"])
    else:
        keys = msgpack.unpackb(zlib.decompress(block), use_list=False, strict_map_key=False)
    return zlib.compress(join_keys(keys), 1)


def _tuples(block: _Reader, tasks: int) -> list[tuple[Any, ...]]:
    """Return tuples of a name and integers, which come as columns, by length."""
    names = msgpack.unpackb(block.bytes(int.from_bytes(block.bytes(4), "little")))
    lengths = block.column("H", tasks)
    keys: list[tuple[Any, ...]] = [()] * tasks
    for length in sorted(set(lengths.tolist())):
        (places,) = np.nonzero(lengths == length)
        heads = [names[index] for index in block.column("H", len(places))]
        numbers = [block.column("i", len(places)).tolist() for _ in range(length - 1)]
        for place, key in zip(places, zip(heads, *numbers, strict=True), strict=True):
            keys[place] = key
    return keys


def decode(chunk: Mapping[str, Any], index_map: IndexMap) -> Tasks:
    """Return the columns of one chunk; malformed chunks raise `ValueError`."""
    try:
        packed = _columns(chunk)
        prefix = index_map.translate("prefix", packed["place"] & 0xFFFF)
        lane = index_map.translate("lane", packed["lane"])
        span = index_map.translate("span", packed["place"] >> 16)
        action = index_map.translate("action", packed["action"])
        keys = _keys(chunk)
    except (
        zlib.error,
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        msgpack.UnpackException,
    ) as error:
        raise ValueError(f"a chunk of the agent cannot be read: {error!r}") from error
    rows = packed["rows"].astype(np.int64)
    if int(rows.sum()) != chunk["rows"]:
        raise ValueError("a chunk of the agent has rows that belong to no task")
    task = np.repeat(np.arange(len(rows), dtype=np.uint32), rows)
    status = packed["status"]
    nowhere = rows == 0
    with np.errstate(over="ignore", invalid="ignore"):  # times that workers made up
        duration = (packed["stop"] - packed["start"]).astype(np.float32)
    return Tasks(
        first=chunk["first"],
        tasks=chunk["tasks"],
        columns={
            "start": packed["start"],
            "duration": duration,
            "lane": lane[task],
            "prefix": prefix[task],
            "action": action.astype(np.uint8),
            "status": status[task],
            "nbytes": packed["nbytes"].astype(np.float64)[task],
            "span": span[task],
            "task": task,
        },
        rowless={"prefix": prefix[nowhere], "status": status[nowhere]},
        keys=keys,
    )
