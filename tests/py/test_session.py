"""Sessions of real clients: connecting, recording, closing, and clients of every kind."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import weakref
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import eventually, live, recorded
from distributed import Client, LocalCluster
from distributed.security import Security
from recording_rows import append, make_rows

import daskscope
from daskscope import agent, session
from daskscope.recording import pack_keys

if TYPE_CHECKING:
    from pathlib import Path


WITHOUT_DASHBOARD: dict[str, Any] = {
    "dashboard_address": ":0",
    "scheduler_kwargs": {"dashboard": False},
    "memory_limit": "1 GiB",
}


def test_every_task_arrives_with_all_it_did(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)
        parts = client.map(lambda i: i + 1, range(20), key="inc")
        client.submit(sum, parts, key=("sum", 0, 1)).result()
        recorded(s, 21)
        tasks = s.recording.tasks
        truth = client.get_task_stream(count=21)
    columns = "start duration worker thread prefix action status nbytes span key"
    assert list(tasks.columns) == columns.split()
    assert len(tasks) >= 21
    assert set(tasks["prefix"]) == {"inc", "sum"}
    assert "('sum', 0, 1)" in set(tasks["key"])
    assert (tasks["status"] == "OK").all()
    assert (tasks.loc[tasks["action"] == "compute", "duration"] >= 0).all()
    workers = client.scheduler_info(n_workers=-1)["workers"]
    assert set(tasks["worker"]) <= set(workers)
    for message in truth:
        rows = tasks[tasks["key"] == str(message["key"])]
        assert list(rows["action"]) == [row["action"] for row in message["startstops"]]
        assert list(rows["start"]) == pytest.approx(
            [row["start"] for row in message["startstops"]], abs=2e-6
        )
        assert set(rows["thread"]) == {str(message["thread"])}
        assert set(rows["nbytes"]) == {message["nbytes"]}


def test_spans_come_with_their_full_name(client: Client) -> None:
    from distributed import span

    with daskscope.connect(client) as s:
        live(s)
        with span("load"), span("clean") as span_id:
            client.submit(abs, -1, key="abs-1").result()
        recorded(s, 1)
        assert s.recording.names.spans[-1] == (span_id, "load", "clean")


def test_connecting_again_gives_the_same_session(client: Client) -> None:
    with daskscope.connect(client) as s:
        assert daskscope.connect(client) is s
        assert daskscope.connect() is s
        assert daskscope.sessions() == [s]


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
    assert len(s.recording.tasks) == 1
    assert not agents_of(client)


def test_a_closed_session_stays_listed_and_connecting_begins_a_new_one(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)
    assert daskscope.sessions() == [s]
    assert s.state == "stopped"
    assert [(notice.code, notice.level) for notice in s.notices] == [("session-closed", "info")]
    assert session.find(s.id) is s
    with daskscope.connect(client) as second:
        assert second is not s
        assert session.of_client(client.id) is second
        assert daskscope.connect() is second
        assert daskscope.sessions() == [s, second]
        live(second)


def test_what_is_left_of_a_closed_client_is_its_newest_session(cluster: LocalCluster) -> None:
    client = Client(cluster, set_as_default=False)
    with daskscope.connect(client) as s:
        live(s)
        client.close()
    assert daskscope.connect(client) is s


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


@pytest.mark.parametrize("first_closed", ["client", "session"])
def test_only_a_few_stopped_sessions_stay_listed(cluster: LocalCluster, first_closed: str) -> None:
    seen = []
    for _ in range(session.KEPT_STOPPED + 2):
        with Client(cluster, set_as_default=False) as client:
            seen.append(live(daskscope.connect(client)))
            if first_closed == "session":
                seen[-1].close()
        eventually(lambda: seen[-1].closed)
    with Client(cluster) as client, daskscope.connect(client) as last:
        assert daskscope.sessions() == [*seen[-session.KEPT_STOPPED :], last]
    for s in seen:
        s.close()


def test_stopped_sessions_take_no_more_than_one_recording_may(cluster: LocalCluster) -> None:
    seen = []
    with dask.config.set({"daskscope.recording.memory-limit": 4_000_000}):
        for _ in range(2):
            with Client(cluster, set_as_default=False) as client:
                seen.append(live(daskscope.connect(client)))
                tasks = 80_000
                rows = make_rows(tasks)
                seen[-1].recording.append_tasks(tasks, rows, pack_keys(0, ["k"] * tasks).data)
            eventually(lambda: seen[-1].closed and seen[-1] in daskscope.sessions())
    eventually(lambda: daskscope.sessions() == seen[-1:])
    assert seen[0].recording.chunks()  # whoever holds it can read it
    for s in seen:
        s.close()


def test_of_stopped_sessions_those_that_stopped_last_are_kept(cluster: LocalCluster) -> None:
    long_one = Client(cluster, set_as_default=False)
    first = live(daskscope.connect(long_one))
    for _ in range(session.KEPT_STOPPED):
        with Client(cluster, set_as_default=False) as client:
            live(daskscope.connect(client)).close()
    long_one.close()
    eventually(lambda: first.closed and len(daskscope.sessions()) == session.KEPT_STOPPED)
    assert first in daskscope.sessions()


def test_the_repr_says_what_matters(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)
        eventually(lambda: s.workers)
        assert (
            repr(s) == "<daskscope.Session LocalCluster: live, 0 of 0 tasks, 2 workers, 4 threads>"
        )


def test_workers_are_described(client: Client) -> None:
    with daskscope.connect(client) as s:
        eventually(lambda: len(s.workers) == 2)
        assert {worker["threads"] for worker in s.workers} == {2}
        assert all(worker["memory_limit"] == 2**30 for worker in s.workers)


def test_adaptive_workers_come_and_go_in_the_recording() -> None:
    with (
        LocalCluster(n_workers=1, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        cluster.scale(2)
        eventually(lambda: len(s.workers) == 2)
        cluster.scale(1)
        eventually(lambda: len(s.workers) == 1)
        eventually(lambda: {"added", "removed"} <= set(s.recording.workers["what"]))


def test_a_scheduler_in_this_process_is_read_without_a_socket() -> None:
    with (
        Client(processes=False, n_workers=1, **WITHOUT_DASHBOARD) as client,
        daskscope.connect(client) as s,
    ):
        assert client.scheduler.address.startswith("inproc://")
        live(s)
        client.gather(client.map(abs, range(30)))
        recorded(s, 30)


def test_two_clients_to_two_clusters_do_not_mix() -> None:
    with (
        Client(processes=False, n_workers=1, set_as_default=False, **WITHOUT_DASHBOARD) as one,
        Client(processes=False, n_workers=1, set_as_default=False, **WITHOUT_DASHBOARD) as two,
        daskscope.connect(one) as s1,
        daskscope.connect(two) as s2,
    ):
        live(s1)
        live(s2)
        one.submit(int, 1, key="first-1").result()
        two.submit(int, 1, key="second-1").result()
        recorded(s1, 1)
        recorded(s2, 1)
        assert set(s1.recording.tasks["prefix"]) == {"first"}
        assert set(s2.recording.tasks["prefix"]) == {"second"}
        assert len([t for t in threading.enumerate() if t.name == "daskscope"]) == 1


def test_an_asynchronous_client_is_recorded_while_its_thread_is_busy() -> None:
    async def work(address: str) -> None:
        async with Client(address, asynchronous=True, set_as_default=False) as client:
            s = daskscope.connect(client)
            while s.state != "live":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            futures = client.map(abs, range(-40, 0), key="abs")
            await client.gather(futures)
            end = threading.Event()
            s.on_change(lambda s: s.counts.captured == 40 and end.set())
            assert end.wait(10)  # this blocks the loop of client and notebook
            s.close()
            assert len(s.recording.tasks) == 40

    with LocalCluster(n_workers=1, processes=False, protocol="tcp", **WITHOUT_DASHBOARD) as cluster:
        asyncio.run(work(cluster.scheduler_address))


def test_an_asynchronous_client_may_wait_for_all_that_has_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daskscope.session.CATCH_UP_S", 20.0)

    async def work(address: str) -> None:
        async with Client(address, asynchronous=True, set_as_default=False) as client:
            s = daskscope.connect(client)
            for tasks in (100, 200, 300):
                await client.gather(client.map(abs, range(-100, 0), pure=False))
                recording = (await s.caught_up()).recording
                assert recording.tasks["key"].nunique() == tasks
            s.close()
            assert await s.caught_up() is s

    with (
        dask.config.set({"daskscope.collect.unwatched-interval": "1s"}),
        LocalCluster(n_workers=1, processes=False, protocol="tcp", **WITHOUT_DASHBOARD) as cluster,
    ):
        asyncio.run(work(cluster.scheduler_address))


def test_an_asynchronous_client_is_never_asked_seldom(cluster: LocalCluster) -> None:
    async def work() -> None:
        async with Client(
            cluster.scheduler_address, asynchronous=True, set_as_default=False
        ) as client:
            s = daskscope.connect(client)
            await s.caught_up()
            await client.gather(client.map(abs, range(-100, 0), pure=False))
            while s.counts.captured < 100:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            s.close()

    with dask.config.set({"daskscope.collect.unwatched-interval": "60s"}):
        asyncio.run(asyncio.wait_for(work(), 20))


def test_a_client_that_has_not_started_yet_is_waited_for(cluster: LocalCluster) -> None:
    async def work() -> None:
        client = Client(cluster.scheduler_address, asynchronous=True, set_as_default=False)
        s = daskscope.connect(client)
        assert s.state == "waiting"
        await client
        while s.state != "live":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        s.close()
        await client.close()

    asyncio.run(work())


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make certificates")
def test_tls_is_spoken_with_the_clients_certificates(tmp_path: Path) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    subprocess.run(
        [*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    roles = ("scheduler", "worker", "client")
    security = Security(
        tls_ca_file=certificate,
        require_encryption=True,
        **{f"tls_{role}_cert": certificate for role in roles},
        **{f"tls_{role}_key": key for role in roles},
    )
    with (
        LocalCluster(
            n_workers=1, processes=False, protocol="tls", security=security, **WITHOUT_DASHBOARD
        ) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        assert client.scheduler.address.startswith("tls://")
        live(s)
        client.submit(int, 1).result()
        recorded(s, 1)


def test_a_restarted_client_goes_on_in_the_same_recording() -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        client.submit(int, 1, key="before-1").result()
        client.restart()
        client.submit(int, 1, key="after-1").result()
        recorded(s, 2)
        assert set(s.recording.tasks["prefix"]) == {"before", "after"}
        assert "restarted" in set(s.recording.workers["what"])
        assert not len(s.recording.gaps)


def test_listeners_hear_of_sessions_that_come_and_go(client: Client) -> None:
    heard: list[list[str]] = []
    stop = session.on_sessions_changed(
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
        session.on_sessions_changed(lambda: 1 / 0),  # type: ignore[arg-type, return-value]
        session.on_sessions_changed(lambda: heard.append(1)),
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


def test_a_recording_spills_to_where_dask_puts_temporary_files(
    client: Client, tmp_path: Path
) -> None:
    scratch = tmp_path / "is" / "made"
    limits = {"daskscope.recording.memory-limit": 4_000_000, "temporary-directory": str(scratch)}
    with dask.config.set(limits), daskscope.connect(client) as s:
        live(s)
        while not s.recording.disk_bytes and not s.recording.spill_error:
            append(s.recording, 5_000)
        assert s.recording.spill_error is None
        assert scratch.is_dir()


def test_an_observer_that_fails_does_not_stop_the_recording(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with daskscope.connect(client) as s:
        s.on_change(lambda _: 1 / 0)
        client.submit(int, 1).result()
        recorded(s, 1)
    assert "a listener for a daskscope session failed" in caplog.text


def test_wrong_settings_are_named(client: Client) -> None:
    with (
        dask.config.set({"daskscope.recording.overflow": "explode"}),
        pytest.raises(daskscope.DaskscopeError, match=r"daskscope\.recording\.overflow"),
    ):
        daskscope.connect(client)
    assert daskscope.sessions() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_leaves_the_parents_session_alone(tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, sys, time, daskscope
            from distributed import Client

            def wait(condition):
                end = time.monotonic() + 20
                while not condition():
                    assert time.monotonic() < end
                    time.sleep(0.01)

            if __name__ == "__main__":
                client = Client(processes=False, n_workers=1, dashboard_address=":0")
                session = daskscope.connect(client)
                wait(lambda: session.state == "live")
                child = os.fork()
                if child == 0:
                    assert session.state == "stopped"
                    assert daskscope.sessions() == []
                    session.close()
                    sys.stdout.flush()
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
                client.submit(int, 1).result()
                wait(lambda: session.counts.captured == 1)
                assert session.state == "live"
                session.close()
                client.close()
                print("parent fine")
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False
    )
    assert "parent fine" in done.stdout, done.stderr


def test_in_a_forked_child_what_fails_keeps_nothing_else_from_being_left_to_the_parent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    loop = importlib.import_module("daskscope.collect.loop")
    heard: list[int] = []
    for name, value in (("_lock", loop._lock), ("_background", None), ("_holders", set())):
        monkeypatch.setattr(loop, name, value)
    monkeypatch.setattr(loop, "_at_fork", [lambda: 1 / 0, lambda: heard.append(1)])
    loop._leave_to_parent()
    assert heard == [1]
    assert "ZeroDivisionError" in caplog.text


def test_leaving_python_without_closing_anything_is_quick_and_quiet(tmp_path: Path) -> None:
    script = tmp_path / "leaves.py"
    script.write_text(
        textwrap.dedent(
            """
            import daskscope
            from distributed import Client

            if __name__ == "__main__":
                client = Client(processes=False, n_workers=1, dashboard_address=":0")
                session = daskscope.connect(client)
                client.submit(int, 1).result()
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_the_agents_name_follows_its_text() -> None:
    assert agent.name().startswith("daskscope_")
    assert len(agent.name()) == len("daskscope_") + 12


