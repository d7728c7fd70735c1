"""The recorder: it records every client of a kernel from the start.

Dask's own hook for what happens when a client starts is the setting
`distributed.client.preload`, a list of modules whose `dask_setup` is called. Workers
inherit this setting, and their environment may lack daskscope: a module that cannot be
imported would break every client there. So the list names a module that Dask itself
has everywhere, and only in this process does that module get a `dask_setup`; elsewhere
the entry does nothing.

Nothing here may break or noticeably delay a client. Heavy imports happen in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from daskscope.errors import BadSettingError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from distributed import Client

__all__ = ["disable", "enable", "enabled"]

HOOK_MODULE: Final = "dask.config"
"""Exists wherever Dask is, is imported already, and has no `dask_setup` of its own."""

PRELOAD: Final = "distributed.client.preload"
PRELOAD_ARGV: Final = "distributed.client.preload-argv"
WORKERS_CLIENT: Final = "Client-worker-"
"""Begins the id of what `get_client` makes inside a task: it shows nothing of its own."""

LAST_READ_S: Final = 1.0

logger = logging.getLogger(__name__)

_enabled_pid: int | None = None
_last_warning = ""


class _Quiet(logging.Filter):
    """Drops Dask's log messages about our preload, which each Client() would show."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or record.args != (HOOK_MODULE,)


_quiet: Final = _Quiet()


