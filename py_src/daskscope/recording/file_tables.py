"""Tables of a ``.daskscope`` file as Arrow: how columns are stored (docs/recording-format.md).

Integers are stored in the narrowest type that fits, and times in whole microseconds, because
the noise below a microsecond hardly compresses. Everything is checked when it is read.
"""

from __future__ import annotations

import io
import json
import re
import struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

    from daskscope.schema import Column

HEADER = 2  # field of Message
BUFFERS, COMPRESSION = 2, 3  # fields of RecordBatch

MAX_HEADER_BYTES: Final = 8_192
"""Bound for one message. Ours take a sixth; a larger one could name any number of columns."""


class BadTableError(ValueError):
    """The bytes are not a table written by daskscope; the text continues "it …"."""


def read_table(data: bytes, columns: Collection[str]) -> pa.RecordBatch:
    """Return the requested columns of the only batch of a stream, validated.

    Streams that would take more memory than `data` are refused: compressed batches, dictionaries,
    further batches, and overlapping columns.
    """
    import pyarrow as pa

    try:
        _check_messages(data)
        with pa.ipc.open_stream(data) as reader:
            batch = reader.read_next_batch()
        names = batch.schema.names
        batch = batch.select([place for place, name in enumerate(names) if name in columns])
        batch.validate(full=True)
    except BadTableError:
        raise
    except (pa.ArrowException, OSError, ValueError, struct.error, IndexError) as error:
        raise _no_table() from error
    return batch


def _check_messages(data: bytes) -> None:
    """Refuse all but one schema and one uncompressed batch whose columns do not overlap."""
    import pyarrow as pa

    expected = ["schema", "record batch"]
    for message in pa.ipc.MessageReader.open_stream(data):
        if message.metadata.size > MAX_HEADER_BYTES:
            raise BadTableError("has a part with too many columns")
        if not expected or message.type != expected.pop(0):
            raise _unexpected_encoding()
        if not expected:
            _check_batch(message.metadata.to_pybytes())
    if expected:
        raise _no_table()


def _check_batch(header: bytes) -> None:
    batch_at = _field(header, _indirect(header, 0), HEADER)
    if batch_at is None:
        raise _no_table()
    batch = _indirect(header, batch_at)
    if _field(header, batch, COMPRESSION) is not None:
        raise _unexpected_encoding()
    buffers_at = _field(header, batch, BUFFERS)
    if buffers_at is None:
        return
    vector = _indirect(header, buffers_at)
    (buffers,) = struct.unpack_from("<I", header, vector)
    end = 0
    for number in range(buffers):
        offset, length = struct.unpack_from("<qq", header, vector + 4 + 16 * number)
        if length < 0 or offset < end:
            raise _unexpected_encoding()
        end = offset + length


def _no_table() -> BadTableError:
    return BadTableError("has a part that is not an Arrow table")


def _unexpected_encoding() -> BadTableError:
    return BadTableError("has a part that is stored in a way that daskscope does not write")


def _indirect(header: bytes, place: int) -> int:
    (offset,) = struct.unpack_from("<I", header, place)
    return place + int(offset)


def _field(header: bytes, table: int, number: int) -> int | None:
    """Return the position of a field in a flatbuffers table, or None if it has none."""
    (back,) = struct.unpack_from("<i", header, table)
    listed = table - int(back)
    if listed < 0:
        raise _no_table()
    (size,) = struct.unpack_from("<H", header, listed)
    if 4 + 2 * number >= size:
        return None
    (place,) = struct.unpack_from("<H", header, listed + 4 + 2 * number)
    return table + int(place) if place else None


ENCODING: Final = "daskscope.encoding"
BASE: Final = "daskscope.base"
DISTINCT: Final = "daskscope.texts"
PLAIN, MICROSECONDS, STEPS, PLANES, TEXTS = "plain", "us", "steps", "planes", "texts"
"""How a column is stored: unchanged; times 1e6; as differences, from a base; in planes (the first
bytes of all values, then their second bytes, and so on), which compress better; texts as
indexes of the distinct ones."""

MAX_DISTINCT_CHARACTERS: Final = 5_000
"""Bound for all distinct texts as JSON, since they are in the header of a table."""

US: Final = 1e6
_SIGNED: Final = ("i1", "i2", "i4")
_UNSIGNED: Final = ("u1", "u2", "u4")
_TIMES: Final = frozenset({"start", "duration"})
_RISING: Final = frozenset({"start", "task"})
_TEXTS: Final = ("utf8", "texts")
_WHOLE: Final = re.compile(r"-?[0-9]{1,20}")
_MAX_WHOLE: Final = 2.0**53
"""Integers below this are exact in a float64."""

