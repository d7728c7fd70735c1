"""Writing to a terminal. What comes from files and clusters is text, never its commands."""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that move the cursor, turn the direction, or cannot be written."""


def plain(text: object) -> str:
    """Return text on one line, without what a terminal would obey.

    >>> plain("one\\ntwo\\x1b[2J")
    'one two�[2J'
    """
    spaced = " ".join(str(text).split())
    return "".join("\ufffd" if unicodedata.category(c) in _HIDDEN else c for c in spaced)


def say(text: str = "") -> None:
    """Write a line of the result."""
    _write(sys.stdout, text)


def teller(place: Path) -> Callable[[str], None]:
    """Return how to tell of a result, before it is written: not into the result itself."""
    try:
        same = os.path.samestat(place.stat(), os.fstat(sys.stdout.fileno()))
    except OSError:  # it is not there yet, or standard output is none of the system
        same = False
    return warn if same else say


def warn(text: str) -> None:
    """Write a line for whoever sits before the terminal."""
    _write(sys.stderr, text)


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"  # a terminal may have another one
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()


def clock(seconds: float) -> str:
    """Return a time that somebody waits for, in a line that is written again and again.

    >>> clock(3.21), clock(75), clock(7325)
    ('3.2 s', '1:15', '2:02:05')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
