"""Fine Performance Metrics of real workloads: what threads did is accounted for."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from clusters import WITHOUT_DASHBOARD, SchedulerProcess, eventually, live
from distributed import Client, LocalCluster
from distributed.comm import CommClosedError

import daskscope
from daskscope.schema import BESIDE_TASKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from daskscope import Session

THREADS = 2
IN_THREADS = ("compute", "disk-read", "disk-write", "deserialize")


def nap(x: int, seconds: float = 0.002) -> int:
    time.sleep(seconds)
    return x


def spin(x: int) -> int:
    """Hold the GIL for about 50 ms."""
    end = time.perf_counter() + 0.05
    while time.perf_counter() < end:
        x += 1
    return x


def stop_heartbeats(dask_worker: Any) -> None:
    dask_worker.periodic_callbacks["heartbeat"].stop()


def short_tasks(client: Client) -> None:
    client.gather(client.map(nap, range(800), pure=False))


def transfers(client: Client) -> None:
    x = da.random.random((3_000, 3_000), chunks=(1_000, 1_000))
    for _ in range(3):
        client.gather(client.compute((x @ x.T).sum()))


def shuffle(client: Client) -> None:
    import dask.dataframe as dd

    frame = pd.DataFrame({"a": np.arange(400_000) % 1_000, "b": np.random.random(400_000)})
    parts = dd.from_pandas(frame, npartitions=16)
    client.gather(client.compute(parts.shuffle("a", shuffle_method="p2p").b.sum()))


def spilling(client: Client) -> None:
    blocks = client.map(lambda at: np.full(4_000_000, at, float), range(24), pure=False)
    client.gather(client.map(np.sum, blocks, pure=False))


def holding_the_gil(client: Client) -> None:
    client.gather(client.map(spin, range(60), pure=False))


@pytest.fixture
def session() -> Iterator[Session]:
    """Two workers of one thread each, that spill beyond 240 MiB."""
    options = WITHOUT_DASHBOARD | {"memory_limit": "400 MiB"}
    with (
        LocalCluster(n_workers=THREADS, threads_per_worker=1, **options) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as session,
    ):
        yield live(session)


def seconds_of_tasks(session: Session) -> float:
    tasks = session.recording.tasks
    return float(tasks[tasks["action"].isin(IN_THREADS)]["duration"].sum())


def seconds_of_metrics(session: Session) -> float:
    frame = session.fine_metrics(start=0, unit="seconds")
    # A shuffle cancels tasks that wait for others, and Dask reports no intervals of them.
    beside = frame["activity"].isin([*BESIDE_TASKS, "cancelled"])
    return float(frame[(frame["context"] == "execute") & ~beside]["value"].sum())


def unexplained(session: Session) -> float:
    """The part of threads × time in which tasks were busy and metrics say nothing."""
    tasks = session.recording.tasks
    length = (tasks["start"] + tasks["duration"]).max() - tasks["start"].min()
    missing = seconds_of_tasks(session) - seconds_of_metrics(session)
    return float(missing / (THREADS * length))


WORKLOADS: list[Any] = [
    short_tasks,
    pytest.param(transfers, marks=pytest.mark.all),
    pytest.param(shuffle, marks=pytest.mark.all),
    pytest.param(spilling, marks=pytest.mark.all),
    pytest.param(holding_the_gil, marks=pytest.mark.all),
]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_execute_seconds_equal_what_tasks_took(
    session: Session, workload: Callable[[Client], None]
) -> None:
    assert session.client is not None
    workload(session.client)
    last = [0.0]

    def rests() -> bool:
        before, last[0] = last[0], seconds_of_metrics(session)
        time.sleep(1)
        return last[0] > 0 and before == last[0]

    eventually(rests)
    assert seconds_of_metrics(session) == pytest.approx(seconds_of_tasks(session), rel=0.05)
    assert abs(unexplained(session)) <= 0.05


def test_a_long_task_is_right_in_any_window_after_one_heartbeat(session: Session) -> None:
    client = session.client
    assert client is not None
    futures = client.map(nap, range(40), seconds=0.1, pure=False)
    client.submit(nap, 0, 8, pure=False).result()
    client.gather(futures)
    tasks = session.recording.tasks.sort_values("duration")
    long = tasks.iloc[-1]
    eventually(lambda: seconds_of_metrics(session) > 11.9)
    start = long["start"]
    for since, until in (0, 2), (0.5, 4.2), (3, 8), (0, 8):
        window = tasks["start"], tasks["start"] + tasks["duration"]
        inside = window[1].clip(upper=start + until) - window[0].clip(lower=start + since)
        frame = session.fine_metrics(start + since, start + until, unit="seconds", prefix="nap")
        found = frame[~frame["activity"].isin(BESIDE_TASKS)]["value"].sum()
        assert found == pytest.approx(inside.clip(lower=0).sum(), rel=0.1, abs=0.5)


@pytest.mark.all
def test_a_scheduler_replaced_under_load_brings_what_it_measured_and_nothing_negative(
    scheduler_process: SchedulerProcess,
) -> None:
    def load(x: int) -> int:
        import time

        from distributed.metrics import context_meter

        time.sleep(0.01)
        context_meter.digest_metric("load", 7, "apples")
        return x

    def apples() -> float:
        found = session.fine_metrics(unit="apples")
        return float(found["value"].sum()) if len(found) else 0.0

    scheduler_process.start()
    with (
        Client(scheduler_process.address, timeout=60) as client,
        daskscope.connect(client) as session,
    ):
        live(session)
        futures = client.map(load, range(2_000), key="first")
        eventually(lambda: session.recording.tasks["prefix"].eq("first").sum() > 100)
        eventually(lambda: "apples" in [*session.recording.table("units")["name"]])
        scheduler_process.kill_scheduler()
        eventually(lambda: session.state == "lost")
        del futures
        before = apples()
        assert 0 < before < 7 * 2_000
        assert before % 7 == 0
        scheduler_process.start()
        live(session)
        eventually(lambda: client.status == "running")
        client.gather(client.map(load, range(50), key="second"))
        eventually(lambda: apples() == before + 7 * 50)
        seconds = session.fine_metrics(prefix="second", unit="seconds")["value"].sum()
        assert seconds >= 50 * 0.01
        assert (session.recording.table("metrics")["value"] > 0).all()


@pytest.mark.all
def test_a_killed_worker_takes_unsent_metrics_with_it_and_the_rest_is_a_lower_bound(
    session: Session,
) -> None:
    client = session.client
    assert client is not None
    client.gather(client.map(nap, range(4), seconds=0.1, pure=False))
    eventually(lambda: seconds_of_metrics(session) >= 0.95 * seconds_of_tasks(session) > 0)
    before = seconds_of_tasks(session)
    dies, stays = client.scheduler_info(n_workers=-1)["workers"]
    client.run(stop_heartbeats, workers=[dies])
    for worker in dies, stays:
        client.gather(client.map(nap, range(10), seconds=0.1, pure=False, workers=[worker]))
    eventually(lambda: seconds_of_tasks(session) >= before + 2)
    with pytest.raises(CommClosedError):
        client.run(os._exit, 1, workers=[dies], on_error="raise", wait=True)
    tasks = session.recording.tasks
    there = tasks[(tasks["worker"] == dies) & (tasks["action"] == "compute")]
    lost = there.nlargest(10, "start")["duration"].sum()
    assert lost >= 1
    some = 0.05 * seconds_of_tasks(session)
    wanted = pytest.approx(seconds_of_tasks(session) - lost, abs=some)
    eventually(lambda: seconds_of_metrics(session) == wanted)
    assert (session.recording.table("metrics")["value"] > 0).all()
