"""Collects data from the scheduler's agent into a recording, in the background."""

from __future__ import annotations

from daskscope.collect.collector import Collector
from daskscope.collect.link import ClientView
from daskscope.collect.loop import awaited, drop, hold, inside, soon, submit, wait
from daskscope.collect.notices import notice
from daskscope.collect.poll_pace import gil_pressure
from daskscope.collect.sent import SentGraphs
from daskscope.forks import after_fork

__all__ = [
    "ClientView",
    "Collector",
    "SentGraphs",
    "after_fork",
    "awaited",
    "drop",
    "gil_pressure",
    "hold",
    "inside",
    "notice",
    "soon",
    "submit",
    "wait",
]
