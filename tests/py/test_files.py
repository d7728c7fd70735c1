"""Recordings in files: what was saved comes back, and nothing foreign is believed."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from functools import partial
from typing import TYPE_CHECKING

import dask
import fsspec
import numpy as np
import pandas as pd
import pytest
from recording_rows import (
    START,
    append,
    append_cluster,
    append_memory,
    append_scheduler,
    gap,
    log_line,
    logged_event,
    make_rows,
    new_recording,
    rowless_task,
    task_error,
    worker_change,
)
from refusals import refused

import daskscope
from daskscope.derive.summary import summary
from daskscope.errors import DaskscopeError
from daskscope.loading import opened
from daskscope.recording import RecordingStore, pack_keys
from daskscope.recording.file_reader import read_file
from daskscope.recording.file_tables import decode
from daskscope.recording.file_writer import FileWriter, write_file
from daskscope.schema import COARSE, FILE_FORMAT, tables

if TYPE_CHECKING:
    from pathlib import Path


def full_recording() -> RecordingStore:
    """One with something in each table."""
    recording = new_recording()
    recording.names.intern("spans", ("6ac", ("load", "clean")))
    append(recording, 300, rows_each=2)
    append(recording, 20)
    recording.log("errors").append(
        [
            task_error(
                7, "key-7", 1, "tcp://10.0.0.1:0", 5.5, "ValueError('é \ud800')", "Traceback …"
            )
        ]
    )
    recording.name_workers({"tcp://10.0.0.1:0": "worker-0"})
    recording.note_present({"tcp://10.0.0.1:0": 2}, 1.0)
    recording.log("workers").append(
        [worker_change(2.0, "tcp://10.0.0.1:0", "paused", "was running")]
    )
    recording.log("gaps").append(
        [gap(3.0, 4.0, "scheduler-restarted", "The scheduler was restarted.")]
    )
    recording.log("events").append([logged_event(1.0, "mine", '{"a": 1}')])
    recording.log("logs").append([log_line(1.5, "scheduler", "INFO", "hello")])
    append_cluster(recording, (1.0, 2, 4, 1000, 500, 100, 0))
    append_scheduler(recording, (1.0, 12.5, 1e8, 0.02))
    append_memory(recording, 1.0, {"tcp://10.0.0.1:0": 500.0, "": 500.0})
    recording.series("held").append({"time": [1.0], "prefix": [1], "bytes": [100.0]}, now=1.0)
    sample = {"label": "a run", "measure": "process", "cluster": 500.0, "most": 500.0}
    recording.series("samples").append({"time": [1.0], **sample}, now=1.0)
    recording.log("rowless").append([rowless_task(319, 1, 1)])
    graph = {"computation": 2, "time": 1.0, "stop": 1.5, "graphs": 1, "tasks": 320}
    recording.log("computations").append([graph | {"client": "Client-1", "cell": "In [7]"}])
    cell = {"cell": "In [7]", "time": 0.5, "stop": 6.0, "status": "ok", "code": "compute()"}
    recording.log("cells").append([cell])
    recording.names.intern("activities", "thread-cpu")
    recording.series("metrics").append({"time": [1.0], "duration": [1.0], "value": [0.5]}, now=1.0)
    recording.series("states").append({"time": [1.0], "worker": [""], "waiting": [3]}, now=1.0)
    recording.log("span_times").append([{"span": 1, "time": 1.0, "start": 1.5, "stop": 2.0}])
    frame = recording.names.intern("frames", ("inc", "/home/ada/inc.py", 3, 4, "return x + 1"))
    stack = recording.names.intern("stacks", (0, frame))
    seen = {"time": 1.0, "duration": 1.0, "worker": "tcp://10.0.0.1:0", "stack": stack, "count": 9}
    columns = {name: [value] for name, value in seen.items()}
    recording.series("profile_counts").append(columns, now=2.0)
    profiled = {"worker": "tcp://10.0.0.1:0", "time": 1.0, "until": 2.0, "compute": "ok"}
    recording.log("profiled").append([profiled | {"interval": 0.01, "cycle": 1.0}])
    recording.drop_from_agent(5)
    recording.about_facts = {"title": "A run", "start": 1.0, "stop": 9.0}
    return recording


def read_or_refused(content: io.BytesIO) -> RecordingStore | None:
    """Read a file that may be anything; an error must have a code of ours."""
    recording = RecordingStore()
    codes = []
    try:
        read_file(content, recording, "some file")
    except DaskscopeError as error:
        codes.append(error.code)
    finally:
        recording.close()
    assert {"bad-file", "newer-file", "older-file"}.issuperset(codes)
    return None if codes else recording


def saved(recording: RecordingStore, folder: Path) -> Path:
    return recording.save(folder / "run.daskscope")


def test_everything_that_was_saved_comes_back(tmp_path):
    before = full_recording()
    after = opened(saved(before, tmp_path))
    for name in [name for name in tables() if name != "tasks"]:
        pd.testing.assert_frame_equal(after.table(name), before.table(name), check_exact=True)
    assert after.errors["exception"].tolist() == ["ValueError('é �')"]
    assert after.counts == before.counts
    assert after.totals == before.totals
    assert after.worker_names == before.worker_names
    assert after.about["title"] == "A run"
    assert after.about["whole"]


def test_rows_come_back_to_the_microsecond(tmp_path):
    before = full_recording()
    after = daskscope.load(saved(before, tmp_path))
    exact = [name for name in before.tasks if name not in ("start", "duration")]
    pd.testing.assert_frame_equal(after.tasks[exact], before.tasks[exact], check_categorical=False)
    for name in ("start", "duration"):
        assert np.abs(after.tasks[name] - before.tasks[name]).max() <= 0.5e-6


def test_a_path_may_be_text_and_a_url(tmp_path):
    path = saved(full_recording(), tmp_path)
    assert daskscope.load(str(path)).counts.kept == 320
    assert daskscope.load(path.as_uri()).counts.kept == 320


def test_times_that_are_no_times_come_back_as_they_were(tmp_path):
    recording = new_recording()
    columns = make_rows(4)
    columns["start"][1:3] = [np.nan, np.inf]
    columns["duration"][3] = -7200
    recording.append_tasks(4, columns, pack_keys(0, list("abcd")).data)
    after = daskscope.load(saved(recording, tmp_path)).tasks
    np.testing.assert_array_equal(after["start"], recording.tasks["start"])
    assert after["duration"][3] == -7200


def test_keys_of_every_kind_come_back(tmp_path):
    keys = ["", "x" * 10_000, "<script>alert(1)</script>", "🙂", "a\nb", "('x', 1)", "�"]
    recording = new_recording()
    recording.append_tasks(len(keys), make_rows(len(keys)), pack_keys(0, keys).data)
    assert daskscope.load(saved(recording, tmp_path)).tasks["key"].tolist() == keys


def test_a_million_long_keys_make_several_small_members(tmp_path):
    recording = new_recording()
    append(recording, 3_000, key="{}" + "k" * 9_000)
    path = saved(recording, tmp_path)
    with zipfile.ZipFile(path) as members:
        sizes = [i.file_size for i in members.infolist() if i.filename.startswith("keys/")]
    assert len(sizes) > 2
    assert max(sizes) < 9_000_000
    assert opened(path).key_of(2_999) == "2999" + "k" * 9_000


def test_what_the_recording_dropped_keeps_its_numbers(tmp_path):
    recording = new_recording()
    append(recording, 10)
    recording.skip_tasks(5)
    append(recording, 10)
    after = opened(saved(recording, tmp_path))
    assert after.counts == recording.counts
    assert after.counts.dropped_recording == 5
    assert after.key_of(15) == recording.key_of(15) == "key-15"


def dropping_recording() -> RecordingStore:
    """One of which most tasks, all of its errors and a prefix were dropped."""
    recording = new_recording(
        prefixes=("gone", "inc", "sum"), memory_limit=4_000_000, overflow="drop"
    )
    for number in range(30):
        columns = make_rows(10_000, start=START + 30 * number)
        columns["prefix"] += 0 if number == 0 else 1
        columns["status"][:] = number < 3
        recording.append_tasks(10_000, columns, pack_keys(0, ["key"] * 10_000).data)
    recording.log("rowless").append([rowless_task(299_999, 2, 1)])
    recording.drop_from_agent(7)
    recording.log("errors").count_dropped(40_000)
    recording.log("workers").count_dropped(12)
    recording.log("workers").append([worker_change(2.0, "tcp://10.0.0.1:0", "paused", "")])
    return recording


def test_figures_of_what_was_dropped_come_back(tmp_path):
    before = dropping_recording()
    assert before.counts.dropped_recording > 100_000
    path = saved(before, tmp_path)
    after = opened(path)
    assert after.counts == before.counts
    assert after.totals == before.totals
    assert summary(after)["errors"]["count"] == 40_000
    again = opened(saved(after, tmp_path))
    assert (again.counts, again.totals) == (before.counts, before.totals)


def test_tasks_that_were_dropped_after_the_last_one_are_counted(tmp_path):
    before = full_recording()
    before.skip_tasks(5)
    after = opened(saved(before, tmp_path))
    assert after.counts == before.counts


def test_tasks_dropped_after_the_last_one_are_counted_besides_those_that_opening_drops(tmp_path):
    before = new_recording()
    before.skip_tasks(1_000)
    for _ in range(30):
        before.append_tasks(10_000, make_rows(10_000), pack_keys(0, ["key"] * 10_000).data)
    before.skip_tasks(100_000)
    path = saved(before, tmp_path)
    bounds = {"memory-limit": "4MB", "overflow": "drop"}
    with dask.config.set({f"daskscope.recording.{name}": v for name, v in bounds.items()}):
        after = opened(path)
    assert after.counts.captured == before.counts.captured == 401_000
    assert after.counts.kept < before.counts.kept == 300_000
    assert after.counts.dropped_recording == 401_000 - after.counts.kept


@pytest.mark.parametrize(
    "said",
    [
        {"counts": 7, "totals": [1]},
        {"counts": {"erred": "many", "changes": -1, "dropped_recording": 1.5}, "totals": None},
        {"totals": {"prefixes": [{"prefix": 9, "tasks": 1, "seconds": 1, "erred": 0}]}},
        {"totals": {"prefixes": [{"prefix": 0, "tasks": 1, "seconds": -1, "erred": 0}]}},
        {"totals": {"prefixes": [{"prefix": True, "tasks": 9, "seconds": 1, "erred": 0}]}},
        {"totals": {"prefixes": [], "actions": [{"action": 0, "rows": 9}]}},
        {"totals": {"prefixes": 5, "actions": {}}},
        {
            "counts": {"erred": 0, "changes": 0, "dropped_recording": 0, "dropped_agent": 5},
            "totals": {
                "prefixes": [{"prefix": 0, "tasks": 1, "seconds": 0.5, "erred": 0}],
                "actions": [{"action": 0, "rows": 1, "seconds": 0.5}],
            },
        },
    ],
)
def test_no_file_can_say_less_than_its_rows(tmp_path, said):
    before = full_recording()
    after = opened(with_member(tmp_path, "about.json", json.dumps(said).encode()))
    assert after.counts.erred == before.counts.erred
    assert after.counts.kept == after.counts.captured - after.counts.dropped == 320
    assert after.totals == before.totals


def test_a_file_may_say_no_more_tasks_than_can_be_numbered(tmp_path):
    counts = dict.fromkeys(("captured", "dropped_recording", "erred", "changes"), 2**63)
    said = json.dumps({"counts": counts}).encode()
    after = opened(with_member(tmp_path, "about.json", said))
    assert after.next_task == 2**32
    assert after.counts.erred == after.counts.changes == 2**53


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "run.daskscope"
    path.write_bytes(b"what was there")
    recording = full_recording()
    recording.about_facts = {"cannot be JSON": object()}
    with pytest.raises(TypeError):
        recording.save(path)
    assert path.read_bytes() == b"what was there"
    assert list(tmp_path.iterdir()) == [path]


def test_what_comes_while_a_file_is_written_is_not_half_in_it(tmp_path):
    recording = full_recording()
    before, tables = recording.counts, recording.errors
    totals = recording.totals

    def meanwhile(*_: int) -> None:
        """Another cell's client: with names, errors and tasks that the file has not."""
        lane = recording.names.intern("lanes", ("tcp://10.0.0.9:1", "late"))
        prefix = recording.names.intern("prefixes", "late")
        columns = make_rows(50)
        columns["lane"][:], columns["prefix"][:] = lane, prefix
        first = recording.append_tasks(50, columns, pack_keys(0, ["late"] * 50).data)
        recording.log("errors").append(
            [task_error(first, "late", prefix, "tcp://10.0.0.9:1", 6.0, "E", "")]
        )
        recording.log("rowless").append([rowless_task(first, prefix, 1)])

    path = write_file(recording, tmp_path / "run.daskscope", meanwhile)
    assert recording.counts.captured > before.captured
    after = opened(path)
    assert after.counts == before
    assert after.totals == totals
    assert after.about["counts"] == before.to_json()
    pd.testing.assert_frame_equal(after.errors, tables)
    with zipfile.ZipFile(path) as members:
        picture, facts = decode(COARSE, members.read("coarse.arrow"))
    assert facts["tasks"] == before.captured - before.dropped_agent
    assert picture["prefix"].max() < len(after.names.prefixes)
    assert picture["lane"].max() < len(after.names.lanes)
    assert int(picture["rows"].sum()) == before.rows


