"""Rows, keys, names and figures of a recording."""

from __future__ import annotations

import threading
import zlib
from itertools import pairwise

import numpy as np
import pytest
from recording_rows import START, append, make_rows, new_recording

from daskscope.agent.packing import MAX_NAME_CHARS, Interned, describe_name
from daskscope.recording import Names, RecordingStore, pack_keys, store
from daskscope.recording.names import MAX_LIST_CHARACTERS
from daskscope.schema import ACTION_NAMES, MAX_NAMES, OTHER_NAME


def test_tasks_are_numbered_in_order_of_arrival():
    recording = new_recording()
    assert append(recording, 10) == 0
    assert append(recording, 5) == 10
    assert recording.next_task == 15
    assert [recording.key_of(task) for task in (0, 9, 10, 14)] == [
        "key-0",
        "key-9",
        "key-10",
        "key-14",
    ]
    assert recording.key_of(15) == ""


def test_tasks_frame_has_one_row_per_interval_with_names_and_keys():
    recording = new_recording()
    span = recording.names.intern("spans", ("id-1", ("load", "clean")))
    columns = make_rows(3, rows_each=2)
    columns["span"][:2] = span
    columns["status"][-2:] = 1
    recording.append_tasks(3, columns, pack_keys(0, ["a", "b", "('c', 0)"]).data)
    frame = recording.tasks
    assert list(frame.columns) == [
        "start", "duration", "worker", "thread", "prefix",
        "action", "status", "nbytes", "span", "computation", "cell", "key", "task",
    ]  # fmt: skip
    assert frame["task"].tolist() == [0, 0, 1, 1, 2, 2]
    assert frame["key"].tolist() == ["a", "a", "b", "b", "('c', 0)", "('c', 0)"]
    assert frame["action"].tolist() == ["compute", "transfer"] * 3
    assert frame["span"].tolist()[0] == "load / clean"
    assert frame["span"].isna().tolist() == [False, False, True, True, True, True]
    assert frame["status"].tolist() == ["OK"] * 4 + ["error"] * 2
    assert frame["worker"].tolist()[0] == "tcp://10.0.0.1:0"
    assert frame["start"].dtype == "f8"
    assert frame["start"][0] == START


def test_empty_frames_have_their_columns():
    recording = RecordingStore()
    assert recording.tasks.empty
    assert "start" in recording.tasks.columns
    assert list(recording.gaps.columns) == ["start", "stop", "reason", "text"]
    assert list(recording.workers.columns) == ["time", "worker", "name", "what", "detail"]
    assert "traceback" in recording.errors.columns


def test_small_appends_become_few_chunks_and_few_blocks_of_keys():
    recording = new_recording()
    for _ in range(4_000):
        append(recording, 10)
    chunks = recording.chunks()
    assert len(chunks) <= 4
    assert all(len(chunk.keys) == 1 for chunk in chunks[:-1])
    assert [chunk.first for chunk in chunks[1:]] == [chunk.stop for chunk in chunks[:-1]]
    assert recording.key_of(0) == "key-0"
    assert recording.key_of(39_999) == "key-39999"
    assert recording.tasks["key"].tolist() == [f"key-{i}" for i in range(40_000)]


def test_what_a_reader_holds_never_changes():
    recording = new_recording()
    append(recording, 10)
    (before,) = recording.chunks()
    append(recording, 10)
    assert before.tasks == 10
    assert before.rows == 10
    assert before.columns["task"].tolist() == list(range(10))
    with pytest.raises(ValueError, match="read-only"):
        before.columns["task"][0] = 7


def test_rows_out_of_order_are_sorted_by_task():
    recording = new_recording()
    columns = {name: column[::-1] for name, column in make_rows(100).items()}
    recording.append_tasks(100, columns, pack_keys(0, [str(i) for i in range(100)]).data)
    (chunk,) = recording.chunks()
    assert chunk.columns["task"].tolist() == list(range(100))
    assert chunk.columns["lane"].tolist() == make_rows(100)["lane"].tolist()


def test_rows_of_a_range_of_tasks_are_found():
    recording = new_recording()
    append(recording, 7)
    append(recording, 10, rows_each=3)
    (chunk,) = recording.chunks()
    assert chunk.rows_of(7, 9) == slice(7, 13)
    assert chunk.rows_of(0, 10**12) == slice(0, 37)
    assert chunk.rows_of(16, 17) == slice(34, 37)


def test_tasks_that_ran_nowhere_are_counted():
    recording = new_recording()
    columns = make_rows(2)
    columns["task"][:] = [0, 2]
    recording.append_tasks(
        3, columns, pack_keys(0, ["a", "b", "c"]).data, rowless={"prefix": [1], "status": [1]}
    )
    assert recording.counts.kept == 3
    assert recording.counts.erred == 1
    assert sum(total.tasks for total in recording.totals.prefixes) == 3
    assert recording.key_of(1) == "b"


def test_clock_skew_is_kept_and_counted():
    recording = new_recording()
    columns = make_rows(20_000)
    columns["duration"][5] = -3.0
    columns["start"][6] += 5 * 3600
    columns["start"][7] -= 5 * 3600
    columns["start"][8] = np.nan
    keys = pack_keys(0, [str(i) for i in range(20_000)])
    recording.append_tasks(20_000, columns, keys.data)
    assert recording.skewed_rows == 1
    assert recording.counts.rows == 20_000
    assert recording.tasks["duration"].min() == -3.0
    assert recording.totals.prefixes[1].seconds == pytest.approx(80 - 0.008, rel=1e-3)


