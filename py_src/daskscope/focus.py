"""Focus: one selection of time, prefixes, workers and spans for every panel of a session.

It speaks in names, never in indexes, so that it survives a new agent, another page and
a stored recording. An empty set means all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any

FIELDS = ("time", "prefixes", "workers", "spans")
MAX_ITEMS = 10_000
MAX_CHARS = 10_000


def _names(field: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{field} must be a list of texts, got {value!r:.200}")
    names = tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{field} must contain texts only, got {name!r:.200}")
        if len(name) > MAX_CHARS:
            raise ValueError(f"{field} has a text of more than {MAX_CHARS:,} characters")
    if len(names) > MAX_ITEMS:
        raise ValueError(f"{field} has more than {MAX_ITEMS:,} entries")
    return tuple(dict.fromkeys(names))


def _time(value: object) -> tuple[float, float] | None:
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"time must be None or (start, stop) in seconds, got {value!r:.200}")
    ends = tuple(value)
    numbers = all(isinstance(end, Real) and not isinstance(end, bool) for end in ends)
    if len(ends) != 2 or not numbers:
        raise TypeError(f"time must be None or (start, stop) in seconds, got {ends!r:.200}")
    try:
        start, stop = float(ends[0]), float(ends[1])
    except OverflowError:
        raise ValueError("time must be finite, got a number beyond any float") from None
    if not (math.isfinite(start) and math.isfinite(stop)):
        raise ValueError(f"time must be finite, got {ends!r:.200}")
    if start > stop:
        raise ValueError(f"time must not stop before it starts, got {ends!r:.200}")
    return start, stop


@dataclass(frozen=True)
class Focus:
    """What is selected.

    >>> Focus(time=[1, 2.5], prefixes=["inc"])
    Focus(time=(1.0, 2.5), prefixes=('inc',), workers=(), spans=())
    >>> bool(Focus())
    False
    """

    time: tuple[float, float] | None = None
    prefixes: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", _time(self.time))
        for field in ("prefixes", "workers", "spans"):
            object.__setattr__(self, field, _names(field, getattr(self, field)))

    def __bool__(self) -> bool:
        return bool(self.time or self.prefixes or self.workers or self.spans)

    def to_json(self) -> dict[str, Any]:
        """Return the message form, see docs/protocol.md."""
        return {
            "time": list(self.time) if self.time else None,
            "prefixes": list(self.prefixes),
            "workers": list(self.workers),
            "spans": list(self.spans),
        }

    @classmethod
    def from_json(cls, value: object) -> Focus:
        """Return the focus that a message or a user describes; check it first."""
        if isinstance(value, Focus):
            return value
        if value is None:
            return cls()
        if not isinstance(value, Mapping):
            raise TypeError(f"focus must be a Focus, a dict or None, got {value!r:.200}")
        unknown = [str(name) for name in value if name not in FIELDS]
        if unknown:
            name = min(unknown)
            likely = get_close_matches(name[:MAX_CHARS], FIELDS, n=1)
            hint = f"did you mean {likely[0]!r}?" if likely else f"it has {', '.join(FIELDS)}"
            raise TypeError(f"focus has no field {name!r:.200}: {hint}")
        return cls(**{name: part for name, part in value.items() if part is not None})
