"""From the names of one recording to those of a copy, which has only those that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.names import indexed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from daskscope.recording.names import Names
    from daskscope.schema import Column

_UNKNOWN: Final = -1


class NameMap:
    """What an index of `source` is in `copy`; a name comes into the copy when it is met first.

    >>> from daskscope.recording.names import Names
    >>> source, copy = Names(), Names()
    >>> [source.intern("prefixes", name) for name in ("unused", "inc")]
    [0, 1]
    >>> NameMap(source, copy).index("prefixes", 1), copy.prefixes
    (0, ['inc'])
    """

    def __init__(
        self,
        source: Names,
        copy: Names,
        clean: Callable[[Column, Any], Any] | None = None,
    ) -> None:
        """`clean` is given a column and a cell of it; it returns what the copy has instead."""
        self._source = source
        self._copy = copy
        self._clean = clean
        self._places = {kind: np.empty(0, "i8") for kind in source.tables}

    def columns(
        self, declared: Sequence[Column], columns: Mapping[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """Return columns of the source as they are in the copy."""
        kinds = indexed(declared, self._source)
        return {
            name: self._indexes(kinds[name], column) if name in kinds else column
            for name, column in columns.items()
        }

    def row(self, declared: Sequence[Column], row: Any) -> Any:
        """Return a row of a log of the source as it is in the copy."""
        kinds = indexed(declared, self._source)
        return row._replace(**{n: self.index(kind, getattr(row, n)) for n, kind in kinds.items()})

    def index(self, kind: str, index: int) -> int:
        """Return what one index is in the copy."""
        return int(self._indexes(kind, np.array([index]))[0])

    def take_all(self) -> None:
        """Let the copy have all names of the source, in their order."""
        for kind in self._places:
            self._indexes(kind, np.arange(self._source.count(kind)))

    def _indexes(self, kind: str, column: NDArray[Any]) -> NDArray[Any]:
        if not len(column):
            return column
        places = self._places[kind]
        used = np.flatnonzero(np.bincount(column))
        if used[-1] >= len(places):
            more = np.full(used[-1] + 1 - len(places), _UNKNOWN, "i8")
            places = self._places[kind] = np.concatenate([places, more])
        for one in used[places[used] == _UNKNOWN].tolist():
            self._places[kind][one] = self._place(kind, one)
        indexes: NDArray[Any] = self._places[kind][column].astype(column.dtype)
        return indexes

    def _place(self, kind: str, index: int) -> int:
        source, copy = self._source, self._copy
        if index < len(source.tables[kind].first):  # as every recording begins
            return index
        item = source.entry(kind, index)
        cells = []
        for column, cell in zip(source.tables[kind].columns, source.cells(kind, item), strict=True):
            if column.into == kind and cell == index:  # it points at itself
                cells.append(copy.count(kind))
            elif column.into in source.tables:
                cells.append(self.index(column.into, cell))
            else:
                cells.append(cell if self._clean is None else self._clean(column, cell))
        slots = source.colours.get(kind)
        colour = slots[index] if slots is not None else None
        return copy.intern(kind, copy.item(kind, cells), colour)
