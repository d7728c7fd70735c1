"""What a session knows of the cluster's workers: as they are, and what befell them."""

from __future__ import annotations

import time
from typing import Any

import dask
import pytest
from clusters import WITHOUT_DASHBOARD, eventually, live, recorded
from distributed import Client, LocalCluster

import daskscope
from daskscope import agent


def test_workers_are_described(client: Client) -> None:
    with daskscope.connect(client) as s:
        eventually(lambda: len(s.workers) == 2)
        assert {worker["threads"] for worker in s.workers} == {2}
        assert all(worker["memory_limit"] == 8 * 2**30 for worker in s.workers)


@pytest.mark.all
def test_adaptive_workers_come_and_go_in_the_recording() -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **WITHOUT_DASHBOARD) as c,
        Client(c) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        c.adapt(minimum=1, maximum=2, interval="50ms", wait_count=2)
        futures = client.map(time.sleep, [0.1] * 60, pure=False)
        eventually(lambda: len(s.workers) == 2)
        client.gather(futures)
        del futures  # Dask keeps a worker that holds the only copy of a result
        eventually(lambda: len(s.workers) == 1)
        recorded(s, 60)
        log = s.recording.workers
        assert {"added", "removed"} <= set(log["what"])
        assert set(log.query("what == 'removed'")["detail"]) == {""}
        assert set(s.recording.tasks["worker"]) == set(log["worker"])


def test_workers_that_were_there_from_the_beginning_are_in_the_log(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)
        workers = s.recording.workers
        assert workers["what"].tolist() == ["present", "present"]
        assert sorted(workers["name"]) == ["worker-0", "worker-1"]
        assert set(workers["worker"]) == {worker["address"] for worker in s.workers}
        assert set(workers["detail"]) == {"2 threads"}
        assert s.counts.changes == 0


def test_tasks_and_errors_join_the_names_of_panels_also_of_workers_that_left() -> None:
    with (
        LocalCluster(n_workers=2, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        place = dict(zip(client.run(lambda: None), ["first", "second"], strict=True))
        for address, key in place.items():
            client.submit(int, 1, key=f"{key}-1", workers=[address]).result()
            client.submit(int, "x", key=f"{key}-2", workers=[address]).exception()
        cluster.scale(1)
        eventually(lambda: len(s.workers) == 1)
        recording = s.recording
        names = {w["address"]: f"worker-{w['name']}" for w in s.workers}
        left = next(address for address in place if address not in names)
        names[left] = ({"worker-0", "worker-1"} - set(names.values())).pop()
        tasks = recording.tasks
        assert (
            dict(zip(tasks["worker"], tasks["worker"].map(recording.worker_names), strict=True))
            == names
        )
        errors = recording.errors
        assert (
            dict(zip(errors["worker"], errors["worker"].map(recording.worker_names), strict=True))
            == names
        )
        last = recording.workers.iloc[-1]
        assert (last["what"], last["name"]) == ("removed", names[left])


def test_a_worker_that_came_and_left_between_two_answers_has_its_name(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)

        def come_and_go(dask_scheduler: Any) -> None:
            plugin = dask_scheduler.plugins[agent.name()]
            one = next(iter(dask_scheduler.workers))
            state = dask_scheduler.workers[one]
            dask_scheduler.workers["tcp://short:1"] = state
            plugin.add_worker(dask_scheduler, "tcp://short:1")
            del dask_scheduler.workers["tcp://short:1"]
            plugin.remove_worker(dask_scheduler, "tcp://short:1", stimulus_id="internal-1")

        client.run_on_scheduler(come_and_go)
        eventually(lambda: "tcp://short:1" in s.recording.worker_names)
        log = s.recording.workers.query("worker == 'tcp://short:1'")
        assert log["what"].tolist() == ["added", "removed"]
        assert log["detail"].tolist() == ["2 threads", ""]
        assert log["name"].tolist()[0].startswith("worker-")


def test_when_a_worker_spills_is_written_down(client: Client) -> None:
    memory = {"target": 0.02}
    # The worker shares its process with all tests, and would pause for what they take.
    memory |= dict.fromkeys(("spill", "pause", "terminate"), False)
    with dask.config.set({f"distributed.worker.memory.{name}": memory[name] for name in memory}):
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
        assert (first.recording.workers["what"] == "paused").sum() == 10
        with daskscope.connect(other) as late:
            eventually(lambda: late.counts.changes == 30)
            log = late.recording.workers.query("what == 'paused'")
            assert list(log["detail"]) == [f"number {i}" for i in range(20, 30)]
