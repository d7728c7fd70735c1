"""Sends recordings to pages in numbered messages: paced, repaired, and without queues."""

from __future__ import annotations

from daskscope.stream.hub import Hub
from daskscope.stream.page import Channel, Code

__all__ = ["Channel", "Code", "Hub"]
