"""Collecting in the background: its pace, its thread, and what it does when things fail."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import eventually, live
from distributed import Client

import daskscope
from daskscope import collect

if TYPE_CHECKING:
    from distributed import LocalCluster

INTERVAL_S = 0.05


def the_agent(cluster: LocalCluster) -> Any:
    (plugin,) = [p for n, p in cluster.scheduler.plugins.items() if n.startswith("daskscope")]
    return plugin


@pytest.fixture
def failed(cluster: LocalCluster) -> Any:
    """A client with a session whose agent failed while it had more to tell."""
    settings = {
        "daskscope.collect.interval": INTERVAL_S,
        "daskscope.collect.quiet-interval": INTERVAL_S,
        "daskscope.collect.answer-limit": 1,
    }
    with dask.config.set(settings), Client(cluster, set_as_default=False) as client:
        s = live(daskscope.connect(client))
        agent = the_agent(cluster)
        agent.poll.__func__.__globals__["CHUNK_TASKS"] = 10
        answer = agent.answer

        def answer_once_more(*args: Any) -> Any:
            got = answer(*args)
            if got["chunks"]:
                agent.answer = None
            return got

        client.gather(client.map(abs, range(-5, 0), pure=False))
        eventually(lambda: s.counts.captured == 5)
        agent.answer = lambda *_: {**answer(*_), "chunks": []}
        client.gather(client.map(abs, range(-100, 0), pure=False))
        agent.answer = answer_once_more
        eventually(lambda: s.state == "partly")
        yield client, s
        s.close()


def test_after_an_agent_failed_with_a_backlog_the_pace_is_kept(failed: Any) -> None:
    _, s = failed
    before, began = s._collector.polls, time.monotonic()
    eventually(lambda: s._collector.polls >= before + 10)
    assert time.monotonic() - began > 8 * INTERVAL_S


def test_after_an_agent_failed_with_a_backlog_a_closed_client_ends_the_session(
    failed: Any,
) -> None:
    client, s = failed
    client.close()
    eventually(lambda: s.state == "stopped", seconds=5)


def test_without_an_agent_the_clock_goes_on(failed: Any) -> None:
    _, s = failed
    stood = s.now
    eventually(lambda: s.now > stood)
    assert abs(s.now - time.time()) < 60


def test_what_is_submitted_without_a_holder_ends_with_its_thread() -> None:
    async def where() -> str:
        await asyncio.sleep(0)
        return threading.current_thread().name

    assert collect.submit(where()).result(5) == "daskscope"
    eventually(lambda: not [t for t in threading.enumerate() if t.name == "daskscope"], seconds=5)
