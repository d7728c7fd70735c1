"""`%%perfreport` and `%perfreport`: reports of what cells do on a Dask cluster.

perfreport.py   the magics of one shell: what begins and ends with which cell
first_line.py   takes the line off the cell, so that the rest runs as without it
options.py      what may stand behind it, and its help
begun.py        one report: its end, its failures in words
past.py         the cell that has just run, out of the flight recorder
opening.py      shows the card, and opens the report
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from daskscope.magics.perfreport import PerfReport

_loaded: dict[Any, PerfReport] = {}


def load(shell: Any) -> None:
    """Make the magics known to a shell of IPython; once is enough."""
    from daskscope.magics.perfreport import PerfReport

    if shell not in _loaded:
        magics = PerfReport(shell)
        magics.load()
        _loaded[shell] = magics


def unload(shell: Any) -> None:
    """Take them back."""
    magics = _loaded.pop(shell, None)
    if magics is not None:
        magics.unload()
