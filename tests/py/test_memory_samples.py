"""The memory of workers and cluster: how often it is sampled, and what gets a row."""

from __future__ import annotations

from itertools import count
from math import nan
from time import thread_time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
import pytest
from clusters import WITHOUT_DASHBOARD, cluster_of_one_worker, eventually, live
from distributed import Client, LocalCluster
from distributed.core import Status
from distributed.scheduler import MemoryState
from test_agent import constants, installed

import daskscope
from daskscope.agent.memory import MemorySamples
from daskscope.agent.packing import Interned, describe_name
from daskscope.schema import MEASURES, WORKER_STATUSES
from daskscope.session import catch_up, sample_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from daskscope import Session
    from daskscope.recording import Recording

VALUES = [*MEASURES, "limit", "cpu"]


def rows_of(recording: Recording, worker: str = "") -> pd.DataFrame:
    """The rows of one worker, or of the cluster."""
    rows = recording.table("memory")
    return rows[rows["worker"] == worker].reset_index(drop=True)


def agent_of(cluster: LocalCluster) -> Any:
    (plugin,) = [p for n, p in cluster.scheduler.plugins.items() if n.startswith("daskscope")]
    return plugin


@pytest.fixture
def session(client: Client) -> Iterator[Session]:
    with daskscope.connect(client) as s:
        yield live(s)


