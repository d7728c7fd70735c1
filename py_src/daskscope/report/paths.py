r"""Paths and source lines out of texts: tracebacks, logs, events, keys.

>>> without_paths('  File "/home/ada/my work/sums.py", line 3, in f')
'  File "sums.py", line 3, in f'
>>> without_paths("reads s3://bucket/2025/a.parquet, ~/b/c.csv and C:\\data\\d.txt at 3/4")
'reads a.parquet, c.csv and d.txt at 3/4'
"""

from __future__ import annotations

import re
from typing import Final

_STOPS: Final = r"""\s\x00/\\:*?"'<>|,;()\[\]{}"""
SHARE: Final = (
    r"(?:(?<![\w\\.~])|(?<=\\[nrt])|(?<=\\u[0-9a-f]{4}))(?<!\b[A-Za-z]:)"
    rf"(?P<one>\\{{1,16}})(?P=one)(?P<server>[\w.@$-]+)(?P=one)(?=[^{_STOPS}])"
)
r"""How the path of a share begins: \\server\, or within JSON, or a repr, twice as many of them.

It is not the middle of another path, but may follow a character that JSON has as \n or \u201c.
"""
_HERE: Final = rf"(?:~|\.{{1,2}}(?!\\[nrt](?![^{_STOPS}]+\\(?![nrt]))))(?=\\)"
r"""What a path is relative to; a full stop before \n is the end of a line, but not in ..\new\x."""
_IN_QUOTES: Final = re.compile(  # with blanks in it, as far as the quotes reach
    rf"""(["'])(?:[A-Za-z]:[/\\]|{SHARE}|{_HERE}|(?:[~.]{{1,2}}|\w+:/)?/)"""
    r"""(?:[^"'\n\x00 \\]|\\++(?!["'])| (?!/))*+(?=\\*["'])"""
)
_OF_SHARE: Final = re.compile(rf"{SHARE}[^{_STOPS}]+(?:(?P=one)[^{_STOPS}]+)*\\*")
_OF_WINDOWS: Final = re.compile(
    rf"(?:(?<!\w)[A-Za-z]:|(?<![\w/\\.~]){_HERE})(?:[/\\]+[^{_STOPS}]+)+[/\\]*"
)
_ABSOLUTE: Final = re.compile(
    rf"(?<![\w/\\.~])(?:[A-Za-z][\w+.-]*:/|~\w*|\.{{1,2}})?(?:/+[^{_STOPS}]+)+/*"
)
_RELATIVE: Final = re.compile(
    rf"(?<![\w/\\.-])[\w.-]+(?:/+[^{_STOPS}]+)*/+[\w-]+\.[A-Za-z]\w*"  # but not 3/4, and/or
)
_ADDRESS: Final = re.compile(r"inproc://.*|[A-Za-z][\w+.-]*://[^/]*/*")
_FRAME: Final = re.compile(r'File \\?"[^"\n]*", line \d+')
_LINE_END: Final = re.compile(r"(\\n|\n)")


def without_paths(text: str) -> str:
    """Leave only the last component of each path."""
    if "/" not in text and "\\" not in text:
        return text
    text = _IN_QUOTES.sub(lambda found: found[1] + _last(found[0][1:]), text)
    for pattern in (_OF_SHARE, _OF_WINDOWS, _ABSOLUTE, _RELATIVE):
        text = pattern.sub(lambda found: _last(found[0]), text)
    return text


def _last(path: str) -> str:
    if _ADDRESS.fullmatch(path):
        return path
    return re.split(r"[/\\]+", path.rstrip("/\\"))[-1]


def without_source(text: str) -> str:
    r"""Leave out the lines of code that a traceback shows.

    >>> without_source('  File "a.py", line 1, in f\n    secret()\nValueError: no')
    '  File "a.py", line 1, in f\nValueError: no'
    """
    if _FRAME.search(text) is None:
        return text
    kept: list[str] = []
    inside = -1
    # Text within JSON, or within a repr, has its ends of lines as two characters.
    pieces = _LINE_END.split(text)
    for line, end in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        frame = _FRAME.search(line)
        indent = len(line) - len(line.lstrip(" |"))
        if frame is not None:
            before = line[: frame.start()]
            inside = len(before) - len(before.rstrip(" |"))
        elif inside >= 0 and (indent > inside or not line.strip(" |")):
            continue
        else:
            inside = -1
        kept += line, end
    return "".join(kept)
