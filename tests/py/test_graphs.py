"""Every task belongs to the graph that brought it."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from clusters import WITHOUT_DASHBOARD, eventually, live, recorded
from distributed import Client, LocalCluster, wait, worker_client

import daskscope
from daskscope.agent import graphs as agent_graphs
from daskscope.agent.graphs import TaskGraphs
from daskscope.collect.graphs import Graphs
from daskscope.recording import RecordingStore
from daskscope.schema import RECOMPUTED, UNKNOWN_GRAPH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daskscope import Session

NOTHING = {"of_key": 0, "whole": 0, "rest": 0}


def inc(x: int) -> int:
    return x + 1


GO = Event()


def when_told(x: int) -> int:
    GO.wait(60)
    return x


def nested(x: int) -> int:
    with worker_client() as client:
        return sum(client.gather(client.map(inc, range(1_000 * x, 1_000 * x + 5))))


@pytest.fixture
def own() -> Iterator[Session]:
    """Two workers in this process, of a cluster that a test may change."""
    with (
        LocalCluster(n_workers=2, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        yield live(s)


@pytest.fixture
def session(client: Client) -> Iterator[Session]:
    with daskscope.connect(client) as s:
        yield live(s)


def kept(session: Session) -> dict[str, int]:
    """How much the agent keeps to tell which graph brought a task."""

    def ask(dask_scheduler: Any) -> dict[str, int]:
        (agent,) = [p for name, p in dask_scheduler.plugins.items() if "daskscope" in name]
        return {name: len(getattr(agent.graphs, name)) for name in ("of_key", "whole", "rest")}

    client = session.client
    assert client is not None
    found: dict[str, int] = client.run_on_scheduler(ask)
    return found


def numbers(session: Session) -> dict[str, set[int]]:
    """The graphs of each key."""
    frame = session.recording.tasks
    return {key: {*rows} for key, rows in frame.groupby("key")["computation"]}


def client_of(session: Session) -> Client:
    assert session.client is not None
    return session.client


def test_ten_maps_of_a_function_are_ten_graphs(own: Session) -> None:
    client = client_of(own)
    maps = [client.map(inc, range(100 * i, 100 * i + 50)) for i in range(10)]
    wait([future for futures in maps for future in futures])
    recorded(own, 500)
    found = numbers(own)
    of_map = [set().union(*(found[future.key] for future in futures)) for futures in maps]
    assert of_map == [{number} for number in own.recording.table("computations")["computation"]]
    assert own.recording.table("computations")["tasks"].tolist() == [50] * 10
    assert {*own.recording.table("computations")["client"]} == {client.id}
    assert (
        own.recording.table("computations")["stop"] >= own.recording.table("computations")["time"]
    ).all()
    del maps
    eventually(lambda: kept(own) == NOTHING)


def test_a_hundred_submits_are_a_hundred_graphs(own: Session) -> None:
    client = client_of(own)
    futures = [client.submit(inc, i) for i in range(100)]
    wait(futures)
    recorded(own, 100)
    found = numbers(own)
    assert [found[future.key] for future in futures] == [{n} for n in range(2, 102)]


def test_layers_of_an_array_have_its_graph_and_touched_ones_their_own(own: Session) -> None:
    x = da.ones((100, 100), chunks=10).persist()
    wait(x)
    (x + 1).sum().compute()
    (x + 2).sum().compute()
    frame = own.recording.tasks
    rows = own.recording.table("computations")
    assert frame.groupby("computation")["task"].nunique().to_dict() == dict(
        zip(rows["computation"], rows["tasks"], strict=True)
    )
    of_ones = frame[frame["prefix"].astype(str).str.startswith("ones")]
    assert {*of_ones["computation"]} == {2}
    assert {*frame["computation"]} == {2, 3, 4}
    del x
    eventually(lambda: kept(own) == NOTHING)


def test_a_group_of_which_two_graphs_bring_tasks_goes_key_by_key(own: Session) -> None:
    client = client_of(own)

    def send(indices: range) -> Any:
        keys = [("both", i) for i in indices]
        return client.get({key: (inc, key[1]) for key in keys}, keys, sync=False)

    one = send(range(6))
    wait(one)
    two = send(range(4, 10))
    wait(two)
    recorded(own, 10)
    assert numbers(own) == {f"('both', {i})": {2 if i < 6 else 3} for i in range(10)}
    assert own.recording.table("computations")["tasks"].tolist() == [6, 4]
    del one, two
    eventually(lambda: kept(own) == NOTHING)


def test_a_shuffle_and_its_barrier_have_its_graph(own: Session) -> None:
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"a": np.arange(1_000) % 7, "b": 1.0})
    dd.from_pandas(frame, npartitions=5).shuffle("a").compute()
    tasks = own.recording.tasks
    assert any("barrier" in prefix for prefix in tasks["prefix"].astype(str))
    assert {*tasks["computation"]} == {2}


def test_tasks_that_a_task_sends_have_graphs_of_the_client_in_it(session: Session) -> None:
    client = client_of(session)
    futures = client.map(nested, range(3))
    wait(futures)
    recorded(session, 3 + 15)
    frame = session.recording.tasks
    rows = session.recording.table("computations").set_index("computation")
    of_prefix = frame.groupby("prefix", observed=True)["computation"].unique()
    assert [rows.loc[n, "client"] for n in of_prefix["nested"]] == [client.id]
    assert [rows.loc[n, "tasks"] for n in of_prefix["inc"]] == [5, 5, 5]
    assert all(rows.loc[n, "client"].startswith("Client-worker-") for n in of_prefix["inc"])


def test_graphs_of_two_clients_have_theirs(own: Session) -> None:
    client = client_of(own)
    with Client(client.cluster, set_as_default=False) as other:
        one, two = client.map(inc, range(10)), other.map(inc, range(20, 40))
        wait(one)
        wait(two)
        recorded(own, 30)
        rows = own.recording.table("computations").set_index("client")["computation"]
        found = numbers(own)
        assert {n for future in one for n in found[future.key]} == {rows[client.id]}
        assert {n for future in two for n in found[future.key]} == {rows[other.id]}
        del one, two


def test_what_ran_again_after_a_worker_went_is_recomputed(own: Session) -> None:
    client = client_of(own)
    cluster: Any = client.cluster
    futures = client.map(inc, range(40))
    wait(futures)
    recorded(own, 40)
    (worker, *_) = cluster.workers.values()
    lost = [key for key, [at, *_] in client.who_has(futures).items() if at == worker.address]
    assert lost
    cluster.sync(worker.close)
    eventually(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == 1)
    wait(futures)
    recorded(own, 40 + len(lost))
    found = numbers(own)
    again = {2, RECOMPUTED}
    assert {future.key: found[future.key] for future in futures} == {
        future.key: again if future.key in lost else {2} for future in futures
    }


def test_keys_that_are_sent_again_after_they_were_cancelled_have_the_later_graph(
    own: Session,
) -> None:
    client = client_of(own)
    cancelled = client.map(inc, range(10), resources={"none": 1})
    eventually(lambda: kept(own)["of_key"] == 10)
    keys = [future.key for future in cancelled]
    client.cancel(cancelled)
    del cancelled
    eventually(lambda: kept(own) == NOTHING)
    futures = client.map(inc, range(10))
    assert [future.key for future in futures] == keys
    wait(futures)
    recorded(own, 10)
    assert [numbers(own)[key] for key in keys] == [{3}] * 10


def test_tasks_that_were_there_before_the_agent_are_of_an_unknown_graph() -> None:
    with (
        LocalCluster(n_workers=1, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
    ):
        GO.clear()
        before = client.map(when_told, range(5))
        with daskscope.connect(client) as session:
            live(session)
            GO.set()
            after = client.map(inc, range(5))
            wait([*before, *after])
            recorded(session, 10)
            found = numbers(session)
            assert [found[future.key] for future in before] == [{UNKNOWN_GRAPH}] * 5
            assert [found[future.key] for future in after] == [{2}] * 5


def test_numbers_of_graphs_end_where_the_table_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daskscope.collect.graphs.MAX_COMPUTATIONS", 4)
    recording = RecordingStore()
    entry = {"time": 2.0, "client": "c", "tasks": 1, "key": "k", "stimulus": "update-graph-1.5"}
    graphs = Graphs(recording)
    graphs.take([entry | {"number": number} for number in (7, 8, 9)], 3.0)
    assert graphs.numbers(np.array([0, 1, 2, 7, 8, 9, 10], "u4")).tolist() == [0, 1, 0, 2, 3, 0, 0]
    log = recording.log("computations")
    assert [(row.computation, row.time, row.stop) for row in log.since(0)] == [
        (2, 1.5, 2.0),
        (3, 1.5, 2.0),
    ]
    assert log.dropped == 1
    later = Graphs(recording)
    assert later.numbers(np.array([7], "u4")).tolist() == [UNKNOWN_GRAPH]


def test_agent_and_recording_mean_the_same_by_the_first_numbers() -> None:
    assert (agent_graphs.UNKNOWN_GRAPH, agent_graphs.RECOMPUTED) == (UNKNOWN_GRAPH, RECOMPUTED)
    assert TaskGraphs().latest == RECOMPUTED
