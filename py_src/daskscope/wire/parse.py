"""What a page says, checked before it is believed: types, ranges and sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from daskscope.errors import DaskscopeError
from daskscope.schema import PAGE_MESSAGES

MAX_ID: Final = 200
MAX_TEXT: Final = 10_000
MAX_RANGES: Final = 100_000
MAX_TABLES: Final = 1_000
MAX_MISSING: Final = 100_000
MAX_NUMBER: Final = 2**53


class BadMessageError(DaskscopeError):
    """A page said something that is not in the protocol."""

    def __init__(self, detail: str) -> None:
        super().__init__(
            "bad-message",
            f"The kernel got a message that it does not understand ({detail}) and ignored it.",
            "Reload the page; if it stays, install the same daskscope for JupyterLab and kernel.",
        )


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens a channel, or makes it the one that carries the page's data."""

    page: str
    protocol: int
    version: str
    build: str = ""


@dataclass(frozen=True, slots=True)
class Watch:
    """The page subscribes to tables of a session; it holds the tasks in ``have``.

    With ``restart`` it lost other rows for good, and wants all of them again.
    ``setting`` is the number of the last focus that it set.
    """

    page: str
    session: str
    visible: bool
    tables: tuple[str, ...]
    have: tuple[tuple[int, int], ...]
    restart: bool = False
    setting: int = 0


@dataclass(frozen=True, slots=True)
class Unwatch:
    """The last panel of a session closed."""

    page: str
    session: str


@dataclass(frozen=True, slots=True)
class Ack:
    """Everything up to ``seq`` arrived, but ``missing``."""

    page: str
    session: str
    seq: int
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question; what ``args`` hold depends on ``what`` and is checked by who answers.

    Without a session it is one to the kernel.
    """

    page: str
    session: str | None
    id: str
    what: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SetFocus:
    """The user selected; the focus itself is checked by who takes it.

    ``setting`` counts what this page set.
    """

    page: str
    session: str
    focus: Mapping[str, Any]
    setting: int = 0


@dataclass(frozen=True, slots=True)
class Bye:
    """The page goes away."""

    page: str


@dataclass(frozen=True, slots=True)
class WantCode:
    """A widget waits for its code: the page has none yet, and no id."""


PageMessage = Hello | Watch | Unwatch | Ack | Ask | SetFocus | Bye | WantCode


def parse(data: object) -> PageMessage | None:
    """Return the message, or ``None`` for a type that a newer page may know.

    >>> parse({"type": "bye", "page": "p1"})
    Bye(page='p1')
    >>> parse({"type": "bye", "page": 7})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    daskscope.wire.parse.BadMessageError: The kernel got a message that it does not understand ...
    """
    fields = _Fields(data)
    kind = fields.text("type", MAX_ID)
    if kind not in PAGE_MESSAGES:
        return None
    if kind == "code":
        return WantCode()
    page = fields.identifier("page")
    if kind == "hello":
        version, build = fields.text("version", MAX_ID), fields.text("build", MAX_ID, default="")
        return Hello(page, fields.number("protocol"), version, build)
    if kind == "bye":
        return Bye(page)
    if kind == "ask":
        session = fields.identifier_or_none("session")
        question = fields.identifier("id")
        return Ask(page, session, question, fields.text("what", MAX_ID), fields.mapping("args"))
    session = fields.identifier("session")
    if kind == "watch":
        return Watch(
            page,
            session,
            fields.flag("visible"),
            fields.texts("tables", MAX_TABLES),
            fields.ranges("have"),
            fields.flag("restart", default=False),
            fields.number("setting", default=0),
        )
    if kind == "unwatch":
        return Unwatch(page, session)
    if kind == "ack":
        return Ack(page, session, fields.number("seq"), fields.numbers("missing", MAX_MISSING))
    return SetFocus(page, session, fields.mapping("focus"), fields.number("setting", default=0))


def number(value: object, name: str) -> int:
    """Return a whole number from 0 to 2^53, as JSON and JavaScript may write it."""
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_NUMBER:
        raise BadMessageError(f"{name} is not a whole number")
    return value


class _Fields:
    """The fields of a message, each read with its check."""

    def __init__(self, data: object) -> None:
        if not isinstance(data, Mapping):
            raise BadMessageError("it is not an object")
        self._data = data

    def text(self, name: str, limit: int, *, default: str | None = None) -> str:
        value = self._data.get(name, default)
        if not isinstance(value, str) or len(value) > limit:
            raise BadMessageError(f"{name} is not a text of at most {limit} characters")
        return value

    def identifier(self, name: str) -> str:
        value = self.text(name, MAX_ID)
        if not value:
            raise BadMessageError(f"{name} is empty")
        return value

    def identifier_or_none(self, name: str) -> str | None:
        return None if self._data.get(name) is None else self.identifier(name)

    def number(self, name: str, *, default: int | None = None) -> int:
        return number(self._data.get(name, default), name)

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        value = self._data.get(name, default)
        if not isinstance(value, bool):
            raise BadMessageError(f"{name} is neither true nor false")
        return value

    def list(self, name: str, limit: int) -> list[Any]:
        value = self._data.get(name, [])
        if not isinstance(value, (list, tuple)) or len(value) > limit:
            raise BadMessageError(f"{name} is not a list of at most {limit} entries")
        return list(value)

    def numbers(self, name: str, limit: int) -> tuple[int, ...]:
        return tuple(number(item, name) for item in self.list(name, limit))

    def texts(self, name: str, limit: int) -> tuple[str, ...]:
        found = tuple(self.list(name, limit))
        if not all(isinstance(item, str) and len(item) <= MAX_ID for item in found):
            raise BadMessageError(f"{name} is not a list of texts of at most {MAX_ID} characters")
        return found

    def ranges(self, name: str) -> tuple[tuple[int, int], ...]:
        found = []
        for item in self.list(name, MAX_RANGES):
            if not isinstance(item, (list, tuple)) or len(item) != 2:
                raise BadMessageError(f"{name} is not a list of [first, end]")
            first, stop = number(item[0], name), number(item[1], name)
            if stop < first:
                raise BadMessageError(f"a range of {name} ends before it begins")
            found.append((first, stop))
        return tuple(found)

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self._data.get(name, {})
        if not isinstance(value, Mapping):
            raise BadMessageError(f"{name} is not an object")
        return value
