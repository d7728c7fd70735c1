"""daskscope inside a kernel: its hub, and the comm target that JupyterLab opens.

Cheap to import: neither Dask nor pandas is loaded before there is something to show.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import Any

from daskscope import collect, recorder, session
from daskscope.schema import COMM_TARGET, PROTOCOL
from daskscope.stream import Channel, Hub
from daskscope.version import installed_version

logger = logging.getLogger(__name__)

_lock = threading.RLock()
_hub: Hub | None = None


def ensure() -> dict[str, Any]:
    """Make this kernel ready for panels; once is enough, again is cheap.

    JupyterLab evaluates this, silently: it opens the comm target and starts the flight
    recorder, which attaches to the clients that exist.
    """
    the_hub()
    if recorder.in_kernel():
        _register_target()
    recorder.enable()
    return {"daskscope": installed_version(), "protocol": PROTOCOL}


def the_hub() -> Hub:
    """Return the hub of this process."""
    global _hub
    with _lock:
        if _hub is None:
            cells = _Cells()
            hub = _hub = Hub(
                collect,
                cell=cells.current,
                subshells=supports_subshells,
                find_clients=recorder.attach_all,
            )
            session.on_sessions_changed(lambda: hub.set_sessions(session.sessions))
            hub.set_sessions(session.sessions)
        return _hub


def _register_target() -> None:
    import comm

    comm.get_comm_manager().register_target(COMM_TARGET, _on_comm_open)


def _on_comm_open(comm: Any, message: dict[str, Any]) -> None:  # noqa: ARG001 - comm's signature
    """Make a channel of a comm that a page opened."""
    hub = the_hub()
    answer_where_asked(comm)
    channel = Channel(lambda data, buffers: comm.send(data=data, buffers=list(buffers)))
    comm.on_msg(lambda message: hub.receive(channel, message["content"]["data"]))
    comm.on_close(lambda _: hub.close(channel))
    hub.open(channel)


def answer_where_asked(comm: Any) -> None:
    """Let a comm's messages be handled where they arrive.

    ipykernel 7.4 hands them to the shell that last sent on the comm instead. We send
    from a thread of our own, which counts as the main shell: there they would wait for
    the end of the cell. The method is private, so its absence is normal.
    """
    if not hasattr(comm, "_reply_subshell_for"):
        return

    def stay(data: Any, default: Any) -> Any:  # noqa: ARG001 - ipykernel's signature
        with suppress(AttributeError):
            comm._reply_subshell_ids.clear()  # one entry for each of our answers
        return default

    with suppress(AttributeError):
        comm._reply_subshell_for = stay


def _shell() -> Any:
    import sys

    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def supports_subshells() -> bool:
    """Return whether this kernel answers messages while a cell runs."""
    kernel = getattr(_shell(), "kernel", None)
    info = getattr(kernel, "kernel_info", None) or {}
    return "kernel subshells" in info.get("supported_features", ())


class _Cells:
    """Which cell the main shell runs just now."""

    def __init__(self) -> None:
        self._number = 0
        # Unknown until a cell begins or ends: this may be code of one. Outside IPython
        # nothing tells, and it stays unknown.
        self._current: int | None = None
        events = getattr(_shell(), "events", None)
        if events is not None:
            events.register("pre_run_cell", self._begin)
            events.register("post_run_cell", self._end)

    def current(self) -> int | None:
        return self._current

    def _begin(self, info: Any = None) -> None:  # noqa: ARG002 - IPython's signature
        self._number += 1
        self._current = self._number

    def _end(self, result: Any = None) -> None:  # noqa: ARG002 - IPython's signature
        self._current = 0


@collect.after_fork
def _abandon_hub() -> None:
    """In a forked child the pages belong to the parent."""
    global _hub, _lock
    _lock = threading.RLock()
    if _hub is not None:
        _hub.abandon()
        _hub = None
