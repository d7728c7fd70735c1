"""Shows the card of a report, and opens the report if that was asked for."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Any, Final

from daskscope import recorder
from daskscope.magics.card import Place, card

if TYPE_CHECKING:
    from collections.abc import Mapping

MIME_OPEN: Final = "daskscope"
"""Key in the transient part of the card's message: pages that know it open a report at once.

Transient, since a notebook that is opened again must not open its reports again.
"""


def open_card(summary: Mapping[str, Any], url: str, filename: str, *, at_once: bool) -> None:
    """Display the card; open the report in the page, or on this computer, if wanted."""
    from IPython.display import display

    place = Place(url, filename)
    path = place.server_path
    transient = {MIME_OPEN: {"open": path}} if at_once and path is not None else {}
    display(card(summary, place), raw=True, transient=transient)
    if at_once and path is None and not _open_here(url):
        sys.stderr.write("--open: there is no browser here to open the report in.\n")


def _open_here(url: str) -> bool:
    """Open a URL in the browser of this computer, if somebody sits in front of it."""
    screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if recorder.in_kernel() and "JPY_SESSION_NAME" in os.environ:
        return False  # of a server, whose user may sit elsewhere
    return screen and webbrowser.open(url)
