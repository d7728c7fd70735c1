"""Schedulers and workers in processes of their own, and waiting for conditions."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from distributed import LocalCluster

    from daskscope.session import Session

T = TypeVar("T")

WITHOUT_DASHBOARD: dict[str, Any] = {
    "dashboard_address": ":0",
    "scheduler_kwargs": {"dashboard": False},
    # A worker in this process sees all of its memory, and pauses for good at its limit.
    "memory_limit": "8 GiB",
}
"""Arguments of a LocalCluster that costs little."""

WITHOUT_DASKSCOPE = "import sys; sys.modules['daskscope'] = None; "


def eventually(condition: Callable[[], T], seconds: float = 60) -> T:
    """Return the first true value of `condition`, or fail after some time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not true within {seconds} s"
        time.sleep(0.01)


def live(session: Session) -> Session:
    """Wait until tasks are captured."""
    eventually(lambda: session.state == "live")
    return session


def recorded(session: Session, tasks: int) -> None:
    """Wait until so many tasks are in the recording, and no more."""
    eventually(lambda: sum(chunk.tasks for chunk in session.recording._core.chunks()) >= tasks)
    assert session.counts.captured == tasks


def cluster_of_one_worker(**options: Any) -> LocalCluster:
    """Return a cluster in this process, where tests may change its clock."""
    from distributed import LocalCluster

    return LocalCluster(n_workers=1, processes=False, **{**WITHOUT_DASHBOARD, **options})


def free_port() -> int:
    """Return a port that stays free until it is used: systems give none of these by themselves."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) != 0:
                return port


class SchedulerProcess:
    """`dask scheduler` and workers, where `import daskscope` fails."""

    def __init__(self, directory: Path, python: str = sys.executable) -> None:
        self.python = python
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.log = directory / "cluster.log"
        self._directory = directory
        self._config: dict[str, object] = {}
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._workers: list[subprocess.Popen[bytes]] = []

    def start(self, workers: int = 1, **config: object) -> SchedulerProcess:
        """Start scheduler and workers; `config` is Dask configuration of all of them."""
        self._config = config
        self._scheduler = self._run(
            "distributed.cli.dask_scheduler",
            "--host=127.0.0.1",
            f"--port={self.port}",
            "--no-dashboard",
            "--no-show",
        )
        for _ in range(workers):
            self.add_worker()
        return self

    def add_worker(self, python: str | None = None) -> subprocess.Popen[bytes]:
        worker = self._run(
            "distributed.cli.dask_worker",
            self.address,
            "--nthreads=2",
            "--no-nanny",
            "--no-dashboard",
            "--death-timeout=20",
            "--memory-limit=0",
            python=python,
        )
        self._workers.append(worker)
        return worker

    def _run(
        self, module: str, *arguments: str, python: str | None = None
    ) -> subprocess.Popen[bytes]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "DASK_CONFIG")
        }
        for key, value in self._config.items():
            environment["DASK_" + key.upper()] = json.dumps(value)
        code = f"{WITHOUT_DASKSCOPE}from {module} import main; main()"
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [python or self.python, "-c", code, *arguments],
                cwd=self._directory,
                env=environment,
                stdout=log,
                stderr=log,
            )

    def pause(self) -> None:
        """Let the scheduler answer nothing more, with its connections open."""
        assert self._scheduler is not None
        self._scheduler.send_signal(signal.SIGSTOP)

    def kill_scheduler(self) -> None:
        """Kill the scheduler as a crash would, and its workers, which do not come back."""
        assert self._scheduler is not None
        self._scheduler.kill()
        self._scheduler.wait()
        for worker in self._workers:
            worker.kill()
            worker.wait()
        self._workers.clear()

    def stop(self) -> None:
        processes = [*self._workers, *([self._scheduler] if self._scheduler else [])]
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
