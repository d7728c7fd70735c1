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
_RUN: Final = re.compile(rf"(?<![^{_STOPS}])[^{_STOPS}]*+(?:[/\\]++[^{_STOPS}]*+)++")
_ESCAPE: Final = r"(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})"
_ESCAPED: Final = re.compile(rf"(?<!\\)(\\++){_ESCAPE}")
_SURE: Final = re.compile(rf"\\(?!\\|{_ESCAPE})")
"""A backslash that is no escape."""

_FILE: Final = re.compile(r"[\w-].*?\.[A-Za-z]")
_KNOWN_FILE: Final = re.compile(
    r"\.(?:arrow|avro|bz2|cfg|csv|daskscope|db|feather|geojson|grib2?|gz|h5|hdf5?|html?|ini|ipynb|"
    r"jpe?g|json|jsonl|log|lz4|md|nc|np[yz]|orc|parq|parquet|pdf|pickle|pkl|png|pq|py|sqlite|tar|"
    r"tiff?|toml|tsv|txt|xlsx?|xml|xz|ya?ml|zarr|zip|zst)\b",
    re.IGNORECASE,
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
    return _RUN.sub(_of_run, text) if "\\" in text else text


def _of_run(found: re.Match[str]) -> str:
    r"""Leave the last component of relative paths of Windows, in text without blanks.

    Within JSON, or a repr, an escape such as \n has fewer backslashes than a path, and ends it.
    """
    run = found[0]
    most = max(map(len, re.findall(r"\\+", run.rstrip("\\"))), default=0)
    parts: list[str] = []
    done = 0
    for escaped in _ESCAPED.finditer(run):
        if len(escaped[1]) < most:
            parts += _relative(run[done : escaped.start()]), escaped[0]
            done = escaped.end()
    return "".join([*parts, _relative(run[done:])])


def _relative(text: str) -> str:
    r"""Leave the last component, if this is a path.

    It ends like a file then, and one of its backslashes is no escape. Or all of them might be,
    as folders are called new or raw, too, but it ends like a kind of file that is known.
    """
    path = re.sub(r"^[^/\\]*=", "", text.rstrip("\\"))
    *folders, name = re.split(r"[/\\]+", path)
    if _SURE.search(path):
        is_path = _FILE.match(name) is not None
    else:
        is_name = not any(re.search(r"\w\.", folder) for folder in folders)
        is_path = "\\" in path and is_name and _KNOWN_FILE.search(name) is not None
    return text.replace(path, name) if is_path else text


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
