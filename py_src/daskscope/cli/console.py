"""Writing to a terminal: results, warnings, and what long work shows meanwhile.

Text from files and clusters is only text here, never a terminal's commands.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from typing import TYPE_CHECKING, Final, TextIO

from daskscope.format import moment_text, one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def say(text: str = "") -> None:
    """Write a line of the result."""
    _write(sys.stdout, text + "\n")


def teller(place: Path) -> Callable[[str], None]:
    """Return how to tell of a result, before it is written: not into the result itself."""
    try:
        same = os.path.samestat(place.stat(), os.fstat(sys.stdout.fileno()))
    except OSError:  # it is not there yet, or standard output is none of the system
        same = False
    return warn if same else say


def warn(text: str) -> None:
    """Write a line for whoever sits before the terminal."""
    _write(sys.stderr, text + "\n")


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"  # a terminal may have another one
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()


FIRST_S: Final = 0.5
"""What is done sooner shows nothing."""

EVERY_S: Final = 0.2
BAR_CELLS: Final = 24
ERASE_LINE: Final = "\r\x1b[K"


class Line:
    """One line on the terminal that is written again and again, and gone at the end."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self.seen = self._stream.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        """Write the line anew."""
        if self.seen:
            width = max(20, shutil.get_terminal_size().columns - 1)
            _write(self._stream, f"{ERASE_LINE}{one_line(text)[:width]}")
            self._shown = True

    def erase(self) -> None:
        """Leave the terminal as it was."""
        if self._shown:
            _write(self._stream, ERASE_LINE)
            self._shown = False


class Progress:
    """Shows that work goes on: ``with Progress("Reading run.daskscope") as progress: …``

    `progress.at(done, of)` turns the seconds into a bar.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._line = Line()
        self._done: tuple[int, int] | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def at(self, done: int, of: int) -> None:
        """Say how much is done."""
        self._done = (done, of)

    def __enter__(self) -> Progress:
        if self._line.seen:
            self._thread = threading.Thread(
                target=self._run, name="daskscope-progress", daemon=True
            )
            self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self._line.erase()

    def _run(self) -> None:
        began = time.monotonic()
        pause = FIRST_S
        while not self._over.wait(pause):
            pause = EVERY_S
            self._line.show(self._text(time.monotonic() - began))

    def _text(self, seconds: float) -> str:
        if self._done is None or self._done[1] <= 0:
            return f"{self._what} … {moment_text(seconds)}"
        part = min(1.0, self._done[0] / self._done[1])
        return f"{self._what} {bar(part)} {part:.0%}"


def bar(part: float) -> str:
    """Return a bar that is full to a part.

    >>> bar(0.5)
    '[############------------]'
    """
    full = round(BAR_CELLS * part)
    return f"[{'#' * full}{'-' * (BAR_CELLS - full)}]"
