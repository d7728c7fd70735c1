"""Writes results, warnings and progress to a terminal.

Callers pass texts from files and clusters through `one_line`, which removes control characters.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Final, TextIO

from daskscope.format import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def say(text: str = "") -> None:
    """Write a line of the result."""
    _write(sys.stdout, text + "\n")


def reporter(place: Path) -> Callable[[str], None]:
    """Return `say`, or `warn` if the result itself goes to standard output."""
    try:
        same = os.path.samestat(place.stat(), os.fstat(sys.stdout.fileno()))
    except OSError:  # it does not exist yet, or standard output is not a file of the system
        same = False
    return warn if same else say


def warn(text: str) -> None:
    """Write a line to standard error."""
    _write(sys.stderr, text + "\n")


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"  # a terminal may use another one
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()


EVERY_S: Final = 0.2
BAR_CELLS: Final = 24
ERASE_LINE: Final = "\r\x1b[K"


class Line:
    """A status line on a terminal, which is rewritten and finally erased."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self.seen = self._stream.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        """Replace the line."""
        if self.seen:
            width = max(20, shutil.get_terminal_size().columns - 1)
            _write(self._stream, f"{ERASE_LINE}{one_line(text)[:width]}")
            self._shown = True

    def erase(self) -> None:
        """Remove the line from the terminal."""
        if self._shown:
            _write(self._stream, ERASE_LINE)
            self._shown = False


class Progress:
    """Shows that work goes on: ``with Progress("Reading run.daskscope") as progress: …``

    `progress.at(done, of)` adds a bar.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._line = Line()
        self._shown_s = 0.0  # monotonic

    def at(self, done: int, of: int) -> None:
        """Show how much is done, a few times a second."""
        now = time.monotonic()
        if of > 0 and now - self._shown_s >= EVERY_S:
            self._shown_s = now
            part = min(1.0, done / of)
            self._line.show(f"{self._what} {bar(part)} {part:.0%}")

    def __enter__(self) -> Progress:
        self._line.show(f"{self._what} …")
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._line.erase()


def bar(part: float) -> str:
    """Return a progress bar for a part between 0 and 1.

    >>> bar(0.5)
    '[############------------]'
    """
    full = round(BAR_CELLS * part)
    return f"[{'#' * full}{'-' * (BAR_CELLS - full)}]"
