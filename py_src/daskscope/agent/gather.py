"""Collects the profiles of workers; the scheduler only forwards their bytes.

Runs inside the scheduler, as `daskscope.agent.scheduler` does. The first request of a reader
installs the worker plugin; it is removed together with the agent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from itertools import islice
from time import monotonic, time
from typing import Any

import msgpack

from daskscope.agent.profile import ProfileCycles, ProfiledProcess

REGISTER = "register_worker_plugin"
INSTALL_S = 2.0  # maximum time that a request waits for the installation
WORKER_S = 1.0  # maximum time that a request waits for one worker
ANSWER_S = 5.0  # then no further workers are asked; readers wait for 20 s
AT_ONCE = 32  # workers asked at the same time
MAX_LEFT_BYTES = 16_000_000  # bytes kept from workers that closed


class ProfileGather:
    """Asks workers for the part of their profiles that is new to a reader."""

    def __init__(self, name: str, worker_agent: bytes) -> None:
        self.name = name
        self.worker_agent = worker_agent
        self.scheduler: Any = None
        self.installing: Any = None
        self.leaving: Any = None
        self.cycles = ProfileCycles()
        # What workers sent when they closed: address and bytes. The first has number `first`.
        self.left: deque[tuple[str, bytes]] = deque()
        self.first = 0
        self.left_bytes = 0

    def start(self, scheduler: Any) -> None:
        """Accept the messages of closing workers."""
        self.scheduler = scheduler
        scheduler.handlers[self.name + "_left"] = self.take_left

    def leave(self) -> None:
        """Leave the scheduler and its workers."""
        handler = self.scheduler.handlers.get(self.name + "_left")
        if getattr(handler, "__self__", None) is self:
            del self.scheduler.handlers[self.name + "_left"]
        self.left.clear()
        self.left_bytes = 0
        if self.installing is not None:
            loop = self.scheduler.loop.asyncio_loop
            if not loop.is_closed() and self.scheduler.worker_plugins.get(self.name) is not None:
                self.leaving = loop.create_task(self.uninstall())

    async def install(self) -> None:
        """Install the plugin on all workers, including those that join later."""
        with suppress(Exception):  # a worker may be closing
            await self.scheduler.register_worker_plugin(
                comm=None, plugin=self.worker_agent, name=self.name, idempotent=True
            )

    async def uninstall(self) -> None:
        """Remove the plugin from the workers."""
        await asyncio.wait([self.installing], timeout=INSTALL_S)
        with suppress(Exception):  # a worker may be closing
            await self.scheduler.unregister_worker_plugin(comm=None, name=self.name)

    def take_left(self, worker: str = "", data: bytes = b"") -> None:
        """Keep what a worker sends when it closes."""
        self.left.append((worker, data))
        self.left_bytes += len(data)
        while self.left_bytes > MAX_LEFT_BYTES and len(self.left) > 1:
            self.left_bytes -= len(self.left.popleft()[1])
            self.first += 1

    async def answer(
        self,
        reader: str,
        known: dict[str, bytes],
        after: str,
        left: int | None,
        limit_bytes: int,
        last: bool = False,
    ) -> dict[str, Any]:
        """Return what is new to a reader: bytes by address, without workers that do not answer.

        `known` is what the reader has, packed, by address. Workers are asked in order, starting
        after the worker `after`, until there are `limit_bytes` or `ANSWER_S` have passed. `next`
        is empty if all were asked; otherwise the next request passes it as `after`.
        """
        scheduler = self.scheduler
        if REGISTER in getattr(scheduler, "blocked_handlers", ()):
            return {"refused": True, "time": time()}
        if self.installing is None:
            self.installing = asyncio.ensure_future(self.install())
            await asyncio.wait([self.installing], timeout=INSTALL_S)
        workers = list(scheduler.workers)
        if after in scheduler.workers:
            workers = workers[workers.index(after) + 1 :]
        own = msgpack.unpackb(known[""]) if "" in known else None
        same = not own or own[0] == self.cycles.id
        if left is None or not same or left > self.first + len(self.left):  # another agent's number
            left = 0
        first = max(left, self.first)
        found: dict[str, Any] = {"": self.cycles.answer(own, ProfiledProcess(scheduler))}
        gone, size = [], len(found[""])
        for address, data in islice(self.left, first - self.first, None):
            gone.append([address, data])
            size += len(data)
            if size >= limit_bytes:
                break
        asked, late = 0, monotonic() + ANSWER_S
        while asked < len(workers) and (not asked or (size < limit_bytes and monotonic() < late)):
            part = workers[asked : asked + AT_ONCE]
            asked += len(part)
            for address, data in zip(part, await self.ask(reader, known, part, last)):
                if type(data) is bytes:
                    found[address] = data
                    size += len(data)
        return {
            "time": time(),
            "workers": found,
            "asked": asked,
            "all": list(scheduler.workers) if asked == len(workers) else None,
            "next": workers[asked - 1] if asked < len(workers) else "",
            "left": {"first": first, "items": gone},
        }

    async def ask(
        self, reader: str, known: dict[str, bytes], workers: list[str], last: bool
    ) -> list[Any]:
        """Return the answers of some workers; None for one that does not answer."""
        rpc, op = self.scheduler.rpc, self.name + "_profile"
        more = {"reader": reader, "last": last}
        asked = [
            asyncio.ensure_future(getattr(rpc(one), op)(packed=known.get(one, b""), **more))
            for one in workers
        ]
        try:
            _, silent = await asyncio.wait(asked, timeout=WORKER_S)
        finally:
            for one in asked:
                one.cancel()
        await asyncio.gather(*silent, return_exceptions=True)
        return [None if one.cancelled() or one.exception() else one.result() for one in asked]
