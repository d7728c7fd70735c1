"""Which cell the kernel runs just now, and that it still runs one.

A kernel with subshells answers a page during a cell, and says "idle" after each answer,
as if the cell had ended: JupyterLab's indicator then shows an idle kernel. So after an
answer we say "busy" again for the cell that runs.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from typing import Any, Final

from daskscope import collect
from daskscope.schema import HEARD_AGAIN_S

logger = logging.getLogger(__name__)

AFTER_ANSWER_S: Final = 0.02
"""The kernel says "idle" as soon as our handler has returned."""
AFTER_LAST_S: Final = HEARD_AGAIN_S
"""On a machine that is busy that may be later: after a pause in the answers we say it once more.
A page that watches makes none so long: its next ack says it for the one before."""


def shell() -> Any:
    """Return IPython's shell, without importing IPython."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def cell_name() -> str:
    """Return where the cell stands that runs; nothing outside of IPython."""
    ip = shell()
    if ip is None:
        return ""
    inputs = ip.user_ns.get("In")  # or a variable of that name
    return of_notebook(f"In [{len(inputs) - 1}]" if isinstance(inputs, list) and inputs else "")


def of_notebook(cell: str) -> str:
    """Return a cell's name with that of its notebook, where a server tells that."""
    notebook = os.path.basename(os.environ.get("JPY_SESSION_NAME", ""))  # noqa: PTH119 - of any system
    return ", ".join(filter(None, (notebook, cell)))


class Cells:
    """Follows the cells of the main shell."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number = 0
        # Unknown until a cell begins or ends: this may be code of one. Outside IPython
        # nothing tells, and it stays unknown.
        self._current: int | None = None
        self._request: Any = None  # the parent header of what the running cell sends
        self._last: asyncio.TimerHandle | None = None  # of AFTER_LAST_S
        events = getattr(shell(), "events", None)
        if events is not None:
            events.register("pre_run_cell", self._begin)
            events.register("post_run_cell", self._end)

    def current(self) -> int | None:
        """Return the number of the cell that runs, 0 between cells, `None` if unknown."""
        return self._current

    def answered(self) -> None:
        """Take note that a message was handled; say soon that the cell goes on."""
        if self._current:
            collect.soon(self._say_busy_later)

    def _say_busy_later(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(AFTER_ANSWER_S, self._say_busy)
        if self._last is not None:
            self._last.cancel()
        self._last = loop.call_later(AFTER_LAST_S, self._say_busy)

    def _say_busy(self) -> None:
        # The lock keeps "busy" ahead of the "idle" at the end of the cell.
        with self._lock:
            kernel = getattr(shell(), "kernel", None)
            if not self._current or self._request is None or kernel is None:
                return
            try:
                kernel.session.send(
                    kernel.iopub_socket,
                    "status",
                    {"execution_state": "busy"},
                    parent=self._request,
                    ident=f"kernel.{kernel.ident}.status".encode(),
                )
            except Exception:  # another kind of kernel: without it all goes on
                self._request = None
                logger.debug("the kernel's status cannot be published", exc_info=True)

    def _begin(self, info: Any = None) -> None:  # noqa: ARG002 - IPython's signature
        kernel = getattr(shell(), "kernel", None)
        parent = getattr(kernel, "get_parent", None)
        with self._lock:
            self._request = parent("shell") if parent is not None else None
            self._number += 1
            self._current = self._number

    def _end(self, result: Any = None) -> None:  # noqa: ARG002 - IPython's signature
        with self._lock:
            self._current = 0
