"""A recording in the formats of other programs: Chrome traces, CSV, profiles."""

from __future__ import annotations

from daskscope.export.chrome import TraceCounts, to_chrome, write_chrome
from daskscope.export.csv import to_csv
from daskscope.export.profile import to_collapsed, to_speedscope

__all__ = ["TraceCounts", "to_chrome", "to_collapsed", "to_csv", "to_speedscope", "write_chrome"]
