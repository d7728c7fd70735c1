"""The interned lists of one session: prefixes, lanes, actions and spans.

They only grow, so an index that was handed out stays valid for the life of the
session, in every chunk and on every page. One thread interns, any thread reads.
"""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Final

from daskscope.schema import ACTIONS, MAX_NAMES, NAME_KINDS, OTHER_NAME

Lane = tuple[str, str]
Span = tuple[str, ...]

MAX_NAME_CHARACTERS: Final = 1_000
"""A prefix or span name can come from a key of any length; longer ones are cut."""

MAX_SPAN_PARTS: Final = 50
"""The id of a span and its names; nobody nests deeper by hand. Longer ones are cut."""

MAX_LIST_CHARACTERS: Final = MAX_NAMES * (301 + 2)
"""Of the texts of one list as JSON, which has a mark before and after each.

An agent cuts names at 300 characters, and says so by one more: a full list of prefixes fits,
if few of them have to be escaped. Three such lists are fewer characters than a file may have,
in Python and on a page.
"""

LIMITS: Final = {"prefixes": MAX_NAMES, "lanes": MAX_NAMES, "actions": 255, "spans": MAX_NAMES}
"""Entries of each list, the last being ``OTHER_NAME``: an index must fit its column."""

MAX_MERGED: Final = 10_000
"""So many of the names that ``OTHER_NAME`` stands for are told apart: to count them."""

_OTHER: Final[dict[str, Any]] = {
    "prefixes": OTHER_NAME,
    "actions": OTHER_NAME,
    "lanes": (OTHER_NAME, ""),
    "spans": (OTHER_NAME, OTHER_NAME),
}


def clean(text: str) -> str:
    r"""Return a name of bounded length that can be encoded.

    >>> clean("lone\ud800-surrogate")
    'lone\ufffd-surrogate'
    """
    if len(text) > MAX_NAME_CHARACTERS:
        text = text[: MAX_NAME_CHARACTERS - 1] + "…"
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _written(text: str) -> int:
    r"""Return how many characters a text is as JSON, by the count of pages: UTF-16.

    >>> _written("inc"), _written("\1"), _written("🦋")
    (5, 8, 4)
    """
    written = json.dumps(text, ensure_ascii=False)
    return len(written) if written.isascii() else len(written.encode("utf-16-le")) // 2


@dataclass(frozen=True, slots=True)
class Merged:
    """How many names of a list ``OTHER_NAME`` stands for; at least so many if not `exact`."""

    names: int = 0
    exact: bool = True
    session: bool = False
    """Whether that is of the session, of which this is a part: nobody counts them by time."""


class Names:
    """Grow-only lists of names, each with the way back from a name to its index.

    >>> names = Names()
    >>> names.intern("prefixes", "inc"), names.intern("prefixes", "inc")
    (0, 0)
    >>> names.intern("lanes", ("tcp://127.0.0.1:1", "140"))
    0
    >>> names.actions[names.intern("actions", "compute")]
    'compute'
    """

    def __init__(self) -> None:
        self.prefixes: list[str] = []
        self.lanes: list[Lane] = []
        self.actions: list[str] = []
        self.spans: list[Span] = []
        self._lists: dict[str, list[Any]] = {
            "prefixes": self.prefixes,
            "lanes": self.lanes,
            "actions": self.actions,
            "spans": self.spans,
        }
        self._index: dict[str, dict[Any, int]] = {kind: {} for kind in self._lists}
        self._characters = dict.fromkeys(self._lists, 0)
        self._merged: dict[str, set[int]] = {kind: set() for kind in self._lists}
        self.merged_before = dict.fromkeys(NAME_KINDS, Merged())
        """What names had been merged where these come from: an agent, a file, another recording."""
        for action in ACTIONS:
            self.intern("actions", action)
        self.intern("spans", ("",))

    def intern(self, kind: str, item: str | tuple[str, ...]) -> int:
        """Return the index of ``item``, appending it when it is new.

        Where a list has no room for it, it is ``OTHER_NAME``.
        """
        if isinstance(item, str):
            item = clean(item)
        else:
            item = tuple(clean(part) for part in item[:MAX_SPAN_PARTS])
        index = self._index[kind]
        found = index.get(item)
        if found is not None:
            return found
        items = self._lists[kind]
        texts = (item,) if isinstance(item, str) else item
        characters = self._characters[kind] + sum(map(_written, texts))
        if len(items) >= LIMITS[kind] - 1 or characters > MAX_LIST_CHARACTERS:
            other = _OTHER[kind]
            if item != other and len(self._merged[kind]) < MAX_MERGED:
                self._merged[kind].add(hash(item))
            item = other
            found = index.get(item)
            if found is not None:
                return found
        else:
            self._characters[kind] = characters
        items.append(item)
        index[item] = len(items) - 1
        return len(items) - 1

    def merged(self, kind: str) -> Merged:
        """Return how many names of one list ``OTHER_NAME`` stands for."""
        here, before = len(self._merged[kind]), self.merged_before[kind]
        if before.exact and here < MAX_MERGED:
            return replace(before, names=here + before.names)
        # Some may be among both.
        return replace(before, names=max(here, before.names), exact=False)

    def snapshot(self) -> Names:
        """Return the same names with what is merged now; lists that only grow are in both."""
        now = copy(self)
        now._merged = {kind: set(merged) for kind, merged in self._merged.items()}
        now.merged_before = dict(self.merged_before)
        return now

    def take_merged(self, source: Names, *, part: bool = False) -> None:
        """Take over what ``OTHER_NAME`` stands for in a source, if it is among these names.

        `part`: these are of a part of what the source has.
        """
        for kind, index in self._index.items():
            if _OTHER[kind] in index:
                merged = source.merged(kind)
                self.merged_before[kind] = replace(merged, session=part or merged.session)

    def since(self, kind: str, first: int) -> list[Any]:
        """Return the entries of one list from index ``first`` on."""
        return self._lists[kind][first:]
