"""The pace that users have: most other tests ask schedulers more often (see conftest.py)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import eventually, live
from distributed import Client, LocalCluster
from stream_pages import PageStub

import daskscope
from daskscope import agent, config, kernel
from daskscope.stream import Channel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daskscope.session import Session


@pytest.fixture
def session(cluster: LocalCluster) -> Iterator[Session]:
    """A session that nobody watches, with the settings that are shipped."""
    shipped = config._defaults()["daskscope"]["collect"]
    with (
        dask.config.set({"daskscope.collect": shipped}),
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        yield live(s)


@pytest.fixture
def unwatched_s() -> float:
    return float(config._defaults()["daskscope"]["collect"]["unwatched-interval"].rstrip("s"))


def polls_take_s(session: Session, polls: int) -> float:
    """Wait for so many answers; return how long that took."""
    before, began = session._collector.polls, time.monotonic()
    eventually(lambda: session._collector.polls >= before + polls, seconds=60)
    return time.monotonic() - began


def run(session: Session, tasks: int, seconds_each: float = 0.0) -> None:
    client: Any = session.client
    client.gather(client.map(lambda _: time.sleep(seconds_each), range(tasks), pure=False))


def test_no_setting_lets_the_agent_leave_between_two_questions(cluster: LocalCluster) -> None:
    seldom = {
        "daskscope.collect.unwatched-interval": "1h",
        "daskscope.agent.reader-timeout": "10s",
    }
    with (
        dask.config.set(seldom),
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        plugins = cluster.scheduler.plugins
        (lease,) = plugins[agent.name()].readers.values()
        assert lease[2] >= 2 * 3600


def test_what_is_printed_of_a_session_counts_all_that_has_finished(session: Session) -> None:
    run(session, 30)
    assert "30 of 30 tasks" in repr(session)


@pytest.mark.all
def test_all_of_a_run_comes_by_itself_though_it_is_asked_for_seldom(
    session: Session, unwatched_s: float
) -> None:
    polls_take_s(session, 1)
    before, began = session._collector.polls, time.monotonic()
    run(session, 200, seconds_each=0.04)
    eventually(lambda: session.counts.captured == 200)
    assert session.counts.kept == 200
    most = (time.monotonic() - began) / unwatched_s + 2
    assert session._collector.polls - before <= most


def test_reading_the_recording_brings_all_at_once(
    session: Session, unwatched_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daskscope.session.CATCH_UP_S", 20.0)  # this machine may be busy
    took_s = []
    for runs in range(1, 6):
        run(session, 100)
        began = time.monotonic()
        recording = session.recording
        took_s.append(time.monotonic() - began)
        assert recording.tasks["key"].nunique() == 100 * runs
    assert min(took_s) < unwatched_s / 2


@pytest.mark.all
def test_a_panel_makes_it_ask_often_until_it_is_closed(
    session: Session, unwatched_s: float
) -> None:
    hub = kernel.the_hub()
    page = PageStub(hub, None)
    page.channel = Channel(page.take)
    hub.open(page.channel)
    page.hello()
    page.watch(session.id)
    try:
        eventually(lambda: page.of("status"))
        assert polls_take_s(session, 10) < 7 * unwatched_s
        run(session, 100)
        eventually(lambda: len(page.covered) == 100)
        page.say("unwatch", session=session.id)
        polls_take_s(session, 2)  # until then the old pace may hold
        assert polls_take_s(session, 2) > 1.5 * unwatched_s
    finally:
        hub.close(page.channel)
