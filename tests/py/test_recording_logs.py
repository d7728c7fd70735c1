"""What a recording keeps beside the tasks: errors, changes of workers, gaps."""

from __future__ import annotations

from recording_rows import append, new_recording

from daskscope.recording import UNKNOWN_TASK, Gap, TaskError, WorkerChange


def test_errors_changes_and_gaps_are_bounded_and_numbered():
    recording = new_recording()
    error = TaskError(0, "k", 0, "tcp://w", 5.0, "ValueError('x')", "Traceback")
    recording.append_errors([error] * 1_500)
    recording.append_changes([WorkerChange(1.0, "tcp://w", "added", "")])
    recording.append_gap(1.0, 2.0, "lost", "The scheduler went away.")
    assert len(recording.errors) == 1_000
    assert recording.error_log.dropped == 500
    assert recording.errors["prefix"].tolist()[0] == "inc"
    assert len(recording.error_log.since(1_499)) == 1
    assert recording.error_log.since(1_500) == []
    assert recording.workers["what"].tolist() == ["added"]
    assert recording.gaps["reason"].tolist() == ["lost"]
    assert recording.gap_log.since(0) == [Gap(1.0, 2.0, "lost", "The scheduler went away.")]


def test_errors_join_the_rows_of_their_tasks():
    recording = new_recording()
    append(recording, 10)
    append(recording, 10, rows_each=2)
    assert recording.errors["task"].dtype == recording.tasks["task"].dtype
    assert recording.tasks.merge(recording.errors, on="task").empty
    for task in (12, UNKNOWN_TASK):  # the rows of the second were dropped
        error = TaskError(task, "k", 0, "tcp://w", 5.0, "ValueError('x')", "Traceback")
        recording.append_errors([error])
    joined = recording.tasks.merge(recording.errors[["task", "exception"]], on="task")
    assert joined["key"].tolist() == [recording.key_of(12)] * 2
    assert joined["exception"].tolist() == ["ValueError('x')"] * 2


def test_errors_that_never_came_are_numbered_and_counted():
    recording = new_recording()
    error = TaskError(0, "k", 0, "tcp://w", 5.0, "ValueError('x')", "Traceback")
    recording.append_errors([error] * 5)
    recording.drop_errors(20)  # those that are kept stay a row of consecutive numbers
    recording.append_errors([error] * 2)
    assert len(recording.errors) == 2
    assert recording.error_log.dropped == 25
    assert recording.error_log.between(25, 27) == [error] * 2
    assert recording.counts.erred == 27


def test_changes_that_never_came_are_numbered_and_counted():
    recording = new_recording()
    change = WorkerChange(1.0, "tcp://w", "paused", "")
    recording.append_changes([change] * 5)
    recording.drop_changes(20)
    recording.append_changes([change] * 2)
    assert len(recording.workers) == 2
    assert recording.change_log.between(25, 27) == [change] * 2
    assert recording.counts.changes == 27
