"""When the scheduler is asked next: what is spared, and what nobody has to wait for."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from clusters import eventually, live
from distributed import Client, LocalCluster

import daskscope
from daskscope import collect
from daskscope.collect.poll_pace import (
    CROWDED_PAUSE_S,
    FORGOTTEN_S,
    IDLE_AFTER_S,
    MAX_SPARED_S,
    SCHEDULER_SHARE,
    GilPressure,
    PollPace,
)
from daskscope.config import Pace

PACE = Pace(
    active_s=0.1,
    quiet_s=0.25,
    idle_s=0.5,
    unwatched_s=1.0,
    answer_bytes=1,
    reader_timeout_s=600,
    agent_memory_bytes=1,
    profile_bytes_per_s=1,
)


@pytest.fixture
def pace() -> PollPace:
    """Of a collector that somebody watches, and to which tasks came just now."""
    made = PollPace(PACE, now=0.0)
    made.watched = True
    made.answered(1.0, tasks=5, answer_s=0.01, scheduler_s=0.0001)
    return made


def test_between_two_questions_is_one_interval_with_the_answer(pace: PollPace) -> None:
    assert pace.pause_s(1.0, crowded=False) == pytest.approx(PACE.active_s - 0.01)


def test_it_asks_more_rarely_the_longer_nothing_finishes(pace: PollPace) -> None:
    moments = (1.0, 1.0 + 3 * PACE.quiet_s, 1.0 + 2 * IDLE_AFTER_S)
    pauses = [pace.pause_s(now, crowded=False) + 0.01 for now in moments]
    assert pauses == pytest.approx([PACE.active_s, PACE.quiet_s, PACE.idle_s])


def test_nobody_watches_so_it_asks_rarely(pace: PollPace) -> None:
    pace.watched = False
    assert pace.pause_s(1.0, crowded=False) + 0.01 == pytest.approx(PACE.unwatched_s)


def test_a_cell_that_computes_is_asked_for_less_often(pace: PollPace) -> None:
    assert pace.pause_s(1.0, crowded=True) + 0.01 == pytest.approx(CROWDED_PAUSE_S)


def test_a_scheduler_that_works_long_on_answers_gives_them_a_small_part_of_its_time(
    pace: PollPace,
) -> None:
    pace.answered(1.0, tasks=5, answer_s=0.03, scheduler_s=0.02)
    pause_s = pace.pause_s(1.0, crowded=False)
    assert 0.02 / (0.02 + pause_s) == pytest.approx(SCHEDULER_SHARE)


def test_an_answer_that_waited_long_is_no_reason_to_wait_longer(pace: PollPace) -> None:
    pace.answered(1.0, tasks=5, answer_s=0.09, scheduler_s=0.0001)
    assert pace.pause_s(1.0, crowded=False) == pytest.approx(0.01)


def test_where_the_scheduler_does_not_tell_its_time_all_waiting_counts(pace: PollPace) -> None:
    pace.answered(1.0, tasks=5, answer_s=0.3)
    assert pace.pause_s(1.0, crowded=False) == pytest.approx(0.6)


def test_the_slowest_scheduler_is_asked_again(pace: PollPace) -> None:
    pace.answered(1.0, tasks=5, answer_s=100.0)
    assert pace.pause_s(1.0, crowded=False) == MAX_SPARED_S


def test_one_late_timer_is_no_crowd() -> None:
    gil_pressure = GilPressure()
    for _ in range(20):
        gil_pressure.woke(0.0001)
    gil_pressure.woke(0.006)
    assert not gil_pressure.crowded()


def test_a_crowd_is_over_when_timers_are_punctual_again() -> None:
    gil_pressure = GilPressure()
    gil_pressure.woke(5.0)
    assert gil_pressure.crowded()
    for _ in range(10):
        gil_pressure.woke(0.0001)
    assert not gil_pressure.crowded()


def test_a_crowd_is_forgotten_when_nobody_collects_any_more() -> None:
    now_s = 100.0
    gil_pressure = GilPressure(clock=lambda: now_s)
    for _ in range(10):
        gil_pressure.woke(0.005)
    now_s += FORGOTTEN_S
    assert gil_pressure.crowded()
    now_s += 0.01
    assert not gil_pressure.crowded()
    gil_pressure.woke(0.005)
    assert not gil_pressure.crowded()  # one late timer, as at the beginning


def test_while_catching_up_the_scheduler_has_half_of_its_time(pace: PollPace) -> None:
    pace.answered(1.0, tasks=5, answer_s=0.3, scheduler_s=0.2)
    assert pace.catching_up_s() == 0.3


@pytest.fixture
def watched(cluster: LocalCluster) -> Any:
    """A session that somebody looks at."""
    with Client(cluster, set_as_default=False) as client:
        s = live(daskscope.connect(client))
        collect.soon(s._set_shown_tables, frozenset({"tasks"}))
        yield s
        s.close()


def test_a_thread_that_computes_is_noticed_and_forgotten(watched: Any) -> None:
    eventually(lambda: not collect.gil_pressure.crowded())
    computing = True

    def compute() -> None:
        while computing:
            sum(i * i for i in range(10_000))

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        eventually(collect.gil_pressure.crowded)
    finally:
        computing = False
        thread.join()
    eventually(lambda: not collect.gil_pressure.crowded())


def test_an_answer_says_how_much_of_its_time_the_scheduler_worked_on_it(
    watched: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pace = watched._collector._poll_pace
    take_note = pace.answered
    told: list[tuple[float, float | None]] = []

    def answered(now: float, tasks: int, answer_s: float, scheduler_s: float | None) -> None:
        told.append((answer_s, scheduler_s))
        take_note(now, tasks, answer_s, scheduler_s)

    monkeypatch.setattr(pace, "answered", answered)
    eventually(lambda: len(told) >= 3)
    for answer_s, scheduler_s in told:
        assert scheduler_s is not None
        assert 0 < scheduler_s < answer_s
