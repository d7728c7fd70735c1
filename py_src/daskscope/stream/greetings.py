"""What is remembered of pages that were given up: they may come back without a greeting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from daskscope.wire import Hello

WELCOME_AGAIN_S: Final = 1.0
MAX_GREETINGS: Final = 256


class Greetings:
    """What pages said in their greeting, and when strangers were last welcomed.

    A page says its version and build in its first message only. The kernel does not ask
    again: a page of another version may not understand the question.
    """

    def __init__(self) -> None:
        self._hellos: dict[str, Hello] = {}  # by page, the latest greeting last
        self._welcomed_s: dict[str, float] = {}

    def remember(self, hello: Hello) -> None:
        """Keep the greeting of a page."""
        self._hellos.pop(hello.page, None)
        self._hellos[hello.page] = hello
        if len(self._hellos) > MAX_GREETINGS:
            del self._hellos[next(iter(self._hellos))]

    def of(self, page: str) -> Hello | None:
        """Return the greeting of a page that was given up, if it is still known."""
        return self._hellos.get(page)

    def welcomes_stranger(self, page: str, now_s: float) -> bool:
        """Return whether a page that nobody knows is to be welcomed: not for each of its words."""
        if now_s - self._welcomed_s.get(page, float("-inf")) < WELCOME_AGAIN_S:
            return False
        recent = {p: t for p, t in self._welcomed_s.items() if now_s - t < WELCOME_AGAIN_S}
        self._welcomed_s = recent | {page: now_s}
        return True
