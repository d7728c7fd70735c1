"""Columns of numbers as bytes: one after the other, little endian, each padded to 8 bytes.

Uncompressed, since the page reads the columns where they lie; what needs packing on the way is
packed by the web server's own compression, where it is wanted. And without pyarrow, which gives
up Python's lock while it writes: while a cell computes, each time costs up to 5 ms to get it
back (docs/decisions/0013).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from daskscope.schema import Column

ALIGNMENT: Final = 8
TEXTS: Final = frozenset({"utf8", "texts"})
"""Types of columns that are not packed."""


def packed_type(column: Column) -> np.dtype[Any]:
    """Return the type in which the numbers of a column travel."""
    # A page has no integers of 64 bits; as floats they are exact up to 2^53.
    return np.dtype("f8" if column.type == "int64" else column.type).newbyteorder("<")


def pack_columns(
    columns: Sequence[Column],
    values: Mapping[str, ArrayLike],
    numbers: NDArray[np.float64] | None = None,
) -> bytes:
    """Return the columns of numbers of some rows, in order, after the numbers of these if given.

    >>> from daskscope.schema import ERRORS
    >>> rows = {"time": [1.5], "prefix": [3], "task": [-1]}
    >>> pack_columns(ERRORS.columns, rows).hex(" ", 8)
    '000000000000f83f 0300000000000000 000000000000f0bf'
    """
    wanted = [column for column in columns if column.type not in TEXTS]
    with np.errstate(over="ignore"):  # a size beyond float32 becomes infinite
        plain = [np.ascontiguousarray(values[c.name], packed_type(c)) for c in wanted]
    if numbers is not None:
        plain.insert(0, np.ascontiguousarray(numbers, "<f8"))
    if len({len(array) for array in plain}) > 1:
        raise ValueError(f"values: not of one length, but of {[len(array) for array in plain]}")
    return b"".join(part for a in plain for part in (a.data, bytes(-a.nbytes % ALIGNMENT)))
