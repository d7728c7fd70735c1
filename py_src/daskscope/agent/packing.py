"""Pack finished tasks into compressed chunks of columns.

Runs inside the scheduler, so: standard library only, syntax of Python 3.9, and every
line in `pack` is paid for by each task of the cluster. It knows tasks and bytes, and
neither readers nor the scheduler. The layout is described in docs/protocol.md, part A.
"""

from __future__ import annotations

import sys
import zlib
from array import array

OTHER_NAME = "(other)"
MAX_NAMES = 60_000  # an index must fit into uint16
MAX_ACTIONS = 250  # an index must fit into uint8
MAX_NAME_CHARS = 300  # a key without a dash is its own prefix, whatever its length
MAX_KEY_CHARS = 100_000
CHUNK_OVERHEAD_BYTES = 600  # what a chunk costs in Python objects beside its bytes
ZLIB_LEVEL = 1

TASK_COLUMNS = ("rows", "prefix", "lane", "span", "status", "nbytes")
ROW_COLUMNS = ("start", "duration", "action")

MAX_INTEGER = 2**62


def clean_text(value, limit=MAX_KEY_CHARS):
    """Return `value` as text that survives UTF-8 and the separator, at most `limit` long."""
    if type(value) is not str:
        value = repr(value) if isinstance(value, bytes) else str(value)
    if len(value) > limit:
        value = value[:limit] + "…"
    if "\0" in value:
        value = value.replace("\0", "\ufffd")
    try:
        value.encode()
    except UnicodeEncodeError:  # lone surrogates
        value = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    return value


class Interned(dict):
    """A grow-only list of names with the index of each; full lists end in OTHER_NAME.

    Looking an item up gives its index and makes one if needed, so that the hot loop is
    a plain subscript.
    """

    def __init__(self, describe, limit=MAX_NAMES, first=()):
        super().__init__()
        self.describe = describe
        self.limit = limit
        self.items_seen = []
        for item in first:
            self[item]

    def __missing__(self, item):
        index = len(self.items_seen)
        if index == self.limit:
            return index - 1  # not remembered: this dictionary is as bounded as the list
        if index == self.limit - 1:
            self.items_seen.append(self.describe(None))
            return index
        self.items_seen.append(self.describe(item))
        self[item] = index
        return index


def describe_name(name):
    """Return what travels of a prefix or an action."""
    return OTHER_NAME if name is None else clean_text(name, MAX_NAME_CHARS)


def describe_lane(lane):
    """Return what travels of a lane: worker address and thread, both as text."""
    if lane is None:
        return [OTHER_NAME, ""]
    worker, thread = lane
    return [
        "" if worker is None else clean_text(worker, MAX_NAME_CHARS),
        "" if thread is None else clean_text(thread, MAX_NAME_CHARS),
    ]


class _Places(dict):
    """Prefix and span index of each task group that occurs in one chunk."""

    def __init__(self, prefixes, spans):
        super().__init__()
        self.prefixes = prefixes
        self.spans = spans

    def __missing__(self, group):
        place = (self.prefixes[group.prefix.name], self.spans[group.span_id or ""])
        self[group] = place
        return place


def _integers(narrow, values):
    """Return `values` as an array of the narrow type if they fit, else of 64 bits."""
    try:
        return array(narrow, values)
    except (OverflowError, TypeError):
        return array("q", [_clamp(value) for value in values])


def _clamp(number):
    """Return `number` as an integer of 62 bits; what is not a number becomes 0."""
    try:
        return int(max(-MAX_INTEGER, min(MAX_INTEGER, number)))
    except (TypeError, ValueError, OverflowError):
        return 0


def _times(rows):
    """Return base, starts and durations of `rows` in integer microseconds."""
    if not rows:
        return 0, [], []
    try:
        base_s = int(rows[0]["start"])
        starts = [int((row["start"] - base_s) * 1e6) for row in rows]
        durations = [int((row["stop"] - row["start"]) * 1e6) for row in rows]
    except (TypeError, ValueError, OverflowError):
        base_s = 0
        starts = [_clamp(row["start"] * 1e6) for row in rows]
        durations = [_clamp(row["stop"] * 1e6) - start for row, start in zip(rows, starts)]
    return base_s, starts, durations


def _planes(column):
    """Return the bytes of `column`, all lowest bytes first, all highest bytes last.

    The high bytes of times and sizes hardly change; side by side they compress to
    nothing, for the price of a few slices.
    """
    if sys.byteorder == "big":
        column.byteswap()
    data = column.tobytes()
    width = column.itemsize
    if width == 1:
        return data
    return b"".join([data[plane::width] for plane in range(width)])


def pack_keys(keys):
    """Return the zlib block of `keys`: UTF-8 text separated by NUL."""
    texts = [key if type(key) is str else str(key) for key in keys]
    joined = "\0".join(texts)
    if len(joined) > MAX_KEY_CHARS + 100 * len(texts) or joined.count("\0") != len(texts) - 1:
        joined = "\0".join([clean_text(key) for key in keys])
    try:
        data = joined.encode()
    except UnicodeEncodeError:
        data = "\0".join([clean_text(key) for key in keys]).encode()
    return zlib.compress(data, ZLIB_LEVEL)


def pack(first, pending, prefixes, lanes, actions, spans):
    """Return a chunk of the tasks in `pending`: a list of (key, group, finished).

    `finished` is what the worker reported: worker, thread, startstops, nbytes, status.
    """
    places = _Places(prefixes, spans)
    prefix_and_span = [places[group] for _, group, _ in pending]
    finished = [entry[2] for entry in pending]
    intervals = [task.get("startstops") or () for task in finished]
    rows = [row for interval in intervals for row in interval]
    base_s, starts, durations = _times(rows)
    columns = [
        _integers("H", [len(interval) for interval in intervals]),
        array("H", [place[0] for place in prefix_and_span]),
        array("H", [lanes[task.get("worker"), task.get("thread")] for task in finished]),
        array("H", [place[1] for place in prefix_and_span]),
        array("B", [task.get("status") == "error" for task in finished]),
        _integers("i", [task.get("nbytes") or 0 for task in finished]),
        _integers("i", starts),
        _integers("i", durations),
        array("B", [actions[row["action"]] for row in rows]),
    ]
    return {
        "first": first,
        "tasks": len(pending),
        "rows": len(rows),
        "base": base_s,
        "format": "".join([column.typecode for column in columns]),
        "data": zlib.compress(b"".join([_planes(column) for column in columns]), ZLIB_LEVEL),
        "keys": pack_keys([entry[0] for entry in pending]),
    }


def size_bytes(chunk):
    """Return what `chunk` costs in the scheduler's memory."""
    return len(chunk["data"]) + len(chunk["keys"]) + CHUNK_OVERHEAD_BYTES
