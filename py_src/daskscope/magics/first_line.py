"""Takes `%%perfreport` off a cell, so that the rest of the cell runs as without it.

An ordinary cell magic gets the cell as text and has to run it: `_`, a top-level await, a
traceback that is printed once, all that would be lost. So this line alone becomes a call,
which begins the report when the cell runs, in its place: line numbers stay true. IPython
transforms cells that it does not run, too; nothing may happen here.

A cell is awaited only where its code says so: with an asynchronous client `%perfreport --last`
becomes a call that does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from daskscope.errors import DaskscopeError
from daskscope.magics.options import parse_cell, parse_line

if TYPE_CHECKING:
    from collections.abc import Callable

NAME: Final = "perfreport"
_FIRST_LINE: Final = re.compile(rf"%%{NAME}(?:[ \t]+(.*?))?[ \t]*\r?\n?$")
_LINE: Final = re.compile(rf"%{NAME}[ \t]+(.*?)[ \t]*\r?\n?$")
AWAITED_LINE: Final = f"await get_ipython().run_line_magic({NAME!r}, "
"""How a cell calls that has nothing but a line to be awaited, when it is transformed."""


class FirstLine:
    """One of IPython's input transformers: lines in, lines out."""

    has_side_effects = True
    """It has none. But so a terminal still waits for the end of the cell, as below any `%%`."""

    def __init__(self, awaits: Callable[[], bool]) -> None:
        """`awaits` says whether the current client is one that has to be awaited."""
        self._awaits = awaits

    def __call__(self, lines: list[str]) -> list[str]:
        """Return the lines with a call in the place of the first one, if that is ours."""
        found = _FIRST_LINE.match(lines[0]) if lines else None
        if found is None:
            return self._line_awaited(lines)
        from IPython.core.inputtransformer2 import leading_indent

        options, rest = found[1] or "", leading_indent(lines[1:])
        if _asks_for_help(options):
            return [self._call(options)]
        body = next((i for i, line in enumerate(rest) if line.strip()), None)
        if body is None:
            return lines  # IPython says that the cell is empty
        if rest[body].startswith("%%"):  # it counts its own lines
            rest = self._magic(rest[body:])
        return [self._call(options), *rest]

    def _line_awaited(self, lines: list[str]) -> list[str]:
        """Return the lines of a cell that only looks back so that it can wait for a client."""
        written = [n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")]
        found = _LINE.match(lines[written[0]]) if len(written) == 1 else None
        if found is None or not _looks_back(found[1]) or not self._awaits():
            return lines
        at = written[0]
        return [*lines[:at], f"{AWAITED_LINE}{found[1]!r})\n", *lines[at + 1 :]]

    def _call(self, options: str) -> str:
        call = f"get_ipython().run_cell_magic({NAME!r}, {options!r}, None)\n"
        return f"await {call}" if self._awaits() else call

    def _magic(self, lines: list[str]) -> list[str]:
        from IPython.core.inputtransformer2 import cell_magic

        again = self(lines)
        if again is not lines:
            return again
        below: list[str] = cell_magic(lines)
        return below


def _asks_for_help(options: str) -> bool:
    try:
        return parse_cell(options).help
    except DaskscopeError:
        return False  # it is said when the cell runs


def _looks_back(options: str) -> bool:
    try:
        found, _ = parse_line(options)
    except DaskscopeError:
        return False
    return found.last and not found.help


def without_first_line(cell: str) -> str:
    r"""Return what a user wrote below `%%perfreport`.

    >>> without_first_line("%%perfreport a.html\nx = 1\n")
    'x = 1\n'
    >>> without_first_line("x = 1")
    'x = 1'
    """
    first, end, rest = cell.lstrip().partition("\n")
    return rest if end and _FIRST_LINE.match(first) else cell
