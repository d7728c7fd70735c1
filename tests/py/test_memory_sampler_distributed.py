"""What users of distributed's MemorySampler rely on, of that one and of ours alike.

distributed publishes its own tests in no package. These ask for the same in other words, and
run with both samplers.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from clusters import WITHOUT_DASHBOARD, eventually
from distributed import Client, LocalCluster
from distributed.diagnostics import MemorySampler as DaskMemorySampler

import daskscope

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from distributed import Scheduler

SAMPLERS = pytest.mark.parametrize("kind", [DaskMemorySampler, daskscope.MemorySampler])
MS = 0.001


def so_far(ms: Any, scheduler: Scheduler, label: str) -> list[int]:
    """Return what was sampled in a block that still runs."""
    if isinstance(ms, daskscope.MemorySampler):
        run = ms._runs[label]
        return [int(size) for size in run.values(run.measure)[1]]
    running = scheduler.extensions["memory_sampler"].samples.values()
    return [size for _, size in list(running)[-1]]


@asynccontextmanager
async def small_cluster(workers: int = 2) -> AsyncIterator[tuple[Client, LocalCluster]]:
    options = {"processes": False, "asynchronous": True, **WITHOUT_DASHBOARD}
    async with (
        LocalCluster(n_workers=workers, **options) as cluster,
        Client(cluster, asynchronous=True) as client,
    ):
        yield client, cluster


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - of what no event tells
            await asyncio.sleep(0.001)


def sizes(ms: Any, label: str) -> list[int]:
    return [size for _, size in ms.samples[label]]


@SAMPLERS
@pytest.mark.asyncio
async def test_managed_memory_each_millisecond(kind: type) -> None:
    async with small_cluster() as (c, cluster):
        s = cluster.scheduler
        ms = kind()
        async with ms.sample("run", measure="managed", interval=MS):
            future = c.submit(lambda: 1)
            await future
            await until(lambda: so_far(ms, s, "run")[-1] > 0)
            future.release()
            await until(lambda: so_far(ms, s, "run")[-1] == 0)
        assert sizes(ms, "run")[0] == 0
        assert max(sizes(ms, "run")) > 0
        moments = [moment for moment, _ in ms.samples["run"]]
        assert moments == sorted(moments)
        assert not s.extensions["memory_sampler"].samples
        await until(lambda: not [name for name in s.plugins if "daskscope" in name])


@SAMPLERS
def test_a_synchronous_client(cluster: LocalCluster, client: Client, kind: type) -> None:
    ms = kind()
    with ms.sample("run", measure="managed", interval=MS):
        future = client.submit(lambda: 1)
        future.result()
        eventually(lambda: so_far(ms, cluster.scheduler, "run")[-1] > 0)
    assert sizes(ms, "run")[0] == 0
    assert sizes(ms, "run")[-1] > 0


@SAMPLERS
@pytest.mark.asyncio
async def test_a_short_block_has_one_sample_and_a_label_of_its_own(kind: type) -> None:
    async with small_cluster():
        ms = kind()
        for label in (None, ""):
            began_s = time.monotonic()
            async with ms.sample(label):
                pass
            pairs = list(ms.samples.values())[-1]
            assert 1 <= len(pairs) <= 1 + (time.monotonic() - began_s) / 0.5  # none at the end
        assert [len(label) for label in ms.samples] == [36, 36]


@SAMPLERS
@pytest.mark.asyncio
async def test_two_measures_at_a_time(kind: type) -> None:
    async with small_cluster(1) as (c, cluster):
        s = cluster.scheduler
        (a,) = cluster.workers.values()
        a.monitor.get_process_memory = lambda: 20 * 2**20 if a.data.fast else 0
        a.monitor.update()
        await a.heartbeat()
        ms = kind()
        payload = np.zeros(100 * 2**10, np.uint8)
        managed, process = (
            ms.sample("managed", measure="managed", interval=MS),
            ms.sample("process"),
        )
        async with managed, process:
            future = c.submit(lambda: payload)
            await future
            a.monitor.update()
            await a.heartbeat()
            await until(lambda: so_far(ms, s, "process")[-1] > 0)
        assert sizes(ms, "managed")[0] == 0
        assert sizes(ms, "managed")[-1] == 100 * 2**10
        assert sizes(ms, "process")[0] == 0
        assert sizes(ms, "process")[-1] == 20 * 2**20


@SAMPLERS
@pytest.mark.asyncio
async def test_frames_of_two_labels(kind: type) -> None:
    async with small_cluster() as (c, cluster):
        s = cluster.scheduler
        ms = kind()
        for label, count in (("long", 100), ("short", 5)):
            async with ms.sample(label, measure="managed", interval=MS):
                future = c.submit(lambda: 1, key="x")
                await future
                await until(lambda: so_far(ms, s, label)[count:][-1:] > [0])  # noqa: B023
            del future
            await until(lambda: "x" not in s.tasks)
        frame = ms.to_pandas()
        assert isinstance(frame.index, pd.DatetimeIndex)
        assert frame.index.tz is None
        assert frame["long"].iloc[0] == 0
        assert np.isnan(frame["long"].iloc[-1])
        assert np.isnan(frame["short"].iloc[0])
        assert frame["short"].iloc[-1] > 0
        aligned = ms.to_pandas(align=True)
        assert isinstance(aligned.index, pd.TimedeltaIndex)
        assert aligned.index[0] == pd.Timedelta(0)
        assert aligned.iloc[0].tolist() == [0, 0]
        for label in ("long", "short"):
            seconds = [moment - ms.samples[label][0][0] for moment, _ in ms.samples[label]]
            known = aligned[label].dropna()
            assert known.index[-1].total_seconds() == pytest.approx(seconds[-1], abs=1e-5)
            assert known.iloc[-1] > 0
        ends = [moment.total_seconds() for moment in aligned.apply(pd.Series.last_valid_index)]
        assert max(ends) == aligned.index[-1].total_seconds()
        assert min(ends) < max(ends)  # not filled beyond its end


@SAMPLERS
def test_a_plot_by_pandas(kind: type) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    ms = kind()
    ms.samples["run"] = [(1_000.0, 2**30), (1_001.0, 2**31)]
    backend = plt.get_backend()
    plt.switch_backend("agg")
    try:
        axes = ms.plot(grid=True)
        assert axes.get_ylabel() == "Cluster memory (GiB)"
        assert axes.get_lines()[0].get_ydata().tolist() == [1, 2]
    finally:
        plt.close("all")
        plt.switch_backend(backend)
