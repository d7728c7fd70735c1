"""The check that nothing of daskscope stays on a scheduler finds what would stay."""

from __future__ import annotations

import asyncio

import pytest
from clusters import eventually
from tornado.ioloop import PeriodicCallback
from traces import traces_on_schedulers

from daskscope import agent


@pytest.fixture
def installed(client, cluster):
    """An agent that no reader has asked yet."""
    plugin = agent.pickled(memory_limit=1_000_000)
    client.sync(
        client.scheduler.register_scheduler_plugin,
        plugin=plugin,
        name=agent.name(),
        idempotent=True,
    )
    yield cluster.scheduler.plugins[agent.name()]
    cluster.sync(leave, cluster.scheduler)


async def leave(scheduler):
    scheduler.plugins[agent.name()].leave()


def kinds():
    """The kinds of traces, in order of their names."""
    return sorted({trace.split(": ")[1] for trace in traces_on_schedulers()})


@pytest.mark.usefixtures("installed")
def test_an_agent_shows_as_plugin_handlers_and_timer():
    assert kinds() == ["handlers", "plugins", "timer"]


def test_a_periodic_callback_and_a_task_of_the_agent_show(installed, cluster):
    started = []

    async def start():
        space = {"__name__": agent.name(), "asyncio": asyncio}
        exec("async def work(): await asyncio.Event().wait()", space)
        task = asyncio.get_running_loop().create_task(space["work"]())
        callback = PeriodicCallback(installed.check_leases, 60_000)
        cluster.scheduler.periodic_callbacks["leases"] = callback
        callback.start()
        started.extend((task, callback))

    async def stop():
        task, callback = started
        task.cancel()
        callback.stop()
        del cluster.scheduler.periodic_callbacks["leases"]

    cluster.sync(start)
    assert kinds() == ["handlers", "periodic_callbacks", "plugins", "task", "timer"]
    cluster.sync(stop)
    eventually(lambda: kinds() == ["handlers", "plugins", "timer"])


def test_a_cluster_that_nobody_watches_has_no_traces(cluster):
    assert cluster.scheduler.plugins
    assert traces_on_schedulers() == []
