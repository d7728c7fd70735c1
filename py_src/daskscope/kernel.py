"""daskscope inside a kernel: its hub, and the comm target that JupyterLab opens.

Cheap to import: neither Dask nor pandas is loaded before there is something to show.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from daskscope import collect, recorder, session_list
from daskscope.cell_monitor import cell_monitor, shell
from daskscope.schema import COMM_TARGET, PROTOCOL
from daskscope.stream import Channel, Hub
from daskscope.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        import comm

        comm.get_comm_manager().register_target(COMM_TARGET, _on_comm_open)
    recorder.enable()
    return {"daskscope": installed_version(), "protocol": PROTOCOL}


def the_hub() -> Hub:
    """Return the hub of this process."""
    global _hub
    with _lock:
        if _hub is None:
            cell_monitor.hold(the_hub)
            hub = _hub = Hub(
                collect,
                cell=cell_monitor.current,
                subshells=supports_subshells,
                recorder_on=recorder.enabled,
                crowded=collect.gil_pressure.crowded,
                answer=_answer,
            )
            session_list.on_sessions_changed(lambda: hub.set_sessions(session_list.sources))
            hub.set_sessions(session_list.sources)
        return _hub


def _answer(what: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Answer what a page asks of this kernel and not of a session."""
    from daskscope.library.library_api import answer

    return answer(what, args)


def receive(channel: Channel, content: Any) -> None:
    """Hand the hub what a page said."""
    the_hub().receive(channel, content)
    cell_monitor.answered()


def _on_comm_open(comm: Any, message: dict[str, Any]) -> None:  # noqa: ARG001 - comm's signature
    """Make a channel of a comm that a page opened."""
    hub = the_hub()
    answer_where_asked(comm)
    channel = Channel(lambda data, buffers: comm.send(data=data, buffers=list(buffers)))

    def on_message(message: dict[str, Any]) -> None:
        data = message["content"]["data"]
        receive(channel, data)
        if isinstance(data, dict) and data.get("type") == "bye":
            # The page cannot close its comm on its way out: it would stay here for good.
            hub.close(channel)
            comm.close()

    comm.on_msg(on_message)
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


def supports_subshells() -> bool:
    """Return whether this kernel answers messages while a cell runs."""
    kernel = getattr(shell(), "kernel", None)
    info = getattr(kernel, "kernel_info", None) or {}
    return "kernel subshells" in info.get("supported_features", ())


@collect.after_fork
def _abandon_hub() -> None:
    """In a forked child the pages belong to the parent."""
    global _hub, _lock
    _lock = threading.RLock()
    if _hub is not None:
        _hub.abandon()
        _hub = None
