"""Schedulers and workers of other Python versions (`make test-all` provides them)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from clusters import SchedulerProcess, eventually

import daskscope

if TYPE_CHECKING:
    from pathlib import Path

PYTHONS = [path for path in os.environ.get("DASKSCOPE_OTHER_PYTHONS", "").split(os.pathsep) if path]

pytestmark = pytest.mark.skipif(not PYTHONS, reason="no other Pythons: `make test-all` has them")


@pytest.mark.parametrize("python", PYTHONS or ["none"])
# The client warns that versions differ, which is the point.
@pytest.mark.filterwarnings("ignore:Mismatched versions")
def test_a_scheduler_of_another_python_runs_the_agent(python: str, tmp_path: Path) -> None:
    from distributed import Client

    process = SchedulerProcess(tmp_path, python)
    try:
        process.start(workers=1)
        with Client(process.address, timeout=60) as client, daskscope.connect(client) as session:
            eventually(lambda: session.state == "live")
            # Built-in functions only: those travel between Python versions.
            assert sum(client.gather(client.map(abs, range(-500, 0)))) == 125_250
            eventually(lambda: session.counts.captured == 500)
            assert session.agent_error is None
            tasks = session.recording.tasks
            assert set(tasks.prefix) == {"abs"}
            assert len(tasks) == 500
            failed = client.submit(divmod, 1, 0)
            assert isinstance(failed.exception(), ZeroDivisionError)
            eventually(lambda: session.counts.erred == 1)
    finally:
        process.stop()
