"""Fine Performance Metrics: increments, what is spread where, states, spans, and fine_metrics()."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from clusters import WITHOUT_DASHBOARD, eventually, live
from distributed import Client, LocalCluster, get_worker, span, wait
from distributed.metrics import context_meter
from distributed.scheduler import SourceCode
from recording_rows import START, make_rows, new_recording
from test_agent import installed

import daskscope
from daskscope.agent.metrics import MAX_TOTALS, MetricSamples, Spans, TaskStates, describe_metric
from daskscope.agent.packing import Interned, describe_name
from daskscope.collect.intake import _unpacked
from daskscope.collect.metrics import MetricRows, _steps
from daskscope.errors import DaskscopeError
from daskscope.recording import Recording, pack_keys
from daskscope.recording.names import Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from daskscope import Session

NAN = float("nan")


# -- the agent -------------------------------------------------------------------


class FakeScheduler:
    """As much of a scheduler as metrics need, with spans that heartbeats fill."""

    def __init__(self) -> None:
        self.id = "Scheduler-1"
        self.cumulative_worker_metrics: dict[Any, Any] = defaultdict(int)
        self.workers: dict[str, Any] = {}
        self.task_prefixes: dict[str, Any] = {}
        self.transition_counter = 0
        self.extensions: dict[str, Any] = {"spans": SimpleNamespace(spans={})}

    def beat(self, key: Any, value: Any, span_id: str | None = None) -> None:
        self.cumulative_worker_metrics[key] += value
        if span_id is not None:
            spans = self.extensions["spans"].spans
            one = spans.setdefault(span_id, a_span(span_id))
            one._cumulative_worker_metrics[key] += value


def a_span(span_id: str, name: tuple[str, ...] = ("load",)) -> Any:
    return SimpleNamespace(
        id=span_id,
        name=name,
        parent=None,
        enqueued=1.0,
        groups=set(),
        _code={},
        _cumulative_worker_metrics=defaultdict(int),
    )


class Reader:
    """An agent's metrics and the recording that reads them."""

    def __init__(self, scheduler: FakeScheduler | None = None) -> None:
        self.scheduler = scheduler or FakeScheduler()
        self.recording = new_recording(prefixes=())
        self.rows = MetricRows(self.recording)
        self.new_agent()

    def new_agent(self) -> None:
        self.spans = Spans(lambda one: [one or "", *(["load"] if one else [])])
        self.samples = MetricSamples(self.spans)
        self.samples.start(self.scheduler, START)
        self.states = TaskStates(Interned(describe_name), Interned(describe_name, first=[""]))
        self.rows.follow_agent()
        self.places = Places(self.recording.names)

    def read(self, now: float) -> dict[str, Any]:
        cursors, samples = self.rows.cursors, self.samples
        samples.sample(self.scheduler, now, settle=cursors is None)
        row, state, key, changed = cursors or (samples.rows.next, 0, 0, 0)
        totals = samples.all_totals(self.scheduler) if cursors is None else None
        found = {
            "scheduler": self.scheduler.id,
            "totals": totals and (0, _unpacked(totals)),
            "keys": samples.keys.described[key:],
            "spans": samples.spans_since(self.scheduler, changed),
            "workers": [[0, ""]],
        }
        for name, rows, at in ("metrics", samples.rows, row), ("states", self.states.rows, state):
            since = rows.since(at)
            found[name] = (since["first"], _unpacked(since))
        for described in self.spans.described[self.places.counts()["spans"] :]:
            self.places.add("spans", (described[0], tuple(described[1:])))
        self.rows.take(found, self.places, now)
        return found

    def tasks(self, *intervals: tuple[float, float], prefix: str = "inc", span: int = 0) -> None:
        """Note tasks that computed from … to, in seconds after START."""
        start, stop = np.array(intervals).T + START
        full = lambda value, kind: np.full(len(start), value, kind)  # noqa: E731
        number = self.recording.names.intern("prefixes", prefix)
        self.rows.note_tasks(
            {
                "start": start,
                "duration": (stop - start).astype("f4"),
                "action": full(0, "u1"),
                "prefix": full(number, "u2"),
                "span": full(span, "u2"),
            }
        )

    def sum(self, since: float = -np.inf, until: float = np.inf) -> float:
        """Everything between two times in seconds after START."""
        window = self.recording.series("metrics").window(since + START, until + START)
        return float(window["value"].sum())


def execute(activity: Any = "thread-cpu", prefix: str = "inc", unit: str = "seconds") -> Any:
    return ("execute", prefix, activity, unit)


@pytest.mark.parametrize(
    ("key", "described"),
    [
        (execute(), ["execute", "inc", "thread-cpu", "seconds"]),
        (execute(("<b>", 1)), ["execute", "inc", "('<b>', 1)", "seconds"]),
        (("gather-dep", "network", "bytes"), ["gather-dep", "", "network", "bytes"]),
        (("get-data", "a", 2, "count"), ["get-data", "", "a, 2", "count"]),
        (("p2p", "foreground", "merge", "seconds"), ["p2p-foreground", "", "merge", "seconds"]),
        ("latency", ["latency", "", "", ""]),
        (("mine",), ["mine", "", "", ""]),
        (("mine", "B"), ["mine", "", "", "B"]),
        (7, ["7", "", "", ""]),
        ((), ["()", "", "", ""]),
        (execute("\ud800"), ["execute", "inc", "\ufffd", "seconds"]),
    ],
)
def test_a_key_is_read_from_both_ends(key: Any, described: list[str]) -> None:
    assert describe_metric(key) == described


