"""A way to pages: a comm, whoever opened it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from daskscope.wire import outgoing

if TYPE_CHECKING:
    from daskscope.errors import DaskscopeError
    from daskscope.wire import Outgoing

logger = logging.getLogger(__name__)

Send = Callable[[dict[str, Any], Sequence[bytes | memoryview]], None]

MAX_REPORTED: Final = 200
"""Errors that are remembered as told: a few for each of the hub's pages."""


class Code(NamedTuple):
    """The code of a widget, which a page evaluates once for each build."""

    build: str
    packed: Callable[[], bytes]
    """Its script, compressed by zlib."""


class Channel:
    """Sends messages; several pages may share one, since a widget's comm reaches all tabs.

    `send` may be called from the hub's thread. Once it has failed it is not called again.
    """

    def __init__(self, send: Send, code: Code | None = None) -> None:
        self.open = True
        self.code = code
        """Of a widget, whose page may lack it."""
        self.greeted = False
        """A page has said hello on it, so the code runs there."""
        self.code_sent_s = float("-inf")
        self._send = send
        self._reported: dict[tuple[str, str | None, str | None], None] = {}  # oldest first

    def send(self, message: Outgoing) -> bool:
        """Send; return whether the channel still works."""
        if not self.open:
            return False
        try:
            self._send(message.message, message.buffers)
        except Exception:
            logger.debug("a channel of daskscope failed and is closed", exc_info=True)
            self.open = False
        return self.open

    def report(self, error: DaskscopeError, page: str | None, session: str | None) -> None:
        """Tell a page of an error; one of a kind is enough for each page and session."""
        told = (error.code, page, session)
        if told in self._reported:
            return
        self._reported[told] = None
        if len(self._reported) > MAX_REPORTED:
            del self._reported[next(iter(self._reported))]
        fields = {"code": error.code, "text": error.text, "next": error.next}
        self.send(outgoing("error", {"page": page, "session": session, **fields}))
