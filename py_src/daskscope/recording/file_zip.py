"""Reads the members of zip files in order, even if the file is truncated.

If the writer was killed, the list of members at the end of the zip is missing. So that list
is not used: each member begins with its length. The amount of data read is bounded, whatever
the file claims.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_MEMBER_BYTES: Final = 64 * 2**20
"""Bound for an unpacked member. Writers start further members long before."""

MAX_MEMBERS: Final = 1_000_000
MAX_NAME_BYTES: Final = 200
MAX_RATIO: Final = 300
"""All members unpack to at most this many times their size, plus `MAX_MEMBER_BYTES`."""

_OVERHEAD_BYTES: Final = 65_536
"""Incompressible data grows by less than this when packed."""

_HEADER: Final = struct.Struct("<4s5H3I2H")
_SIGNATURE: Final = b"PK\x03\x04"
_DIRECTORY: Final = (b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06")
STORED, DEFLATED = 0, 8
_ENCRYPTED, _SIZES_FOLLOW = 1, 8


class BadZipError(ValueError):
    """The file is no zip, or one that is refused; the text continues "it …"."""


class Members:
    """Names and contents of a file's members, in order; `whole` becomes true at a complete end."""

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
                return  # the writer was stopped while it wrote this member
            if len(head) < _HEADER.size:
                return
            _, _, flags, method, _, _, crc, size, length, name_bytes, extra = _HEADER.unpack(head)
            if flags & _ENCRYPTED or method not in (STORED, DEFLATED):
                raise BadZipError("is packed in an unsupported way")
            too_long = length > MAX_MEMBER_BYTES or size > length + _OVERHEAD_BYTES
            if flags & _SIZES_FOLLOW or name_bytes > MAX_NAME_BYTES or too_long:
                raise BadZipError("has an unexpected member")
            if length and not size:
                return  # the writer was stopped before it finished this member
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
    """Return the content, or None if its length is not as declared."""
    if method == DEFLATED:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = unpacker.decompress(data, length + 1)
        except zlib.error:
            return None
    return data if len(data) == length else None
