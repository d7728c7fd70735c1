"""CSV: what was recorded comes back, and no spreadsheet calculates it."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from recording_rows import START, append, log_line, make_rows, new_recording
from refusals import refused
from test_files import full_recording

from daskscope.atomic_files import written
from daskscope.errors import DaskscopeError
from daskscope.export import to_csv
from daskscope.recording import RecordingStore, pack_keys
from daskscope.schema import tables


def test_each_table_is_a_file_that_pandas_reads(tmp_path):
    recording = full_recording()
    paths = to_csv(recording, tmp_path / "tables")
    assert {path.name for path in paths} == {f"{name}.csv" for name in tables()} | {"about.json"}
    tasks = pd.read_csv(tmp_path / "tables" / "tasks.csv")
    assert tasks["key"].tolist() == recording.tasks["key"].tolist()
    # To the microsecond: older versions of pandas read fewer digits than a float has.
    assert tasks["start"].tolist() == pytest.approx(
        recording.tasks["start"].tolist(), rel=0, abs=1e-6
    )
    names = {"tcp://10.0.0.1:0": "worker-0", "tcp://10.0.0.1:1": "10.0.0.1:1"}  # one has no name
    assert tasks["worker_name"].tolist() == tasks["worker"].map(names).tolist()
    assert tasks["thread"].astype(str).tolist() == recording.tasks["thread"].tolist()
    errors = pd.read_csv(tmp_path / "tables" / "errors.csv")
    assert errors["exception"].tolist() == ["ValueError('é �')"]
    about = json.loads((tmp_path / "tables" / "about.json").read_text())
    assert about["title"] == "A run"
    assert about["counts"] == recording.counts.to_json()
    assert about["origin"] == recording.origin


def test_times_are_told_from_the_origin_as_well(tmp_path):
    recording = full_recording()
    to_csv(recording, tmp_path)
    tasks = pd.read_csv(tmp_path / "tasks.csv")
    assert tasks["start_from_origin"].min() == 0
    assert tasks["start_from_origin"].max() == pytest.approx(
        tasks["start"].max() - START, rel=0, abs=1e-6
    )
    gaps = pd.read_csv(tmp_path / "gaps.csv")
    expected = ["start", "start_from_origin", "stop", "stop_from_origin", "reason", "text"]
    assert list(gaps.columns) == expected
    assert pd.read_csv(tmp_path / "logs.csv")["time_from_origin"][0] == 1.5 - START


def test_text_that_a_spreadsheet_would_calculate_is_made_inert(tmp_path):
    keys = ["=1+1", "+x", "-x", "@x", "\tx", "plain, with comma", 'a "quote"', "two\nlines"]
    recording = new_recording()
    recording.append_tasks(len(keys), make_rows(len(keys)), pack_keys(0, keys).data)
    to_csv(recording, tmp_path)
    found = pd.read_csv(tmp_path / "tasks.csv")["key"].tolist()
    assert found == ["'=1+1", "'+x", "'-x", "'@x", "'\tx", *keys[5:]]


def test_a_text_with_ends_of_lines_stays_one_row(tmp_path):
    recording = new_recording()
    lines = ["progress 1%\rprogress 2%", "two\r\nlines", "two\nlines", 'a "word", and more']
    recording.log("logs").append([log_line(1.5, "scheduler", "INFO", line) for line in lines])
    recording.append_tasks(2, make_rows(2), pack_keys(0, ["a\rb", "c"]).data)
    to_csv(recording, tmp_path / "out")
    assert pd.read_csv(tmp_path / "out" / "logs.csv")["text"].tolist() == lines
    assert pd.read_csv(tmp_path / "out" / "logs.csv")["time"].tolist() == [1.5] * 4
    tasks = pd.read_csv(tmp_path / "out" / "tasks.csv")
    assert tasks["key"].tolist() == ["a\rb", "c"]
    assert tasks["span"].isna().all()


def test_an_empty_recording_gives_headers(tmp_path):
    to_csv(RecordingStore(), tmp_path)
    tasks = pd.read_csv(tmp_path / "tasks.csv")
    assert len(tasks) == 0
    assert "start_from_origin" in tasks


def test_whoever_watches_hears_how_far_it_is(tmp_path):
    recording = new_recording()
    for _ in range(4):
        append(recording, 10_000)
    seen: list[tuple[int, int]] = []
    to_csv(recording, tmp_path, lambda done, of: seen.append((done, of)))
    assert seen[-1] == (40_000, 40_000)
    assert len(seen) > 1


def half_of_it(path, error):
    with written(path) as file:
        file.write(b"half of it")
        raise error


def test_a_file_that_could_not_be_finished_leaves_the_old_one_and_nothing_else(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("what was there")
    with refused("not-written", "No space left on device"):
        half_of_it(path, OSError(28, "No space left on device"))
    with pytest.raises(ValueError, match="of something else"):
        half_of_it(path, ValueError("of something else"))
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_keeps_pointing_to_what_is_written(tmp_path):
    path, link = tmp_path / "a.json", tmp_path / "link.json"
    path.write_text("what was there")
    link.symlink_to(path)
    with written(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    with (
        refused("not-written", "a.json", "No such file"),
        written(tmp_path / "nowhere" / "a.json"),
    ):
        pass
    with pytest.raises(DaskscopeError, match="File name too long"), written(tmp_path / ("a" * 300)):
        pass