def test_a_file_that_grows_can_be_opened_when_its_program_is_killed(tmp_path):
    recording = full_recording()
    writer = FileWriter(tmp_path / "run.daskscope", {"title": "killed"})
    writer.append(recording)
    append(recording, 50)
    (part,) = tmp_path.iterdir()
    with pytest.warns(UserWarning, match=re.escape(part.name)) as told:
        opened = daskscope.load(part)
    assert [one.filename for one in told] == [__file__]
    assert repr(opened).startswith("<Recording, truncated: 320 of 320 tasks")
    assert opened.counts.kept == 320
    assert not opened.about["whole"]
    assert opened.about["title"] == "killed"
    writer.abandon()
    assert not list(tmp_path.iterdir())


def test_a_file_cut_anywhere_opens_with_what_is_whole(tmp_path):
    recording = full_recording()
    whole = saved(recording, tmp_path).read_bytes()
    header = 200
    kept = set()
    for length in range(header, len(whole) - 1, 97):
        cut = read_or_refused(io.BytesIO(whole[:length]))
        assert cut is not None or length < 400
        kept.add(cut.counts.kept if cut else 0)
    assert kept == {0, 320}


def test_a_file_of_a_later_version_says_to_upgrade(tmp_path):
    path = tmp_path / "new.daskscope"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("daskscope.json", json.dumps({"format": 99}))
    with refused("newer-file", "version 99"):
        daskscope.load(path)


