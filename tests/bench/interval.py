"""How sure a median is."""

from __future__ import annotations

import math


def median_between(values: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of a median, which asks nothing of how values scatter."""
    ordered, n = sorted(values), len(values)
    below, k = 0.5**n, 0
    while below <= 0.025:
        k += 1
        below += math.comb(n, k) * 0.5**n
    k = max(k - 1, 0)
    return ordered[k], ordered[n - 1 - k]
