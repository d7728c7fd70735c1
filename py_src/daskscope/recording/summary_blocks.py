"""Previews, in which a block summarises many rows of one lane.

A chunk keeps its own summary, so that a preview of a long run needs neither the disk
nor a pass over all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.schema import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording.chunk import TaskChunk

TRANSFER: Final = ACTIONS.index("transfer")
WIDE: Final = 0.25
"""An interval longer than this share of a bin stays a block: joined into the bin of its middle,
its ends would be visibly wrong. Blocks that were joined before may fill a bin."""

FAR_S: Final = 1e11
"""Times beyond this (the year 5138) are nonsense; they are drawn at this time."""

_MAX_DOUBLINGS: Final = 64
MAX_SUMMARY_BLOCKS: Final = 32_768
"""Bound for a preview: at 25 bytes per block, a message below 1 MB."""


@dataclass(frozen=True, slots=True)
class SummaryBlocks:
    """Columns of blocks. Blocks of one lane may overlap, like its rows."""

    start: NDArray[np.float64]
    stop: NDArray[np.float64]
    lane: NDArray[np.uint16]
    prefix: NDArray[np.uint16]
    busy: NDArray[np.float32]
    rows: NDArray[np.uint32]
    erred: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.start)

    @property
    def nbytes(self) -> int:
        """Bytes that the columns take."""
        return sum(getattr(self, name).nbytes for name in self.__slots__)

    def take(self, rows: NDArray[Any]) -> SummaryBlocks:
        """Return some of the blocks."""
        return SummaryBlocks(*(getattr(self, name)[rows] for name in self.__slots__))

    @staticmethod
    def concat(parts: Sequence[SummaryBlocks]) -> SummaryBlocks:
        """Concatenate blocks.

        >>> len(SummaryBlocks.concat([]))
        0
        """
        if not parts:
            return SummaryBlocks(*(np.empty(0, dtype) for dtype in "ddHHfIB"))
        return SummaryBlocks(
            *(np.concatenate([getattr(p, name) for p in parts]) for name in SummaryBlocks.__slots__)
        )


def of_rows(columns: Mapping[str, NDArray[Any]]) -> SummaryBlocks:
    """Return one block per row. Transfers do not count as work of the lane.

    A transfer does not occupy the thread that will need its data, so it counts as a row but not
    as busy. A negative duration (clocks disagree) counts as 0. Rows without a finite start are
    left out.
    """
    placed = np.isfinite(columns["start"])
    if not placed.all():
        columns = {name: column[placed] for name, column in columns.items()}
    duration = np.nan_to_num(columns["duration"].astype("f8")).clip(0, FAR_S)
    start = columns["start"].clip(-FAR_S, FAR_S)
    busy = np.where(columns["action"] == TRANSFER, 0, duration)
    return SummaryBlocks(
        start,
        start + duration,
        columns["lane"],
        columns["prefix"],
        busy.astype("f4"),
        np.ones(len(start), "u4"),
        (columns["status"] != 0).astype("u1"),
    )


def coarsen(blocks: SummaryBlocks, width: float) -> SummaryBlocks:
    """Join the short blocks that share a lane and a bin of ``width`` seconds.

    A joined block has the prefix that was busiest in its bin.
    """
    if not len(blocks):
        return blocks
    length = blocks.stop - blocks.start
    wide = length > np.where(blocks.rows > 1, 1, WIDE) * width
    kept, short = blocks.take(wide), blocks.take(~wide)
    if not len(short):
        return kept
    middle = short.start + (short.stop - short.start) / 2
    cell = np.floor(middle / width).astype("i8")
    # One integer per row, since sorting one column is several times faster than lexsort on three.
    cell -= cell.min()
    lane = short.lane.astype("i8")
    if cell[cell.argmax()] < 2**30:
        order_by = (cell << 32) | (lane << 16) | short.prefix
        order = np.argsort(order_by, kind="stable")
    else:  # the integer would overflow, for example with hours of clock skew and tiny bins
        order = np.lexsort((short.prefix, lane, cell))
    short, cell = short.take(order), cell[order]
    edges = _edges(cell, short.lane, short.prefix)
    joined, cell = _join(short, edges), cell[edges]
    order = np.lexsort((-joined.rows.astype("i8"), -joined.busy, joined.lane, cell))
    joined, cell = joined.take(order), cell[order]
    return SummaryBlocks.concat([kept, _join(joined, _edges(cell, joined.lane))])


def _edges(*columns: NDArray[Any]) -> NDArray[np.intp]:
    """Return the start of each run of rows that are equal in all columns."""
    changed = np.zeros(len(columns[0]), bool)
    changed[0] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changed)


def _join(sorted_: SummaryBlocks, edges: NDArray[np.intp]) -> SummaryBlocks:
    """Join each run of neighbours; it gets the prefix of its first block."""
    return SummaryBlocks(
        np.minimum.reduceat(sorted_.start, edges),
        np.maximum.reduceat(sorted_.stop, edges),
        sorted_.lane[edges],
        sorted_.prefix[edges],
        np.add.reduceat(sorted_.busy, edges, dtype="f4"),
        np.add.reduceat(sorted_.rows, edges, dtype="u4"),
        np.maximum.reduceat(sorted_.erred, edges),
    )


def _quantile(values: NDArray[np.float64], share: float) -> float:
    """Return the value below which this share of the values lies.

    `np.quantile` and `np.unique` import `numpy.ma` at their first call, which takes 80 ms in the
    background of a computing cell.
    """
    place = int(share * (len(values) - 1))
    return float(np.partition(values, place)[place])


def fit(blocks: SummaryBlocks, limit: int) -> SummaryBlocks:
    """Coarsen with the narrowest bins, by powers of two, that leave ``limit`` blocks.

    It gives up if wider bins cannot join more (more lanes than ``limit``).
    """
    if len(blocks) <= limit:
        return blocks
    # Start with bins that fit evenly spread rows. Quantiles are robust against skewed clocks.
    low, high = _quantile(blocks.start, 0.05), _quantile(blocks.start, 0.95)
    lanes = np.count_nonzero(np.bincount(blocks.lane))
    narrowest = max((high - low) * lanes / limit / 2, 2.0**-20)
    many = blocks.rows > 1
    if many.any():
        # Bins narrower than blocks that were joined before would join nothing.
        lengths = (blocks.stop - blocks.start)[many]
        narrowest = max(narrowest, _quantile(lengths, 0.9))
    width = 2.0 ** np.ceil(np.log2(narrowest))
    extent = float(blocks.stop.max() - blocks.start.min())
    joined = blocks
    for _ in range(_MAX_DOUBLINGS):
        joined = coarsen(blocks, width)
        if len(joined) <= limit or width * WIDE > extent:
            break
        width *= 2
    return joined


def coarse(chunks: Sequence[TaskChunk], limit: int = MAX_SUMMARY_BLOCKS) -> SummaryBlocks:
    """Return at most ``limit`` blocks that summarise all rows of some chunks.

    Each has a start and a stop, the busiest prefix, the busy seconds of the lane, the number of
    rows, and whether a task erred. They are made from the summaries of the chunks, so nothing is
    read from disk. With more lanes than ``limit`` there are more blocks: at least one per lane.

    >>> len(coarse([]))
    0
    """
    parts = [
        chunk.summary if chunk.summary is not None else of_rows(chunk.columns) for chunk in chunks
    ]
    return fit(SummaryBlocks.concat(parts), limit)
