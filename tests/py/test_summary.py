"""The figures of a run: against the same figures computed in the plainest way."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from properties import examples
from recording_rows import (
    START,
    append,
    append_cluster,
    append_metrics,
    gap,
    log_line,
    logged_event,
    make_rows,
    new_recording,
    task_error,
    worker_change,
)

from daskscope.collect.notices import notice
from daskscope.derive.findings import errors_by_type, package_versions, split_exception
from daskscope.derive.summary import MAX_PREFIXES, summary
from daskscope.derive.work import ClusterTotals, work
from daskscope.loading import opened
from daskscope.recording import (
    RecordingStore,
    pack_keys,
)
from daskscope.report.redact import redacted
from daskscope.report.static_page import body

EXCEPTIONS = Path(__file__).parents[1] / "contract" / "words" / "exceptions.json"
WORKERS = ("tcp://10.0.0.1:0", "tcp://10.0.0.1:1")


def with_block(recording: RecordingStore, seconds: float = 10.0, **facts: Any) -> RecordingStore:
    """A recording of a block that began at START."""
    recording.about_facts = {"start": START, "stop": START + seconds, **facts}
    return recording


def rows_at(times: list[tuple[float, float]], **columns: Any) -> dict[str, Any]:
    """Columns of one task for each (start, duration), from START on."""
    rows = make_rows(len(times))
    rows["start"] = np.array([START + start for start, _ in times])
    rows["duration"] = np.array([duration for _, duration in times], "f4")
    for name, values in columns.items():
        rows[name][:] = values
    return rows


def recording_of(times: list[tuple[float, float]], **columns: Any) -> RecordingStore:
    recording = new_recording()
    rows = rows_at(times, **columns)
    recording.append_tasks(len(times), rows, pack_keys(0, [""] * len(times)).data)
    return recording


def present(recording: RecordingStore, threads: int = 2) -> RecordingStore:
    recording.note_present(dict.fromkeys(WORKERS, threads), START)
    return recording


def thread_time(recording: RecordingStore, start: float, stop: float) -> ClusterTotals:
    found = ClusterTotals(recording)
    found.advance(start, stop)
    return found


def codes(figures: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in figures["needs_a_look"]]


def finding(figures: dict[str, Any], code: str) -> dict[str, Any]:
    return next(one for one in figures["needs_a_look"] if one["code"] == code)


def test_an_empty_recording_has_a_summary_of_nothing():
    figures = summary(RecordingStore())
    json.dumps(figures, allow_nan=False)
    assert figures["busy"] is figures["memory"] is figures["cost"] is None
    assert codes(figures) == ["nothing"]


def test_only_compute_seconds_inside_the_block_are_busy():
    recording = recording_of(
        [(-1, 2), (3, 2), (9, 4), (5, 1), (6, -1)], action=[0, 0, 0, 1, 0], prefix=0
    )
    figures = summary(with_block(present(recording)))
    assert figures["busy"] == {
        "threads": 4,
        "thread_seconds": 40,
        "busy_seconds": pytest.approx(1 + 2 + 1),
        "percent": pytest.approx(10),
    }


def test_threads_follow_workers_that_come_and_go():
    recording = present(RecordingStore(), threads=2)
    recording.log("workers").append(
        [
            worker_change(START + 2, "tcp://w:9", "added", "8 threads"),
            worker_change(START + 3, "tcp://w:9", "paused", "was running"),
            worker_change(START + 7, "tcp://w:9", "removed", ""),
            worker_change(START + 8, WORKERS[0], "removed", ""),
        ]
    )
    found = thread_time(recording, START, START + 10)
    assert (found.threads, found.seconds) == (12, 2 * 4 + 5 * 12 + 1 * 4 + 2 * 2)


def test_samples_of_the_cluster_correct_what_changes_missed():
    recording = present(RecordingStore(), threads=2)
    recording.log("workers").append([worker_change(START + 6, "tcp://w:9", "added", "1 thread")])
    append_cluster(recording, sample(START + 4, threads=10))
    found = thread_time(recording, START, START + 10)
    assert (found.threads, found.seconds) == (11, 4 * 4 + 2 * 10 + 4 * 11)


kinds = st.sampled_from(["added", "removed", "sample"])
steps = st.lists(st.tuples(st.integers(-5, 15), kinds, st.integers(0, 5)))


@examples(100)
@given(steps)
def test_threads_are_those_after_each_step(given_steps):
    recording = present(RecordingStore(), threads=1)
    alive, level, since, total, most = dict.fromkeys(WORKERS, 1), 2, 0, 0, 0
    # At one time workers come and go before a sample is taken.
    in_order = sorted(given_steps, key=lambda step: (step[0], step[1] == "sample"))
    for at, what, n in [*in_order, (10, "end", 0)]:
        worker, until = f"tcp://w:{n}", min(max(at, since), 10)
        if until > since:
            total, most, since = total + level * (until - since), max(most, level), until
        if what == "sample":
            level = n
            append_cluster(recording, sample(START + at, threads=n))
        elif what != "end":
            change = worker_change(START + at, worker, what, f"{n} threads")
            recording.log("workers").append([change])
        if what == "removed":
            level = max(level - alive.pop(worker, 0), 0)
        elif what == "added" and worker not in alive:
            level += alive.setdefault(worker, n)
    found = thread_time(recording, START, START + 10)
    assert (found.threads, found.seconds) == (most, total)


def test_totals_of_the_cluster_that_follow_a_recording_are_those_of_a_look_at_all():
    recording = present(RecordingStore(), threads=1)
    totals = ClusterTotals(recording)
    for second in range(20):
        change = worker_change(START + second + 0.25, "tcp://w:9", "added", "3 threads")
        spilled = worker_change(START + second + 0.75, f"tcp://w:{second}", "spilling", "")
        recording.log("workers").append([change, spilled])
        append_cluster(
            recording,
            sample(START + second + 0.5, threads=second % 7, process=100 - second, spilled=second),
        )
        totals.advance(START, START + second + 1)
    whole = thread_time(recording, START, START + 20)
    assert totals.seconds == pytest.approx(whole.seconds)
    for name in ("threads", "peak", "peak_time", "spilled", "spilling", "spill_times", "most"):
        assert getattr(totals, name) == getattr(whole, name)


def test_threads_are_those_that_the_end_knows_of_where_nothing_else_is_known():
    recording = with_block(
        RecordingStore(), workers=[{"threads": 3}, {"threads": 5}, {"threads": "x"}]
    )
    found = thread_time(recording, START, START + 10)
    assert (found.threads, found.seconds) == (8, 80)
    assert thread_time(RecordingStore(), 0, 1).seconds == 0


def sample(at: float, *, threads: int = 4, process: int = 0, spilled: int = 0) -> tuple[float, ...]:
    return (at, 2, threads, 1000, process, 0, spilled)


durations = st.floats(-1, 0) | st.floats(0.001, 40)
times = st.lists(st.tuples(st.floats(-5, 105), durations), min_size=1, max_size=40)


@examples(200)
@given(times, st.integers(0, 3))
def test_idle_times_are_those_in_which_nobody_computes(rows, chunks):
    recording = new_recording()
    for part in np.array_split(np.array(rows), chunks + 1):
        columns = rows_at([(a, b) for a, b in part])
        recording.append_tasks(len(part), columns, pack_keys(0, [""] * len(part)).data)
        recording._store.seal()
    idle = work(recording, START, START + 100).idle
    # Chosen so that no gap is just as long.
    longer = 5.00137
    found = [(a - START, b - START) for a, b in idle if b - a > longer]
    expected = [(a, b) for a, b in idle_times(rows, 100) if b - a > longer]
    assert found == [pytest.approx(gap, rel=0, abs=1e-5) for gap in expected]


def idle_times(rows, end: float) -> list[tuple[float, float]]:
    """The times between 0 and `end` that no row covers, found one after the other."""
    gaps, reached = [], 0.0
    computed = sorted((a, a + np.float32(duration)) for a, duration in rows if duration > 0)
    for start, stop in [*computed, (end, end)]:
        if min(start, end) > reached:
            gaps.append((reached, min(start, end)))
        reached = max(reached, stop)
    return gaps


def test_idle_threads_deserve_a_look_with_their_time():
    recording = recording_of([(0, 3), (4.2, 5.8)])
    figures = summary(with_block(present(recording)))
    idle = finding(figures, "idle")
    assert idle["title"] == "1.20 s with idle threads"
    assert idle["text"] == "No thread computed from 3.00 s to 4.20 s"
    assert idle["time"] == pytest.approx([START + 3, START + 4.2], rel=0, abs=1e-6)
    assert codes(summary(with_block(present(recording_of([(0, 4.9), (5.2, 4.8)]))))) == []


def test_a_time_in_which_tasks_may_have_run_unseen_is_not_told_as_idle():
    recording = present(recording_of([(0, 1), (9, 1), (19, 1)], action=0, prefix=0))
    recording.log("gaps").append([gap(START + 4, START + 7, "agent-left", "The agent was gone.")])
    figures = summary(with_block(recording, 20))
    looked = [one for one in figures["needs_a_look"] if one["code"] in ("gap", "idle")]
    assert [one["time"] for one in looked] == [
        [START + 4, START + 7],
        [pytest.approx(START + 10), pytest.approx(START + 19)],
    ]


def test_seconds_by_prefix_and_action_agree_with_the_frame():
    recording = new_recording(memory_limit=4_000_000)
    for i in range(10):
        append(recording, 3_000, rows_each=3, start=START + i)
    figures = summary(recording)
    frame = recording.tasks
    expected = frame.groupby(["prefix", "action"], observed=True)["duration"].sum()
    found = {(o["prefix"], o["action"]): o["seconds"] for o in figures["by_prefix_action"]}
    assert found == {pair: pytest.approx(s) for pair, s in expected.items()}
    assert {one["name"]: one["tasks"] for one in figures["prefixes"]} == {
        "inc": 15_000,
        "sum": 15_000,
    }
    assert sum(one["rows"] for one in figures["actions"]) == len(frame)
    assert figures["transfers"]["rows"] == (frame["action"] == "transfer").sum()


def test_many_prefixes_are_put_together_without_losing_tasks():
    count = MAX_PREFIXES + 50
    recording = new_recording(prefixes=[f"p{i}" for i in range(count)])
    rows = make_rows(count)
    rows["prefix"] = np.arange(count, dtype="u2")
    recording.append_tasks(count, rows, pack_keys(0, [""] * count).data)
    figures = summary(recording)
    assert len(figures["prefixes"]) == MAX_PREFIXES + 1
    assert figures["prefixes"][-1]["name"] == "(other)"
    assert sum(one["tasks"] for one in figures["prefixes"]) == count
    listed = {one["prefix"] for one in figures["by_prefix_action"]}
    assert listed == {one["name"] for one in figures["prefixes"]}


def test_the_time_of_a_recording_without_a_block_is_that_of_its_rows():
    recording = recording_of([(2, 1), (5, 3), (float("nan"), 1)])
    figures = summary(recording)
    assert (figures["start"], figures["stop"]) == (START + 2, START + 8)


def test_that_nothing_ran_deserves_a_look_unless_an_exception_says_why():
    looked = finding(summary(with_block(new_recording())), "nothing")
    assert ".compute()" in looked["text"]
    assert "nothing" not in codes(summary(with_block(recording_of([(0, 1)]))))
    assert "nothing" not in codes(summary(with_block(new_recording(), whole=False)))
    raised = {"type": "NameError", "text": "x", "traceback": ""}
    assert codes(summary(with_block(new_recording(), exception=raised))) == ["exception"]


@pytest.mark.parametrize(
    "notice",
    [
        notice("reading-refused", address="tcp://10.0.0.1:8786", op="eventstream"),
        notice("scheduler-lost", address="tcp://10.0.0.1:8786", error="gone"),
        notice("collect-failed", address="tcp://10.0.0.1:8786", error="what is that?"),
    ],
    ids=lambda notice: notice.code,
)
def test_that_nothing_ran_is_not_said_where_nothing_could_be_read(notice):
    recording = with_block(new_recording(), missing=[notice.to_json()])
    assert codes(summary(recording)) == []
    recording.about_facts["missing"] = [{**notice.to_json(), "code": "not-asked"}]
    assert codes(summary(recording)) == ["nothing"]


def test_errors_are_told_by_type():
    recording = present(append_errors(new_recording(), ["ValueError('no')"] * 3 + ["KeyError(1)"]))
    recording.name_workers({WORKERS[0]: "1"})
    assert list(errors_by_type(recording)) == ["ValueError", "KeyError"]
    figures = summary(with_block(recording))
    assert figures["errors"] == {
        "count": 4,
        "kept": 4,
        "types": [["ValueError", 3], ["KeyError", 1]],
    }
    first = finding(figures, "errors")
    assert first["level"] == "error"
    assert first["title"] == "ValueError in sum"
    assert first["text"] == "3 tasks on worker-1: no"
    assert first["tab"] == "events"
    assert first["time"] == [START, START + 2]


def test_of_errors_that_say_different_things_the_first_is_told_as_such():
    texts = ["ValueError('no calibration for frame 5')", "ValueError('none for frame 42')"]
    told = finding(summary(with_block(append_errors(new_recording(), texts))), "errors")
    assert told["text"].startswith("2 tasks")
    assert told["text"].endswith("; the first: no calibration for frame 5")


def test_errors_of_which_the_newest_are_kept_are_told_as_such():
    texts = ["KeyError(1)"] * 1_500 + ["ValueError('no')"] * 1_100
    recording = present(append_errors(new_recording(), texts))
    figures = summary(with_block(recording))
    assert figures["errors"] == {"count": 2_600, "kept": 1_000, "types": [["ValueError", 1_000]]}
    told = finding(figures, "errors")
    assert told["text"].startswith("1,000 tasks of the newest 1,000 errors on ")
    (missing,) = figures["missing"]
    assert missing["code"] == "errors-dropped"
    assert "newest 1,000 of 2,600 exceptions" in missing["text"]
    assert "newest 1,000: ValueError" in body(figures)


def test_of_further_types_it_is_told_of_how_many_errors_they_are():
    recording = append_errors(new_recording(), [f"Error{i}('x')" for i in range(9)])
    recording.log("errors").count_dropped(3)
    figures = summary(with_block(recording))
    title = "4 further types of errors, of the newest 9 errors"
    assert figures["needs_a_look"][-1]["title"] == title


def test_that_nothing_is_known_of_what_tasks_raised_is_told():
    figures = summary(with_block(recording_of([(0, 1), (1, 1)], status=1)))
    (missing,) = figures["missing"]
    assert missing["code"] == "errors-dropped"


@pytest.mark.all
def test_what_the_bounds_of_small_tables_cost_is_told_and_stays_so_in_files(tmp_path):
    recording = with_block(new_recording())
    recording.log("events").append([logged_event(START, "mine", "{}")] * 5_000)
    recording.log("logs").append([log_line(START, "scheduler", "INFO", "x" * 400)] * 30_000)
    recording.log("workers").append([worker_change(START, WORKERS[0], "paused", "")] * 10_001)
    kept = len(recording.logs)
    told = {one["code"]: one["text"] for one in summary(recording)["missing"]}
    assert list(told) == ["workers-dropped", "events-dropped", "logs-dropped"]
    assert told["events-dropped"].startswith("3,000 events were dropped")
    assert told["logs-dropped"].startswith(f"{30_000 - kept:,} lines of logs were dropped")
    assert told["workers-dropped"].startswith("1 change of a worker was dropped")
    loaded = opened(recording.save(tmp_path / "run.daskscope"))
    for other in (loaded, redacted(loaded, ["paths"])):
        assert {one["code"]: one["text"] for one in summary(other)["missing"]} == told


def test_a_killed_worker_is_told_by_its_name():
    text = "KilledWorker: 3 workers went away while they ran this task"
    figures = summary(with_block(append_errors(present(new_recording()), [text])))
    assert figures["errors"]["types"] == [["KilledWorker", 1]]
    told = finding(figures, "errors")
    assert told["title"] == "KilledWorker in sum"
    assert told["text"].startswith("1 task on ")
    assert told["text"].endswith(": 3 workers went away while they ran this task")


@pytest.mark.parametrize(("text", "kind", "message"), json.loads(EXCEPTIONS.read_text("utf-8")))
def test_an_exception_is_taken_apart_as_on_a_page(text, kind, message):
    assert split_exception(text) == (kind, message)


def append_errors(recording: RecordingStore, exceptions: list[str]) -> RecordingStore:
    recording.log("errors").append(
        [
            task_error(i, f"key-{i}", 1, WORKERS[0], START + i, text, "Traceback …")
            for i, text in enumerate(exceptions)
        ]
    )
    return recording


def test_further_types_of_errors_are_counted():
    recording = append_errors(new_recording(), [f"Error{i}('x')" for i in range(9)])
    figures = summary(with_block(recording))
    assert codes(figures) == ["errors"] * 6
    assert figures["needs_a_look"][-1]["title"] == "4 further types of errors"
    json.dumps(figures, allow_nan=False)


def test_the_exception_of_the_block_comes_first():
    failed = {"type": "ValueError", "text": "no\nreally", "traceback": "Traceback …"}
    figures = summary(with_block(new_recording(), exception=failed))
    assert figures["exception"] == failed
    assert figures["needs_a_look"][0]["title"] == "ValueError ended the block"
    assert figures["needs_a_look"][0]["text"] == "no really"


def test_memory_and_spilling():
    recording = present(new_recording())
    recording.name_workers({WORKERS[1]: "2"})
    append_cluster(
        recording, sample(START + 1, process=300), sample(START + 2, process=900, spilled=2**30)
    )
    recording.log("workers").append(
        [
            worker_change(START + 2, WORKERS[1], "spilling", ""),
            worker_change(START + 3, WORKERS[1], "not-spilling", ""),
        ]
    )
    figures = summary(with_block(recording))
    assert figures["memory"] == {"peak": 900, "peak_time": START + 2, "limit": 1000}
    assert figures["spilled"] == {"peak": 2**30, "workers": ["worker-2"]}
    look = finding(figures, "spilling")
    assert look["title"] == "worker-2 spilled up to 1.00 GiB"
    assert look["time"] == [START + 2, START + 3]


def test_a_block_too_short_for_a_sample_has_the_memory_of_its_end():
    worker = {"address": WORKERS[0], "process": 70, "spilled": 5, "memory_limit": 100, "host": "a"}
    figures = summary(with_block(new_recording(), workers=[worker]))
    assert figures["memory"] == {"peak": 70, "peak_time": START + 10, "limit": 100}
    assert figures["spilled"] == {"peak": 5, "workers": ["10.0.0.1:0"]}
    assert figures["cluster_facts"]["hosts"] == 1


def test_much_execution_besides_computing_deserves_a_look_live_and_stored():
    recording = with_block(present(recording_of([(0, 8)], action=0, prefix=0)))
    totals = ClusterTotals(recording)

    def found() -> dict[str, Any]:
        stored, live = summary(recording), summary(recording, live=totals)
        looks = {one["code"]: one for one in stored["needs_a_look"] if one["code"] != "idle"}
        assert looks == {one["code"]: one for one in live["needs_a_look"]}
        return looks

    append_metrics(recording, ("inc", "thread-cpu", 8.0), ("inc", "disk-read", 0.8))
    assert found() == {}  # below 10 %
    append_metrics(recording, ("inc", "disk-write", 3.0), ("sum", "disk-read", 0.2))
    append_metrics(recording, ("inc", "executor", 0.7), ("inc", "serialize", 0.03))
    (look,) = found().values()
    assert (look["code"], look["tab"]) == ("disk-time", "fine-metrics")
    assert look["title"].startswith("32 % of execution")
    assert look["text"].startswith("Disk write 3.0 s, disk read 1.0 s, of 12.7 s.")
    append_metrics(recording, ("inc", "other", 1.3))
    assert [*found()] == ["disk-time", "passing-tasks"]


def test_shares_of_execution_are_unknown_if_metrics_cover_only_a_part():
    recording = with_block(present(recording_of([(0, 8)], action=0, prefix=0)))
    append_metrics(recording, ("inc", "thread-cpu", 7.0), ("inc", "disk-read", 3.0))
    assert codes(summary(recording, live=ClusterTotals(recording))) == []
    append_metrics(recording, ("inc", "thread-noncpu", 0.5))
    assert codes(summary(recording, live=ClusterTotals(recording))) == ["disk-time"]


def test_cost_is_said_only_where_a_price_is_set():
    recording = with_block(present(new_recording()), seconds=1800)
    assert summary(recording)["cost"] is None
    assert summary(recording, price_per_thread_hour=0.06, currency="€")["cost"] == {
        "amount": pytest.approx(0.12),
        "per_hour": 0.06,
        "unit": "€",
        "thread_hours": pytest.approx(2),
    }


def test_what_was_lost_is_told():
    recording = new_recording()
    append(recording, 10)
    recording.drop_from_agent(5)
    recording.skip_tasks(7)
    recording.log("gaps").append(
        [gap(START + 1, START + 4, "scheduler-restarted", "The scheduler restarted.")]
    )
    rows = make_rows(1)
    rows["duration"][:] = -3
    recording.append_tasks(1, rows, pack_keys(0, ["a"]).data)
    figures = summary(with_block(recording))
    assert codes(figures)[:3] == ["dropped", "gap", "clocks"]
    assert "12 of 23 tasks" in finding(figures, "dropped")["title"]
    assert "5 tasks" in finding(figures, "dropped")["text"]
    assert "daskscope.agent.memory-limit" in finding(figures, "dropped")["text"]
    assert finding(figures, "gap")["time"] == [START + 1, START + 4]
    assert "1 row" in finding(figures, "clocks")["text"]


def test_tasks_that_no_disk_took_were_not_dropped_by_a_bound(tmp_path):
    (tmp_path / "file").touch()
    recording = new_recording(memory_limit=4_000_000, directory=str(tmp_path / "file"))
    for _ in range(100):
        append(recording, 5_000)
    text = finding(summary(recording), "dropped")["text"]
    assert recording.spill_error[:60] in text  # long paths are cut
    assert "daskscope.recording.directory" in text
    assert "memory-limit" not in text

    again = new_recording()  # as a block notes it, for its file
    again.skip_tasks(7)
    again.about_facts["spill_error"] = "No space left on device"
    assert "No space left on device" in finding(summary(again), "dropped")["text"]


def versions(client: str, scheduler: str, **workers: str) -> dict[str, Any]:
    return {
        "client": {"packages": {"pandas": client, "dask": "2026.8.0"}},
        "scheduler": {"packages": {"pandas": scheduler, "dask": "2026.8.0"}},
        "workers": {
            address: {"packages": {"pandas": version, "dask": "2026.8.0"}}
            for address, version in workers.items()
        },
    }


def test_versions_differ_as_dask_judges_them():
    """The scheduler never uses pandas, but dask it does."""
    same = package_versions(versions("2.3.3", "2.0.0", w1="2.3.3"))
    assert [(one.package, one.differs) for one in same] == [("dask", False), ("pandas", False)]
    assert package_versions(versions("2.3.3", "2.3.3", w1="2.3.1"))[1].differs
    facts = versions("1", "1", w1="1")
    facts["scheduler"]["packages"]["dask"] = "2025.1.0"
    assert package_versions(facts)[0].differs


def test_the_same_packages_differ_as_in_dasks_own_message():
    from distributed.versions import error_message, get_versions

    client, scheduler, worker = get_versions(), get_versions(), get_versions()
    worker["packages"] = worker["packages"] | {"numpy": "0.1", "msgpack": "0.2", "lz4": None}
    scheduler["packages"] = scheduler["packages"] | {"msgpack": "0.3", "tornado": "0.4"}
    message = error_message(scheduler, {"w": worker}, client)["warning"]
    found = package_versions({"client": client, "scheduler": scheduler, "workers": {"w": worker}})
    by_dask = [line.split("|")[1].strip() for line in message.splitlines() if line.startswith("|")]
    assert sorted(one.package for one in found if one.differs) == sorted(by_dask[1:])


def test_a_mismatch_says_who_has_what():
    recording = new_recording()
    recording.name_workers({"w3": "3"})
    facts = versions("2.3.3", "2.3.3", w1="2.3.3", w2="2.3.3", w3="2.3.1")
    figures = summary(with_block(recording, versions=facts))
    look = finding(figures, "versions")
    assert look["title"] == "pandas differs"
    assert look["text"] == "2.3.1 on worker-3, 2.3.3 elsewhere"
    pandas = next(one for one in figures["versions"] if one["package"] == "pandas")
    assert pandas == {
        "package": "pandas",
        "client": "2.3.3",
        "scheduler": "2.3.3",
        "workers": ["2.3.1", "2.3.3"],
        "differs": True,
    }


def test_a_million_tasks_are_summed_up():
    recording = new_recording(lanes=16)
    present(recording)
    for i in range(20):
        append(recording, 50_000, key="k", rows_each=2, lanes=16, start=START + i * 31.25)
    recording.log("events").append([logged_event(START, "mine", "{}")])
    with_block(recording, seconds=625)
    assert summary(recording)["tasks"]["captured"] == 1_000_000


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["code", "level", "packages", "address", "host", "threads", "client"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
KNOWN = (
    "start",
    "stop",
    "title",
    "workers",
    "versions",
    "missing",
    "exception",
    "redacted",
    "code",
)


@examples(200)
@given(st.dictionaries(st.sampled_from(KNOWN), anything))
def test_facts_that_somebody_made_up_harm_nothing(facts):
    recording = new_recording()
    append(recording, 5)
    recording.about_facts = facts
    json.dumps(summary(recording), allow_nan=False)


@examples(100)
@given(st.lists(st.tuples(st.floats(), st.floats(width=32)), min_size=1, max_size=10))
@example([(math.inf, -math.inf)])
def test_times_that_are_nonsense_harm_nothing(rows):
    recording = new_recording()
    columns = make_rows(len(rows))
    columns["start"] = np.array([start for start, _ in rows])
    columns["duration"] = np.array([duration for _, duration in rows], "f4")
    recording.append_tasks(len(rows), columns, pack_keys(0, [""] * len(rows)).data)
    json.dumps(summary(recording), allow_nan=False)