def in_kernel() -> bool:
    """Return whether this process is an IPython kernel, as behind a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def enabled() -> bool:
    """Return whether new clients of this process are recorded automatically."""
    if not _enabled_here() or HOOK_MODULE not in _preload()[0]:
        return False
    from daskscope import config

    try:
        return bool(config.read("recorder.enabled"))
    except BadSettingError:
        return False


def _enabled_here() -> bool:
    return _enabled_pid == os.getpid()


def enable() -> bool:
    """Record every client of this process, including existing ones.

    Return False if the setting `daskscope.recorder.enabled` is false. Raise if it is invalid.
    """
    global _enabled_pid
    from daskscope import config

    if not config.read("recorder.enabled"):
        return False
    _add_preload()
    module = sys.modules[HOOK_MODULE]
    module.dask_setup = _client_started  # type: ignore[attr-defined]
    module.dask_teardown = _client_closing  # type: ignore[attr-defined]
    logging.getLogger("distributed.preloading").addFilter(_quiet)
    _enabled_pid = os.getpid()
    attach_all()
    return True


def enable_or_warn() -> None:
    """Enable it on load, where a wrong setting is only a warning."""
    global _last_warning
    try:
        enable()
    except BadSettingError as error:
        then = "Then run daskscope.recorder.enable()."
        words = f"Daskscope does not record clients automatically. {error} {then}"
        if words != _last_warning:  # `%load_ext` imports us, which loads us, and then loads us
            logger.warning(words)
        _last_warning = words


def disable() -> None:
    """Do not record new clients. Existing sessions continue."""
    global _enabled_pid
    import dask.config

    _enabled_pid = None
    preload, argv = _preload()
    if HOOK_MODULE in preload:
        index = preload.index(HOOK_MODULE)
        if argv and not isinstance(argv[0], str):
            del argv[index]
        del preload[index]
        dask.config.set({PRELOAD: preload, PRELOAD_ARGV: argv})
    for name in ("dask_setup", "dask_teardown"):
        with suppress(AttributeError):
            delattr(sys.modules[HOOK_MODULE], name)
    logging.getLogger("distributed.preloading").removeFilter(_quiet)


def attach_all() -> list[Future[None]]:
    """Attach to the clients that exist, also those with `set_as_default=False`.

    Return a future for each that was not attached before. The hook is set again if it was
    lost: `dask.config.refresh()` forgets what was not read from files or the environment.
    """
    if _enabled_here():
        _add_preload()
    # A thread may come here while another one is just importing it: no clients then.
    client_class = getattr(sys.modules.get("distributed"), "Client", None)
    if client_class is None:
        return []
    return [
        _attach(client)
        for client in (*_copied(client_class._instances), *_being_made(client_class))
        if client.status in ("running", "connecting", "newly-created") and _wanted(client)
    ]


def _being_made(client_class: type[Client]) -> list[Client]:
    """Return the clients that other threads are just making.

    Dask lists a client once it has started, which takes as long as its cluster takes, and has
    read by then which preloads it has: one that began before the hook was set is in neither.
    """
    code = getattr(client_class.__init__, "__code__", None)  # none if it was wrapped
    frames: list[FrameType | None] = list(sys._current_frames().values())
    found = []
    while frames:
        frame = frames.pop()
        if frame is None:
            continue
        frames.append(frame.f_back)
        if frame.f_code is code:
            client = frame.f_locals["self"]
            if getattr(client, "preloads", None) is not None:  # else it will read them
                found.append(client)
    return found


def _copied(clients: Iterable[Client]) -> list[Client]:
    """Return the clients of a set to which other threads add just now."""
    while True:
        try:
            return list(clients)
        except RuntimeError:  # it changed its size
            continue


def _wanted(client: Client) -> bool:
    """Return whether a client is to be attached, as far as it is known without imports."""
    if client.id.startswith(WORKERS_CLIENT):
        return False
    listed = _session_list()
    if listed is None:
        return True
    return listed.of_client(client.id) is None and not listed.was_closed_by_user(client)


def _session_list() -> Any:
    """Return the module of sessions if there can be one: a thread may just be importing it."""
    module = sys.modules.get("daskscope.session_list")
    ready = hasattr(module, "of_client") and hasattr(module, "was_closed_by_user")
    return module if ready else None


def _preload() -> tuple[list[str], list[Any]]:
    import dask.config

    preload = dask.config.get(PRELOAD, None) or []
    argv = dask.config.get(PRELOAD_ARGV, None) or []
    return [preload] if isinstance(preload, str) else list(preload), list(argv)


def _add_preload() -> None:
    import dask.config

    preload, argv = _preload()
    if HOOK_MODULE not in preload:
        if argv and not isinstance(argv[0], str):  # a list of arguments for each preload
            argv.append([])
        dask.config.set({PRELOAD: [*preload, HOOK_MODULE], PRELOAD_ARGV: argv})


def _attach(client: Client) -> Future[None]:
    """Connect to a client in a thread of its own; done when its tasks are captured."""
    done: Future[None] = Future()

    def work() -> None:
        try:
            from daskscope import collect, session_list
            from daskscope.session import parts_of

            if not session_list.was_closed_by_user(client):
                attached = session_list.connect(client)
                collect.wait(parts_of(attached).collector.attached(), LAST_READ_S)
        except BadSettingError as error:
            logger.warning("Daskscope does not record this client. %s", error)
        except Exception:
            logger.debug("daskscope could not attach to %s", client.id, exc_info=True)
        finally:
            done.set_result(None)

    threading.Thread(target=work, name="daskscope-attach", daemon=True).start()
    return done


async def _client_started(client: Client) -> None:
    """Attach before the user can submit; called by Dask in the client's loop."""
    if not _enabled_here() or not _wanted(client):
        return
    try:
        from daskscope import config

        if config.read("recorder.enabled"):
            timeout_s = float(config.read("recorder.start-timeout"))
            # `wait` neither raises what the other side raises nor cancels it.
            attached = asyncio.wrap_future(_attach(client))
            await asyncio.wait({attached}, timeout=timeout_s)
    except BadSettingError as error:
        logger.warning("Daskscope does not record this client. %s", error)
    except Exception:
        logger.debug("daskscope goes on attaching to %s", client.id, exc_info=True)


async def _client_closing(client: Client) -> None:
    """Read the last tasks while the scheduler is still there."""
    listed = _session_list()
    if not _enabled_here() or listed is None:
        return
    try:
        from daskscope import collect
        from daskscope.session import parts_of

        session = listed.of_client(client.id)
        if session is not None and not session.closed:
            done = collect.submit(parts_of(session).collector.stop())
            await asyncio.wait({asyncio.wrap_future(done)}, timeout=LAST_READ_S)
    except Exception:
        logger.debug("daskscope left %s late", client.id, exc_info=True)
