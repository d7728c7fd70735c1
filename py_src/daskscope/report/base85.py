"""Writes bytes as text in a page: five characters for four bytes, 6 % less than base64.

This is Ascii85 without its abbreviations: the digits of base 85 are the characters from `!` on.
`v` replaces `<`, the only one that could end the element around the text.
"""

from __future__ import annotations

from typing import Final

import numpy as np

BYTES: Final = 4
"""Bytes in a group."""
CHARACTERS: Final = 5
"""Characters in a group."""
BASE: Final = 85
FIRST: Final = ord("!")
FORBIDDEN: Final = ord("<")
INSTEAD: Final = ord("v")

DIGITS: Final = np.full(256, BASE, np.uint8)
"""The digit of each character; BASE for characters that are not digits."""
DIGITS[FIRST : FIRST + BASE] = range(BASE)
DIGITS[INSTEAD] = DIGITS[FORBIDDEN]
DIGITS[FORBIDDEN] = BASE


def encode(data: bytes) -> bytes:
    """Return bytes as text; of several slices, only the last may end within a group.

    >>> encode(b"Dask")
    b'6t(.P'
    """
    missing = -len(data) % BYTES
    words = np.frombuffer(data + bytes(missing), ">u4").astype(np.uint32)
    text = np.empty((len(words), CHARACTERS), np.uint8)
    for place in range(CHARACTERS - 1, -1, -1):
        words, text[:, place] = np.divmod(words, np.uint32(BASE))
    text += FIRST
    text[text == FORBIDDEN] = INSTEAD
    return text.tobytes()[: text.size - missing]


def decode(text: bytes) -> bytes:
    """Return the bytes of a text; raise ValueError if it is not in base 85.

    >>> decode(b"6t(.P")
    b'Dask'
    """
    missing = -len(text) % CHARACTERS
    last = FIRST + BASE - 1
    digits = DIGITS[np.frombuffer(text + bytes([last]) * missing, np.uint8)]
    words = np.zeros(digits.size // CHARACTERS, np.uint64)
    for place in range(CHARACTERS):
        words = words * np.uint64(BASE) + digits[place::CHARACTERS]
    if (digits == BASE).any() or (words >= 2**32).any():
        raise ValueError("not in base 85")
    data = words.astype(">u4").tobytes()
    return data[: len(data) - missing]
