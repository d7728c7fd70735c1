"""Logs of scheduler and workers, live while a page shows them."""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from clusters import SchedulerProcess, cluster_of_one_worker, eventually, live
from distributed import Client

import daskscope
from daskscope import collect
from daskscope.collect import versions_and_logs as module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daskscope import Session


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY_S", 0.1)


@pytest.fixture
def session(client: Client) -> Iterator[Session]:
    with daskscope.connect(client) as s:
        yield live(s)


def show(s: Session, *tables: str) -> None:
    """Tell the session which tables pages show, as the hub does."""
    collect.soon(s._set_shown_tables, frozenset(tables))


def say(text: str, times: int = 1) -> None:
    for _ in range(times):
        logging.getLogger("distributed.worker").warning(text)


def say_on_scheduler(client: Client, text: str) -> None:
    client.run_on_scheduler(lambda: logging.getLogger("distributed.scheduler").warning(text))


def said(s: Session, text: str) -> Counter[str]:
    """How many lines have a text, by process."""
    lines = s.recording.logs
    return Counter(lines[lines["text"].str.endswith(text)]["source"])


def codes(s: Session) -> list[str]:
    """Of what is said about logs: the cluster may have run tasks for other tests."""
    return [notice.code for notice in s.notices if notice.code.startswith("logs-")]


def new_text() -> str:
    return f"text {uuid.uuid4().hex}"


def test_what_is_there_comes_first_then_each_new_line_once(
    session: Session, client: Client
) -> None:
    workers = list(client.nthreads())
    before, later, last = new_text(), new_text(), new_text()
    client.run(say, before)
    assert session.recording.logs.empty
    show(session, "logs", "tasks")
    eventually(lambda: said(session, before) == dict.fromkeys(workers, 1))
    client.run(say, later, times=3)
    say_on_scheduler(client, later)
    expected = {**dict.fromkeys(workers, 3), "scheduler": 1}
    eventually(lambda: said(session, later) == expected)
    client.run(say, last)
    eventually(lambda: said(session, last) == dict.fromkeys(workers, 1))
    assert said(session, before) == dict.fromkeys(workers, 1)
    assert said(session, later) == expected
    assert codes(session) == []


def test_lines_that_are_alike_to_the_last_digit_are_all_here(
    session: Session, client: Client
) -> None:
    text = new_text()

    def say_at_once(text: str) -> None:
        logger = logging.getLogger("distributed.worker")
        record = logger.makeRecord(logger.name, logging.WARNING, "", 0, text, (), None)
        for _ in range(3):
            logger.handle(record)

    show(session, "logs")
    for times in (3, 6):
        client.run(say_at_once, text)
        eventually(lambda: set(said(session, text).values()) == {times})  # noqa: B023


def test_nothing_is_asked_while_no_page_shows_logs_and_nothing_is_missed_or_comes_twice(
    session: Session, client: Client
) -> None:
    workers = list(client.nthreads())
    shown, hidden = new_text(), new_text()
    show(session, "logs")
    client.run(say, shown)
    eventually(lambda: said(session, shown) == dict.fromkeys(workers, 1))
    show(session, "tasks")
    eventually(lambda: not session._collector._logs._tasks)
    client.run(say, hidden)
    seen = session._collector.polls
    eventually(lambda: session._collector.polls > seen + 5)
    assert not said(session, hidden)
    show(session, "logs")
    eventually(lambda: said(session, hidden) == dict.fromkeys(workers, 1))
    assert said(session, shown) == dict.fromkeys(workers, 1)


