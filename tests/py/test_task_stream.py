"""Dask's own task stream, read as it is read where the agent is refused."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import WITHOUT_DASHBOARD, eventually
from distributed import Client, LocalCluster, Scheduler
from distributed.diagnostics.task_stream import TaskStreamPlugin

import daskscope
from daskscope import session
from daskscope.collect.builtin_routes import TaskStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REFUSED = ["register_scheduler_plugin", "register_worker_plugin", "run_function"]
TIME_ONLY = [*REFUSED, "get_task_stream_index"]
BUFFER_TASKS = 200

TELLS_INDEX = hasattr(Scheduler, "get_task_stream_index")  # since 2026.5
with_index = pytest.mark.skipif(not TELLS_INDEX, reason="this distributed tells no index")
with_and_without_index = pytest.mark.parametrize(
    "tells_index", [pytest.param(True, marks=with_index), False]
)


class Stream:
    """Dask's own plugin, fed by hand, and asked as over a connection."""

    def __init__(self, maxlen: int, *, tells_index: bool) -> None:
        self.begin_anew(maxlen)
        self.tells_index = tells_index
        self.between: Callable[[], None] = lambda: None
        self.asked = 0

    def begin_anew(self, maxlen: int) -> None:
        self.plugin = TaskStreamPlugin(SimpleNamespace(tasks={}), maxlen)

    async def ask(self, op: str, **arguments: Any) -> Any:
        self.asked += 1
        self.between()
        if op == "get_task_stream":
            return self.plugin.collect(**arguments)
        return self.plugin.index if self.tells_index else None

    def finish(self, count: int = 1, late_s: float = 0.0) -> None:
        """Let tasks arrive, whose times are those of their number."""
        for _ in range(count):
            number = self.plugin.index
            self.plugin.scheduler.tasks[f"t-{number}"] = None
            rows = [{"action": "compute", "start": 0.0, "stop": number - late_s}]
            self.plugin.transition(
                f"t-{number}", "processing", "memory", startstops=rows, worker="w", thread=1
            )


def numbers(messages: Any) -> list[int]:
    return [int(message["key"].removeprefix("t-")) for message in messages]


@pytest.mark.asyncio
@with_and_without_index
@pytest.mark.parametrize("seed", range(20))
async def test_each_task_comes_once_and_what_was_forgotten_is_told(
    tells_index: bool, seed: int
) -> None:
    chance = random.Random(seed)
    stream = Stream(maxlen=30, tells_index=tells_index)
    reader = TaskStream(stream)
    stream.between = lambda: stream.finish(chance.choice([0, 0, 1, 7, 40]), chance.random() * 20)
    seen: list[int] = []
    forgotten: list[int | None] = []
    for reading in range(60):
        if reading == 59:
            stream.between = lambda: None
        news = await reader.read()
        new = numbers(news.messages)
        if not tells_index and seen and new:
            assert (news.forgotten == 0) == (new[0] == seen[-1] + 1)
        seen += new
        forgotten.append(news.forgotten)
        if tells_index:
            assert len(seen) + sum(forgotten) <= stream.plugin.index
    assert seen == sorted(set(seen))
    if tells_index:
        assert sum(forgotten) > 0
        assert len(seen) + sum(forgotten) == stream.plugin.index
    else:
        assert None in forgotten


@pytest.mark.asyncio
@with_and_without_index
async def test_a_report_that_arrives_late_is_not_missed(tells_index: bool) -> None:
    stream = Stream(maxlen=1000, tells_index=tells_index)
    reader = TaskStream(stream)
    stream.finish(10)
    assert numbers((await reader.read()).messages) == list(range(10))
    stream.finish(late_s=1000.0)
    assert numbers((await reader.read()).messages) == [10]


@pytest.mark.asyncio
@with_and_without_index
async def test_times_that_are_no_numbers_do_not_repeat_a_task(tells_index: bool) -> None:
    stream = Stream(maxlen=10, tells_index=tells_index)
    reader = TaskStream(stream)
    stream.finish(late_s=float("nan"))
    assert len((await reader.read()).messages) == 1
    assert not (await reader.read()).messages


@pytest.mark.asyncio
@with_and_without_index
async def test_from_now_on_leaves_out_what_is_there(tells_index: bool) -> None:
    stream = Stream(maxlen=1000, tells_index=tells_index)
    stream.finish(50)
    reader = TaskStream(stream)
    await reader.skip()
    stream.finish(500)
    news = await reader.read()
    assert numbers(news.messages) == list(range(50, 550))
    assert news.forgotten == 0


@pytest.mark.asyncio
@with_and_without_index
async def test_a_quiet_stream_is_asked_for_next_to_nothing(tells_index: bool) -> None:
    stream = Stream(maxlen=1000, tells_index=tells_index)
    reader = TaskStream(stream)
    stream.finish(500)
    await reader.read()
    asked = stream.asked
    for _ in range(5):
        assert not (await reader.read()).messages
    assert stream.asked == asked + 5


@pytest.mark.asyncio
@with_index
async def test_a_stream_that_was_begun_anew_is_read_from_its_beginning() -> None:
    stream = Stream(maxlen=10, tells_index=True)
    reader = TaskStream(stream)
    stream.finish(8)
    await reader.read()
    stream.begin_anew(maxlen=10)
    stream.finish(3)
    news = await reader.read()
    assert numbers(news.messages) == [0, 1, 2]
    assert news.forgotten is None


@pytest.fixture(params=[REFUSED, TIME_ONLY], ids=["by index", "by count"])
def refusing(request: pytest.FixtureRequest) -> Iterator[tuple[Client, bool]]:
    """A client of a scheduler that refuses the agent; whether it tells the stream's index."""
    length = "distributed.scheduler.dashboard.{}.task-stream-length"
    settings = {
        "distributed.scheduler.blocked-handlers": request.param,
        length.format("tasks"): BUFFER_TASKS,
        length.format("status"): BUFFER_TASKS,
        "daskscope.collect.unwatched-interval": "60s",  # it is read when a test wants it
    }
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=1, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client, TELLS_INDEX and request.param is REFUSED


def test_a_stream_that_overruns_loses_tasks_and_says_so(
    refusing: tuple[Client, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CATCH_UP_S", 20.0)  # this machine may be busy
    client, tells_index = refusing
    with daskscope.connect(client) as s:
        eventually(lambda: s.state == "partly")
        for part, tasks in enumerate((100, 700, 700)):
            client.gather(client.map(abs, range(1000 * part, 1000 * part + tasks)))
            kept = s.recording.counts.kept
        assert kept == s.recording.tasks["key"].nunique() == 100 + 2 * BUFFER_TASKS
        if tells_index:
            assert s.counts.captured == 1500
            assert s.counts.dropped_agent == 1500 - kept
        else:
            assert list(s.recording.gaps["reason"]) == ["stream-overrun"] * 2
