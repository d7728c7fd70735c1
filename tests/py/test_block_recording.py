"""What of a recording is of a block: by numbers, by time, and with no names of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from recording_rows import (
    START,
    append,
    append_cluster,
    cluster_of,
    gap,
    logged_event,
    make_rows,
    new_recording,
    task_error,
    worker_change,
)

from daskscope.recording import (
    RecordingStore,
    pack_keys,
)
from daskscope.recording.block_recording import (
    LATE_S,
    BlockRecording,
    Positions,
    Window,
    positions_of,
    tasks_within,
)
from daskscope.schema import EVENTS, GAPS, WORKERS

LIMITS: dict[str, Any] = {"memory_limit": 4_000_000, "disk_limit": 0, "overflow": "drop"}


def part_of(
    source: RecordingStore, window: Window, since: Positions | None = None
) -> RecordingStore:
    copier = BlockRecording(source, since or Positions(), **LIMITS)
    copier.advance(positions_of(source), window)
    copier.name_workers()
    return copier.recording


def stopped_at(source: RecordingStore, *times: float) -> None:
    """Append a task for each time, named after it."""
    rows = make_rows(len(times))
    rows["start"] = START + np.array(times) - 1
    rows["duration"] = np.ones(len(times), "f4")
    keys = [f"at-{time:g}" for time in times]
    source.append_tasks(len(times), rows, pack_keys(0, keys).data)


def test_tasks_are_told_apart_by_when_they_stopped_in_whatever_order_they_came():
    source = new_recording()
    stopped_at(source, -5, 1, -1, 2, 30)
    stopped_at(source, 3, 40, 9, 10 + LATE_S / 2, 11)
    source.log("errors").append(
        [task_error(task, "k", 0, "w", 0, "e", "t") for task in (2, 3, 4, 7, -1)]
    )
    copy = part_of(source, Window(START, START + 10))
    assert copy.tasks["key"].tolist() == ["at-1", "at-2", "at-3", "at-9", "at-10.25"]
    assert copy.tasks["task"].tolist() == [0, 1, 2, 3, 4]
    assert copy.errors["task"].tolist() == [1, 3]
    assert copy.counts.captured == copy.counts.kept == 5


def test_a_task_that_ran_nowhere_goes_by_its_error():
    source = new_recording()
    stopped_at(source, 1)
    rows = {name: column[:0] for name, column in make_rows(1).items()}
    rowless = {"prefix": [0], "status": [1]}
    for when in (2, 20):
        task = source.append_tasks(1, rows, pack_keys(0, ["killed"]).data, rowless=rowless)
        source.log("errors").append([task_error(task, "killed", 0, "w", START + when, "e", "t")])
    copy = part_of(source, Window(START, START + 10))
    assert copy.counts.captured == 2
    assert copy.totals.prefixes[0].erred == 1


def test_of_a_time_in_which_nothing_stopped_there_is_nothing():
    source = new_recording()
    append(source, 20)
    assert (
        tasks_within(source, Positions(), positions_of(source), Window(START + 50, START + 60))
        == []
    )
    assert part_of(source, Window(START + 50, START + 60)).counts.captured == 0


def test_what_was_dropped_between_the_tasks_of_a_block_is_counted():
    source = new_recording()
    stopped_at(source, 1)
    source.skip_tasks(5)
    stopped_at(source, 2, 30)
    counts = part_of(source, Window(START, START + 10)).counts
    assert (counts.captured, counts.kept, counts.dropped_recording) == (7, 2, 5)


def test_what_is_said_of_the_cluster_ends_with_the_block_and_samples_with_a_heartbeat():
    source = new_recording()
    times = [START + step for step in (-1.0, 0.5, 9.5, 10.2, 10.6, 11.5)]
    source.log("workers").append([worker_change(time, "w", "paused", "") for time in times])
    append_cluster(source, *[(time, 1, 1, 0, 0, 0, 0) for time in times])
    copy = part_of(source, Window(START, START + 10, heartbeat_s=0.5))
    assert copy.workers["time"].tolist() == times[1:3]
    assert cluster_of(copy)["time"].tolist() == times[1:5]


def test_events_are_found_by_their_time_also_where_their_numbers_have_holes():
    source = new_recording()
    source.log("events").append([logged_event(START + 1, "mine", "1")])
    for _ in range(2):
        source.log("events").append([logged_event(START + 2, "stealing", "[]")] * EVENTS.group_rows)
    source.log("events").append(
        [logged_event(START + 3, "mine", "2"), logged_event(START + 20, "mine", "3")]
    )
    messages = part_of(source, Window(START, START + 10)).events["message"]
    assert [one for one in messages if one != "[]"] == ["1", "2"]
    assert len(messages) == EVENTS.group_rows + 2


def test_names_that_a_block_does_not_use_are_not_in_it():
    source = new_recording(lanes=6, prefixes=("secret", "public", "other"))
    secret = source.names.intern("spans", ("id-1", ("secret-span",)))
    source.name_workers({f"tcp://10.0.0.1:{i}": f"name-{i}" for i in range(3)})
    rows = make_rows(4, lanes=4)
    source.append_tasks(4, {**rows, "span": rows["span"] + secret}, pack_keys(0, ["k"] * 4).data)
    since = positions_of(source)
    rows = make_rows(4, lanes=2)
    public = {**rows, "prefix": rows["prefix"] * 0 + 1, "lane": rows["lane"] + 2}
    source.append_tasks(4, public, pack_keys(0, ["k"] * 4).data)
    copy = part_of(source, Window(), since)
    assert copy.names.prefixes == ["public"]
    assert [worker for worker, _ in copy.names.lanes] == ["tcp://10.0.0.1:1"] * 2
    assert copy.names.spans == [("", ())]
    assert copy.worker_names == {"tcp://10.0.0.1:1": "name-1"}
    tasks = copy.tasks
    assert tasks["prefix"].cat.categories.tolist() == ["public"]
    whole = source.tasks.iloc[4:].reset_index(drop=True)
    for column in ("prefix", "action", "worker", "thread", "start"):
        assert tasks[column].astype(object).equals(whole[column].astype(object)), column


def test_a_part_that_follows_in_steps_is_that_of_one():
    source = new_recording()
    copier, marks = BlockRecording(source, Positions(), **LIMITS), []
    for step in range(5):
        append(source, 7)
        source.log("errors").append([task_error(step * 7, "k", 1, "w", START, "e", "t")])
        marks.append(positions_of(source))
        copier.advance(marks[-1])
    at_once = part_of(source, Window())
    assert copier.recording.tasks.equals(at_once.tasks)
    assert copier.recording.errors.equals(at_once.errors)
    copier.advance(replace(marks[-1]))
    assert copier.recording.counts == at_once.counts


def test_events_that_the_source_dropped_meanwhile_are_counted_as_dropped():
    source = new_recording()
    source.log("events").append([logged_event(START, "mine", "0")] * EVENTS.group_rows)
    since = positions_of(source)
    source.log("events").append([logged_event(START + 1, "mine", "1")] * (EVENTS.group_rows + 30))
    copy = part_of(source, Window(stop=START + 10), since)
    assert len(copy.events) == EVENTS.group_rows
    assert copy.log("events").dropped == 30


def logged(source: RecordingStore, topic: str, time: float, events: int) -> Positions:
    """Append events of one time; return how far the recording is then."""
    source.log("events").append([logged_event(START + time, topic, "{}")] * events)
    return positions_of(source)


def test_what_came_after_the_end_of_a_block_and_was_dropped_is_not_of_the_block():
    source = new_recording()
    since = positions_of(source)
    over = logged(source, "mine", 1, 10)
    logged(source, "stealing", 20, EVENTS.group_rows + 500)
    source.log("workers").append(
        [worker_change(START + 20, "w", "paused", "")] * (WORKERS.rows + 5)
    )
    for _ in range(GAPS.rows + 5):
        source.log("gaps").append([gap(START + 20, START + 21, "scheduler-restarted", "")])
    until = positions_of(source)
    copier = BlockRecording(source, since, **LIMITS)
    copier.advance(over)
    copier.advance(until, Window(stop=START + 2), over)
    copy = copier.recording
    assert len(copy.events) == 10
    assert (
        copy.log("events").dropped == copy.log("workers").dropped == copy.log("gaps").dropped == 0
    )


def test_what_was_dropped_of_a_cell_is_told_apart_from_what_came_before_and_after():
    source = new_recording()
    since = positions_of(source)
    logged(source, "stealing", -5, 100)
    logged(source, "mine", -1, 1)
    over = logged(source, "stealing", 1, 300)
    logged(source, "stealing", 20, EVENTS.group_rows)
    copier = BlockRecording(source, since, **LIMITS)
    copier.advance(positions_of(source), Window(START, START + 10), over)
    assert copier.recording.log("events").dropped == 300


def test_what_was_read_and_dropped_after_the_end_of_a_cell_is_of_it_if_later_things_are():
    source = new_recording()
    over = positions_of(source)
    logged(source, "stealing", 9, EVENTS.group_rows + 70)
    logged(source, "mine", 20, 1)
    copier = BlockRecording(source, Positions(), **LIMITS)
    copier.advance(positions_of(source), Window(START, START + 10), over)
    assert len(copier.recording.events) == EVENTS.group_rows
    assert copier.recording.log("events").dropped == 70


def test_series_are_copied_before_the_source_drops_what_was_measured():
    source = new_recording(prefixes=[f"p{number}" for number in range(1000)])
    stack = source.names.intern("stacks", (0, source.names.intern("frames", ("f", "", 0, 0, ""))))
    copier = BlockRecording(source, positions_of(source), start=START, **LIMITS)
    counts, ring = source.series("profile_counts"), source.series("profile_counts").rings[0]
    for second in range(100):
        rows = 10_000
        counts.append(
            {
                "time": np.full(rows, START + second),
                "duration": np.ones(rows),
                "worker": np.full(rows, "tcp://w:1", object),
                "stack": np.full(rows, stack),
                "prefix": np.arange(rows) % 1000,
                "count": np.ones(rows),
            },
            now=START + second + 1,
        )
        if second % 30 == 29:
            copier.advance_series()
    assert ring.dropped
    copier.halt()
    copier.advance_series()
    copier.advance(positions_of(source), Window(stop=START + 100))
    copied = copier.recording.series("profile_counts").window()
    assert copied["count"].sum() == 100 * 10_000
