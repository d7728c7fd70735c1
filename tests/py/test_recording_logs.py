"""What a recording keeps in logs, beside the tasks: bounded, and numbered for ever."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from recording_rows import append, gap, logged_event, new_recording, task_error, worker_change

from daskscope import schema
from daskscope.recording import UNKNOWN_TASK, LogStore
from daskscope.recording.log_store import MAX_LOG_CHARACTERS

ERROR = task_error(0, "k", 0, "tcp://w", 5.0, "ValueError('x')", "Traceback")


def test_errors_changes_and_gaps_are_bounded_and_numbered():
    recording = new_recording()
    errors, gaps = recording.log("errors"), recording.log("gaps")
    errors.append([ERROR] * 1_500)
    recording.log("workers").append([worker_change(1.0, "tcp://w", "added")])
    gaps.append([gap(1.0, 2.0, "lost", "The scheduler went away.")])
    assert len(recording.errors) == 1_000
    assert errors.dropped == 500
    assert recording.errors["prefix"].tolist()[0] == "inc"
    assert len(errors.since(1_499)) == 1
    assert errors.since(1_500) == []
    assert recording.workers["what"].tolist() == ["added"]
    assert recording.gaps["reason"].tolist() == ["lost"]
    assert gaps.since(0) == [(1.0, 2.0, "lost", "The scheduler went away.")]
    assert gaps.since(0)[0]._replace(reason="agent-left").reason == "agent-left"


def test_errors_join_the_rows_of_their_tasks():
    recording = new_recording()
    append(recording, 10)
    append(recording, 10, rows_each=2)
    assert recording.errors["task"].dtype == recording.tasks["task"].dtype
    assert recording.tasks.merge(recording.errors, on="task").empty
    for task in (12, UNKNOWN_TASK):  # the rows of the second were dropped
        recording.log("errors").append([ERROR | {"task": task}])
    joined = recording.tasks.merge(recording.errors[["task", "exception"]], on="task")
    assert joined["key"].tolist() == [recording.key_of(12)] * 2
    assert joined["exception"].tolist() == ["ValueError('x')"] * 2


def test_rows_that_never_came_are_numbered_and_counted():
    recording = new_recording()
    change = worker_change(1.0, "tcp://w", "paused")
    for name, row in (("errors", ERROR), ("workers", change)):
        log = recording.log(name)
        log.append([row] * 5)
        log.count_dropped(20)
        log.append([row] * 2)
        assert [number for number, _ in log.numbered(0, log.next)] == [0, 1, 2, 3, 4, 25, 26]
        assert log.dropped == 20
        assert len(recording.table(name)) == 7
    assert recording.counts.erred == 27
    assert recording.counts.changes == 27


def test_workers_that_are_there_are_no_changes_and_have_their_names():
    recording = new_recording()
    recording.name_workers({"tcp://w:1": "0", "tcp://w:2": "big"})
    recording.log("workers").append([worker_change(1.0, "tcp://w:2", "added", "4 threads")])
    recording.note_present({"tcp://w:1": 1, "tcp://w:2": 4}, 2.0)
    recording.note_present({"tcp://w:3": 1}, 3.0)
    workers = recording.workers
    assert workers["what"].tolist() == ["added", "present"]
    assert workers["name"].tolist() == ["big", "worker-0"]
    assert workers["detail"].tolist() == ["4 threads", "1 thread"]
    assert recording.counts.changes == 1


def test_tasks_that_ran_nowhere_count_when_they_are_logged():
    recording = new_recording()
    recording.log("rowless").append([{"task": 0, "prefix": 1, "status": 1}])
    (total,) = recording.totals.prefixes
    assert (total.prefix, total.tasks, total.erred) == (1, 1, 1)
    assert recording.table("rowless")["prefix"].tolist() == ["sum"]


def test_what_a_row_lacks_is_empty_and_what_it_has_gets_its_type():
    recording = new_recording()
    log = recording.log("errors")
    log.append([{"time": "5", "key": "lone \ud800", "prefix": 2**20}])
    (row,) = log.since(0)
    assert row == (5.0, "lone \ufffd", 2**16 - 1, "", "", "", UNKNOWN_TASK)


def test_a_later_row_with_its_key_replaces_an_earlier_one():
    log = LogStore(replace(schema.EVENTS, key="topic", group="", rows=3))
    for time, topic in enumerate("abac"):
        log.append([logged_event(time, topic, "{}")])
    assert log.numbered(0, 9) == [
        (n, (n, topic, "{}")) for n, topic in ((1, "b"), (2, "a"), (3, "c"))
    ]
    assert (log.next, log.dropped) == (4, 0)
    log.append([logged_event(4, "d", "{}")])
    assert [row.topic for row in log.since(0)] == ["a", "c", "d"]
    assert log.dropped == 1
    now = log.snapshot()
    log.append([logged_event(5, "a", "{}")])
    assert [row.time for row in now.since(0)] == [2, 3, 4]


def test_a_log_keeps_its_bounds_whatever_is_logged():
    log = LogStore(schema.EVENTS)
    log.append([logged_event(0.0, "mine", "a line of 1 MB" * 75_000)])
    assert len(log.since(0)[0].message) == schema.MAX_TEXT_CHARACTERS
    message = "x" * 10_000
    log.append(logged_event(1.0, f"topic-{n % 9}", message) for n in range(5_000))
    assert log._characters <= MAX_LOG_CHARACTERS
    assert len(log.since(0)) == MAX_LOG_CHARACTERS // (len(message) + len("topic-1"))
    assert log.next == 5_001 == len(log.since(0)) + log.dropped


def test_a_million_events_are_counted_and_nothing_grows():
    log = LogStore(replace(schema.EVENTS, rows=100, group_rows=20))
    log.append([logged_event(0.0, "mine", "{}")])
    row = logged_event(1.0, "stealing", "[]")
    for _ in range(10):
        log.append([row] * 10_000)
        held: list[Any] = [log._rows, *log._groups.values()]
        assert sum(map(len, held)) == 2 * 21
        assert log.next == 21 + log.dropped
    log.count_dropped(900_000)
    assert (log.next, log.dropped) == (1_000_001, 999_980)
    assert [event.topic for event in log.since(0)] == ["mine"] + ["stealing"] * 20


def test_whatever_is_appended_the_newest_of_each_group_and_key_are_kept():
    dice = random.Random(1)
    for _ in range(30):
        table = replace(
            schema.EVENTS,
            rows=dice.randint(1, 12),
            group=dice.choice(["", "topic"]),
            group_rows=dice.randint(1, 5),
            key=dice.choice(["", "message"]),
        )
        log, kept = LogStore(table), {}
        for number in range(60):
            event = logged_event(number, dice.choice("abc"), str(dice.randint(0, 9)))
            log.append([event])
            if table.key:
                kept = {n: one for n, one in kept.items() if one["message"] != event["message"]}
            kept[number] = event
            alike = [n for n, one in kept.items() if one["topic"] == event["topic"]]
            if table.group and len(alike) > table.group_rows:
                del kept[alike[0]]
            kept = dict(list(kept.items())[-table.rows :])
        assert [number for number, _ in log.numbered(0, log.next)] == list(kept)
        assert log.columns()["time"] == [one["time"] for one in kept.values()]
