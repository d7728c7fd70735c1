"""Outputs of cells that show a panel: the widget, and a picture for where no widget can run.

The output holds the widget alone at first. The picture comes as an update of the output at the
end of the cell and a few times afterwards, where that does no harm: on pages that keep the
widget then, and where there is no page (nbclient), which get the picture instead of the widget.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import threading
import uuid
from typing import TYPE_CHECKING, Any, Final

from daskscope import collect
from daskscope.cells import shell

if TYPE_CHECKING:
    from daskscope.widgets import Panel

logger = logging.getLogger(__name__)

VIEW: Final = "application/vnd.jupyter.widget-view+json"
PNG: Final = "image/png"
PAUSES_S: Final = (1.0, 7.0, 52.0)
"""Before each further picture after a panel was shown, or a cell has ended: tasks may go on."""

MARK: Final = "daskscope"
"""Key of the output's metadata by which a page knows an output that gets pictures."""


def displays() -> bool:
    """Return whether the output of the cell that runs can be updated later."""
    return hasattr(getattr(shell(), "kernel", None), "get_parent")


def _has_page() -> bool:
    """Return whether a page may show the cell that runs: nbclient answers no `input()`.

    Voila runs cells as nbclient does, for a page that comes later.
    """
    request = shell().kernel.get_parent("shell")
    asks = request.get("content", {}).get("allow_stdin", True)
    return asks or os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


class Output:
    """The outputs of one panel: all have the same picture."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._id = uuid.uuid4().hex
        self._has_page = True
        self._drawn: object = None  # what the last picture is of
        self._lock = threading.Lock()

    def show(self) -> None:
        """Show the panel in the output of the cell that runs."""
        self._has_page = _has_page()
        self._drawn = None
        self._publish(update=False)
        _outputs.add(self)

    def close(self) -> None:
        """Leave the output as it is."""
        _outputs.remove(self)

    def draw(self, *, first: bool = False) -> None:
        """Update the picture if there is something new in it, or only if it is the `first`."""
        pages = self._panel._keeping_pages()
        with self._lock:
            from daskscope.picture import positions

            wanted = all(pages) if pages else not self._has_page
            if not wanted or self._panel.comm is None:
                return
            # Where there is no page, no later moment may come.
            if first and pages and self._drawn is not None:
                return
            source = self._panel._recorded()
            found = source and positions(self._panel.kind, source)
            if found is not None and found != self._drawn:
                self._drawn = found
                self._publish(update=True, view=bool(pages))

    def _publish(self, *, update: bool, view: bool = True) -> None:
        data, metadata = self._panel._repr_mimebundle_()
        metadata = {**metadata, MARK: {}}
        if update:
            from daskscope.picture import SIZE

            data[PNG] = base64.b64encode(self._panel.picture()).decode()
            metadata[PNG] = {"width": SIZE[0], "height": SIZE[1], "alt": data["text/plain"]}
        if not view:
            del data[VIEW]
        shell().display_pub.publish(
            data, metadata, transient={"display_id": self._id}, update=update
        )


class _Outputs:
    """The outputs of all panels that are open."""

    def __init__(self) -> None:
        self._all: dict[Output, None] = {}
        self._events: Any = None
        self._round = 0

    def add(self, output: Output) -> None:
        """Draw an output's picture from now on."""
        self._all[output] = None
        events = shell().events
        if events is not self._events:
            self._events = events
            events.register("post_run_cell", self._cell_ended)
        self._draw_later()

    def remove(self, output: Output) -> None:
        """Draw it no more."""
        self._all.pop(output, None)

    def _cell_ended(self, _: Any = None) -> None:
        self._draw(first=True)
        self._draw_later()

    def _draw(self, *, first: bool = False) -> None:
        for output in list(self._all):
            try:
                output.draw(first=first)
            except Exception:
                logger.debug("a panel's picture could not be drawn", exc_info=True)

    def _draw_later(self) -> None:
        self._round += 1
        if self._all:
            collect.soon(self._after_pause, self._round, 0)

    def _after_pause(self, number: int, at: int) -> None:
        if number != self._round or at >= len(PAUSES_S):
            return

        def draw() -> None:
            if number == self._round:
                self._draw()
                self._after_pause(number, at + 1)

        asyncio.get_running_loop().call_later(PAUSES_S[at], draw)


_outputs: Final = _Outputs()