def test_a_file_of_an_earlier_version_says_what_to_do(tmp_path):
    path = tmp_path / "old.daskscope"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("daskscope.json", json.dumps({"format": FILE_FORMAT - 1}))
    with refused("older-file", f"version {FILE_FORMAT - 1}"):
        daskscope.load(path)


def test_members_of_later_versions_are_passed_over(tmp_path):
    path = saved(full_recording(), tmp_path)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("samples/000000.arrow", b"of a later version")
    assert daskscope.load(path).counts.kept == 320


@pytest.mark.parametrize(
    "content",
    [b"", b"<!doctype html>", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), bytes(1000)],
    ids=["empty", "html", "stub", "empty zip", "zeros"],
)
def test_a_foreign_file_is_refused_in_one_sentence(tmp_path, content):
    path = tmp_path / "foreign.daskscope"
    path.write_bytes(content)
    with refused("bad-file", path.name):
        daskscope.load(path)


def test_a_zip_of_something_else_is_refused(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("readme.txt", "hello")
    with refused("bad-file", path.name):
        daskscope.load(path)


def test_a_file_that_is_not_there_is_an_error_that_says_where_one_is(tmp_path):
    with refused("no-file", "nowhere.daskscope"):
        daskscope.load("nowhere.daskscope")
    with pytest.raises(TypeError, match="path must be text or a path, got int"):
        daskscope.load(7)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nowhere://run.daskscope", "Protocol not known: nowhere"),
        ("memory://nowhere/run.daskscope", "There is no file memory://nowhere/run.daskscope"),
    ],
)
def test_a_url_that_cannot_be_fetched_is_an_error_in_words(url, words):
    with pytest.raises(DaskscopeError, match="Check the address") as caught:
        daskscope.load(url)
    assert caught.value.code == "no-file"
    assert words in caught.value.text


