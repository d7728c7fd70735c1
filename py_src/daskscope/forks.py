"""Forked children: whoever held a lock when the process forked does not exist there."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class HasLocks(Protocol):
    """Something that may be in use by another thread while the process forks."""

    def _renew_locks(self) -> None:
        """Take new locks, in a forked child."""


def after_fork(callback: Callable[[], None]) -> Callable[[], None]:
    """Call `callback` in each forked child, after those that were given before."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=callback)
    return callback


_all: Final[weakref.WeakSet[HasLocks]] = weakref.WeakSet()


def renew_in_children(thing: HasLocks) -> None:
    """Let `thing` renew its locks in each forked child, as long as it lives."""
    _all.add(thing)


@after_fork
def _renew() -> None:
    for thing in _all:
        thing._renew_locks()
