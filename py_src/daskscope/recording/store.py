"""Stores chunks: a growing tail, sealed chunks in memory, older ones on disk.

A live poll brings a few hundred rows ten times a second. They are copied into a
tail of fixed size; readers get views of its filled part. A full tail becomes a sealed
chunk. So a long run does not need objects for each poll, and readers' data never changes.

A temporary file has no name (or is deleted on close, on systems without that), so it
disappears with its last reader, even if the process is killed. It is written with ``write``,
which raises an error on a full disk; writing through the map would kill the process.
"""

from __future__ import annotations

import mmap
import tempfile
from copy import copy
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from daskscope.recording.chunk import DTYPES, ROW_BYTES, KeyBlock, TaskChunk, merge_blocks
from daskscope.recording.summary_blocks import fit, of_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

_ALIGNMENT = 8


def spill(chunks: Sequence[TaskChunk], directory: str | None = None) -> list[TaskChunk]:
    """Write chunks to one file and return the same chunks, mapped from it.

    Raises ``OSError`` if writing fails; no file is left then.
    """
    if directory is not None:
        Path(directory).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(prefix="daskscope-", dir=directory) as file:
        for chunk in chunks:
            for name in DTYPES:
                file.write(np.ascontiguousarray(chunk.columns[name]).data)
                file.write(bytes(-file.tell() % _ALIGNMENT))
            for block in chunk.keys:
                file.write(block.data)
            file.write(bytes(-file.tell() % _ALIGNMENT))
        file.flush()
        # The map has its own descriptor, so the file object can be closed.
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    offset = 0
    mapped = []
    for chunk in chunks:
        columns = {}
        for name, dtype in DTYPES.items():
            columns[name] = np.frombuffer(view, dtype, chunk.rows, offset)
            offset += chunk.rows * dtype.itemsize
            offset += -offset % _ALIGNMENT
        keys = []
        for block in chunk.keys:
            keys.append(KeyBlock(block.first, block.tasks, view[offset : offset + len(block.data)]))
            offset += len(block.data)
        offset += -offset % _ALIGNMENT
        mapped.append(replace(chunk, columns=columns, keys=tuple(keys), in_memory=False))
    return mapped


TAIL_ROWS: Final = 16_384
CHUNK_SUMMARY_BLOCKS: Final = 512
"""Blocks that a chunk of ``TAIL_ROWS`` keeps in memory for previews."""

CHUNK_OVERHEAD_BYTES: Final = 3_000
"""Bytes of the Python objects of one chunk, counted against the limit."""

SMALL_BLOCK_TASKS: Final = 1_024
"""Blocks of keys with fewer tasks on average are merged."""

MAX_SEGMENTS: Final = 128
"""Bound for files of spilled chunks, since each holds a descriptor of the process."""

Overflow = Literal["spill", "drop"]


def _memory_bytes(chunk: TaskChunk) -> int:
    summary = chunk.summary.nbytes if chunk.summary is not None else 0
    data = chunk.data_bytes if chunk.in_memory else 0
    return CHUNK_OVERHEAD_BYTES + summary + data


