"""Series: what is in their rings, and that no window counts anything twice or not at all."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from daskscope.recording.series_store import SeriesStore
from daskscope.schema import OTHER_NAME, STEPS, Column, Series, columns_of

CONTRACT = Path(__file__).resolve().parents[1] / "contract"
sys.path.insert(0, str(CONTRACT))
import series as golden  # noqa: E402

inf = math.inf
START = 1_700_000_400.0  # begin of a step of every width
TIME = Column("time", "float64", "", unit="s")
ROOMY = (4_000_000, 4_000_000, 2_000_000, 1_000_000)
TINY = (600, 600, 600, 600)


def sums(ring_bytes=ROOMY, kind="float64"):
    columns = (
        TIME,
        Column("duration", "float64", "", unit="s"),
        Column("worker", "utf8", "", combine="key", holds=("hosts",)),
        Column("nbytes", kind, "", combine="sum"),
    )
    return Series("reads", "", columns, ring_bytes=ring_bytes)


def samples(ring_bytes=ROOMY):
    columns = (
        TIME,
        Column("worker", "uint16", "", combine="key"),
        Column("cpu", "float32", "", combine="extremes"),
    )
    return Series("load", "", columns, ring_bytes=ring_bytes)


def counts(ring_bytes=ROOMY):
    columns = (
        TIME,
        Column("prefix", "uint16", "", combine="key"),
        Column("waiting", "uint32", "", combine="last"),
    )
    return Series("states", "", columns, ring_bytes=ring_bytes)


def read(store, now, *rows):
    """Append what workers read: (start, duration, worker, nbytes) since START."""
    time, duration, worker, nbytes = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = {"duration": duration, "worker": worker, "nbytes": nbytes}
    store.append({"time": np.array(time) + START, **columns}, now=START + now)


def sample(store, now, *rows):
    """Append samples: (time, value) since START."""
    times, values = zip(*rows, strict=True) if rows else ((), ())
    key, value = store.table.names[1:]
    store.append({"time": np.array(times) + START, key: 0, value: values}, now=START + now)


def total(store, start=-inf, stop=inf):
    return float(store.window(START + start, START + stop)["nbytes"].sum())


def times(ring):
    return [time - START for time in ring.columns()["time"]]


def table_of(rows):
    """Return rows as a list, with what JSON has no number for as text."""
    plain = golden.plain(rows)
    return [dict(zip(plain, cells, strict=True)) for cells in zip(*plain.values(), strict=True)]


# Steps


def test_a_wider_step_is_appended_once_two_heartbeats_after_its_end():
    store = SeriesStore(sums())
    store.heartbeat_s = 3
    for second in range(16):
        read(store, second, (second, 1, "a", 1))
    assert store.rings[1].next == 0
    read(store, 16, (16, 1, "a", 1))
    assert table_of(store.rings[1].columns()) == [
        {"time": START, "duration": 10.0, "worker": "a", "nbytes": 10.0}
    ]
    read(store, 25, (25, 1, "a", 1))
    assert store.rings[1].next == 1
    read(store, 700)
    assert [ring.next for ring in store.rings] == [18, 3, 1, 1]
    assert store.rings[3].columns()["nbytes"].tolist() == [18]


def test_a_step_has_a_row_for_each_key():
    store = SeriesStore(sums())
    read(store, 2, (1, 1, "a", 1), (2, 1, "b", 2))
    read(store, 9, (8, 1, "b", 3), (9, 1, "a", 4))
    read(store, 30)
    ring = store.rings[1].columns()
    assert dict(zip(ring["worker"], ring["nbytes"], strict=True)) == {"a": 5, "b": 5}


def test_extremes_of_a_step_are_its_least_its_most_and_its_last_known():
    store = SeriesStore(samples())
    sample(store, 5, (1, 50), (3, math.nan), (2, 10))
    sample(store, 30, (9, math.nan), (8, 20))
    (row,) = table_of(store.rings[1].columns())
    assert (row["cpu"], row["cpu_least"], row["cpu_most"]) == (20, 10, 50)


def test_what_was_never_known_in_a_step_is_not_known_of_it():
    store = SeriesStore(samples())
    sample(store, 30, (1, math.nan), (2, math.nan))
    assert np.isnan(store.rings[1].columns()["cpu_most"]).all()


def test_as_measured_least_and_most_are_the_value():
    store = SeriesStore(samples())
    sample(store, 1, (1, 50))
    names = [column.name for column in columns_of(store.table)]
    assert list(store.rings[0].columns()) == names
    assert {store.rings[0].columns()[name][0] for name in names[2:]} == {50}


def test_columns_that_are_missing_are_unknown_and_sums_are_nothing():
    store = SeriesStore(samples())
    store.append({"time": [START], "worker": [1]}, now=START)
    assert np.isnan(store.rings[0].columns()["cpu"]).all()
    store = SeriesStore(sums())
    store.append({"time": START, "worker": "a", "duration": 1}, now=START)
    assert store.rings[0].columns()["nbytes"].tolist() == [0]


def test_a_row_without_a_time_is_left_out_and_counted():
    store = SeriesStore(sums())
    read(store, 5, (math.nan, 1, "a", 1), (2, 1, "a", 2), (inf, 1, "a", 4), (1e15, 1, "a", 8))
    read(store, 50)
    assert (total(store), store.dropped, store.next) == (2, 3, 1)


def test_sums_that_are_no_number_count_nothing():
    store = SeriesStore(sums())
    read(store, 5, (1, 1, "a", math.nan), (2, -1, "a", 2), (2, math.nan, "a", 4), (2, 1, "a", inf))
    assert total(store) == 6


def test_a_sum_of_integers_does_not_wrap():
    store = SeriesStore(sums(kind="uint16"))
    read(store, 5, (1, 1, "a", 60_000), (2, 1, "a", 60_000))
    read(store, 50)
    assert store.rings[1].columns()["nbytes"].tolist() == [65_535]


# Windows


def test_a_sum_takes_the_share_of_a_row_that_is_in_the_window():
    store = SeriesStore(sums())
    read(store, 9, (0, 8, "a", 80), (4, 0, "a", 1))
    assert total(store, 2, 4) == 20
    assert total(store, 4, 6) == 21
    assert total(store, 6, 99) == 20


def test_a_sample_counts_whole_in_every_window_that_it_touches():
    store = SeriesStore(samples(TINY))
    for second in range(0, 3_000, 5):
        sample(store, second, (second, 99 if second == 15 else 1))
    assert store.rows()["step"][0] == 600
    for start, stop in ((0, 1), (599, 700), (-10, 0)):
        result = store.window(START + start, START + stop)
        assert (result["cpu_most"][0], result["step"][0]) == (99, 600)
    assert store.window(START + 600, START + 700)["cpu_most"].tolist() == [1]


def test_a_count_by_state_is_carried_into_a_window():
    store = SeriesStore(counts())
    sample(store, 5, (1, 7), (5, 9))
    assert store.window(START + 2, START + 3)["waiting"].tolist() == [7]
    assert store.window(START + 100, START + 200)["waiting"].tolist() == [9]
    assert store.window(START - 5, START)["waiting"].tolist() == []


def test_a_window_names_the_coarsest_step_in_it():
    store = SeriesStore(sums(TINY))
    for second in range(0, 4_000, 2):
        read(store, second, (second, 2, "a", 1))
    steps = [store.window(START + 4_000 - back, inf)["step"].tolist() for back in (9, 60, 3_000)]
    assert [step for (step,) in steps] == sorted(step for (step,) in steps)
    assert (steps[0], steps[-1]) == ([0], [600])


def test_there_is_nothing_in_an_empty_series():
    store = SeriesStore(sums())
    assert len(store.window()["nbytes"]) == len(store.rows()["time"]) == 0
    read(store, 100)
    assert len(store.before["nbytes"]) == 0
    assert len(store.rows()["step"]) == 0


# What is dropped


def test_what_leaves_the_widest_ring_stays_in_before():
    store = SeriesStore(sums(TINY))
    store.set_before({"time": [START], "worker": ["a"], "nbytes": [1_000]})
    for second in range(0, 40_000, 20):
        read(store, second, (second, 1, f"w{second % 3}", 1))
    assert store.rings[3].dropped > 0
    assert store.dropped > 0
    before = dict(zip(store.before["worker"], store.before["nbytes"], strict=True))
    assert before["a"] == 1_000
    assert total(store) == 3_000
    rows = store.rows()["nbytes"].sum()
    assert rows + sum(before.values()) == 3_000
    # Of a window that begins before that it is not known how much was in it.
    assert set(store.window(START - 10, inf)["step"]) == {inf}
    assert total(store, -10, inf) == rows


def test_before_is_a_bounded_list(monkeypatch):
    monkeypatch.setattr("daskscope.recording.series_store.MAX_BEFORE_ROWS", 10)
    store = SeriesStore(sums(TINY))
    for second in range(0, 20_000, 20):
        read(store, second, (second, 1, f"w{second}", 1))
    assert len(store.before["worker"]) == 10
    whole = SeriesStore(sums(TINY))
    for second in range(0, 20_000, 20):
        read(whole, second, (second, 1, "w", 1))
    lost = 1_000 - total(store)
    assert lost > 0
    assert store.dropped >= whole.dropped + lost


def test_samples_that_leave_the_widest_ring_are_counted():
    store = SeriesStore(samples(TINY))
    for second in range(0, 60_000, 60):
        sample(store, second, (second, 1))
    widest = store.rings[3]
    assert store.dropped > 0
    assert store.dropped + len(store.rows(-inf, START + 600 * widest.next)["time"]) >= widest.next


def test_row_numbers_are_for_ever():
    store = SeriesStore(samples(TINY))
    for second in range(600):
        sample(store, second, (second, second))
    for ring in store.rings[:2]:
        assert ring.next - ring.first == len(ring.columns()["time"])
        assert ring.dropped == ring.first > 0
        middle = (ring.first + ring.next) // 2
        assert times(ring)[middle - ring.first] == ring.columns(middle, middle + 1)["time"] - START
        assert len(ring.columns(0, ring.first)["time"]) == 0
        assert len(ring.columns(ring.next)["time"]) == 0
    assert store.next == 600


def test_each_ring_holds_two_steps_of_the_next():
    store = SeriesStore(samples((2_000, 2_000, 2_000, 2_000)))
    for second in range(5_000):
        sample(store, second, (second, second))
        for ring, wider in zip(store.rings, store.rings[1:], strict=False):
            if ring.first:
                assert times(ring)[0] <= second - 2 * wider.step


def test_rows_that_come_too_fast_are_bounded_all_the_same():
    store = SeriesStore(sums(TINY))
    random = Random(1)
    for second in range(200):
        rows = [(second, 1, f"w{random.random()}", 1) for _ in range(50)]
        read(store, second, *rows)
        assert all(ring.nbytes <= 2 * ring.limit for ring in store.rings)
    assert total(store) == 10_000


def by_minute(store, minutes):
    """Append what four workers did, a minute of one after the other."""
    for minute in range(1, minutes):
        for worker in "abcd":
            rows = [(60 * minute - 60 + second, 1, worker, 1) for second in range(60)]
            read(store, 60 * minute, *rows)


def test_a_ring_has_no_room_beyond_its_limit_when_rows_come_by_the_minute():
    store = SeriesStore(sums((20_000, 6_000, 6_000, 6_000)))
    by_minute(store, 60)
    for ring, step in zip(store.rings, STEPS, strict=True):
        assert ring.first > 0 or step == 600
        assert ring.memory_bytes <= ring.limit + 4 * 60 / max(step, 1) * 28


def test_rows_that_are_combined_in_parts_are_the_same(monkeypatch):
    parts, whole = SeriesStore(sums()), SeriesStore(sums())
    by_minute(whole, 30)
    monkeypatch.setattr("daskscope.recording.series_ring.TAKEN_ROWS", 7)
    by_minute(parts, 30)
    for one, other in zip(parts.rings, whole.rings, strict=True):
        rows = [sorted(map(str, table_of(ring.columns()))) for ring in (one, other)]
        assert rows[0] == rows[1]
    assert total(parts) == total(parts, -inf, 777.5) + total(parts, 777.5) == 4 * 60 * 29


def test_texts_of_keys_are_bounded(monkeypatch):
    monkeypatch.setattr("daskscope.recording.series_ring.MAX_TEXT_BYTES", 1_000)
    store = SeriesStore(sums())
    read(store, 5, *[(1, 1, f"worker-{number}", 1) for number in range(100)])
    result = store.window()
    assert OTHER_NAME in result["worker"]
    assert len(result["worker"]) < 20
    assert result["nbytes"].sum() == 100
    assert store.memory_bytes < 10_000


@pytest.mark.parametrize("ring_bytes", [(6_000, 300, 900, 200), (1_500, 200, 6_000, 6_000)])
def test_a_finer_ring_may_reach_back_further_than_wider_ones(ring_bytes):
    store, random, count = SeriesStore(sums(ring_bytes)), Random(2), 0
    beyond = False
    for second in range(0, 2_700, 9):
        ages = [0, 1, 2, random.choice([0, 200, 900, 4_000])]
        read(store, second, *[(second - age, 1, f"w{random.randrange(20)}", 1) for age in ages])
        count += len(ages)
        beyond |= store.rings[1].begin > store.rings[0].begin > -inf
        if second % 27 == 0:
            assert total(store) == count
            assert store.rows()["nbytes"].sum() + store.before["nbytes"].sum() == count
            each_moment_is_there_once(store)
    assert beyond


# Exactness: a late row, a block, a page that lags, a clock that jumps back


def test_a_late_row_is_a_further_row_of_its_step():
    store = SeriesStore(sums())
    for second in range(0, 1_300, 5):
        read(store, second, (second, 5, "a", 1))
    steps = [ring.next for ring in store.rings]
    read(store, 1_300, (31, 2, "a", 100), (32, 1, "b", 10))
    read(store, 1_900)
    for ring, width, before in zip(store.rings[1:], STEPS[1:], steps[1:], strict=True):
        added = ring.columns(before)
        late = np.floor(added["time"] - START) // width == 31 // width
        assert sorted(added["nbytes"][late]) == [10, 100]
    rows = store.rows(START + 30, START + 39)
    assert rows["nbytes"].sum() == 2 + 110
    assert total(store, 30, 40) == 112
    assert total(store) == 260 + 110


def test_a_late_row_counts_at_once_in_the_finest_ring_that_has_its_moment():
    store = SeriesStore(samples(TINY))
    for second in range(0, 3_000, 5):
        sample(store, second, (second, 1))
    sample(store, 3_000, (31, 99), (2_995, 50), (700, 80))
    peaks = {
        row["time"] - START: row["step"] for row in table_of(store.rows()) if row["cpu_most"] > 1
    }
    assert peaks[0] == peaks[600] == 600
    assert peaks[2_995] == 0
    assert store.window(START, START + 100)["cpu_most"].tolist() == [99]


def test_the_last_of_a_step_is_not_what_came_last():
    store = SeriesStore(counts())
    for second in range(0, 1_300, 5):
        sample(store, second, (second, second))
    sample(store, 1_301, (31, 1))
    sample(store, 1_900)
    rows = store.rows()
    assert 1 in rows["waiting"]
    merged = SeriesStore(counts())
    merged.restore(600, store.rings[3].columns())
    assert merged.rows()["waiting"].tolist() == [595, 1_195, 1_295]


def test_a_block_that_begins_in_the_middle_of_a_step_is_exact():
    session, random = SeriesStore(sums(TINY)), Random(3)
    start, stop = 1_234.5, 4_321.25
    block = SeriesStore(sums(TINY))
    wanted = {"a": 0.0, "b": 0.0}
    cursor = 0
    for second in range(0, 5_000, 3):
        worker = random.choice("ab")
        read(session, second, (second - 2, 3, worker, 12))
        share = max(min(second + 1, stop) - max(second - 2, start), 0) / 3
        wanted[worker] += 12 * share
        columns = session.rings[0].columns(cursor)
        cursor = session.next
        block.append(block.clipped(columns, START + start, START + stop), now=START + second)
    assert block.rings[3].next > 3
    result = block.window(START + start, START + stop)
    found = dict(zip(result["worker"], result["nbytes"], strict=True))
    assert found == pytest.approx(wanted)
    assert total(block) == pytest.approx(sum(wanted.values()))
    middle = 2_000.75
    parts = total(block, start, middle) + total(block, middle, stop)
    assert parts == pytest.approx(total(block), rel=1e-12)
    assert block.rows()["time"].min() >= START + start


def test_a_block_has_the_samples_of_its_window_alone():
    session = SeriesStore(samples())
    for second in range(100):
        sample(session, second, (second, second))
    block = SeriesStore(samples())
    columns = session.rings[0].columns()
    block.append(block.clipped(columns, START + 14, START + 33), now=START + 99)
    assert times(block.rings[0]) == list(range(14, 34))
    assert block.rings[1].columns()["cpu_least"].tolist() == [14, 20, 30]


class Reader:
    """A page: gets what is in the rings, some rows at a time, and merges it."""

    def __init__(self, store):
        self.store = store
        self.first = [ring.first for ring in store.rings]
        self.next = list(self.first)
        self.parts = [[] for _ in store.rings]

    def get(self, limits):
        for at, (ring, limit) in enumerate(zip(self.store.rings, limits, strict=True)):
            stop = min(ring.next, self.next[at] + limit)
            if ring.first > self.next[at]:  # dropped before it came: it begins anew
                self.first[at] = self.next[at] = ring.first
                self.parts[at].clear()
                stop = min(ring.next, ring.first + limit)
            self.parts[at].append(ring.columns(self.next[at], stop))
            self.next[at] = stop

    def total(self, start, stop):
        found, until = 0.0, inf
        for at, ring in enumerate(self.store.rings):
            begin = ring.whole_from(self.first[at]) if self.first[at] else -inf
            for part in self.parts[at]:
                time, length = part["time"] - START, part["duration"]
                overlap = np.minimum(time + length, stop) - np.maximum(time, start)
                shown = (part["time"] >= begin) & (part["time"] < until)
                found += (part["nbytes"] * np.clip(overlap / length, 0, 1))[shown].sum()
            until = min(until, begin)
        return found


def test_a_page_that_lags_gets_the_same_figures():
    store = SeriesStore(sums((3_000, 3_000, 3_000, 3_000)))
    always, lagging = Reader(store), Reader(store)
    late = None
    for number, second in enumerate(range(0, 6_000, 5)):
        read(store, second, (second, 5, "a", number % 7))
        if number % 20 == 0:
            read(store, second, (max(second - 300, 0), 5, "a", 100))
        always.get([1_000] * 4)
        lagging.get([1, 3, 2, 1] if number % 3 else [0, 1, 0, 2])
        if second == 5_000:
            late = Reader(store)
        if late:
            late.get([7, 0, 1, 0] if number % 2 else [0, 1, 0, 1])
    assert always.first == [0, 0, 0, 0]
    assert late.first[0] > 0
    read(store, 6_700)  # all steps have closed
    for reader in (always, lagging, late):
        reader.get([10_000] * 4)
    assert late.next == always.next
    assert lagging.next == always.next
    for start, stop in ((0, 600), (600, 2_400), (4_800, 5_400), (5_400, 6_000), (0, 6_600)):
        wanted = always.total(start, stop)
        assert late.total(start, stop) == pytest.approx(wanted)
        assert lagging.total(start, stop) == pytest.approx(wanted)
        assert total(store, start, stop) == pytest.approx(wanted)


def test_after_a_clock_jumped_back_rows_keep_their_stamps_and_nothing_is_overwritten():
    store = SeriesStore(sums((2_000, 2_000, 2_000, 2_000)))
    for second in range(0, 3_000, 2):
        read(store, second, (second, 2, "a", 1))
    for second in range(2_000, 4_000, 2):
        read(store, second, (second, 2, "a", 100))
    assert total(store) == 1_500 + 100_000
    assert store.rows()["nbytes"].sum() == 1_500 + 100_000
    assert total(store, 1_800, 2_400) == pytest.approx(300 + 20_000)
    assert total(store, 0, 1_800) == 900
    # The clock closes steps as before: rows of the same time do not fill a wide ring.
    assert store.rings[3].next < 15
    assert store.dropped == 0


def test_what_is_older_than_every_ring_is_dropped_and_counted():
    one, other = SeriesStore(samples(TINY)), SeriesStore(samples(TINY))
    for store in (one, other):
        for second in range(0, 20_000, 60):
            sample(store, second, (second, 1))
    assert times(one.rings[3])[0] > 600
    sample(one, 20_000)
    sample(other, 20_000, (100, 99))
    for store in (one, other):
        sample(store, 20_700)
    assert other.dropped == one.dropped + 1
    assert table_of(other.rows()) == table_of(one.rows())
    assert other.rings[0].next == one.rings[0].next + 1  # a block or a page may want it


def test_a_clock_that_jumps_forth_and_back_does_not_hold_the_ring():
    store = SeriesStore(sums(TINY))
    for second in range(300):
        now = second + (100_000 if second == 100 else 0)
        read(store, now, *[(now, 1, "a", 1)] * 5)
        assert all(ring.nbytes <= 2 * ring.limit for ring in store.rings)
    assert total(store) == 1_500


def test_a_row_from_far_ahead_is_counted_and_moves_no_bound():
    store = SeriesStore(sums((4_000, 600, 600, 600)))
    for second in range(300):
        read(store, second, (second + (1e9 if second == 100 else 0), 1, "a", 1))
    assert store.dropped == 1
    assert total(store) == 299
    assert len(store.rings[0].columns()["time"]) > 50
    assert store.rings[0].begin < START + 300


rows_of_sums = st.lists(
    st.tuples(
        st.sampled_from([0, 0, 0, 1, 15, 90, 700, 5_000, -3, -400]),  # how late it comes
        st.sampled_from([0, 0.25, 1, 2.5, 30, 900]),
        st.sampled_from("ab"),
        st.integers(1, 1_000),
    ),
    max_size=4,
)
clocks = st.sampled_from([0, 1, 2.5, 7, 7, 30, 200, 2_000, -1, -50, -3_000])
batches = st.lists(st.tuples(clocks, rows_of_sums), max_size=60)
cuts = st.lists(
    st.one_of(st.sampled_from([-inf, inf]), st.floats(-6_000, 9_000)), min_size=3, max_size=3
)


@examples(80)
@given(batches, cuts, st.sampled_from([TINY, (200, 600, 200, 200), (3_000, 600, 600, 120), ROOMY]))
def test_totals_over_adjacent_windows_add_up(appended, cuts, ring_bytes):
    store = SeriesStore(sums(ring_bytes))
    now = 0.0
    wanted = {"a": 0, "b": 0}
    for passed, rows in appended:
        now += passed
        read(store, now, *[(now - late, length, worker, n) for late, length, worker, n in rows])
        for _, _, worker, nbytes in rows:
            wanted[worker] += nbytes
    result = store.window()
    found = dict(zip(result["worker"], result["nbytes"], strict=True))
    assert {worker: found.get(worker, 0) for worker in "ab"} == pytest.approx(wanted, rel=1e-12)
    first, second, third = sorted(cuts)
    parts = total(store, first, second) + total(store, second, third)
    assert parts == pytest.approx(total(store, first, third), rel=1e-12, abs=1e-9)
    each_moment_is_there_once(store)


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([TINY, (300, 600, 500, 700), ROOMY]))
def test_windows_of_whole_steps_are_those_of_the_rows_as_measured(seed, ring_bytes):
    random, store = Random(seed), SeriesStore(sums(ring_bytes))
    now, rows = 0.0, []
    for _ in range(150):
        now += random.choice([1, 5, 5, 30, -20 if now > 100 else 5])
        start = max(now - random.choice([0, 1, 1, 2, 100]), 0) // 2.5 * 2.5
        rows.append((start, 2.5, random.choice("ab"), random.randint(1, 99)))
        read(store, now, rows[-1])
    for step in (600, 60, 10):
        start = random.randrange(0, 1_800, step)
        stop = start + step * random.randint(1, 3)
        result = store.window(START + start, START + stop)
        for worker, found, met in zip(
            result["worker"], result["nbytes"], result["step"], strict=True
        ):
            if met <= step:
                wanted = sum(n for at, _, w, n in rows if w == worker and start <= at < stop)
                assert found == pytest.approx(wanted)


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([TINY, (300, 600, 500, 700), ROOMY]))
def test_no_peak_is_lost_and_none_is_made_up(seed, ring_bytes):
    random, store = Random(seed), SeriesStore(samples(ring_bytes))
    now, rows = 0.0, []
    for _ in range(150):
        now += random.choice([1, 5, 5, 30, 300, -20, -700])
        rows.append((now - random.choice([0, 0, 1, 40, 500]), random.randint(0, 1_000)))
        sample(store, now, rows[-1])
    start = random.uniform(-1_000, now)
    stop = start + random.choice([5, 100, 1_000, 10_000])
    result = store.window(START + start, START + stop)
    inside = [value for at, value in rows if start <= at <= stop]
    if store.dropped == 0 and inside:
        assert result["cpu_most"][0] >= max(inside)
        assert result["cpu_least"][0] <= min(inside)
    if len(result["cpu"]):
        step = result["step"][0] or 1e-6
        near = [value for at, value in rows if start - step <= at <= stop + step]
        assert max(near) >= result["cpu_most"][0] >= result["cpu"][0] >= result["cpu_least"][0]
        assert min(near) <= result["cpu_least"][0]
    each_moment_is_there_once(store)


def each_moment_is_there_once(store):
    rows = store.rows()
    assert (np.diff(rows["time"]) >= 0).all()
    key = store.table.names[2 if "duration" in rows else 1]
    until = inf
    for step in STEPS:
        of_step = rows["step"] == step
        time = rows["time"][of_step]
        if not len(time):
            continue
        begin = np.floor(time / step) * step if step else time
        assert (begin + step).max() <= until
        until = min(until, begin.min())
        if step:
            seen = list(zip(begin, rows[key][of_step], strict=True))
            assert len(set(seen)) == len(seen)


# Homes


def filled(table, appended=300):
    store, random = SeriesStore(table), Random(5)
    for number in range(appended):
        now = number * 5
        late = random.choice([0, 0, 0, 200])
        if "duration" in table.names:
            read(store, now, (now - late, 5, random.choice("ab"), random.randint(1, 9)))
        else:
            sample(store, now, (now - late, random.randint(1, 9)))
    return store


@pytest.mark.parametrize("table", [sums(TINY), samples(TINY), counts(TINY)], ids=lambda t: t.name)
def test_a_series_is_the_same_out_of_a_file(table):
    store = filled(table)
    rows = store.rows()
    assert len(set(rows["step"])) > 2
    stored = SeriesStore(table)
    for step in STEPS:
        stored.restore(step, {name: cells[rows["step"] == step] for name, cells in rows.items()})
    stored.set_before(store.before)
    stored.count_dropped(store.dropped)
    assert table_of(stored.rows()) == table_of(rows)
    assert stored.dropped == store.dropped
    for window in ((-inf, inf), (START + 33, START + 777.5), (START + 1_200, START + 1_490)):
        assert table_of(stored.window(*window)) == table_of(store.window(*window))


def test_a_series_out_of_a_file_goes_on():
    store = filled(sums(TINY))
    rows = store.rows()
    stored = SeriesStore(store.table)
    for step in (600, 60, 10, 0):
        stored.restore(step, {name: cells[rows["step"] == step] for name, cells in rows.items()})
    for each in (store, stored):
        for second in range(1_500, 5_000, 5):
            read(each, second, (second, 5, "a", 1))
    assert total(stored) == total(store)
    each_moment_is_there_once(stored)


def test_a_snapshot_does_not_change():
    store = filled(sums())
    now = store.snapshot()
    rows = table_of(now.rows())
    read(store, 5_000, (4_999, 1, "a", 1_000_000))
    read(now, 6_000, (5_999, 1, "b", 1))  # nor what it is of
    assert table_of(now.rows())[: len(rows)] == rows
    assert 1_000_000 not in now.rows()["nbytes"]
    assert "b" not in store.rows(START + 5_500)["worker"]
    now.renew_lock()
    assert now.next == store.next == 301


def test_what_a_reader_was_given_does_not_change():
    store = filled(samples(TINY), 30)
    given = store.rings[0].columns()
    copy = {name: cells.copy() for name, cells in given.items()}
    for second in range(200, 900):
        sample(store, second, (second, second))
    assert all((given[name] == copy[name]).all() for name in given)


def test_the_contract_is_what_python_does():
    stored = json.loads(golden.FILE.read_text())
    found = json.loads(json.dumps(golden.cases()))
    assert [case["table"]["name"] for case in stored] == ["load", "reads", "states"]
    for case, mine in zip(stored, found, strict=True):
        assert case == mine, "run python tests/contract/series.py, and look at what changed"
        steps = set(case["rows"]["step"])
        assert len(steps) >= 3
