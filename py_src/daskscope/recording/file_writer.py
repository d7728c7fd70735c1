"""Writes a ``.daskscope`` file, at once or during a run (docs/recording-format.md).

It has another name until it is complete, so an incomplete file never replaces a complete one.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import zipfile
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from daskscope.atomic_files import is_stream, real, take_mode
from daskscope.recording.chunk import chunks_within, key_blocks
from daskscope.recording.file_tables import encode
from daskscope.recording.file_zip import MAX_MEMBER_BYTES, MAX_RATIO
from daskscope.recording.log_store import LogStore
from daskscope.recording.recording_store import (
    ABOUT,
    SUMMARY,
    WHOLE,
    about_of,
    rows_by_step,
    snapshot,
)
from daskscope.recording.summary_blocks import MAX_SUMMARY_BLOCKS, coarse
from daskscope.schema import (
    COARSE,
    FILE_FORMAT,
    FILE_PART_ROWS,
    FILE_PART_TASKS,
    KEY_SEPARATOR,
    TASKS,
    columns_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from numpy.typing import NDArray

    from daskscope.recording.chunk import TaskChunk
    from daskscope.recording.names import Names
    from daskscope.recording.recording_store import RecordingStore
    from daskscope.recording.totals import Counts
    from daskscope.schema import Column

BEFORE: Final = "before"
"""Member with the sums of a series from before its oldest rows."""

SUFFIX: Final = ".daskscope"
HEADER: Final = "daskscope.json"
PART_ROWS: Final = FILE_PART_ROWS // 2
PART_KEY_BYTES: Final = 8_000_000
"""A part ends with the task that exceeds one of these bounds, far below those of readers."""

PART_NAME_BYTES: Final = 8_000_000
"""The bound for a part with names."""

MIN_PREVIEW: Final = 4_096
PREVIEW_SHARE: Final = 16
"""A preview has one interval for this many rows, but at least ``MIN_PREVIEW``. It can be coarse,
because the rows follow."""

PART_STEM_BYTES: Final = 120
LEVEL: Final = 5
SEPARATOR: Final = KEY_SEPARATOR.encode()


class FileWriter:
    """A file that grows with a recording.

    `finish` moves it to its path, `keep` leaves the incomplete file, `abandon` removes it.
    """

    def __init__(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        self.path = real(path)
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if is_stream(path):  # renaming would replace it by a regular file
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        # Cut, so that the name with its suffix is not too long for a file system.
        stem = os.fsencode(self.path.name.removesuffix(SUFFIX))[:PART_STEM_BYTES].decode(
            "utf-8", "ignore"
        )
        # After a crash, this file is all that is left, so it is not hidden and can be opened.
        self.part_path = self.path.with_name(f"{stem}.part-{secrets.token_hex(4)}{SUFFIX}")
        self._file: BinaryIO = self.part_path.open("xb")
        take_mode(self.part_path, self.path)
        self._zip = zipfile.ZipFile(
            self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL, strict_timestamps=False
        )
        self._counts: dict[str, int] = {}
        self._names: dict[str, int] = {}
        """Number of entries written of each dictionary."""
        self._next = self._kept = self._rows = 0
        self._whole_bytes = self._packed = self._unpacked = 0
        try:
            # Without the summary: it covers the whole run, and a truncated file must not have it.
            begun = _without(facts, SUMMARY, WHOLE)
            self._add(HEADER, _json({"format": FILE_FORMAT, "facts": begun}))
        except BaseException:
            self.abandon()
            raise

    def append(self, recording: RecordingStore) -> None:
        """Write the tasks that arrived since the last call."""
        stop = recording.next_task
        self._append(recording.names, recording.chunks_of(self._next, stop), stop)

    def _append(
        self,
        names: Names,
        chunks: Sequence[TaskChunk],
        stop: int,
        watch: Callable[[int, int], None] | None = None,
    ) -> None:
        """Write tasks up to a number, and all names so far; no written task uses later names."""
        self._append_names(names)
        for part in _parts(chunks_within(chunks, self._next, stop), self._next, stop):
            facts = {"first": part.first, "tasks": part.tasks}
            data = encode(TASKS.columns, part.columns, rounded=True, **facts)
            self._add_numbered(TASKS.name, "arrow", data)
            self._add_numbered("keys", "txt", part.keys)
            self._kept += part.tasks
            self._rows += len(part.columns["task"])
            if watch is not None:
                watch(part.first + part.tasks, stop)
        self._next = stop

    def counts(self, counts: Counts) -> Counts:
        """Return the counts of the file, which may have more tasks than the recording has kept."""
        dropped = counts.captured - counts.dropped_agent - self._kept
        return replace(counts, kept=self._kept, rows=self._rows, dropped_recording=dropped)

    def finish(
        self,
        recording: RecordingStore,
        about: Mapping[str, Any],
        watch: Callable[[int, int], None] | None = None,
    ) -> Path:
        """Write the rest, and rename the file to its path.

        `watch(done, of)` is called while tasks are written. The recording may grow meanwhile; the
        file has its state from the beginning of this call.
        """
        now = snapshot(recording)
        chunks = now.chunks()
        self._append(now.names, chunks, now.next_task, watch)
        intervals = sum(chunk.rows for chunk in chunks) // PREVIEW_SHARE
        picture = coarse(chunks, min(MAX_SUMMARY_BLOCKS, max(MIN_PREVIEW, intervals)))
        columns = {name: getattr(picture, name) for name in picture.__slots__}
        columns["duration"] = picture.stop - picture.start
        self._add("coarse.arrow", encode(COARSE, columns, rounded=True, tasks=self._next))
        for name, store in now.tables.items():
            if isinstance(store, LogStore):
                self._add_rows(f"{name}.arrow", store.table.columns, store.columns())
                continue
            for step, rows in rows_by_step(store):
                declared = columns_of(store.table) if step else store.table.columns
                self._add_rows(f"{name}/{step}.arrow", declared, rows)
            self._add_rows(f"{name}/{BEFORE}.arrow", columns_of(store.table), store.before)
        figures = {
            "counts": self.counts(now.counts).to_json(),
            "totals": asdict(now.totals),
            "dropped": {name: store.dropped for name, store in now.tables.items()},
            "merged": {
                kind: asdict(merged)
                for kind in now.names.tables
                if (merged := now.names.merged(kind)).names
            },
            "origin": now.origin,
        }
        self._add(ABOUT, _json({**_without(about, WHOLE), **figures}))
        self._zip.close()
        self._file.close()
        self.part_path.replace(self.path)
        return self.path

    def keep(self) -> Path | None:
        """Stop, and leave the complete part, which opens as a truncated file.

        Return its path, or None if the file is finished or has no task.
        """
        if self._file.closed:
            return None
        with suppress(OSError):
            self._file.close()
        with suppress(OSError, ValueError):
            self._zip.close()  # the file is closed already, so that no list of members is written
        if not self._kept or not self.part_path.exists():
            self.abandon()
            return None
        with suppress(OSError):
            os.truncate(self.part_path, min(self._whole_bytes, self.part_path.stat().st_size))
        return self.part_path

    def abandon(self) -> None:
        """Remove the incomplete file."""
        with suppress(OSError, ValueError):
            self._zip.close()
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self.part_path.unlink()

    def _append_names(self, names: Names) -> None:
        """Write new entries of each dictionary; referenced dictionaries come first."""
        # Counted in reverse order: entries refer only to entries that were added before them.
        stops = {kind: names.count(kind) for kind in reversed(names.tables)}
        for kind in names.tables:
            first, size = self._names.get(kind, 0), 0
            for place in range(first, stops[kind]):
                cells = names.cells(kind, names.entry(kind, place))
                size += sum(len(str(cell).encode("utf-8", "replace")) for cell in cells)
                if size > PART_NAME_BYTES or place + 1 == stops[kind]:
                    self._add_names(names, kind, first, place + 1)
                    first, size = place + 1, 0

    def _add_names(self, names: Names, kind: str, first: int, stop: int) -> None:
        columns = names.columns(kind, first, stop)
        self._names[kind] = stop
        self._add_numbered(kind, "arrow", encode(columns_of(names.tables[kind]), columns))

    def _add_rows(
        self, member: str, declared: Sequence[Column], columns: Mapping[str, Any]
    ) -> None:
        if len(columns[declared[0].name]):
            self._add(member, encode(declared, columns))

    def _add_numbered(self, table: str, suffix: str, data: bytes) -> None:
        number = self._counts.get(table, 0)
        self._counts[table] = number + 1
        self._add(f"{table}/{number:06d}.{suffix}", data)

    def _add(self, name: str, data: bytes) -> None:
        self._unpacked += len(data)
        # Readers refuse files that unpack to too many times their size: then store without packing.
        fits = self._unpacked <= MAX_MEMBER_BYTES + MAX_RATIO * self._packed
        self._zip.writestr(name, data, zipfile.ZIP_DEFLATED if fits else zipfile.ZIP_STORED)
        self._packed += self._zip.infolist()[-1].compress_size
        self._file.flush()
        self._whole_bytes = self._file.tell()


def write_file(
    recording: RecordingStore,
    path: str | PathLike[str],
    watch: Callable[[int, int], None] | None = None,
    *,
    about: Mapping[str, Any] | None = None,
) -> Path:
    """Write a whole recording at once, described by `about`. Raises `OSError`."""
    now = snapshot(recording)
    about = about_of(now) if about is None else about
    writer = FileWriter(path, about)
    try:
        return writer.finish(now, about, watch)
    except BaseException:
        writer.abandon()
        raise


def _without(facts: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if name not in names}


def _json(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Part:
    """Consecutive tasks with their keys as text; rows have the task numbers of the file."""

    first: int
    tasks: int
    columns: dict[str, NDArray[Any]]
    keys: bytes


def _parts(chunks: Sequence[TaskChunk], first: int, stop: int) -> Iterator[_Part]:
    """Cut chunks into parts of bounded size."""
    pieces: list[_Part] = []
    for chunk in chunks:
        for piece in _pieces(chunk, max(first, chunk.first), min(stop, chunk.stop)):
            hole = bool(pieces) and piece.first > pieces[-1].first + pieces[-1].tasks
            if pieces and (hole or _is_large([*pieces, piece])):
                yield _joined(pieces)
                pieces = []
            pieces.append(piece)
    if pieces:
        yield _joined(pieces)


def _is_large(pieces: Sequence[_Part]) -> bool:
    return (
        sum(piece.tasks for piece in pieces) > FILE_PART_TASKS
        or sum(len(piece.columns["task"]) for piece in pieces) > PART_ROWS
        or sum(len(piece.keys) for piece in pieces) > PART_KEY_BYTES
    )


def _pieces(chunk: TaskChunk, first: int, stop: int) -> Iterator[_Part]:
    """Cut a chunk at the ends of its blocks of keys, and blocks that are too large for a part."""
    for block in key_blocks([chunk], first, stop):
        raw = block.raw()
        if raw.count(SEPARATOR) != block.tasks - 1 or not _is_utf8(raw):
            raw = KEY_SEPARATOR.join(block.texts()).encode()
        piece = _piece(chunk, block.first, block.stop, raw)
        if not _is_large([piece]):
            yield piece
            continue
        keys = raw.split(SEPARATOR)
        cuts = _cuts(piece, keys)
        for begin, end in zip(cuts, [*cuts[1:], block.tasks], strict=True):
            text = SEPARATOR.join(keys[begin:end])
            yield _piece(chunk, block.first + begin, block.first + end, text)


def _piece(chunk: TaskChunk, first: int, stop: int, keys: bytes) -> _Part:
    rows = chunk.rows_of(first, stop)
    columns = {name: column[rows] for name, column in chunk.columns.items()}
    return _Part(first, stop - first, columns, keys)


def _cuts(piece: _Part, keys: Sequence[bytes]) -> list[int]:
    """Return the first task of each smaller part."""
    tasks = np.arange(piece.tasks)
    key_bytes = np.cumsum([len(key) for key in keys])
    rows = np.searchsorted(piece.columns["task"], piece.first + tasks)
    limits = ((tasks, FILE_PART_TASKS), (key_bytes, PART_KEY_BYTES), (rows, PART_ROWS))
    over = [np.flatnonzero(np.diff(size // most)) + 1 for size, most in limits]
    return [0, *np.unique(np.concatenate(over)).tolist()]


def _joined(pieces: Sequence[_Part]) -> _Part:
    if len(pieces) == 1:
        return pieces[0]
    names = pieces[0].columns
    return _Part(
        pieces[0].first,
        sum(piece.tasks for piece in pieces),
        {name: np.concatenate([piece.columns[name] for piece in pieces]) for name in names},
        SEPARATOR.join(piece.keys for piece in pieces),
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
