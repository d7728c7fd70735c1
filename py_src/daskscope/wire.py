"""Messages between kernel and page (docs/protocol.md, part B): built and checked here.

Knows nothing of comms, sessions or recordings: text and arrays in, messages out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.errors import DaskscopeError
from daskscope.schema import KERNEL_MESSAGES, PAGE_MESSAGES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from daskscope.schema import Column

Buffer = bytes | memoryview

ENVELOPE_BYTES: Final = 600
"""Headers and signature of a Jupyter message, roughly."""

ALIGNMENT: Final = 8
TEXTS: Final = frozenset({"utf8", "texts"})
"""Types of columns that are not packed."""

MAX_ID: Final = 200
MAX_LIST: Final = 100_000
MAX_TABLES: Final = 1_000
MAX_NUMBER: Final = 2**53

# What the kernel says


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message that is ready to be sent, and how large it is."""

    message: dict[str, Any]
    buffers: tuple[Buffer, ...]
    size_bytes: int


def outgoing(kind: str, fields: Mapping[str, Any], buffers: Sequence[Buffer] = ()) -> Outgoing:
    """Make a message. Text that is no Unicode and numbers that are no JSON are mended."""
    if kind not in KERNEL_MESSAGES:
        raise ValueError(f"kind: {kind!r} is not a message of the kernel")
    message = {"type": kind, **_clean(fields)}
    text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    size = len(text.encode()) + sum(len(buffer) for buffer in buffers) + ENVELOPE_BYTES
    return Outgoing(message, tuple(buffers), size)


def _clean(value: Any) -> Any:
    """Return `value` as plain JSON."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        # Nothing on a page can do anything with NaN; zero is drawn as nothing.
        return float(value) if math.isfinite(value) else 0.0
    if isinstance(value, Mapping):
        return {str(_clean(str(key))): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_clean(item) for item in value]
    return _clean(str(value))


def packed_type(column: Column) -> np.dtype[Any]:
    """Return the type in which the numbers of a column travel."""
    # A page has no integers of 64 bits; as floats they are exact up to 2^53.
    return np.dtype("f8" if column.type == "int64" else column.type).newbyteorder("<")


def pack_columns(
    columns: Sequence[Column],
    values: Mapping[str, ArrayLike],
    numbers: NDArray[np.float64] | None = None,
) -> bytes:
    """Return the columns of numbers of some rows, in order, after the numbers of these if given.

    They are one after the other, little endian, each padded to 8 bytes. Uncompressed, since the
    page reads them in place, and the web server compresses where that is wanted. And without
    pyarrow, which gives up Python's lock while it writes: while a cell computes, each time costs
    up to 5 ms to get it back (docs/decisions/0013).
    """
    wanted = [column for column in columns if column.type not in TEXTS]
    with np.errstate(over="ignore"):  # a size beyond float32 becomes infinite
        plain = [np.ascontiguousarray(values[c.name], packed_type(c)) for c in wanted]
    if numbers is not None:
        plain.insert(0, np.ascontiguousarray(numbers, "<f8"))
    if len({len(array) for array in plain}) > 1:
        raise ValueError(f"values: not of one length, but of {[len(array) for array in plain]}")
    return b"".join(part for a in plain for part in (a.data, bytes(-a.nbytes % ALIGNMENT)))


# What a page says, checked before it is believed: types, ranges and sizes

Id = str
"""A text that is not empty."""


class BadMessageError(DaskscopeError):
    """A page said something that is not in the protocol."""

    def __init__(self, detail: str) -> None:
        super().__init__(
            "bad-message",
            f"The kernel got an invalid message ({detail}) and ignored it.",
            "Reload the page; if that does not help, use one version of daskscope on both sides.",
        )


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens a channel, or makes it the one that carries the page's data."""

    page: Id
    protocol: int
    version: str
    build: str = ""
    pictures: bool = False
    """Of a widget's page: it keeps the widget when its output is updated with a picture."""


