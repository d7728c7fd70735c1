"""Pack finished tasks into compressed chunks of columns.

Runs inside the scheduler, so it uses only the standard library, dependencies of distributed,
and the syntax of Python 3.9. `pack` must be fast, because it handles every task of the
cluster. This module must not depend on readers or the scheduler. docs/protocol.md, part A,
describes the layout.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from itertools import accumulate
from typing import Any

import msgpack

OTHER_NAME = "(other)"
MAX_NAMES = 60_000  # an index must fit into uint16
NO_PREFIX = 2**16 - 1  # index that means "no prefix"
MAX_ACTIONS = 128  # as many as recordings have room for
MAX_MERGED = 10_000  # distinct names counted as merged into OTHER_NAME
MAX_NAME_CHARS = 300  # a key without a dash is its own prefix, whatever its length
MAX_KEY_CHARS = 100_000
MAX_ERROR_CHARS = 20_000  # each, for an exception and a traceback
CHUNK_OVERHEAD_BYTES = 800  # Python objects of a chunk, in addition to its bytes

MAX_KEY_LENGTHS = 8  # distinct lengths of tuple keys; each length has its own columns

PLAIN_KEY_BYTES = 64
PLAIN_TUPLE_BYTES = 32
MAX_INTEGER = 2**62

REPORTED = 6
"""Number of values kept for each finished task (see `Pending`)."""


def clean_text(value: Any, limit: int = MAX_KEY_CHARS) -> str:
    """Return `value` as text without lone surrogates or NUL, at most `limit` characters long."""
    text = value if type(value) is str else str(value)
    if len(text) > limit:
        text = text[:limit] + "…"
    text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates
        text = "".join(["\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text])
    return text


class Interned:
    """A grow-only list of names with the index of each; a full one ends in OTHER_NAME.

    `index` is a plain dictionary that hot loops read directly; on a KeyError they call `add`.
    `merged` has the hashes of names that were replaced by OTHER_NAME, up to MAX_MERGED.
    """

    def __init__(self, describe: Any, limit: int = MAX_NAMES, first: Any = ()) -> None:
        self.describe = describe
        self.limit = limit
        self.described: list[Any] = []
        self.merged: set[int] = set()
        self.index: dict[Any, int] = {}
        for item in first:
            self.add(item)

    def add(self, item: Any) -> int:
        """Return the index of an item, which is described if it is new."""
        index = self.index.get(item)
        if index is None:
            index = self.append(item)
            if index < self.limit - 1:  # so that the dictionary is bounded like the list
                self.index[item] = index
        return index

    def append(self, item: Any) -> int:
        """Describe a new item, unless the list is full; return its index."""
        index = len(self.described)
        if index >= self.limit - 1 and len(self.merged) < MAX_MERGED:
            self.merged.add(hash(item))
        if index == self.limit:
            return index - 1
        self.described.append(self.describe(None if index == self.limit - 1 else item))
        return index


class Lanes(Interned):
    """Interned pairs of worker and thread, found by `index[worker][thread]`."""

    index: dict[Any, Any]

    def __init__(self, limit: int = MAX_NAMES) -> None:
        super().__init__(describe_lane, limit)

    def add(self, item: Any) -> int:
        """Return the index of a pair of worker and thread."""
        worker, thread = item
        index: int | None = self.index.get(worker, {}).get(thread)
        if index is None:
            index = self.append(item)
            if index < self.limit - 1:
                self.index.setdefault(worker, {})[thread] = index
        return index


def describe_name(name: Any) -> str:
    """Return the text to send for a prefix or an action."""
    return OTHER_NAME if name is None else clean_text(name, MAX_NAME_CHARS)


def describe_lane(lane: Any) -> list[str]:
    """Return the texts to send for a lane: worker address and thread."""
    if lane is None:
        return [OTHER_NAME, ""]
    return ["" if part is None else clean_text(part, MAX_NAME_CHARS) for part in lane]


def alike(values: Any) -> Any:
    """Return the first value alone if all are equal, else all; `pack` accepts both."""
    return values[:1] if values == values[:1] * len(values) else values


def _place_indices(groups: Any, prefixes: Interned, spans: Interned) -> list[int]:
    """Return prefix (low half) and span (high half) of each task group."""
    place = {
        group: prefixes.add(group.prefix.name) + spans.add(group.span_id or "") * 2**16
        for group in {*groups}
    }
    return [place[group] for group in groups]


def _lane_indices(workers: Any, threads: Any, lanes: Lanes) -> list[int]:
    index = lanes.index
    try:
        return [index[worker][thread] for worker, thread in zip(workers, threads)]
    except KeyError:
        return [lanes.add(lane) for lane in zip(workers, threads)]


def _action_indices(rows: list[Any], actions: Interned) -> list[int]:
    index = actions.index
    try:
        return [index[row["action"]] for row in rows]
    except KeyError:
        return [actions.add(row["action"]) for row in rows]


def _integers(narrow: str, values: Any) -> array[int]:
    """Return `values` as an array of the narrow type if they fit, else of 64 bits."""
    try:
        return array(narrow, values)
    except (OverflowError, TypeError):
        return array("q", [clamp(value) for value in values])


def clamp(number: Any) -> int:
    """Return `number` as an integer of at most 62 bits; 0 if it is not a number."""
    try:
        return max(-MAX_INTEGER, min(MAX_INTEGER, int(number)))
    except (TypeError, ValueError, OverflowError):
        return 0


def pack_column(column: array[Any]) -> bytes:
    """Return the bytes of `column`, all lowest bytes first, all highest bytes last.

    Each such plane is a 0 and its bytes, or, if all bytes are equal, a 1 and that byte, so equal
    values take few bytes. The high bytes of times and sizes hardly change; the low ones are noise.
    zlib would save little more, and take more time than the rest of the packing.
    """
    if sys.byteorder == "big":
        column.byteswap()
    data = column.tobytes()
    width = column.itemsize
    packed: list[bytes] = []
    for place in range(width):
        plane = data[place::width]
        one = plane[:1]
        packed += (b"\1", one) if plane and plane == one * len(plane) else (b"\0", plane)
    return b"".join(packed)


def pack_keys(keys: Any) -> tuple[str, bytes]:
    """Return the encoding of `keys`, "columns", "msgpack" or "text", and the packed block.

    Tuple keys of Dask's collections are converted to text by the reader: on the scheduler, that
    would take longer than the rest of the packing.
    """
    types = {*map(type, keys)}
    if tuple in types:
        try:
            if len(types) == 1:
                return "columns", pack_tuples(keys)
        except (TypeError, ValueError, OverflowError):  # not just a name and small values
            pass
        try:
            return "msgpack", zlib.compress(msgpack.packb(keys), 1)
        except (TypeError, ValueError, OverflowError):  # not just numbers and text
            keys = [*map(str, keys)]
    data = join_keys(keys)
    # Short keys, such as those of Client.map, mostly consist of a random token: compressing them
    # takes a fifth of the agent's time and saves less than half of the bytes.
    return "text", zlib.compress(data, 0 if len(data) < PLAIN_KEY_BYTES * len(keys) else 1)


def pack_tuples(keys: Any) -> bytes:
    """Return tuples of a name and small values as columns; raise `TypeError` for others."""
    lengths = [*map(len, keys)]
    several = sorted({*lengths})
    if len(several) > MAX_KEY_LENGTHS:
        raise ValueError("too many lengths")
    one = len(several) == 1  # the usual case
    parts: list[Any] = [several if one else lengths]
    for length in several:
        names, *columns = zip(*(keys if one else [key for key in keys if len(key) == length]))
        index: dict[str, int] = {}
        places = [index.setdefault(name, len(index)) for name in alike(names)]
        if {*map(type, index)} != {str}:
            raise TypeError("not a name")
        parts.append([[*index], places, columns])
    block: bytes = msgpack.packb(parts)
    if len(block) > PLAIN_TUPLE_BYTES * len(keys):
        raise ValueError("large enough to be compressed")
    return block


def join_keys(keys: Any) -> bytes:
    """Return `keys` as UTF-8 text separated by NUL."""
    try:
        text = "\0".join(keys)  # the usual case
    except TypeError:
        text = "\0".join(map(str, keys))
    if len(text) > MAX_KEY_CHARS + 200 * len(keys) or text.count("\0") != len(keys) - 1:
        text = "\0".join(map(clean_text, keys))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "\0".join(map(clean_text, keys)).encode()


def valid_rows(rows: Any) -> list[Any]:
    """Return the intervals that can be packed."""
    valid = []
    for row in rows if isinstance(rows, (list, tuple)) else ():
        try:
            array("d", (row["start"], row["stop"]))
            hash(row["action"])
        except (TypeError, KeyError, OverflowError):
            continue
        valid.append(row)
    return valid


def last_stop(rows: Any) -> float | None:
    """Return when the last interval ended, or None without intervals."""
    return max([float(row["stop"]) for row in valid_rows(rows)], default=None)


class Pending:
    """Tasks that are not packed yet, in order.

    `finished` has six values for each task, in one flat list because it costs less than several:
    number of rows, size of the result, worker, thread, group, key. `rows` has the rows of all
    tasks, `erred` the positions of erred tasks. The rows of all tasks are in one flat list, because
    thousands of lists that live for a while cause full garbage collections, which block the
    scheduler.
    """

    def __init__(self) -> None:
        self.finished: list[Any] = []
        self.rows: list[Any] = []
        self.erred: list[int] = []

    def __len__(self) -> int:
        """Return how many tasks there are."""
        return len(self.finished) // REPORTED

    def report(self, rows: Any, *rest: Any) -> None:
        """Append the values of a task; `rows` that is not a list counts as one invalid row."""
        rows = rows if isinstance(rows, (list, tuple)) else (rows,)
        self.rows.extend(rows)
        self.finished.extend((len(rows), *rest))

    def clear(self) -> None:
        """Forget all tasks; the lists remain the same objects."""
        for tasks in (self.finished, self.rows, self.erred):
            tasks.clear()

    def cut(self) -> None:
        """Forget the rows of a task that could not be appended."""
        del self.rows[sum(self.finished[::REPORTED]) :]

    def mend(self) -> int:
        """Remove values that cannot be packed, not their tasks; return how many tasks had any."""
        mended = 0
        rows: list[Any] = []
        stops = accumulate(self.finished[::REPORTED])
        for place, stop in zip(range(0, len(self.finished), REPORTED), stops):
            count, nbytes, *lane = self.finished[place : place + 4]
            valid = valid_rows(self.rows[stop - count : stop])
            known = [part if isinstance(part, (str, int)) else None for part in lane]
            if known != lane or len(valid) < count:
                self.finished[place : place + 4] = [len(valid), nbytes, *known]
                mended += 1
            rows += valid
        self.rows[:] = rows
        return mended


def pack(
    first: int,
    pending: Pending,
    groups: list[Any],
    graphs: list[int],
    prefixes: Interned,
    lanes: Lanes,
    actions: Interned,
    spans: Interned,
) -> dict[str, Any]:
    """Return a chunk of the pending tasks; there must be at least one.

    `groups` and `graphs` have a value for each task, or a single one for all.
    """
    finished = pending.finished
    keys = finished[5::REPORTED]
    status = bytearray(len(keys) if pending.erred else 1)
    for position in pending.erred:
        status[position] = 1
    rows = pending.rows
    columns = [
        _integers("B", finished[::REPORTED]),
        array("I", _place_indices(groups, prefixes, spans)),
        array("H", _lane_indices(finished[2::REPORTED], finished[3::REPORTED], lanes)),
        array("B", status),
        _integers("i", finished[1::REPORTED]),
        array("I", graphs),
        array("d", [row["start"] for row in rows]),
        array("d", [row["stop"] for row in rows]),
        array("B", bytes(_action_indices(rows, actions))),
    ]
    encoding, packed_keys = pack_keys(keys)
    return {
        "first": first,
        "tasks": len(keys),
        "rows": len(rows),
        "format": "".join([column.typecode for column in columns]),
        "data": b"".join([pack_column(column) for column in columns]),
        "key_encoding": encoding,
        "keys": packed_keys,
    }


def size_bytes(chunk: dict[str, Any]) -> int:
    """Return how much of the scheduler's memory `chunk` takes."""
    return len(chunk["data"]) + len(chunk["keys"]) + CHUNK_OVERHEAD_BYTES
