"""What `import daskscope` offers to whoever looks around in it."""

from __future__ import annotations

import subprocess
import sys

import daskscope


def test_only_public_names_are_listed() -> None:
    assert dir(daskscope) == [
        *("DaskscopeError", "Focus", "Session", "TaskStream", "__version__", "connect"),
        *("delete_performance_report", "list_performance_reports", "load", "performance_report"),
        *("record", "recorder", "sessions", "tag"),
    ]
    assert all(hasattr(daskscope, name) for name in dir(daskscope))


def test_a_star_import_brings_them_also_before_any_was_used() -> None:
    code = "from daskscope import *; print(sorted(n for n in dir() if n[0] != '_'))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert shown.stdout.strip() == str(sorted(daskscope.__all__))


def test_the_help_begins_with_all_of_them() -> None:
    summary = daskscope.__doc__ or ""
    assert all(name in summary for name in ("TaskStream", "connect", "Session", "sessions"))
