"""Events, and samples of cluster and scheduler, in the recording of a session."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import cluster_of_one_worker, eventually, live
from distributed import Client, LocalCluster
from recording_rows import cluster_of, scheduler_of

import daskscope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daskscope import Session

REFUSED = ["register_scheduler_plugin", "register_worker_plugin", "run_function"]


def told(s: Session, topic: str) -> list[Any]:
    """Messages of one topic."""
    rows = s.recording.events.query("topic == @topic")
    return [json.loads(message) for message in rows["message"]]


@pytest.fixture
def session(client: Client) -> Iterator[Session]:
    with daskscope.connect(client) as s:
        yield live(s)


@pytest.fixture(params=["agent", "built-in routes"])
def either(request: pytest.FixtureRequest) -> Iterator[tuple[Client, Session, Any]]:
    """A client, its session and its scheduler, which takes the agent or refuses it."""
    refused = [] if request.param == "agent" else REFUSED
    with (
        dask.config.set({"distributed.scheduler.blocked-handlers": refused}),
        cluster_of_one_worker() as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.state == ("partly" if refused else "live"))
        yield client, s, cluster.scheduler


def test_what_a_user_logs_is_in_the_recording(either: tuple[Client, Session, Any]) -> None:
    client, s, scheduler = either
    client.log_event("mine", {"a": 1})
    eventually(lambda: told(s, "mine") == [{"a": 1}])
    client.log_event("mine", {"a": 1})
    eventually(lambda: told(s, "mine") == [{"a": 1}, {"a": 1}])
    times = s.recording.events.query("topic == 'mine'")["time"].tolist()
    assert times == [when for when, _ in scheduler.get_events("mine")]


def test_what_a_task_logs_is_in_the_recording(session: Session, client: Client) -> None:
    def task() -> None:
        from distributed import get_worker

        get_worker().log_event("from a task", ["here", 1])

    client.submit(task).result()
    eventually(lambda: told(session, "from a task") == [["here", 1]])


def test_an_event_of_two_topics_is_one_row(either: tuple[Client, Session, Any]) -> None:
    client, s, _ = either
    client.log_event(["first", "second"], 7)
    client.log_event("second", 7)
    eventually(lambda: "second" in set(s.recording.events["topic"]))
    topics = [topic for topic in s.recording.events["topic"] if "second" in topic]
    assert topics == ["first, second", "second"]


def test_samples_of_the_cluster_grow(either: tuple[Client, Session, Any]) -> None:
    client, s, _ = either
    kept = client.submit(bytes, 3_000_000)
    kept.result()
    eventually(lambda: (cluster_of(s.recording)["managed"] >= 3_000_000).any())
    before = len(cluster_of(s.recording))
    eventually(lambda: len(cluster_of(s.recording)) >= before + 2)
    sample = cluster_of(s.recording).iloc[-1]
    assert sample["workers"] == 1
    assert sample["threads"] == sum(worker["threads"] for worker in s.workers)
    assert sample["memory_limit"] == 8 * 2**30
    assert sample["process"] > 3_000_000
    assert sample["spilled"] == 0
    assert cluster_of(s.recording)["time"].is_monotonic_increasing


def test_samples_of_the_scheduler_grow_and_none_comes_twice(session: Session) -> None:
    eventually(lambda: len(scheduler_of(session.recording)) >= 2)
    latest = scheduler_of(session.recording)["time"].max()
    eventually(lambda: scheduler_of(session.recording)["time"].max() > latest + 1)
    samples = scheduler_of(session.recording)
    assert samples["time"].is_unique
    assert samples["time"].is_monotonic_increasing
    assert (samples["memory"] > 1_000_000).all()
    assert (samples["cpu"] >= 0).all()
    assert samples["loop_interval"].between(0, 10, inclusive="neither").all()


def test_a_worker_without_a_limit_counts_nothing() -> None:
    with (
        cluster_of_one_worker(memory_limit=0) as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: len(cluster_of(s.recording)))
        assert cluster_of(s.recording)["memory_limit"].iloc[0] == 0


@pytest.fixture
def seldom(cluster: LocalCluster) -> Iterator[tuple[Client, Session]]:
    """A client whose scheduler is asked only when a test reads the recording."""
    with (
        dask.config.set({"daskscope.collect.unwatched-interval": "60s"}),
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        yield client, live(s)


def test_a_topic_that_says_much_leaves_others(seldom: tuple[Client, Session]) -> None:
    client, s = seldom
    assert not told(s, "mine")
    client.log_event("mine", "before")

    def flood(dask_scheduler: Any) -> None:
        for number in range(5_000):
            dask_scheduler.log_event("stealing", ("request", number))

    client.run_on_scheduler(flood)
    client.log_event("mine", "after")
    eventually(lambda: told(s, "mine") == ["before", "after"])
    flooded = [number for _, number in told(s, "stealing")]
    assert flooded == list(range(5_000 - len(flooded), 5_000))
    (notice,) = [n for n in s.notices if n.code == "events-missed"]
    assert f"dropped {5_000 - len(flooded):,} events" in notice.text


def test_a_block_tells_of_missed_events_those_that_were_logged_in_it(
    seldom: tuple[Client, Session],
) -> None:
    client, s = seldom

    def missed(rec: Any) -> list[str]:
        return [n["text"] for n in rec.about["missing"] if n["code"] == "events-missed"]

    def flood(dask_scheduler: Any, events: int) -> None:
        for number in range(events):
            dask_scheduler.log_event("stealing", number)

    client.run_on_scheduler(flood, events=5_000)
    assert len(told(s, "stealing")) < 5_000
    before = s.notices
    assert before[-1].code == "events-missed"
    with daskscope.record(client) as rec:
        client.submit(abs, -1).result()
    assert missed(rec) == []
    assert s.notices == before
    with daskscope.record(client) as rec:
        client.run_on_scheduler(flood, events=3_000)
    (text,) = missed(rec)
    logged = len(rec.events.query("topic == 'stealing'"))
    assert f"dropped {3_000 - logged:,} events" in text


class Odd:
    def __str__(self) -> str:
        return "an odd thing"


def test_hostile_messages_are_text_in_the_recording(session: Session, client: Client) -> None:
    for message in (b"\x80\x05", float("nan"), "x" * 1_000_000):
        client.log_event("hostile", message)

    def log_here(dask_scheduler: Any) -> None:
        class Rude:
            def __repr__(self) -> str:
                raise RuntimeError("no")

        for message in ({("a", 0): [None]}, 10**30, "lone \ud800", Rude(), {"nested": [Rude()]}):
            dask_scheduler.log_event("hostile", message)

    client.run_on_scheduler(log_here)
    client.log_event("😀", "a face")
    eventually(lambda: "😀" in set(session.recording.events["topic"]))
    binary, number, long, keys, huge, *rude = told(session, "hostile")
    assert binary == "b'\\x80\\x05'"
    assert number == "nan"
    assert len(long["cut"]) > 3_000
    assert keys == {"('a', 0)": [None]}
    assert huge == 10**30
    assert rude == ["lone \ufffd", "(Rude)", {"nested": ["(Rude)"]}]
    # The scheduler cannot send them to the next test that asks without an agent.
    client.cluster.scheduler._broker._topics.pop("hostile")
    for text in session.recording.events["message"]:
        assert len(text) <= 4_000
        text.encode()
    assert session.agent_error is None
    assert session.state == "live"


def test_objects_that_only_the_user_has_are_text(session: Session, client: Client) -> None:
    client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.log_event("odd", Odd()))
    eventually(lambda: told(session, "odd") == ["an odd thing"])


@pytest.mark.all
def test_without_an_agent_what_was_logged_before_is_left_out_and_nothing_comes_twice() -> None:
    with (
        dask.config.set({"distributed.scheduler.blocked-handlers": REFUSED}),
        cluster_of_one_worker() as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        client.log_event("mine", "before")
        with daskscope.connect(client) as s:
            eventually(lambda: s.state == "partly")
            for number in range(3):
                client.log_event("mine", number)
                client.log_event(f"topic {number}", number)
                eventually(lambda: f"topic {number}" in set(s.recording.events["topic"]))  # noqa: B023
            assert told(s, "mine") == [0, 1, 2]
            assert Counter(s.recording.events["topic"])["topic 0"] == 1
            assert [notice.code for notice in s.notices] == ["plugins-refused"]


@pytest.mark.all
def test_a_scheduler_that_refuses_to_tell_its_events_is_asked_once_and_it_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        dask.config.set({"distributed.scheduler.blocked-handlers": [*REFUSED, "events"]}),
        cluster_of_one_worker() as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: len(cluster_of(s.recording)) >= 3)
        assert [notice.code for notice in s.notices] == ["plugins-refused", "events-blocked"]
        client.gather(client.map(abs, range(-20, 0), pure=False))
        assert s.recording.counts.captured == 20
        assert s.recording.events.empty
    refused = [record.getMessage() for record in caplog.records if record.exc_info]
    assert len([text for text in refused if "op events" in text]) == 1
