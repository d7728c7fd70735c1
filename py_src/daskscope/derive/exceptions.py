"""What an exception of a task was, out of how it was written down."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = r"([^\W\d][\w.]{0,100})"
_ONE_TEXT: Final = re.compile(_NAME + r"""\((['"])((?:\\.|(?!\2)[^\\])*)\2,?\)""", re.DOTALL)
_CALL: Final = re.compile(_NAME + r"\((.*)\)", re.DOTALL)
_LINE: Final = re.compile(_NAME + r":\s+(.*)", re.DOTALL)
_BARE: Final = re.compile(r"[\w.]+(?:Error|Exception|Warning|Interrupt|Exit|Group)", re.ASCII)


def split_exception(exception: str) -> tuple[str, str]:
    """Return its type and what it says, as panels do (`js_src/panels/task_stream/traceback.ts`).

    >>> split_exception("ValueError('no')"), split_exception("KilledWorker: 3 workers went away")
    (('ValueError', 'no'), ('KilledWorker', '3 workers went away'))
    """
    text = exception.strip()
    if one := _ONE_TEXT.fullmatch(text):
        return one[1], one[3]
    if other := _CALL.fullmatch(text) or _LINE.fullmatch(text):
        return other[1], other[2]
    return (text, "") if _BARE.fullmatch(text) else ("Error", text)
