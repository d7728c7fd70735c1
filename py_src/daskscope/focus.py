"""Focus: one selection of time, prefixes, workers, spans and cells for all panels of a session.

It has names, never indexes, so that it survives a new agent, another page and a stored
recording. An empty set means all. Python and every panel share it, and any of them sets it.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any, ClassVar

import traitlets

from daskscope.forks import renew_in_children
from daskscope.listeners import Listeners

logger = logging.getLogger(__name__)

FIELDS = ("time", "prefixes", "workers", "spans", "cells")
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
    """What is selected in all panels of a session; empty fields select everything.

    `time` is in seconds since the epoch. `workers` are addresses, `spans` are ids from
    ``recording.table("spans")``, `cells` are names such as ``"In [7]"``.

    >>> Focus(time=[1, 2.5], prefixes=["inc"])
    Focus(time=(1.0, 2.5), prefixes=('inc',), workers=(), spans=(), cells=())
    >>> bool(Focus())
    False
    """

    time: tuple[float, float] | None = None
    prefixes: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", _time(self.time))
        for field in FIELDS[1:]:
            object.__setattr__(self, field, _names(field, getattr(self, field)))

    def __bool__(self) -> bool:
        return any(getattr(self, field) for field in FIELDS)

    def to_json(self) -> dict[str, Any]:
        """Return the message form, see docs/protocol.md."""
        names = {field: list(getattr(self, field)) for field in FIELDS[1:]}
        return {"time": list(self.time) if self.time else None, **names}

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


class _FocusTrait(traitlets.Any):
    """A focus that one thread at a time sets, and passes to its observers."""

    def set(self, obj: Any, value: Any) -> None:
        with obj._focus_lock:
            # traitlets checks no None: here it means that nothing is selected.
            super().set(obj, Focus() if value is None else value)


class SharedFocus(traitlets.HasTraits):
    """What is selected, and who selected it.

    Observers of the trait run in the thread that sets it. When that is a panel, it is one
    of our own (`daskscope-focus`), in which an observer may take its time.
    """

    focus = _FocusTrait(Focus(), help="what is selected, in every panel of this session")
    _listed: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self._focus_by = "python"  # or the id of the page that sets it just now
        self._renew_locks()
        self._focus_listeners = Listeners[[Focus, str]]("the focus of a daskscope session")
        renew_in_children(self._renew_locks)

    def _renew_locks(self) -> None:
        """Make new locks: at first, and in a forked child."""
        self._focus_lock = threading.RLock()
        self._request_lock = threading.Lock()  # of the next two
        self._requested_focus: tuple[Focus, str] | None = None
        self._focus_thread: threading.Thread | None = None

    @traitlets.validate("focus")
    def _checked_focus(self, proposal: Any) -> Focus:
        try:
            return Focus.from_json(proposal["value"])
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(f"focus: {error}") from None

    @traitlets.observe("focus")
    def _notify_focus(self, _: Any) -> None:
        """Hear, as the first observer, of each change, whatever a later one does."""
        self._focus_listeners.notify(self.focus, self._focus_by)

    def _set_focus(self, focus: Focus, by: str) -> None:
        """Set the focus in the name of a page, which is not to blame for failing observers."""
        with self._focus_lock:
            self._focus_by = by
            try:
                self.focus = focus
            except Exception:
                logger.exception("an observer of the focus of a daskscope session failed")
            finally:
                self._focus_by = "python"

    def _set_focus_soon(self, focus: Focus, by: str) -> None:
        """Set it without waiting for observers; of many settings the last one counts."""
        with self._request_lock:
            self._requested_focus = (focus, by)
            if self._focus_thread is None:
                self._focus_thread = threading.Thread(
                    target=self._set_requested_focus, name="daskscope-focus", daemon=True
                )
                self._focus_thread.start()

    def _set_requested_focus(self) -> None:
        done = None
        while True:
            with self._request_lock:
                requested = self._requested_focus
                if requested is None or requested is done:
                    self._requested_focus = self._focus_thread = None
                    return
            self._set_focus(*requested)
            done = requested

    def _set_shown_tables(self, tables: frozenset[str]) -> None:
        """Take note of which tables pages show."""


# For the stream, not for users


def is_listed(source: Any) -> bool:
    """Return whether choosers of clients have a source."""
    return bool(source._listed)


def set_shown_tables(source: Any, tables: frozenset[str]) -> None:
    """Set which tables of a source pages show; without any, the source may be slower."""
    source._set_shown_tables(tables)


def on_focus(source: Any, callback: Callable[[Focus, str], None]) -> Callable[[], None]:
    """Call `callback(focus, by)` after each change; return how to stop.

    Unlike observers of the trait it is called whether or not others fail.
    """
    stop: Callable[[], None] = source._focus_listeners.add(callback)
    return stop


def set_focus_soon(source: Any, focus: Focus, by: str) -> None:
    """Set the focus in the name of a page, without waiting for its observers."""
    source._set_focus_soon(focus, by)


def requested_focus(source: Any) -> Focus:
    """Return the focus, or what a page wants it to be."""
    requested = source._requested_focus
    found: Focus = source.focus if requested is None else requested[0]
    return found
