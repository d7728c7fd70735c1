"""What goes wrong with clusters, and what a session makes of it. See also the browser's tests."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import SchedulerProcess, eventually, live, recorded
from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker

import daskscope
from daskscope import session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from daskscope.collect.collector import Collector


def cluster_of_one_worker(**options: Any) -> LocalCluster:
    """Return a cluster in this process, where tests may change its clock."""
    return LocalCluster(
        n_workers=1,
        processes=False,
        dashboard_address=":0",
        scheduler_kwargs={"dashboard": False},
        **options,
    )


def test_a_scheduler_without_daskscope_is_recorded(scheduler_process: SchedulerProcess) -> None:
    scheduler_process.start()
    with Client(scheduler_process.address) as client, daskscope.connect(client) as s:
        live(s)

        def imports() -> str:
            try:
                import daskscope  # noqa: F401
            except ImportError:
                return "no daskscope here"
            return "daskscope"

        assert client.run_on_scheduler(imports) == "no daskscope here"
        assert client.submit(imports, key="imports-1").result() == "no daskscope here"
        recorded(s, 1)
    log = scheduler_process.log.read_text()
    assert "Traceback" not in log
    assert "No handler" not in log


def test_a_scheduler_killed_and_restarted_leaves_a_gap_and_goes_on(
    scheduler_process: SchedulerProcess,
) -> None:
    scheduler_process.start()
    with Client(scheduler_process.address, timeout=60) as client, daskscope.connect(client) as s:
        live(s)
        client.gather(client.map(abs, range(10), key="before"))
        recorded(s, 10)
        scheduler_process.kill_scheduler()
        eventually(lambda: s.state == "lost")
        (notice,) = s.notices
        assert notice.code == "scheduler-lost"
        assert "<" not in notice.text  # no `repr` of a connection
        assert len(s.recording.tasks) == 10
        scheduler_process.start()
        live(s)
        eventually(lambda: client.status == "running")
        client.gather(client.map(abs, range(5), key="after"))
        recorded(s, 15)
        (gap,) = s.recording.gaps.itertuples()
        assert gap.reason == "scheduler-restarted"
        assert gap.start <= gap.stop
        assert not s.notices


def test_a_client_that_gives_up_on_its_scheduler_stops_the_session(
    scheduler_process: SchedulerProcess,
) -> None:
    scheduler_process.start(workers=0)
    client = Client(scheduler_process.address, timeout=60)
    client._timeout = 1
    s = live(daskscope.connect(client))
    scheduler_process.kill_scheduler()
    eventually(lambda: client.status == "closed")
    eventually(lambda: s.state == "stopped")
    client.close()
    s.close()


def test_a_worker_killed_under_its_task_is_an_error_without_a_row() -> None:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            dashboard_address=":0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        future = client.submit(os.kill, _pid_of_worker(client), signal.SIGKILL, key="deadly-1")
        with pytest.raises(KilledWorker):
            future.result()
        recorded(s, 1)
        assert s.counts.erred == 1
        assert s.counts.rows == 0
        (error,) = s.recording.errors.itertuples()
        assert error.key == "deadly-1"
        assert error.prefix == "deadly"
        assert "KilledWorker" in error.exception
        eventually(lambda: "removed" in set(s.recording.workers["what"]))


def _pid_of_worker(client: Client) -> int:
    (pid,) = client.run(os.getpid).values()
    return int(pid)


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(lambda _: True, id="before the scheduler is asked"),
        pytest.param(
            lambda collector: collector.polls > 1 and not collector._asking,
            id="between two questions",
        ),
    ],
)
def test_a_client_closed_while_it_is_being_polled_harms_nobody(
    cluster: LocalCluster, caplog: pytest.LogCaptureFixture, moment: Callable[[Collector], bool]
) -> None:
    client = Client(cluster, set_as_default=False)
    s = daskscope.connect(client)
    client.map(abs, range(-200, 0), pure=False)
    eventually(lambda: moment(s._collector))
    client.close()
    eventually(lambda: s.state == "stopped")
    s.close()
    assert not [r for r in caplog.records if r.name.startswith("daskscope")]


def test_a_client_closed_while_its_scheduler_does_not_answer_stops_the_session(
    scheduler_process: SchedulerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler_process.start(workers=0)
    client = Client(scheduler_process.address)
    s = live(daskscope.connect(client))
    scheduler_process.pause()
    eventually(lambda: s._collector._asking and s.behind_s > 1)
    client.close()
    eventually(lambda: s.state == "stopped")
    s.close()
    assert not [r for r in caplog.records if r.name.startswith("daskscope")]


def test_a_cluster_without_workers_is_live() -> None:
    with (
        LocalCluster(
            n_workers=0, dashboard_address=":0", scheduler_kwargs={"dashboard": False}
        ) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        assert s.workers == ()
        assert s.recording.tasks.empty


def cluster_that_refuses(**options: Any) -> LocalCluster:
    """Return a cluster in this process that takes no agent."""
    with dask.config.set({"distributed.scheduler.blocked-handlers": ["register_scheduler_plugin"]}):
        return cluster_of_one_worker(**options)


@pytest.fixture(scope="module")
def refusing() -> Iterator[Client]:
    """A client of a scheduler that refuses the agent."""
    with (
        cluster_that_refuses(protocol="tcp") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.parametrize("route", ["client", "refusing"], ids=["agent", "built-in"])
@pytest.mark.parametrize(
    "key",
    [
        "k" * 10_000,
        "<script>alert('x')</script>-1",
        "emoji-😀🏳️‍🌈",
        "line-1\nline-2\r\n\t",
        ("tuple-key", 1, ("nested", 2)),
        17,
    ],
    ids=["long", "script", "emoji", "newlines", "tuple", "number"],
)
def test_a_strange_key_is_recorded_as_it_is(
    request: pytest.FixtureRequest, route: str, key: Any
) -> None:
    with daskscope.connect(request.getfixturevalue(route)) as s:
        eventually(lambda: s.state == ("live" if route == "client" else "partly"))
        s.client.submit(int, 1, key=key).result()
        eventually(lambda: str(key) in set(s.recording.tasks["key"]))


@pytest.mark.parametrize("start", [cluster_of_one_worker, cluster_that_refuses])
def test_a_key_that_cannot_be_encoded_is_recorded_nearly_as_it_is(
    start: Callable[[], LocalCluster],
) -> None:
    """Dask itself takes such a key within one process, and loses a connection by it else."""
    with (
        start() as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.state in ("live", "partly"))
        client.submit(int, "x", key="lone\ud800").exception()
        recorded(s, 1)
        eventually(lambda: len(s.recording.errors))
        assert list(s.recording.tasks["key"]) == ["lone\ufffd"]
        assert list(s.recording.tasks["prefix"]) == ["lone\ufffd"]
        assert list(s.recording.errors["key"]) == ["lone\ufffd"]


def test_clocks_that_are_hours_off_stay_in_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker's clock that is two hours late and runs backwards: rows stay whole."""
    with (
        cluster_of_one_worker() as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        client.submit(int, 1, key="early-1").result()
        steps = itertools.count()
        monkeypatch.setattr("distributed.worker.time", lambda: time.time() - 7200 - next(steps))
        client.submit(int, 1, key="late-1").result()
        monkeypatch.undo()
        recorded(s, 2)
        tasks = s.recording.tasks.set_index("prefix")
        hours_ago = tasks.loc["early", "start"] - 7200
        assert tasks.loc["late", "start"] == pytest.approx(hours_ago, abs=60)
        assert tasks.loc["late", "duration"] < 0
        assert s.recording.skewed_rows == 1


def test_rows_of_one_thread_overlap_where_its_worker_corrected_its_clock() -> None:
    """Times stay as the worker told them; the overview counts each thread once (see protocol)."""
    with (
        cluster_of_one_worker(threads_per_worker=1) as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        (worker,) = cluster.workers.values()
        worker.periodic_callbacks["heartbeat"].stop()  # it would set it anew
        for number, delay_s in enumerate((0.0, -5.0)):
            worker.scheduler_delay = delay_s
            client.submit(time.sleep, 0.01, key=f"sleep-{number}", pure=False).result()
        recorded(s, 2)
        first, second = s.recording.tasks.sort_values("key").itertuples()
        assert (first.worker, first.thread) == (second.worker, second.thread)
        assert second.start < first.start + first.duration


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
    plugin.poll.__func__.__globals__["CHUNK_TASKS"] = chunk_tasks


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


def test_sessions_opened_and_closed_from_many_threads_leave_nothing(cluster: LocalCluster) -> None:
    def work() -> None:
        with Client(cluster, set_as_default=False) as client, daskscope.connect(client):
            client.submit(int, 1).result()

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stopped = daskscope.sessions()
    assert len(stopped) == session.KEPT_STOPPED
    assert {one.state for one in stopped} == {"stopped"}
