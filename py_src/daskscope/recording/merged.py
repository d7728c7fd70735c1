"""What to say of names that had no place of their own in a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from daskscope.errors import Notice
from daskscope.recording.names import LIMITS, MAX_LIST_CHARACTERS
from daskscope.schema import OTHER_NAME

if TYPE_CHECKING:
    from daskscope.recording.names import Names

_NOUNS: Final = {
    "prefixes": ("prefix", "prefixes"),
    "lanes": ("thread of a worker", "threads of workers"),
    "actions": ("action", "actions"),
    "spans": ("span", "spans"),
}
"""One and many of each list."""

MERGED_CODES: Final = frozenset(f"{kind}-merged" for kind in _NOUNS)


def merged_notices(names: Names) -> list[Notice]:
    """Return a notice for each list of which some names are merged.

    >>> from daskscope.recording import Names
    >>> names = Names()
    >>> for i in range(300):
    ...     _ = names.intern("actions", f"action-{i}")
    >>> [notice.text for notice in merged_notices(names)]
    ['51 actions are merged into (other): at most 254 are told apart, of 18,180,000 characters \
together.']
    """
    notices = []
    for kind, (one, many) in _NOUNS.items():
        merged = names.merged(kind)
        if not merged.names:
            continue
        least = "" if merged.exact else "At least "
        are = f"{one} is" if merged.names == 1 else f"{many} are"
        where = " in the session" if merged.session else ""
        text = (
            f"{least}{merged.names:,} {are} merged into {OTHER_NAME}{where}: at most "
            f"{LIMITS[kind] - 1:,} are told apart, of {MAX_LIST_CHARACTERS:,} characters together."
        )
        notices.append(Notice(f"{kind}-merged", "warn", text))
    return notices
