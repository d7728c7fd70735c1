"""The agent inside a real scheduler: leases, bounds, and failing without harm."""

from __future__ import annotations

import asyncio
import threading
import weakref
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from distributed import Client, Scheduler, Worker, wait

from daskscope import agent
from daskscope.agent.packing import REPORTED

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.asyncio

may_end = threading.Event()


def run_until_it_may_end(_: object) -> None:
    may_end.wait(60)


@asynccontextmanager
async def installed(memory_limit: int = 10_000_000) -> AsyncIterator[tuple[Any, Any, Any]]:
    """A scheduler with a worker, a client, and an agent registered as the kernel does it."""
    async with (
        Scheduler(port=0, dashboard=False, host="127.0.0.1") as scheduler,
        Worker(scheduler.address, nthreads=2, memory_limit=0),
        Client(scheduler.address, asynchronous=True) as client,
    ):
        await register(scheduler, memory_limit)
        yield scheduler, client, scheduler.plugins[agent.name()]


async def register(scheduler: Any, memory_limit: int = 10_000_000) -> None:
    await scheduler.register_scheduler_plugin(
        agent.pickled(memory_limit=memory_limit), name=agent.name(), idempotent=True
    )


def constants(plugin: Any) -> dict[str, Any]:
    """The globals of the agent's text."""
    space: dict[str, Any] = plugin.poll.__func__.__globals__
    return space


def is_gone(scheduler: Any) -> bool:
    ours = [name for name in (*scheduler.plugins, *scheduler.handlers) if "daskscope" in name]
    return not ours