def test_what_cannot_be_made_text_has_the_name_of_its_class() -> None:
    class Mute:
        def __str__(self) -> str:
            raise ValueError

    assert describe_metric(execute(Mute()))[2] == "(Mute)"


def test_totals_of_before_and_increments_add_up_to_the_scheduler() -> None:
    scheduler = FakeScheduler()
    scheduler.beat(execute(), 5.0, "a")
    scheduler.beat("latency", 2)
    reader = Reader(scheduler)
    reader.read(START)
    assert reader.sum() == 7
    assert reader.sum(-100) == 0  # ranges never include what was before
    scheduler.beat(execute(), 1.5, "a")
    scheduler.beat(("get-data", "network", "seconds"), 0.25)
    reader.spans.add("a")
    reader.read(START + 1)
    assert reader.sum() == sum(scheduler.cumulative_worker_metrics.values())
    assert reader.sum(-100) == 1.75
    before = reader.recording.series("metrics").before
    assert sorted(before["value"]) == [2, 5]


def test_a_span_that_no_packed_task_was_in_is_found_by_the_self_check() -> None:
    scheduler = FakeScheduler()
    for number in range(20):
        scheduler.beat(execute(), 1.0, f"span-{number}")
    reader = Reader(scheduler)
    reader.read(START)
    reader.scheduler.beat(execute(), 3.0, "span-7")
    reader.read(START + 1)
    rows = reader.samples.rows.columns
    spans = [reader.spans.described[place][0] for place in rows[3]]
    assert [*zip(spans, rows[4], strict=True)] == [("span-7", 3.0)]
    assert not reader.samples.rest


def test_what_no_span_has_waits_for_the_next_sweep_and_then_has_no_span() -> None:
    scheduler = FakeScheduler()
    scheduler.beat(execute(), 1.0, "a")
    reader = Reader(scheduler)
    reader.read(START)
    for second in range(1, 4):
        reader.scheduler.beat(execute(), 1.0)
        reader.read(START + second)
    assert reader.sum() == 2  # the first sweep found nothing, so the next one is in 10 s
    reader.read(START + 20)
    assert reader.sum() == 4
    assert {*reader.samples.rows.columns[3]} == {0}


def test_nothing_is_read_of_spans_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = FakeScheduler()
    scheduler.beat(execute(), 1.0, "a")
    reader = Reader(scheduler)
    reader.read(START)
    monkeypatch.setattr(reader.samples, "read_span", None)
    reader.spans.add("a")
    reader.read(START + 1)
    assert reader.samples.rows.next == 0


def test_rounding_of_large_sums_is_no_row_without_a_span() -> None:
    reader = Reader()
    names = [f"span-{number}" for number in range(7)]
    for name in names:
        reader.scheduler.beat(execute("mine", unit="bytes"), 1.1e12, name)
    reader.read(START)
    for second in range(1, 30):
        for name in names:
            reader.scheduler.beat(execute("mine", unit="bytes"), 0.1, name)
            reader.spans.add(name)
        reader.samples.sweep_at = 0
        reader.read(START + second)
    assert 0 not in reader.samples.rows.columns[3]
    assert reader.rows.unreadable == 0
    reader.new_agent()
    reader.read(START + 31)
    assert (reader.recording.series("metrics").before["value"] > 1).all()


def test_totals_that_somebody_emptied_begin_anew() -> None:
    reader = Reader()
    reader.scheduler.beat(execute("before"), 100.0, "a")
    reader.read(START)
    reader.scheduler.cumulative_worker_metrics.clear()
    for activity in "one", "two":
        reader.scheduler.beat(execute(activity), 1.0)
    reader.samples.sweep_at = 0
    reader.read(START + 1)
    assert reader.sum(-100) == 2


def test_a_span_that_is_gone_stops_nothing() -> None:
    reader = Reader()
    for name in "a", "b":
        reader.scheduler.beat(execute(), 1.0, name)
        reader.spans.add(name)
    reader.read(START)
    del reader.scheduler.extensions["spans"].spans["a"]
    reader.spans.add("b")
    reader.scheduler.beat(execute(), 2.0, "b")
    (row,) = reader.read(START + 0.5)["spans"]["items"]
    assert reader.spans.described[row["span"]][0] == "b"
    assert reader.sum(-100) == 2


