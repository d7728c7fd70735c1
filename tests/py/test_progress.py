"""How far a computation is: by counts, and on real clusters."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
import pytest
from clusters import cluster_of_one_worker, eventually
from distributed import Client
from recording_rows import START, append, make_rows, new_recording

import daskscope
from daskscope.derive import progress as module
from daskscope.derive.progress import live_progress
from daskscope.derive.summary import summary
from daskscope.derive.work import ClusterTotals
from daskscope.loading import opened
from daskscope.recording import RecordingStore, Unfinished, pack_keys
from daskscope.recording.progress import PAUSE_S, RATE_S
from daskscope.report.redact import redacted
from daskscope.report.static_page import body

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daskscope import Session

COUNTS = ("done", "running", "waiting", "erred")
INC, SUM, LATER = 0, 1, 2
REFUSED = ["register_scheduler_plugin", "register_worker_plugin", "run_function"]


def recording_of_three() -> RecordingStore:
    recording: RecordingStore = new_recording(prefixes=("inc", "sum", "later"))
    return recording


def done(recording: RecordingStore, prefix: int, tasks: int, at: float, status: int = 0) -> None:
    """Tasks of a prefix, each of which ended at a time after START."""
    rows = make_rows(tasks)
    rows["prefix"][:] = prefix
    rows["status"][:] = status
    rows["start"][:] = START + at - 0.5
    rows["duration"][:] = 0.5
    recording.append_tasks(tasks, rows, pack_keys(0, [""] * tasks).data)


def heard(
    recording: RecordingStore,
    at: float,
    prefixes: dict[int, tuple[int, int, int]] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The figures after an answer: by prefix, tasks that run, wait and cannot run."""
    found = Unfinished(START + at, options.pop("counter", "agent"), prefixes or {}, **options)
    recording.progress = recording.progress.then(found, recording)
    figures = live_progress(recording, recording.sums())
    json.dumps(figures, allow_nan=False)
    if figures["progress"]["all"]["total"] is not None:
        for row in (*figures["progress"]["rows"], figures["progress"]["all"]):
            assert row["total"] == sum(row[name] for name in COUNTS)
            assert row["raised"] <= row["erred"]
        for name in ("total", *COUNTS):
            rows = figures["progress"]["rows"]
            assert sum(row[name] for row in rows) == figures["progress"]["all"][name]
    return figures


def rows(figures: dict[str, Any], *names: str) -> dict[str, Any]:
    """By prefix, in order: some figures, or one."""
    return {
        row["name"]: row[names[0]] if len(names) == 1 else tuple(row[name] for name in names)
        for row in figures["progress"]["rows"]
    }


def state(figures: dict[str, Any]) -> str:
    found: str = figures["answer"]["state"]
    return found


def test_before_the_first_answer_nothing_is_known():
    recording = recording_of_three()
    assert live_progress(recording, recording.sums()) == {"answer": None, "progress": None}


def test_a_cluster_on_which_nothing_ran_is_idle():
    figures = heard(recording_of_three(), 1)
    assert state(figures) == "idle"
    assert figures["progress"]["rows"] == []
    assert figures["answer"]["since"] is figures["answer"]["ended"] is None


def test_what_the_scheduler_has_forgotten_is_done():
    recording = recording_of_three()
    figures = heard(recording, 1, {SUM: (0, 1, 0), INC: (2, 8, 0)})
    assert state(figures) == "running"
    assert rows(figures, *COUNTS) == {"inc": (0, 2, 8, 0), "sum": (0, 0, 1, 0)}
    done(recording, INC, 7, at=2)
    figures = heard(recording, 2, {SUM: (0, 1, 0), INC: (2, 1, 0)})
    assert rows(figures, *COUNTS) == {"inc": (7, 2, 1, 0), "sum": (0, 0, 1, 0)}
    done(recording, INC, 3, at=3)
    done(recording, SUM, 1, at=3.5)
    figures = heard(recording, 4)
    assert state(figures) == "finished"
    assert rows(figures, *COUNTS) == {"inc": (10, 0, 0, 0), "sum": (1, 0, 0, 0)}
    answer = figures["answer"]
    assert (answer["since"], answer["ended"]) == (START + 1, START + 3.5)
    assert answer["left"] is None
    assert answer["cancelled"] == 0


