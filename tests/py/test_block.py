"""`with daskscope.record()`: what happened in a block, on real clusters."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import eventually
from distributed import Client, LocalCluster, wait
from recording_rows import cluster_of, scheduler_of

import daskscope
from daskscope.block.block import Block
from daskscope.block.facts import heartbeat_s
from daskscope.errors import DaskscopeError
from daskscope.recording.block_recording import SOON_S
from daskscope.recording.recording_store import about_of
from daskscope.session import catch_up, parts_of

if TYPE_CHECKING:
    from pathlib import Path


def inc(x: int) -> int:
    return x + 1


def fail(x: int) -> int:
    raise ValueError(f"no {x}")


@pytest.fixture
def written_often(monkeypatch):
    monkeypatch.setattr("daskscope.block.writing.LOOK_EVERY_S", 0.05)
    monkeypatch.setattr("daskscope.block.writing.WRITE_AFTER_S", 0.0)


def test_only_what_happened_inside_is_recorded(client):
    wait(client.map(inc, range(20), pure=False))
    with daskscope.record() as rec:
        wait(client.map(abs, range(-30, 0), pure=False))
    wait(client.map(inc, range(20), pure=False))
    assert rec.counts.captured == rec.counts.kept == 30
    assert set(rec.tasks["prefix"]) == {"abs"}
    assert rec.tasks["task"].tolist() == sorted(rec.tasks["task"])
    assert rec.tasks["task"].min() == 0


@pytest.mark.parametrize("path", [None, "run.daskscope"])
@pytest.mark.usefixtures("written_often")
def test_tasks_that_finish_after_the_block_are_not_in_it(client, tmp_path, monkeypatch, path):
    monkeypatch.setattr("daskscope.block.block.HEARTBEAT_SLACK_S", 2.5)
    given = None if path is None else tmp_path / path
    with daskscope.record(path=given) as rec:
        inside = client.map(inc, range(5), pure=False)
        wait(inside)
        late = client.map(time.sleep, [1.5] * 4, pure=False)
    assert all(future.done() for future in late)  # while the end waited for heartbeats
    assert set(rec.tasks["key"]) == {future.key for future in inside}
    if given is not None:
        assert daskscope.load(given).tasks["key"].tolist() == rec.tasks["key"].tolist()


@pytest.mark.all
def test_tasks_that_finished_before_the_block_are_not_in_it_if_the_scheduler_is_slow(client):
    with (
        dask.config.set({"daskscope.collect.unwatched-interval": "10s"}),
        daskscope.connect(client),
    ):
        wait(client.map(inc, range(20), pure=False))
        client.cluster.scheduler.loop.add_callback(time.sleep, 1.5)
        with daskscope.record() as rec:
            wait(client.map(abs, range(3), pure=False))
    assert set(rec.tasks["prefix"]) == {"abs"}


def test_it_takes_as_long_as_it_takes_also_if_the_clock_is_corrected_meanwhile(client):
    with daskscope.connect(client) as session, daskscope.record() as rec:
        now = time.time()
        session._collector.clock.update(scheduler=now - 1000, asked=now, answered=now)
        wait(client.map(inc, range(3), pure=False))
    assert 0 < rec.about["duration"] < 30
    assert rec.about["stop"] == rec.about["start"] + rec.about["duration"]


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
    assert cluster_of(rec)["time"][0] == about["start"]
    assert cluster_of(rec)["workers"][0] == len(about["workers"])


def test_the_wait_for_heartbeats_is_not_of_the_block(client):
    begun = time.monotonic()
    with daskscope.record() as rec:
        pass
    assert time.monotonic() - begun >= heartbeat_s(1) > rec.about["duration"]


def test_what_heartbeats_tell_after_the_block_is_in_it(client):
    for _ in range(3):  # wherever in the second between two samples it ends
        with daskscope.record() as rec:
            wait(client.map(inc, range(3), pure=False))
        assert cluster_of(rec)["time"].iloc[-1] >= rec.about["stop"] + 0.5
        assert scheduler_of(rec)["time"].iloc[-1] >= rec.about["stop"]


def test_what_is_logged_and_dropped_while_the_end_waits_is_not_missing_in_the_block(
    client, monkeypatch
):
    def log(dask_scheduler: Any) -> None:
        for number in range(500):
            dask_scheduler.log_event("later", number)

    def flood(block: Block, over: float) -> None:
        eventually(lambda: block._now() > over + SOON_S)
        for _ in range(6):
            client.run_on_scheduler(log)
            catch_up(block._session)
        dropped.append(parts_of(block._session).store.log("events").dropped)

    async def flooded(block: Block) -> None:
        await asyncio.to_thread(flood, block, block._now())

    dropped: list[int] = []
    monkeypatch.setattr(Block, "_heartbeats", flooded)
    with daskscope.record() as rec:
        client.log_event("mine", "here")
        wait(client.map(inc, range(3), pure=False))
    assert dropped[0] > 0
    assert rec.events["topic"].tolist().count("mine") == 1
    assert rec.about["missing"] == []


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
    async def interrupt(block: Block) -> None:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        await asyncio.sleep(60)

    path = tmp_path / "run.daskscope"
    block = daskscope.record(path=path)
    rec = block.__enter__()
    wait(client.map(inc, range(5), pure=False))
    with monkeypatch.context() as patch:
        patch.setattr(Block, "_heartbeats", interrupt)
        with pytest.raises(KeyboardInterrupt):
            block.__exit__(None, None, None)
    assert rec.counts.kept == daskscope.load(path).counts.kept == 5
    assert "interrupted" in rec.about["missing"][-1]["text"]
    assert all(session.closed for session in daskscope.sessions())


@pytest.mark.usefixtures("written_often")
@pytest.mark.filterwarnings("ignore:.* is truncated")
def test_a_file_grows_with_the_block_and_is_whole_at_its_end(client, tmp_path):
    path = tmp_path / "run.daskscope"
    with daskscope.record(path=path) as rec:
        wait(client.map(inc, range(50), pure=False))
        (part,) = tmp_path.iterdir()
        eventually(lambda: daskscope.load(part).counts.kept == 50)
        wait(client.map(inc, range(50), pure=False))
    assert list(tmp_path.iterdir()) == [path]
    loaded = daskscope.load(path)
    assert loaded.counts == rec.counts
    assert loaded.counts.kept == 100
    assert loaded.about["whole"]
    assert loaded.about["summary"]["tasks"]["kept"] == 100
    assert not [t for t in threading.enumerate() if t.name == "daskscope-record"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing/run.daskscope", r"missing"),
        ("", "is empty"),
        (".", "a directory"),
        ("a\0b", "NUL character"),
    ],
)
def test_a_path_that_cannot_be_written_is_an_error_before_the_block(
    client, tmp_path, monkeypatch, path, said
):
    monkeypatch.chdir(tmp_path)
    ran = []
    with pytest.raises(DaskscopeError, match=said), daskscope.record(path=path):
        ran.append(1)
    assert not ran
    assert not daskscope.sessions()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("where", ["block.cluster_sample", "writing.FileWriter"])
def test_a_block_that_cannot_begin_leaves_nothing(client, tmp_path, monkeypatch, where, error):
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(f"daskscope.block.{where}", fails)
    with pytest.raises(error), daskscope.record(path=tmp_path / "run.daskscope"):
        pass
    assert all(session.closed for session in daskscope.sessions())
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("written_often")
@pytest.mark.filterwarnings("ignore:.* is truncated")
def test_an_end_that_fails_leaves_nothing_running_and_what_was_written(
    client, tmp_path, monkeypatch
):
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no facts")

    monkeypatch.setattr("daskscope.block.block.note_end", fails)
    block = daskscope.record(path=tmp_path / "run.daskscope")
    block.__enter__()
    wait(client.map(inc, range(5), pure=False))
    (part,) = tmp_path.iterdir()
    eventually(lambda: daskscope.load(part).counts.kept == 5)
    with pytest.raises(RuntimeError, match="no facts"):
        block.__exit__(None, None, None)
    assert all(session.closed for session in daskscope.sessions())
    assert daskscope.load(part).counts.kept == 5
    assert not daskscope.load(part).about["whole"]


@pytest.mark.all
def test_blocks_of_several_threads_need_one_session_as_long_as_one_of_them_runs(client):
    together = threading.Barrier(4)
    kept = []

    def record(number: int) -> None:
        for _ in range(3):
            together.wait()
            with daskscope.record(client) as rec:
                for _ in range(number):
                    client.submit(inc, 1, pure=False).result()
            kept.append(rec.counts.kept >= number)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(record, range(4)))
    assert kept == [True] * 12
    assert all(session.closed for session in daskscope.sessions())


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


async def story_of_an_end(tmp_path: Path, *, cancel: bool) -> tuple[Any, set[str]]:
    """Return the file, and in which threads the end of a block did its work."""
    threads = set()

    async with (
        LocalCluster(
            n_workers=1, processes=False, dashboard_address=None, asynchronous=True
        ) as cluster,
        Client(cluster, asynchronous=True) as client,
    ):
        block = daskscope.record(client, tmp_path / "run.daskscope")
        rec = await block.__aenter__()
        await asyncio.gather(*client.map(inc, range(10), pure=False))
        working = asyncio.Event()
        loop = asyncio.get_running_loop()

        def about(core: Any) -> dict[str, Any]:
            threads.add(threading.current_thread().name)
            loop.call_soon_threadsafe(working.set)
            return about_of(core)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("daskscope.block.block.about_of", about)
            end = asyncio.ensure_future(block.__aexit__(None, None, None))
            await working.wait()
            if cancel:
                end.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await end
            else:
                await end
        assert rec.counts.kept == 10
    return daskscope.load(tmp_path / "run.daskscope"), threads


@pytest.mark.parametrize("cancel", [False, True])
def test_the_end_of_an_asynchronous_block_leaves_the_loop_alone_and_is_whole(tmp_path, cancel):
    loaded, threads = asyncio.run(story_of_an_end(tmp_path, cancel=cancel))
    assert threads
    assert threading.current_thread().name not in threads
    assert loaded.counts.kept == 10
    assert loaded.about["whole"]
    assert [path.name for path in tmp_path.iterdir()] == ["run.daskscope"]
