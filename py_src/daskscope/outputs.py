"""Outputs of cells that show a panel: its widget, and a picture for where no widget can run.

At first the output has the widget alone. The picture comes as an update, at the end of the cell
and a few times later, where that does no harm: on pages that keep the widget then, and where
there is no page (nbclient): that output gets the picture in place of the widget.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import threading
import uuid
from typing import TYPE_CHECKING, Any, ClassVar, Final

from daskscope import collect
from daskscope.cell_monitor import shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from daskscope.stream.sources import Source
    from daskscope.widgets import Panel

logger = logging.getLogger(__name__)

PAUSES_S: Final = (1.0, 7.0, 52.0)
"""Before each further picture after a cell has ended, or shown a panel: tasks may go on."""

MAX_OUTPUTS: Final = 20
"""So many get pictures, the newest: an output that is no longer on a page does not say so."""

MARK: Final = "daskscope"
"""A key of the metadata, by which the labextension knows an output of ours."""


def can_update() -> bool:
    """Return whether cells have outputs that can be updated later."""
    return hasattr(getattr(shell(), "kernel", None), "get_parent")


def _may_have_page() -> bool:
    """Return whether a page may show the output of this cell: nbclient answers no `input()`.

    Nor does Voila, which runs the cells for a page that comes later.
    """
    request = shell().kernel.get_parent("shell").get("content", {})
    is_voila = os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
    return is_voila or bool(request.get("allow_stdin", True))


class Output:
    """The output of a panel; where the panel is shown several times, all of them."""

    _all: ClassVar[dict[Output, None]] = {}
    _round: ClassVar[int] = 0  # counts what further pictures follow

    def __init__(
        self,
        panel: Panel,
        source: Callable[[], Source | None],
        keep_widgets: Callable[[], list[bool]],
    ) -> None:
        """`keep_widgets` returns of each page whether it keeps the widget beside a picture."""
        self._panel, self._source, self._keep_widgets = panel, source, keep_widgets
        self._id = uuid.uuid4().hex
        self._may_have_page = True
        self._drawn: tuple[object, ...] = ()  # what the last picture shows: first the state
        self._lock = threading.Lock()

    def show(self) -> None:
        """Show the panel in the output of the cell that runs."""
        self._may_have_page, self._drawn = _may_have_page(), ()
        self._publish(*self._panel._repr_mimebundle_())
        self._all.pop(self, None)  # it is the newest now
        self._all[self] = None
        for output in list(self._all)[:-MAX_OUTPUTS]:
            output.close()
        shell().events.register("post_run_cell", _cell_ended)
        _draw_later()

    def close(self) -> None:
        """Leave the output as it is."""
        self._all.pop(self, None)

    def draw(self, *, cell_ended: bool = False) -> None:
        """Update the picture, if it would show something new."""
        pages = self._keep_widgets()
        if not (all(pages) if pages else not self._may_have_page):
            return
        # A cell of a user ends without delay; where there is no page, there may be no later.
        if cell_ended and pages and self._drawn:
            return
        if self._lock.acquire(blocking=False):  # who waits might keep the other one waiting
            try:
                self._update(pages)
            finally:
                self._lock.release()

    def _update(self, pages: list[bool]) -> None:
        from daskscope import picture

        source = self._source()
        if self._drawn and (source is None or source.state == self._drawn[0] == "lost"):
            return  # the last picture stays; a scheduler that does not answer is not asked again
        shown = picture.positions(self._panel.kind, source)
        if shown == self._drawn or self._panel.comm is None:
            return
        self._drawn = shown
        data, metadata = self._panel._repr_mimebundle_()
        if not pages:
            data = {"text/plain": data["text/plain"]}
        data["image/png"] = base64.b64encode(self._panel.picture()).decode()
        width, height = picture.SIZE
        about = {"width": width, "height": height, "alt": data["text/plain"].strip("<>")}
        self._publish(data, {**metadata, "image/png": about}, update=True)

    def _publish(self, data: Any, metadata: Any, *, update: bool = False) -> None:
        shell().display_pub.publish(
            data, {**metadata, MARK: {}}, transient={"display_id": self._id}, update=update
        )


def _draw_all(*, cell_ended: bool = False) -> None:
    for output in list(Output._all):
        try:
            output.draw(cell_ended=cell_ended)
        except Exception:
            logger.debug("a panel's picture could not be drawn", exc_info=True)


def _cell_ended(_: Any = None) -> None:
    _draw_all(cell_ended=True)
    _draw_later()


def _draw_later() -> None:
    Output._round += 1
    if Output._all:
        collect.soon(_after_pauses, Output._round, PAUSES_S)


def _after_pauses(number: int, pauses_s: tuple[float, ...]) -> None:
    """Draw after each pause, until a cell ends; in the background loop."""

    def draw() -> None:
        if number == Output._round:
            _draw_all()
            _after_pauses(number, pauses_s[1:])

    if pauses_s:
        asyncio.get_running_loop().call_later(pauses_s[0], draw)
