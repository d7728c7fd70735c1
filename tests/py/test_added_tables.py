"""A table that is declared, and nothing else, is wherever tables are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from recording_rows import START, append, new_recording

from daskscope import schema
from daskscope.derive.findings import missing_notices
from daskscope.export import to_csv
from daskscope.loading import opened
from daskscope.recording import Recording, RecordingStore
from daskscope.recording.block_recording import BlockRecording, Window, positions_of
from daskscope.report.redact import redacted
from daskscope.schema import Column, Dictionary, Log, Series

if TYPE_CHECKING:
    from pathlib import Path

FRAMES = Dictionary(
    "frames",
    "A line of code.",
    (
        Column("file", "utf8", "where", holds=("paths",)),
        Column("code", "utf8", "what nobody declared"),
        Column("line", "uint32", "number"),
    ),
    coloured=True,
)
STACKS = Dictionary(
    "stacks",
    "A frame, and the stack that it is on: itself at the bottom.",
    (
        Column("parent", "uint32", "stack", into="stacks"),
        Column("frame", "uint16", "frame", into="frames"),
    ),
)
NOTES = Log(
    "notes",
    "A row is a note of a user.",
    (
        Column("time", "float64", "when", unit="s"),
        Column("text", "utf8", "what", holds=("paths", "hosts")),
        Column("words", "texts", "what else", holds=("paths",)),
        Column("secret", "utf8", "what nobody declared"),
        Column("stack", "uint32", "from where", into="stacks"),
        Column("prefix", "uint16", "of which tasks", into="prefixes"),
        Column("size", "float32", "how large", unit="B"),
    ),
    rows=50,
    noun="note",
    nouns="notes",
)
CELLS = Log(
    "cells",
    "A row is a cell of the notebook.",
    (
        Column("start", "float64", "from", unit="s"),
        Column("stop", "float64", "to", unit="s"),
        Column("id", "utf8", "which", holds=()),
    ),
    key="id",
    time="start",
    stop="stop",
)
HELD = Series(
    "held",
    "Bytes by prefix.",
    (
        Column("time", "float64", "when", unit="s"),
        Column("prefix", "uint16", "of what", into="prefixes", combine="key"),
        Column("bytes", "float64", "how many", unit="B", combine="extremes"),
    ),
)
READS = Series(
    "reads",
    "Bytes read by worker.",
    (
        Column("time", "float64", "from", unit="s"),
        Column("duration", "float64", "for", unit="s"),
        Column("worker", "utf8", "address", holds=("hosts",), combine="key"),
        Column("nbytes", "float64", "how many", unit="B", combine="sum"),
    ),
)
STATES = Series(
    "states",
    "Tasks by state, until the next row.",
    (
        Column("time", "float64", "when", unit="s"),
        Column("prefix", "uint16", "of what", into="prefixes", combine="key"),
        Column("waiting", "float64", "how many", combine="last"),
    ),
)
ADDED = {
    "FRAMES": FRAMES,
    "STACKS": STACKS,
    "NOTES": NOTES,
    "CELLS": CELLS,
    "HELD": HELD,
    "READS": READS,
    "STATES": STATES,
}


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, table in ADDED.items():
        monkeypatch.setattr(schema, name, table, raising=False)


def note(number: int, stack: int, prefix: int = 1) -> dict[str, Any]:
    return {
        "time": START + number,
        "text": f"note {number} of /home/ada/notes.txt at tcp://10.0.0.7:41",
        "words": ("/home/ada/notes.txt", f"{number}"),
        "secret": "nobody says what this is",
        "stack": stack,
        "prefix": prefix,
        "size": 0.1,
    }


def fill(recording: RecordingStore) -> None:
    """Append to each of the tables; 5 s of it are of the block."""
    names = recording.names
    unused = names.intern("frames", ("/home/ada/unused.py", "unused()", 1))
    bottom = names.intern("frames", ("/home/ada/run.py", "run()", 7))
    top = names.intern("frames", ("/home/ada/lib.py", "work()", 70_000))
    names.intern("stacks", (0, unused))
    root = names.intern("stacks", (1, bottom))
    stack = names.intern("stacks", (root, top))
    recording.log("notes").append(note(number, stack) for number in range(8))
    cells = recording.log("cells")
    cells.append([{"start": START + 1, "stop": np.nan, "id": "a"}])
    cells.append([{"start": START + 2, "stop": START + 3, "id": "b"}])
    cells.append([{"start": START + 1, "stop": START + 4, "id": "a"}])
    recording.series("held").append(
        {
            "time": START + np.repeat(np.arange(8.0), 2),
            "prefix": np.tile([0, 1], 8),
            "bytes": np.arange(16.0),
        },
        now=START + 8,
    )
    recording.series("reads").append(
        {
            "time": START + np.arange(4.0) * 2,
            "duration": np.full(4, 2.0),
            "worker": ["tcp://10.0.0.7:41", "tcp://10.0.0.8:41"] * 2,
            "nbytes": [8.0, 16.0, 32.0, 64.0],
        },
        now=START + 8,
    )
    recording.series("states").append(
        {"time": START + np.array([0, 1, 2, 5.0]), "prefix": [0, 1, 1, 0], "waiting": [4, 3, 2, 1]},
        now=START + 8,
    )


def recorded() -> RecordingStore:
    recording = new_recording()
    append(recording, 4)
    fill(recording)
    return recording


def block_of(source: RecordingStore) -> RecordingStore:
    """What was recorded since the beginning, as a block that began after 2.5 s and took 5 s."""
    block = BlockRecording(
        source,
        positions_of(new_recording()),
        memory_limit=4_000_000,
        disk_limit=0,
        overflow="drop",
    )
    block.advance(positions_of(source), Window(START + 2.5, START + 6.5))
    return block.recording


def tables_of(recording: Recording) -> dict[str, pd.DataFrame]:
    return {table.name: Recording(recording._core).table(table.name) for table in ADDED.values()}


def test_added_tables_are_live():
    found = tables_of(recorded())
    assert list(found["frames"].columns) == ["file", "code", "line", "colour"]
    assert found["frames"]["line"].tolist() == [1, 7, 70_000]
    assert found["stacks"]["frame"].tolist()[-1] == "/home/ada/lib.py / work()"
    assert list(found["notes"].columns) == list(NOTES.names)
    assert found["notes"]["prefix"].tolist() == ["sum"] * 8
    assert found["notes"]["words"].tolist()[3] == "/home/ada/notes.txt / 3"
    assert found["notes"]["size"].dtype == "float32"
    assert found["cells"]["id"].tolist() == ["b", "a"]
    assert found["cells"]["stop"].tolist() == [START + 3, START + 4]
    held = found["held"]
    assert list(held.columns) == [*(c.name for c in schema.columns_of(HELD)), "step"]
    assert held["prefix"].tolist() == ["inc", "sum"] * 8
    assert held["step"].tolist() == [0] * 16
    assert list(found["reads"].columns) == ["time", "duration", "worker", "nbytes", "step"]


def test_added_tables_are_in_a_block_as_far_as_they_are_of_its_time():
    found = tables_of(block_of(recorded()))
    assert found["notes"]["time"].tolist() == [START + number for number in (3, 4, 5, 6)]
    assert found["cells"]["id"].tolist() == ["b", "a"]
    assert found["held"]["time"].min() == START + 3
    assert found["reads"]["time"].tolist() == [START + 2.5, START + 4, START + 6]
    assert found["reads"]["duration"].tolist() == [1.5, 2.0, 0.5]
    assert found["reads"]["nbytes"].tolist() == [12.0, 32.0, 16.0]
    states = found["states"].sort_values(["time", "waiting"])
    assert states["time"].tolist() == [START + 2.5, START + 2.5, START + 5]
    assert states["prefix"].tolist() == ["sum", "inc", "inc"], "as it was when the block began"
    assert states["waiting"].tolist() == [2.0, 4.0, 1.0]
    assert found["frames"]["file"].tolist() == ["/home/ada/run.py", "/home/ada/lib.py"]
    assert found["stacks"]["frame"].tolist()[-1] == "/home/ada/lib.py / work()"
    assert len(found["stacks"]) == 2


def test_added_tables_are_in_a_file(tmp_path: Path):
    recording = recorded()
    after = opened(recording.save(tmp_path / "run.daskscope"))
    for name, frame in tables_of(recording).items():
        pd.testing.assert_frame_equal(after.table(name), frame, check_exact=True)
    again = opened(after.save(tmp_path / "again.daskscope"))
    for name, frame in tables_of(recording).items():
        pd.testing.assert_frame_equal(again.table(name), frame, check_exact=True)


def test_added_tables_are_in_sql_parquet_and_csv(tmp_path: Path):
    recording = recorded()
    recording.to_parquet(tmp_path / "parquet")
    to_csv(recording, tmp_path / "csv")
    for name, frame in tables_of(recording).items():
        stored = pq.read_table(tmp_path / "parquet" / f"{name}.parquet")
        assert stored.column_names == list(frame.columns)
        assert stored.num_rows == len(frame)
        assert len(pd.read_csv(tmp_path / "csv" / f"{name}.csv")) == len(frame)
    pytest.importorskip("duckdb")
    rows = recording.sql("select prefix, max(bytes_most) as most from held group by 1 order by 1")
    assert rows["most"].tolist() == [14.0, 15.0]


def test_added_tables_are_cleaned_as_they_declare_in_a_redacted_copy():
    recording = recorded()
    copy = tables_of(redacted(recording, ["paths", "hosts"]))
    for name, frame in tables_of(recording).items():
        assert copy[name].shape == frame.shape
        assert (
            not copy[name].astype(str).apply(lambda column: column.str.contains("ada")).any().any()
        )
        for column in frame.select_dtypes("number"):
            assert copy[name][column].equals(frame[column]), column
    assert copy["notes"]["text"][0].startswith("note 0 of ")
    assert "10.0.0.7" not in "".join(copy["notes"]["text"])
    assert copy["reads"]["worker"].tolist() == ["worker-2", "worker-3"] * 2
    assert set(copy["notes"]["secret"]) == {""}
    assert set(copy["frames"]["code"]) == {""}
    assert len(copy["frames"]) == 3
    code = tables_of(redacted(recording, ["code"]))
    assert code["notes"]["text"].equals(tables_of(recording)["notes"]["text"])
    assert set(code["notes"]["secret"]) == set(code["frames"]["code"]) == {""}


def test_what_is_dropped_of_an_added_table_is_told(tmp_path: Path):
    recording = recorded()
    recording.log("notes").append(note(number, 0) for number in range(50))
    for one in (recording, opened(recording.save(tmp_path / "run.daskscope"))):
        told = {notice.code: notice.text for notice in missing_notices(one, one.counts)}
        assert told["notes-dropped"].startswith(
            "8 notes were dropped: a recording keeps the newest"
        )
    assert recording.table("notes")["time"].tolist() == [START + number for number in range(50)]


def test_a_log_whose_key_redaction_would_leave_out_is_refused():
    with pytest.raises(ValueError, match=r"cells\.id is a key"):
        Log("cells", "", (Column("time", "float64", ""), Column("id", "utf8", "")), key="id")
