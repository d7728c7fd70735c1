"""From recordings to pages: paced, numbered, repaired, and nothing queued on the way."""

from __future__ import annotations

from daskscope.stream.hub import Hub
from daskscope.stream.page import Channel, Code

__all__ = ["Channel", "Code", "Hub"]
