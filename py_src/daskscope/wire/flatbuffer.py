"""Flatbuffers, as far as the headers of Arrow's messages need them.

A reader finds every field through offsets, so a writer is free to put parents before
children: what is not inline is appended after its parent, which then points at it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number of a table; `format` is that of `struct`."""

    format: str
    value: int


@dataclass(frozen=True, slots=True)
class Tables:
    """A vector of tables."""

    items: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Longs:
    """A vector of structs that are made of 8-byte integers."""

    values: tuple[int, ...]
    struct_longs: int


@dataclass(frozen=True, slots=True)
class Table:
    """Fields in the order of their numbers; `None` is left out."""

    fields: tuple[Field, ...]


Field = Scalar | str | Table | Tables | Longs | None


def encode(root: Table) -> bytes:
    """Return the bytes of a table and all that it refers to.

    >>> encode(Table((Scalar("B", 7),))).hex(" ", 4)
    '10000000 00000000 00000600 05000400 06000000 07000000'
    """
    out = bytearray(4)
    _refer(out, 0, root)
    out.extend(bytes(-len(out) % 4))
    return bytes(out)


def _refer(out: bytearray, place: int, value: str | Table | Tables | Longs) -> None:
    """Append a value, and let the four bytes at `place` point at it."""
    if isinstance(value, Table):
        position = _append_table(out, value)
    elif isinstance(value, str):
        text = value.encode()
        position = _begin(out, 4, 0)
        out.extend(struct.pack("<I", len(text)) + text + b"\0")
    elif isinstance(value, Longs):
        count = len(value.values)
        position = _begin(out, 8, 4)  # the integers are aligned, not their count
        out.extend(struct.pack(f"<I{count}q", count // value.struct_longs, *value.values))
    else:
        position = _begin(out, 4, 0)
        out.extend(struct.pack("<I", len(value.items)) + bytes(4 * len(value.items)))
        for number, item in enumerate(value.items, start=1):
            _refer(out, position + 4 * number, item)
    struct.pack_into("<I", out, place, position - place)


def _begin(out: bytearray, alignment: int, before: int) -> int:
    """Fill up so that what comes `before` bytes later is aligned; return where it begins."""
    out.extend(bytes(-(len(out) + before) % alignment))
    return len(out)


def _append_table(out: bytearray, table: Table) -> int:
    """Append a table behind the list of where its fields are; return where it begins."""
    places, size = [], 4
    for field in table.fields:
        width = struct.calcsize(field.format) if isinstance(field, Scalar) else 4
        if field is None:
            places.append(0)
            continue
        size += -size % width
        places.append(size)
        size += width
    listed = 4 + 2 * len(places)
    _begin(out, 8, listed)
    out.extend(struct.pack(f"<{2 + len(places)}H", listed, size, *places))
    position = len(out)
    out.extend(struct.pack("<i", listed) + bytes(size - 4))
    for place, field in zip(places, table.fields, strict=True):
        if isinstance(field, Scalar):
            struct.pack_into("<" + field.format, out, position + place, field.value)
        elif field is not None:
            _refer(out, position + place, field)
    return position
