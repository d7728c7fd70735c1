"""A wait that may be cut short, at the price of one turn of the loop.

`asyncio.wait_for` on an event makes a task, and three turns of the loop. Each turn gives up
Python's lock, and while a cell computes it takes 5 ms to get it back.
"""

from __future__ import annotations

import asyncio


class Alarm:
    """For one waiter. To be used in one event loop."""

    def __init__(self) -> None:
        self._rung = False
        self._waiter: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """End the wait of now, or the next one."""
        self._rung = True
        self._end()

    def clear(self) -> None:
        """Forget that it rang."""
        self._rung = False

    async def wait(self, seconds: float) -> bool:
        """Return whether it rang before the time was over."""
        if self._rung:
            return True
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        timer = loop.call_later(seconds, self._end)
        try:
            await waiter
        finally:
            timer.cancel()
            self._waiter = None
        return self._rung

    def _end(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
