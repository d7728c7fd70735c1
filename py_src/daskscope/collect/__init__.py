"""Collecting: from the scheduler's agent into a recording, in the background."""

from __future__ import annotations

from daskscope.collect.collector import Collector
from daskscope.collect.crowding import crowded
from daskscope.collect.link import ClientView
from daskscope.collect.loop import after_fork, drop, hold, inside, soon, submit
from daskscope.collect.notices import SESSION_CLOSED
from daskscope.collect.so_far import facts_so_far

__all__ = [
    "SESSION_CLOSED",
    "ClientView",
    "Collector",
    "after_fork",
    "crowded",
    "drop",
    "facts_so_far",
    "hold",
    "inside",
    "soon",
    "submit",
]
