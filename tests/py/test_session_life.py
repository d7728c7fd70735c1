"""A session from `connect` to its end, and what stays of it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from clusters import WITHOUT_DASHBOARD, eventually, live, recorded
from distributed import Client, LocalCluster

import daskscope


def test_connecting_again_gives_the_same_session(client: Client) -> None:
    with daskscope.connect(client) as s:
        assert daskscope.connect(client) is s
        assert daskscope.connect() is s
        assert daskscope.sessions() == [s]


def test_what_is_submitted_after_connecting_is_captured_from_the_first_task() -> None:
    with Client(processes=False, n_workers=1, set_as_default=False, **WITHOUT_DASHBOARD) as client:
        for _ in range(10):
            with daskscope.connect(client) as s:
                client.submit(abs, -1, pure=False).result()
                assert s.recording.counts.captured == 1


def test_after_closing_a_new_session_sees_what_another_reader_kept(client: Client) -> None:
    with (
        Client(client.scheduler.address) as other_client,
        daskscope.connect(other_client) as keeper,
    ):
        live(keeper)
        client.submit(int, 1, key="int-1").result()
        with daskscope.connect(client) as first:
            recorded(first, 1)
        with daskscope.connect(client) as second:
            assert second is not first
            recorded(second, 1)
        recorded(keeper, 1)


@pytest.mark.parametrize("wrong", ["tcp://127.0.0.1:8786", 8786, object(), dict])
def test_a_wrong_argument_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client"):
        daskscope.connect(wrong)


def test_without_a_client_the_error_says_what_to_do() -> None:
    with pytest.raises(daskscope.DaskscopeError, match=r"Client\(\)") as caught:
        daskscope.connect()
    assert caught.value.code == "no-client"


def test_without_a_current_client_the_newest_recorded_one_is_taken(cluster: LocalCluster) -> None:
    with pytest.raises(daskscope.DaskscopeError) as none:
        daskscope.connect()
    assert none.value.code == "no-client"
    with Client(cluster, set_as_default=False) as client:
        s = daskscope.connect(client)
        assert daskscope.connect() is s
        s.close()


def test_an_error_names_the_sessions_that_have_stopped(cluster: LocalCluster) -> None:
    for _ in range(2):
        with Client(cluster, set_as_default=False) as client:
            live(daskscope.connect(client)).close()
    with pytest.raises(daskscope.DaskscopeError) as caught:
        daskscope.connect()
    assert caught.value.code == "no-client"
    address = cluster.scheduler_address
    assert f"[0] LocalCluster {address}; [1] LocalCluster {address}" in caught.value.text
    assert "daskscope.TaskStream(daskscope.sessions()[0])" in caught.value.next
    assert "connect(client)" in caught.value.next


def test_a_closed_client_is_an_error_that_says_so(cluster: LocalCluster) -> None:
    client = Client(cluster)
    client.close()
    with pytest.raises(daskscope.DaskscopeError, match="closed"):
        daskscope.connect(client)


def test_closing_a_session_releases_agent_and_thread_and_keeps_the_data(client: Client) -> None:
    s = live(daskscope.connect(client))
    client.submit(int, 1, key="int-1").result()
    s.close()
    s.close()
    assert s.state == "stopped"
    assert s.counts.captured == 1
    assert s.recording.tasks["task"].nunique() == 1
    assert not agents_of(client)


def agents_of(client: Client) -> list[str]:
    plugins: list[str] = client.run_on_scheduler(
        lambda dask_scheduler: [name for name in dask_scheduler.plugins if "daskscope" in name]
    )
    return plugins


def test_closing_the_client_keeps_its_last_tasks(cluster: LocalCluster) -> None:
    client = Client(cluster)
    s = live(daskscope.connect(client))
    client.gather(client.map(abs, range(-50, 0), pure=False))
    client.close()
    eventually(lambda: s.state == "stopped")
    assert s.counts.captured == 50
    assert [notice.code for notice in s.notices] == ["client-closed"]
    assert s in daskscope.sessions()
    eventually(lambda: not any("daskscope" in name for name in cluster.scheduler.plugins))
    s.close()


def test_a_session_does_not_keep_the_client_alive(cluster: LocalCluster) -> None:
    # distributed's own timers keep a client alive until it is closed.
    client = Client(cluster, set_as_default=False)
    s = live(daskscope.connect(client))
    client.close()
    eventually(lambda: s.state == "stopped")
    gone = weakref.ref(client)
    del client

    def collected() -> bool:
        gc.collect()
        return gone() is None

    eventually(collected)
    assert s.client is None
    assert s.address.startswith("tcp://")
    assert "stopped" in repr(s)
    s.close()


def test_the_repr_says_what_matters(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)
        eventually(lambda: s.workers)
        assert repr(s) == (
            f"<daskscope.Session LocalCluster {client.scheduler.address}: "
            "live, 0 of 0 tasks, 2 workers, 4 threads>"
        )