@pytest.fixture
def own() -> Iterator[tuple[LocalCluster, Client, Session]]:
    """Two workers in this process, of a cluster that a test may change."""
    with (
        LocalCluster(n_workers=2, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        yield cluster, client, live(s)


# -- what has a row --------------------------------------------------------------


def a_worker(process: int = 100, managed: int = 40, *, limit: int = 1000, cpu: float = 1.0) -> Any:
    """A worker as a scheduler has it, as far as samples need it."""
    memory = MemoryState(process=process, managed=managed, spilled=7, unmanaged_old=20)
    return SimpleNamespace(
        memory=memory, memory_limit=limit, metrics={"cpu": cpu}, status=Status.running
    )


@pytest.fixture
def samples() -> MemorySamples:
    return MemorySamples(Interned(describe_name), list(WORKER_STATUSES))


def taken(samples: MemorySamples, first: int = 0) -> list[tuple[Any, ...]]:
    """Rows from a number on: address, process, limit, CPU, status."""
    at = samples.addresses.described
    time, place, process, _, _, _, limit, cpu, status = samples.rows.columns
    rows = zip(time, place, process, limit, cpu, status, strict=True)
    return [(at[one[1]], *one[2:]) for one in [*rows][first:]]


def test_a_worker_has_a_row_when_it_changed_and_the_cluster_has_one_always(samples):
    workers = {"a": a_worker(), "b": a_worker(200)}
    samples.sample(workers, 1.0)
    assert taken(samples) == [
        ("a", 100, 1000, 1, 1),
        ("b", 200, 1000, 1, 1),
        ("", 300, 2000, 2, 0),
    ]
    samples.sample(workers, 2.0)
    assert [row[0] for row in taken(samples, 3)] == [""]
    workers["b"] = a_worker(201)
    samples.sample(workers, 3.0)
    assert [row[:2] for row in taken(samples, 4)] == [("b", 201), ("", 301)]
    workers["a"].status = Status.paused
    samples.sample(workers, 4.0)
    assert [(row[0], row[-1]) for row in taken(samples, 6)] == [("a", 2), ("", 0)]


def test_a_worker_whose_cpu_alone_changed_has_no_row(samples):
    samples.sample({"a": a_worker(cpu=1.0)}, 1.0)
    samples.sample({"a": a_worker(cpu=99.0)}, 2.0)
    assert [(row[0], row[3]) for row in taken(samples)] == [("a", 1), ("", 1), ("", 99)]


def test_a_worker_that_has_gone_has_one_last_row_without_measures(samples):
    samples.sample({"a": a_worker(), "b": a_worker()}, 1.0)
    samples.sample({"b": a_worker()}, 2.0)
    samples.sample({"b": a_worker()}, 3.0)
    (gone, *rest) = taken(samples, 3)
    assert gone[0] == "a"
    assert np.isnan(gone[1:4]).all()
    assert rest == [("", 100, 1000, 1, 0)] * 2


def test_without_workers_the_cluster_has_nothing_and_no_limit(samples):
    samples.sample({}, 1.0)
    np.testing.assert_equal(taken(samples), [("", 0.0, nan, 0.0, 0)])


def test_old_rows_go_when_there_are_too_many_and_are_counted(samples):
    samples.rows.limit = 100
    for second in range(1_000):
        samples.sample({}, second)
    since = samples.since([900, 0])["memory"]
    times = np.frombuffer(since["columns"][0])
    assert 900 < since["first"] <= 1_000 - 88
    assert times.tolist() == [*range(since["first"], 1_000)]


def test_measures_are_those_of_the_scheduler(session: Session) -> None:
    client = session.client
    assert client is not None
    kept = client.submit(bytes, 3_000_000)
    kept.result()
    eventually(lambda: (rows_of(session.recording)["managed"] >= 3_000_000).any())
    rows = session.recording.table("memory").astype(dict.fromkeys(VALUES, float))
    assert {*rows["worker"]} == {"", *(worker["address"] for worker in session.workers)}
    exact = {"rtol": 1e-6, "atol": 1.0}
    np.testing.assert_allclose(rows["managed_total"], rows["managed"] + rows["spilled"], **exact)
    np.testing.assert_allclose(rows["unmanaged"], rows["process"] - rows["managed"], atol=64)
    np.testing.assert_allclose(
        rows["unmanaged_recent"], rows["unmanaged"] - rows["unmanaged_old"], atol=64
    )
    np.testing.assert_allclose(rows["optimistic"], rows["managed"] + rows["unmanaged_old"], atol=64)
    cluster = rows_of(session.recording)
    assert (cluster["limit"] == 2 * 8 * 2**30).all()
    assert (cluster["status"] == 0).all()
    workers = rows[rows["worker"] != ""]
    assert (workers["limit"] == 8 * 2**30).all()
    assert (workers["status"] == WORKER_STATUSES.index("running")).all()
    first = workers.drop_duplicates("worker")
    np.testing.assert_allclose(cluster["process"].iloc[0], first["process"].sum(), atol=64)


def test_without_a_limit_of_memory_there_is_none_in_the_table() -> None:
    with (
        cluster_of_one_worker(memory_limit=0) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: len(rows_of(s.recording)) > 1)
        rows = s.recording.table("memory")
        assert rows["limit"].isna().all()
        assert rows["process"].notna().all()


def test_a_worker_that_leaves_has_a_last_row_in_the_table(
    own: tuple[LocalCluster, Client, Session],
) -> None:
    cluster, _, s = own
    eventually(lambda: len({*s.recording.table("memory")["worker"]}) == 3)
    cluster.scale(1)
    eventually(lambda: s.recording.table("memory")["process"].isna().any())
    rows = s.recording.table("memory")
    (gone,) = rows[rows["process"].isna()]["worker"]
    assert gone not in cluster.scheduler.workers
    assert rows_of(s.recording, gone)[VALUES].iloc[-1].isna().all()
    assert rows_of(s.recording, gone)["process"].iloc[:-1].notna().all()


# -- how often -------------------------------------------------------------------


@pytest.mark.asyncio
async def test_the_timer_follows_the_reader_that_wants_most_and_ends_with_the_last() -> None:
    async with installed() as (_, client, plugin):
        assert plugin.sampler is None
        plugin.poll(reader="none", client=client.id)
        assert plugin.sampler is None
        first = plugin.poll(reader="slow", client=client.id, memory_s=60.0)
        assert plugin.sample_s == 60.0
        rows = plugin.memory_samples.rows
        before = rows.next
        plugin.poll(reader="fast", client=client.id, memory_s=0.5, memory=[before, 0])
        assert plugin.sample_s == 0.5
        assert rows.next > before, "sampled at once"
        before = rows.next
        plugin.poll(reader="slow", client=client.id, memory_s=60.0, memory=[before, 0])
        assert (plugin.sample_s, rows.next) == (0.5, before)
        assert first["memory"]["memory"]["first"] < before
        plugin.release("fast")
        plugin.sampler.cancel()
        plugin.sample()
        assert plugin.sample_s == 60.0
        plugin.release("slow")
        plugin.sampler.cancel()
        plugin.sample()
        assert plugin.sampler is None


@pytest.mark.asyncio
@pytest.mark.parametrize("end", ["leave", "forget", "fail"])
async def test_the_timer_ends_with_the_agent(end: str) -> None:
    async with installed() as (_, client, plugin):
        plugin.poll(reader="r", client=client.id, memory_s=0.01)
        timer = plugin.sampler
        getattr(plugin, end)()
        assert timer.cancelled()
        assert plugin.sampler is None
        assert plugin.memory_samples.since([0, 0])["workers"] == []


@pytest.mark.asyncio
async def test_samples_that_take_long_are_taken_less_often() -> None:
    async with installed() as (scheduler, client, plugin):
        loop, clock = scheduler.loop.asyncio_loop, count()
        constants(plugin)["time"] = lambda: next(clock)
        plugin.poll(reader="r", client=client.id, memory_s=0.001)
        plugin.stop_sampling()
        sample, took_s = plugin.memory_samples.sample, 0.1

        def slow(*workers: Any) -> None:
            end = thread_time() + took_s
            sample(*workers)
            while thread_time() < end:
                pass

        plugin.memory_samples.sample = slow
        plugin.sample()
        assert plugin.sampler.when() - loop.time() > 18 * took_s


def test_samples_come_as_often_as_a_reader_wants_and_then_less_often(session: Session) -> None:
    eventually(lambda: len(rows_of(session.recording)) > 1)
    before = len(rows_of(session.recording))
    sample_memory(session, "me", 0.01)
    catch_up(session)
    assert len(rows_of(session.recording)) > before, "sampled at once"
    eventually(lambda: len(rows_of(session.recording)) > before + 50)
    fast = rows_of(session.recording)["time"].iloc[before:]
    assert np.diff(fast).min() < 0.1
    sample_memory(session, "me", None)
    eventually(lambda: (np.diff(rows_of(session.recording)["time"].iloc[-3:]) > 0.3).all())


def test_two_sessions_of_one_scheduler_have_the_samples_that_either_wants(
    session: Session,
) -> None:
    client = session.client
    assert client is not None
    with (
        Client(client.scheduler.address, set_as_default=False) as other,
        daskscope.connect(other) as s,
    ):
        live(s)
        sample_memory(session, "me", 0.02)
        eventually(lambda: len(rows_of(s.recording)) > 30)
        theirs, ours = rows_of(s.recording)["time"], rows_of(session.recording)["time"]
        both = theirs[theirs <= ours.max()]
        assert len(both) > 25
        assert {*both} <= {*ours}


def test_without_questions_the_newest_samples_are_kept_and_the_others_counted(
    cluster: LocalCluster,
) -> None:
    with (
        dask.config.set({"daskscope.collect.unwatched-interval": "60s"}),
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        catch_up(s)
        series, rows = s._recording.series("memory"), agent_of(cluster).memory_samples.rows
        assert series.dropped == 0
        missing = rows.next - series.next
        rows.limit = 100
        sample_memory(s, "me", 0.001)
        eventually(lambda: rows.first > 500)
        catch_up(s)
        sample_memory(s, "me", None)
        assert series.dropped > 200
        assert series.dropped + series.next + missing <= rows.next
        assert s.recording.counts.captured == 0
        assert s.agent_error is None


# -- when something goes wrong -----------------------------------------------------


def test_a_clock_that_is_set_back_loses_no_sample(
    own: tuple[LocalCluster, Client, Session],
) -> None:
    cluster, _, s = own
    eventually(lambda: len(rows_of(s.recording)) > 1)
    space = constants(agent_of(cluster))
    clock = space["time"]
    before = rows_of(s.recording)["time"].max()
    space["time"] = lambda: clock() - 7_200
    eventually(lambda: (rows_of(s.recording)["time"] < before - 7_000).sum() > 3)
    space["time"] = clock
    eventually(lambda: rows_of(s.recording)["time"].max() > before + 1)
    series = s._recording.series("memory")
    assert series.dropped == 0
    assert len(series.rings[0].columns()["time"]) == series.next


def test_an_agent_that_fails_leaves_samples_of_what_snapshots_say(
    own: tuple[LocalCluster, Client, Session],
) -> None:
    cluster, client, s = own
    kept = client.submit(bytes, 1_000_000)
    kept.result()
    eventually(lambda: (s.recording.table("held")["bytes"] > 0).any())
    agent_of(cluster).memory_samples.latest = None
    eventually(lambda: s.state == "partly")
    assert [notice.code for notice in s.notices] == ["agent-failed"]
    before = s.now
    assert before is not None
    eventually(lambda: rows_of(s.recording)["time"].max() > before)
    last = rows_of(s.recording).iloc[-1]
    assert last["process"] > last["managed"] >= 0
    assert last["managed_total"] == last["managed"] + last["spilled"]
    assert np.isnan(last[["unmanaged_old", "unmanaged_recent", "optimistic", "cpu"]].tolist()).all()
    held = s.recording.table("held")
    assert held["bytes"].isna().tolist() == [False] * (len(held) - 1) + [True]
    workers = {*cluster.scheduler.workers}
    cluster.scale(1)
    eventually(lambda: any(rows_of(s.recording, w)["process"].isna().any() for w in workers))


def test_a_scheduler_that_refuses_plugins_has_rows_of_what_it_tells() -> None:
    refused = {"distributed.scheduler.blocked-handlers": ["register_scheduler_plugin"]}
    with (
        dask.config.set(refused),
        cluster_of_one_worker() as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        sample_memory(s, "me", 0.01)
        eventually(lambda: len(rows_of(s.recording)) > 2)
        (worker,) = cluster.scheduler.workers
        rows = rows_of(s.recording, worker)
        assert (rows["limit"] == 8 * 2**30).all()
        assert (rows["status"] == WORKER_STATUSES.index("running")).all()
        assert rows["unmanaged"].notna().all()
        assert rows["unmanaged_old"].isna().all()
        assert [notice.code for notice in s.notices] == ["plugins-refused"]
        assert s.recording.table("held").empty


@pytest.mark.all
def test_workers_of_a_scheduler_that_was_replaced_are_gone(scheduler_process: Any) -> None:
    scheduler_process.start()
    with (
        Client(scheduler_process.address, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        kept = client.submit(bytes, 1_000_000)
        kept.result()
        eventually(lambda: (s.recording.table("held")["bytes"] > 0).any())
        eventually(lambda: len({*s.recording.table("memory")["worker"]}) == 2)
        (before,) = {*s.recording.table("memory")["worker"]} - {""}
        del kept
        scheduler_process.kill_scheduler()
        scheduler_process.start()
        eventually(lambda: len({*s.recording.table("memory")["worker"]}) == 3)
        assert np.isnan(rows_of(s.recording, before)["process"].iloc[-1])
        assert s.recording.table("held")["bytes"].iloc[-1] == 0


# -- blocks -------------------------------------------------------------------------


def test_a_block_has_a_row_of_each_worker_at_its_begin(session: Session) -> None:
    client = session.client
    assert client is not None
    eventually(lambda: len(rows_of(session.recording)) > 1)
    with daskscope.record(client) as rec:
        pass
    rows = rec.table("memory")
    first = rows[rows["time"] == rec.about["start"]]
    assert {*first["worker"]} == {"", *(worker["address"] for worker in session.workers)}
    assert first["process"].notna().all()
    assert (rows["time"] >= rec.about["start"]).all()


def test_a_worker_that_left_before_a_block_is_not_in_it(
    own: tuple[LocalCluster, Client, Session],
) -> None:
    cluster, client, s = own
    eventually(lambda: len({*s.recording.table("memory")["worker"]}) == 3)
    cluster.scale(1)
    eventually(lambda: s.recording.table("memory")["process"].isna().any())
    with daskscope.record(client) as rec:
        pass
    assert {*rec.table("memory")["worker"]} == {"", *cluster.scheduler.workers}
