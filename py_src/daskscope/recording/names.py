"""The dictionaries of one session: prefixes, lanes, actions, spans, and what else is declared.

They only grow, so an index that was handed out stays valid for the life of the
session, in every chunk and on every page. One thread interns, any thread reads.
"""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope import schema
from daskscope.recording.colours import Colours
from daskscope.schema import MAX_NAMES, OTHER_NAME, Column, Dictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Lane = tuple[str, str]
Span = tuple[str, tuple[str, ...]]

MAX_NAME_CHARACTERS: Final = 1_000
"""A prefix or span name can come from a key of any length; longer ones are cut."""

MAX_PARTS: Final = 49
"""The names of a span and those around it; nobody nests deeper by hand. Longer ones are cut."""

MAX_LIST_CHARACTERS: Final = MAX_NAMES * (301 + 2)
"""Of the texts of one dictionary as JSON, which has a mark before and after each.

An agent cuts names at 300 characters, and marks that by one more: a full list of prefixes fits,
if few of them have to be escaped. Three such lists are fewer characters than a file may have,
in Python and on a page.
"""

MAX_MERGED: Final = 10_000
"""So many of the names that ``OTHER_NAME`` stands for are told apart: to count them."""


def clean(text: str) -> str:
    r"""Return a name of bounded length that can be encoded.

    >>> clean("lone\ud800-surrogate")
    'lone\ufffd-surrogate'
    """
    if len(text) > MAX_NAME_CHARACTERS:
        text = text[: MAX_NAME_CHARACTERS - 1] + "…"
    return sound(text)