def test_rows_are_in_the_order_in_which_prefixes_began_then_those_that_wait():
    recording = recording_of_three()
    # A scheduler meets a task before those that it needs.
    figures = heard(recording, 1, {INC: (0, 1, 0), LATER: (0, 1, 0), SUM: (0, 1, 0)})
    assert [*rows(figures, "began")] == ["sum", "later", "inc"]
    done(recording, LATER, 1, at=2.5)
    done(recording, SUM, 1, at=2.0)
    figures = heard(recording, 3, {INC: (0, 1, 0)})
    began = {"sum": START + 1.5, "later": START + 2.0, "inc": None}
    assert rows(figures, "began") == began
    assert [*rows(figures, "began")] == [*began]
    assert [*rows(heard(recording, 4, {INC: (1, 0, 0)}), "began")] == [*began]


def test_a_task_that_is_computed_again_counts_again():
    recording = recording_of_three()
    heard(recording, 1, {INC: (2, 0, 0)})
    done(recording, INC, 2, at=2)
    heard(recording, 2, {SUM: (1, 0, 0)})
    figures = heard(recording, 3, {SUM: (0, 1, 0), INC: (1, 1, 0)})
    assert rows(figures, *COUNTS) == {"inc": (2, 1, 1, 0), "sum": (0, 0, 1, 0)}


def test_a_computation_after_a_pause_is_another_one():
    recording = recording_of_three()
    heard(recording, 1, {INC: (1, 0, 0)})
    done(recording, INC, 1, at=2, status=1)
    assert state(heard(recording, 2)) == "failed"
    assert state(heard(recording, 2 + PAUSE_S)) == "failed"
    figures = heard(recording, 3 + PAUSE_S, {SUM: (1, 3, 0)})
    assert state(figures) == "running"
    assert rows(figures, *COUNTS) == {"sum": (0, 1, 3, 0)}
    assert figures["answer"]["since"] == START + 3 + PAUSE_S
    done(recording, SUM, 4, at=5 + PAUSE_S)
    assert state(heard(recording, 5 + PAUSE_S)) == "finished"


def test_a_computation_began_with_its_first_task_however_late_it_was_seen():
    recording = recording_of_three()
    heard(recording, 0)
    heard(recording, 2.0, {INC: (1, 0, 0)})
    done(recording, INC, 1, 2.2)
    answer = heard(recording, 3.0)["answer"]
    assert answer["since"] - START == pytest.approx(1.7)
    assert answer["ended"] - START == pytest.approx(2.2)


def test_what_was_left_when_a_session_ended_is_not_running():
    recording = recording_of_three()
    done(recording, INC, 9, 1.0)
    assert state(heard(recording, 1.0, {INC: (1, 3, 0)})) == "running"
    figures = live_progress(recording, recording.sums(), ended=True)
    assert figures["answer"]["state"] == "interrupted"
    assert figures["answer"]["left"] is None
    assert figures["progress"]["all"]["rate"] is None


def test_a_computation_that_fits_between_two_answers_is_one():
    recording = recording_of_three()
    heard(recording, 1)
    done(recording, INC, 3, at=50)
    figures = heard(recording, 51)
    assert state(figures) == "finished"
    assert figures["answer"]["since"] == START + 49.5
    assert figures["answer"]["ended"] == START + 50


def test_a_clock_that_is_set_back_begins_another_computation():
    recording = recording_of_three()
    done(recording, INC, 3, at=3_599)
    heard(recording, 3_600)
    figures = heard(recording, 5, {SUM: (1, 1, 0)})
    assert (state(figures), figures["answer"]["since"]) == ("running", START + 5)
    assert rows(figures, *COUNTS) == {"sum": (0, 1, 1, 0)}


def test_loops_that_compute_again_and_again_are_one_computation():
    recording = recording_of_three()
    for turn in range(5):
        done(recording, INC, 3, at=turn * (PAUSE_S - 1))
        figures = heard(recording, turn * (PAUSE_S - 1) + 1)
    assert rows(figures, "done") == {"inc": 15}


