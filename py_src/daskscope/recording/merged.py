"""What to say of names that had no place of their own in a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daskscope.errors import Notice
from daskscope.recording.names import MAX_LIST_CHARACTERS
from daskscope.schema import OTHER_NAME

if TYPE_CHECKING:
    from daskscope.recording.names import Names


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
    for kind, table in names.tables.items():
        merged = names.merged(kind)
        if not merged.names:
            continue
        least = "" if merged.exact else "At least "
        are = f"{table.noun} is" if merged.names == 1 else f"{table.nouns} are"
        where = " in the session" if merged.session else ""
        text = (
            f"{least}{merged.names:,} {are} merged into {OTHER_NAME}{where}: at most "
            f"{table.limit - 1:,} are told apart, of {MAX_LIST_CHARACTERS:,} characters together."
        )
        notices.append(Notice(f"{kind}-merged", "warn", text))
    return notices
