"""Shows the card of a report, and opens the report if that was asked for."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Final

from daskscope import recorder
from daskscope.block.report_block import place_of, show_card

if TYPE_CHECKING:
    from daskscope.block.report_block import Report

MIME_OPEN: Final = "daskscope"
"""Key in the transient part of the card's message: JupyterLab opens the report that it names.

Transient, since a notebook that is opened again must not open its reports again.
"""


def open_card(report: Report, *, at_once: bool) -> None:
    """Display the card; open the report in the page, or on this computer, if wanted."""
    assert report.url is not None
    in_lab = place_of(report).in_lab
    opens = at_once and _of_a_server() and in_lab is not None
    show_card(report, {MIME_OPEN: in_lab} if opens else {})
    if at_once and not opens and not _open_here(report.url):
        sys.stderr.write(
            "--open: JupyterLab does not show that folder, and the library has no copy to open.\n"
            if _of_a_server()
            else "--open: there is no browser here to open the report in.\n"
        )


def _of_a_server() -> bool:
    """Return whether a Jupyter server has this kernel: its user may sit elsewhere."""
    return recorder.in_kernel() and "JPY_SESSION_NAME" in os.environ


def _open_here(url: str) -> bool:
    """Open a URL in the browser of this computer, if somebody sits in front of it."""
    screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    return screen and not _of_a_server() and webbrowser.open(url)
