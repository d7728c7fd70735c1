"""Checks arguments of queries; errors name the wrong value and the allowed ones."""

from __future__ import annotations

from difflib import get_close_matches
from math import inf, isnan
from numbers import Real
from typing import TYPE_CHECKING, Any

from daskscope.errors import DaskscopeError
from daskscope.format import some_of
from daskscope.schema import SPANS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from daskscope.recording.names import Names

    Wanted = str | Sequence[str] | None


def window_of(start: Any, stop: Any) -> tuple[float, float]:
    """Return a window as two numbers, infinite if not given."""
    since, until = _time(start, "start", -inf), _time(stop, "stop", inf)
    if since > until:
        raise bad_query(f"start is after stop: {start} > {stop}.", "Give start before stop.")
    return since, until


def _time(value: Any, name: str, missing: float) -> float:
    if value is None:
        return missing
    if type(value) is bool or not isinstance(value, Real) or isnan(value):
        raise bad_query(f"{name} is not a time: {value!r:.100}.", "Give seconds since the epoch.")
    return float(value)


def indexes_of(names: Names, kind: str, column: str, wanted: Wanted) -> set[int]:
    """Return the indexes of names in a dictionary; spans are given by full name or id."""
    known: dict[str, set[int]] = {}
    for index, label in enumerate(names.labels(kind)):
        known.setdefault(label, set()).add(index)
    labels = [*known]
    if kind == SPANS.name:
        for index, (span_id, _) in enumerate(names.since(kind, 0)):
            known.setdefault(span_id, {index})
    return set().union(*(known[text] for text in known_ones(known, column, wanted, labels)))


def known_ones(
    known: Collection[str], column: str, wanted: Wanted, shown: Sequence[str] = ()
) -> list[str]:
    """Return one or several names as a list; raise an error for unknown ones."""
    texts = [wanted] if isinstance(wanted, str) else [*(wanted or ())]
    for text in texts:
        if text not in known:
            raise unknown_name(column, text, shown or [*known])
    return texts


def unknown_name(column: str, name: object, known: Sequence[str]) -> DaskscopeError:
    """Return the error for an unknown name, with a similar known one."""
    allowed = [text for text in known if text]
    likely = get_close_matches(str(name), allowed, n=1)
    hint = f"Did you mean {likely[0]!r}? " if likely else ""
    those = f"Known: {some_of(allowed, 10)}." if allowed else f"There is no {column} yet."
    return bad_query(f"There is no {column} {name!r}.", hint + those)


def bad_query(text: str, to_do: str) -> DaskscopeError:
    """Return the error for an invalid query."""
    return DaskscopeError("bad-query", text, to_do)
