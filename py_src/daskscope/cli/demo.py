"""`daskscope demo`: a small cluster that runs a workload, to try Daskscope on."""

from __future__ import annotations

import logging
import random
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from daskscope.cli.console import Line, say, warn
from daskscope.format import count_text, moment_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from distributed import Client, LocalCluster

WORKERS: Final = 3
THREADS_EACH: Final = 2
PARTS: Final = 24
"""Files that a round pretends to read."""

FAULTY_PART: Final = 13
FAULTY_ROUNDS: Final = 4
"""In every fourth round one part is broken."""

ROUND_TIMEOUT_S: Final = 60
MB: Final = 1_000_000


def demo(given: argparse.Namespace) -> int:
    """Run the workload until the time is over or an interrupt."""
    from distributed import Client

    ends = time.monotonic() + given.seconds if given.seconds else float("inf")
    with _cluster() as cluster, Client(cluster) as client:
        client.run(leave_interrupts)
        address = cluster.scheduler_address
        say(address)
        warn("Connect from a notebook:      from dask.distributed import Client")
        warn(f'                              client = Client("{address}")')
        warn(f"Or record it:                 daskscope record --scheduler {address} --for 30s")
        after = f"after {moment_text(given.seconds)}, or " if given.seconds else ""
        warn(f"It stops {after}with Ctrl-C.")
        rounds = _work(client, ends)
    warn(f"Finished {count_text(rounds, 'round')} of work")
    return 0


def _cluster() -> LocalCluster:
    from distributed import LocalCluster

    return LocalCluster(
        name="demo",
        n_workers=WORKERS,
        threads_per_worker=THREADS_EACH,
        dashboard_address=":0",
        scheduler_kwargs={"dashboard": False},
        silence_logs=logging.CRITICAL,  # the errors of tasks are intended
    )


def leave_interrupts() -> None:
    """Ignore Ctrl-C in a worker, which would print a traceback; the main process stops it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(client: Client, ends: float) -> int:
    line = Line()
    number = 0
    try:
        while time.monotonic() < ends:
            number += 1
            line.show(f"Round {number:,}")
            _round(client, number, min(ends, time.monotonic() + ROUND_TIMEOUT_S))
    finally:
        line.erase()
    return number


def _round(client: Client, number: int, ends: float) -> None:
    """Load, clean, join, score and sum parts, with transfers and sometimes an error."""
    from distributed import span, wait

    def by_part(function: Callable[..., Any], *inputs: Iterable[Any]) -> list[Any]:
        # A span consists of task groups; without the round in its keys, a group spans all rounds.
        keys = [(f"{function.__name__}-{number}", part) for part in range(PARTS)]
        futures: list[Any] = client.map(function, *inputs, key=keys)
        return futures

    broken = FAULTY_PART if number % FAULTY_ROUNDS == 0 else -1
    with span(f"round-{number}"):
        parts = range(PARTS)
        loaded = by_part(load, parts)
        cleaned = by_part(clean, loaded, [part == broken for part in parts])
        joined = by_part(join, cleaned, cleaned[5:] + cleaned[:5])
        scored = by_part(score, joined)
        total = client.submit(sum, scored[: PARTS // 3], key=(f"total_of-{number}", 0))
    client.log_event("demo", {"round": number})
    with suppress(TimeoutError):
        wait([*scored, total], timeout=max(0.1, ends - time.monotonic()))


def load(part: int) -> bytes:
    """Pretend to read a file."""
    time.sleep(random.uniform(0.02, 0.12))  # noqa: S311 - no secret
    return bytes((1 + part % 4) * MB)


def clean(data: bytes, is_broken: bool) -> bytes:
    """Pretend to clean the data of a file."""
    time.sleep(random.uniform(0.01, 0.04))  # noqa: S311
    if is_broken:
        raise ValueError("this part has no header")
    return data[: len(data) // 2]


def join(one: bytes, other: bytes) -> bytes:
    """Put two parts together: one of them comes from another worker."""
    time.sleep(random.uniform(0.01, 0.06))  # noqa: S311
    return one + other[: MB // 2]


def score(data: bytes) -> int:
    """Keep the CPU busy for a moment."""
    return sum(data[i % len(data)] + i % 7 for i in range(60_000))