def test_of_very_many_spans_the_newest_have_totals_and_none_is_missing_in_sum() -> None:
    scheduler = FakeScheduler()
    keys = [execute(f"activity-{number}") for number in range(50)]
    for number in range(MAX_TOTALS // 50 + 100):
        for key in keys:
            scheduler.beat(key, 1.0, f"span-{number}")
    reader = Reader(scheduler)
    reader.read(START)
    before = reader.recording.series("metrics").before
    assert len(before["value"]) <= MAX_TOTALS + 50
    assert before["value"].sum() == sum(scheduler.cumulative_worker_metrics.values())
    names = {reader.recording.names.spans[one][0] for one in before["span"].tolist()}
    assert names >= {"", f"span-{MAX_TOTALS // 50 + 99}"}
    assert "span-0" not in names


@pytest.mark.all
def test_of_10_000_prefixes_every_metric_is_told_apart_and_of_more_the_sum_is_right() -> None:
    reader = Reader()
    for number in range(10_000):
        for activity in ("thread-cpu", "thread-noncpu"):
            reader.scheduler.beat(execute(activity, f"f-{number}"), 0.5, "a")
    reader.read(START)
    assert reader.sum() == 10_000
    frame = Recording(reader.recording).fine_metrics(activity="thread-cpu")
    assert len(frame) == 10_000
    for number in range(40_000):
        reader.scheduler.beat(execute("thread-cpu", f"g-{number}"), 0.5, "a")
    reader.read(START + 1)
    assert reader.sum() == 30_000
    assert len(reader.samples.keys.described) <= 60_000
    merged = Recording(reader.recording).fine_metrics(prefix="(other)")
    assert merged["activity"].tolist() == ["thread-cpu"]


# -- what cannot be believed ------------------------------------------------------


@pytest.mark.parametrize("value", [NAN, -1.0, float("inf"), 1e300, 10**400, 1j])
def test_what_is_no_usable_value_is_left_out_and_counted(value: Any) -> None:
    reader = Reader()
    reader.read(START)
    reader.scheduler.beat(execute("mine"), value, "a")
    reader.scheduler.beat(execute(), 1.0, "a")
    reader.spans.add("a")
    reader.read(START + 1)
    assert reader.sum() == 1
    assert reader.rows.unreadable >= 1


@pytest.mark.parametrize("value", [NAN, float("inf"), 1e300])
def test_a_metric_whose_sum_is_spoilt_is_counted_once_and_named(value: float) -> None:
    reader = Reader()
    reader.read(START)
    reader.scheduler.beat(execute("mine", unit="apples"), value, "a")
    for second in range(1, 7):
        reader.scheduler.beat(execute("mine", unit="apples"), 1.0, "a")
        reader.scheduler.beat(execute(), 1.0, "a")
        reader.spans.add("a")
        reader.read(START + second)
    assert reader.sum() == 6
    assert reader.rows.unreadable == 1
    (notice,) = reader.rows.notices
    assert notice.code == "metrics-stopped"
    assert "mine (apples)" in notice.text
    reader.rows.follow_agent()
    assert reader.rows.notices == (notice,)


def test_a_new_scheduler_brings_no_negative_increments_and_totals_begin_anew() -> None:
    reader = Reader()
    reader.scheduler.beat(execute(), 100.0, "a")
    reader.read(START)
    reader.scheduler.beat(execute(), 10.0, "a")
    reader.read(START + 1)
    reader.scheduler = FakeScheduler()
    reader.scheduler.id = "Scheduler-2"
    reader.scheduler.beat(execute(), 3.0, "b")
    reader.new_agent()
    reader.read(START + 5)
    reader.scheduler.beat(execute(), 2.0, "b")
    reader.read(START + 6)
    assert reader.sum() == 115
    assert reader.sum(-100) == 12
    assert (reader.recording.series("metrics").rows()["value"] > 0).all()


def test_another_agent_on_the_same_scheduler_adds_what_was_missed_and_no_more() -> None:
    reader = Reader()
    reader.scheduler.beat(execute(), 100.0, "a")
    reader.read(START)
    reader.scheduler.beat(execute(), 10.0, "a")
    reader.read(START + 1)
    reader.scheduler.beat(execute(), 7.0, "a")  # while no agent was there
    reader.new_agent()
    reader.read(START + 5)
    assert reader.sum() == 117
    assert reader.sum(-100) == 10


# -- spread over tasks -------------------------------------------------------------


def test_metrics_that_arrive_after_the_end_of_a_range_are_in_it_exactly() -> None:
    reader = Reader()
    reader.read(START)
    reader.tasks((0.0, 10.0), (12.0, 16.0))
    reader.scheduler.beat(execute(), 14.0)
    reader.scheduler.beat(execute("rows", unit="rows"), 700.0)
    reader.samples.sweep_at = 0
    reader.read(START + 18)
    for since, until, expected in (0, 10, 10), (10, 12, 0), (12, 16, 4), (16, 20, 0), (11, 20, 4):
        assert reader.sum(since, until) == pytest.approx(expected * 714 / 14, abs=1e-3)


def test_increments_of_short_tasks_are_where_their_tasks_were() -> None:
    reader = Reader()
    reader.read(START)
    reader.tasks((3.0, 3.1), (3.2, 3.4))
    reader.scheduler.beat(execute(), 0.3)
    reader.samples.sweep_at = 0
    reader.read(START + 6)
    rows = reader.recording.series("metrics").rows()
    assert rows["time"] - START == pytest.approx([3.0])
    assert rows["duration"] == pytest.approx([0.4], abs=1e-3)


@pytest.mark.parametrize("length", [10.0, 600.0, 86_400.0])
def test_a_long_task_is_right_in_any_window_after_one_heartbeat(length: float) -> None:
    reader = Reader()
    reader.read(START)
    reader.tasks((0.5, 0.5 + length))
    reader.scheduler.beat(execute(), length)
    reader.scheduler.beat(execute("thread-noncpu"), 0.5 * length)
    reader.read(START + length + 1)
    assert reader.sum() == pytest.approx(1.5 * length)
    for since, until in (0, 0.5), (0.5, 0.5 + length / 3), (length / 2, length), (0, 2 * length):
        inside = max(min(until, 0.5 + length) - max(since, 0.5), 0)
        assert reader.sum(since, until) == pytest.approx(1.5 * inside, rel=0.02, abs=1e-6)


def test_short_tasks_of_the_same_function_do_not_take_the_place_of_a_long_one() -> None:
    reader = Reader()
    reader.read(START)
    reader.tasks((0.0, 60.0), (60.0, 60.2))  # the worker of the long one has not reported yet
    reader.scheduler.beat(execute(), 0.2)
    reader.read(START + 60.4)
    reader.tasks((60.3, 60.5))
    reader.scheduler.beat(execute(), 60.2)
    reader.read(START + 60.9)
    assert reader.sum(0, 30) == pytest.approx(30, rel=0.02)
    assert reader.sum(60, 61) < 1


@pytest.mark.parametrize("workers", [2, 10, 40])
def test_long_tasks_whose_workers_report_one_by_one_are_right_in_any_window(workers: int) -> None:
    reader = Reader()
    reader.read(START)
    reader.tasks(*[(0.0, 600.0)] * workers)
    for number, reported in enumerate((workers - 1, 1)):
        reader.scheduler.beat(execute(), 599.9 * reported)
        reader.samples.sweep_at = 0
        reader.read(START + 600.5 + number)
    for since, until in (0, 590), (200, 201), (590, 600), (0, 601):
        expected = workers * (min(until, 600) - since)
        assert reader.sum(since, until) == pytest.approx(expected, rel=0.02)
    reader.tasks((602.0, 602.4))
    reader.scheduler.beat(execute(), 0.4)
    reader.samples.sweep_at = 0
    reader.read(START + 603)
    assert reader.sum(601.9, 603) == pytest.approx(0.4)


def test_increments_without_tasks_are_in_the_time_since_the_last_reading() -> None:
    reader = Reader()
    reader.read(START)
    reader.read(START + 4)
    reader.scheduler.beat(("gather-dep", "network", "seconds"), 2.0)
    reader.scheduler.beat(execute(), 1.0)
    reader.read(START + 5)
    assert reader.sum(4, 5) == 3


def test_tasks_of_another_prefix_or_span_take_nothing() -> None:
    reader = Reader()
    reader.read(START)
    reader.tasks((-50.0, 0.5), prefix="other")
    reader.tasks((-50.0, 0.5), span=1)
    reader.scheduler.beat(execute(), 1.0)
    reader.read(START + 1)
    assert reader.sum(0, 1) == 1


def test_times_that_workers_made_up_are_no_place_for_increments() -> None:
    reader = Reader()
    reader.read(START)
    reader.tasks((NAN, 1.0), (1e200, 1e201), (-1e15, 0.5), (0.5, 0.1))
    reader.scheduler.beat(execute(), 1.0)
    reader.read(START + 1)
    assert reader.sum(0, 1) == 1


def test_overlapping_intervals_weigh_by_how_much_of_them_lies_in_a_step() -> None:
    start, stop = np.array([0.0, 0.0, 4.0]), np.array([4.0, 2.0, 5.0])
    time, duration, share = _steps(start, stop, stop - start)
    assert time.tolist() == [0, 1, 2, 3, 4]
    assert duration.tolist() == [1] * 5
    assert share * 7 == pytest.approx([2, 2, 1, 1, 1])


# -- states and spans ----------------------------------------------------------------


class Task:
    def __init__(self, prefix: str) -> None:
        self.prefix = SimpleNamespace(name=prefix)


def a_worker(*running: float, prefix: str = "inc", seen: float = START) -> Any:
    tasks = {Task(prefix): duration for duration in running}
    return SimpleNamespace(
        executing=tasks,
        processing=dict.fromkeys(tasks),
        last_seen=seen,
        has_what={},
        metrics={"task_counts": {"executing": len(tasks), "fetch": 2, "flight": 1}},
    )


def state_rows(states: TaskStates, first: int = 0) -> list[tuple[Any, ...]]:
    """Prefix or nothing, worker, processing, executing, fetching, memory, mean and first start."""
    _, prefix, worker, _, _, _, *counts = states.rows.columns
    prefixes = {2**16 - 1: "", **dict(enumerate(states.prefixes.described))}
    names = [prefixes[one] for one in prefix]
    workers = [states.addresses.described[one] for one in worker]
    rows = zip(names, workers, *counts, strict=True)
    return [*rows][first:]


@pytest.fixture
def states() -> TaskStates:
    return TaskStates(Interned(describe_name), Interned(describe_name, first=[""]))


def a_prefix(name: str, **counts: int) -> Any:
    return SimpleNamespace(name=name, groups=[name] * bool(counts), states=dict(counts))


def test_a_state_has_a_row_when_it_changed_and_a_last_one_when_it_is_gone(states) -> None:
    scheduler = FakeScheduler()
    scheduler.workers = {"w": a_worker(1.0, 3.0)}
    scheduler.task_prefixes = {"inc": a_prefix("inc", processing=2, memory=5)}
    states.sample(scheduler, START)
    starts = START - 2, START - 3
    assert state_rows(states) == [
        ("", "w", 2, 2, 3, 0, *starts),
        ("inc", "", 2, 2, 0, 5, *starts),
        ("", "", 2, 2, 3, 5, *starts),
    ]
    states.sample(scheduler, START + 1)
    assert len(state_rows(states)) == 3
    scheduler.task_prefixes["inc"] = a_prefix("inc")
    scheduler.transition_counter += 1
    states.sample(scheduler, START + 2)
    assert [row[:4] for row in state_rows(states, 3)] == [("", "", 0, 2), ("inc", "", 0, 0)]
    states.repeat()
    states.sample(scheduler, START + 3)
    assert [row[:2] for row in state_rows(states, 5)] == [("", "w"), ("", "")]


def test_the_earliest_start_tells_one_long_task_from_many_short_ones(states) -> None:
    scheduler = FakeScheduler()
    scheduler.workers = {"v": a_worker(60.0, prefix="long"), "w": a_worker(0.5, 1.0)}
    scheduler.task_prefixes = {
        "long": a_prefix("long", processing=1),
        "inc": a_prefix("inc", processing=2),
    }
    states.sample(scheduler, START)
    earliest = {row[:2]: START - row[-1] for row in state_rows(states)}
    assert earliest == {("", "v"): 60, ("", "w"): 1, ("long", ""): 60, ("inc", ""): 1, ("", ""): 60}
    scheduler.workers = {"v": a_worker(), "w": a_worker(0.5, 1.0)}
    states.sample(scheduler, START + 1)
    assert [START - row[-1] for row in state_rows(states, 5) if row[:2] == ("", "")] == [1]
    assert np.isnan([row[-1] for row in state_rows(states, 5) if row[0] == "long"]).all()


def test_prefixes_of_which_nothing_is_alive_cost_nothing(states) -> None:
    scheduler = FakeScheduler()
    for number in range(10_000):
        scheduler.task_prefixes[f"f-{number}"] = SimpleNamespace(name=f"f-{number}", groups=[])
    states.sample(scheduler, START)  # of these, states would be an AttributeError
    assert [row[:2] for row in state_rows(states)] == [("", "")]


def test_one_answer_has_a_bounded_part_of_very_many_spans_and_each_comes_once() -> None:
    scheduler = FakeScheduler()
    spans = scheduler.extensions["spans"].spans
    spans |= {str(number): a_span(str(number)) for number in range(12_000)}
    reader = Reader(scheduler)
    counts = []
    while items := reader.read(START)["spans"]["items"]:
        counts.append(len(items))
        assert len(counts) <= 20
    assert counts == [500] * 20
    rows = reader.recording.log("span_times").since(0)
    names = [reader.recording.names.spans[row.span][0] for row in rows]
    assert names == [str(number) for number in range(2_000, 12_000)]
    reader.spans.add("5000")
    (again,) = reader.read(START + 1)["spans"]["items"]
    assert reader.spans.described[again["span"]][0] == "5000"


def test_one_answer_has_a_bounded_part_of_their_code() -> None:
    scheduler = FakeScheduler()
    spans = scheduler.extensions["spans"].spans
    for number in range(100):
        spans[str(number)] = a_span(str(number))
        spans[str(number)]._code = {(SourceCode("x" * 30_000, 1, 1, "a.py"),): None}
    items = Reader(scheduler).read(START)["spans"]["items"]
    assert len(items) == 50
    assert {len(item["code"]) for item in items} == {20_001}


# -- real clusters ---------------------------------------------------------------------


def by_key(metrics: Mapping[Any, Any]) -> dict[tuple[str, ...], float]:
    """What a scheduler has, by the texts of its keys."""
    found: dict[tuple[str, ...], float] = defaultdict(float)
    for key, value in metrics.items():
        found[tuple(describe_metric(key))] += value
    return found


def totals_of(frame: pd.DataFrame) -> dict[tuple[str, ...], float]:
    names = ["context", "prefix", "activity", "unit"]
    return frame.groupby(names)["value"].sum().to_dict()


def has_totals_of(session: Session, scheduler: Any) -> bool:
    """Whether all metrics are those of the scheduler; those of heartbeats never rest."""
    expected = {key: value for key, value in by_key(scheduler).items() if key[3] and value}
    found = totals_of(session.fine_metrics())
    return all(found.get(key, 0) == pytest.approx(value) for key, value in expected.items())


def metered(x: int) -> int:
    with context_meter.meter("<b>mine</b>"):
        time.sleep(0.002)
    context_meter.digest_metric(("<i>", 1), 7, "apples")
    return x


def spoilt(x: int) -> int:
    context_meter.digest_metric("spoilt", NAN, "pears")
    context_meter.digest_metric("spoilt", -5, "plums")
    get_worker().digest_metric(("mine", "whole", "kiwis"), 2)
    return x


@pytest.fixture
def own() -> Iterator[tuple[LocalCluster, Client]]:
    options = {"n_workers": 2, "threads_per_worker": 2, "processes": False}
    with LocalCluster(**options, **WITHOUT_DASHBOARD) as cluster, Client(cluster) as client:
        yield cluster, client


def test_totals_equal_the_schedulers_with_custom_metrics_and_what_was_before(own) -> None:
    cluster, client = own
    metrics = cluster.scheduler.cumulative_worker_metrics
    client.gather(client.map(metered, range(20), pure=False))
    eventually(lambda: by_key(metrics)["execute", "metered", "('<i>', 1)", "apples"] == 140)
    with daskscope.connect(client) as session:
        live(session)
        with span("outer", "inner"):
            futures = client.map(metered, range(30), key=[("m", at) for at in range(30)])
            client.gather(futures)
        eventually(lambda: by_key(metrics)["execute", "m", "('<i>', 1)", "apples"] == 210)
        eventually(lambda: has_totals_of(session, metrics))
        frame = session.fine_metrics(unit="apples")
        assert frame[["prefix", "span", "value"]].to_numpy().tolist() == [
            ["m", "outer / inner", 210.0],
            ["metered", "default", 140.0],
        ]
        own_time = session.fine_metrics(activity="<b>mine</b>", span="outer / inner")
        assert own_time["value"].sum() >= 0.06
        assert session.fine_metrics(start=0)["value"].sum() < session.fine_metrics()["value"].sum()
        assert set(session.fine_metrics(start=0, unit="apples")["prefix"]) == {"m"}
        assert "" not in session.recording.table("prefixes")["name"].tolist()
        spans = session.recording.table("span_times").set_index("span")
        assert spans.loc["outer / inner", "tasks"] == 30
        assert spans.loc["outer / inner", "parent"] == "outer"
        states = session.recording.table("states")
        assert states[(states["prefix"] == "m") & (states["worker"] == "")]["memory"].max() == 30


def test_values_that_are_none_are_left_out_and_a_notice_counts_them(own) -> None:
    _, client = own
    with daskscope.connect(client) as session:
        live(session)
        client.gather(client.map(spoilt, range(4), pure=False))
        eventually(lambda: any(one.code == "metrics-unreadable" for one in session.notices))
        eventually(lambda: (session.fine_metrics()["unit"] == "kiwis").any())
        frame = session.fine_metrics()
        assert frame[frame["unit"] == "kiwis"]["value"].tolist() == [8.0]
        assert not {"pears", "plums"} & set(frame["unit"])
        assert (frame["value"] > 0).all()


def test_spans_nested_50_deep_are_told_apart_and_the_outermost_has_all(own) -> None:
    cluster, client = own
    with daskscope.connect(client) as session:
        live(session)
        names = [f"level-{depth}" for depth in range(50)]
        with span(*names[:25]):
            client.gather(client.map(metered, range(5), key="shallow"))
            with span(*names[25:]):
                client.gather(client.map(metered, range(7), key="deep"))
        metrics = cluster.scheduler.cumulative_worker_metrics
        eventually(lambda: by_key(metrics).get(("execute", "deep", "('<i>', 1)", "apples")) == 49)
        eventually(lambda: has_totals_of(session, metrics))
        (shallow,) = session.fine_metrics(prefix="shallow", unit="apples")["span"]
        (deep,) = session.fine_metrics(prefix="deep", unit="apples")["span"]
        assert shallow == " / ".join(names[:25])
        assert deep == " / ".join(names[:49])
        for depth, apples in (0, 84), (24, 84), (25, 49), (47, 49):
            name = " / ".join(names[: depth + 1])
            assert session.fine_metrics(span=name, unit="apples")["value"].sum() == apples


def fail_for_test(x: int) -> int:
    raise ValueError(x)


def test_a_span_counts_tasks_that_erred_also_once_their_futures_are_released(own) -> None:
    _, client = own
    with daskscope.connect(client) as session:
        live(session)

        def erred() -> list[int]:
            spans = session.recording.table("span_times")
            return [*spans[spans["span"] == "failing"]["erred"]]

        for count in 3, 6:
            with span("failing"):
                futures = client.map(fail_for_test, range(3), pure=False)
                wait(futures)
            eventually(lambda: bool(erred()))
            del futures
            client.submit(int).result()
            eventually(lambda count=count: sum(erred()) == count)


def test_metrics_that_cannot_be_read_any_more_stop_nothing_else(own) -> None:
    _, client = own
    with daskscope.connect(client) as session:
        live(session)

        def break_it(dask_scheduler: Any) -> None:
            (agent,) = [p for n, p in dask_scheduler.plugins.items() if n.startswith("daskscope")]
            agent.metric_samples.totals = None

        client.run_on_scheduler(break_it)
        client.submit(int, 1, key="after-1").result()
        eventually(lambda: any(one.code == "metrics-failed" for one in session.notices))
        assert session.state == "live"
        assert "AttributeError" in (session.agent_error or "")
        client.submit(int, 2, key="later-1").result()
        eventually(lambda: {"after", "later"} <= set(session.recording.tasks["prefix"]))


def test_a_restart_of_the_cluster_brings_no_negative_increments() -> None:
    options = {"n_workers": 1, "threads_per_worker": 2}
    with (
        LocalCluster(**options, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as session,
    ):
        live(session)
        metrics = cluster.scheduler.cumulative_worker_metrics
        client.gather(client.map(metered, range(20), pure=False))
        apples = "execute", "metered", "('<i>', 1)", "apples"
        eventually(lambda: by_key(metrics).get(apples) == 140)  # a worker that leaves loses some
        eventually(lambda: has_totals_of(session, metrics) and len(session.fine_metrics()))
        client.restart()
        client.gather(client.map(metered, range(20), pure=False))
        eventually(lambda: by_key(metrics)[apples] == 280)
        eventually(lambda: has_totals_of(session, metrics))
        assert (session.recording.table("metrics")["value"] > 0).all()


def test_an_answer_says_nothing_of_metrics_that_are_not_wanted() -> None:
    async def main() -> None:
        async with installed() as (_, _, plugin):
            assert plugin.poll(reader="r")["metrics"] is None
            found = plugin.poll(reader="r", metrics_wanted=True)["metrics"]
            assert found["totals"] is not None
            found = plugin.poll(reader="r", metrics_wanted=True, metrics=[0, 0, 0, 0])["metrics"]
            assert found["totals"] is None
            assert "keys" in found

    asyncio.run(main())


def test_metrics_are_sampled_each_half_second_and_with_each_snapshot(own) -> None:
    cluster, client = own
    with daskscope.connect(client) as session:
        live(session)
        polls = session._collector
        (plugin,) = [p for n, p in cluster.scheduler.plugins.items() if n.startswith("daskscope")]
        first, sampled = polls.polls, set()
        begun = time.monotonic()
        session.recording  # noqa: B018 - it asks
        for _ in count():
            sampled.add(plugin.metric_samples.sampled)
            if polls.polls >= first + 20:
                break
            time.sleep(0.005)
            session.recording  # noqa: B018
        assert len(sampled) <= (time.monotonic() - begun) * 3 + 2


# -- fine_metrics() -------------------------------------------------------------------------


@pytest.fixture
def recorded() -> Recording:
    reader = Reader()
    reader.read(START)
    reader.tasks((0.0, 10.0))
    reader.scheduler.beat(execute(), 10.0)
    reader.scheduler.beat(execute("disk-read", "sum", "bytes"), 100.0)
    reader.read(START + 10)
    return Recording(reader.recording)


def test_steps_of_time_add_up_and_begin_at_whole_steps(recorded: Recording) -> None:
    frame = recorded.fine_metrics(unit="seconds", over="4s")
    assert next(iter(frame.columns)) == "time"
    assert (frame["time"] % 4 == 0).all()
    assert frame["value"].sum() == pytest.approx(10)
    part = recorded.fine_metrics(START + 2, START + 5, unit="seconds", over=1)
    assert part["value"].tolist() == pytest.approx([1, 1, 1])


def test_adjacent_windows_add_up(recorded: Recording) -> None:
    parts = [
        recorded.fine_metrics(START + at, START + at + 2.5, unit="seconds")["value"].sum()
        for at in (0, 2.5, 5, 7.5)
    ]
    assert parts == pytest.approx([2.5] * 4)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"prefix": "inn"}, "Did you mean 'inc'?"),
        ({"activity": ["thread-cpu", "x"]}, "There is no activity 'x'. Known: thread-cpu"),
        ({"span": "load"}, "There is no span yet."),
        ({"unit": "miles"}, "Known: seconds, bytes, count"),
        ({"cell": "In [7]"}, "There is no cell"),
        ({"over": "often"}, "over must be a positive duration"),
        ({"over": -1}, "over must be a positive duration"),
        ({"start": 5, "stop": 1}, "start is after stop"),
        ({"start": "now"}, "start"),
        ({"over": 1e-9}, "Give wider steps"),
    ],
)
def test_what_cannot_be_answered_says_what_can(recorded, arguments, says) -> None:
    with pytest.raises(DaskscopeError) as caught:
        recorded.fine_metrics(**arguments)
    assert caught.value.code == "bad-query"
    assert says in str(caught.value)


