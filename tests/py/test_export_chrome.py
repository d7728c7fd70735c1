"""Chrome traces: viewers want slices that nest, numbers that are unique, and names for all."""

from __future__ import annotations

import gzip
import io
import json
from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from recording_rows import (
    START,
    append,
    append_cluster,
    append_scheduler,
    gap,
    logged_event,
    make_rows,
    new_recording,
    task_error,
    worker_change,
)

import daskscope
from daskscope.export import to_chrome, write_chrome
from daskscope.loading import opened
from daskscope.recording import RecordingStore, pack_keys

FIELDS = {
    "X": {"ph", "pid", "tid", "ts", "dur", "name", "cat", "args"},
    "i": {"ph", "s", "pid", "tid", "ts", "name", "cat", "args"},
    "C": {"ph", "pid", "ts", "name", "args"},
    "M": {"ph", "pid", "name", "args"},
}
"""What each kind of event has at least."""

COMPUTE, TRANSFER, DISK_READ = 0, 1, 2


def no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


def trace_of(recording: RecordingStore) -> dict[str, Any]:
    out = io.BytesIO()
    write_chrome(recording, out)
    return checked(out.getvalue())


def checked(data: bytes) -> dict[str, Any]:
    """Return a trace that a viewer can show: the rules that it must keep are here."""
    trace = json.loads(data, parse_constant=no_constant)
    assert set(trace) == {"displayTimeUnit", "traceEvents", "otherData"}
    processes: set[int] = set()
    threads: dict[int, int] = {}
    for event in trace["traceEvents"]:
        assert set(event) >= FIELDS[event["ph"]]
        assert type(event["pid"]) is int
        assert event["pid"] > 0
        assert isinstance(event["name"], str)
        if event["ph"] == "M":
            if event["name"] == "process_name":
                assert event["pid"] not in processes
                processes.add(event["pid"])
            elif event["name"] == "thread_name":
                assert event["tid"] not in threads, "a number of a thread is of one process only"
                threads[event["tid"]] = event["pid"]
            continue
        assert event["pid"] in processes, "named before it is used"
        assert type(event["ts"]) is int
        assert event["ts"] >= 0
        if "tid" in event:
            assert threads[event["tid"]] == event["pid"]
    assert not processes & set(threads), "a viewer takes equal numbers for a main thread"
    by_thread = defaultdict(list)
    for slice_ in slices(trace):
        assert type(slice_["dur"]) is int
        assert slice_["dur"] >= 0
        by_thread[slice_["tid"]].append((slice_["ts"], slice_["ts"] + slice_["dur"]))
    for spans in by_thread.values():
        spans.sort()
        for (_, stop), (start, _) in pairwise(spans):
            assert start >= stop, "slices of a thread nest: ours do not even touch"
    return trace


def slices(trace: dict[str, Any], category: str = "") -> list[dict[str, Any]]:
    return [
        event
        for event in trace["traceEvents"]
        if event["ph"] == "X" and event["cat"].startswith(category)
    ]


def names(trace: dict[str, Any], what: str) -> list[str]:
    events = trace["traceEvents"]
    return [event["args"]["name"] for event in events if event["name"] == what]


def rows(recording: RecordingStore, *given: tuple[float, float, int, int], lane: int = 0) -> None:
    """Append tasks with one row each: start from the beginning, duration, action, lane."""
    columns = make_rows(len(given))
    columns["start"] = START + np.array([row[0] for row in given])
    columns["duration"] = np.array([row[1] for row in given], "f4")
    columns["action"] = np.array([row[2] for row in given], "u1")
    columns["lane"] = np.array([row[3] for row in given], "u2")
    keys = [f"key-{recording.next_task + i}" for i in range(len(given))]
    recording.append_tasks(len(given), columns, pack_keys(0, keys).data)


