"""Columns as an Arrow IPC stream: one uncompressed record batch.

Uncompressed, since the page reads the columns where they lie; what needs packing on
the way is packed by the web server's own compression, where it is wanted.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope.schema import TABLES, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@cache
def _arrow_schema(table: Table) -> Any:
    import pyarrow as pa

    types = {"float64": pa.float64(), "float32": pa.float32()}
    types |= {"uint32": pa.uint32(), "uint16": pa.uint16(), "uint8": pa.uint8()}
    return pa.schema([pa.field(c.name, types[c.type], nullable=False) for c in table.columns])


def arrow_stream(table: Table, columns: Mapping[str, NDArray[Any]]) -> memoryview:
    """Return rows of a table of the schema as bytes that every Arrow reader opens.

    >>> from daskscope.schema import COARSE
    >>> rows = {column.name: np.zeros(2) for column in COARSE.columns}
    >>> len(arrow_stream(COARSE, rows)) > 100
    True
    """
    import pyarrow as pa

    if table not in TABLES:
        raise ValueError(f"table: {table.name!r} is none of the schema")
    schema = _arrow_schema(table)
    with np.errstate(over="ignore"):  # a size beyond float32 becomes infinite
        plain = [np.ascontiguousarray(columns[c.name], dtype=c.type) for c in table.columns]
    # Not pa.array: it would import pandas, for most of a second.
    arrays = [
        pa.Array.from_buffers(field.type, len(values), [None, pa.py_buffer(values)])
        for field, values in zip(schema, plain, strict=True)
    ]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=None)
    with pa.ipc.new_stream(sink, schema, options=options) as writer:
        writer.write_batch(batch)
    return memoryview(sink.getvalue())
