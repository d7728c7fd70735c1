"""From recordings to pages: paced, numbered, repaired, and nothing queued on the way."""

from __future__ import annotations

from daskscope.stream.channel import Channel
from daskscope.stream.hub import Hub

__all__ = ["Channel", "Hub"]
