"""Tables of a ``.daskscope`` file as Arrow: how columns are stored (docs/recording-format.md).

Numbers are stored as narrow as they are, times as whole microseconds: what a
microsecond holds of noise compresses to nothing, and so does a column of one value.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.chunk import DTYPES
from daskscope.recording.file_arrow import BadTableError, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from daskscope.schema import Column, Table

ENCODING: Final = "daskscope.encoding"
BASE: Final = "daskscope.base"
PLAIN, MICROSECONDS, STEPS = "plain", "us", "steps"
"""How a column is stored: as it is; times 1e6; what is added to the one before, from a base."""

US: Final = 1e6
_SIGNED: Final = ("i1", "i2", "i4")
_UNSIGNED: Final = ("u1", "u2", "u4")
_TIMES: Final = frozenset({"start", "duration"})
_RISING: Final = frozenset({"start", "task"})
_WHOLE: Final = re.compile(r"-?[0-9]{1,20}")
_MAX_WHOLE: Final = 2.0**53
"""Whole numbers below this are exact in a float64."""


def encode_columns(table: Table, columns: Mapping[str, NDArray[Any]], **facts: int) -> bytes:
    """Return plain columns as an Arrow stream; `facts` become its metadata.

    >>> from daskscope.schema import COARSE
    >>> rows = {column.name: np.arange(3.0) for column in COARSE.columns}
    >>> back, facts = decode_columns(COARSE, encode_columns(COARSE, rows, first=7))
    >>> back["start"].tolist(), facts
    ([0.0, 1.0, 2.0], {'first': 7})
    """
    import pyarrow as pa

    arrays, fields = [], []
    for column in table.columns:
        values, about = _stored(column.name, columns[column.name])
        arrays.append(pa.array(values))
        fields.append(pa.field(column.name, arrays[-1].type, nullable=False, metadata=about))
    metadata = {name: str(value) for name, value in facts.items()}
    return _stream(arrays, pa.schema(fields, metadata=metadata))


def _stored(name: str, values: NDArray[Any]) -> tuple[NDArray[Any], dict[str, str]]:
    """Return a column as it is stored, and what a reader must know to undo it."""
    if name in _TIMES:
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.round(values.astype("f8") * US)
        encoding = MICROSECONDS
    else:
        whole, encoding = values.astype("f8"), PLAIN
    if not len(whole) or not np.all(np.abs(whole) < _MAX_WHOLE) or np.any(whole % 1):
        return values.astype("f8") if values.dtype.kind == "f" else values, {ENCODING: PLAIN}
    if name in _RISING:
        steps = np.diff(whole, prepend=whole[0])
        base = {BASE: str(int(whole[0]))}
        return _narrow(steps), {ENCODING: f"{encoding}+{STEPS}"} | base
    return _narrow(whole), {ENCODING: encoding}


def _narrow(whole: NDArray[np.float64]) -> NDArray[Any]:
    """Return whole numbers in the narrowest type that a page can read without 64-bit integers."""
    low, high = whole.min(), whole.max()
    for kind in _SIGNED if low < 0 else _UNSIGNED:
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return whole.astype(kind)
    return whole


def decode_columns(
    table: Table, data: bytes, *, at_most: int | None = None
) -> tuple[dict[str, NDArray[Any]], dict[str, int]]:
    """Undo `encode_columns`; a `BadTableError` says what is wrong.

    With more rows than `at_most` a table is refused.
    """
    stored = _read_at_most(at_most, table, data)
    columns: dict[str, NDArray[Any]] = {}
    for column in table.columns:
        place = stored.schema.get_field_index(column.name)
        if place < 0:
            raise BadTableError(f"has a table {table.name} without a column {column.name}")
        array, field = stored.column(place), stored.schema.field(place)
        if array.null_count or array.type.num_fields or not _is_number(array.type):
            raise BadTableError(f"has a bad table: its column {column.name} is not of numbers")
        about = {
            name.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for name, value in (field.metadata or {}).items()
        }
        values = array.to_numpy()
        columns[column.name] = _restored(column.name, values, about)
    facts = {}
    for name, value in (stored.schema.metadata or {}).items():
        try:
            facts[name.decode("utf-8", "replace")] = int(value)
        except ValueError as error:
            raise BadTableError("has a bad table: its facts are not numbers") from error
    return columns, facts


def _read_at_most(rows: int | None, table: Table, data: bytes) -> pa.RecordBatch:
    stored = read_table(data, [column.name for column in table.columns])
    if rows is not None and stored.num_rows > rows:
        raise BadTableError(f"has more {table.name} in one part than daskscope writes")
    return stored


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind))


def _restored(name: str, values: NDArray[Any], about: Mapping[str, str]) -> NDArray[Any]:
    unit, _, steps = about.get(ENCODING, PLAIN).partition("+")
    if unit not in (PLAIN, MICROSECONDS) or steps not in ("", STEPS):
        raise BadTableError(f"has a bad table: its column {name} is stored as {about[ENCODING]!r}")
    dtype = DTYPES.get(name, np.dtype("f8"))
    if steps:
        base = about.get(BASE, "")
        if not _WHOLE.fullmatch(base):
            raise BadTableError(f"has a bad table: its column {name} has no base")
        values = np.cumsum(values, dtype="f8") + float(base)
    if unit == MICROSECONDS:
        values = values.astype("f8") / US
    elif dtype.kind == "u" and len(values):
        limits = np.iinfo(str(dtype))
        low, high = values.min(), values.max()
        if not limits.min <= low <= high <= limits.max:
            raise BadTableError(f"has a bad table: its column {name} has numbers out of range")
    with np.errstate(over="ignore", invalid="ignore"):  # as where workers made times up
        return values.astype(dtype)


def encode_records(table: Table, records: Mapping[str, Sequence[Any]], **facts: int) -> bytes:
    """Return columns of numbers and text as an Arrow stream."""
    import pyarrow as pa

    schema = arrow_schema(table, nullable=False)
    arrays = [pa.array(records[field.name], field.type) for field in schema]
    metadata = {name: str(value) for name, value in facts.items()}
    return _stream(arrays, schema.with_metadata(metadata))


def decode_records(
    table: Table, data: bytes, *, at_most: int | None = None, newest: int | None = None
) -> dict[str, list[Any]]:
    """Undo `encode_records`; a `BadTableError` says what is wrong.

    With more rows than `at_most` a table is refused; only the last `newest` are taken.
    """
    stored = _read_at_most(at_most, table, data)
    if newest is not None:
        stored = stored.slice(max(0, stored.num_rows - newest))
    columns: dict[str, list[Any]] = {}
    for column in table.columns:
        place = stored.schema.get_field_index(column.name)
        if place < 0:
            raise BadTableError(f"has a table {table.name} without a column {column.name}")
        array = stored.column(place)
        if array.type != _kind(column) or array.null_count:
            raise BadTableError(
                f"has a bad table: its column {column.name} is not of {column.type}"
            )
        columns[column.name] = array.to_pylist()
    return columns


def arrow_schema(table: Table, *, nullable: bool = True) -> pa.Schema:
    """Return what a table of numbers and text is in Arrow.

    >>> from daskscope.schema import EVENTS
    >>> arrow_schema(EVENTS).types
    [DataType(double), DataType(string), DataType(string)]
    """
    import pyarrow as pa

    return pa.schema([pa.field(c.name, _kind(c), nullable) for c in table.columns])


def _kind(column: Column) -> pa.DataType:
    import pyarrow as pa

    return {"utf8": pa.utf8(), "float64": pa.float64(), "int64": pa.int64()}[column.type]


def _stream(arrays: list[pa.Array], schema: pa.Schema) -> bytes:
    import pyarrow as pa

    out = io.BytesIO()
    with pa.ipc.new_stream(out, schema) as writer:
        writer.write_batch(pa.record_batch(arrays, schema=schema))
    return out.getvalue()
