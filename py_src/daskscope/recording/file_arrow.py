"""Arrow streams from files that nobody vouches for: checked before they are believed."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa

SCHEMA, RECORD_BATCH = 1, 3  # MessageHeader
HEADER_TYPE, HEADER = 1, 2  # fields of Message
BUFFERS, COMPRESSION = 2, 3  # fields of RecordBatch

MAX_HEADER_BYTES: Final = 8_192
"""Of one message. Ours have a sixth of it; a larger one could name any number of columns."""


class BadTableError(ValueError):
    """Bytes that are no table as daskscope writes them; the text goes on after "it …"."""


def read_table(data: bytes, columns: Collection[str]) -> pa.RecordBatch:
    """Return the only batch of a stream, validated: of its columns those that are asked for.

    What would take more memory than `data` does is refused: compressed batches, dictionaries,
    further batches, and columns that lie upon each other.
    """
    import pyarrow as pa

    try:
        _refuse_what_grows(data)
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


def _refuse_what_grows(data: bytes) -> None:
    """Refuse whatever is not one schema and one batch whose body is as large as its columns."""
    import pyarrow as pa

    expected = [SCHEMA, RECORD_BATCH]
    for message in pa.ipc.MessageReader.open_stream(data):
        if message.metadata.size > MAX_HEADER_BYTES:
            raise BadTableError("has a part with more columns than daskscope writes")
        header = message.metadata.to_pybytes()
        table = _indirect(header, 0)
        kind_at = _field(header, table, HEADER_TYPE)
        if kind_at is None or not expected or header[kind_at] != expected.pop(0):
            raise _not_ours()
        if not expected:
            _check_batch(header, table)
    if expected:
        raise _no_table()


def _check_batch(header: bytes, table: int) -> None:
    batch_at = _field(header, table, HEADER)
    if batch_at is None:
        raise _no_table()
    batch = _indirect(header, batch_at)
    if _field(header, batch, COMPRESSION) is not None:
        raise _not_ours()
    buffers_at = _field(header, batch, BUFFERS)
    if buffers_at is None:
        return
    vector = _indirect(header, buffers_at)
    (buffers,) = struct.unpack_from("<I", header, vector)
    end = 0
    for number in range(buffers):
        offset, length = struct.unpack_from("<qq", header, vector + 4 + 16 * number)
        if length < 0 or offset < end:
            raise _not_ours()
        end = offset + length


def _no_table() -> BadTableError:
    return BadTableError("has a part that is no Arrow table")


def _not_ours() -> BadTableError:
    return BadTableError("has a part that is stored in a way that daskscope does not write")


def _indirect(header: bytes, place: int) -> int:
    (offset,) = struct.unpack_from("<I", header, place)
    return place + int(offset)


def _field(header: bytes, table: int, number: int) -> int | None:
    """Return where a field of a flatbuffers table is, if it has it."""
    (back,) = struct.unpack_from("<i", header, table)
    listed = table - int(back)
    if listed < 0:
        raise _no_table()
    (size,) = struct.unpack_from("<H", header, listed)
    if 4 + 2 * number >= size:
        return None
    (place,) = struct.unpack_from("<H", header, listed + 4 + 2 * number)
    return table + int(place) if place else None
