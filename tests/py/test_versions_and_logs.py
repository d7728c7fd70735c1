"""What is asked at the end of a block: versions and logs, and in words what did not answer."""

from __future__ import annotations

import logging
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
from clusters import SchedulerProcess, cluster_of_one_worker
from distributed import Client, LocalCluster

from daskscope import collect
from daskscope.collect import versions_and_logs as module
from daskscope.collect.versions_and_logs import VersionsAndLogs, versions_and_logs

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT_S = 20.0


def ask(client: Client, since: float = 0.0, timeout_s: float = TIMEOUT_S) -> VersionsAndLogs:
    view = collect.ClientView(client)
    return collect.submit(versions_and_logs(view, since, timeout_s)).result(timeout_s + 10)


def log_something(text: str) -> None:
    logging.getLogger("distributed.worker").warning(text)


def test_versions_of_client_scheduler_and_workers(client: Client) -> None:
    found = ask(client)
    assert found.missing == ()
    workers = client.scheduler_info(n_workers=-1)["workers"]
    assert found.versions["workers"].keys() == workers.keys()
    for versions in (
        found.versions["client"],
        found.versions["scheduler"],
        *found.versions["workers"].values(),
    ):
        assert versions["host"]["OS"]
        assert versions["packages"]["distributed"]
        assert versions["packages"].keys() == found.versions["client"]["packages"].keys()


def test_lines_of_the_logs_of_scheduler_and_workers_since_a_time(client: Client) -> None:
    client.run(log_something, "too early")
    begun = time.time()
    client.run(log_something, "from a worker")
    client.run_on_scheduler(
        lambda: logging.getLogger("distributed.scheduler").warning("from the scheduler")
    )
    stop = time.time()
    lines = ask(client, since=begun).lines
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)
    assert all(begun <= line["time"] for line in lines)
    said = [
        (line["source"], line["level"]) for line in lines if line["text"].endswith("from a worker")
    ]
    assert sorted(said) == sorted((worker, "WARNING") for worker in client.nthreads())
    (one,) = [line for line in lines if line["text"].endswith("from the scheduler")]
    assert one["source"] == "scheduler"
    assert begun <= one["time"] <= stop
    assert not [line for line in lines if line["text"].endswith("too early")]


def test_handlers_that_are_refused_are_missing_and_the_rest_is_there() -> None:
    with cluster_of_one_worker() as cluster, Client(cluster, set_as_default=False) as client:
        cluster.scheduler.blocked_handlers = ["logs", "versions"]
        found = ask(client)
        assert len(found.missing) == 2
        assert "versions of the scheduler: the scheduler refuses `versions`" in found.missing
        assert "log of the scheduler: the scheduler refuses `logs`" in found.missing
        assert found.versions.keys() == {"client", "workers"}
        cluster.scheduler.blocked_handlers = ["broadcast", "ncores"]
        found = ask(client)
        assert sorted(found.missing) == [
            "list of workers: the scheduler refuses `ncores`",
            "logs of the workers: the scheduler refuses `broadcast`",
            "versions of the workers: the scheduler refuses `broadcast`",
        ]
        assert found.versions.keys() == {"client", "scheduler"}
        assert {line["source"] for line in found.lines} == {"scheduler"}


@pytest.mark.all
def test_a_scheduler_that_is_gone_is_missing_at_once(scheduler_process: SchedulerProcess) -> None:
    scheduler_process.start()
    with Client(scheduler_process.address) as client:
        client.wait_for_workers(1)
        view = collect.ClientView(client)
        scheduler_process.kill_scheduler()
        begun = time.monotonic()
        found = collect.submit(versions_and_logs(view, 0.0, TIMEOUT_S)).result(60)
        assert time.monotonic() - begun < TIMEOUT_S / 2
    assert found.versions.keys() == {"client"}
    assert found.lines == ()
    (missing,) = found.missing
    assert missing.startswith("versions and logs: ")


def test_a_client_that_was_closed_has_nothing_to_ask(cluster: LocalCluster) -> None:
    client = Client(cluster, set_as_default=False)
    client.close()
    client.scheduler = None
    found = ask(client)
    assert found.missing == (
        "versions and logs: the scheduler could not be reached (there is no scheduler)",
    )


@pytest.mark.all
def test_a_scheduler_that_hangs_is_missing_within_the_time(
    scheduler_process: SchedulerProcess,
) -> None:
    scheduler_process.start()
    with Client(scheduler_process.address) as client:
        client.wait_for_workers(1)
        scheduler_process.pause()
        try:
            begun = time.monotonic()
            found = ask(client, timeout_s=1.0)
            assert time.monotonic() - begun < 3
        finally:
            scheduler_process.kill_scheduler()
    (missing,) = found.missing
    assert missing.startswith("versions and logs: ")
    assert "no answer within 1 s" in missing