@dataclass(frozen=True, slots=True)
class Watch:
    """The page subscribes to tables of a session; it holds the tasks in ``have``.

    With ``restart`` it lost other rows for good, and wants all of them again.
    ``setting`` is the number of the last focus that it set.
    """

    page: Id
    session: Id
    visible: bool
    tables: tuple[str, ...] = ()
    have: tuple[tuple[int, int], ...] = ()
    restart: bool = False
    setting: int = 0


@dataclass(frozen=True, slots=True)
class Unwatch:
    """The last panel of a session closed."""

    page: Id
    session: Id


@dataclass(frozen=True, slots=True)
class Ack:
    """Everything up to ``seq`` arrived, but ``missing``."""

    page: Id
    session: Id
    seq: int
    missing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """A question; what ``args`` hold depends on ``what`` and is checked by who answers.

    Without a session it is one to the kernel.
    """

    page: Id
    id: Id
    what: str
    session: Id | None = None
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetFocus:
    """The user selected; the focus itself is checked by who takes it.

    ``setting`` counts what this page set.
    """

    page: Id
    session: Id
    focus: Mapping[str, Any] = field(default_factory=dict)
    setting: int = 0


@dataclass(frozen=True, slots=True)
class Bye:
    """The page goes away."""

    page: Id


@dataclass(frozen=True, slots=True)
class WantCode:
    """A widget waits for its code: the page has none yet, and no id."""


PageMessage = Hello | Watch | Unwatch | Ack | Ask | SetFocus | Bye | WantCode

_CLASSES: Final = (Hello, Watch, Unwatch, Ack, Ask, SetFocus, Bye, WantCode)
_MESSAGES: Final[dict[str, type[PageMessage]]] = dict(zip(PAGE_MESSAGES, _CLASSES, strict=True))


def parse(data: object) -> PageMessage:
    """Return the message, checked.

    >>> parse({"type": "bye", "page": "p1"})
    Bye(page='p1')
    >>> parse({"type": "bye", "page": 7})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    daskscope.wire.BadMessageError: The kernel got an invalid message ...
    """
    given = _mapping(data, "the message")
    message = _MESSAGES.get(_text(given.get("type"), "type"))
    if message is None:
        raise BadMessageError("its type is unknown")
    values = {}
    for one in fields(message):
        if one.name in given or (one.default is MISSING and one.default_factory is MISSING):
            values[one.name] = _READ[str(one.type)](given.get(one.name), one.name)
    return message(**values)


def number(value: object, name: str) -> int:
    """Return a whole number from 0 to 2^53, as JSON and JavaScript may write it."""
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_NUMBER:
        raise BadMessageError(f"{name} is not a whole number")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_ID:
        raise BadMessageError(f"{name} is not a text of at most {MAX_ID} characters")
    return value


def _identifier(value: object, name: str) -> str:
    if not _text(value, name):
        raise BadMessageError(f"{name} is empty")
    return _text(value, name)


def _identifier_or_none(value: object, name: str) -> str | None:
    return None if value is None else _identifier(value, name)


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise BadMessageError(f"{name} is neither true nor false")
    return value


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadMessageError(f"{name} is not an object")
    return value


def _list(value: object, name: str, most: int = MAX_LIST) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)) or len(value) > most:
        raise BadMessageError(f"{name} is not a list of at most {most} entries")
    return value


def _texts(value: object, name: str) -> tuple[str, ...]:
    return tuple(_text(item, name) for item in _list(value, name, MAX_TABLES))


def _range(value: object, name: str) -> tuple[int, int]:
    pair = tuple(number(item, name) for item in _list(value, name))
    if len(pair) != 2 or pair[1] < pair[0]:
        raise BadMessageError(f"{name} is not a list of [first, end]")
    return pair


_READ: Final[dict[str, Callable[[object, str], Any]]] = {
    "Id": _identifier,
    "Id | None": _identifier_or_none,
    "str": _text,
    "int": number,
    "bool": _flag,
    "Mapping[str, Any]": _mapping,
    "tuple[str, ...]": _texts,
    "tuple[int, ...]": lambda value, name: tuple(number(v, name) for v in _list(value, name)),
    "tuple[tuple[int, int], ...]": lambda value, name: tuple(
        _range(v, name) for v in _list(value, name)
    ),
}
"""What reads a field, by its annotation."""