MAX_PARTS_CHARACTERS: Final = 1_000_000
"""Bound for a list of texts as JSON: in a file, a span may be nested deeper than it is kept."""


def encode(
    declared: Sequence[Column],
    columns: Mapping[str, ArrayLike | Sequence[Any]],
    *,
    rounded: bool = False,
    **facts: int,
) -> bytes:
    """Return columns as an Arrow stream; `facts` become its metadata.

    `rounded` rounds times of rows to microseconds, which saves two thirds of the bytes.
    """
    import pyarrow as pa

    arrays, fields = [], []
    for column in declared:
        values, about = columns[column.name], None
        if column.type == "texts":
            values = [json.dumps(texts, ensure_ascii=False) for texts in values]  # type: ignore[union-attr]
        if column.combine == "key" and column.type == "utf8" and np.size(values):
            values, about = _numbered(values)
        if column.type in _TEXTS and about is None:
            arrays.append(pa.array(values, pa.utf8()))
        elif column.type in _TEXTS:
            arrays.append(pa.array(values))
        else:
            numbers = values if isinstance(values, np.ndarray) else np.array(values, column.type)
            stored, about = _stored(column.name, numbers, rounded=rounded)
            arrays.append(pa.array(stored))
        fields.append(pa.field(column.name, arrays[-1].type, nullable=False, metadata=about))
    metadata = {name: str(value) for name, value in facts.items()}
    return _stream(arrays, pa.schema(fields, metadata=metadata))


def _stored(
    name: str, values: NDArray[Any], *, rounded: bool
) -> tuple[NDArray[Any], dict[str, str] | None]:
    """Return a column as it is stored, and what a reader needs to restore it."""
    if rounded and name in _TIMES:
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.round(values.astype("f8") * US)
        encoding = MICROSECONDS
    else:
        whole, encoding = values.astype("f8"), PLAIN
    if not len(whole) or not np.all(np.abs(whole) < _MAX_WHOLE) or np.any(whole % 1):
        return values.astype("f8") if values.dtype.kind == "f" else values, None
    about = {}
    if rounded and name in _RISING:
        about[BASE] = str(int(whole[0]))
        whole = np.diff(whole, prepend=whole[0])
        encoding += f"+{STEPS}"
    stored = _narrow(whole)
    if rounded and name in _TIMES and stored.dtype.kind in "iu" and stored.itemsize > 1:
        stored = _in_planes(stored)
        encoding += f"+{PLANES}"
    return stored, None if encoding == PLAIN else about | {ENCODING: encoding}


def _numbered(values: Any) -> tuple[Any, dict[str, str] | None]:
    """Return texts as indexes of the distinct ones, if these are few."""
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(text, len(numbers)) for text in values]
    texts = json.dumps([*numbers])
    if len(texts) > MAX_DISTINCT_CHARACTERS:
        return values, None
    return _narrow(np.array(found, "f8")), {ENCODING: TEXTS, DISTINCT: texts}


def _in_planes(values: NDArray[Any]) -> NDArray[Any]:
    by_value = np.frombuffer(values.astype(values.dtype.newbyteorder("<")).tobytes(), "u1")
    return np.frombuffer(by_value.reshape(-1, values.itemsize).T.tobytes(), values.dtype)


def _out_of_planes(values: NDArray[Any]) -> NDArray[Any]:
    planes = np.frombuffer(values.tobytes(), "u1").reshape(values.itemsize, -1)
    return np.frombuffer(planes.T.tobytes(), values.dtype.newbyteorder("<"))


def _narrow(whole: NDArray[np.float64]) -> NDArray[Any]:
    """Return integers in the narrowest type; 64-bit ones are avoided, since pages lack them."""
    low, high = whole.min(), whole.max()
    for kind in _SIGNED if low < 0 else _UNSIGNED:
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return whole.astype(kind)
    return whole


