"""The dictionaries of one session: prefixes, lanes, actions, spans, and others.

They only grow, so an index stays valid for the life of the session, in every chunk and on
every page. One thread interns; any thread may read.
"""

from __future__ import annotations

import json
import re
from array import array
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope import schema
from daskscope.format import cut
from daskscope.schema import MAX_NAMES, OTHER_NAME, Column, Dictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Seconds = Callable[[], tuple[int, NDArray[np.float64]]]

RING: Final = 12
"""Colours that are easy to distinguish; the second ring has a second shade of each."""

SLOTS: Final = 2 * RING
STRIDE: Final = 5
"""Distance to the next slot to try; coprime to RING, so that all slots are tried."""


def preferred_slot(name: str) -> int:
    """Return the slot of a name if it is free.

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
    """The colour slots of the entries of one dictionary, in order.

    `seconds` returns a version number, and the seconds of tasks by index of entry.
    """

    def __init__(self, seconds: Seconds) -> None:
        self.slots: list[int] = []
        self._seconds = seconds
        self._taken = [0] * SLOTS
        self._weighed: tuple[int, list[float]] | None = None

    def add(self, name: str, slot: int | None = None) -> int:
        """Append the slot of a new entry: the given one, or else a free one."""
        if not name:  # an empty name must not occupy a colour
            self.slots.append(0)
            return 0
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
        """Return the seconds of the names of each slot."""
        version, seconds = self._seconds()
        if self._weighed is None or self._weighed[0] != version:
            slots = np.array(self.slots[: len(seconds)], "u1")
            known = seconds[: len(slots)]
            self._weighed = version, np.bincount(slots, known, SLOTS).tolist()
        return self._weighed[1]


Lane = tuple[str, str]
Span = tuple[str, tuple[str, ...]]

MAX_NAME_CHARACTERS: Final = 1_000
"""A prefix or span name can come from a key of any length; longer ones are cut."""

MAX_PARTS: Final = 49
"""Bound for nested span names; longer lists are cut. No one nests spans deeper by hand."""

MAX_LIST_CHARACTERS: Final = MAX_NAMES * (301 + 2)
"""Bound for the texts of one dictionary as JSON, with two quotation marks each.

An agent cuts names at 300 characters and adds "…", so a full list of prefixes fits if few
characters are escaped. Three such lists are below the bound for all names of a file, in Python
and on a page.
"""

MAX_MERGED: Final = 10_000
"""Number of distinct names that are counted as merged into ``OTHER_NAME``."""


def clean(text: str) -> str:
    r"""Return a name of bounded length that can be encoded.

    >>> clean("lone\ud800-surrogate")
    'lone\ufffd-surrogate'
    """
    return sound(cut(text, MAX_NAME_CHARACTERS))


def sound(text: str) -> str:
    """Return text that can be encoded; a lone surrogate becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _written(cell: Any) -> int:
    r"""Return the length of a cell as JSON in UTF-16 units, as pages count.

    >>> _written("inc"), _written("\1"), _written("🦋"), _written(("a", "b"))
    (5, 8, 4, 6)
    """
    if isinstance(cell, tuple):
        return sum(map(_written, cell))
    if isinstance(cell, int):
        return len(str(cell))
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
    """Number of names of a list that became ``OTHER_NAME``; a lower bound if not `exact`."""

    names: int = 0
    exact: bool = True
    session: bool = False
    """Whether this is the count of the whole session, since a part has no count of its own."""


