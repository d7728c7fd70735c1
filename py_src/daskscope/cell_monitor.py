"""The cells that this kernel runs: which one runs just now, and which one sent a graph.

A kernel with subshells answers a page during a cell, and says "idle" after each answer,
as if the cell had ended: JupyterLab's indicator then shows an idle kernel. So after an
answer we say "busy" again for the cell that runs.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import sys
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from daskscope import collect
from daskscope.schema import HEARD_AGAIN_S

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

AFTER_ANSWER_S: Final = 0.02
"""The kernel says "idle" as soon as our handler has returned."""
AFTER_LAST_S: Final = HEARD_AGAIN_S
"""On a machine that is busy that may be later: after a pause in the answers we say it once more.
A page that watches makes none so long: its next ack says it for the one before."""

SHARED_THREADS: Final = "Dask-"
"""Begins the names of threads in which Dask runs callbacks and tasks of any cell."""

_cell: ContextVar[str | None] = ContextVar("daskscope_cell", default=None)
"""Name of the cell whose code runs: asyncio tasks have that of the cell that made them."""


def shell() -> Any:
    """Return IPython's shell, without importing IPython."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def cell_name() -> str:
    """Return the notebook and name of the running cell; nothing outside of IPython."""
    ip = shell()
    if ip is None:
        return ""
    inputs = ip.user_ns.get("In")  # or a variable of that name
    return of_notebook(_named(len(inputs) - 1) if isinstance(inputs, list) and inputs else "")


def of_notebook(cell: str) -> str:
    """Return a cell's name with that of its notebook, if the server provides it."""
    notebook = os.path.basename(os.environ.get("JPY_SESSION_NAME", ""))  # noqa: PTH119 - of any system
    return ", ".join(filter(None, (notebook, cell)))


def _named(number: int) -> str:
    return f"In [{number}]"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is executed; its times are this computer's."""

    name: str
    time: float
    id: str
    code: str
    stop: float = math.nan
    status: str = "running"


