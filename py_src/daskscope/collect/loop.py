"""One thread with one event loop for all background work of daskscope.

It does not use the Dask client's loop: with a LocalCluster, the scheduler runs on that loop;
with an asynchronous client, it is the kernel's main thread, which a running cell blocks. The
thread starts when it is needed and ends when its last holder drops it.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tornado.ioloop import IOLoop

from daskscope.forks import after_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

THREAD_NAME: Final = "daskscope"
GRACE_S: Final = 0.2

T = TypeVar("T")


class _Background:
    """A running thread and its loop."""

    def __init__(self) -> None:
        # distributed's connections expect tornado's wrapper around asyncio's loop. It is created
        # here, so that the caller gets the error if no file descriptor is free.
        self.io_loop = IOLoop(make_current=False)
        self.loop: asyncio.AbstractEventLoop = self.io_loop.asyncio_loop
        ready = threading.Event()
        self.loop.call_soon(ready.set)
        self.thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
        try:
            self.thread.start()
        except RuntimeError:  # no further thread can be started
            self.io_loop.close()
            raise
        ready.wait()

    def _run(self) -> None:
        try:
            self.io_loop.start()
            self.loop.run_until_complete(_end_tasks())
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
        finally:
            self.io_loop.close()

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.io_loop.stop)


async def _end_tasks() -> None:
    """Wait for remaining tasks to end; cancel those that do not."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_lock = threading.RLock()
_background: _Background | None = None
_holders: set[object] = set()
_abandoned: list[_Background] = []


def hold(holder: object) -> asyncio.AbstractEventLoop:
    """Return the loop, started if needed, and keep it running until `drop(holder)`."""
    global _background
    with _lock:
        if _background is None:
            _background = _Background()
        _holders.add(holder)
        return _background.loop


def soon(callback: Callable[..., object], *args: object) -> bool:
    """Call `callback` in the background thread; return false if there is no such thread."""
    with _lock:  # a loop that is held now runs the callback before it ends
        if _background is None:
            return False
        _background.loop.call_soon_threadsafe(callback, *args)
        return True


def drop(holder: object) -> None:
    """Release the loop, which ends with its last holder. Any thread may call this."""
    global _background
    with _lock:
        _holders.discard(holder)
        if _holders or _background is None:
            return
        background, _background = _background, None
    background.stop()
    if threading.current_thread() is not background.thread:
        background.thread.join(timeout=2)


def inside() -> bool:
    """Return whether the caller runs in the background thread."""
    background = _background
    return background is not None and threading.current_thread() is background.thread


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in the background thread, which stays alive until it is done."""
    token = object()
    future = asyncio.run_coroutine_threadsafe(work, hold(token))
    future.add_done_callback(lambda _: drop(token))
    return future


def wait(work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
    """Run a coroutine in the background thread and wait for it; an interrupt cancels it."""
    future = submit(work)
    try:
        return future.result(seconds)
    finally:
        future.cancel()


async def awaited(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in the background thread and await it in the current loop."""
    return await asyncio.wrap_future(submit(work))


@after_fork
def _forget_in_child() -> None:
    """Forget the loop in a forked child, where its thread does not exist.

    A reference is kept so that it is never closed: its selector is shared with the parent, and
    closing it would affect the parent.
    """
    global _lock, _background
    _lock = threading.RLock()
    if _background is not None:
        _abandoned.append(_background)
        _background = None
    _holders.clear()


@atexit.register
def _stop_at_exit() -> None:
    global _background
    background, _background = _background, None
    if background is not None:
        background.stop()
        background.thread.join(timeout=1)