class Names:
    """Grow-only lists of entries, each with an index of its entries.

    An entry is a text if its dictionary has a single column, of text; otherwise a tuple of cells.
    """

    def __init__(self) -> None:
        self.tables = {
            name: table for name, table in schema.tables().items() if isinstance(table, Dictionary)
        }
        self.seconds: Callable[[str], tuple[int, NDArray[np.float64]]] = lambda _: (0, np.zeros(0))
        """Returns the seconds of the entries of a dictionary (see `Colours`)."""
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
        """Colour slots of the entries, by dictionary with colours."""
        self._others = {kind: _other(table) for kind, table in self.tables.items()}
        self._index: dict[str, dict[Any, int]] = {kind: {} for kind in self.tables}
        self._characters = dict.fromkeys(self.tables, 0)
        self._merged: dict[str, set[int]] = {kind: set() for kind in self.tables}
        self._numbers: dict[str, dict[str, NDArray[Any]]] = {}  # replaced, never changed
        self.merged_before = dict.fromkeys(self.tables, Merged())
        """Names merged in the source: an agent, a file, or another recording."""
        for kind, table in self.tables.items():
            for cells in table.first:
                self.intern(kind, cells if len(table.columns) > 1 else cells[0])

    def intern(self, kind: str, item: Any, colour: int | None = None) -> int:
        """Return the index of ``item``; append it if it is new, with its colour if it has one.

        If the list is full, return the index of ``OTHER_NAME``.
        """
        table, index = self.tables[kind], self._index[kind]
        if kind == schema.STACKS.name and (known := index.get(item)) is not None:  # for speed
            return known
        item = self.item(kind, map(_cell, table.columns, self.cells(kind, item)))
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
        if table.coloured:  # before readers can see the entry
            self._colours[kind].add(self.label(kind, item), colour)
        items.append(item)
        index[item] = len(items) - 1
        return len(items) - 1

    def cells(self, kind: str, item: Any) -> tuple[Any, ...]:
        """Return the cells of an entry, in column order."""
        return tuple(item) if len(self.tables[kind].columns) > 1 else (item,)

    def item(self, kind: str, cells: Any) -> Any:
        """Return the entry of some cells."""
        cells = tuple(cells)
        return cells if len(self.tables[kind].columns) > 1 else cells[0]

    def label(self, kind: str, item: Any) -> str:
        """Return an entry as one text: joins its list of texts if it has one, else all its texts.

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
        """Return how many names of one list became ``OTHER_NAME``."""
        here, before = len(self._merged[kind]), self.merged_before[kind]
        if before.exact and here < MAX_MERGED:
            return replace(before, names=here + before.names)
        # The same name may be counted in both.
        return replace(before, names=max(here, before.names), exact=False)

    def snapshot(self) -> Names:
        """Return a copy with the present counts of merged names; it shares the grow-only lists."""
        now = copy(self)
        now._merged = {kind: set(merged) for kind, merged in self._merged.items()}
        now.merged_before = dict(self.merged_before)
        return now

    def take_merged(self, source: Names, *, part: bool = False) -> None:
        """Take over a source's counts of merged names, for lists that have ``OTHER_NAME`` here.

        `part`: these names belong to a part of the source.
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

    def numbers(self, kind: str) -> dict[str, NDArray[Any]]:
        """Return the entries of a dictionary with only numeric columns, as columns."""
        table, known = self.tables[kind], self._numbers.get(kind)
        count = self.count(kind)
        if known is None:
            known = {column.name: np.empty(0, column.type) for column in table.columns}
        first = len(known[table.columns[0].name])
        if first < count:
            more = np.array(self._lists[kind][first:count], np.int64).reshape(
                -1, len(table.columns)
            )
            known = {
                column.name: np.concatenate([known[column.name], cells.astype(column.type)])
                for column, cells in zip(table.columns, more.T, strict=True)
            }
            self._numbers = {**self._numbers, kind: known}
        return {name: cells[:count] for name, cells in known.items()}

    def columns(self, kind: str, first: int = 0, stop: int | None = None) -> dict[str, list[Any]]:
        """Return entries of one list as columns, including the colour."""
        table = self.tables[kind]
        rows = [self.cells(kind, item) for item in self._lists[kind][first:stop]]
        found: dict[str, list[Any]] = {
            column.name: [cells[place] for cells in rows]
            for place, column in enumerate(table.columns)
        }
        if table.coloured:
            found["colour"] = self.colours[kind][first : first + len(rows)]
        return found


