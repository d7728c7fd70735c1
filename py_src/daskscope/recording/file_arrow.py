"""Arrow streams from files that nobody vouches for: checked before they are believed."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

RECORD_BATCH = 3  # MessageHeader
COMPRESSION = 3  # the field of RecordBatch


class BadTableError(ValueError):
    """Bytes that are no table as daskscope writes them; the text goes on after "it …"."""


def read_table(data: bytes) -> pa.Table:
    """Return the only batch of a stream, validated.

    Compressed batches are refused: nobody could tell how much memory they take.
    """
    import pyarrow as pa

    try:
        _refuse_compressed(data)
        with pa.ipc.open_stream(data) as reader:
            table = reader.read_all()
        table.validate(full=True)
        return table.combine_chunks() if table.num_rows else table
    except BadTableError:
        raise
    except (pa.ArrowException, OSError, ValueError, struct.error, IndexError) as error:
        raise BadTableError("has a part that is no Arrow table") from error


def _refuse_compressed(data: bytes) -> None:
    import pyarrow as pa

    reader = pa.ipc.MessageReader.open_stream(data)
    for message in reader:
        header = message.metadata.to_pybytes()
        table = _indirect(header, 0)
        kind_at = _field(header, table, 1)
        if kind_at is None or header[kind_at] != RECORD_BATCH:
            continue
        batch_at = _field(header, table, 2)
        if batch_at is None or _field(header, _indirect(header, batch_at), COMPRESSION) is not None:
            raise BadTableError(
                "has a part that is compressed in a way that daskscope does not write"
            )


def _indirect(header: bytes, place: int) -> int:
    (offset,) = struct.unpack_from("<I", header, place)
    return place + int(offset)


def _field(header: bytes, table: int, number: int) -> int | None:
    """Return where a field of a flatbuffers table is, if it has it."""
    (back,) = struct.unpack_from("<i", header, table)
    listed = table - int(back)
    if listed < 0:
        raise BadTableError("has a part that is no Arrow table")
    (size,) = struct.unpack_from("<H", header, listed)
    if 4 + 2 * number >= size:
        return None
    (place,) = struct.unpack_from("<H", header, listed + 4 + 2 * number)
    return table + int(place) if place else None
