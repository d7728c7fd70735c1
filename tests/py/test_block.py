"""`with daskscope.record()`: what happened in a block, on real clusters."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from clusters import eventually
from distributed import Client, LocalCluster, wait

import daskscope
from daskscope.block import heartbeat_s
from daskscope.errors import DaskscopeError


def inc(x: int) -> int:
    return x + 1


def fail(x: int) -> int:
    raise ValueError(f"no {x}")


def test_only_what_happened_inside_is_recorded(client):
    wait(client.map(inc, range(20), pure=False))
    with daskscope.record() as rec:
        wait(client.map(abs, range(-30, 0), pure=False))
    wait(client.map(inc, range(20), pure=False))
    assert rec.counts.captured == rec.counts.kept == 30
    assert set(rec.tasks["prefix"]) == {"abs"}
    assert rec.tasks["task"].tolist() == sorted(rec.tasks["task"])
    assert rec.tasks["task"].min() == 0


def test_it_knows_when_where_and_with_what(client):
    with daskscope.record(title="A title", code="abs(x)") as rec:
        wait(client.map(abs, range(3), pure=False))
    about = rec.about
    assert about["title"] == "A title"
    assert about["code"] == "abs(x)"
    assert 0 < about["stop"] - about["start"] == about["duration"] < 30
    assert about["scheduler"] == client.scheduler.address
    assert about["versions"]["client"]["packages"]["dask"]
    assert about["versions"]["scheduler"]["packages"]["dask"]
    assert len(about["versions"]["workers"]) == len(client.scheduler_info(n_workers=-1)["workers"])
    assert about["exception"] is None
    assert rec.workers["what"].tolist().count("present") == len(about["workers"])
    assert rec.cluster["time"][0] == about["start"]
    assert rec.cluster["workers"][0] == len(about["workers"])


def test_the_wait_for_heartbeats_is_not_of_the_block(client):
    begun = time.monotonic()
    with daskscope.record() as rec:
        pass
    assert time.monotonic() - begun >= heartbeat_s(1) > rec.about["duration"]


def test_what_heartbeats_tell_after_the_block_is_in_it(client):
    for _ in range(3):  # wherever in the second between two samples it ends
        with daskscope.record() as rec:
            wait(client.map(inc, range(3), pure=False))
        assert rec.cluster["time"].iloc[-1] >= rec.about["stop"] + 0.5
        assert rec.scheduler["time"].iloc[-1] >= rec.about["stop"]


def test_an_exception_goes_on_and_is_named(client):
    with pytest.raises(ValueError, match="no 1"), daskscope.record() as rec:
        client.submit(fail, 1).result()
    assert rec.about["exception"]["type"] == "ValueError"
    assert "no 1" in rec.about["exception"]["traceback"]
    assert rec.errors["exception"].tolist() == ["ValueError('no 1')"]
    assert rec.errors["task"].tolist() == [0]


def test_an_exception_that_cannot_be_told_is_named_all_the_same(client):
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    with pytest.raises(MuteError), daskscope.record() as rec:
        raise MuteError
    told = rec.about["exception"]
    assert told["type"] == "MuteError"
    assert "cannot be read" in told["text"]


def test_an_interrupted_end_leaves_what_there_is_and_nothing_running(client, tmp_path, monkeypatch):
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "run.daskscope"
    block = daskscope.record(path=path)
    rec = block.__enter__()
    wait(client.map(inc, range(5), pure=False))
    with monkeypatch.context() as patch:
        patch.setattr("daskscope.block.time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            block.__exit__(None, None, None)
    assert rec.counts.kept == daskscope.load(path).counts.kept == 5
    assert "interrupted" in rec.about["missing"][-1]["text"]
    assert all(session.closed for session in daskscope.sessions())


def test_a_file_grows_with_the_block_and_is_whole_at_its_end(client, tmp_path):
    path = tmp_path / "run.daskscope"
    with daskscope.record(path=path) as rec:
        wait(client.map(inc, range(50), pure=False))
        (part,) = tmp_path.iterdir()
        eventually(lambda: daskscope.load(part).counts.kept == 50, seconds=10)
        wait(client.map(inc, range(50), pure=False))
    assert list(tmp_path.iterdir()) == [path]
    loaded = daskscope.load(path)
    assert loaded.counts == rec.counts
    assert loaded.counts.kept == 100
    assert loaded.about["whole"]
    assert loaded.about["summary"]["tasks"]["kept"] == 100
    assert not [t for t in threading.enumerate() if t.name == "daskscope-record"]


def test_a_path_that_cannot_be_written_is_an_error_before_the_block(client, tmp_path):
    ran = []
    with (
        pytest.raises(DaskscopeError, match=r"run\.daskscope: No such file or directory"),
        daskscope.record(path=tmp_path / "missing" / "run.daskscope"),
    ):
        ran.append(1)
    assert not ran


def test_without_a_client_it_says_so_before_the_block():
    ran = []
    with pytest.raises(DaskscopeError, match="no current Dask client"), daskscope.record():
        ran.append(1)
    assert not ran


def test_two_blocks_may_overlap(client):
    with daskscope.record() as outer:
        wait(client.map(inc, range(5), pure=False))
        with daskscope.record() as inner:
            wait(client.map(inc, range(7), pure=False))
    assert (outer.counts.kept, inner.counts.kept) == (12, 7)


def test_a_cluster_that_has_gone_leaves_what_there_is():
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
        daskscope.record() as rec,
    ):
        wait(client.map(inc, range(10), pure=False))
        # As often as if a page showed it: what had not been asked for is lost.
        eventually(lambda: daskscope.connect(client).counts.kept == 10, seconds=0.5)
        cluster.close()
    assert rec.counts.kept == 10
    assert any("scheduler" in missing["text"] for missing in rec.about["missing"])


@pytest.mark.asyncio
async def test_an_asynchronous_client_is_recorded_with_async_with():
    async with (
        LocalCluster(
            n_workers=1, processes=False, dashboard_address=None, asynchronous=True
        ) as cluster,
        Client(cluster, asynchronous=True) as client,
    ):
        async with daskscope.record(client) as rec:
            await asyncio.gather(*client.map(inc, range(10), pure=False))
        assert rec.counts.kept == 10
        with pytest.raises(DaskscopeError, match="async with"), daskscope.record(client):
            pass