class Refusing(fsspec.AbstractFileSystem):
    """A place whose errors are of its own kind, as those of HTTP and S3 are."""

    protocol = "refusing"

    def _open(self, *_: object, **__: object):
        raise LookupError("403, message='Forbidden'")


def test_errors_of_the_kinds_that_storages_have_are_told_in_words():
    fsspec.register_implementation("refusing", Refusing, clobber=True)
    with refused("no-file", "403", "Forbidden"):
        daskscope.load("refusing://bucket/run.daskscope")


def listed(url):
    with dask.config.set({"daskscope.library.path": url}):
        daskscope.list_performance_reports()


@pytest.mark.parametrize("call", [daskscope.load, daskscope.performance_report, listed])
@pytest.mark.parametrize(
    ("url", "module", "known"),
    [
        ("s3://bucket/run.html", "s3fs", True),
        ("https://host/run.html", "aiohttp", True),
        ("smb://host/run.html", "smbclient", False),
    ],
)
def test_a_url_without_its_package_says_what_to_install(call, url, module, known, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DaskscopeError) as told:
        call(url)
    assert told.value.code == "no-package"
    assert url in told.value.text
    assert (f"pip install {module}" in told.value.next) is known


def test_a_path_that_cannot_be_one_is_an_error_in_words():
    with refused("bad-path"):
        daskscope.load("run\0.daskscope")


