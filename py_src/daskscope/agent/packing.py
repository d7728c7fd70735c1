"""Pack finished tasks into compressed chunks of columns.

Runs inside the scheduler, so: the standard library and what distributed itself needs,
syntax of Python 3.9, and every line in `pack` is paid for by each task of the cluster.
It knows tasks and bytes, and neither readers nor the scheduler. The layout is described
in docs/protocol.md, part A.
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
NO_PREFIX = 2**16 - 1  # stands for an index where there is none
MAX_ACTIONS = 128  # recordings have room for as many
MAX_MERGED = 10_000  # of the names that OTHER_NAME stands for: so many are told apart
MAX_NAME_CHARS = 300  # a key without a dash is its own prefix, whatever its length
MAX_KEY_CHARS = 100_000
MAX_ERROR_CHARS = 20_000  # of an exception, and of a traceback
CHUNK_OVERHEAD_BYTES = 800  # what a chunk costs in Python objects beside its bytes

MAX_KEY_LENGTHS = 8  # of tuples, of which each is a part of the columns

PLAIN_KEY_BYTES = 64
PLAIN_TUPLE_BYTES = 32
MAX_INTEGER = 2**62

REPORTED = 6
"""Of a task that finished so many things are kept: see `Pending`."""


def clean_text(value: Any, limit: int = MAX_KEY_CHARS) -> str:
    """Return `value` as text that survives UTF-8 and the separator, at most `limit` long."""
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

    `index` is a plain dictionary, which hot loops subscript themselves: what fails there
    goes through `add`. `merged` has the hashes of what has no place of its own, up to a bound.
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
            if index < self.limit - 1:  # else not remembered: this is as bounded as the list
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
    """Return what travels of a prefix or an action."""
    return OTHER_NAME if name is None else clean_text(name, MAX_NAME_CHARS)


def describe_lane(lane: Any) -> list[str]:
    """Return what travels of a lane: worker address and thread, both as text."""
    if lane is None:
        return [OTHER_NAME, ""]
    return ["" if part is None else clean_text(part, MAX_NAME_CHARS) for part in lane]


def alike(values: Any) -> Any:
    """Return the first of some values if all are equal, else all: a column is packed as either."""
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
    """Return `number` as an integer of 62 bits; what is not a number becomes 0."""
    try:
        return max(-MAX_INTEGER, min(MAX_INTEGER, int(number)))
    except (TypeError, ValueError, OverflowError):
        return 0


def pack_column(column: array[Any]) -> bytes:
    """Return the bytes of `column`, all lowest bytes first, all highest bytes last.

    Each such plane follows a 0, or, if all its bytes are alike, is a 1 and that byte: so one
    value stands for any number of equal ones. The high bytes of times and sizes hardly change,
    the low ones are noise. zlib would save little more, for more time than all else takes.
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

    The reader makes text of the tuples of Dask's collections: here that would take longer
    than all else.
    """
    types = {*map(type, keys)}
    if tuple in types:
        try:
            if len(types) == 1:
                return "columns", pack_tuples(keys)
        except (TypeError, ValueError, OverflowError):  # not a name and small values
            pass
        try:
            return "msgpack", zlib.compress(msgpack.packb(keys), 1)
        except (TypeError, ValueError, OverflowError):  # not numbers and text alone
            keys = [*map(str, keys)]
    data = join_keys(keys)
    # Short keys have a random token each, as Client.map makes them: compressing them
    # costs a fifth of the agent's time and does not even halve them.
    return "text", zlib.compress(data, 0 if len(data) < PLAIN_KEY_BYTES * len(keys) else 1)


def pack_tuples(keys: Any) -> bytes:
    """Return tuples of a name and small values as columns; `TypeError` if they are not such."""
    lengths = [*map(len, keys)]
    several = sorted({*lengths})
    if len(several) > MAX_KEY_LENGTHS:
        raise ValueError("too many lengths")
    one = len(several) == 1  # mostly
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
        text = "\0".join(keys)  # mostly
    except TypeError:
        text = "\0".join(map(str, keys))
    if len(text) > MAX_KEY_CHARS + 200 * len(keys) or text.count("\0") != len(keys) - 1:
        text = "\0".join(map(clean_text, keys))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "\0".join(map(clean_text, keys)).encode()


def sound_rows(rows: Any) -> list[Any]:
    """Return those of the intervals that can be packed."""
    sound = []
    for row in rows if isinstance(rows, (list, tuple)) else ():
        try:
            array("d", (row["start"], row["stop"]))
            hash(row["action"])
        except (TypeError, KeyError, OverflowError):
            continue
        sound.append(row)
    return sound


def last_stop(rows: Any) -> float | None:
    """Return when the last of some intervals ended; none if there is none."""
    return max([float(row["stop"]) for row in sound_rows(rows)], default=None)


class Pending:
    """Tasks that are not packed yet, in order.

    `finished` has, one after the other, six things of each: how many rows it has, the size of
    its result, worker, thread, group and key: one list costs less than several. `rows` has the
    rows of all, `erred` the positions of those that erred.
    The list around the rows of a task is not kept: thousands of lists that live for a while
    bring about full collections of Python's garbage, each of which stops the scheduler.
    """

    def __init__(self) -> None:
        self.finished: list[Any] = []
        self.rows: list[Any] = []
        self.erred: list[int] = []

    def __len__(self) -> int:
        """Return how many tasks there are."""
        return len(self.finished) // REPORTED

    def report(self, rows: Any, *rest: Any) -> None:
        """Append what is kept of a task; what is no list at all is one unsound row."""
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
        """Leave out what cannot be packed, not the tasks; return how many had such."""
        mended = 0
        rows: list[Any] = []
        stops = accumulate(self.finished[::REPORTED])
        for place, stop in zip(range(0, len(self.finished), REPORTED), stops):
            count, nbytes, *lane = self.finished[place : place + 4]
            sound = sound_rows(self.rows[stop - count : stop])
            known = [part if isinstance(part, (str, int)) else None for part in lane]
            if known != lane or len(sound) < count:
                self.finished[place : place + 4] = [len(sound), nbytes, *known]
                mended += 1
            rows += sound
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
    """Return a chunk of the pending tasks, of which there is at least one.

    `groups` and `graphs` have those of each task, or one if it is that of all.
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
    """Return what `chunk` costs in the scheduler's memory."""
    return len(chunk["data"]) + len(chunk["keys"]) + CHUNK_OVERHEAD_BYTES
