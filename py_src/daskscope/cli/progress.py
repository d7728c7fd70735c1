"""What long work shows on a terminal: a bar, or how long it has taken. Elsewhere nothing."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import TYPE_CHECKING, Final

from daskscope.cli.console import clock, plain

if TYPE_CHECKING:
    from types import TracebackType

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
            self._write(f"{ERASE_LINE}{plain(text)[:width]}")
            self._shown = True

    def erase(self) -> None:
        """Leave the terminal as it was."""
        if self._shown:
            self._write(ERASE_LINE)
            self._shown = False

    def _write(self, text: str) -> None:
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(text.encode(encoding, "replace").decode(encoding))
        self._stream.flush()


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
            return f"{self._what} … {clock(seconds)}"
        part = min(1.0, self._done[0] / self._done[1])
        return f"{self._what} {bar(part)} {part:.0%}"


def bar(part: float) -> str:
    """Return a bar that is full to a part.

    >>> bar(0.5)
    '[############------------]'
    """
    full = round(BAR_CELLS * part)
    return f"[{'#' * full}{'-' * (BAR_CELLS - full)}]"