def test_a_full_temporary_disk_is_called_that(tmp_path):
    """A process that may write no more than this into a file."""
    path = saved(full_recording(), tmp_path)
    code = (
        "import resource, signal, sys, daskscope\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    daskscope.load(sys.argv[1])\n"
        "except daskscope.DaskscopeError as error:\n    print(error.code, error)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, f"local://{path}"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("no-room No temporary file could be written in ")
    assert "daskscope.recording.directory" in ran.stdout


def with_member(tmp_path: Path, name: str, data: bytes) -> Path:
    """A file whose named member has other content."""
    path = saved(full_recording(), tmp_path)
    with zipfile.ZipFile(path) as file:
        members = {i.filename: file.read(i) for i in file.infolist()}
    assert name in members
    members[name] = data
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in members.items():
            file.writestr(member, content)
    return path


def test_a_zip_bomb_is_not_unpacked(tmp_path):
    path = with_member(tmp_path, "keys/000000.txt", bytes(300 * 2**20))
    with refused("bad-file"):
        daskscope.load(path)


def test_many_small_bombs_are_not_unpacked(tmp_path):
    path = saved(full_recording(), tmp_path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        for number in range(3):
            file.writestr(f"later/{number}.bin", bytes(60 * 2**20))
    with refused("bad-file"):
        daskscope.load(path)


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("daskscope.json", b"{"),
        ("daskscope.json", b'{"format": true}'),
        ("daskscope.json", b'{"format": "1"}'),
        ("about.json", b"[" * 100_000),
        ("about.json", b"[]"),
        ("prefixes/000000.arrow", b"no arrow"),
        ("tasks/000000.arrow", b""),
        ("errors.arrow", bytes(64)),
        ("keys/000000.txt", b"only one"),
    ],
)
def test_a_damaged_member_is_an_error_in_words(tmp_path, member, content):
    path = with_member(tmp_path, member, content)
    with refused("bad-file", path.name):
        daskscope.load(path)


def test_a_path_that_names_no_file_is_told_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recording = full_recording()
    calls = (
        recording.save,
        daskscope.load,
        daskscope.performance_report,
        partial(daskscope.record, None),
    )
    for call in calls:
        for path in ("", "a\0b"):
            with refused("bad-path"):
                call(path)
        with pytest.raises(TypeError, match=r"must be text or a path, got int"):
            call(5)
    for directory in ("/", tmp_path):
        with refused("not-written", directory, "Is a directory"):
            recording.save(directory)
    with refused("not-written", "nowhere"):
        recording.save("nowhere/run.daskscope")
    assert list(tmp_path.iterdir()) == []
