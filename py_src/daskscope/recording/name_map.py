"""From the names of one recording to those of a copy, which has only those that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from daskscope.recording.names import Names

POINTS_INTO: Final = {"lane": "lanes", "prefix": "prefixes", "action": "actions", "span": "spans"}
"""Columns whose values are indexes of a list of names, and which list that is."""

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
        clean: Callable[[str, Any], str | tuple[str, ...]] | None = None,
    ) -> None:
        """`clean` is given the list and the name; it returns what stands in the copy."""
        self._source = source
        self._copy = copy
        self._clean = clean
        self._places = {kind: np.empty(0, "i8") for kind in POINTS_INTO.values()}

    def columns(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return columns of the source as they are in the copy."""
        return {
            name: self._indexes(POINTS_INTO[name], column) if name in POINTS_INTO else column
            for name, column in columns.items()
        }

    def index(self, kind: str, index: int) -> int:
        """Return what one index is in the copy."""
        return int(self._indexes(kind, np.array([index], "u2"))[0])

    def _indexes(self, kind: str, column: NDArray[Any]) -> NDArray[Any]:
        if not len(column):
            return column
        places = self._places[kind]
        used = np.flatnonzero(np.bincount(column))
        if used[-1] >= len(places):
            more = np.full(used[-1] + 1 - len(places), _UNKNOWN, "i8")
            places = self._places[kind] = np.concatenate([places, more])
        for one in used[places[used] == _UNKNOWN].tolist():
            (name,) = self._source.since(kind, one)[:1]
            places[one] = self._copy.intern(
                kind, name if self._clean is None else self._clean(kind, name)
            )
        indexes: NDArray[Any] = places[column].astype(column.dtype)
        return indexes