def test_what_could_not_run_counts_as_erred_and_the_words_say_what_raised():
    recording = recording_of_three()
    heard(recording, 1, {SUM: (0, 4, 0), INC: (2, 0, 0)})
    done(recording, INC, 1, at=2, status=1)
    recording.log("errors").append([{"time": START + 2, "exception": "ValueError('no')"}])
    figures = heard(recording, 2, {SUM: (0, 0, 4), INC: (1, 0, 0)})
    assert state(figures) == "running"
    assert rows(figures, "done", "erred", "raised") == {"inc": (0, 1, 1), "sum": (0, 4, 0)}
    done(recording, INC, 1, at=3)
    figures = heard(recording, 3, {SUM: (0, 0, 4)})
    assert state(figures) == "failed"
    assert figures["answer"]["exception"] == "ValueError"
    assert figures["progress"]["all"]["raised"] == 1
    assert figures["progress"]["all"]["erred"] == 5


def test_what_could_not_run_is_counted_on_where_the_scheduler_counts_anew():
    recording = recording_of_three()
    heard(recording, 1, {INC: (1, 0, 3)})
    heard(recording, 2, {INC: (1, 0, 1)})  # restarted
    figures = heard(recording, 3, {INC: (1, 0, 2)}, counter="another agent")
    assert figures["progress"]["all"]["erred"] == 3 + 1 + 2


def test_what_goes_without_having_ended_was_cancelled():
    recording = recording_of_three()
    heard(recording, 1, {INC: (2, 10, 0)})
    done(recording, INC, 3, at=2)
    figures = heard(recording, 2, {INC: (2, 4, 0)})
    assert (state(figures), figures["answer"]["cancelled"]) == ("running", 3)
    done(recording, INC, 6, at=3)
    figures = heard(recording, 3)
    assert (state(figures), figures["answer"]["cancelled"]) == ("finished", 3)
    heard(recording, 4, {INC: (2, 10, 0)})
    done(recording, INC, 1, at=5)
    figures = heard(recording, 5)
    assert (state(figures), figures["answer"]["cancelled"]) == ("cancelled", 14)
    assert state(heard(recording, 6)) == "cancelled"


def test_tasks_that_were_dropped_before_they_could_be_read_are_done_and_not_cancelled():
    recording = recording_of_three()
    heard(recording, 1, {INC: (2, 98, 0)})
    recording.drop_from_agent(60)
    done(recording, INC, 40, at=2)
    found = Unfinished(START + 2, "agent", {})
    recording.progress = recording.progress.then(found, recording)
    figures = live_progress(recording, recording.sums())
    assert (state(figures), figures["answer"]["cancelled"]) == ("finished", 0)
    assert figures["progress"]["all"]["done"] == 100


def test_nothing_is_said_of_the_time_left_before_a_part_is_done():
    recording = recording_of_three()
    heard(recording, 0, {INC: (1, 99, 0)})
    done(recording, INC, 4, at=1)
    assert heard(recording, 1, {INC: (1, 95, 0)})["answer"]["left"] is None
    done(recording, INC, 4, at=2)
    figures = heard(recording, 2, {INC: (1, 91, 0)})
    assert figures["answer"]["left"] == pytest.approx(92 / 4)
    assert rows(figures, "rate", "left") == {"inc": (pytest.approx(4), pytest.approx(92 / 4))}


def test_the_rate_follows_that_of_the_last_seconds_and_not_of_a_prefix_that_does_not_run():
    recording = recording_of_three()
    heard(recording, 0, {INC: (1, 999, 0)})
    for second in range(1, 11):
        done(recording, INC, 10, at=second)
        figures = heard(recording, second, {INC: (1, 999 - 10 * second, 0)})
    assert rows(figures, "rate") == {"inc": pytest.approx(10)}
    for second in range(11, 11 + round(3 * RATE_S)):
        done(recording, INC, 2, at=second)
        figures = heard(recording, second, {INC: (1, 800, 0)})
    assert 2 < rows(figures, "rate")["inc"] < 3
    for second in range(41, 50):
        figures = heard(recording, second, {INC: (0, 800, 0), SUM: (1, 0, 0)})
    assert 2 < rows(figures, "rate")["inc"] < 3
    assert figures["progress"]["all"]["rate"] < 1.5
    figures = heard(recording, 51, {INC: (0, 800, 0), SUM: (1, 0, 0)})
    assert rows(figures, "rate", "left") == {"inc": (None, None), "sum": (None, None)}


