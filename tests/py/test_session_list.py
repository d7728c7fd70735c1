"""Which sessions a process lists, and who hears of them."""

from __future__ import annotations

import gc
import threading
import weakref

import dask
import pytest
from clusters import eventually, live
from distributed import Client, LocalCluster
from recording_rows import make_rows

import daskscope
from daskscope import session_list
from daskscope.recording import pack_keys


def test_a_closed_session_stays_listed_and_connecting_begins_a_new_one(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)
    assert daskscope.sessions() == [s]
    assert s.state == "stopped"
    assert [(notice.code, notice.level) for notice in s.notices] == [("session-closed", "info")]
    assert session_list.find(s.id) is s
    with daskscope.connect(client) as second:
        assert second is not s
        assert session_list.of_client(client.id) is second
        assert daskscope.connect() is second
        assert daskscope.sessions() == [s, second]
        live(second)


def test_what_is_left_of_a_closed_client_is_its_newest_session(cluster: LocalCluster) -> None:
    client = Client(cluster, set_as_default=False)
    with daskscope.connect(client) as s:
        live(s)
        client.close()
    assert daskscope.connect(client) is s


@pytest.mark.parametrize("first_closed", ["client", "session"])
def test_only_a_few_stopped_sessions_stay_listed(cluster: LocalCluster, first_closed: str) -> None:
    seen = []
    for _ in range(session_list.KEPT_STOPPED + 2):
        with Client(cluster, set_as_default=False) as client:
            seen.append(live(daskscope.connect(client)))
            if first_closed == "session":
                seen[-1].close()
        eventually(lambda: seen[-1].closed)
    with Client(cluster) as client, daskscope.connect(client) as last:
        assert daskscope.sessions() == [*seen[-session_list.KEPT_STOPPED :], last]
    for s in seen:
        s.close()


def test_a_session_that_is_forgotten_is_freed_at_once(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_list, "KEPT_STOPPED", 1)
    freed = []
    gc.disable()
    try:
        for _ in range(2):
            with Client(cluster, set_as_default=False) as client:
                s = live(daskscope.connect(client))
                s.focus = {"prefixes": ["inc"]}
                freed.append(weakref.ref(s))
                s.close()
                del s
            assert client.status == "closed"
        eventually(lambda: freed[0]() is None)
    finally:
        gc.enable()
    assert freed[1]() is daskscope.sessions()[-1]


def test_stopped_sessions_take_no_more_than_one_recording_may(cluster: LocalCluster) -> None:
    seen = []
    with dask.config.set({"daskscope.recording.memory-limit": 4_000_000}):
        for _ in range(2):
            with Client(cluster, set_as_default=False) as client:
                seen.append(live(daskscope.connect(client)))
                tasks = 80_000
                rows = make_rows(tasks)
                keys = pack_keys(0, ["k"] * tasks).data
                seen[-1].recording._core.append_tasks(tasks, rows, keys)
            eventually(lambda: seen[-1].closed and seen[-1] in daskscope.sessions())
    eventually(lambda: daskscope.sessions() == seen[-1:])
    assert seen[0].recording._core.chunks()  # whoever holds it can read it
    for s in seen:
        s.close()


def test_of_stopped_sessions_those_that_stopped_last_are_kept(cluster: LocalCluster) -> None:
    long_one = Client(cluster, set_as_default=False)
    first = live(daskscope.connect(long_one))
    for _ in range(session_list.KEPT_STOPPED):
        with Client(cluster, set_as_default=False) as client:
            live(daskscope.connect(client)).close()
    long_one.close()
    eventually(lambda: first.closed and len(daskscope.sessions()) == session_list.KEPT_STOPPED)
    assert first in daskscope.sessions()


def test_listeners_hear_of_sessions_that_come_and_go(client: Client) -> None:
    heard: list[list[str]] = []
    stop = session_list.on_sessions_changed(
        lambda: heard.append([s.state for s in daskscope.sessions()])
    )
    with daskscope.connect(client):
        assert heard == [["waiting"]] or heard[0] in (["waiting"], ["live"])
    eventually(lambda: heard[-1] == ["stopped"])
    stop()


def test_a_listener_that_fails_keeps_nobody_from_hearing_and_leaks_no_thread(
    cluster: LocalCluster, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []
    stops = [
        session_list.on_sessions_changed(lambda: 1 / 0),  # type: ignore[arg-type, return-value]
        session_list.on_sessions_changed(lambda: heard.append(1)),
    ]
    client = Client(cluster, set_as_default=False)
    s = live(daskscope.connect(client))
    heard.clear()
    client.close()
    eventually(lambda: s.closed and heard)
    eventually(lambda: "daskscope" not in [t.name for t in threading.enumerate()])
    for stop in stops:
        stop()
    s.close()
    assert "a listener for sessions of daskscope failed" in caplog.text
    assert "ZeroDivisionError" in caplog.text
