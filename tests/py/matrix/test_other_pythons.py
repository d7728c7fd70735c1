"""Schedulers and workers that run another Python than the kernel.

`make test-all` names the interpreters, which have distributed and no daskscope, in
DASKSCOPE_OTHER_PYTHONS. Pickled code objects killed such schedulers; text does not.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from clusters import SchedulerProcess, eventually, live, recorded
from distributed import Client

import daskscope

if TYPE_CHECKING:
    from pathlib import Path

PYTHONS = [path for path in os.environ.get("DASKSCOPE_OTHER_PYTHONS", "").split(os.pathsep) if path]

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not PYTHONS, reason="DASKSCOPE_OTHER_PYTHONS names none (make test-all)"),
    pytest.mark.filterwarnings("ignore:Mismatched versions found"),
]


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("where", ["scheduler", "worker"])
def test_every_task_arrives_from_another_python(python: str, where: str, tmp_path: Path) -> None:
    process = SchedulerProcess(tmp_path, python if where == "scheduler" else sys.executable)
    try:
        process.start(workers=0)
        process.add_worker(python if where == "worker" else sys.executable)
        with Client(process.address, timeout=60) as client, daskscope.connect(client) as s:
            live(s)
            # Builtins alone: what is pickled by value would not run on the other Python.
            parts = client.map(abs, range(-2_500, 0), key=[f"abs-{i}" for i in range(2_500)])
            client.submit(sum, parts, key=("sum", 0)).result()
            broken = client.submit(int, "no number", key="broken-1")
            with pytest.raises(ValueError, match="no number"):
                broken.result()
            recorded(s, 2_502)
            assert s.agent_error is None
            assert s.counts.erred == 1
            assert set(s.recording.tasks["prefix"]) == {"abs", "sum", "broken"}
            eventually(lambda: [worker["threads"] for worker in s.workers] == [2])
    finally:
        process.stop()
    assert "Plugin failed" not in process.log.read_text()


@pytest.mark.parametrize("python", PYTHONS)
def test_event_loops_of_another_python_are_in_the_profile(python: str, tmp_path: Path) -> None:
    """On Python 3.11 distributed does not sample them."""
    process = SchedulerProcess(tmp_path, python)
    try:
        process.start(distributed__worker__profile__cycle="100ms")
        with Client(process.address, timeout=60) as client, daskscope.connect(client) as s:
            live(s)

            def both_are_sampled() -> bool:
                client.gather(client.map(abs, range(1_000), pure=False))  # idle loops have none
                return all(s.profile(scope=scope).count > 3 for scope in ("worker", "scheduler"))

            eventually(both_are_sampled)
            before = s.profile(scope="scheduler").count
            dask_s = client.profile(scheduler=True)["count"]
            assert before <= dask_s <= s.profile(scope="scheduler").count
            assert s.profile(scope="worker").count <= client.profile(server=True)["count"]
            assert {*s.recording.table("profiled")["administrative"]} == {"ok"}
    finally:
        process.stop()