def test_a_file_and_a_block_answer_as_the_session_does(own, tmp_path) -> None:
    cluster, client = own
    client.gather(client.map(metered, range(5), pure=False))
    metrics = cluster.scheduler.cumulative_worker_metrics
    eventually(lambda: by_key(metrics)["execute", "metered", "('<i>', 1)", "apples"] == 35)
    with daskscope.connect(client) as session:
        live(session)
        with daskscope.record(client) as rec:
            client.gather(client.map(metered, range(10), pure=False))
        apples = rec.fine_metrics(unit="apples")["value"].tolist()
        assert apples == pytest.approx([70.0], rel=0.2)  # clocks differ by a millisecond
        for_all = pytest.approx(105)
        eventually(lambda: session.fine_metrics(unit="apples")["value"].sum() == for_all)
        whole = session.fine_metrics(unit="apples")
        path = session.recording.save(tmp_path / "run.daskscope")
        assert daskscope.load(path).fine_metrics(unit="apples").equals(whole)


def test_a_recording_without_metrics_has_an_empty_answer() -> None:
    frame = Recording(new_recording()).fine_metrics(over="1s")
    assert len(frame) == 0
    assert "time" in frame


# -- cells and spans ------------------------------------------------------------------------


class Notebook(Reader):
    """A reader whose recording has tasks of cells."""

    def graph(self, number: int, cell: str) -> None:
        """Note that a cell sent a graph."""
        row = {"computation": number, "time": START, "cell": cell}
        self.recording.log("computations").append([row])

    def ran(self, number: int, *intervals: tuple[float, float], **of: Any) -> None:
        """Record tasks of a graph that computed from … to, and note them."""
        start, stop = np.array(intervals).T + START
        count, prefix, span_at = len(start), of.get("prefix", "inc"), of.get("span", 0)
        rows = make_rows(count) | {
            "start": start,
            "duration": (stop - start).astype("f4"),
            "prefix": np.full(count, self.recording.names.intern("prefixes", prefix), "u2"),
            "span": np.full(count, span_at, "u2"),
            "computation": np.full(count, number, "u2"),
        }
        first = self.recording.next_task
        keys = pack_keys(0, [f"{prefix}-{first + at}" for at in range(count)]).data
        self.recording.append_tasks(count, rows, keys)
        self.tasks(*intervals, prefix=prefix, span=span_at)


