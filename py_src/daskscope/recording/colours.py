"""The colour of a name: a slot that is chosen once, when the name is first interned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Seconds = Callable[[], tuple[int, NDArray[np.float64]]]

RING: Final = 12
"""Colours that are easy to tell apart; the second ring has a second step of each."""

SLOTS: Final = 2 * RING
STRIDE: Final = 5
"""From a slot that is taken to the next one to try: it has no factor in common with the ring."""


def preferred_slot(name: str) -> int:
    """Return the slot of a name that meets no other.

    >>> [preferred_slot(name) for name in ("read-parquet", "rename", "groupby-agg")]
    [7, 1, 8]
    """
    mixed = 0x811C9DC5 ^ 0xEFBB
    for byte in name.encode("utf-8", "replace"):  # FNV-1a
        mixed = (mixed ^ byte) * 0x01000193 & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & 0xFFFFFFFF  # the end of murmur3
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return (mixed ^ mixed >> 16) % RING


class Colours:
    """The slots of the entries of one dictionary, in order.

    `seconds` returns what the entries took so far, by index, and a number that is another
    one when that has changed.

    >>> colours = Colours(lambda: (0, np.zeros(0)))
    >>> [colours.add(name) for name in ("rename", "getitem", "store", "inc")]
    [1, 6, 11, 0]
    """

    def __init__(self, seconds: Seconds) -> None:
        self.slots: list[int] = []
        self._seconds = seconds
        self._taken = [0] * SLOTS
        self._weighed: tuple[int, list[float]] | None = None

    def add(self, name: str, slot: int | None = None) -> int:
        """Append the slot of a new entry: that which it has already, or else a free one."""
        if slot is None or not 0 <= slot < SLOTS:
            slot = self._free_slot(name)
        self._taken[slot] += 1
        self.slots.append(slot)
        return slot

    def _free_slot(self, name: str) -> int:
        slot = preferred_slot(name)
        for ring in (0, RING):
            for _ in range(RING):
                if not self._taken[ring + slot]:
                    return ring + slot
                slot = (slot + STRIDE) % RING
        weights = self._weights()
        return min(range(SLOTS), key=lambda one: (weights[one], self._taken[one]))

    def _weights(self) -> list[float]:
        """Return how many seconds the names of each slot took so far."""
        version, seconds = self._seconds()
        if self._weighed is None or self._weighed[0] != version:
            slots = np.array(self.slots[: len(seconds)], "u1")
            known = seconds[: len(slots)]
            self._weighed = version, np.bincount(slots, known, SLOTS).tolist()
        return self._weighed[1]