def test_a_computation_of_which_nothing_ends_for_long_is_stuck():
    recording = recording_of_three()
    heard(recording, 0, {INC: (1, 9, 0)})
    assert state(heard(recording, 39, {INC: (1, 9, 0)})) == "running"
    assert state(heard(recording, 41, {INC: (1, 9, 0)})) == "stuck"
    done(recording, INC, 1, at=45)
    figures = heard(recording, 46, {INC: (1, 8, 0)})
    assert (state(figures), figures["answer"]["ended"]) == ("running", START + 45)
    assert state(heard(recording, 86, {INC: (0, 9, 0)})) == "stuck"


def test_tasks_that_always_take_long_are_not_stuck():
    recording = recording_of_three()
    rows_ = make_rows(1)
    rows_["duration"][:] = 100
    recording.append_tasks(1, rows_, pack_keys(0, [""]).data)
    heard(recording, 100, {INC: (1, 0, 0)})
    assert state(heard(recording, 300, {INC: (1, 0, 0)})) == "running"
    assert state(heard(recording, 401, {INC: (1, 0, 0)})) == "stuck"


def test_where_queued_tasks_are_unknown_totals_and_running_tasks_are_left_out():
    recording = recording_of_three()
    heard(recording, 0, {INC: (0, 12, 0)}, whole=False)
    done(recording, INC, 8, at=1)
    figures = heard(recording, 1, {INC: (0, 12, 0)}, whole=False)
    (row,) = figures["progress"]["rows"]
    assert (row["done"], row["waiting"], row["running"], row["total"]) == (8, 12, None, None)
    assert row["rate"] == pytest.approx(8)
    assert row["left"] is figures["answer"]["left"] is None
    assert state(figures) == "running"
    done(recording, INC, 3, at=2)
    figures = heard(recording, 2, whole=False)
    assert (state(figures), figures["answer"]["cancelled"]) == ("finished", 0)


def test_times_that_workers_made_up_are_passed_over():
    recording = recording_of_three()
    heard(recording, 0, {INC: (4, 0, 0)})
    times = make_rows(4)
    times["prefix"][:] = INC
    times["start"][:] = [START + 1, np.nan, np.inf, 1e300]
    recording.append_tasks(4, times, pack_keys(0, [""] * 4).data)
    figures = heard(recording, 2)
    assert figures["answer"]["ended"] == pytest.approx(START + 1.008)
    assert state(figures) == "finished"


def test_of_too_many_prefixes_those_that_are_done_are_summed_up(monkeypatch):
    monkeypatch.setattr(module, "MAX_ROWS", 3)
    recording = new_recording(prefixes=[f"p{i}" for i in range(9)])
    for prefix in range(6):
        done(recording, prefix, 10, at=prefix + 1)
    figures = heard(recording, 7, {6: (0, 5, 0), 1: (1, 0, 0)})
    assert rows(figures, "done", "total") == {"p1": (10, 11), "p6": (0, 5), "(other)": (50, 50)}


def test_the_sum_of_prefixes_knows_no_more_than_they_do(monkeypatch):
    monkeypatch.setattr(module, "MAX_ROWS", 2)
    recording = recording_of_three()
    done(recording, INC, 1, 1.0)
    progress = heard(
        recording, 1.0, {INC: (1, 0, 0), SUM: (1, 0, 0), LATER: (1, 0, 0)}, whole=False
    )
    assert [row["total"] for row in progress["progress"]["rows"]] == [None, None]