def test_cells_that_overlap_have_their_share_of_a_function_and_add_up() -> None:
    notebook = Notebook()
    notebook.read(START)
    for number in range(1, 11):
        notebook.graph(number + 1, f"In [{number}]")
        notebook.ran(number + 1, (0.1 * number, 10.0), (5.0, 5.0 + number))
    took = {f"In [{number}]": 10.0 - 0.1 * number + number for number in range(1, 11)}
    whole = sum(took.values())
    notebook.scheduler.beat(execute(), whole)
    notebook.scheduler.beat(execute("executor"), 100.0)
    notebook.scheduler.beat(execute("disk-read", unit="bytes"), 1_000.0)
    notebook.read(START + 15.5)
    recording = Recording(notebook.recording)

    def of(cell: str, **options: Any) -> float:
        frame = recording.fine_metrics(cell=cell, **options)
        return float(frame[frame["activity"] != "executor"]["value"].sum())

    found = {cell: of(cell, unit="seconds") for cell in took}
    assert found == pytest.approx(took, rel=0.02)
    assert sum(of(cell, unit="bytes") for cell in took) == pytest.approx(1_000, rel=0.02)
    windows = [(START + at, START + at + 4) for at in range(0, 16, 4)]
    for cell in "In [1]", "In [10]":
        parts = [of(cell, unit="seconds", start=a, stop=b) for a, b in windows]
        assert sum(parts) == pytest.approx(found[cell])
        assert of(cell, unit="seconds", over="1s") == pytest.approx(found[cell])


