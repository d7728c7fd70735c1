"""Numbers out of a recording: pure functions, the same for panels and for Python."""

from __future__ import annotations

from daskscope.derive.selection import tasks_in_focus
from daskscope.derive.totals import FocusTotals, by_action, by_prefix, totals

__all__ = ["FocusTotals", "by_action", "by_prefix", "tasks_in_focus", "totals"]
