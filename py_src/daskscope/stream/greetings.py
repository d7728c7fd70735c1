"""What is remembered of pages that were given up: they may come back without a greeting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from daskscope.wire import Hello

WELCOME_AGAIN_S: Final = 1.0
MAX_VERSIONS: Final = 256


class Greetings:
    """The versions that pages have said, and when strangers were last welcomed.

    A page says its version with its first word only. It is not asked for it again: of
    another version it may be one that would not understand the question.
    """

    def __init__(self) -> None:
        self._versions: dict[str, str] = {}  # by page, the latest greeting last
        self._welcomed_s: dict[str, float] = {}

    def remember(self, hello: Hello) -> None:
        """Take note of what a page says."""
        self._versions.pop(hello.page, None)
        self._versions[hello.page] = hello.version
        if len(self._versions) > MAX_VERSIONS:
            del self._versions[next(iter(self._versions))]

    def version_of(self, page: str) -> str:
        """Return what a page said before it was given up; empty if that is not known."""
        return self._versions.get(page, "")

    def welcomes_stranger(self, page: str, now_s: float) -> bool:
        """Return whether a page that nobody knows is to be welcomed: not for each of its words."""
        if now_s - self._welcomed_s.get(page, float("-inf")) < WELCOME_AGAIN_S:
            return False
        recent = {p: t for p, t in self._welcomed_s.items() if now_s - t < WELCOME_AGAIN_S}
        self._welcomed_s = recent | {page: now_s}
        return True
