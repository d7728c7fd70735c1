"""What a numbered message says, described so briefly that it can be said again.

A description holds numbers, not rows: the kernel keeps one for each message that is
not acknowledged, and builds the same content anew when the message was lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording import UNKNOWN_TASK
from daskscope.recording.chunk import key_blocks
from daskscope.recording.coarse import coarse
from daskscope.recording.recording_store import PRESENT
from daskscope.schema import COARSE, NAME_KINDS, TASKS
from daskscope.wire import Outgoing, arrow_stream, outgoing

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore
    from daskscope.stream.ranges import Range

MAX_EXCEPTION: Final = 1_000
"""Characters of an exception in `events`; the whole text is the answer to `ask task`."""


@dataclass(frozen=True, slots=True)
class Names:
    """New entries of the interned lists: a range of each kind."""

    ranges: tuple[Range, ...]  # in the order of NAME_KINDS

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        fields: dict[str, dict[str, Any]] = {
            kind: {"first": first, "items": recording.names.since(kind, first)[: stop - first]}
            for kind, (first, stop) in zip(NAME_KINDS, self.ranges, strict=True)
        }
        spans = fields["spans"]
        spans["items"] = [(span, *name) for span, name in spans["items"]]
        return outgoing("names", address | fields)


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


def _batch(address: dict[str, Any], kind: str, table: Any, columns: Any, of: Range) -> Outgoing:
    fields = {"kind": kind, "first": of[0], "tasks": of[1] - of[0], "rows": len(columns["start"])}
    return outgoing("batch", address | fields, [arrow_stream(table, columns)])


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


@dataclass(frozen=True, slots=True)
class Events:
    """New errors, changes of workers and gaps: a range of each log."""

    errors: Range
    changes: Range
    gaps: Range

    def build(self, recording: RecordingStore, address: dict[str, Any]) -> Outgoing:
        """Return the message."""
        errors = [
            {
                "task": None if error.task == UNKNOWN_TASK else error.task,
                "prefix": error.prefix,
                "worker": error.worker,
                "time": error.time,
                "exception": error.exception[:MAX_EXCEPTION],
            }
            for error in recording.log("errors").between(*self.errors)
        ]
        workers = recording.log("workers").numbered(0, self.changes[1])
        present = [n for n, row in workers if row.what == PRESENT]  # pages do not number them
        changes = [
            row._asdict() for n, row in workers if n >= self.changes[0] and row.what != PRESENT
        ]
        gaps = [gap._asdict() for gap in recording.log("gaps").between(*self.gaps)]
        first = {  # the oldest of a range may have been dropped since
            "errors": self.errors[1] - len(errors),
            "changes": self.changes[1] - len(present) - len(changes),
            "gaps": self.gaps[1] - len(gaps),
        }
        fields = {"first": first, "errors": errors, "changes": changes, "gaps": gaps}
        return outgoing("events", address | fields)


Content = Names | Rows | Coarse | Keys | Events
