"""The bounds of a recording: what is spilled, what is dropped, and that both are counted."""

from __future__ import annotations

import gc
import inspect
from pathlib import Path
from random import Random
from string import ascii_letters

import pytest
from recording_rows import START, append, make_rows, new_recording

from daskscope import config
from daskscope.recording import RecordingStore, pack_keys
from daskscope.recording.chunk import merge_blocks

MAPS = Path("/proc/self/maps")


def maps_below(folder: Path) -> list[str]:
    return [line for line in MAPS.read_text().splitlines() if str(folder) in line]


def test_oldest_tasks_are_spilled_and_stay_readable():
    recording = new_recording(memory_limit=4_000_000)
    for _ in range(100):
        append(recording, 5_000)
    counts = recording.counts
    assert counts.kept == counts.captured == 500_000
    assert counts.dropped_recording == 0
    assert recording.memory_bytes <= 4_000_000
    assert recording.disk_bytes > 10_000_000
    assert recording.key_of(3) == "key-3"
    assert recording.tasks["start"].iloc[0] == START
    assert len(recording.tasks) == 500_000


@pytest.mark.skipif(not MAPS.exists(), reason="needs /proc")
def test_spilled_files_have_no_name_and_go_with_the_recording(tmp_path):
    recording = new_recording(memory_limit=4_000_000, directory=str(tmp_path))
    for _ in range(100):
        append(recording, 5_000)
    assert recording.disk_bytes > 0
    assert list(tmp_path.iterdir()) == []
    assert maps_below(tmp_path)
    chunk = recording.chunks()[0]
    recording.close()
    del recording
    gc.collect()
    assert chunk.key_of(3) == "key-3"
    del chunk
    gc.collect()
    assert not maps_below(tmp_path)


def test_a_tail_that_fills_the_memory_is_spilled_before_anything_is_dropped():
    recording = new_recording(memory_limit=4_000_000)
    for _ in range(50):
        append(recording, 5_000)
    noise = Random(0)
    for _ in range(60):  # in small pieces, as a live run brings them, with long keys
        columns = make_rows(20)
        keys = ["".join(noise.choices(ascii_letters, k=8_000)) for _ in range(20)]
        recording.append_tasks(20, columns, pack_keys(0, keys).data)
    assert recording.counts.dropped_recording == 0
    assert recording.memory_bytes <= 4_000_000
    assert recording.key_of(3) == "key-3"


def test_keys_that_came_in_small_pieces_are_put_together_up_to_a_size():
    small = [pack_keys(i, [f"key-{i}"]) for i in range(100)]
    (one,) = merge_blocks(small)
    assert one.texts() == [f"key-{i}" for i in range(100)]
    noise = Random(0)
    texts = ["".join(noise.choices(ascii_letters, k=50_000)) for _ in range(40)]
    several = merge_blocks([pack_keys(i, [text]) for i, text in enumerate(texts)])
    assert [text for block in several for text in block.texts()] == texts
    assert [block.first for block in several[1:]] == [block.stop for block in several[:-1]]
    assert 2 < len(several) < 40
    assert max(len(block.data) for block in several) <= 256_000


def test_beyond_the_disk_limit_the_oldest_are_dropped_and_counted():
    recording = new_recording(memory_limit=4_000_000, disk_limit=8_000_000)
    for _ in range(200):
        append(recording, 5_000, rows_each=2)
    counts = recording.counts
    assert counts.captured == 1_000_000
    assert counts.kept + counts.dropped_recording == 1_000_000
    assert 0 < counts.kept < 1_000_000
    assert counts.rows == 2 * counts.kept == len(recording.tasks)
    assert recording.chunks()[0].first == counts.dropped_recording
    assert recording.disk_bytes <= 8_000_000


def test_with_overflow_drop_nothing_goes_to_disk():
    recording = new_recording(memory_limit=4_000_000, overflow="drop")
    for _ in range(200):
        append(recording, 2_000)
    assert recording.disk_bytes == 0
    assert recording.memory_bytes <= 4_000_000
    counts = recording.counts
    assert counts.dropped_recording > 0
    assert counts.dropped == counts.dropped_recording
    assert counts.kept + counts.dropped == counts.captured == 400_000


def test_a_full_disk_costs_the_oldest_tasks_not_the_kernel(tmp_path):
    (tmp_path / "file").touch()
    recording = new_recording(memory_limit=4_000_000, directory=str(tmp_path / "file"))
    for _ in range(100):
        append(recording, 5_000)
    assert recording.spill_error
    assert recording.memory_bytes <= 4_000_000
    counts = recording.counts
    assert counts.kept + counts.dropped_recording == 500_000


def test_totals_stay_true_when_rows_are_dropped():
    recording = new_recording(memory_limit=4_000_000, overflow="drop")
    for _ in range(100):
        append(recording, 5_000, rows_each=2)
    totals = recording.totals
    assert [(t.prefix, t.tasks, t.erred) for t in totals.prefixes] == [
        (0, 250_000, 0),
        (1, 250_000, 0),
    ]
    assert [(t.action, t.rows) for t in totals.actions] == [(0, 500_000), (1, 500_000)]
    assert totals.prefixes[0].seconds == pytest.approx(250_000 * 0.004, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "value"), [("memory_limit", 10), ("disk_limit", -1), ("overflow", "explode")]
)
def test_wrong_limits_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        RecordingStore(**{name: value})


def test_the_bounds_are_by_default_those_of_the_settings():
    defaults = inspect.signature(RecordingStore).parameters
    limits = config.recording_limits()
    for name in ("memory_limit", "disk_limit", "overflow"):
        assert defaults[name].default == getattr(limits, name)


def test_what_the_agent_dropped_is_captured_but_not_kept():
    recording = new_recording()
    append(recording, 10)
    recording.drop_from_agent(7)
    counts = recording.counts
    assert (counts.captured, counts.kept, counts.dropped, counts.dropped_agent) == (17, 10, 7, 7)