def test_workers_are_processes_and_lanes_are_threads():
    recording = new_recording()
    recording.name_workers({"tcp://10.0.0.1:0": "0"})
    append(recording, 40)
    trace = trace_of(recording)
    assert names(trace, "process_name") == ["cluster", "worker-0", "10.0.0.1:1"]
    assert names(trace, "thread_name") == ["thread 0", "thread 1"] * 2
    assert len(slices(trace, "compute")) == 40
    assert {event["name"] for event in slices(trace)} == {"inc", "sum"}


def test_a_slice_tells_key_size_and_span_and_when_it_ran():
    recording = new_recording()
    recording.names.intern("spans", ("6ac", ("load", "clean")))
    columns = make_rows(1, start=START + 2)
    columns["span"][:] = 1
    rows(recording, (0, 0.5, COMPUTE, 0))
    recording.append_tasks(1, columns, pack_keys(0, ["('x', 1)"]).data)
    first, second = slices(trace_of(recording))
    assert first["args"] == {"key": "key-0", "nbytes": 28, "task": 0}
    assert (first["ts"], first["dur"]) == (0, 500_000)
    assert second["args"] == {"key": "('x', 1)", "nbytes": 28, "span": "load / clean", "task": 1}
    assert (second["ts"], second["dur"]) == (2_000_000, 8_000)


def test_transfers_and_disk_are_on_threads_of_their_own():
    recording = new_recording(lanes=1)
    rows(
        recording,
        (0.5, 1.0, TRANSFER, 0),
        (0.0, 1.0, COMPUTE, 0),
        (0.6, 0.2, DISK_READ, 0),
        (1.0, 1.0, COMPUTE, 0),
    )
    trace = trace_of(recording)
    assert sorted(names(trace, "thread_name")) == [
        "thread 0",
        "thread 0 · disk",
        "thread 0 · transfer",
    ]
    (transfer,) = slices(trace, "transfer")
    assert transfer["name"] == "transfer"
    assert transfer["args"]["prefix"] == "inc"


def test_what_overlaps_goes_to_a_further_thread():
    recording = new_recording(lanes=1)
    rows(recording, (0, 1, TRANSFER, 0), (0.5, 1, TRANSFER, 0), (1.2, 1, TRANSFER, 0))
    trace = trace_of(recording)
    assert names(trace, "thread_name") == ["thread 0 · transfer", "thread 0 · transfer (2)"]


def test_a_clock_that_goes_back_makes_a_further_thread_and_no_slice_shorter():
    recording = new_recording(lanes=1)
    rows(recording, *[(second, 1, COMPUTE, 0) for second in range(5)])
    rows(recording, *[(second - 2.5, 1, COMPUTE, 0) for second in range(5)])
    trace = trace_of(recording)
    assert names(trace, "thread_name") == ["thread 0", "thread 0 (2)"]
    assert [event["dur"] for event in slices(trace)] == [1_000_000] * 10
    assert min(event["ts"] for event in slices(trace)) == 0


def test_lengths_that_were_rounded_do_not_push_a_slice_to_another_thread():
    recording = new_recording(lanes=1)
    starts = np.cumsum([0, 1000.123457, 999.987654, 4321.000001])
    lengths = np.diff(starts, append=starts[-1] + 5)
    rounded = np.array(lengths, "f4").astype("f8")
    assert (rounded > lengths).any(), "some reach into the next one"
    rows(recording, *[(a, b, COMPUTE, 0) for a, b in zip(starts, lengths, strict=True)])
    trace = trace_of(recording)
    assert names(trace, "thread_name") == ["thread 0"]
    for event, start in zip(slices(trace), starts, strict=True):
        assert abs(event["ts"] - start * 1e6) < 500


