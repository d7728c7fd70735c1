"""Workers as a scheduler has them, whose heartbeats are made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distributed.core import Status
from distributed.scheduler import WorkerState

if TYPE_CHECKING:
    import random

GIB = 2**30


def worker(number: int) -> WorkerState:
    """Return a worker as a scheduler has it."""
    return WorkerState(
        address=f"tcp://10.0.{number // 250}.{number % 250}:{30_000 + number}",
        status=Status.running,
        pid=number,
        name=number,
        nthreads=4,
        memory_limit=16 * GIB,
        local_directory="/tmp",
        nanny="",
        server_id=str(number),
    )


def beat(state: WorkerState, dice: random.Random) -> None:
    """Do what a heartbeat does to a worker: its memory, and what its tasks do."""
    managed = dice.randrange(8 * GIB)
    state.nbytes = managed
    state.metrics = {
        "memory": managed + dice.randrange(4 * GIB),
        "spilled_bytes": {"memory": 0, "disk": dice.randrange(GIB)},
        "cpu": dice.uniform(0, 400),
        "task_counts": {},
    }
    state._memory_unmanaged_old = dice.randrange(2 * GIB)