def test_a_time_axis_begins_with_the_first_start_that_is_a_time():
    recording = new_recording()
    columns = make_rows(3)
    columns["start"][:] = [np.nan, -np.inf, np.inf]
    recording.append_tasks(3, columns, pack_keys(0, ["a", "b", "c"]).data)
    assert recording.origin is None
    columns["start"][:] = [np.nan, START + 1, START]
    columns["duration"] = [1e300, 1, 1]  # the first is wider than the column
    recording.append_tasks(3, columns, pack_keys(0, ["a", "b", "c"]).data)
    assert recording.origin == START


def test_hostile_keys_come_back_as_they_were():
    keys = ["<script>alert(1)</script>", "x" * 10_000, "😀", "a\nb", "('t', 1)", repr(b"\xff"), ""]
    recording = new_recording()
    recording.append_tasks(len(keys), make_rows(len(keys)), pack_keys(0, keys).data)
    assert recording.tasks["key"].tolist() == keys
    assert [recording.key_of(i) for i in range(len(keys))] == keys


def test_damaged_blocks_of_keys_cost_only_the_keys():
    recording = new_recording()
    recording.append_tasks(3, make_rows(3), b"no zlib")
    recording.append_tasks(3, make_rows(3), zlib.compress(b"one\0two"))
    recording.append_tasks(2, make_rows(2), zlib.compress(b"\xff\0ok"))
    assert recording.tasks["key"].tolist() == ["", "", "", "one", "two", "", "\ufffd", "ok"]


def test_full_lists_of_names_end_in_other():
    names = Names()
    for i in range(1_000):
        names.intern("actions", f"action-{i}")
    assert len(names.actions) == ACTION_NAMES.limit <= 256
    assert names.actions[-1] == OTHER_NAME
    assert names.intern("actions", "one more") == len(names.actions) - 1
    assert names.intern("actions", "compute") == 0


def test_lists_of_names_have_room_for_so_much_text():
    names = Names()
    long = [("id", (*("x" * 900 for _ in range(40)), str(i))) for i in range(600)]
    places = [names.intern("spans", span) for span in long]
    kept = sum(len(part) for _, name in names.spans for part in name)
    assert 18_000_000 < kept <= MAX_LIST_CHARACTERS
    assert names.spans[places[0]] == long[0]
    assert names.spans[places[-1]] == (OTHER_NAME, (OTHER_NAME,))
    assert places[-1] == places[-2]
    assert names.spans[names.intern("spans", ("id", ("short",)))] == ("id", ("short",))
    assert names.intern("prefixes", "inc") == 0


@pytest.mark.all
def test_every_prefix_that_an_agent_tells_apart_has_a_place_of_its_own():
    names, told = Names(), Interned(describe_name)
    for i in range(MAX_NAMES):
        told.add(f"{i:06}" + "x" * 1_000)
    assert len(told.described[0]) == MAX_NAME_CHARS + 1
    places = [names.intern("prefixes", name) for name in told.described]
    assert places == list(range(MAX_NAMES))


def test_a_span_that_is_nested_deeper_than_anybody_nests_is_cut():
    names = Names()
    place = names.intern("spans", ("id", tuple(str(i) for i in range(1_000))))
    assert names.spans[place] == ("id", tuple(str(i) for i in range(49)))


def test_wrong_columns_are_refused_by_name():
    recording = new_recording()
    columns = make_rows(3)
    columns["lane"] = columns["lane"][:2]
    with pytest.raises(ValueError, match="'lane'"):
        recording.append_tasks(3, columns, b"")
    with pytest.raises(ValueError, match="tasks=2"):
        recording.append_tasks(2, make_rows(3), b"")
    assert recording.counts.captured == 0


def test_tasks_are_counted_in_the_moment_in_which_they_can_be_read(monkeypatch):
    """A reader that asks between two steps of an append must not find them half done."""
    for tasks in (10, 10_000):
        recording = new_recording()
        seen: list[tuple[int, int]] = []
        for step in ("_add_sealed", "_keep_bounds", "seal"):
            original = getattr(store.ChunkStore, step)

            def watched(self, *args, original=original, recording=recording, seen=seen):
                look(recording, seen)
                result = original(self, *args)
                look(recording, seen)
                return result

            monkeypatch.setattr(store.ChunkStore, step, watched)
        append(recording, tasks)
        append(recording, tasks)
        monkeypatch.undo()
        assert seen
        assert all(counted == readable for counted, readable in seen)


def look(recording, seen):
    readable = sum(chunk.tasks for chunk in recording.chunks())
    seen.append((recording.counts.captured, readable))
    seen.append((recording.next_task, readable))


def test_a_closed_recording_takes_no_more_and_stays_readable():
    recording = new_recording()
    append(recording, 10)
    recording.close()
    append(recording, 10)
    assert len(recording.tasks) == 10


def test_readers_see_whole_appends_while_another_thread_appends():
    recording = new_recording(memory_limit=4_000_000)
    done = threading.Event()
    wrong: list[str] = []

    def read() -> None:
        while not done.is_set():
            chunks = recording.chunks()
            if any(a.stop != b.first for a, b in pairwise(chunks)):
                wrong.append("a hole between chunks")
            if chunks:
                last = chunks[-1]
                if last.columns["task"][-1] != last.stop - 1 or len(last.key_of(last.first)) < 3:
                    wrong.append("half an append")
            counts = recording.counts
            if counts.kept != counts.rows:
                wrong.append(f"counts {counts}")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(600):
        append(recording, 300 if i % 7 else 5_000)
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(recording.tasks) == recording.next_task