@examples(60)
@given(
    st.lists(
        st.tuples(
            st.floats(0, 10, width=32),
            st.floats(-1, 10, width=32),
            st.integers(0, 4),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=60,
    ),
    st.integers(1, 20),
)
def test_whatever_overlaps_all_rows_are_there_and_nest(given_rows, at_once):
    recording = new_recording()
    for first in range(0, len(given_rows), at_once):
        rows(recording, *given_rows[first : first + at_once])
    trace = trace_of(recording)
    found = sorted((event["args"]["task"], event["ts"], event["dur"]) for event in slices(trace))
    first = min(row[0] for row in given_rows)
    assert len(found) == len(given_rows)
    for (task, start, length), row in zip(found, given_rows, strict=True):
        assert recording.key_of(task) == f"key-{task}"
        assert abs(start - (row[0] - first) * 1e6) < 10
        assert abs(length - max(0, row[1]) * 1e6) < 10


def test_errors_are_flagged_with_what_was_raised():
    recording = new_recording(lanes=1)
    columns = make_rows(2, lanes=1)
    columns["status"][1] = 1
    recording.append_tasks(2, columns, pack_keys(0, ["good", "bad"]).data)
    recording.log("errors").append(
        [task_error(1, "bad", 1, "tcp://10.0.0.1:0", START + 0.02, "ValueError(1)", "Traceback …")]
    )
    trace = trace_of(recording)
    good, bad = slices(trace)
    assert good["cat"] == "compute"
    assert "cname" not in good
    assert bad["cat"] == "compute,error"
    assert bad["cname"] == "terrible"
    assert bad["args"]["status"] == "error"
    assert bad["args"]["error"] == "ValueError(1)"
    (mark,) = (event for event in trace["traceEvents"] if event["ph"] == "i")
    assert mark["name"] == "ValueError(1)"
    assert mark["args"]["traceback"] == "Traceback …"


def test_what_happened_beside_the_tasks_is_the_first_process():
    recording = new_recording()
    append(recording, 4)
    recording.name_workers({"tcp://10.0.0.1:0": "0"})
    recording.log("workers").append(
        [worker_change(START + 1, "tcp://10.0.0.1:0", "paused", "running")]
    )
    recording.log("gaps").append(
        [gap(START + 2, START + 3, "scheduler-restarted", "It was restarted.")]
    )
    recording.log("gaps").append([gap(START + 2.5, START + 4, "scheduler-lost", "It was lost.")])
    recording.log("events").append([logged_event(START + 1, "mine", '{"a": 1}')])
    append_cluster(recording, (START - 5, 2, 4, 1000, 500, 100, 0))
    append_scheduler(recording, (START, float("nan"), 1e8, 0.02))
    trace = trace_of(recording)
    (cluster,) = (e["pid"] for e in trace["traceEvents"] if e["args"].get("name") == "cluster")
    beside = [e for e in trace["traceEvents"] if e["pid"] == cluster and e["ph"] != "M"]
    assert [e["name"] for e in beside if e["ph"] == "i"] == ["worker-0 paused", "mine"]
    assert len(slices(trace, "gaps")) == 2
    counters = {e["name"]: e["args"] for e in beside if e["ph"] == "C"}
    assert counters["memory of processes"] == {"bytes": 500}
    assert counters["scheduler memory"] == {"bytes": 1e8}
    assert "scheduler CPU" not in counters, "NaN is no JSON"
    assert min(event["ts"] for event in slices(trace)) == 5_000_000, "the first sample is zero"


def test_times_that_a_worker_made_up_are_left_out_and_counted():
    recording = new_recording()
    append(recording, 20)
    columns = make_rows(6)
    columns["start"][1:4] = [np.nan, np.inf, 0]
    columns["duration"][4:6] = [np.nan, 3e38]
    recording.append_tasks(6, columns, pack_keys(0, list("abcdef")).data)
    out = io.BytesIO()
    counts = write_chrome(recording, out)
    assert (counts.rows, counts.left_out) == (21, 5)
    trace = checked(out.getvalue())
    assert trace["otherData"]["rows left out, whose times cannot be"] == 5
    keys = {event["args"]["key"] for event in slices(trace)}
    assert keys == {"a", *(f"key-{i}" for i in range(20))}
    assert min(event["ts"] for event in slices(trace)) == 0


def test_a_duration_below_zero_is_shown_as_a_moment_that_says_so():
    recording = new_recording()
    rows(recording, (1, -2.5, COMPUTE, 0))
    (only,) = slices(trace_of(recording))
    assert only["dur"] == 0
    assert only["args"]["clocks disagree, seconds"] == -2.5


def test_an_empty_recording_is_a_trace_all_the_same():
    trace = trace_of(RecordingStore())
    assert slices(trace) == []
    assert trace["otherData"]["tasks kept"] == 0


def test_text_of_users_stays_text():
    keys = ['"},{"ph":"M"', "</script>", "\x00\x1b[2J", "\u202e", "é🙂", "\\"]
    recording = new_recording(prefixes=['"]}', "<b>"])
    recording.append_tasks(len(keys), make_rows(len(keys)), pack_keys(0, keys).data)
    recording.log("errors").append([task_error(0, "k", 0, "w", START, "E('\ud800')", "\udfff")])
    trace = trace_of(recording)
    found = {event["args"]["task"]: event["args"]["key"] for event in slices(trace)}
    assert [found[i] for i in range(len(keys))] == [key.replace("\0", "�") for key in keys]
    assert {event["name"] for event in slices(trace)} == {'"]}', "<b>"}


def test_text_is_written_so_that_perfetto_reads_it():
    """It does not undo escapes, and no text may end with an escaped backslash."""
    recording = new_recording(prefixes=["é · 🙂", "C:\\"])
    recording.append_tasks(2, make_rows(2), pack_keys(0, ["a\\", "b\\\\"]).data)
    recording.log("errors").append([task_error(0, "k\\", 0, "w\\", START, "E\\", "T\\")])
    recording.about_facts = {"title": "t\\"}
    out = io.BytesIO()
    write_chrome(recording, out)
    assert "é · 🙂".encode() in out.getvalue()
    assert b'\\\\"' not in out.getvalue()
    found = [event["args"]["key"] for event in slices(checked(out.getvalue()))]
    assert sorted(found) == ["a\\", "b\\\\"]


def test_a_name_that_ends_with_gz_is_compressed_and_the_same_each_time(tmp_path):
    recording = new_recording()
    append(recording, 100)
    to_chrome(recording, tmp_path / "a.json")
    to_chrome(recording, tmp_path / "b.json.gz")
    to_chrome(recording, tmp_path / "c.json.gz")
    packed = (tmp_path / "b.json.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.json").read_bytes()
    assert packed == (tmp_path / "c.json.gz").read_bytes()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_long_recording_is_written_in_small_pieces():
    class Pieces(io.RawIOBase):
        largest = total = 0

        def write(self, data: Any) -> int:
            self.largest = max(self.largest, len(data))
            self.total += len(data)
            return len(data)

    recording = new_recording()
    for _ in range(10):
        append(recording, 10_000)
    seen: list[tuple[int, int]] = []
    pieces = Pieces()
    write_chrome(recording, pieces, lambda done, of: seen.append((done, of)))
    assert pieces.total > 10_000_000
    assert pieces.largest < 2_000_000
    assert seen[-1] == (100_000, 100_000)
    assert len(seen) >= 6


def test_a_run_on_a_real_cluster_becomes_a_trace(client, tmp_path):
    with daskscope.record(client) as recording:
        parts = client.map(lambda i: bytes(200_000 + i), range(40), pure=False)
        client.submit(lambda *all_parts: len(all_parts), *parts).result()
        with pytest.raises(ZeroDivisionError):
            client.submit(lambda: 1 / 0).result()
    path = tmp_path / "run.trace.json"
    counts = to_chrome(opened(recording.save(tmp_path / "run.daskscope")), path)
    trace = checked(path.read_bytes())
    assert counts.rows == len(slices(trace)) == recording.counts.rows
    assert counts.left_out == 0
    assert slices(trace, "transfer")
    assert len(slices(trace, "compute,error")) == 1
