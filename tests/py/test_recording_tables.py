"""The tables of a recording in other hands: Parquet files, SQL; and where files of it go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import nan
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from recording_rows import append, append_cluster, append_scheduler, new_recording
from refusals import refused
from test_files import full_recording, saved

import daskscope
from daskscope.errors import DaskscopeError
from daskscope.export import to_csv
from daskscope.loading import opened
from daskscope.recording import Recording, RecordingStore
from daskscope.recording.frames import write_parquet
from daskscope.schema import tables

if TYPE_CHECKING:
    from pathlib import Path

BOUNDED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from daskscope.cli import main
from daskscope.loading import load
recording = load(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    getattr(recording, sys.argv[1])(sys.argv[3])
except Exception as error:
    print(type(error).__name__, error)
"""


def in_a_bounded_process(what: str, source: Path, target: Path) -> str:
    """A process that may write no more than this into a file."""
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED, what, str(source), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_tables_become_parquet_files(tmp_path):
    recording = full_recording()
    folder = recording.to_parquet(tmp_path / "tables")
    tasks = pd.read_parquet(folder / "tasks.parquet")
    assert tasks["key"].tolist() == recording.tasks["key"].tolist()
    names = {"tcp://10.0.0.1:0": "worker-0", "tcp://10.0.0.1:1": "10.0.0.1:1"}  # one has no name
    assert tasks["worker_name"].tolist() == tasks["worker"].map(names).tolist()
    assert pd.read_parquet(folder / "errors.parquet")["task"].tolist() == [7]


def test_tables_of_each_format_come_with_what_is_known_of_the_whole(tmp_path):
    recording = opened(saved(full_recording(), tmp_path))
    recording.to_parquet(tmp_path / "parquet")
    to_csv(recording, tmp_path / "csv")
    parquet, csv = (
        json.loads((tmp_path / form / "about.json").read_text()) for form in ("parquet", "csv")
    )
    assert parquet == csv
    assert parquet["title"] == "A run"
    assert parquet["origin"] == recording.origin
    assert parquet["counts"] == recording.counts.to_json()


@pytest.mark.parametrize("name", [*tables()])
def test_columns_have_the_same_types_in_tables_without_rows(tmp_path, name):
    full, empty = (
        recording.to_parquet(tmp_path / folder)
        for recording, folder in ((full_recording(), "full"), (RecordingStore(), "empty"))
    )
    rows = pq.read_table(full / f"{name}.parquet")
    none = pq.read_table(empty / f"{name}.parquet")
    first = getattr(tables()[name], "first", ())
    assert rows.num_rows > 0
    assert none.num_rows == len(first)
    assert none.schema.equals(rows.schema, check_metadata=False)


