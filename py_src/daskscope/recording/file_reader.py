"""Reads a ``.daskscope`` file (docs/recording-format.md), and checks everything in it."""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

import numpy as np

from daskscope.errors import DaskscopeError
from daskscope.recording.chunk import DTYPES
from daskscope.recording.file_tables import BadTableError, decode
from daskscope.recording.file_writer import BEFORE, HEADER, SEPARATOR
from daskscope.recording.file_zip import BadZipError, Members
from daskscope.recording.log_store import LogStore
from daskscope.recording.names import Merged, Places, indexed
from daskscope.recording.recording_store import ABOUT, MAX_TASKS, SUMMARY, WHOLE
from daskscope.recording.series_store import SeriesStore
from daskscope.recording.totals import ActionTotal, PrefixTotal, Totals
from daskscope.schema import (
    FILE_FORMAT,
    FILE_PART_ROWS,
    FILE_PART_TASKS,
    STATUSES,
    STEPS,
    TASKS,
    Column,
    Series,
    columns_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from daskscope.recording.recording_store import RecordingStore

MAX_JSON_BYTES: Final = 16_000_000
MIN_CELL_BYTES: Final = 4
"""Bytes per cell, to compute how many rows of a series may be read into a ring."""

MAX_NAMES_CHARACTERS: Final = 64_000_000
"""Bound for all names of a file together."""


def is_recording(path: Path) -> bool:
    """Return whether the content of a file begins like a recording, regardless of its name."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return begins_as_recording(file)
    except OSError:
        return False


def begins_as_recording(file: BinaryIO) -> bool:
    """Return the same for an open file at its beginning, and seek back to it."""
    try:
        return next((member for member, _ in Members(file)), None) == HEADER
    except BadZipError:
        return False
    finally:
        file.seek(0)


def about_in(file: BinaryIO) -> dict[str, Any] | None:
    """Read only the description of a recording; return None if the file is no recording."""
    facts: dict[str, Any] | None = None
    try:
        for member, data in Members(file):
            if facts is None:
                facts = _begun(_object(data)) if member == HEADER else None
                if facts is None:
                    break
            elif member == ABOUT:
                facts = _object(data)
    except (BadZipError, BadTableError):  # facts from the header may have been read already
        pass
    return facts


def read_file(file: BinaryIO, recording: RecordingStore, name: str) -> None:
    """Read a file into an empty recording; `name` is the file's name for errors.

    If the file is truncated, its complete part is read, and ``about_facts["whole"]`` is false.
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
    named = {row.worker: row.name for row in recording.log("workers").since(0) if row.name}
    recording.name_workers(named)
    recording.about_facts = reader.about()
    recording.about_facts[WHOLE] = members.whole
    if reader.final is not None:
        take_figures(recording, reader.final, reader.places)
    recording.close()


@dataclass
class _Reader:
    """Reads the members of a file in order."""

    recording: RecordingStore
    header: Mapping[str, Any] | None = None
    final: Mapping[str, Any] | None = None
    waiting: tuple[dict[str, NDArray[Any]], int] | None = None
    """Rows of tasks whose keys are in the next member."""
    places: Places = field(init=False)
    characters: int = 0
    """Characters of all names so far."""
    read: set[str] = field(default_factory=set)
    """Members of logs and series that were read."""

    def __post_init__(self) -> None:
        self.places = Places(self.recording.names)

    def check_begun(self) -> None:
        if self.header is None:
            raise BadTableError("is not a daskscope recording")

    def about(self) -> dict[str, Any]:
        return dict(self.final) if self.final is not None else _begun(self.header or {})

    def take(self, member: str, data: bytes) -> None:
        if self.header is None:
            self._take_header(member, data)
            return
        folder, _, rest = member.partition("/")
        if member == ABOUT:
            self.final = _object(data)
        elif folder == TASKS.name:
            found = decode(
                TASKS.columns, data, what=TASKS.name, at_most=FILE_PART_ROWS, types=DTYPES
            )
            self.waiting = (found[0], self._begin_tasks(found[1]))
        elif folder == "keys":
            self._take_tasks(data)
        elif folder in self.recording.names.tables and rest:
            self._take_names(folder, data)
        else:
            self._take_rows(member, data)

    def _take_rows(self, member: str, data: bytes) -> None:
        """Read the rows of a log or of a ring of a series; skip unknown members."""
        for name, store in self.recording.tables.items():
            if isinstance(store, LogStore):
                if member != f"{name}.arrow":
                    continue
                self._begin_rows(member)
                table = store.table
                columns, _ = decode(table.columns, data, what=name, newest=table.rows)
                self._place(table.columns, columns)
                store.append(
                    dict(zip(columns, cells, strict=True))
                    for cells in zip(*map(_listed, columns.values()), strict=True)
                )
            elif isinstance(store, SeriesStore):
                for step, limit_bytes in zip(STEPS, store.table.ring_bytes, strict=True):
                    if member == f"{name}/{step}.arrow":
                        self._begin_rows(member)
                        store.restore(step, self._rows_of(store.table, step, data, limit_bytes))
                if member == f"{name}/{BEFORE}.arrow":
                    self._begin_rows(member)
                    store.set_before(self._rows_of(store.table, STEPS[-1], data, limit_bytes))

    def _rows_of(self, table: Series, step: int, data: bytes, limit_bytes: int) -> dict[str, Any]:
        declared = columns_of(table) if step else table.columns
        newest = limit_bytes // (MIN_CELL_BYTES * len(declared))
        columns, _ = decode(declared, data, what=table.name, newest=newest)
        self._place(declared, columns)
        if not step:  # in rows as measured, least and most equal the value
            columns |= {
                column.name: columns[column.name.rpartition("_")[0]]
                for column in columns_of(table)
                if column.name not in columns
            }
        return columns

    def _begin_rows(self, member: str) -> None:
        if member in self.read:
            raise BadTableError(f"has {member} twice")
        self.read.add(member)

    def _place(self, declared: Sequence[Column], columns: dict[str, Any]) -> None:
        """Replace the file's indexes of names by the recording's."""
        for column, kind in indexed(declared, self.recording.names).items():
            columns[column] = self._of_rows(columns[column], kind)

    def _of_rows(self, numbers: NDArray[Any], kind: str) -> NDArray[Any]:
        try:
            return self.places.of(kind, numbers).astype(numbers.dtype)
        except IndexError as error:
            raise BadTableError(f"has rows with unknown {kind}") from error

    def _begin_tasks(self, facts: Mapping[str, int]) -> int:
        """Check the numbers of the next tasks; return how many there are."""
        first, tasks = facts.get("first", -1), facts.get("tasks", 0)
        next_task = self.recording.next_task
        if tasks > FILE_PART_TASKS:
            raise BadTableError("has a part with too many tasks")
        if self.waiting is not None or tasks < 1 or not next_task <= first <= MAX_TASKS - tasks:
            raise BadTableError("has tasks out of order")
        self.recording.skip_tasks(first - next_task)
        return tasks

    def _take_header(self, member: str, data: bytes) -> None:
        if member != HEADER:
            raise BadTableError("is not a daskscope recording")
        self.header = _object(data)
        version = self.header.get("format")
        if type(version) is not int or version < 1:
            raise BadTableError("does not state its version of the format")
        if version != FILE_FORMAT:
            newer = version > FILE_FORMAT
            raise DaskscopeError(
                "newer-file" if newer else "older-file",
                f"This file has version {version} of the format, and this daskscope reads version "
                f"{FILE_FORMAT}.",
                "Upgrade daskscope to open it."
                if newer
                else "Open it with the daskscope that wrote it, or record the run again.",
            )

    def _take_names(self, kind: str, data: bytes) -> None:
        names = self.recording.names
        table = names.tables[kind]
        columns, _ = decode(columns_of(table), data, what=kind, at_most=table.limit)
        colours = columns.pop("colour", None) if table.coloured else None
        for row, cells in enumerate(zip(*map(_listed, columns.values()), strict=True)):
            self.characters += sum(len(cell) for cell in cells if isinstance(cell, str))
            self.characters += sum(len(p) for c in cells if isinstance(c, tuple) for p in c)
            if self.characters > MAX_NAMES_CHARACTERS:
                raise BadTableError("has too long names")
            if self.places.counts()[kind] == table.limit:
                raise BadTableError("has too many names")
            item = names.item(kind, map(partial(self._cell, kind), table.columns, cells))
            colour = int(colours[row]) if colours is not None else None
            self.places.add(kind, item, colour)

    def _cell(self, kind: str, column: Column, cell: Any) -> Any:
        """Return a cell of an entry; an index of an entry becomes the recording's index."""
        names = self.recording.names
        if column.into not in names.tables:
            return cell
        own = self.places.counts()[kind]
        first = len(names.tables[kind].first)
        if column.into == kind and cell == own and (own < first or not first):  # points at itself
            return own if first else names.count(kind)
        return int(self._of_rows(np.array([cell]), column.into)[0])

    def _take_tasks(self, keys: bytes) -> None:
        if self.waiting is None:
            raise BadTableError("has keys without tasks")
        (columns, tasks), self.waiting = self.waiting, None
        if keys.count(SEPARATOR) != tasks - 1:  # checked before memory is allocated for them
            raise BadTableError("has a different number of keys than of tasks")
        task = columns["task"]
        first = self.recording.next_task
        if len(task) and (task.min() < first or task.max() >= first + tasks):
            raise BadTableError("has rows of other tasks")
        self._place(TASKS.columns, columns)
        if len(task) and int(columns["status"].max()) >= len(STATUSES):
            raise BadTableError("has rows with an unknown status")
        columns["task"] = task - np.uint32(first)
        text = keys.decode("utf-8", "replace").encode()
        self.recording.append_tasks(tasks, columns, zlib.compress(text, 1))


def _begun(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts known when writing began, without the summary, which needs all rows."""
    facts = header.get("facts")
    known = facts.items() if isinstance(facts, dict) else ()
    return {name: fact for name, fact in known if name != SUMMARY}


def _object(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_JSON_BYTES:
        raise BadTableError("has a description that is too long")
    try:
        found = finite_json(data)
    except (ValueError, RecursionError) as error:
        raise BadTableError("contains invalid JSON") from error
    if not isinstance(found, dict):
        raise BadTableError("contains unexpected JSON")
    return found


def finite_json(data: bytes) -> Any:
    """Parse JSON; raise `ValueError` for NaN and for numbers that a float cannot hold.

    A page cannot read such values, and they cannot be written as JSON again.

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


def _listed(column: Any) -> list[Any]:
    found: list[Any] = column.tolist() if isinstance(column, np.ndarray) else column
    return found


T = TypeVar("T", PrefixTotal, ActionTotal)

MAX_FIGURE: Final = 2**53
"""Larger integers are not exact in JavaScript."""


def take_figures(recording: RecordingStore, about: Mapping[str, Any], places: Places) -> None:
    """Add the file's totals and counts of rows that are not in the file.

    They are not trusted: no figure becomes smaller than the rows in the file imply, and invalid
    ones are ignored.
    """
    totals = _totals(about.get("totals"), places)
    if totals is not None:
        recording.raise_totals(totals)
    dropped = _mapping(about, "dropped")
    for name, store in recording.tables.items():
        store.count_dropped(_figure(dropped, name))
    for kind in recording.names.tables:
        merged = _mapping(_mapping(about, "merged"), kind)
        if names := _figure(merged, "names"):
            exact, session = (merged.get(name) is True for name in ("exact", "session"))
            recording.names.merged_before[kind] = Merged(names, exact, session)
    counts = _mapping(about, "counts")
    if not counts:
        return
    recording.drop_from_agent(_figure(counts, "dropped_agent"))
    # Tasks that this recording dropped while reading were in the file, so they are not counted.
    after_the_last = _figure(counts, "dropped_recording") - recording.skipped
    recording.skip_tasks(min(after_the_last, MAX_TASKS - recording.next_task))
    recording.take_logged(_figure(counts, "erred"), _figure(counts, "changes"))


def _mapping(facts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = facts.get(name)
    return found if isinstance(found, dict) else {}


def _figure(counts: Mapping[str, Any], name: str) -> int:
    figure = counts.get(name)
    return min(max(figure, 0), MAX_FIGURE) if isinstance(figure, int) else 0


def _totals(stored: Any, places: Places) -> Totals | None:
    """Return totals with the recording's indexes of names, or None if one is invalid."""
    try:
        prefixes = [_total(PrefixTotal, one, places, "prefixes") for one in stored["prefixes"]]
        actions = [_total(ActionTotal, one, places, "actions") for one in stored["actions"]]
    except (TypeError, KeyError, ValueError, IndexError):
        return None
    return Totals(tuple(prefixes), tuple(actions))


def _total(made: type[T], one: Mapping[str, Any], places: Places, kind: str) -> T:
    """Return a total; its first field is the index of a name in the file."""
    figures: list[Any] = []
    for column in fields(made):
        value = one[column.name]
        is_seconds = column.name == "seconds"
        if type(value) not in ((int, float) if is_seconds else (int,)):
            raise ValueError("no figure")
        if not 0 <= value <= MAX_FIGURE:
            raise ValueError("no figure")
        figures.append(float(value) if is_seconds else value)
    return made(int(places.of(kind, figures[0])), *figures[1:])
