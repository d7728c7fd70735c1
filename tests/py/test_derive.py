from __future__ import annotations

import numpy as np
import pytest
from recording_rows import START, append, make_rows, new_recording

from daskscope.derive.focus_totals import FocusTotals, Selection
from daskscope.focus import Focus
from daskscope.recording import pack_keys, summary_blocks
from daskscope.recording.summary_blocks import MAX_SUMMARY_BLOCKS, TRANSFER


def totals(recording, focus):
    return FocusTotals(recording).advance(focus)


def keys_in_focus(recording, focus):
    selection, found = Selection(recording, focus), []
    for chunk in recording.chunks():
        keys = [key for block in chunk.keys for key in block.texts()]
        found += [
            keys[t - chunk.first] for t in chunk.columns["task"][selection.mask(chunk.columns)]
        ]
    return found


def coarse(recording, limit=MAX_SUMMARY_BLOCKS):
    return summary_blocks.coarse(recording.chunks(), limit)


def assert_same_totals(one, other):
    for kind in ("prefixes", "actions"):
        a, b = getattr(one, kind), getattr(other, kind)
        assert len(a) == len(b)
        for left, right in zip(a, b, strict=True):
            assert left.seconds == pytest.approx(right.seconds, rel=1e-4)
            assert [getattr(left, n) for n in left.__slots__ if n != "seconds"] == [
                getattr(right, n) for n in right.__slots__ if n != "seconds"
            ]


def test_totals_without_focus_are_the_running_ones():
    recording = new_recording()
    append(recording, 1_000, rows_each=2)
    assert totals(recording, Focus()) == recording.totals


def test_a_prefix_that_is_new_while_totals_are_made_harms_nobody(monkeypatch):
    recording = new_recording()
    append(recording, 10)
    chunks = recording.chunks

    def meanwhile():
        prefix = recording.names.intern("prefixes", "new")
        columns = make_rows(10)
        columns["prefix"][:] = prefix
        recording.append_tasks(10, columns, pack_keys(0, ["k"] * 10).data)
        return chunks()

    monkeypatch.setattr(recording, "chunks", meanwhile)
    (total,) = totals(recording, Focus(prefixes=["new"])).prefixes
    assert total.tasks == 10


def test_totals_in_focus_agree_with_the_frame():
    recording = new_recording(memory_limit=4_000_000)
    for i in range(20):
        append(recording, 3_000, rows_each=2, start=START + i * 7.5)
    focus = Focus(time=(START + 10, START + 50), prefixes=["sum"], workers=["tcp://10.0.0.1:1"])
    frame = recording.tasks
    chosen = frame[
        (frame["start"] <= START + 50)
        & (frame["start"] + frame["duration"] >= START + 10)
        & (frame["prefix"] == "sum")
        & (frame["worker"] == "tcp://10.0.0.1:1")
    ]
    found = totals(recording, focus)
    assert [t.rows for t in found.actions] == [
        (chosen["action"] == "compute").sum(),
        (chosen["action"] == "transfer").sum(),
    ]
    assert found.prefixes[0].tasks == chosen["key"].nunique()
    assert keys_in_focus(recording, focus) == chosen["key"].tolist()


def test_seconds_in_focus_are_cut_at_its_ends():
    recording = new_recording()
    columns = make_rows(1)
    columns["duration"][:] = 10
    recording.append_tasks(1, columns, pack_keys(0, ["a"]).data)
    (total,) = totals(recording, Focus(time=(START + 4, START + 7))).prefixes
    assert total.seconds == pytest.approx(3)
    assert total.tasks == 1


def test_computes_are_the_rows_whose_seconds_are_counted():
    recording = new_recording()
    columns = make_rows(4, rows_each=2)  # each computes, and transfers
    columns["prefix"][:] = 0
    columns["start"][:] = START + np.arange(8) * 10
    columns["duration"][:] = [4, 1, 2, 1, -1, 1, np.nan, 1]
    recording.append_tasks(4, columns, pack_keys(0, list("abcd")).data)
    (total,) = recording.totals.prefixes
    assert (total.tasks, total.computes, total.seconds) == (4, 2, 6)
    late = Focus(time=(START + 1, START + 35))  # of the first what lies inside
    (total,) = totals(recording, late).prefixes
    assert (total.tasks, total.computes, total.seconds) == (2, 2, 5)
    (total,) = totals(recording, Focus(time=(START + 30, START + 35))).prefixes
    assert (total.tasks, total.computes, total.seconds) == (1, 0, 0)


def test_spans_are_chosen_by_id():
    recording = new_recording()
    one = recording.names.intern("spans", ("id-1", ("load",)))
    two = recording.names.intern("spans", ("id-2", ("load",)))
    columns = make_rows(4)
    columns["span"][:] = [one, two, 0, one]
    recording.append_tasks(4, columns, pack_keys(0, list("abcd")).data)
    assert keys_in_focus(recording, Focus(spans=["id-1"])) == ["a", "d"]