def test_a_cell_has_what_its_functions_took_and_no_other_function() -> None:
    notebook = Notebook()
    notebook.read(START)
    for number, prefix in (2, "mine"), (3, "other"):
        notebook.graph(number, f"In [{number}]")
        notebook.ran(number, (0.0, 4.0), prefix=prefix)
        notebook.scheduler.beat(execute(prefix=prefix), 4.0)
    notebook.scheduler.beat(("get-data", "network", "seconds"), 9.0)
    notebook.read(START + 5)
    frame = Recording(notebook.recording).fine_metrics(cell="In [2]")
    assert frame["prefix"].tolist() == ["mine"]
    assert frame["value"].sum() == pytest.approx(4)


def test_a_cell_whose_tasks_have_not_ended_has_nothing_and_an_unknown_one_is_refused() -> None:
    notebook = Notebook()
    notebook.read(START)
    notebook.graph(2, "In [2]")
    notebook.recording.log("cells").append([{"cell": "In [3]", "time": START}])
    notebook.scheduler.beat(execute(), 4.0)
    notebook.read(START + 5)
    recording = Recording(notebook.recording)
    for cell in "In [2]", "In [3]":
        assert recording.fine_metrics(cell=cell).empty
        assert recording.fine_metrics(cell=cell, over=1).empty
    with pytest.raises(DaskscopeError, match=r"Did you mean 'In \[[23]\]'"):
        recording.fine_metrics(cell="In [4]")


