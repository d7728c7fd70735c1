"""The agent's plugin in each worker: answers with new cycles of the profile.

It is sent as source text, like the scheduler plugin, and does nothing between two requests.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import msgpack
from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin

from daskscope.agent.profile import NOTHING_KNOWN, ProfileCycles, ProfiledProcess

MAX_READERS = 20
LAST_WORDS_S = 0.5  # a closing worker waits at most this long for the scheduler


class WorkerAgent(WorkerPlugin):
    """Answers with the profile of its worker, and sends the rest when the worker closes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.worker: Any = None
        self.cycles: Any = None
        self.process: Any = None
        self.readers: dict[str, Any] = {}  # what each reader had at its last request

    def setup(self, worker: Any) -> None:
        """Start answering."""
        self.worker = worker
        self.cycles = ProfileCycles()
        self.process = ProfiledProcess(worker)
        worker.handlers[self.name + "_profile"] = self.profile

    async def teardown(self, worker: Any) -> None:
        """Remove the plugin; if the worker is closing, send the remaining cycles first."""
        handler = worker.handlers.get(self.name + "_profile")
        if getattr(handler, "__self__", None) is self:
            del worker.handlers[self.name + "_profile"]
        with suppress(Exception):  # the scheduler may be gone, too
            if worker.status in (Status.closing, Status.closing_gracefully):
                send = getattr(worker.scheduler, self.name + "_left")
                sent = send(worker=worker.address, data=self.last_words())
                await asyncio.wait_for(sent, LAST_WORDS_S)
        self.worker = self.cycles = self.process = None
        self.readers.clear()

    def profile(self, reader: str = "", packed: bytes = b"", last: bool = False) -> Any:
        """Return what is new to a reader; `last` means that it will not ask again."""
        self.readers.pop(reader, None)
        try:
            known = msgpack.unpackb(packed) if packed else None
            if not last:
                self.readers[reader] = known
                if len(self.readers) > MAX_READERS:
                    del self.readers[next(iter(self.readers))]
            return self.cycles.answer(known, self.process, last)
        except Exception:  # an unsupported version of distributed; the reader reports it
            return b""

    def last_words(self) -> Any:
        """Return all cycles that at least one reader lacks."""
        asked = [
            known if known and known[0] == self.cycles.id else NOTHING_KNOWN
            for known in self.readers.values()
        ]
        firsts = [None if None in at else min(at) for at in zip(*[one[-2:] for one in asked])]
        self.cycles.begin_tables()  # so that the message is self-contained
        known = [self.cycles.id, 0, 0, 0, 0, *(firsts or [None, None])]
        return self.cycles.answer(known, self.process, last=True)
