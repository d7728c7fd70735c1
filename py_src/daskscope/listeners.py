"""Functions that want to hear of something; one that fails keeps no other from hearing.

They may be called ten times a second, so only the first failure of each is logged.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")

logger = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Listener(Generic[P]):
    callback: Callable[P, object]
    failed: bool = False


class Listeners(Generic[P]):
    """May be added, removed and called from any thread.

    >>> listeners = Listeners[[int]]("numbers")
    >>> heard = []
    >>> stop = listeners.add(heard.append)
    >>> listeners.notify(1)
    >>> stop()
    >>> listeners.notify(2)
    >>> heard
    [1]
    """

    def __init__(self, of: str) -> None:
        self._of = of
        self._listeners: list[_Listener[P]] = []

    def add(self, callback: Callable[P, object]) -> Callable[[], None]:
        """Call `callback` from now on; return how to stop."""
        if not callable(callback):
            raise TypeError(f"callback must be callable, got {callback!r:.200}")
        listener = _Listener(callback)
        self._listeners.append(listener)

        def stop() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    def notify(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call everybody; what fails is logged."""
        for listener in tuple(self._listeners):
            try:
                listener.callback(*args, **kwargs)
            except Exception:
                if not listener.failed:
                    logger.exception("a listener for %s failed", self._of)
                listener.failed = True

    def clear(self) -> None:
        """Forget all."""
        self._listeners.clear()
