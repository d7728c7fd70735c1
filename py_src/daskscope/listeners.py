"""Functions that want to hear of something; one that fails keeps no other from hearing."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")

logger = logging.getLogger(__name__)


class Listeners(Generic[P]):
    """May be added, removed and told from any thread.

    >>> listeners = Listeners[[int]]("numbers")
    >>> heard = []
    >>> stop = listeners.add(heard.append)
    >>> listeners.tell(1)
    >>> stop()
    >>> listeners.tell(2)
    >>> heard
    [1]
    """

    def __init__(self, of: str) -> None:
        self._of = of
        self._callbacks: list[Callable[P, object]] = []

    def add(self, callback: Callable[P, object]) -> Callable[[], None]:
        """Call `callback` from now on; return how to stop."""
        self._callbacks.append(callback)

        def stop() -> None:
            with suppress(ValueError):
                self._callbacks.remove(callback)

        return stop

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call everybody; what fails is logged."""
        for callback in tuple(self._callbacks):
            try:
                callback(*args, **kwargs)
            except Exception:
                logger.exception("a listener for %s failed", self._of)

    def clear(self) -> None:
        """Forget all."""
        self._callbacks.clear()
