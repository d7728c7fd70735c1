"""Numbers out of a recording: pure functions, the same for panels and for Python."""

from __future__ import annotations

from daskscope.derive.coarse import coarse

__all__ = ["coarse"]
