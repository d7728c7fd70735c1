"""Forked children: the thread that held a lock when the process forked is missing there."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable


def after_fork(callback: Callable[[], None]) -> Callable[[], None]:
    """Call `callback` in each forked child, after those that were given before."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=callback)
    return callback


_all: Final[set[weakref.WeakMethod[Callable[[], None]]]] = set()


def renew_in_children(renew_locks: Callable[[], None]) -> None:
    """Call a method in each forked child, as long as its object lives."""
    _all.add(weakref.WeakMethod(renew_locks, _all.discard))


@after_fork
def _renew() -> None:
    for method in list(_all):
        if (renew_locks := method()) is not None:
            renew_locks()