class _Tail:
    """Preallocated columns that fill up. Written cells are never overwritten."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.tasks = 0
        self.rows = 0
        self.columns = {name: np.empty(TAIL_ROWS, dtype) for name, dtype in DTYPES.items()}
        self.blocks: list[KeyBlock] = []

    def fits(self, rows: int, tasks: int) -> bool:
        return self.rows + rows <= TAIL_ROWS and self.tasks + tasks <= TAIL_ROWS

    def append(self, columns: Mapping[str, NDArray[Any]], block: KeyBlock) -> None:
        stop = self.rows + len(columns["task"])
        for name, column in self.columns.items():
            column[self.rows : stop] = columns[name]
        self.rows = stop
        self.tasks += block.tasks
        self.blocks.append(block)

    def chunk(self) -> TaskChunk:
        columns = {}
        for name, column in self.columns.items():
            columns[name] = column[: self.rows]
            columns[name].flags.writeable = False
        return TaskChunk(self.first, self.tasks, columns, tuple(self.blocks))

    def seal(self) -> TaskChunk:
        chunk = self.chunk()
        columns = chunk.columns
        if self.rows < TAIL_ROWS * 3 // 4:
            columns = {name: column.copy() for name, column in columns.items()}
        keys = chunk.keys
        if self.tasks < SMALL_BLOCK_TASKS * len(keys):
            keys = merge_blocks(keys)
        return replace(chunk, columns=columns, keys=keys)

    @property
    def memory_bytes(self) -> int:
        return TAIL_ROWS * ROW_BYTES + sum(len(block.data) + 100 for block in self.blocks)


def summarised(chunk: TaskChunk) -> TaskChunk:
    """Return the chunk with a preview of itself."""
    limit = max(64, CHUNK_SUMMARY_BLOCKS * chunk.rows // TAIL_ROWS)
    return replace(chunk, summary=fit(of_rows(chunk.columns), limit))


class ChunkStore:
    """Bounded list of chunks. One thread appends; any thread may take snapshots."""

    def __init__(
        self,
        memory_limit: int,
        disk_limit: int,
        overflow: Overflow,
        directory: str | None,
    ) -> None:
        self.lock = Lock()  # held briefly to replace the lists below; a recording sets its own lock
        self.spill_error: str | None = None
        self.dropped = (0, 0)  # tasks and rows, replaced together
        self._memory_limit = memory_limit
        self._disk_limit = disk_limit
        self._overflow = overflow
        self._directory = directory
        self._segment_bytes = min(max(memory_limit // 8, disk_limit // MAX_SEGMENTS), memory_limit)
        self._sealed: list[TaskChunk] = []
        self._spilled = 0  # number of the oldest chunks in _sealed that are mapped from files
        self._segments: list[tuple[int, int]] = []  # (chunks, bytes) of each file
        self._sealed_bytes = 0  # bytes of sealed chunks in memory
        self._tail: _Tail | None = None
        self._tail_chunk: TaskChunk | None = None

    @property
    def memory_bytes(self) -> int:
        """Bytes in memory: columns, keys, summaries and objects."""
        tail = self._tail
        return self._sealed_bytes + (tail.memory_bytes if tail else 0)

    @property
    def disk_bytes(self) -> int:
        """Bytes in temporary files."""
        return sum(size for _, size in self._segments)

    def snapshot(self) -> ChunkStore:
        """Return a copy as it is now. Call it with the lock held."""
        now = copy(self)
        now._sealed, now._segments = list(self._sealed), list(self._segments)
        return now

    def chunks(self) -> list[TaskChunk]:
        """Return all chunks, oldest first. They always stay valid."""
        with self.lock:
            chunks = list(self._sealed)
            tail = self._tail_chunk
        return [*chunks, tail] if tail is not None else chunks

    def append(
        self,
        columns: Mapping[str, NDArray[Any]],
        block: KeyBlock,
        seen: Callable[[], None],
    ) -> None:
        """Append rows with absolute task numbers, then apply the bounds.

        `seen` is called with the lock held, when the rows become readable.
        """
        rows = len(columns["task"])
        if rows * 4 >= TAIL_ROWS or block.tasks >= TAIL_ROWS:
            self.seal()
            copies = {name: np.array(columns[name], dtype) for name, dtype in DTYPES.items()}
            for column in copies.values():
                column.flags.writeable = False
            self._add_sealed(TaskChunk(block.first, block.tasks, copies, (block,)), seen)
        else:
            if self._tail is None or not self._tail.fits(rows, block.tasks):
                self.seal()
                self._tail = _Tail(block.first)
            self._tail.append(columns, block)
            chunk = self._tail.chunk()
            with self.lock:
                self._tail_chunk = chunk
                seen()
        self._keep_bounds()

    def _add_sealed(self, chunk: TaskChunk, seen: Callable[[], None] | None = None) -> None:
        chunk = summarised(chunk)
        with self.lock:
            self._sealed.append(chunk)
            self._tail = self._tail_chunk = None
            self._sealed_bytes += _memory_bytes(chunk)
            if seen is not None:
                seen()

    def seal(self) -> None:
        """Begin a new chunk with the next task."""
        if self._tail is not None:
            self._add_sealed(self._tail.seal())

    def _keep_bounds(self) -> None:
        while self.memory_bytes > self._memory_limit and self._make_room():
            pass
        while self._segments and self.disk_bytes > self._disk_limit:
            self._drop_oldest(self._segments[0][0])

    def _make_room(self) -> bool:
        """Spill or drop the oldest chunks; return false if there are none."""
        if self._spilled == len(self._sealed) and self._tail is not None and self._tail.rows:
            self.seal()  # only the tail fills the memory, so it must become a chunk
            return True
        if not self._sealed:
            return False
        if self._overflow == "spill" and self._spilled < len(self._sealed):
            try:
                self._spill_oldest()
            except OSError as error:
                self._disk_refused(str(error))
            return True
        if self._segments:  # only dropping a whole file frees disk space
            self._drop_oldest(self._segments[0][0])
        else:
            self._drop_oldest(1)
        return True

    def _disk_refused(self, reason: str) -> None:
        """Drop the oldest file and limit the disk to the rest; without files, stop spilling."""
        self.spill_error = reason
        if self._segments:
            self._drop_oldest(self._segments[0][0])
            self._disk_limit = self.disk_bytes
        if not self._segments:
            self._overflow = "drop"

    def _spill_oldest(self) -> None:
        size = count = 0
        for chunk in self._sealed[self._spilled :]:
            size += chunk.data_bytes
            count += 1
            if size >= self._segment_bytes:
                break
        first = self._spilled
        before = self._sealed[first : first + count]
        mapped = spill(before, self._directory)
        with self.lock:
            self._sealed[first : first + count] = mapped
            self._spilled += count
            self._segments.append((count, size))
            self._sealed_bytes += sum(map(_memory_bytes, mapped)) - sum(map(_memory_bytes, before))

    def _drop_oldest(self, count: int) -> None:
        with self.lock:
            dropped = self._sealed[:count]
            del self._sealed[:count]
            if self._segments:
                self._segments.pop(0)
                self._spilled -= count
            self._sealed_bytes -= sum(map(_memory_bytes, dropped))
            tasks, rows = self.dropped
            tasks += sum(chunk.tasks for chunk in dropped)
            rows += sum(chunk.rows for chunk in dropped)
            self.dropped = (tasks, rows)
