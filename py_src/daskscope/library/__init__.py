"""The library: copies of a user's reports and recordings, to be found again.

A folder in the user's data directory, or where `daskscope.library.path` says. The copies, and a
small JSON file beside each, are all there is.
"""

from __future__ import annotations

from daskscope.library.library_api import (
    delete_performance_report,
    keep,
    list_performance_reports,
    tag,
)

__all__ = ["delete_performance_report", "keep", "list_performance_reports", "tag"]
