"""What a session knows of the cluster's workers: as they are, and what befell them."""

from __future__ import annotations

from typing import Any

import dask
from clusters import WITHOUT_DASHBOARD, eventually, live
from distributed import Client, LocalCluster

import daskscope
from daskscope import agent


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


def test_one_worker_is_no_workers() -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **WITHOUT_DASHBOARD) as c,
        Client(c, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.workers)
        assert "1 worker, 1 thread>" in repr(s)


def test_changes_that_the_agent_dropped_are_counted(client: Client, cluster: LocalCluster) -> None:
    with daskscope.connect(client) as first, Client(cluster, set_as_default=False) as other:
        live(first)
        before = first.counts.changes

        def change_much(dask_scheduler: Any) -> None:
            plugin = dask_scheduler.plugins[agent.name()]
            plugin.changes.limit = 10
            for i in range(30):
                plugin.change("tcp://w:1", "paused", f"number {i}")

        client.run_on_scheduler(change_much)
        eventually(lambda: first.counts.changes == before + 30)
        assert len(first.recording.workers) == 10
        with daskscope.connect(other) as late:
            eventually(lambda: late.counts.changes == 30)
            assert list(late.recording.workers["detail"]) == [f"number {i}" for i in range(20, 30)]
