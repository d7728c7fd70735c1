"""What the workers of a recording are called, by address, also those that have left."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from daskscope.recording.names import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_WORKER_NAMES: Final = 10_000
"""An adaptive cluster may start any number of workers; the ones met first are forgotten."""


def shown_name(given: str, address: str) -> str:
    """Return what panels call a worker (`nameOf` in ``worker_groups.ts``).

    LocalCluster calls its workers 0, 1, 2…; unnamed ones carry their address.

    >>> shown_name("2", "tcp://10.0.0.1:39411"), shown_name("big-1", "tcp://10.0.0.1:39412")
    ('worker-2', 'big-1')
    >>> shown_name("tcp://10.0.0.1:39413", "tcp://10.0.0.1:39413")
    '10.0.0.1:39413'
    """
    if given in ("", address):
        return re.sub(r"^[a-z+]+://", "", address, flags=re.IGNORECASE)
    return f"worker-{given}" if re.fullmatch(r"[0-9]+", given) else given


def name_of(address: str, names: Mapping[str, str]) -> str:
    """Return what panels call the worker of an address, also one that nobody has named.

    >>> name_of("tcp://w:1", {"tcp://w:1": "worker-0"}), name_of("tcp://w:2", {})
    ('worker-0', 'w:2')
    """
    return names.get(address) or shown_name("", address)


class WorkerNames:
    """Learnt by one thread; any thread may read what `by_address` gave it.

    >>> names = WorkerNames()
    >>> names.learn({"tcp://w:1": "0"})
    >>> names.learn({"tcp://w:2": "1"})
    >>> dict(names.by_address)
    {'tcp://w:1': 'worker-0', 'tcp://w:2': 'worker-1'}
    """

    def __init__(self) -> None:
        self.by_address: Mapping[str, str] = MappingProxyType({})

    def learn(self, given: Mapping[str, str]) -> None:
        """Take the names that the scheduler has for some addresses."""
        known = self.by_address
        named = {
            clean(address): clean(shown_name(name, address)) for address, name in given.items()
        }
        if all(known.get(address) == name for address, name in named.items()):
            return
        every = {**known, **named}
        for address in list(every)[: max(0, len(every) - MAX_WORKER_NAMES)]:
            del every[address]
        self.by_address = MappingProxyType(every)