def decode(
    declared: Sequence[Column],
    data: bytes,
    *,
    what: str = "rows",
    at_most: int | None = None,
    newest: int | None = None,
    types: Mapping[str, np.dtype[Any]] | None = None,
) -> tuple[dict[str, Any], dict[str, int]]:
    """Undo `encode`: return numbers as arrays, texts as lists; raise `BadTableError` if invalid.

    A table with more than `at_most` rows is refused; only the last `newest` rows are returned.
    `types` has the types of columns that differ from the declaration. `what` names the rows in
    errors.
    """
    stored = read_table(data, [column.name for column in declared])
    if at_most is not None and stored.num_rows > at_most:
        raise BadTableError(f"has more {what} in one part than daskscope writes")
    columns: dict[str, Any] = {}
    for column in declared:
        place = stored.schema.get_field_index(column.name)
        if place < 0:
            raise BadTableError(f"has a table {what} without a column {column.name}")
        array, field = stored.column(place), stored.schema.field(place)
        if column.type in _TEXTS and not (column.type == "utf8" and _is_number(array.type)):
            columns[column.name] = _texts(column, array, newest)
            continue
        if array.null_count or array.type.num_fields or not _is_number(array.type):
            raise BadTableError(f"has a bad table: its column {column.name} is not of numbers")
        about = {
            name.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for name, value in (field.metadata or {}).items()
        }
        if column.type == "utf8":
            values = array.to_numpy() if newest is None else array.to_numpy()[-newest:]
            columns[column.name] = _of_numbers(column.name, values, about)
            continue
        dtype = (types or {}).get(column.name, np.dtype(column.type))
        values = _restored(column.name, array.to_numpy(), about, dtype)
        columns[column.name] = values if newest is None else values[-newest:].copy()
    facts = {}
    for name, value in (stored.schema.metadata or {}).items():
        try:
            facts[name.decode("utf-8", "replace")] = int(value)
        except ValueError as error:
            raise BadTableError("has a bad table: its facts are not numbers") from error
    return columns, facts


def _texts(column: Column, array: pa.Array, newest: int | None) -> list[Any]:
    import pyarrow as pa

    if array.type != pa.utf8() or array.null_count:
        raise BadTableError(f"has a bad table: its column {column.name} is not of text")
    if newest is not None:
        array = array.slice(max(0, len(array) - newest))
    texts: list[str] = array.to_pylist()
    return [_parts(text, column.name) for text in texts] if column.type == "texts" else texts


def _of_numbers(name: str, numbers: NDArray[Any], about: Mapping[str, str]) -> list[str]:
    if about.get(ENCODING) != TEXTS or numbers.dtype.kind != "u":
        raise BadTableError(f"has a bad table: its column {name} is not of text")
    texts = _parts(about.get(DISTINCT, ""), name)
    if len(numbers) and int(numbers.max()) >= len(texts):
        raise BadTableError(f"has a bad table: its column {name} has numbers out of range")
    return [texts[number] for number in numbers.tolist()]


def _parts(text: str, column: str) -> tuple[str, ...]:
    try:
        found = json.loads(text) if len(text) <= MAX_PARTS_CHARACTERS else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
        raise BadTableError(f"has a bad table: its column {column} is not of lists of texts")
    return tuple(found)


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind))


def _restored(
    name: str, values: NDArray[Any], about: Mapping[str, str], dtype: np.dtype[Any]
) -> NDArray[Any]:
    unit, *steps = about.get(ENCODING, PLAIN).split("+")
    if unit not in (PLAIN, MICROSECONDS) or steps not in ([], [STEPS], [PLANES], [STEPS, PLANES]):
        raise BadTableError(f"has a bad table: its column {name} is stored as {about[ENCODING]!r}")
    if PLANES in steps:
        values = _out_of_planes(values)
    if STEPS in steps:
        base = about.get(BASE, "")
        if not _WHOLE.fullmatch(base):
            raise BadTableError(f"has a bad table: its column {name} has no base")
        values = np.cumsum(values, dtype="f8") + float(base)
    if unit == MICROSECONDS:
        values = values.astype("f8") / US
    elif dtype.kind in "iu" and len(values):
        limits = np.iinfo(str(dtype))
        low, high = values.min(), values.max()
        if not limits.min <= low <= high <= limits.max:
            raise BadTableError(f"has a bad table: its column {name} has numbers out of range")
    with np.errstate(over="ignore", invalid="ignore"):  # times may be nonsense, as in live data
        return values.astype(dtype)


def _stream(arrays: list[pa.Array], schema: pa.Schema) -> bytes:
    import pyarrow as pa

    out = io.BytesIO()
    with pa.ipc.new_stream(out, schema) as writer:
        writer.write_batch(pa.record_batch(arrays, schema=schema))
    return out.getvalue()
