"""The facts that the library shows about a report or a recording. Files are not trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, Self

FORMAT: Final = 1
"""Of the small JSON beside each file; it grows when an older reader would misread one."""

MAX_FACTS_BYTES: Final = 131_072
"""What is longer was not written by us."""

MAX_CHARACTERS: Final = 500
MAX_TAGS: Final = 50
MAX_TAG_CHARACTERS: Final = 100
MOST: Final = 1e300
"""Larger numbers are of no file of ours; some of them no float could hold."""

_LAST_SECOND: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()

Kind = Literal["report", "recording"]
SUFFIXES: Final[Mapping[Kind, str]] = {"report": ".html", "recording": ".daskscope"}


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of one report or recording; None is unknown."""

    kind: Kind
    created: float
    """When it was written: seconds since the epoch."""
    title: str = ""
    source: str = ""
    """Where it was made: the notebook and the cell."""
    duration: float | None = None
    tasks: int | None = None
    erred: int | None = None
    workers: int | None = None
    user: str = ""
    host: str = ""
    private: bool = False
    account: str | None = None
    tags: tuple[str, ...] = ()
    copied: bool = False
    """The library's own copy, which retention may remove, unlike files that users put there."""

    @classmethod
    def of(cls, found: Mapping[str, Any], kind: Kind, written: float) -> Self:
        """Take them from a report's summary, a recording's `about`, or facts of this form.

        >>> facts = Facts.of({"title": "A run", "tasks": {"captured": 7}, "stop": 9.0}, "report", 5)
        >>> facts.title, facts.tasks, facts.created, facts.duration
        ('A run', 7, 9.0, None)
        """
        created = _first(found, "created", "stop", "start")
        usable = _is_number(created) and created <= _LAST_SECOND
        account = _text(found.get("account"))
        return cls(
            kind=kind,
            created=float(created if usable else written),
            title=_text(found.get("title")),
            source=_text(found.get("source")),
            duration=_seconds(found.get("duration")),
            tasks=_count(_first(found, "tasks.captured", "tasks", "counts.captured")),
            erred=_count(_first(found, "erred", "tasks.erred", "counts.erred")),
            workers=_count(_first(found, "workers", "cluster_facts.workers")),
            user=_text(found.get("user")),
            host=_text(found.get("host")),
            private=found.get("private") is True,
            account=account or None,
            tags=checked_tags(found.get("tags")),
            copied=found.get("copied") is True,
        )

    def to_bytes(self) -> bytes:
        """Return the content of the JSON file beside the file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, allow_nan=False).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes, kind: Kind, written: float) -> Self | None:
        """Return what `to_bytes` wrote; nothing if it was something else."""
        if len(data) > MAX_FACTS_BYTES:
            return None
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            return None
        return cls.of(found, kind, written)


def created_text(created: float) -> str:
    """Return a time as ISO text with its zone.

    >>> created_text(1_790_000_000.5)
    '2026-09-21T14:13:20+00:00'
    """
    return datetime.fromtimestamp(created, UTC).isoformat(timespec="seconds")


def checked_tags(found: Any) -> tuple[str, ...]:
    """Return each tag once, in their order.

    >>> checked_tags([" slow ", "slow", 7, "", "March"])
    ('slow', 'March')
    """
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        return ()
    tags = (tag for tag in (_text(one).strip()[:MAX_TAG_CHARACTERS] for one in found) if tag)
    return tuple(dict.fromkeys(tags))[:MAX_TAGS]


def _first(found: Mapping[str, Any], *places: str) -> Any:
    """Return the value at the first of these places that has one."""
    for place in places:
        value: Any = found
        for name in place.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        if value is not None:
            return value
    return None


def _text(value: Any) -> str:
    return value[:MAX_CHARACTERS] if isinstance(value, str) else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST


def _seconds(value: Any) -> float | None:
    return float(value) if _is_number(value) else None


def _count(value: Any) -> int | None:
    """Take a number, or as many things as there are in a list."""
    if isinstance(value, list | tuple):
        return len(value)
    return int(value) if _is_number(value) else None
