"""Collecting in the background: its pace, its thread, and what it does when things fail."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import dask
import pytest
from clusters import eventually, live
from distributed import Client, LocalCluster
from stream_pages import PageStub

import daskscope
from daskscope import agent, collect, kernel, session
from daskscope.agent.packing import REPORTED
from daskscope.collect import collector
from daskscope.stream import Channel

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
        agent.poll.__func__.__globals__["CHUNK_LENGTH"] = 10 * REPORTED
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
    eventually(lambda: s.state == "stopped")


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
    eventually(lambda: not [t for t in threading.enumerate() if t.name == "daskscope"])


@pytest.fixture
def seldom(cluster: LocalCluster) -> Any:
    """A client whose scheduler is hardly ever asked while nobody looks."""
    settings = {
        "daskscope.collect.interval": INTERVAL_S,
        "daskscope.collect.quiet-interval": INTERVAL_S,
        "daskscope.collect.unwatched-interval": "60s",
    }
    with dask.config.set(settings), Client(cluster, set_as_default=False) as client:
        s = live(daskscope.connect(client))
        yield client, s
        s.close()


def run_for_a_while(client: Client, tasks: int) -> None:
    client.gather(client.map(lambda _: time.sleep(0.02), range(tasks), pure=False))


def test_nobody_looks_so_the_scheduler_is_hardly_asked(seldom: Any) -> None:
    client, s = seldom
    before, began = s._collector.polls, time.monotonic()
    run_for_a_while(client, 100)
    assert time.monotonic() - began > 6 * INTERVAL_S
    assert s._collector.polls <= before + 1


def test_reading_a_recording_that_nobody_watches_brings_all_that_has_finished(
    seldom: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CATCH_UP_S", 20.0)
    client, s = seldom
    for tasks in (100, 200, 300):
        client.gather(client.map(abs, range(-100, 0), pure=False))
        assert s.recording.tasks["key"].nunique() == tasks


def test_reading_a_recording_again_and_again_leaves_the_scheduler_in_peace(seldom: Any) -> None:
    _, s = seldom
    before, began = s._collector.polls, time.monotonic()
    for _ in range(30):
        assert s.recording._core.next_task == 0
    most = 1 + (time.monotonic() - began) / collector.LEAST_PAUSE_S
    assert 0 < s._collector.polls - before <= most


def test_reading_waits_for_a_backlog_of_many_answers(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CATCH_UP_S", 20.0)  # this machine may be busy
    with (
        dask.config.set({"daskscope.collect.answer-limit": 1}),
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        the_agent(cluster).poll.__func__.__globals__["CHUNK_LENGTH"] = 10 * REPORTED
        client.gather(client.map(abs, range(-300, 0), pure=False))
        assert s.recording.tasks["key"].nunique() == 300


@pytest.fixture
def page() -> Any:
    """A page that has greeted this process's hub."""
    hub = kernel.the_hub()
    page = PageStub(hub, None)
    page.channel = Channel(page.take)
    hub.open(page.channel)
    page.hello()
    yield page
    hub.close(page.channel)


def test_a_page_that_looks_is_served_at_once_and_often(seldom: Any, page: PageStub) -> None:
    client, s = seldom
    page.watch(s.id)
    eventually(lambda: page.of("status"))
    for tasks in (20, 40):
        run_for_a_while(client, 20)
        eventually(lambda: len(page.covered) == tasks)  # noqa: B023
    page.watch(s.id, visible=False, have=[(0, 40)])
    eventually(lambda: not s._collector._poll_pace.watched)
    test_nobody_looks_so_the_scheduler_is_hardly_asked(seldom)


def test_the_last_tasks_of_a_client_that_nobody_watches_are_kept(cluster: LocalCluster) -> None:
    with dask.config.set({"daskscope.collect.unwatched-interval": "60s"}):
        client = Client(cluster, set_as_default=False)
        s = live(daskscope.connect(client))
        client.gather(client.map(abs, range(-100, 0), pure=False))
        client.close()
        eventually(lambda: s.state == "stopped")
    assert s.counts.captured == 100
    assert s.counts.kept == 100
    s.close()


def test_an_agent_that_cannot_be_installed_is_no_refusal(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector.agent, "pickled", lambda **_: b"not a pickle")
    with (
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.state == "partly")
        (notice,) = s.notices
        assert notice.code == "agent-not-installed"
        assert "blocked-handlers" not in notice.text + notice.next
        assert s.agent_error
        client.gather(client.map(abs, range(-20, 0), pure=False))
        eventually(lambda: s.counts.captured >= 20)


def test_tasks_that_cannot_be_read_are_counted_and_the_next_ones_come(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        live(s)

        def broken(*_: Any) -> Any:
            raise ValueError("of another planet")

        with monkeypatch.context() as patch:
            patch.setattr("daskscope.collect.intake.decode", broken)
            client.gather(client.map(abs, range(-30, 0), pure=False))
            eventually(lambda: s.counts.dropped_agent == 30)
        client.gather(client.map(abs, range(-20, 0), pure=False))
        assert s.recording.tasks["key"].nunique() == 20
        assert s.counts.captured == 50
        assert s.state == "live"
        notice = s.notices[-1]
        assert notice.code == "tasks-unreadable"
        assert "30 tasks" in notice.text
        assert s.agent_error == "of another planet"


def test_what_had_finished_before_the_recording_began_is_said() -> None:
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        with daskscope.connect(client) as s:
            live(s)
            client.gather(client.map(abs, range(-20, 0), pure=False))
            assert s.recording.counts.captured == 20
            assert s.notices == ()
        eventually(lambda: not cluster.scheduler.plugins.keys() & {agent.name()})
        with daskscope.connect(client) as s:
            live(s)
            (notice,) = s.notices
            assert notice.code == "tasks-before"
            assert "20" in notice.text