class CellMonitor:
    """Follows the cells of the main shell, while it has holders."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number = 0
        # Unknown until a cell begins or ends: this may be code of one. Outside IPython
        # it stays unknown.
        self._current: int | None = None
        self._request: Any = None  # the parent header of what the running cell sends
        self._last: asyncio.TimerHandle | None = None  # of AFTER_LAST_S
        self._holders: dict[object, Callable[[Cell], object]] = {}
        self._events: Any = None
        self._nested = 0  # cells that the running one runs
        self._running: Cell | None = None
        self._before = ""  # name of the cell that ran last
        self._threads: WeakKeyDictionary[threading.Thread, str] = WeakKeyDictionary()

    def hold(self, holder: object, callback: Callable[[Cell], object] = lambda _: None) -> None:
        """Follow cells until `drop(holder)`; `callback` is called when each begins and ends.

        It is called at once for the one that runs now, in any thread.
        """
        with self._lock:
            self._holders = {**self._holders, holder: callback}
            if self._events is None and (ip := shell()) is not None:
                self._running = _running(ip)
                self._events = ip.events
                ip.events.register("pre_run_cell", self._begin)
                ip.events.register("post_run_cell", self._end)
            running = self._running
        if running is not None:
            if threading.current_thread() is threading.main_thread():  # its own code
                _cell.set(running.name)
            callback(running)

    def drop(self, holder: object) -> None:
        """Let go; with the last holder the hooks in IPython are given back."""
        with self._lock:
            self._holders = {one: call for one, call in self._holders.items() if one != holder}
            if not self._holders:
                self._forget()

    def _forget(self) -> None:
        events, self._events = self._events, None
        if events is not None:
            events.unregister("pre_run_cell", self._begin)
            events.unregister("post_run_cell", self._end)
        self._current = self._running = None
        self._before, self._nested = "", 0
        self._threads.clear()

    def in_child(self) -> None:
        """Forget everything in a forked child."""
        self._lock = threading.Lock()
        self._holders = {}
        self._forget()

    def of_sender(self) -> str:
        """Return the cell whose code calls this: "" outside of cells.

        A thread belongs to the cell that started it, whichever cell runs now.
        """
        name = _cell.get()
        if name is None:
            running = self._running
            name = self._threads.get(threading.current_thread()) or (
                running.name if running else ""
            )
        return name

    def current(self) -> int | None:
        """Return the number of the cell that runs, 0 between cells, `None` if unknown."""
        return self._current

    def answered(self) -> None:
        """Take note that a message was handled; say soon that the cell goes on."""
        if self._current:
            collect.soon(self._send_busy_later)

    def _send_busy_later(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(AFTER_ANSWER_S, self._send_busy)
        if self._last is not None:
            self._last.cancel()
        self._last = loop.call_later(AFTER_LAST_S, self._send_busy)

    def _send_busy(self) -> None:
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

    def _begin(self, info: Any = None) -> None:
        request = _request()
        with self._lock:
            if self._running is not None:
                self._nested += 1
                return
            self._request = request
            self._number += 1
            self._current = self._number
            self._give_threads(self._before)
            if info is None or not info.store_history:
                return
            cell = self._running = _cell_of(info, _next_number(shell()), request)
            holders = self._holders
        _cell.set(cell.name)
        _notify(holders, cell)

    def _end(self, result: Any = None) -> None:
        with self._lock:
            if self._nested:
                self._nested -= 1
                return
            self._current = 0
            cell, self._running = self._running, None
            self._before = cell.name if cell is not None else ""
            self._give_threads(self._before)
            holders = self._holders
        _cell.set(None)
        if cell is None:
            return
        _notify(holders, replace(cell, stop=time.time(), status=_status(result)))

    def _give_threads(self, cell: str) -> None:
        """Give the threads that are new to a cell: only it can have started them."""
        main = threading.main_thread()
        for thread in threading.enumerate():
            if thread not in self._threads and thread is not main:
                shared = thread.name.startswith(SHARED_THREADS)
                self._threads[thread] = "" if shared else cell


def _request() -> Any:
    """Return the message for which the kernel runs a cell."""
    parent = getattr(getattr(shell(), "kernel", None), "get_parent", None)
    return parent("shell") if parent is not None else None


def _next_number(ip: Any) -> int:
    """Return the number of a cell that is about to run.

    Its input is not in the history yet; newer versions of IPython count it before, though.
    """
    count = int(ip.execution_count)
    return count - 1 if count > len(ip.history_manager.input_hist_raw) else count


def _running(ip: Any) -> Cell | None:
    """Return the cell that runs now, whose begin was missed."""
    result = getattr(ip.displayhook, "exec_result", None)  # while the code of a cell runs
    if result is None or not result.info.store_history or result.execution_count is None:
        return None
    return _cell_of(result.info, result.execution_count, _request())


def _cell_of(info: Any, number: int, request: Any) -> Cell:
    metadata = request.get("metadata") if isinstance(request, dict) else None
    of_message = metadata.get("cellId") if isinstance(metadata, dict) else None
    cell_id = of_message or getattr(info, "cell_id", None) or ""
    return Cell(_named(number), time.time(), str(cell_id), str(info.raw_cell))


def _status(result: Any) -> str:
    """Return how a cell ended; one that was cancelled while it was awaited has no result."""
    if result is None:
        return "interrupted"
    error = result.error_before_exec or result.error_in_exec
    if error is None:
        return "ok"
    # Not of a class derived from it: Dask has one of its own for a future that was cancelled.
    cancelled = type(error) is asyncio.CancelledError
    return "interrupted" if cancelled or isinstance(error, KeyboardInterrupt) else "error"


def _notify(holders: dict[object, Callable[[Cell], object]], cell: Cell) -> None:
    for callback in holders.values():
        try:
            callback(cell)
        except Exception:
            logger.debug("a cell could not be noted", exc_info=True)


cell_monitor: Final = CellMonitor()
"""Those of this process."""

collect.after_fork(cell_monitor.in_child)
