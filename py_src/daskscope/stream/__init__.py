"""From recordings to pages: paced, numbered, repaired, and nothing queued on the way."""

from __future__ import annotations

from daskscope.stream.channel import Channel, Code
from daskscope.stream.hub import Hub

__all__ = ["Channel", "Code", "Hub"]