async def eventually(condition: Any, seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - of a real scheduler
            await asyncio.sleep(0.01)


async def run_tasks(client: Any, count: int, name: str = "inc") -> None:
    await client.gather(
        [client.submit(int, i, key=f"{name}-{i}", pure=False) for i in range(count)]
    )


async def test_registering_twice_keeps_agent_and_data() -> None:
    async with installed() as (scheduler, client, plugin):
        await run_tasks(client, 3)
        await register(scheduler)
        assert scheduler.plugins[agent.name()] is plugin
        assert plugin.poll(reader="r", client=client.id)["next"] == 3


async def test_each_reader_gets_everything_from_its_own_cursor() -> None:
    async with installed() as (_, client, plugin):
        await run_tasks(client, 3, "a")
        first = plugin.poll(reader="one", client=client.id)
        await run_tasks(client, 2, "b")
        again = plugin.poll(reader="one", client=client.id, cursor=first["next"])
        other = plugin.poll(reader="two", client=client.id)
        assert [sum(c["tasks"] for c in a["chunks"]) for a in (first, again, other)] == [3, 2, 5]
        assert {a["agent"] for a in (first, again, other)} == {plugin.id}


async def test_an_answer_is_limited_and_the_rest_follows() -> None:
    async with installed() as (_, client, plugin):
        constants(plugin)["CHUNK_LENGTH"] = 10 * REPORTED
        await run_tasks(client, 100)
        cursor, answers = 0, 0
        while True:
            answer = plugin.poll(reader="r", client=client.id, cursor=cursor, limit_bytes=3_000)
            answers += 1
            cursor = answer["chunks"][-1]["first"] + answer["chunks"][-1]["tasks"]
            if cursor == answer["next"]:
                break
        assert cursor == 100
        assert answers > 2


async def test_memory_is_bounded_and_what_is_dropped_is_counted() -> None:
    async with installed(memory_limit=20_000) as (_, client, plugin):
        constants(plugin)["CHUNK_LENGTH"] = 10 * REPORTED
        await run_tasks(client, 500)
        answer = plugin.poll(reader="r", client=client.id, limit_bytes=10**9)
        assert plugin.memory <= 20_000
        assert answer["first"] > 0
        assert answer["next"] == 500
        assert answer["first"] + sum(chunk["tasks"] for chunk in answer["chunks"]) == 500


async def test_errors_are_told_once_with_their_texts() -> None:
    async with installed() as (_, client, plugin):
        future = client.submit(lambda: 1 / 0, key="broken-1")
        with pytest.raises(ZeroDivisionError):
            await future
        answer = plugin.poll(reader="r", client=client.id)
        (error,) = answer["errors"]["items"]
        assert error["task"] == 0
        assert error["key"] == "broken-1"
        assert "ZeroDivisionError" in error["exception"]
        assert "1 / 0" in error["traceback"]
        later = plugin.poll(reader="r", client=client.id, cursor=1, errors=1)
        assert later["errors"] == {"first": 1, "items": []}


async def test_errors_are_bounded_and_numbered() -> None:
    async with installed() as (_, client, plugin):
        plugin.errors.limit = 10
        futures = [client.submit(lambda: 1 / 0, key=f"broken-{i}") for i in range(30)]
        await asyncio.gather(*futures, return_exceptions=True)
        answer = plugin.poll(reader="r", client=client.id)
        errors = answer["errors"]
        assert len(errors["items"]) == 10
        assert errors["first"] + len(errors["items"]) == 30
        assert answer["next"] == 30


async def test_long_texts_of_errors_are_cut() -> None:
    def fail() -> None:
        raise ValueError("x" * 100_000)

    async with installed() as (_, client, plugin):
        with pytest.raises(ValueError, match="xxx"):
            await client.submit(fail)
        (error,) = plugin.poll(reader="r", client=client.id)["errors"]["items"]
        assert len(error["exception"]) <= 20_001


async def test_errors_with_long_texts_are_bounded_together() -> None:
    def fail() -> None:
        raise ValueError("x" * 15_000)

    async with installed() as (_, client, plugin):
        constants(plugin)["MAX_LOG_CHARS"] = 100_000
        futures = [client.submit(fail, key=f"broken-{i}") for i in range(10)]
        await asyncio.gather(*futures, return_exceptions=True)
        errors = plugin.poll(reader="r", client=client.id)["errors"]
        assert 0 < len(errors["items"]) < 10
        assert errors["first"] + len(errors["items"]) == 10


async def test_it_leaves_when_its_last_reader_releases_it() -> None:
    async with installed() as (scheduler, client, plugin):
        plugin.poll(reader="one", client=client.id)
        plugin.poll(reader="two", client=client.id)
        plugin.release(reader="one")
        assert scheduler.plugins[agent.name()] is plugin
        plugin.release(reader="two")
        assert is_gone(scheduler)
        assert plugin.lease_check is None


async def test_it_leaves_after_its_client_has_gone_once_the_tail_was_fetched() -> None:
    async with installed() as (scheduler, client, plugin):
        constants(plugin)["CLOSED_CLIENT_LEASE_S"] = 0.05
        plugin.poll(reader="r", client=client.id)
        await run_tasks(client, 1)
        await client.close()
        assert plugin.poll(reader="r", client=client.id)["next"] == 1
        await eventually(lambda: is_gone(scheduler))


async def test_it_leaves_when_the_client_dies_without_a_word() -> None:
    async with installed() as (scheduler, client, plugin):
        constants(plugin)["CLOSED_CLIENT_LEASE_S"] = 0.05
        plugin.poll(reader="r", client=client.id)
        client.scheduler_comm.comm.abort()
        await client.close(timeout=0)
        await eventually(lambda: is_gone(scheduler))


async def test_another_client_keeps_it() -> None:
    async with installed() as (scheduler, client, plugin):
        constants(plugin)["CLOSED_CLIENT_LEASE_S"] = 0.0
        async with Client(scheduler.address, asynchronous=True) as other:
            plugin.poll(reader="one", client=client.id)
            plugin.poll(reader="two", client=other.id)
            await client.close()
            await eventually(lambda: "one" not in plugin.readers)
            assert scheduler.plugins[agent.name()] is plugin


async def test_a_reader_that_stops_asking_is_let_go_in_the_end() -> None:
    async with installed() as (scheduler, client, plugin):
        plugin.poll(reader="r", client=client.id, timeout_s=0.05)
        plugin.check_leases()
        assert plugin.readers
        plugin.check_leases_in(0.1)
        await eventually(lambda: is_gone(scheduler))


async def test_a_clock_that_is_put_forward_lets_no_reader_go() -> None:
    async with installed() as (scheduler, client, plugin):
        plugin.poll(reader="r", client=client.id)
        clock = constants(plugin)["time"]
        constants(plugin)["time"] = lambda: clock() + 86_400
        plugin.check_leases()
        assert list(plugin.readers) == ["r"]
        assert scheduler.plugins[agent.name()] is plugin


async def test_an_agent_that_nobody_ever_asked_leaves() -> None:
    async with installed() as (scheduler, _, plugin):
        plugin.readers["(installer)"][2] = 0.0
        plugin.check_leases_in(0.01)
        await eventually(lambda: is_gone(scheduler))


async def test_closing_the_scheduler_leaves_no_timer() -> None:
    async with installed() as (_, client, plugin):
        plugin.poll(reader="r", client=client.id)
    assert plugin.lease_check is None


async def test_an_exception_disables_it_and_the_scheduler_goes_on() -> None:
    async with installed() as (_, client, plugin):
        await run_tasks(client, 1)
        constants(plugin)["CHUNK_LENGTH"] = 2 * REPORTED
        plugin.prefixes = None
        await run_tasks(client, 10, "more")
        answer = plugin.poll(reader="r", client=client.id)
        assert "AttributeError" in answer["error"]
        assert answer["agent"] == plugin.id
        assert plugin.memory == 0
        assert await client.submit(sum, [1, 2]) == 3


BROKEN: list[Any] = [
    {"startstops": None},
    {"startstops": 7},
    {"startstops": [{"action": "compute", "start": 1.0, "stop": None}]},
    {"startstops": [{"action": "compute", "start": 10**400, "stop": 2.0}]},
    {"startstops": [{"start": 1.0, "stop": 2.0}]},
    {"startstops": ["compute"]},
    {"startstops": [{"action": [], "start": 1.0, "stop": 2.0}]},
    {"worker": ["w"]},
    {},
]
SOUND = {
    "startstops": [{"action": "compute", "start": 1.0, "stop": 2.0}],
    "nbytes": 1,
    "worker": "tcp://w:1",
    "thread": 1,
}


@pytest.mark.parametrize("broken", BROKEN, ids=str)
async def test_a_report_that_cannot_be_read_costs_only_itself(broken: dict[str, Any]) -> None:
    async with installed() as (scheduler, client, plugin):
        await run_tasks(client, 3, "before")
        key = "strange-1"
        future = client.submit(int, 1, key=key)
        await future
        plugin.poll(reader="r", client=client.id)
        message = {**SOUND, **broken} if broken else {}
        plugin.transition(key, "processing", "memory", **message)
        plugin.transition(key, "processing", "memory", **SOUND)
        answer = plugin.poll(reader="r", client=client.id, cursor=4)
        assert "error" not in answer
        (chunk,) = answer["chunks"]
        assert chunk["tasks"] == 2
        assert chunk["rows"] == (2 if "worker" in broken else 1)
        assert answer["incomplete"] == 1
        assert scheduler.plugins[agent.name()] is plugin


async def test_the_list_around_the_rows_of_a_task_is_not_kept() -> None:
    class Rows(list[Any]):
        """A list of which one can ask whether it is still there."""

    async with installed() as (_, client, plugin):
        future = client.submit(int, 1, key="listed-1")
        await future
        rows = Rows(SOUND["startstops"])
        there = weakref.ref(rows)
        waiting = len(plugin.pending)
        plugin.transition("listed-1", "processing", "memory", **{**SOUND, "startstops": rows})
        del rows
        assert len(plugin.pending) == waiting + 1
        assert there() is None


async def test_a_task_that_erred_without_readable_rows_is_kept_as_erred() -> None:
    async with installed() as (_, client, plugin):
        future = client.submit(int, 1, key="odd-1")
        await future
        plugin.poll(reader="r", client=client.id)
        plugin.transition("odd-1", "processing", "erred", **{**SOUND, "startstops": 7})
        answer = plugin.poll(reader="r", client=client.id, cursor=1)
        assert [chunk["tasks"] for chunk in answer["chunks"]] == [1]
        assert [error["key"] for error in answer["errors"]["items"]] == ["odd-1"]
        assert answer["incomplete"] == 1


async def test_a_task_that_the_scheduler_does_not_know_disables_the_agent() -> None:
    async with installed() as (_, client, plugin):
        plugin.transition("unknown-1", "processing", "memory", **SOUND)
        assert "KeyError" in plugin.poll(reader="r", client=client.id)["error"]
        assert plugin.pending.finished == []


async def test_an_exception_in_an_answer_is_answered() -> None:
    async with installed() as (_, client, plugin):
        plugin.changes = None
        assert "AttributeError" in plugin.poll(reader="r", client=client.id)["error"]


async def test_workers_that_come_change_and_go_are_noted() -> None:
    async with installed() as (scheduler, client, plugin):
        async with Worker(scheduler.address, nthreads=1, name="extra") as worker:
            scheduler.handle_worker_status_change("paused", worker.address, "test")
            scheduler.handle_worker_status_change("running", worker.address, "test")
        await eventually(lambda: len(scheduler.workers) == 1)
        changes = plugin.poll(reader="r", client=client.id)["changes"]["items"]
        ours = [change["what"] for change in changes if change["worker"] == worker.address]
        assert ours[0] == "added"
        assert {"paused", "running"} <= set(ours)
        assert ours[-1] == "removed"


async def test_an_agent_that_was_unregistered_by_force_leaves_instead_of_answering() -> None:
    async with installed() as (scheduler, client, plugin):
        assert plugin.poll(reader="r", client=client.id)
        await client.unregister_scheduler_plugin(agent.name())
        assert plugin.poll(reader="r", client=client.id) is None
        assert is_gone(scheduler)
        assert plugin.lease_check is None


async def test_agents_of_two_versions_capture_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    async with installed() as (scheduler, client, older):
        text = agent.source() + "# of another version\n"
        monkeypatch.setattr(agent, "source", lambda: text)
        monkeypatch.setattr(agent, "name", agent.name.__wrapped__)
        await register(scheduler)
        newer = scheduler.plugins[agent.name()]
        assert newer is not older
        await run_tasks(client, 3)
        assert older.poll(reader="one", client=client.id)["next"] == 3
        assert newer.poll(reader="two", client=client.id)["next"] == 3
        older.release(reader="one")
        await run_tasks(client, 2, "more")
        assert scheduler.handlers[agent.name() + "_poll"](reader="two")["next"] == 5
        assert [name for name in scheduler.plugins if "daskscope" in name] == [agent.name()]
        newer.release(reader="two")
        assert is_gone(scheduler)


async def test_a_snapshot_of_the_workers_comes_when_asked_for() -> None:
    async with installed() as (scheduler, client, plugin):
        assert "workers" not in plugin.poll(reader="r", client=client.id)
        (worker,) = plugin.poll(reader="r", client=client.id, workers=True)["workers"]
        assert worker["address"] == next(iter(scheduler.workers))
        assert worker["threads"] == 2
        assert worker["status"] == "running"
        assert worker["process"] >= worker["managed"] >= 0
        assert worker["running"] == 0


async def test_a_snapshot_says_how_many_tasks_a_worker_runs_and_not_how_many_wait_there() -> None:
    async with installed() as (scheduler, client, plugin):
        may_end.clear()
        given = client.map(int, range(5), pure=False)  # what depends on these is not held back
        await wait(given)
        tasks = client.map(run_until_it_may_end, given, pure=False)

        async def told(running: int) -> None:
            while True:
                (worker,) = plugin.poll(reader="r", client=client.id, workers=True)["workers"]
                if worker["running"] == running:
                    return
                await asyncio.sleep(0.01)

        await told(2)  # it has two threads
        assert sum(len(state.processing) for state in scheduler.workers.values()) == 5
        may_end.set()
        await wait(tasks)
        await told(0)


def progress(plugin: Any, client: Any) -> dict[str, tuple[int, ...]]:
    """By prefix: tasks that wait for others, are queued, have no worker, are processing, of
    which run, and cannot run."""
    answer = plugin.poll(reader="r", client=client.id, workers=True)["progress"]
    return {name: tuple(counts) for name, *counts in answer}


def add(*numbers: int | None) -> int:
    return sum(number or 0 for number in numbers)


async def test_a_snapshot_counts_unfinished_tasks_by_prefix() -> None:
    async with installed() as (_, client, plugin):
        may_end.clear()
        assert progress(plugin, client) == {}
        held = client.map(run_until_it_may_end, range(9), key=[f"held-{i}" for i in range(9)])
        then = client.submit(add, *held, key="then-0")
        # The two threads have one task each, and one more lies at the worker.
        expected = {"held": (0, 6, 0, 3, 2, 0), "then": (1, 0, 0, 0, 0, 0)}
        await eventually(lambda: progress(plugin, client) == expected)
        may_end.set()
        await wait(then)
        await eventually(lambda: progress(plugin, client) == {})


async def test_tasks_that_could_not_run_stay_counted_once_they_are_forgotten() -> None:
    async with installed() as (scheduler, client, plugin):

        async def fail() -> None:
            bad = client.submit(int, "x", key="bad-0")
            first = client.submit(add, bad, key="blocked-0")
            second = client.submit(add, first, key="blocked-1")
            await wait([bad, first, second])

        await fail()
        assert progress(plugin, client) == {"blocked": (0, 0, 0, 0, 0, 2)}
        await eventually(lambda: not scheduler.tasks)  # their futures are gone
        assert progress(plugin, client) == {"blocked": (0, 0, 0, 0, 0, 2)}
        await fail()
        assert progress(plugin, client) == {"blocked": (0, 0, 0, 0, 0, 4)}


async def test_tasks_that_could_not_run_before_the_agent_came_are_not_counted() -> None:
    async with (
        Scheduler(port=0, dashboard=False, host="127.0.0.1") as scheduler,
        Worker(scheduler.address, nthreads=2, memory_limit=0),
        Client(scheduler.address, asynchronous=True) as client,
    ):
        bad = client.submit(int, "x", key="bad-0")
        await wait(client.submit(add, bad, key="blocked-0"))
        await register(scheduler)
        assert progress(scheduler.plugins[agent.name()], client) == {}


async def test_unfinished_tasks_of_very_many_prefixes_are_summed_up() -> None:
    async with installed() as (_, client, plugin):
        constants(plugin)["MAX_SENT_PREFIXES"] = 3
        may_end.clear()
        held = client.submit(run_until_it_may_end, 0, key="held-0")
        rest = [client.submit(add, held, i, key=f"p{i % 6}-{i}") for i in range(15)]

        def sums() -> dict[str, int]:
            return {name: sum(c[:4]) for name, c in progress(plugin, client).items()}

        await eventually(lambda: sum(sums().values()) == 1 + len(rest))
        assert sums() == {"p0": 3, "p1": 3, "p2": 3, "(other)": 1 + 3 * 2}
        may_end.set()
        await wait(rest)


async def test_a_scheduler_of_another_form_has_no_progress_and_goes_on() -> None:
    async with installed() as (scheduler, client, plugin):
        await run_tasks(client, 3)
        constants(plugin)["MAX_SCANNED_PREFIXES"] = 0
        answer = plugin.poll(reader="r", client=client.id, workers=True)
        assert answer["progress"] is None
        constants(plugin)["MAX_SCANNED_PREFIXES"] = 10
        next(iter(scheduler.task_prefixes.values())).state_counts = None
        answer = plugin.poll(reader="r", client=client.id, workers=True)
        assert answer["progress"] is None
        assert len(answer["workers"]) == 1


async def test_zero_workers_are_an_answer_like_any_other() -> None:
    async with (
        Scheduler(port=0, dashboard=False, host="127.0.0.1") as scheduler,
        Client(scheduler.address, asynchronous=True) as client,
    ):
        await register(scheduler)
        plugin: Any = scheduler.plugins[agent.name()]
        answer = plugin.poll(reader="r", client=client.id, workers=True)
        assert answer["workers"] == []
        assert answer["next"] == 0


def tell(plugin: Any, client: Any, **since: Any) -> Any:
    return plugin.poll(reader="r", client=client.id, **since)["events"]


async def test_events_are_told_once_with_the_schedulers_time() -> None:
    async with installed() as (scheduler, client, plugin):
        before = tell(plugin, client)
        cursor = before["first"] + len(before["items"])
        await client.log_event("mine", {"a": 1})
        told = tell(plugin, client, events=cursor)
        ((when, _),) = scheduler.get_events("mine")
        assert told == {
            "first": cursor,
            "items": [{"time": when, "topic": "mine", "message": '{"a": 1}'}],
        }
        assert tell(plugin, client, events=cursor + 1) == {"first": cursor + 1, "items": []}


async def test_an_event_of_two_topics_is_told_once_and_two_alike_twice() -> None:
    async with installed() as (_, client, plugin):
        await client.log_event(["a", "b"], True)
        await client.log_event("b", True)
        await client.log_event("b", True)
        told = [item["topic"] for item in tell(plugin, client)["items"]]
        assert told[-3:] == ["a, b", "b", "b"]


async def test_events_are_told_also_where_the_scheduler_keeps_none() -> None:
    async with installed() as (scheduler, client, plugin):
        scheduler._broker._topics.default_factory.keywords["maxlen"] = 0
        await client.log_event(["a", "b"], "here")
        told = tell(plugin, client)["items"][-2:]
        assert [(item["topic"], item["message"]) for item in told] == [
            ("a", '"here"'),
            ("b", '"here"'),
        ]


async def test_a_message_that_cannot_be_shown_does_not_disable_it() -> None:
    class Rude:
        def __str__(self) -> str:
            raise RuntimeError("no")

    async with installed() as (scheduler, client, plugin):
        scheduler.log_event("mine", Rude())
        assert tell(plugin, client)["items"][-1]["message"] == '"(Rude)"'


def load(plugin: Any, client: Any, **cursor: Any) -> Any:
    return plugin.poll(reader="r", client=client.id, workers=True, **cursor)["scheduler"]


async def test_the_schedulers_own_load_is_told_from_the_first_question_on() -> None:
    async with installed() as (scheduler, client, plugin):
        assert "scheduler" not in plugin.poll(reader="r", client=client.id)
        first = load(plugin, client)
        assert first["items"] == []
        for _ in range(3):
            scheduler.monitor.update()
        told = load(plugin, client, load=first["first"])
        assert told["first"] == first["first"]
        assert len(told["items"]) == 3
        when, cpu, memory = told["items"][-1]
        assert when == scheduler.monitor.quantities["time"][-1]
        assert cpu >= 0
        assert memory > 1_000_000
        assert told["loop_interval"] > 0
        assert load(plugin, client, load=first["first"] + 3)["items"] == []


async def test_of_the_schedulers_load_the_newest_samples_are_told() -> None:
    async with installed() as (scheduler, client, plugin):
        constants(plugin)["MAX_SAMPLES"] = 5
        for _ in range(20):
            scheduler.monitor.update()
        told = load(plugin, client, load=0)
        assert len(told["items"]) == 5
        assert told["first"] + 5 == scheduler.monitor.count


async def test_a_scheduler_without_a_monitor_is_asked_in_vain_and_goes_on() -> None:
    async with installed() as (scheduler, client, plugin):
        monitor, scheduler.monitor = scheduler.monitor, None
        del scheduler._tick_interval_observed
        told = load(plugin, client)
        scheduler.monitor, scheduler._tick_interval_observed = monitor, 0.02
        assert told == {"first": 0, "items": [], "loop_interval": None}
        assert load(plugin, client)["first"] > 0
