"""What goes wrong with schedulers, workers and their clocks. See also the browser's tests."""

from __future__ import annotations

import itertools
import os
import signal
import time

import dask
import pytest
from clusters import SchedulerProcess, cluster_of_one_worker, eventually, live, recorded
from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker

import daskscope


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
        assert s.recording.tasks["task"].nunique() == 10
        scheduler_process.start()
        live(s)
        eventually(lambda: client.status == "running")
        client.gather(client.map(abs, range(5), key="after"))
        recorded(s, 15)
        (gap,) = s.recording.gaps.itertuples()
        assert gap.reason == "scheduler-restarted"
        assert gap.start <= gap.stop
        assert not s.notices


@pytest.mark.all
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
        assert tasks.loc["late", "start"] == pytest.approx(hours_ago, rel=0, abs=60)
        assert tasks.loc["late", "duration"] < 0
        assert s.recording._core.skewed_rows == 1


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