def test_a_stored_summary_has_what_was_left_when_it_ended():
    recording = recording_of_three()
    recording.about_facts = {"start": START, "stop": START + 9}
    done(recording, SUM, 2, at=3)
    done(recording, INC, 5, at=2)
    figures = summary(recording)
    assert state(figures) == "finished"
    assert rows(figures, "done", "began") == {"inc": (5, START + 1.5), "sum": (2, START + 2.5)}
    assert figures["answer"]["ended"] == START + 3
    recording.about_facts["unfinished"] = {
        "prefixes": {"sum": [1, 2, 3], "other": [0, 0, 4], "bad": [1, "x", -3], "worse": 7},
    }
    figures = summary(recording)
    assert state(figures) == "running"
    assert figures["answer"]["left"] is None
    assert rows(figures, *COUNTS) == {
        "inc": (5, 0, 0, 0),
        "sum": (2, 2, 3, 1),
        "other": (0, 0, 4, 0),
        "bad": (0, 0, 0, 1),
    }
    recording.about_facts["unfinished"] = {"cancelled": 3, "cancelled_last": True}
    figures = summary(recording)
    assert (state(figures), figures["answer"]["cancelled"]) == ("cancelled", 3)
    json.dumps(figures, allow_nan=False)


def test_a_page_without_scripts_says_what_had_not_finished():
    recording = recording_of_three()
    done(recording, INC, 5, at=2)
    assert "Not finished" not in body(summary(recording))
    recording.about_facts["unfinished"] = {"prefixes": {"sum": [3, 0, 4_000]}}
    assert "4,000 waiting, 3 unable to run since others erred" in body(summary(recording))


def test_the_live_summary_has_the_seconds_that_a_look_at_all_rows_gives():
    recording = new_recording(memory_limit=4_000_000)
    for i in range(10):
        append(recording, 3_000, rows_each=3, start=START + i)
    recording.about_facts = {"start": START, "stop": START + 20}
    whole, live = summary(recording), summary(recording, live=ClusterTotals(recording))
    assert {one: live[one] for one in ("tasks", "prefixes", "actions", "errors")} == {
        one: whole[one] for one in ("tasks", "prefixes", "actions", "errors")
    }
    for one, other in zip(live["by_prefix_action"], whole["by_prefix_action"], strict=True):
        assert one == other | {"seconds": pytest.approx(other["seconds"])}
    assert live["answer"] is None
    assert [finding["code"] for finding in live["needs_a_look"]] == []


# -- real clusters ----------------------------------------------------------------------------

may_end = threading.Event()


def hold(*_: object) -> int:
    may_end.wait(60)
    return 1


@pytest.fixture(params=["agent", "built-in routes"])
def either(request: pytest.FixtureRequest) -> Iterator[tuple[Client, Session]]:
    """A client and its session, on a scheduler that takes the agent or refuses it."""
    refused = [] if request.param == "agent" else REFUSED
    may_end.clear()
    with (
        dask.config.set({"distributed.scheduler.blocked-handlers": refused}),
        cluster_of_one_worker(threads_per_worker=2) as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.state == ("partly" if refused else "live"))
        yield client, s
        may_end.set()


@pytest.fixture
def observed() -> Iterator[tuple[Client, Session]]:
    may_end.clear()
    with (
        cluster_of_one_worker(threads_per_worker=2) as cluster,
        Client(cluster, set_as_default=False) as client,
        daskscope.connect(client) as s,
    ):
        eventually(lambda: s.state == "live")
        yield client, s
        may_end.set()


def is_in(s: Session, wanted: str) -> bool:
    answer = s.summary()["answer"]
    return answer is not None and answer["state"] == wanted


def test_the_answer_of_a_session_is_running_then_finished(
    either: tuple[Client, Session],
) -> None:
    client, s = either
    eventually(lambda: is_in(s, "idle"))
    held = client.map(hold, range(20), key=[f"hold-{i}" for i in range(20)])
    eventually(lambda: is_in(s, "running"))
    may_end.set()
    client.gather(held)
    eventually(lambda: is_in(s, "finished"))
    assert rows(s.summary(), "done") == {"hold": 20}
    del held
    eventually(lambda: not client.futures)
    assert rows(s.summary(), "done") == {"hold": 20}
    assert s.state in ("live", "partly")


def test_the_figures_of_a_session_are_the_same_object_until_the_scheduler_answers(
    observed: tuple[Client, Session],
) -> None:
    _, s = observed
    eventually(lambda: s.summary() is s.summary())
    before = s.summary()
    eventually(lambda: s.summary() is not before)


