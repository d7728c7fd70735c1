"""What goes wrong with clients, and what a session makes of it. See also the browser's tests."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from clusters import SchedulerProcess, eventually, live
from distributed import Client, LocalCluster

import daskscope
from daskscope import session_list

if TYPE_CHECKING:
    from collections.abc import Callable

    from daskscope.collect.collector import Collector


@pytest.mark.all
def test_a_client_that_gives_up_on_its_scheduler_stops_the_session(
    scheduler_process: SchedulerProcess,
) -> None:
    scheduler_process.start(workers=0)
    client = Client(scheduler_process.address, timeout=60)
    client._timeout = 1
    s = live(daskscope.connect(client))
    scheduler_process.kill_scheduler()
    eventually(lambda: client.status == "closed")
    eventually(lambda: s.state == "stopped")
    client.close()
    s.close()


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(lambda _: True, id="before the scheduler is asked"),
        pytest.param(
            lambda collector: collector.polls > 1 and not collector._asking,
            id="between two questions",
        ),
    ],
)
def test_a_client_closed_while_it_is_being_polled_harms_nobody(
    cluster: LocalCluster, caplog: pytest.LogCaptureFixture, moment: Callable[[Collector], bool]
) -> None:
    client = Client(cluster, set_as_default=False)
    s = daskscope.connect(client)
    client.map(abs, range(-200, 0), pure=False)
    eventually(lambda: moment(s._collector))
    client.close()
    eventually(lambda: s.state == "stopped")
    s.close()
    assert not [r for r in caplog.records if r.name.startswith("daskscope")]


@pytest.mark.all
def test_a_client_closed_while_its_scheduler_does_not_answer_stops_the_session(
    scheduler_process: SchedulerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    scheduler_process.start(workers=0)
    client = Client(scheduler_process.address)
    s = live(daskscope.connect(client))
    scheduler_process.pause()
    eventually(lambda: s._collector._asking and s.behind_s > 1)
    client.close()
    eventually(lambda: s.state == "stopped")
    s.close()
    assert not [r for r in caplog.records if r.name.startswith("daskscope")]


def test_sessions_opened_and_closed_from_many_threads_leave_nothing(cluster: LocalCluster) -> None:
    def work() -> None:
        with Client(cluster, set_as_default=False) as client, daskscope.connect(client):
            client.submit(int, 1).result()

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stopped = daskscope.sessions()
    assert len(stopped) == session_list.KEPT_STOPPED
    assert {one.state for one in stopped} == {"stopped"}
