"""Chunks in temporary files.

A file is without a name from the start (deleted on close where the system cannot
do that), so it disappears with its last reader, even when the process is killed.
It is written with ``write``, not through the map: on a full disk that raises an
error where a map would kill the process.
"""

from __future__ import annotations

import mmap
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from daskscope.recording.chunk import DTYPES, KeyBlock, TaskChunk

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALIGNMENT = 8


def spill(chunks: Sequence[TaskChunk], directory: str | None = None) -> list[TaskChunk]:
    """Write chunks to one file and return the same chunks, mapped from it.

    Raises ``OSError`` when the disk does not take them; nothing is left behind then.
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
        # The map holds its own descriptor; closing the file object is right.
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