def test_focus_totals_grow_with_the_recording_in_steps():
    recording = new_recording()
    focus = Focus(prefixes=["inc"])
    running = FocusTotals(recording)
    found = None
    for _ in range(10):
        append(recording, 700)
        while not (found := running.advance(focus, budget_s=0)):
            pass
    assert_same_totals(found, totals(recording, focus))
    assert found.prefixes[0].tasks == 3_500


def test_another_focus_has_totals_of_its_own():
    recording = new_recording()
    append(recording, 700)
    running, focus = FocusTotals(recording), Focus(prefixes=["inc"])
    running.advance(Focus(prefixes=["sum"]))
    assert running.advance(focus) == totals(recording, focus)


def test_a_name_that_appears_later_is_in_focus_too():
    recording = new_recording(prefixes=("inc",))
    running, focus = FocusTotals(recording), Focus(prefixes=["later"])
    running.advance(focus)
    later = recording.names.intern("prefixes", "later")
    columns = make_rows(2)
    columns["prefix"][:] = later
    recording.append_tasks(2, columns, pack_keys(0, ["a", "b"]).data)
    assert running.advance(focus).prefixes[0].tasks == 2


def test_the_coarse_picture_of_a_short_run_is_the_run():
    recording = new_recording()
    append(recording, 100)
    picture = coarse(recording)
    assert len(picture) == 100
    assert picture.rows.sum() == 100


def test_the_coarse_picture_stands_for_every_row_and_second():
    recording = new_recording(memory_limit=4_000_000, lanes=16)
    for i in range(60):
        append(recording, 10_000, rows_each=2, lanes=16, start=START + i * 6.3)
    picture = coarse(recording, limit=2_000)
    assert len(picture) <= 2_000
    assert picture.rows.sum() == 60 * 20_000
    assert picture.busy.sum() == pytest.approx(60 * 10_000 * 0.004, rel=1e-3)
    assert set(picture.lane.tolist()) == set(range(16))
    assert picture.start.min() == START
    length = picture.stop - picture.start
    assert (length > 0).all()
    assert (picture.busy <= length * 1.01 + 0.01).all()


def test_the_busiest_prefix_stands_for_a_stretch_and_errors_show():
    recording = new_recording(lanes=1)
    columns = make_rows(200_000, lanes=1)
    columns["prefix"][:] = 0
    columns["prefix"][::3] = 1
    columns["status"][150_000] = 1
    recording.append_tasks(200_000, columns, pack_keys(0, [""] * 200_000).data)
    picture = coarse(recording, limit=100)
    assert len(picture) <= 100
    assert set(picture.prefix.tolist()) == {0}
    assert picture.erred.sum() == 1


def test_a_long_task_stays_one_stretch_of_its_length():
    recording = new_recording(lanes=2)
    columns = make_rows(50_001, lanes=1)
    columns["lane"][-1] = 1
    columns["start"][-1] = START
    columns["duration"][-1] = 500
    recording.append_tasks(50_001, columns, pack_keys(0, [""] * 50_001).data)
    picture = coarse(recording, limit=500)
    lane = picture.lane == 1
    assert picture.start[lane].tolist() == [START]
    assert picture.stop[lane].tolist() == [START + 500]


def test_transfers_are_rows_but_not_work_of_the_lane():
    recording = new_recording(lanes=1)
    columns = make_rows(50_000, lanes=1)
    columns["action"][:] = TRANSFER
    recording.append_tasks(50_000, columns, pack_keys(0, [""] * 50_000).data)
    picture = coarse(recording, limit=100)
    assert picture.rows.sum() == 50_000
    assert picture.busy.sum() == 0


def test_skewed_clocks_cost_a_few_stretches_not_the_picture():
    recording = new_recording(lanes=4)
    columns = make_rows(100_000)
    columns["start"][::10_000] += 5 * 3600
    columns["start"][1] = np.nan
    columns["start"][2] = np.inf
    columns["duration"][3] = -5_000
    columns["duration"][4] = 1e30
    recording.append_tasks(100_000, columns, pack_keys(0, [""] * 100_000).data)
    picture = coarse(recording, limit=1_000)
    assert picture.rows.sum() == 99_998  # what has no start has no place
    usual = (picture.start >= START) & (picture.start < START + 250)
    assert usual.sum() > 250


def test_more_lanes_than_the_limit_still_get_a_stretch_each():
    recording = new_recording(lanes=2_000)
    append(recording, 40_000, lanes=2_000)
    picture = coarse(recording, limit=500)
    assert set(picture.lane.tolist()) == set(range(2_000))
    assert picture.rows.sum() == 40_000
    assert len(picture) <= MAX_SUMMARY_BLOCKS
