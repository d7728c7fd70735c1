"""A recording in the formats of other programs: Chrome traces, CSV."""

from __future__ import annotations

from daskscope.export.chrome import TraceCounts, to_chrome, write_chrome
from daskscope.export.csv import to_csv

__all__ = ["TraceCounts", "to_chrome", "to_csv", "write_chrome"]
