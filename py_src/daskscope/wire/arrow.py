"""Columns as an Arrow IPC stream: one uncompressed record batch.

Uncompressed, since the page reads the columns where they lie; what needs packing on
the way is packed by the web server's own compression, where it is wanted.

Written here, not by pyarrow: the two tables have fixed schemas of plain columns, and
pyarrow gives up Python's lock while it writes. While a cell computes, each time costs up
to 5 ms to get it back (docs/decisions/0013).
"""

from __future__ import annotations

import struct
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.wire import flatbuffer
from daskscope.wire.flatbuffer import Longs, Scalar, Tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from daskscope.schema import Column

METADATA_V5: Final = 4
SCHEMA, RECORD_BATCH = 1, 3  # MessageHeader
INT, FLOATING_POINT = 2, 3  # Type
PRECISIONS: Final = {4: 1, 8: 2}  # of bytes: SINGLE, DOUBLE

CONTINUATION: Final = 0xFFFFFFFF
END_OF_STREAM: Final = struct.pack("<Ii", CONTINUATION, 0)
ALIGNMENT: Final = 8


def arrow_stream(declared: tuple[Column, ...], columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Return rows of a table of the schema as bytes that every Arrow reader opens.

    >>> from daskscope.schema import COARSE
    >>> rows = {column.name: np.zeros(2) for column in COARSE}
    >>> len(arrow_stream(COARSE, rows)) > 100
    True
    """
    with np.errstate(over="ignore"):  # a size beyond float32 becomes infinite
        plain = [_little_endian(columns[c.name], c.type) for c in declared]
    rows = len(plain[0])
    nodes: list[int] = []
    buffers: list[int] = []
    body: list[Any] = []
    body_bytes = 0
    for values in plain:
        if len(values) != rows:
            raise ValueError(f"columns: they have {rows} and {len(values)} rows")
        padding = -values.nbytes % ALIGNMENT
        nodes += (rows, 0)  # none is null
        buffers += (body_bytes, 0, body_bytes, values.nbytes)  # which are null, and the values
        body += (values.data, bytes(padding))
        body_bytes += values.nbytes + padding
    batch = flatbuffer.Table((Scalar("q", rows), Longs(tuple(nodes), 2), Longs(tuple(buffers), 2)))
    head = _message(RECORD_BATCH, batch, body_bytes)
    return b"".join([_schema_message(declared), head, *body, END_OF_STREAM])


def _little_endian(values: NDArray[Any], kind: str) -> NDArray[Any]:
    return np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<"))


def _message(kind: int, header: flatbuffer.Table, body_bytes: int) -> bytes:
    """Return what precedes a body: marker, length, and the header in its envelope."""
    data = flatbuffer.encode(
        flatbuffer.Table(
            (Scalar("h", METADATA_V5), Scalar("B", kind), header, Scalar("q", body_bytes))
        )
    )
    data += bytes(-len(data) % ALIGNMENT)
    return struct.pack("<Ii", CONTINUATION, len(data)) + data


@cache
def _schema_message(declared: tuple[Column, ...]) -> bytes:
    fields = tuple(_field(column) for column in declared)
    return _message(SCHEMA, flatbuffer.Table((Scalar("h", 0), Tables(fields))), 0)


def _field(column: Column) -> flatbuffer.Table:
    """Return name, nullable, type, dictionary and children of a column."""
    dtype = np.dtype(column.type)
    about: tuple[Scalar, ...]
    if dtype.kind == "f":
        kind, about = FLOATING_POINT, (Scalar("h", PRECISIONS[dtype.itemsize]),)
    else:
        kind, about = INT, (Scalar("i", 8 * dtype.itemsize), Scalar("B", dtype.kind == "i"))
    return flatbuffer.Table(
        (column.name, Scalar("B", 0), Scalar("B", kind), flatbuffer.Table(about), None, Tables())
    )