def test_long_lines_and_very_many_are_cut_and_it_is_said(
    session: Session, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LINES_EACH", 20)
    workers = list(client.nthreads())
    text = new_text()
    client.run(say, text, times=50)
    show(session, "logs")
    eventually(lambda: said(session, text) == dict.fromkeys(workers, 20))
    eventually(lambda: codes(session) == ["logs-cut"])
    client.run(say, text + "x" * 1_000_000)
    eventually(lambda: session.recording.logs["text"].str.len().max() > 10_000)
    assert session.recording.logs["text"].str.len().max() <= 20_001
    show(session)
    eventually(lambda: codes(session) == [])


def test_refused_routes_are_one_notice_and_each_is_asked_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        cluster_of_one_worker() as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        cluster.scheduler.blocked_handlers = ["broadcast"]
        show(s, "logs")
        eventually(lambda: codes(s) == ["logs-not-read"])
        text = new_text()
        say_on_scheduler(client, text)
        eventually(lambda: said(s, text) == {"scheduler": 1})
        cluster.scheduler.blocked_handlers = ["broadcast", "logs"]
        eventually(lambda: "`logs`" in s.notices[0].text)
        assert "`broadcast`" in s.notices[0].text
        polls = s._collector.polls
        eventually(lambda: s._collector.polls > polls + 5)
        assert s.state == "live"
        assert codes(s) == ["logs-not-read"]
    refused = [record.getMessage() for record in caplog.records if record.exc_info]
    assert len([text for text in refused if "op broadcast" in text]) == 1
    assert len([text for text in refused if "op logs" in text]) == 1


def test_a_worker_whose_log_cannot_be_sent_is_one_notice(session: Session, client: Client) -> None:
    first, second = client.nthreads()
    text = new_text()
    client.run(say, "lone \ud800", workers=[first])
    client.run(say, text, workers=[second])
    show(session, "logs")
    eventually(lambda: said(session, text) == {second: 1})
    eventually(lambda: codes(session) == ["logs-not-read"])
    assert session.state == "live"
    client.run(lambda dask_worker: dask_worker._deque_handler.clear(), workers=[first])
    eventually(lambda: codes(session) == [])


@pytest.mark.all
def test_lines_of_a_worker_that_comes_later_are_here_from_its_first_one(
    scheduler_process: SchedulerProcess,
) -> None:
    scheduler_process.start()
    with Client(scheduler_process.address) as client, daskscope.connect(client) as s:
        show(live(s), "logs")
        eventually(lambda: s.recording.logs["source"].nunique() == 2)
        scheduler_process.add_worker()
        eventually(lambda: s.recording.logs["source"].nunique() == 3)
        lines = s.recording.logs
        for worker in client.scheduler_info(n_workers=-1)["workers"]:
            starts = lines[lines["source"] == worker]["text"].str.contains("Start worker at")
            assert starts.sum() == 1


@pytest.mark.all
def test_a_worker_that_hangs_delays_its_own_part_alone(
    scheduler_process: SchedulerProcess,
) -> None:
    import signal

    scheduler_process.start()
    stuck = scheduler_process.add_worker()
    with Client(scheduler_process.address) as client, daskscope.connect(client) as s:
        client.wait_for_workers(2)
        live(s)
        stuck.send_signal(signal.SIGSTOP)
        show(s, "logs")
        text = new_text()
        say_on_scheduler(client, text)
        eventually(lambda: said(s, text) == {"scheduler": 1})
        assert s.state == "live"
        stuck.kill()


def test_a_block_has_each_line_once_and_none_from_before_it(
    session: Session, client: Client
) -> None:
    workers = list(client.nthreads())
    before, within = new_text(), new_text()
    client.run(say, before)
    with daskscope.record(client) as rec:
        show(session, "logs")
        client.run(say, within)
        eventually(lambda: said(session, within) == dict.fromkeys(workers, 1))
    assert said(session, before) == dict.fromkeys(workers, 1)
    lines = rec.logs[rec.logs["source"] != "scheduler"]["text"]
    assert lines.str.endswith(within).sum() == len(workers)
    assert not lines.str.endswith(before).any()


def test_a_tail_ends_with_its_session(client: Client) -> None:
    with daskscope.connect(client) as s:
        show(live(s), "logs")
        eventually(lambda: len(s.recording.logs))
        tail: Any = s._collector._logs
    eventually(lambda: not tail._tasks)
    tail.set_enabled(False)
