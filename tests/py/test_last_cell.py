"""A cell that is over, out of the flight recorder: what is counted as of its time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import eventually
from distributed import Client, wait

import daskscope
from daskscope.block.last_cell import LastCell, positions
from daskscope.errors import DaskscopeError
from daskscope.recording.block_recording import SOON_S
from daskscope.session import catch_up, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import LocalCluster

    from daskscope.session import Session


@pytest.fixture
def session(client: Client) -> Iterator[Session]:
    """A session that is read when the test says so, and not before."""
    with (
        dask.config.set({"daskscope.collect.unwatched-interval": "60s"}),
        daskscope.connect(client) as session,
    ):
        catch_up(session)
        yield session


def read(session: Session) -> None:
    """Wait until all that the scheduler has now is here, however long a busy machine takes."""
    asked_s = time.monotonic()

    def is_read() -> bool:
        catch_up(session)
        return parts_of(session).collector.has_all_since(asked_s)

    eventually(is_read)


def log(session: Session, events: int, topic: str = "mine") -> None:
    def log_events(dask_scheduler: Any) -> None:
        for number in range(events):
            dask_scheduler.log_event(topic, number)

    assert session.client is not None
    session.client.run_on_scheduler(log_events)


class Cell:
    """A cell that runs tasks, and whatever else is in the block."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.past: LastCell

    def __enter__(self) -> Cell:
        self._start, self._marks = time.time(), positions()
        assert self._session.client is not None
        wait(self._session.client.map(abs, range(3), pure=False))
        return self

    def __exit__(self, *_: object) -> None:
        self.past = LastCell(7, "", self._start, self._marks, None)

    def wait_until_it_is_over(self) -> None:
        eventually(lambda: time.time() > self.past.stop + 2 * SOON_S)


def notices(recording: Any) -> dict[str, str]:
    return {notice["code"]: notice["text"] for notice in recording.about_facts["missing"]}


def test_what_was_not_read_or_dropped_is_counted_around_the_cell_and_said(session):
    with Cell(session) as cell:
        log(session, 1_500)
    read(session)
    parts_of(session).store.drop_from_agent(70)
    recording = cell.past.recording(None)
    assert recording.counts.dropped_agent == 70
    assert recording.counts.captured == 3 + 70
    assert "500" in notices(recording)["events-missed"]
    assert "counted-around" in notices(recording)


def test_a_cell_of_which_all_was_read_misses_nothing(session):
    log(session, 1_500)
    read(session)
    with Cell(session) as cell:
        pass
    recording = cell.past.recording(None)
    assert recording.counts.captured == 3
    assert recording.about_facts["missing"] == []


def test_what_the_cell_logged_last_and_later_events_pushed_out_is_counted(session):
    with Cell(session) as cell:
        log(session, 400)
        read(session)
    cell.wait_until_it_is_over()
    log(session, 200)
    for _ in range(4):
        read(session)
        log(session, 900)
    recording = cell.past.recording(None)
    assert "mine" not in [event.topic for event in recording.log("events").since(0)]
    assert recording.log("events").dropped == 400


@pytest.mark.asyncio
async def test_tasks_that_the_scheduler_has_not_reported_are_a_notice_if_waiting_is_not_allowed(
    cluster: LocalCluster,
) -> None:
    never = {f"daskscope.collect.{pace}interval": "60s" for pace in ("", "quiet-", "idle-")}
    address = cluster.scheduler_address
    with dask.config.set(never):
        async with (
            Client(address, asynchronous=True, set_as_default=False) as client,
            daskscope.connect(client) as session,
        ):
            await session.caught_up()
            start, known = time.time() - 1, positions()
            await client.gather(client.map(abs, range(3), pure=False))
            past = LastCell(7, "", start, known, None)
            with pytest.raises(DaskscopeError) as error:
                past.recording(None)
            assert error.value.code == "not-reported"

            await session.caught_up()
            await client.gather(client.map(abs, range(4), pure=False))
            past = LastCell(7, "", start, known, None)
            recording = past.recording(None)
            assert recording.counts.captured == 3
            assert "not-reported" in notices(recording)

            await session.caught_up()
            recording = past.recording(None)
            assert recording.counts.captured == 7
            assert "not-reported" not in notices(recording)