class Places:
    """Translates indexes of names of an agent or a file into indexes of these names."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._places = {kind: array("I") for kind in names.tables}

    def counts(self) -> dict[str, int]:
        """Return the number of known names of each kind."""
        return {kind: len(places) for kind, places in self._places.items()}

    def add(self, kind: str, item: Any, colour: int | None = None) -> None:
        """Add the next name of a kind."""
        self._places[kind].append(self._names.intern(kind, item, colour))

    def of(self, kind: str, numbers: Any) -> NDArray[np.uint32]:
        """Return the indexes here for those of the source; raise `IndexError` for unknown ones."""
        found: NDArray[np.uint32] = np.asarray(self._places[kind])[numbers]
        return found


def indexed(columns: Sequence[Column], names: Names) -> dict[str, str]:
    """Return the columns that contain indexes of entries, with the name of the dictionary."""
    return {column.name: column.into for column in columns if column.into in names.tables}


_UNKNOWN: Final = -1


class NameMap:
    """Translates indexes of `source` into indexes of `copy`, which gets each name at first use.

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
        """Use `clean`, if given, to replace cells: it gets a column and a cell."""
        self._source = source
        self._copy = copy
        self._clean = clean
        self._places = {kind: np.empty(0, "i8") for kind in source.tables}

    def columns(
        self, declared: Sequence[Column], columns: Mapping[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """Return columns of the source with the indexes of the copy."""
        kinds = indexed(declared, self._source)
        return {
            name: self._indexes(kinds[name], column) if name in kinds else column
            for name, column in columns.items()
        }

    def row(self, declared: Sequence[Column], row: Any) -> Any:
        """Return a row of a log of the source with the indexes of the copy."""
        kinds = indexed(declared, self._source)
        return row._replace(**{n: self.index(kind, getattr(row, n)) for n, kind in kinds.items()})

    def index(self, kind: str, index: int) -> int:
        """Return the index in the copy for one index of the source."""
        places = self._places[kind]
        known = index < len(places) and places[index] != _UNKNOWN
        return int(places[index] if known else self._indexes(kind, np.array([index]))[0])

    def take_all(self) -> None:
        """Add all names of the source to the copy, in order."""
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
        for one in self._with_preceding(kind, used[places[used] == _UNKNOWN].tolist()):
            self._places[kind][one] = self._place(kind, one)
        indexes: NDArray[Any] = self._places[kind][column].astype(column.dtype)
        return indexes

    def _with_preceding(self, kind: str, unknown: list[int]) -> list[int]:
        """Return unknown entries and those to which they refer, which must come first."""
        columns = self._source.tables[kind].columns
        own = [at for at, column in enumerate(columns) if column.into == kind]
        places, met = self._places[kind], {*unknown}
        for one in unknown if own else ():  # the list grows in the loop
            cells = self._source.entry(kind, one)
            for above in [cells[at] for at in own]:
                if above not in met and places[above] == _UNKNOWN:
                    met.add(above)
                    unknown.append(above)
        return sorted(unknown)

    def _place(self, kind: str, index: int) -> int:
        source, copy = self._source, self._copy
        if index < len(source.tables[kind].first):  # predefined entries are equal in all recordings
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


def shown_name(given: str, address: str) -> str:
    """Return the name of a worker in panels (`nameOf` in ``worker_groups.ts``).

    LocalCluster calls its workers 0, 1, 2…; unnamed ones carry their address.

    >>> shown_name("2", "tcp://10.0.0.1:39411"), shown_name("big-1", "tcp://10.0.0.1:39412")
    ('worker-2', 'big-1')
    >>> shown_name("tcp://10.0.0.1:39413", "tcp://10.0.0.1:39413")
    '10.0.0.1:39413'
    """
    if given in ("", address):
        return re.sub(r"^[a-z+]+://", "", address, flags=re.IGNORECASE)
    return f"worker-{given}" if re.fullmatch(r"[0-9]+", given) else given


def name_of(address: str, names: Mapping[str, str]) -> str:
    """Return the name in panels of the worker at an address, even if it is unnamed.

    >>> name_of("tcp://w:1", {"tcp://w:1": "worker-0"}), name_of("tcp://w:2", {})
    ('worker-0', 'w:2')
    """
    return names.get(address) or shown_name("", address)