def test_when_a_worker_spills_is_written_down(client: Client) -> None:
    with dask.config.set({"distributed.worker.memory.target": 0.02}):
        options = {**WITHOUT_DASHBOARD, "memory_limit": "500 MiB"}
        with (
            LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **options) as cluster,
            Client(cluster, set_as_default=False) as spiller,
            daskscope.connect(spiller) as s,
        ):
            live(s)
            kept = spiller.map(lambda i: bytes([i]) * 4_000_000, range(5), key="load")
            eventually(lambda: "spilling" in list(s.recording.workers["what"]))
            del kept
            eventually(lambda: list(s.recording.workers["what"])[-1] == "not-spilling")


def test_without_a_current_client_the_newest_recorded_one_is_taken(cluster: LocalCluster) -> None:
    with pytest.raises(daskscope.DaskscopeError) as none:
        daskscope.connect()
    assert none.value.code == "no-client"
    with Client(cluster, set_as_default=False) as client:
        s = daskscope.connect(client)
        assert daskscope.connect() is s
        s.close()
    with pytest.raises(daskscope.DaskscopeError):
        daskscope.connect()


def test_a_session_is_an_asynchronous_context_too(cluster: LocalCluster) -> None:
    async def work() -> None:
        async with Client(
            cluster.scheduler_address, asynchronous=True, set_as_default=False
        ) as client:
            async with daskscope.connect(client) as s:
                assert s.state == "live"
                await client.gather(client.map(abs, range(-30, 0), pure=False))
            assert s.closed
            assert s.recording.tasks["key"].nunique() == 30

    asyncio.run(asyncio.wait_for(work(), 60))


def test_one_worker_is_no_workers() -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **WITHOUT_DASHBOARD) as c,
        Client(c, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.workers)
        assert "1 worker, 1 thread>" in repr(s)
