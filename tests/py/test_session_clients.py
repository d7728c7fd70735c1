"""Sessions of clients of every kind: asynchronous, in this process, with TLS, several."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import dask
import pytest
from clusters import WITHOUT_DASHBOARD, live, recorded
from distributed import Client, LocalCluster
from distributed.security import Security

import daskscope
from daskscope import recorder

TLS = Path(__file__).parent / "tls"
"""A certificate that signs itself, made for this test alone: openssl need not be here."""


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


def test_a_session_has_the_name_that_the_user_gave_the_cluster() -> None:
    options = {"n_workers": 0, "processes": False, **WITHOUT_DASHBOARD}
    with (
        LocalCluster(name="alpha", **options) as named,
        LocalCluster(name="<b>" * 1000, **options) as long,
        LocalCluster(**options) as unnamed,
        Client(named, set_as_default=False) as one,
        Client(long, set_as_default=False) as two,
        Client(unnamed, set_as_default=False) as three,
        Client(unnamed.scheduler_address, set_as_default=False) as four,
        daskscope.connect(one) as first,
        daskscope.connect(two) as second,
        daskscope.connect(three) as third,
        daskscope.connect(four) as fourth,
    ):
        assert first.name == "alpha"
        assert repr(first).startswith(f"<daskscope.Session alpha {named.scheduler_address}: ")
        assert second.name == ("<b>" * 1000)[:200]
        assert third.name == "LocalCluster"
        assert fourth.name == unnamed.scheduler_address
        assert repr(fourth).startswith(f"<daskscope.Session {unnamed.scheduler_address}: ")


def test_a_session_of_a_client_that_just_starts_gets_the_name_of_its_cluster(
    cluster: LocalCluster,
) -> None:
    with Client(cluster, set_as_default=False) as client:
        client.cluster = None  # as before it has made one
        with daskscope.connect(client) as session:
            assert session.name == client.scheduler.address
            client.cluster = cluster
            assert session.name == "LocalCluster"


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
            assert s.recording.tasks["task"].nunique() == 40

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


@pytest.mark.parametrize("attached_by", ["the user", "the recorder"])
def test_an_asynchronous_client_is_never_asked_seldom(
    cluster: LocalCluster, attached_by: str, request: pytest.FixtureRequest
) -> None:
    if attached_by == "the recorder":
        recorder.enable()
        request.addfinalizer(recorder.disable)

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


def test_who_awaits_the_session_of_an_asynchronous_client_misses_no_task() -> None:
    async def work(address: str) -> None:
        client = Client(address, asynchronous=True, set_as_default=False)
        s = await daskscope.connect(client)  # before the client has started
        assert s.state == "live"
        await client
        await client.gather(client.map(abs, range(-200, 0), pure=False))
        assert (await s.caught_up()).counts.captured == 200
        assert s.notices == ()
        s.close()
        assert await s is s
        await client.close()

    with LocalCluster(n_workers=1, processes=False, protocol="tcp", **WITHOUT_DASHBOARD) as cluster:
        asyncio.run(asyncio.wait_for(work(cluster.scheduler_address), 20))


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


def test_tls_is_spoken_with_the_clients_certificates() -> None:
    key, certificate = str(TLS / "key.pem"), str(TLS / "certificate.pem")
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