def test_tasks_without_a_known_graph_are_called_so() -> None:
    notebook = Notebook()
    notebook.read(START)
    notebook.graph(2, "In [2]")
    notebook.graph(3, "")
    for number in range(4):
        notebook.ran(number, (number, number + 1.0))
    notebook.scheduler.beat(execute(), 4.0)
    notebook.read(START + 5)
    recording = Recording(notebook.recording)
    tasks = recording.tasks
    assert tasks["computation"].tolist() == [0, 1, 2, 3]
    assert tasks["cell"].isna().tolist() == [False, False, False, True]
    assert tasks["cell"].tolist()[:3] == ["(unknown)", "(recomputed)", "In [2]"]
    assert recording.fine_metrics(cell="(recomputed)")["value"].tolist() == pytest.approx([1.0])


def test_a_span_includes_the_spans_inside_it() -> None:
    reader = Notebook()
    reader.scheduler.extensions["spans"].spans.clear()
    parent = None
    for depth in range(50):
        name = tuple(f"s{at}" for at in range(depth + 1))
        one = a_span(f"id-{depth}", name)
        one.parent, parent = parent, one
        reader.scheduler.extensions["spans"].spans[one.id] = one
    reader.spans.describe = lambda one: [one or "", *([f"s{one[3:]}"] if one else [])]
    reader.read(START)
    for depth in 3, 49:
        reader.scheduler.beat(execute(), 1.0, f"id-{depth}")
        reader.spans.add(f"id-{depth}")
    reader.read(START + 1)
    recording = Recording(reader.recording)
    found = {span: recording.fine_metrics(span=span)["value"].sum() for span in ("s0", "s4", "s49")}
    assert found == {"s0": 2, "s4": 1, "s49": 1}
    assert recording.fine_metrics(span="id-3")["value"].sum() == 2
    assert recording.fine_metrics(span=["s2", "s3"])["value"].sum() == 2
