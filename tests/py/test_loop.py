"""The background thread: what its users hear when the process has nothing left for it."""

from __future__ import annotations

import threading

import pytest
from clusters import eventually, live
from distributed import Client, LocalCluster

import daskscope
from daskscope import collect
from daskscope.cell_monitor import CellMonitor
from daskscope.collect import loop
from daskscope.session import count_block


def running() -> bool:
    return any(thread.name == loop.THREAD_NAME for thread in threading.enumerate())


def test_a_loop_that_cannot_be_made_is_an_error_and_may_be_tried_again(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_files(**_: object) -> None:
        raise OSError(24, "Too many open files")

    with Client(cluster, set_as_default=False) as client:
        with monkeypatch.context() as scarce:
            scarce.setattr(loop, "IOLoop", no_files)
            with pytest.raises(OSError, match="Too many open files"):
                daskscope.connect(client)
        assert daskscope.sessions() == []
        with daskscope.connect(client) as s:
            live(s)


def test_a_thread_that_cannot_be_started_is_an_error_and_may_be_tried_again(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NoThread(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with Client(cluster, set_as_default=False) as client:
        with monkeypatch.context() as scarce:
            scarce.setattr(threading, "Thread", NoThread)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                daskscope.connect(client)
        assert daskscope.sessions() == []
        with daskscope.connect(client) as s:
            live(s)


def test_an_answer_after_the_end_of_the_last_session_starts_no_thread() -> None:
    cells = CellMonitor()
    cells._begin()
    cells.answered()
    assert not running()


def test_a_block_that_ends_after_its_session_starts_no_thread(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = daskscope.connect(client)
    session.close()
    eventually(lambda: not running())
    # As if it had ended between the look and the call.
    monkeypatch.setattr(daskscope.Session, "closed", False)
    count_block(session, -1)
    assert not running()


def test_what_is_wanted_soon_runs_while_there_is_a_thread(client: Client) -> None:
    heard: list[str] = []
    with daskscope.connect(client):
        assert collect.soon(heard.append, "in time")
        eventually(lambda: heard)
    eventually(lambda: not running())
    assert not collect.soon(heard.append, "too late")
    assert heard == ["in time"]
