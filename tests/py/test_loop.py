"""The background thread: what its users hear when the process has nothing left for it."""

from __future__ import annotations

import threading
from importlib import import_module

import pytest
from clusters import live
from distributed import Client, LocalCluster

import daskscope

LOOP = import_module("daskscope.collect.loop")  # its name in the package is a function's


def test_a_loop_that_cannot_be_made_is_an_error_and_may_be_tried_again(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_files(**_: object) -> None:
        raise OSError(24, "Too many open files")

    with Client(cluster, set_as_default=False) as client:
        with monkeypatch.context() as scarce:
            scarce.setattr(LOOP, "IOLoop", no_files)
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
