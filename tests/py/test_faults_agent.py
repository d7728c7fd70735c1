"""Agents that are refused, fail, are thrown out or have no room: what is recorded then."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import SchedulerProcess, cluster_of_one_worker, eventually, live, recorded
from distributed import Client, Event, LocalCluster

import daskscope
from daskscope.agent.packing import REPORTED

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.all
def test_a_scheduler_that_refuses_plugins_is_read_by_its_own_routes(
    scheduler_process: SchedulerProcess,
) -> None:
    scheduler_process.start(
        distributed__scheduler__blocked_handlers=[
            "register_scheduler_plugin",
            "register_worker_plugin",
            "run_function",
        ]
    )
    with Client(scheduler_process.address) as client, daskscope.connect(client) as s:
        eventually(lambda: s.state == "partly")
        (notice,) = s.notices
        assert notice.code == "plugins-refused"
        assert "blocked-handlers" in notice.next
        parts = client.map(lambda i: i + 1, range(30), key="inc")
        client.submit(sum, parts, key=("sum", 0)).result()
        with pytest.raises(ZeroDivisionError):
            client.submit(lambda: 1 / 0, key="broken-1").result()
        recorded(s, 32)
        tasks = s.recording.tasks
        assert tasks["key"].nunique() == 32
        assert set(tasks["prefix"]) == {"inc", "sum", "broken"}
        assert s.counts.erred == 1
        (error,) = s.recording.errors.itertuples()
        assert "ZeroDivisionError" in error.exception
        eventually(lambda: [worker["threads"] for worker in s.workers] == [2])
        long = client.submit(lambda: Event("over").wait(60), key="long-1")
        eventually(lambda: [worker["running"] for worker in s.workers] == [1])
        Event("over", client=client).set()
        long.result()
        eventually(lambda: [worker["running"] for worker in s.workers] == [0])


def test_a_scheduler_that_refuses_its_own_stream_too_is_left_in_peace_with_a_word(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refusals() -> int:
        return sum("Exception while handling op" in record.message for record in caplog.records)

    with cluster_of_one_worker() as cluster, Client(cluster, set_as_default=False) as client:
        blocked = ["register_scheduler_plugin", "get_task_stream"]
        cluster.scheduler.blocked_handlers = blocked
        with daskscope.connect(client) as s:
            eventually(lambda: s.state == "lost")
            (notice,) = s.notices
            assert notice.code == "reading-refused"
            assert "get_task_stream" in notice.text
            assert "blocked-handlers" in notice.next
            assert "Error" not in notice.text + notice.next
            refused = refusals()
            assert refused in (2, 3)  # an older scheduler does not know the stream's index
            for _ in range(3):  # who reads does not make it ask again
                assert s.recording.tasks.empty
            client.submit(time.sleep, 1).result()
            assert refusals() == refused
        monkeypatch.setattr("daskscope.collect.collector.REFUSED_RETRY_S", 0.1)
        with daskscope.connect(client) as s:
            eventually(lambda: s.state == "lost")
            cluster.scheduler.blocked_handlers = []
            live(s)


def test_events_that_a_scheduler_cannot_send_end_only_the_reading_of_events() -> None:
    with (
        cluster_of_one_worker(protocol="tcp://") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        cluster.scheduler.blocked_handlers = ["register_scheduler_plugin"]
        cluster.scheduler.log_event("hostile", 10**30)  # msgpack refuses it
        with daskscope.connect(client) as s:
            eventually(lambda: "events-blocked" in [notice.code for notice in s.notices])
            eventually(lambda: s.state == "partly")
            client.submit(int, 1, key="after-1").result()
            recorded(s, 1)


def test_an_agent_that_fails_is_reported_and_replaced_by_the_built_in_routes(
    cluster: LocalCluster,
) -> None:
    def break_it(dask_scheduler: Any) -> None:
        (plugin,) = [p for n, p in dask_scheduler.plugins.items() if n.startswith("daskscope")]
        plugin.prefixes = None

    with Client(cluster, set_as_default=False) as client, daskscope.connect(client) as s:
        live(s)
        client.submit(int, 1, key="before-1").result()
        recorded(s, 1)
        client.run_on_scheduler(break_it)
        client.submit(int, 1, key="unseen-1").result()
        eventually(lambda: s.state == "partly")
        (notice,) = s.notices
        assert notice.code == "agent-failed"
        assert "AttributeError" in notice.text
        assert "AttributeError" in (s.agent_error or "")
        client.submit(int, 1, key="after-1").result()
        eventually(lambda: "after" in set(s.recording.tasks["prefix"]))
        assert len(s.recording.gaps) == 1


def throw_out(dask_scheduler: Any) -> None:
    (plugin,) = [p for n, p in dask_scheduler.plugins.items() if n.startswith("daskscope")]
    plugin.leave()


def unregister(dask_scheduler: Any) -> None:
    (name,) = [name for name in dask_scheduler.plugins if name.startswith("daskscope")]
    dask_scheduler.remove_plugin(name)


@pytest.mark.parametrize("throw_out", [throw_out, unregister])
def test_an_agent_that_is_gone_is_installed_again_with_a_gap(
    client: Client, throw_out: Callable[[Any], None]
) -> None:
    with daskscope.connect(client) as s:
        live(s)
        client.submit(int, 1, key="before-1").result()
        recorded(s, 1)
        client.run_on_scheduler(throw_out)
        eventually(lambda: len(s.recording.gaps))
        client.submit(int, 1, key="after-1").result()
        recorded(s, 2)
        assert list(s.recording.gaps["reason"]) == ["agent-left"]


def small_chunks(dask_scheduler: Any, chunk_tasks: int, memory_limit: int) -> None:
    (plugin,) = [p for n, p in dask_scheduler.plugins.items() if n.startswith("daskscope")]
    plugin.memory_limit = memory_limit
    plugin.poll.__func__.__globals__["CHUNK_LENGTH"] = chunk_tasks * REPORTED


def test_what_is_left_is_fetched_at_the_end_in_any_number_of_answers(
    cluster: LocalCluster,
) -> None:
    settings = {"daskscope.collect.interval": "30s", "daskscope.collect.answer-limit": 1}
    with dask.config.set(settings), Client(cluster, set_as_default=False) as client:
        s = live(daskscope.connect(client))
        client.run_on_scheduler(small_chunks, chunk_tasks=50, memory_limit=10**6)
        client.gather(client.map(abs, range(-300, 0), pure=False))
        s.close()
        assert s.counts.kept == s.counts.captured == 300


def test_a_memory_bound_on_the_scheduler_is_counted_exactly(cluster: LocalCluster) -> None:
    with (
        dask.config.set(
            {"daskscope.collect.interval": "30s", "daskscope.collect.idle-interval": "30s"}
        ),
        Client(cluster, set_as_default=False) as client,
    ):
        s = live(daskscope.connect(client))
        client.run_on_scheduler(small_chunks, chunk_tasks=10, memory_limit=10_000)
        client.gather(client.map(abs, range(-300, 0), pure=False))
        s.close()
        counts = s.counts
        assert counts.captured == 300
        assert counts.dropped_agent > 0
        assert counts.kept + counts.dropped_agent == 300
