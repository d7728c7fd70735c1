"""Reading zip files one member after the other, whole ones and such as were cut off.

A program that is killed leaves no list of members at the end of a zip. So that list is not
read at all: each member says in front of itself how long it is. What is read is bounded,
whatever the file claims.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_MEMBER_BYTES: Final = 64 * 2**20
"""Unpacked. A writer makes further members before it comes near that."""

MAX_MEMBERS: Final = 1_000_000
MAX_NAME_BYTES: Final = 200
MAX_RATIO: Final = 300
"""Members together unpack to at most so many times what they take, and `MAX_MEMBER_BYTES`."""

_OVERHEAD_BYTES: Final = 65_536
"""What cannot be packed takes hardly more than before."""

_HEADER: Final = struct.Struct("<4s5H3I2H")
_SIGNATURE: Final = b"PK\x03\x04"
_DIRECTORY: Final = (b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06")
STORED, DEFLATED = 0, 8
_ENCRYPTED, _SIZES_FOLLOW = 1, 8


class BadZipError(ValueError):
    """This is no zip, or not one that may be read; the text goes on after "it …"."""


class Members:
    """Names and contents of the members of a file, in order; `whole` once all were there."""

    def __init__(self, file: BinaryIO) -> None:
        self.whole = False
        self._file = file

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        file = self._file
        file.seek(0)
        packed = unpacked = 0
        for number in range(MAX_MEMBERS):
            head = file.read(_HEADER.size)
            if number and head.startswith(_DIRECTORY):
                self.whole = True
                return
            if not head.startswith(_SIGNATURE[: len(head)]):
                if not number:
                    raise BadZipError("is not a zip file")
                return  # what was being written when the writer was stopped
            if len(head) < _HEADER.size:
                return
            _, _, flags, method, _, _, crc, size, length, name_bytes, extra = _HEADER.unpack(head)
            if flags & _ENCRYPTED or method not in (STORED, DEFLATED):
                raise BadZipError("is packed in an unsupported way")
            too_long = length > MAX_MEMBER_BYTES or size > length + _OVERHEAD_BYTES
            if flags & _SIZES_FOLLOW or name_bytes > MAX_NAME_BYTES or too_long:
                raise BadZipError("has an unexpected member")
            if length and not size:
                return  # its writer was stopped before it had packed it
            name = file.read(name_bytes)
            file.seek(extra, 1)
            data = file.read(size)
            if len(name) < name_bytes or len(data) < size:
                return
            packed += size
            unpacked += length
            if unpacked > MAX_MEMBER_BYTES + MAX_RATIO * packed:
                raise BadZipError("is too large when unpacked")
            content = _unpacked(data, method, length)
            if content is None or zlib.crc32(content) != crc:
                raise BadZipError(f"is damaged in {name.decode('utf-8', 'replace')!r}")
            yield name.decode("utf-8", "replace"), content
        raise BadZipError("has too many members")


def _unpacked(data: bytes, method: int, length: int) -> bytes | None:
    """Return the content if it is as long as it says, else nothing."""
    if method == DEFLATED:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = unpacker.decompress(data, length + 1)
        except zlib.error:
            return None
    return data if len(data) == length else None