def sound(text: str) -> str:
    """Return text that can be encoded; a lone surrogate becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _written(cell: Any) -> int:
    r"""Return how many characters a cell is as JSON, by the count of pages: UTF-16.

    >>> _written("inc"), _written("\1"), _written("🦋"), _written(("a", "b"))
    (5, 8, 4, 6)
    """
    if isinstance(cell, tuple):
        return sum(map(_written, cell))
    written = json.dumps(cell, ensure_ascii=False)
    return len(written) if written.isascii() else len(written.encode("utf-16-le")) // 2


def _cell(column: Column, value: Any) -> Any:
    if column.type == "utf8":
        return clean(value)
    if column.type == "texts":
        return tuple(clean(part) for part in value[:MAX_PARTS])
    return value


def _other(table: Dictionary) -> Any:
    """Return the last entry of a full dictionary.

    >>> _other(schema.PREFIXES), _other(schema.LANES), _other(schema.SPANS)
    ('(other)', ('(other)', ''), ('(other)', ('(other)',)))
    """
    cells: list[Any] = []
    for column in table.columns:
        if column.type == "texts":
            cells.append((OTHER_NAME,))
        elif column.type == "utf8":
            cells.append("" if OTHER_NAME in cells else OTHER_NAME)
        else:
            cells.append(0)
    return tuple(cells) if len(cells) > 1 else cells[0]


@dataclass(frozen=True, slots=True)
class Merged:
    """How many names of a list ``OTHER_NAME`` stands for; at least so many if not `exact`."""

    names: int = 0
    exact: bool = True
    session: bool = False
    """Whether that is of the session, of which this is a part: nobody counts them by time."""


class Names:
    """Grow-only lists of entries, each with the way back from an entry to its index.

    An entry is a text where its dictionary has one column of text, else a tuple of its cells.

    >>> names = Names()
    >>> names.intern("prefixes", "inc"), names.intern("prefixes", "inc")
    (0, 0)
    >>> names.intern("lanes", ("tcp://127.0.0.1:1", "140"))
    0
    >>> names.actions[names.intern("actions", "compute")], names.colours["prefixes"]
    ('compute', [0])
    """

    def __init__(self) -> None:
        self.tables = {
            name: table for name, table in schema.tables().items() if isinstance(table, Dictionary)
        }
        self.seconds: Callable[[str], tuple[int, NDArray[np.float64]]] = lambda _: (0, np.zeros(0))
        """What the entries of a dictionary took so far (see `Colours`)."""
        self._lists: dict[str, list[Any]] = {kind: [] for kind in self.tables}
        self.prefixes: list[str] = self._lists["prefixes"]
        self.lanes: list[Lane] = self._lists["lanes"]
        self.actions: list[str] = self._lists["actions"]
        self.spans: list[Span] = self._lists["spans"]
        self._colours = {
            kind: Colours(lambda kind=kind: self.seconds(kind))  # type: ignore[misc]
            for kind, table in self.tables.items()
            if table.coloured
        }
        self.colours = {kind: colours.slots for kind, colours in self._colours.items()}
        """The slots of the entries of those dictionaries that are coloured."""
        self._others = {kind: _other(table) for kind, table in self.tables.items()}
        self._index: dict[str, dict[Any, int]] = {kind: {} for kind in self.tables}
        self._characters = dict.fromkeys(self.tables, 0)
        self._merged: dict[str, set[int]] = {kind: set() for kind in self.tables}
        self.merged_before = dict.fromkeys(self.tables, Merged())
        """What names had been merged where these come from: an agent, a file, another recording."""
        for kind, table in self.tables.items():
            for cells in table.first:
                self.intern(kind, cells if len(table.columns) > 1 else cells[0])

    def intern(self, kind: str, item: Any, colour: int | None = None) -> int:
        """Return the index of ``item``, appending it when it is new, with a colour if it has one.

        Where a list has no room for it, it is ``OTHER_NAME``.
        """
        table = self.tables[kind]
        item = self.item(kind, map(_cell, table.columns, self.cells(kind, item)))
        index = self._index[kind]
        found = index.get(item)
        if found is not None:
            return found
        items = self._lists[kind]
        characters = self._characters[kind] + sum(map(_written, self.cells(kind, item)))
        if len(items) >= table.limit - 1 or characters > MAX_LIST_CHARACTERS:
            other = self._others[kind]
            if item != other and len(self._merged[kind]) < MAX_MERGED:
                self._merged[kind].add(hash(item))
            item = other
            found = index.get(item)
            if found is not None:
                return found
        else:
            self._characters[kind] = characters
        if table.coloured:  # before the entry can be seen
            self._colours[kind].add(self.label(kind, item), colour)
        items.append(item)
        index[item] = len(items) - 1
        return len(items) - 1

    def cells(self, kind: str, item: Any) -> tuple[Any, ...]:
        """Return the cells of an entry, in order of the columns."""
        return tuple(item) if len(self.tables[kind].columns) > 1 else (item,)

    def item(self, kind: str, cells: Any) -> Any:
        """Return the entry of some cells."""
        cells = tuple(cells)
        return cells if len(self.tables[kind].columns) > 1 else cells[0]

    def label(self, kind: str, item: Any) -> str:
        """Return an entry as one text: its list of texts if it has one, else all its texts.

        >>> names = Names()
        >>> names.label("spans", ("6ac…", ("load", "clean"))), names.label("lanes", ("w", "140"))
        ('load / clean', 'w / 140')
        """
        texts: list[str] = []
        for column, cell in zip(self.tables[kind].columns, self.cells(kind, item), strict=True):
            if column.type == "texts":
                return " / ".join(cell)
            if column.type == "utf8":
                texts.append(cell)
            elif column.into in self.tables and column.into != kind:
                texts.append(self.label(column.into, self.entry(column.into, cell)))
        return " / ".join(texts)

    def labels(self, kind: str) -> list[str]:
        """Return all entries of a dictionary as texts."""
        return [self.label(kind, item) for item in self._lists[kind]]

    def merged(self, kind: str) -> Merged:
        """Return how many names of one list ``OTHER_NAME`` stands for."""
        here, before = len(self._merged[kind]), self.merged_before[kind]
        if before.exact and here < MAX_MERGED:
            return replace(before, names=here + before.names)
        # Some may be among both.
        return replace(before, names=max(here, before.names), exact=False)

    def snapshot(self) -> Names:
        """Return the same names with what is merged now; lists that only grow are in both."""
        now = copy(self)
        now._merged = {kind: set(merged) for kind, merged in self._merged.items()}
        now.merged_before = dict(self.merged_before)
        return now

    def take_merged(self, source: Names, *, part: bool = False) -> None:
        """Take over what ``OTHER_NAME`` stands for in a source, if it is among these names.

        `part`: these are of a part of what the source has.
        """
        for kind, index in self._index.items():
            if self._others[kind] in index:
                merged = source.merged(kind)
                self.merged_before[kind] = replace(merged, session=part or merged.session)

    def count(self, kind: str) -> int:
        """Return how many entries a list has."""
        return len(self._lists[kind])

    def entry(self, kind: str, index: int) -> Any:
        """Return one entry of a list."""
        return self._lists[kind][index]

    def since(self, kind: str, first: int) -> list[Any]:
        """Return the entries of one list from index ``first`` on."""
        return self._lists[kind][first:]

    def columns(self, kind: str, first: int = 0, stop: int | None = None) -> dict[str, list[Any]]:
        """Return entries of one list as columns, as its readers have them."""
        table = self.tables[kind]
        rows = [self.cells(kind, item) for item in self._lists[kind][first:stop]]
        found: dict[str, list[Any]] = {
            column.name: [cells[place] for cells in rows]
            for place, column in enumerate(table.columns)
        }
        if table.coloured:
            found["colour"] = self.colours[kind][first : first + len(rows)]
        return found


def indexed(columns: Sequence[Column], names: Names) -> dict[str, str]:
    """Return the columns whose values are indexes of entries, and of which dictionary."""
    return {column.name: column.into for column in columns if column.into in names.tables}
