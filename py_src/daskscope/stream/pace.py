"""How fast: allowances that refill with time."""

from __future__ import annotations


class Allowance:
    """Refills at `rate` a second up to `burst`.

    Spending may overdraw it, so that one large message is never stuck; what was
    overdrawn has to refill first.

    >>> allowance = Allowance(rate=100, burst=10, now=0.0)
    >>> allowance.spend(30, now=0.0)
    >>> allowance.wait_s(now=0.0), allowance.wait_s(now=0.25)
    (0.2, 0.0)
    """

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._level = burst
        self._at = now

    def wait_s(self, now: float) -> float:
        """Return in how many seconds something may be spent; 0 is now."""
        self._refill(now)
        return 0.0 if self._level > 0 else -self._level / self._rate

    def spend(self, amount: float, now: float) -> None:
        """Take from the allowance."""
        self._refill(now)
        self._level -= amount

    def _refill(self, now: float) -> None:
        self._level = min(self._burst, self._level + max(0.0, now - self._at) * self._rate)
        self._at = now