def test_a_session_counts_tasks_that_run_and_wait(observed: tuple[Client, Session]) -> None:
    client, s = observed
    held = client.map(hold, range(20), key=[f"hold-{i}" for i in range(20)])
    then = client.submit(hold, *held, key="then-0")
    expected = {"hold": (0, 2, 18, 0), "then": (0, 0, 1, 0)}
    eventually(lambda: rows(s.summary(), *COUNTS) == expected if is_in(s, "running") else False)
    may_end.set()
    client.gather(then)
    eventually(lambda: is_in(s, "finished"))
    assert rows(s.summary(), *COUNTS) == {"hold": (20, 0, 0, 0), "then": (1, 0, 0, 0)}
    assert s.summary()["progress"]["all"]["total"] == 21


def test_the_answer_of_a_session_is_failed_also_once_all_tasks_are_forgotten(
    observed: tuple[Client, Session],
) -> None:
    client, s = observed

    def fail(_: object) -> None:
        raise ValueError("no")

    bad = client.submit(fail, 1, key="fail-0")
    blocked = client.map(hold, [bad] * 3, key=[f"hold-{i}" for i in range(3)])
    client.gather([bad, *blocked], errors="skip")
    del bad, blocked
    eventually(lambda: not client.futures)
    eventually(lambda: is_in(s, "failed"))
    assert rows(s.summary(), "erred", "raised") == {"fail": (1, 1), "hold": (3, 0)}
    assert s.summary()["answer"]["exception"] == "ValueError"


def test_the_answer_of_a_session_is_cancelled_after_a_cancel(
    observed: tuple[Client, Session],
) -> None:
    client, s = observed
    held = client.map(hold, range(20))
    eventually(lambda: is_in(s, "running"))
    client.cancel(held)
    eventually(lambda: is_in(s, "cancelled"))
    assert s.summary()["answer"]["cancelled"] == 20
    may_end.set()


def test_a_block_has_what_was_unfinished_at_its_end(observed: tuple[Client, Session]) -> None:
    client, s = observed
    with daskscope.record(client) as rec:
        client.gather(client.map(abs, range(-5, 0), key=[f"abs-{i}" for i in range(5)]))
    figures = summary(rec._core)
    assert state(figures) == "finished"
    assert rows(figures, *COUNTS) == {"abs": (5, 0, 0, 0)}
    with daskscope.record(client) as rec:
        held = client.map(hold, range(20), key=[f"hold-{i}" for i in range(20)])
        eventually(lambda: rows(s.summary(), "running").get("hold") == 2)
    figures = summary(rec._core)
    assert state(figures) == "running"
    assert rows(figures, *COUNTS) == {"hold": (0, 2, 18, 0)}
    may_end.set()
    client.gather(held)


def test_a_block_has_those_of_its_tasks_that_could_not_run_and_files_keep_them(
    observed: tuple[Client, Session], tmp_path: Path
) -> None:
    client, _ = observed

    def fail_with(*blocked: str) -> None:
        bad = client.submit(int, "no number", key=f"fail-{len(blocked)}")
        client.gather([client.submit(hold, bad, key=key) for key in blocked], errors="skip")

    fail_with("before-1")
    with daskscope.record(client) as rec:
        fail_with("hold-1", "hold-2")
    loaded = opened(rec.save(tmp_path / "run.daskscope"))
    for recording in (rec._core, loaded, redacted(loaded, ["paths", "hosts"])):
        figures = summary(recording)
        assert state(figures) == "failed"
        assert rows(figures, "erred", "raised") == {"fail": (1, 1), "hold": (2, 0)}


def test_a_file_of_a_session_has_what_was_unfinished(
    observed: tuple[Client, Session], tmp_path: Path
) -> None:
    client, s = observed
    held = client.map(hold, range(20), key=[f"hold-{i}" for i in range(20)])
    eventually(lambda: is_in(s, "running"))
    figures = summary(opened(s.recording.save(tmp_path / "run.daskscope")))
    assert state(figures) == "running"
    assert figures["progress"]["all"]["total"] == 20
    may_end.set()
    client.gather(held)
