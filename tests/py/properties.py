"""How many examples a property is tried on: a quarter of them in the tests of every change."""

from __future__ import annotations

import os

from hypothesis import settings


def examples(count: int) -> settings:
    """Return the settings of a test that is worth so many examples."""
    share = 1 if os.environ.get("TEST_ALL") else 4
    return settings(max_examples=count // share, deadline=None)
