"""What a numbered message says, described so briefly that it can be said again.

A description has numbers, not rows: the kernel keeps one for each message that is
not acknowledged, and builds the same content anew when the message was lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope.recording.chunk import key_blocks
from daskscope.recording.coarse import coarse
from daskscope.schema import COARSE, TASKS, Column
from daskscope.stream.tables import TableRows
from daskscope.wire import Outgoing, outgoing, pack_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daskscope.recording import RecordingStore
    from daskscope.stream.ranges import Range


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of some consecutive tasks; fewer once the recording dropped them."""

    kind: str  # "live" or "detail"
    first: int
    stop: int

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        parts = []
        for chunk in recording.chunks_of(self.first, self.stop):
            rows = chunk.rows_of(self.first, self.stop)
            parts.append({name: column[rows] for name, column in chunk.columns.items()})
        columns = {
            c.name: np.concatenate([part[c.name] for part in parts] or [np.empty(0, c.type)])
            for c in TASKS.columns
        }
        return _batch(address, self.kind, TASKS.columns, columns, (self.first, self.stop))


@dataclass(frozen=True, slots=True)
class Coarse:
    """The coarse picture of everything, as it is when it is sent."""

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        chunks = recording.chunks()
        picture = coarse(recording)
        columns = {name: getattr(picture, name) for name in picture.__slots__}
        columns["duration"] = picture.stop - picture.start
        covered = (chunks[0].first, chunks[-1].stop) if chunks else (0, 0)
        return _batch(address, "coarse", COARSE, columns, covered)


def _batch(
    address: dict[str, Any], kind: str, declared: Sequence[Column], columns: Any, of: Range
) -> Outgoing:
    fields = {"kind": kind, "first": of[0], "tasks": of[1] - of[0], "rows": len(columns["start"])}
    return outgoing("batch", address | fields, [pack_columns(declared, columns)])


@dataclass(frozen=True, slots=True)
class Keys:
    """Packed keys of some ranges of tasks."""

    pieces: tuple[Range, ...]

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        blocks = [
            block
            for piece in self.pieces
            for block in key_blocks(recording.chunks_of(*piece), *piece)
        ]
        listed = [{"first": b.first, "tasks": b.tasks, "bytes": len(b.data)} for b in blocks]
        return outgoing("keys", address | {"blocks": listed}, [block.data for block in blocks])


Content = Rows | Coarse | Keys | TableRows
