"""The colours of names: chosen once, kept wherever the names go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from recording_rows import append, make_rows, new_recording

from daskscope.loading import opened
from daskscope.recording import Names, RecordingStore, pack_keys
from daskscope.recording.block_recording import BlockRecording, positions_of
from daskscope.recording.names import RING, SLOTS, STRIDE, Colours, preferred_slot
from daskscope.report.redact import redacted
from daskscope.schema import MAX_NAMES, OTHER_NAME


@pytest.mark.parametrize(
    ("name", "slot"),
    [
        ("read-parquet", 7),
        ("rename", 1),
        ("shuffle-transfer", 10),
        ("shuffle-barrier", 2),
        ("shuffle-p2p", 4),
        ("groupby-chunk", 5),
        ("groupby-agg", 8),
    ],
)
def test_a_name_that_meets_no_other_gets_its_own_slot(name: str, slot: int) -> None:
    assert preferred_slot(name) == slot
    names = Names()
    names.intern("prefixes", name)
    assert names.colours["prefixes"] == [slot]


def alike(count: int) -> list[str]:
    """Names that prefer the same slot."""
    found = (f"name-{number}" for number in range(100_000))
    chosen = [name for name in found if preferred_slot(name) == 3]
    return chosen[:count]


def test_a_slot_that_is_taken_is_passed_over_in_steps_and_then_the_second_ring_is_filled():
    colours = Colours(lambda: (0, np.zeros(0)))
    slots = [colours.add(name) for name in alike(SLOTS)]
    ring = [(3 + STRIDE * number) % RING for number in range(RING)]
    assert slots == ring + [RING + slot for slot in ring]
    assert sorted(slots) == list(range(SLOTS))


def test_from_the_25th_on_names_share_the_slot_whose_names_took_the_least_time():
    seconds = np.full(SLOTS, 5.0)
    seconds[[7, 9]] = 1.0, 1.5
    rows = 1
    colours = Colours(lambda: (rows, seconds))
    slots = [colours.add(name) for name in alike(SLOTS)]
    assert colours.add("one") == slots[7]
    seconds, rows = np.append(seconds, 1.0), 2
    assert colours.add("two") == slots[9]
    seconds, rows = np.append(seconds, 0.5), 3
    assert {colours.add("three"), colours.add("four")} == {slots[7], slots[9]}, "by fewer names"


def test_a_recording_weighs_names_by_what_they_took():
    recording = new_recording(prefixes=alike(SLOTS))
    rows = make_rows(SLOTS) | {"prefix": np.arange(SLOTS), "duration": np.arange(SLOTS, 0, -1)}
    recording.append_tasks(SLOTS, rows, pack_keys(0, ["k"] * SLOTS).data)
    recording.names.intern("prefixes", "late")
    slots = recording.names.colours["prefixes"]
    assert slots[-1] == slots[SLOTS - 1]


def test_blocks_files_and_redacted_copies_keep_the_slots(tmp_path):
    source = new_recording(prefixes=[*alike(5), "/home/ada/x"])
    since = positions_of(source)
    rows = make_rows(2) | {"prefix": np.array([5, 3])}
    source.append_tasks(2, rows, pack_keys(0, ["a", "b"]).data)
    limits: dict[str, Any] = {"memory_limit": 4_000_000, "disk_limit": 0, "overflow": "drop"}
    block = BlockRecording(source, since, **limits)
    block.advance(positions_of(source))
    wanted = source.names.colours["prefixes"]
    assert block.recording.names.colours["prefixes"] == [wanted[3], wanted[5]]
    for copy in (opened(source.save(tmp_path / "run.daskscope")), redacted(source, ["paths"])):
        kept = dict(zip(copy.names.prefixes, copy.names.colours["prefixes"], strict=True))
        assert {kept[name] for name in copy.names.prefixes} <= set(wanted)
        assert [kept[name] for name in alike(5) if name in kept] == [
            slot for name, slot in zip(alike(5), wanted, strict=False) if name in kept
        ]
        assert copy.table("prefixes")["colour"].tolist() == copy.names.colours["prefixes"]


def test_every_entry_has_a_slot_also_that_for_all_others():
    recording = RecordingStore()
    for number in range(MAX_NAMES + 5):
        recording.names.intern("prefixes", f"{number}")
    slots = recording.names.colours["prefixes"]
    assert recording.names.prefixes[-1] == OTHER_NAME
    assert len(slots) == MAX_NAMES
    assert set(slots) == set(range(SLOTS))
    append(recording, 1)
    assert recording.tasks["prefix"].tolist() == ["0"]


def test_a_slot_that_is_none_is_not_believed():
    names = Names()
    names.intern("prefixes", "rename", 200)
    assert names.colours["prefixes"] == [preferred_slot("rename")]
