"""What daskscope has left behind on the schedulers that live in this process."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from tornado.ioloop import PeriodicCallback

if TYPE_CHECKING:
    from collections.abc import Iterator

REGISTRIES = ("plugins", "handlers", "stream_handlers", "periodic_callbacks", "extensions")


def traces_on_schedulers() -> list[str]:
    """Name each plugin, handler, timer and task of ours that a scheduler still has."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return []
    return [
        f"{scheduler.address}: {trace}"
        for scheduler in list(distributed.Scheduler._instances)
        for trace in _traces(scheduler)
    ]


def _traces(scheduler: Any) -> Iterator[str]:
    for kind in REGISTRIES:
        for name, value in list(getattr(scheduler, kind).items()):
            if name.startswith("daskscope") or _is_ours(value):
                yield f"{kind}: {name}"
    loop = scheduler.loop.asyncio_loop
    if loop.is_closed():
        return
    for timer in list(loop._scheduled):
        if not timer.cancelled() and any(map(_is_ours, (timer._callback, *timer._args))):
            yield f"timer: {timer}"
    for task in asyncio.all_tasks(loop):
        if _is_ours(task.get_coro()):
            yield f"task: {task}"


def _is_ours(thing: Any) -> bool:
    """Return whether daskscope, or the agent that it sent, wrote what this runs."""
    if isinstance(thing, partial):
        return any(map(_is_ours, (thing.func, *thing.args)))
    if isinstance(thing, PeriodicCallback):
        return _is_ours(thing.callback)
    owner = getattr(thing, "__self__", None)
    if owner is not None and _is_ours(owner):
        return True
    frame = getattr(thing, "cr_frame", None)
    modules = (
        frame.f_globals.get("__name__") if frame is not None else None,
        getattr(thing, "__module__", None),
        type(thing).__module__,
    )
    return any(str(module).startswith("daskscope") for module in modules)