def test_a_query_goes_over_the_errors_of_runs_with_and_without(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    for recording, folder in ((RecordingStore(), "a"), (full_recording(), "b")):
        write_parquet(recording, tmp_path / folder)
    query = f"select worker, exception from '{tmp_path}/*/errors.parquet'"
    assert len(duckdb.sql(query).df()) == len(full_recording().errors)


def test_what_is_no_number_is_left_out_of_means(tmp_path):
    recording = RecordingStore()
    append_scheduler(recording, (1.0, 5.0, 6.0, nan), (2.0, 5.0, 6.0, 3.0))
    append_cluster(recording, (3.0, 1, 2, 3, nan, 5, 6))
    write_parquet(recording, tmp_path)
    loops = pq.read_table(tmp_path / "system.parquet")["loop_interval"]
    assert loops.to_pylist() == [None, 3.0, None]
    assert pc.mean(loops).as_py() == 3.0
    assert pq.read_table(tmp_path / "system.parquet")["process"].null_count == 3
    query = "select avg(loop_interval) as mean from {}"
    assert pd.read_parquet(tmp_path / "system.parquet")["loop_interval"].mean() == 3.0
    duckdb = pytest.importorskip("duckdb")
    (mean,) = duckdb.sql(query.format(f"'{tmp_path}/system.parquet'")).df()["mean"]
    assert mean == 3.0 == recording.sql(query.format("system"))["mean"][0]


def test_sql_asks_the_tables():
    pytest.importorskip("duckdb")
    recording = full_recording()
    rows = recording.sql("select prefix, count(*) as n from tasks group by prefix order by prefix")
    assert rows["prefix"].tolist() == ["inc", "sum"]
    assert rows["n"].sum() == recording.counts.rows
    assert recording.sql("select value from about where index = 'title'")["value"][0] == "A run"


def test_sql_asks_of_a_title_that_cannot_be_encoded():
    recording = Recording(new_recording())
    recording._core.about_facts = {"start": 5.0, "title": "a\ud800b", "x\ud800": ["\ud800"]}
    found = recording.sql("select * from about order by index")
    assert found["index"].tolist() == ["start", "title", "x\ufffd"]
    assert found["value"].tolist() == ["5.0", "a\ufffdb", r"['\ud800']"]


def test_sql_without_duckdb_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(DaskscopeError, match=r"pip install .daskscope\[sql\]"):
        RecordingStore().sql("select 1")


def test_parquet_is_written_chunk_by_chunk(tmp_path):
    recording = new_recording()
    for _ in range(4):
        append(recording, 10_000)
    seen: list[tuple[int, int]] = []
    folder = tmp_path / "tables"
    files = write_parquet(recording, folder, lambda *at: seen.append(at))
    assert files == sorted(folder.iterdir())
    assert pq.ParquetFile(folder / "tasks.parquet").num_row_groups == len(recording.chunks()) > 1
    read = pd.read_parquet(folder / "tasks.parquet")
    assert list(read.columns)[2:4] == ["worker", "worker_name"]
    rows = read.drop(columns="worker_name")
    pd.testing.assert_frame_equal(rows, recording.tasks, check_categorical=False, check_dtype=False)
    assert read["worker"].dtype == "category"
    assert seen[-1] == (40_000, 40_000)
    assert len(seen) == len(recording.chunks())


@pytest.mark.all
def test_parquet_that_could_not_be_finished_leaves_nothing(tmp_path):
    source = saved(full_recording(), tmp_path)
    target = tmp_path / "a" / "tables"
    said = in_a_bounded_process("to_parquet", source, target)
    assert said.startswith(f"DaskscopeError {target} could not be written: ")
    assert list(tmp_path.iterdir()) == [source]
    target.mkdir(parents=True)
    (target / "tasks.parquet").write_text("what was there")
    in_a_bounded_process("to_parquet", source, target)
    assert [path.name for path in target.iterdir()] == ["tasks.parquet"]
    assert (target / "tasks.parquet").read_text() == "what was there"


def test_parquet_goes_beside_other_files_of_its_directory(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    full_recording().to_parquet(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "mine.txt",
        "about.json",
        *(f"{name}.parquet" for name in [*tables()]),
    }


def test_a_recording_that_could_not_be_saved_is_an_error_in_words(tmp_path):
    source, target = saved(full_recording(), tmp_path), tmp_path / "other.daskscope"
    said = in_a_bounded_process("save", source, target)
    assert said.startswith(f"DaskscopeError {target} could not be written: File too large")
    assert list(tmp_path.iterdir()) == [source]
    with refused("not-written", "run.daskscope", "No such"):
        full_recording().save(tmp_path / "nowhere" / "run.daskscope")
    with refused("not-written", tmp_path, "Is a directory"):
        full_recording().save(tmp_path)


def test_a_recording_is_saved_where_a_link_points_to(tmp_path):
    link, there = tmp_path / "link.daskscope", tmp_path / "there"
    there.mkdir()
    link.symlink_to(there / "run.daskscope")
    assert full_recording().save(link) == there / "run.daskscope"
    full_recording().save(link)
    assert link.is_symlink()
    assert daskscope.load(link).counts.kept == 320
    assert [path.name for path in there.iterdir()] == ["run.daskscope"]


def test_a_tilde_is_the_home_where_recordings_are_saved_as_where_they_are_loaded(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    full_recording().save(f"~{os.sep}run.daskscope")
    full_recording().to_parquet(f"~{os.sep}tables")
    assert daskscope.load("~/run.daskscope").counts.kept == 320
    assert (tmp_path / "tables" / "tasks.parquet").is_file()


def test_sql_that_has_no_rows_to_return_gives_an_empty_frame():
    pytest.importorskip("duckdb")
    assert len(full_recording().sql("create table more (number integer)")) == 0
    assert len(full_recording().sql("select * from errors where task < 0")) == 0


def test_sql_makes_only_the_tables_that_are_asked_for(monkeypatch):
    pytest.importorskip("duckdb")
    made = []
    table = Recording._sql_table
    monkeypatch.setattr(
        Recording, "_sql_table", lambda rec, name: (made.append(name), table(rec, name))[1]
    )
    recording = full_recording()
    assert recording.sql('SELECT count(*) AS n FROM "Errors"')["n"][0] == 1
    assert made == ["errors"]
    assert set(recording.sql("show tables")["name"]) == {*[*tables()], "about"}


@pytest.mark.parametrize(
    "query", ["select * from nothing", "select * from nothing join tasks on 1"]
)
def test_sql_names_the_tables_that_there_are(query):
    with refused("bad-query", "nothing", *tables(), "about"):
        RecordingStore().sql(query)


@pytest.mark.parametrize(
    "query",
    ["delete from tasks", " UPDATE tasks set nbytes = 1", "drop table tasks", "truncate tasks"],
)
def test_sql_changes_no_recording_and_says_so(query):
    with refused("bad-query"):
        full_recording().sql(query)


def test_what_is_wrong_in_the_sql_itself_duckdb_says():
    import duckdb

    with pytest.raises(duckdb.BinderException, match="nowhere"):
        RecordingStore().sql("select nowhere from tasks")
    with pytest.raises(duckdb.ParserException, match="selec"):
        RecordingStore().sql("selec")


def test_sql_wants_a_question():
    with pytest.raises(TypeError, match="query must be text, got int"):
        RecordingStore().sql(5)
    for query in ("", " ;\n"):
        with refused("bad-query"):
            RecordingStore().sql(query)


def test_a_place_for_tables_is_named_and_its_directory_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recording = full_recording()
    with refused("bad-path"):
        recording.to_parquet("")
    with pytest.raises(TypeError, match="directory must be text or a path, got int"):
        recording.to_parquet(5)
    with refused("not-written", "nowhere"):
        recording.to_parquet("nowhere/tables")
    assert list(tmp_path.iterdir()) == []
