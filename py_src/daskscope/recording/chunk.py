"""A chunk: some consecutive tasks as columns, and their keys as packed text.

Chunks are immutable once readers can see them, so readers need no lock.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from daskscope.schema import KEY_SEPARATOR, TASKS

if TYPE_CHECKING:
    from daskscope.recording.summary_blocks import SummaryBlocks

Columns = Mapping[str, NDArray[Any]]

DTYPES: Final[dict[str, np.dtype[np.generic]]] = {
    column.name: np.dtype("float64" if column.name == "nbytes" else column.type)
    for column in TASKS.columns
}
"""Types of the columns in memory: as on the wire, except that sizes of results are exact."""

ROW_BYTES: Final = sum(dtype.itemsize for dtype in DTYPES.values())

MERGED_BYTES: Final = 256_000
"""Small blocks of packed keys are merged up to this size."""

_SEPARATOR: Final = KEY_SEPARATOR.encode()


@dataclass(frozen=True, slots=True)
class KeyBlock:
    """The keys of ``tasks`` tasks from number ``first`` on: UTF-8, NUL-separated, zlib."""

    first: int
    tasks: int
    data: bytes | memoryview

    @property
    def stop(self) -> int:
        """Number after the last task."""
        return self.first + self.tasks

    def texts(self) -> list[str]:
        """Return the keys, with ``""`` for missing ones."""
        texts = self.raw().decode("utf-8", "replace").split(KEY_SEPARATOR)[: self.tasks]
        return texts + [""] * (self.tasks - len(texts))

    def raw(self) -> bytes:
        """Return the keys as they were packed, or nothing if the block is damaged."""
        try:
            return zlib.decompress(self.data)
        except zlib.error:
            return b""


def pack_keys(first: int, keys: Sequence[str]) -> KeyBlock:
    """Pack keys as an agent does.

    >>> pack_keys(7, ["a", "b"]).texts()
    ['a', 'b']
    """
    text = KEY_SEPARATOR.join(key.replace(KEY_SEPARATOR, "\ufffd") for key in keys)
    return KeyBlock(first, len(keys), zlib.compress(text.encode("utf-8", "replace"), 1))


def merge_blocks(blocks: Sequence[KeyBlock]) -> tuple[KeyBlock, ...]:
    """Merge many consecutive small blocks, which takes fewer objects and bytes.

    Long keys result in several blocks, because a block is sent and unpacked as a whole.

    >>> (one,) = merge_blocks([pack_keys(0, ["a"]), pack_keys(1, ["b", "c"])])
    >>> one.first, one.tasks, one.texts()
    (0, 3, ['a', 'b', 'c'])
    """
    groups: list[list[KeyBlock]] = []
    size = MERGED_BYTES
    for block in blocks:
        if size + len(block.data) > MERGED_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(block)
        size += len(block.data)
    return tuple(_merged(group) for group in groups)


def _merged(blocks: Sequence[KeyBlock]) -> KeyBlock:
    if len(blocks) == 1:
        return blocks[0]
    parts = []
    for block in blocks:
        raw = block.raw()
        if raw.count(_SEPARATOR) != block.tasks - 1:
            raw = KEY_SEPARATOR.join(block.texts()).encode()
        parts.append(raw)
    tasks = sum(block.tasks for block in blocks)
    return KeyBlock(blocks[0].first, tasks, zlib.compress(_SEPARATOR.join(parts), 1))


@dataclass(frozen=True, slots=True, eq=False)
class TaskChunk:
    """Consecutive tasks, ``first`` … ``first + tasks``; rows are in order of task number.

    ``columns`` has an array for each column of ``schema.TASKS``. ``summary`` is a
    preview of the rows, made when the chunk is sealed (``None`` before).
    ``in_memory`` is false once the arrays are mapped from a file.
    """

    first: int
    tasks: int
    columns: Columns = field(repr=False)
    keys: tuple[KeyBlock, ...] = field(repr=False)
    summary: SummaryBlocks | None = field(default=None, repr=False)
    in_memory: bool = True

    @property
    def stop(self) -> int:
        """Number after the last task."""
        return self.first + self.tasks

    @property
    def rows(self) -> int:
        """Number of start/stop intervals in the chunk."""
        return len(self.columns["task"])

    @property
    def data_bytes(self) -> int:
        """Bytes of columns and keys, wherever they are."""
        return self.rows * ROW_BYTES + sum(len(block.data) for block in self.keys)

    def rows_of(self, first: int, stop: int) -> slice:
        """Return the slice of rows of the tasks ``first`` … ``stop``."""
        task = self.columns["task"]
        low = np.searchsorted(task, min(max(first, 0), 2**32 - 1)) if first > self.first else 0
        high = np.searchsorted(task, stop) if stop < self.stop else len(task)
        return slice(int(low), int(high))

    def key_of(self, task: int) -> str:
        """Return the key of one task, ``""`` if it is missing."""
        for block in self.keys:
            if block.first <= task < block.stop:
                return block.texts()[task - block.first]
        return ""


def chunks_within(chunks: Sequence[TaskChunk], first: int, stop: int) -> list[TaskChunk]:
    """Return the chunks that have any of the tasks `first` … `stop`."""
    low = bisect_right(chunks, first, key=lambda chunk: chunk.stop)
    high = bisect_left(chunks, stop, key=lambda chunk: chunk.first)
    return list(chunks[low:high])


def key_blocks(chunks: Sequence[TaskChunk], first: int, stop: int) -> list[KeyBlock]:
    """Return blocks with exactly the kept keys of the tasks `first` … `stop`.

    A block that reaches further is packed again, since no page may get a key twice; other blocks
    are returned unchanged.
    """
    found = []
    for chunk in chunks:
        for block in chunk.keys:
            low, high = max(first, block.first), min(stop, block.stop)
            if low >= high:
                continue
            if (low, high) == (block.first, block.stop):
                found.append(block)
            else:
                texts = block.texts()[low - block.first : high - block.first]
                found.append(pack_keys(low, texts))
    return found
