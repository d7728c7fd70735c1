"""Reads a ``.daskscope`` file (docs/recording-format.md). Nothing in it is believed."""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from daskscope.errors import DaskscopeError
from daskscope.recording.about import ABOUT, SUMMARY, WHOLE
from daskscope.recording.core import MAX_TASKS
from daskscope.recording.file_arrow import BadTableError
from daskscope.recording.file_figures import take_figures
from daskscope.recording.file_tables import decode_columns, decode_records
from daskscope.recording.file_writer import HEADER, SEPARATOR
from daskscope.recording.file_zip import BadZipError, Members
from daskscope.recording.name_map import POINTS_INTO
from daskscope.recording.names import LIMITS
from daskscope.recording.records import MAX_ROWS, take_records
from daskscope.schema import (
    FILE_FORMAT,
    FILE_PART_ROWS,
    FILE_PART_TASKS,
    NAME_KINDS,
    NAMES,
    RECORD_TABLES,
    STATUSES,
    TASKS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from daskscope.recording.core import RecordingCore

MAX_JSON_BYTES: Final = 16_000_000
MAX_NAMES_CHARACTERS: Final = 64_000_000
"""Of all names of a file together."""

MAX_PARTS_CHARACTERS: Final = 1_000_000
"""Of a lane or a span as JSON: a span may be nested deeper than what is kept of it."""


def is_recording(path: Path) -> bool:
    """Return whether a file on a disk begins as recordings do, whatever its name."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return begins_as_recording(file)
    except OSError:
        return False


def begins_as_recording(file: BinaryIO) -> bool:
    """Return the same of a file that is open, at its beginning; it is there again then."""
    try:
        return next((member for member, _ in Members(file)), None) == HEADER
    except BadZipError:
        return False
    finally:
        file.seek(0)


def about_in(file: BinaryIO) -> dict[str, Any] | None:
    """Return what a file says of the whole, read for that alone; nothing if it is no recording."""
    facts: dict[str, Any] | None = None
    try:
        for member, data in Members(file):
            if facts is None:
                facts = _begun(_object(data)) if member == HEADER else None
                if facts is None:
                    break
            elif member == ABOUT:
                facts = _object(data)
    except (BadZipError, BadTableError):  # what comes first was read all the same
        pass
    return facts


def read_file(file: BinaryIO, recording: RecordingCore, name: str) -> None:
    """Fill an empty recording; `name` is what errors call the file.

    What stands in a file that was cut off is taken as far as it is whole, and
    ``about_facts["whole"]`` is false.
    """
    reader = _Reader(recording)
    members = Members(file)
    try:
        for member, data in members:
            reader.take(member, data)
        reader.check_begun()
    except (BadZipError, BadTableError) as error:
        raise DaskscopeError(
            "bad-file",
            f"{name} cannot be read: it {error}.",
            "Only files that daskscope wrote can be opened: recordings (.daskscope) and reports.",
        ) from error
    recording.about_facts = reader.about()
    recording.about_facts[WHOLE] = members.whole
    if reader.final is not None:
        take_figures(recording, reader.final, reader.place)
    recording.close()


@dataclass
class _Index:
    """What the names of a file are in the recording: by number, as many as there are."""

    places: NDArray[np.uint16]
    names: int = 0

    @classmethod
    def of(cls, kind: str) -> _Index:
        return cls(np.zeros(LIMITS[kind], "u2"))

    def append(self, place: int) -> None:
        if self.names == len(self.places):
            raise BadTableError("has more names than any recording has")
        self.places[self.names] = place
        self.names += 1

    def of_rows(self, numbers: NDArray[Any], kind: str) -> NDArray[Any]:
        if len(numbers) and int(numbers.max()) >= self.names:
            raise BadTableError(f"has rows with unknown {kind}")
        found: NDArray[Any] = self.places[numbers].astype(numbers.dtype)
        return found


@dataclass
class _Reader:
    """Takes the members of a file in their order."""

    recording: RecordingCore
    header: Mapping[str, Any] | None = None
    final: Mapping[str, Any] | None = None
    waiting: tuple[dict[str, NDArray[Any]], int] | None = None
    """Rows whose keys are the next member."""
    indexes: dict[str, _Index] = field(
        default_factory=lambda: {kind: _Index.of(kind) for kind in NAME_KINDS}
    )
    characters: int = 0
    """Of all names until now."""
    tables: set[str] = field(default_factory=set)
    """Small ones that were read."""

    def check_begun(self) -> None:
        if self.header is None:
            raise BadTableError("is no recording of daskscope")

    def place(self, kind: str, number: int) -> int | None:
        """Return what a number of the file's names is in the recording, if it is one."""
        index = self.indexes[kind]
        return int(index.places[number]) if number < index.names else None

    def about(self) -> dict[str, Any]:
        return dict(self.final) if self.final is not None else _begun(self.header or {})

    def take(self, member: str, data: bytes) -> None:
        if self.header is None:
            self._take_header(member, data)
            return
        folder, _, _ = member.partition("/")
        if member == ABOUT:
            self.final = _object(data)
        elif folder == "names":
            self._take_names(data)
        elif folder == "tasks":
            columns, facts = decode_columns(TASKS, data, at_most=FILE_PART_ROWS)
            self.waiting = (columns, self._begin_tasks(facts))
        elif folder == "keys":
            self._take_tasks(data)
        else:
            table = next((t for t in RECORD_TABLES if member == f"{t.name}.arrow"), None)
            if table is not None:  # what later versions add is passed over
                if table.name in self.tables:
                    raise BadTableError(f"has its {table.name} twice")
                self.tables.add(table.name)
                records = decode_records(table, data, newest=MAX_ROWS[table.name])
                take_records(self.recording, table, records)

    def _begin_tasks(self, facts: Mapping[str, int]) -> int:
        """Check the numbers of the next tasks; return how many they are."""
        first, tasks = facts.get("first", -1), facts.get("tasks", 0)
        next_task = self.recording.next_task
        if tasks > FILE_PART_TASKS:
            raise BadTableError("has a part with more tasks than daskscope writes")
        if self.waiting is not None or tasks < 1 or not next_task <= first <= MAX_TASKS - tasks:
            raise BadTableError("has tasks out of order")
        self.recording.skip_tasks(first - next_task)
        return tasks

    def _take_header(self, member: str, data: bytes) -> None:
        if member != HEADER:
            raise BadTableError("is no recording of daskscope")
        self.header = _object(data)
        version = self.header.get("format")
        if type(version) is not int or version < 1:
            raise BadTableError("does not say which version of the format it has")
        if version > FILE_FORMAT:
            raise DaskscopeError(
                "newer-file",
                f"This file has version {version} of the format, and this daskscope reads "
                f"up to version {FILE_FORMAT}.",
                "Upgrade daskscope to open it.",
            )

    def _take_names(self, data: bytes) -> None:
        columns = decode_records(NAMES, data, at_most=sum(LIMITS.values()))
        for kind, text in zip(columns["kind"], columns["name"], strict=True):
            if kind not in self.indexes:
                raise BadTableError(f"has names of the kind {kind!r}")
            self.characters += len(text)
            if self.characters > MAX_NAMES_CHARACTERS:
                raise BadTableError("has longer names than any recording has")
            name = text if kind in ("prefixes", "actions") else _texts(text, kind)
            self.indexes[kind].append(self.recording.names.intern(kind, name))

    def _take_tasks(self, keys: bytes) -> None:
        if self.waiting is None:
            raise BadTableError("has keys without tasks")
        (columns, tasks), self.waiting = self.waiting, None
        if keys.count(SEPARATOR) != tasks - 1:  # before anything is made of so many
            raise BadTableError("has not as many keys as tasks")
        task = columns["task"]
        first = self.recording.next_task
        if len(task) and (task.min() < first or task.max() >= first + tasks):
            raise BadTableError("has rows of other tasks")
        for column, kind in POINTS_INTO.items():
            columns[column] = self.indexes[kind].of_rows(columns[column], kind)
        if len(task) and int(columns["status"].max()) >= len(STATUSES):
            raise BadTableError("has rows with an unknown status")
        columns["task"] = task - np.uint32(first)
        text = keys.decode("utf-8", "replace").encode()
        self.recording.append_tasks(tasks, columns, zlib.compress(text, 1))


def _begun(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was known when writing began; figures would be of what is not here."""
    facts = header.get("facts")
    known = facts.items() if isinstance(facts, dict) else ()
    return {name: fact for name, fact in known if name != SUMMARY}


def _object(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_JSON_BYTES:
        raise BadTableError("says too much of itself")
    try:
        found = finite_json(data)
    except (ValueError, RecursionError) as error:
        raise BadTableError("has JSON that cannot be read") from error
    if not isinstance(found, dict):
        raise BadTableError("has JSON of another kind")
    return found


def finite_json(data: bytes) -> Any:
    """Return what JSON says; numbers that a float cannot hold, and NaN, are a `ValueError`.

    Nothing that has one could be written as JSON again, or read by a page.

    >>> finite_json(b'{"a": 1e9}')
    {'a': 1000000000.0}
    """
    return json.loads(data, parse_float=_float, parse_int=_int, parse_constant=_float)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no number")
    return value


def _int(text: str) -> int:
    _float(text)
    return int(text)


def _texts(text: str, kind: str) -> tuple[str, ...]:
    try:
        found = json.loads(text) if len(text) <= MAX_PARTS_CHARACTERS else None
    except (ValueError, RecursionError):
        found = None
    if (
        not isinstance(found, list)
        or not found
        or (kind == "lanes" and len(found) != 2)
        or not all(isinstance(part, str) for part in found)
    ):
        raise BadTableError(f"has {kind} that are none")
    return tuple(found)
