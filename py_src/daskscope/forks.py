"""Locks in a forked child: whoever held one when the process forked does not exist there."""

from __future__ import annotations

import os
import weakref
from typing import Final, Protocol


class HasLocks(Protocol):
    """Something that may be in use by another thread while the process forks."""

    def _renew_locks(self) -> None:
        """Take new locks, in a forked child."""


_all: Final[weakref.WeakSet[HasLocks]] = weakref.WeakSet()


def renew_in_children(thing: HasLocks) -> None:
    """Let `thing` renew its locks in each forked child, as long as it lives."""
    _all.add(thing)


def _renew() -> None:
    for thing in _all:
        thing._renew_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
