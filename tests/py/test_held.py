"""What the results of each prefix take in memory: equal to a full walk of the scheduler."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import dask
import dask.array as da
import numpy as np
import pytest
from clusters import WITHOUT_DASHBOARD, cluster_of_one_worker, eventually, live
from distributed import Client, LocalCluster, wait

import daskscope
from daskscope.session import catch_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daskscope import Session
    from daskscope.recording import Recording


def walk(dask_scheduler: Any) -> tuple[dict[str, int], int, int]:
    """What is in memory by prefix, in further copies, and of scattered data."""
    held: dict[str, int] = {}
    replicas = scattered = 0
    for task in dask_scheduler.tasks.values():
        if task.state == "memory":
            replicas += task.nbytes * (len(task.who_has) - 1)
            if task.run_spec is None:
                scattered += task.nbytes
            else:
                held[task.prefix.name] = held.get(task.prefix.name, 0) + task.nbytes
    return held, replicas, scattered


def held_of(recording: Recording) -> dict[str, float]:
    """What each prefix holds last, where that is something."""
    rows = recording.table("held").groupby("prefix", observed=True)["bytes"].last()
    return {prefix: size for prefix, size in rows.items() if size}


def is_as_the_scheduler_says(session: Session) -> bool:
    client = session.client
    assert client is not None
    held, replicas, scattered = client.run_on_scheduler(walk)
    catch_up(session, sampled=True)
    recording = session.recording
    latest = recording.system.dropna(subset="replicas").iloc[-1]
    return held_of(recording) == {name: np.float32(size) for name, size in held.items()} and (
        latest["replicas"],
        latest["scattered"],
    ) == (replicas, scattered)


def equal(session: Session) -> None:
    eventually(lambda: is_as_the_scheduler_says(session), seconds=20)


def block(size: int) -> bytes:
    return b"x" * size


def fail(size: int) -> bytes:
    raise ValueError("no")


def sized(data: bytes) -> bytes:
    return data[:1000]


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


def test_of_fifty_results_the_one_that_is_not_released_is_held(session: Session) -> None:
    client = session.client
    assert client is not None
    futures = client.map(block, range(1_000, 51_000, 1_000))
    wait(futures)
    assert held_of(session.recording) == {"block": sum(range(1_000, 51_000, 1_000))}
    equal(session)
    del futures[1:]
    eventually(lambda: held_of(session.recording) == {"block": 1_000})
    equal(session)
    futures.clear()
    eventually(lambda: held_of(session.recording) == {})
    assert session.recording.table("held")["bytes"].iloc[-1] == 0


def test_tasks_that_erred_hold_nothing(session: Session) -> None:
    client = session.client
    assert client is not None
    futures = [*client.map(fail, range(5)), *client.map(block, range(5), pure=False)]
    wait(futures)
    equal(session)


def test_scattered_data_and_copies_are_figures_of_their_own(session: Session) -> None:
    client = session.client
    assert client is not None
    [data] = client.scatter([block(1_000_000)], broadcast=True)
    results = client.map(sized, [data] * 10, pure=False)
    wait(results)
    equal(session)
    latest = session.recording.system.dropna(subset="replicas").iloc[-1]
    assert latest["replicas"] == latest["scattered"] == 1_000_000
    client.replicate(results)
    equal(session)
    del results, data
    eventually(lambda: held_of(session.recording) == {})
    equal(session)


def test_what_a_dead_worker_had_is_computed_again_and_counted_once(
    own: tuple[LocalCluster, Client, Session],
) -> None:
    cluster, client, s = own
    futures = client.map(block, range(1_000, 21_000, 1_000), pure=False)
    total = client.submit(lambda parts: sum(map(len, parts)), futures)
    wait([*futures, total])
    equal(s)
    client.sync(next(iter(cluster.workers.values())).close)
    wait([*futures, total])
    equal(s)
    assert held_of(s.recording)["block"] == sum(range(1_000, 21_000, 1_000))


def test_after_a_restart_nothing_is_held(session: Session) -> None:
    client = session.client
    assert client is not None
    futures = client.map(block, range(20))
    wait(futures)
    equal(session)
    client.restart()
    assert held_of(session.recording) == {}
    equal(session)
    again = client.map(block, range(20))
    wait(again)
    equal(session)


def test_a_shuffle_between_workers_is_counted(session: Session) -> None:
    array = da.ones((200, 200), chunks=(20, 200))
    with dask.config.set({"array.rechunk.method": "p2p", "optimization.fuse.active": False}):
        kept = array.rechunk((200, 20)).persist(scheduler=session.client)
    wait(kept)
    equal(session)
    assert sum(held_of(session.recording).values()) >= array.nbytes


def test_what_was_in_memory_before_is_held_from_the_begin_on() -> None:
    with cluster_of_one_worker() as cluster, Client(cluster) as client:
        futures = client.map(block, range(1_000, 11_000, 1_000))
        wait(futures)
        with daskscope.connect(client) as s:
            live(s)
            equal(s)
            del futures[1:]
            eventually(lambda: held_of(s.recording) == {"block": 1_000})


def test_another_session_has_it_from_its_begin_on(session: Session) -> None:
    client = session.client
    assert client is not None
    futures = client.map(block, range(1_000, 11_000, 1_000))
    wait(futures)
    equal(session)
    with (
        Client(client.scheduler.address, set_as_default=False) as other,
        daskscope.connect(other) as s,
    ):
        equal(live(s))


def test_a_short_block_has_what_was_held_at_its_begin(session: Session) -> None:
    client = session.client
    assert client is not None
    futures = client.map(block, range(1_000, 11_000, 1_000))
    wait(futures)
    wait(client.map(sized, futures))
    eventually(lambda: "sized" not in client.run_on_scheduler(walk)[0])
    equal(session)
    with daskscope.record(client) as rec:
        pass
    assert held_of(rec) == {"block": sum(range(1_000, 11_000, 1_000))}
    assert rec.table("held")["time"].tolist() == [rec.about["start"]]
    assert rec.table("held")["prefix"].tolist() == ["block"]  # others may still be released


def test_a_prefix_never_holds_less_than_nothing() -> None:
    from daskscope.agent.memory import MemorySamples
    from daskscope.agent.packing import Interned, describe_name

    samples = MemorySamples(Interned(describe_name), [])
    group = type("Group", (), {"prefix": SimpleNamespace(name="data")})
    samples.count([group], [5], -1)  # it was scattered, and then a graph defined it
    samples.count([group], [3], 1)
    assert [*samples.held.values()] == [3]


def test_sizes_that_are_none_count_nothing() -> None:
    from daskscope.agent.memory import sums_by

    assert sums_by(["a", "b", "a"], [1, None, "x"]) == {"a": 1, "b": 0}
    assert sums_by(["a", "a"], [1, 2]) == {"a": 3}
    assert sums_by([], []) == {}