@pytest.fixture
def one_hangs(scheduler_process: SchedulerProcess) -> Iterator[Client]:
    """A client of a cluster of two workers, one of which does not move."""
    scheduler_process.start()
    stuck = scheduler_process.add_worker()
    with Client(scheduler_process.address) as client:
        client.wait_for_workers(2)
        stuck.send_signal(signal.SIGSTOP)
        yield client
        stuck.kill()


@pytest.mark.all
def test_a_worker_that_hangs_costs_what_it_would_have_said(one_hangs: Client) -> None:
    one_hangs.run_on_scheduler(lambda: logging.getLogger("distributed.scheduler").info("here"))
    begun = time.monotonic()
    found = ask(one_hangs, timeout_s=2.0)
    assert time.monotonic() - begun < 4
    assert sorted(found.missing) == [
        "logs of the workers: 1 of 2 answered",
        "logs of the workers: no answer within 2 s",
        "versions of the workers: 1 of 2 answered",
        "versions of the workers: no answer within 2 s",
    ]
    (answered,) = found.versions["workers"]
    assert {line["source"] for line in found.lines} == {"scheduler", answered}


def test_a_worker_whose_log_cannot_be_sent_is_counted(client: Client) -> None:
    (first, _) = client.nthreads()
    client.run(log_something, "lone \ud800", workers=[first])
    found = ask(client)
    assert "logs of the workers: 1 of 2 answered" in found.missing


def test_of_long_logs_the_newest_lines_are_here_and_it_is_said(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LINES_EACH", 10)

    def log_much() -> None:
        for number in range(50):
            logging.getLogger("distributed.worker").warning("line %d %s", number, "x" * 50_000)

    client.run(log_much)
    begun = time.time()
    found = ask(client, since=begun - 60)
    said = [line for line in found.lines if line["source"] != "scheduler"]
    assert len(said) == 20
    assert all(len(line["text"]) <= module.MAX_TEXT_CHARACTERS + 1 for line in said)
    assert "line 49 " in said[-1]["text"]
    (missing,) = [text for text in found.missing if text.startswith("logs: of ")]
    assert missing.endswith("processes the newest 10 lines only")


def test_many_workers_share_the_lines_that_a_recording_takes(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LINES", 9)

    def log_much() -> None:
        for number in range(50):
            logging.getLogger("distributed.worker").warning("line %d", number)

    client.run(log_much)
    found = ask(client)
    assert len([line for line in found.lines if line["source"] != "scheduler"]) == 6


@pytest.mark.parametrize(
    ("workers", "sizes"), [(0, []), (3, [1, 1, 1]), (25, [3] * 8 + [1]), (1_000, [100] * 10)]
)
def test_workers_are_asked_in_batches(workers: int, sizes: list[int]) -> None:
    addresses = [f"tcp://w:{number}" for number in range(workers)]
    batches = module._batches(addresses)
    assert [len(batch or ()) for batch in batches] == sizes
    assert [worker for batch in batches for worker in batch or ()] == addresses


def test_of_the_versions_of_very_many_workers_those_that_differ_are_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_WORKERS", 5)
    answers: dict[str, Any] = {
        f"tcp://w:{number}": {"packages": {"dask": "2" if number == 77 else "1"}}
        for number in range(100)
    }
    missing: list[str] = []
    found = module._differing_first(answers, missing)
    assert len(found) == 5
    assert found["tcp://w:77"]["packages"]["dask"] == "2"
    assert missing == ["versions of the workers: 5 of 100 are here"]


def test_answers_of_another_form_are_passed_over() -> None:
    assert module._plain(None) == {}
    assert module._plain({"host": 1, "packages": {"dask": None, 3: "x" * 1_000}}) == {
        "packages": {"dask": None, "3": "x" * module.MAX_VERSION_CHARACTERS + "…"}
    }
    lines = module._lines({"scheduler": ["no", (1.0, "INFO"), (2.0, "INFO", "yes")]}, 10, [])
    assert [line["text"] for line in lines] == ["yes"]


@pytest.mark.parametrize(
    ("version", "asked"), [("2025.1.0", False), ("2026.8.0", True), ("2026.8.0+3.g1", True)]
)
def test_only_versions_that_are_told_without_imports_are_asked_for(
    version: str, asked: bool
) -> None:
    answer = {"packages": {"distributed": version}}
    assert module._avoids_imports(answer) is asked
    assert not module._avoids_imports(None)
