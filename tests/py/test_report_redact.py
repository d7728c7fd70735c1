"""What must not leave the house, wherever in a text it stands."""

from __future__ import annotations

import json
import traceback

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recording_rows import (
    START,
    append,
    gap,
    log_line,
    logged_event,
    make_rows,
    new_recording,
    task_error,
    worker_change,
)
from test_files import full_recording

from daskscope.recording import pack_keys
from daskscope.report.hosts import Hosts
from daskscope.report.paths import without_paths, without_source
from daskscope.report.redact import redacted


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('File "/home/ada/a b/sums.py", line 3', 'File "sums.py", line 3'),
        ("FileNotFoundError: [Errno 2] No such file: '/data/x/y.csv'", "'y.csv'"),
        ("~/work/run.py and ../up/down.txt and ./here/now.txt", "run.py and down.txt and now.txt"),
        (r"C:\Users\Ada\run.py", "run.py"),
        (r'"C:\Users\Ada Lovelace\run.py"', '"run.py"'),
        (json.dumps({"path": r"D:\data\x.csv"}), '{"path": "x.csv"}'),
        ("file:///home/ada/run.html", "run.html"),
        (r"opened \\apollo\data\x.csv, gone", "opened x.csv, gone"),
        (r"open(r'\\apollo\my data\x.csv')", "open(r'x.csv')"),
        (json.dumps({"path": r"\\apollo\data\x.csv"}), '{"path": "x.csv"}'),
        (repr(json.dumps(r"\\apollo\my data\x.csv")), "x.csv"),
        (r"..\apollo\x.csv and .\srv\y.csv and ~\ada\z.csv", "x.csv and y.csv and z.csv"),
        (r"'..\apollo 11\x.csv'", "'x.csv'"),
        (r"..\nested\ada\x.csv", "x.csv"),
        (json.dumps(r"..\notes\ada\x.csv"), '"x.csv"'),
        (r"data\apollo\x.csv", "x.csv"),
        (r"reads x=data\raw\year=2025\x.csv.gz, gone", "reads x=x.csv.gz, gone"),
        (r"data\apollo/part.0.parquet", "part.0.parquet"),
        (r"\srv\ada\x.csv", "x.csv"),
        (repr(r"data\apollo\x.csv"), "'x.csv'"),
        (json.dumps({"path": r"data\apollo\x.csv"}), '{"path": "x.csv"}'),
        (json.dumps(json.dumps({"path": r"data\apollo\x.csv"})), r"\"path\": \"x.csv\"}"),
        (json.dumps("see\n\\srv\\ada\\x.csv\nno.such.Module"), r'"see\nx.csv\nno.such.Module"'),
        (r"data\raw.csv, data\new\table.csv", "raw.csv, table.csv"),
        (r"see ..\notes.csv and .\raw.csv", "see notes.csv and raw.csv"),
        (r"'..\notes\table.csv'", "'table.csv'"),
        (r"\\apollo\srv and \\apollo\notes", "srv and notes"),
        (json.dumps("“\\\\apollo\\data\\x.csv"), "x.csv"),
        (json.dumps("see\n\\\\apollo\\data\\x.csv"), "x.csv"),
        ("abfs://box@acc/2025/", "2025"),
        ("read-csv-/mnt/secret/part.0", "part.0"),
        ("projects/apollo/input.csv", "input.csv"),
        ("x=/srv/deep/er/, y", "x=er, y"),
        ('one\\n  File \\"/home/ada/x.py\\", line 1', 'File \\"x.py\\"'),
    ],
)
def test_of_a_path_only_the_last_part_stays(text, left):
    assert left in without_paths(text)
    assert not {"ada", "Ada", "data", "mnt", "apollo", "srv"} & set(
        without_paths(text).replace("\\", "/").replace(".", "/").split("/")
    )


@pytest.mark.parametrize(
    "text",
    [
        "3/4 of it, and/or more; km/h",
        "tcp://10.0.0.1:8786",
        "inproc://10.0.0.1/7/1",
        "http://10.0.0.1:8787/status",
        "text/html",
        "a regular \\d+ expression\\n",
        json.dumps(json.dumps("It said:\nfirst\nsecond\n\nthird ...\nend")),
        json.dumps({"m": "waiting ..\nNext line .\nfoo .\r\n ..\tbar"}),
        json.dumps("in work.py\nmy.module.Error: no\n\ndistributed.core\tx.csv\r\ny.csv"),
        json.dumps("waiting ..\ndistributed.core - INFO - end .\nFoo.bar"),
        repr(r"$\alpha\beta$, \frac{1}{2}\nu and \d+\.\w+\.txt in file\d+\.csv"),
        r"\alpha\beta, \frac\alpha\beta",
        repr("b\x00\x01.a\xff\t.b, \u2028c.d"),
        r"DOMAIN\user",
        "\\" * 100_000,
        "2026/11/18 12:00",
    ],
)
def test_what_is_no_path_stays(text):
    assert without_paths(text) == text


def secret_step() -> None:
    raise ValueError("no")  # a secret comment


def test_tracebacks_keep_their_frames_without_their_code():
    try:
        secret_step()
    except ValueError as error:
        whole = "".join(traceback.format_exception(error))
        group = "".join(traceback.format_exception(ExceptionGroup("both", [error, error])))
    for text in (whole, group, repr(whole), json.dumps(whole), f"Compute Failed {whole!r} end"):
        left = without_source(text)
        assert "a secret comment" in text
        assert "a secret comment" not in left
        assert "in secret_step" in left
        assert "ValueError: no" in left


def test_text_without_a_traceback_is_left_alone():
    text = "    indented\n  File, but no frame\n      deeper"
    assert without_source(text) == text


@pytest.fixture
def hosts() -> Hosts:
    hosts = Hosts()
    hosts.learn_scheduler("tcp://10.0.0.1:8786")
    hosts.learn_worker("tcp://10.0.0.2:4000", "worker-0")
    hosts.learn_worker("tcp://10.0.0.2:4001", "gpu-node-7-b")
    hosts.learn_host("node-7.lab.example.org")
    return hosts


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("tcp://10.0.0.2:4000", "worker-0"),
        ("10.0.0.2:4001 left", "worker-1 left"),
        ("(tcp://10.0.0.1:8786).", "(scheduler)."),
        ("gpu-node-7-b", "worker-1"),
        ("10.0.0.2", "host-2"),
        ("http://10.0.0.2:8787/status", "host-2"),
        ("tls://[fe80::1]:99", "host-4"),
        ("NODE-7.lab.example.org, node-7", "host-3, host-3"),
        (r"\\node-7\data, \\other\data", r"\\host-3\data, \\host-4\data"),
        ("from fe80::1ff:fe23:4567:890a: no", "from host-4: no"),
        ("(2001:db8::7%eth0) 2001:DB8::7/64", "(host-4) host-4/64"),
        ("[2001:db8:0:1:2:3:4:5]:80 ::ffff:172.16.3.4", "[host-4]:80 ::ffff:host-5"),
        ("2001:db8::172.16.3.4.", "host-4."),
        (
            "12:34:56, 52:54:00:12:34:56, a[1::2], add:bad",
            "12:34:56, 52:54:00:12:34:56, a[1::2], add:bad",
        ),
        ("dead::beef, fade::add, bad::c0de", "dead::beef, fade::add, host-4"),
        (json.dumps("C:\\a\\b.txt\nc"), json.dumps("C:\\a\\b.txt\nc")),
        (json.dumps("x\n\\\\other\\data"), json.dumps("x\n\\\\host-4\\data")),
        (r"\\alpha\beta", r"\\host-4\beta"),
        (repr(r"\alpha\beta"), repr(r"\alpha\beta")),
        (r"r'\\alpha\' \\alpha\ \\alpha\\", r"r'\\alpha\' \\alpha\ \\alpha\\"),
        ("172.16.3.4 and 172.16.3.4", "host-4 and host-4"),
        ("node-77 and version 2026.8.0", "node-77 and version 2026.8.0"),
    ],
)
def test_hosts_and_addresses_become_the_same_names_everywhere(hosts, text, left):
    assert hosts.text(text) == left


@pytest.mark.all
@pytest.mark.parametrize(
    "text",
    [
        *("'..", "'C:", "'\\\\a\\b", "' ..\\n", "a\\x.b", "a=\\\\n/"),
        *(f"{one}\\" for one in ("a", "\\\\a", "'~", " ..\\n", "x.csv\\\\n")),
    ],
)
def test_long_runs_of_backslashes_take_no_longer_than_other_text(text):
    Hosts().text(without_paths(text + "\\" * 1_000_000))
    Hosts().text(without_paths(text * 200_000))


@given(st.text(max_size=20), st.text(max_size=20))
def test_an_address_goes_whatever_stands_around_it(before, after):
    hosts = Hosts()
    hosts.learn_worker("tcp://192.168.178.23:4000")
    assert "192.168.178.23" not in hosts.text(f"{before} tcp://192.168.178.23:4000 {after}")
    assert "192.168.178.23" not in hosts.text(f"{before} 192.168.178.23 {after}")


def test_two_workers_of_one_name_stay_two():
    hosts = Hosts()
    names = [hosts.learn_worker(f"tcp://w:{port}", "worker-0") for port in range(3)]
    assert names == ["worker-0", "worker-1", "worker-2"]


def test_a_redacted_copy_has_every_row_and_the_recording_is_as_it_was():
    recording = full_recording()
    before = recording.tasks
    copy = redacted(recording, ["code", "paths", "hosts"])
    assert copy.counts == recording.counts
    assert copy.totals == recording.totals
    assert copy.skewed_rows == recording.skewed_rows
    same = ["start", "duration", "prefix", "action", "status", "nbytes", "span", "key", "task"]
    assert copy.tasks[same].astype(object).equals(before[same].astype(object))
    assert set(copy.tasks["worker"]) == {"worker-0", "worker-1"}
    assert recording.tasks.equals(before)
    for name in ("events", "logs", "system", "gaps"):
        assert len(getattr(copy, name)) == len(getattr(recording, name))


def test_holes_and_bounds_of_a_recording_are_in_its_copy():
    recording = new_recording()
    append(recording, 10)
    recording.skip_tasks(5)
    append(recording, 10)
    recording.drop_from_agent(3)
    recording.log("errors").count_dropped(4)
    copy = redacted(recording, ["paths"])
    assert copy.counts == recording.counts
    assert copy.tasks["task"].tolist() == recording.tasks["task"].tolist()
    assert copy.tasks["worker"].tolist() == recording.tasks["worker"].tolist()


def test_figures_of_dropped_tasks_are_in_a_redacted_copy():
    names = ("read-/a/x.csv", "read-/b/x.csv", "inc")
    recording = new_recording(prefixes=names, memory_limit=4_000_000, overflow="drop")
    for number in range(30):
        rows = make_rows(10_000, start=START + 30 * number)
        rows["prefix"] = rows["prefix"] if number < 3 else np.full(10_000, 2, "u2")
        rows["status"][:] = number < 3
        recording.append_tasks(10_000, rows, pack_keys(0, ["key"] * 10_000).data)
    assert recording.counts.dropped_recording > 100_000
    copy = redacted(recording, ["paths"])
    assert copy.counts == recording.counts
    tasks = {copy.names.prefixes[one.prefix]: one.tasks for one in copy.totals.prefixes}
    assert tasks == {"inc": 270_000, "read-x.csv": 30_000}
    assert copy.totals.actions == recording.totals.actions


def test_names_that_become_the_same_are_one():
    recording = new_recording(prefixes=("read-/a/x.csv", "read-/b/x.csv"))
    rows = make_rows(4)
    keys = ["read-/a/x.csv", "read-/b/x.csv", "/c/d\ne", ""]
    recording.append_tasks(4, rows, pack_keys(0, keys).data)
    copy = redacted(recording, ["paths"])
    assert copy.tasks["key"].tolist() == ["read-x.csv", "read-x.csv", "d\ne", ""]
    assert copy.tasks["prefix"].unique().tolist() == ["read-x.csv"]
    assert copy.totals.prefixes[0].tasks == 4


def test_unfinished_tasks_of_names_that_become_the_same_are_added_up():
    recording = new_recording(prefixes=["/home/ada/load", "/srv/bob/load"])
    recording.about_facts = {
        "unfinished": {
            "prefixes": {"/home/ada/load": [0, 1, 5], "/srv/bob/load": [0, 2, 7]},
            "cancelled": 3,
        }
    }
    said = redacted(recording, ["paths"]).about_facts["unfinished"]
    assert list(said["prefixes"].values()) == [[0, 3, 12]]
    assert said["cancelled"] == 3


def test_a_redacted_copy_is_redacted_in_every_table():
    recording = new_recording()
    worker = recording.names.lanes[0][0]
    rows = make_rows(2)
    rows["lane"] = np.zeros(2, "u2")
    keys = [f"from {worker}", "/data/apollo/x"]
    recording.append_tasks(2, rows, pack_keys(0, keys).data)
    where = f"{worker} /data/apollo/x"
    recording.log("errors").append([task_error(0, where, 0, worker, 1.0, where, where)])
    recording.log("workers").append([worker_change(1.0, worker, "paused", where)])
    recording.log("gaps").append([gap(1.0, 2.0, "lost", where)])
    recording.log("events").append([logged_event(1.0, worker, json.dumps({worker: [where]}))])
    recording.log("logs").append(
        [log_line(1.0, worker, "INFO", where), log_line(1.0, "scheduler", "", "")]
    )
    recording.name_workers({worker: "worker-5"})
    recording.about_facts = {
        "host": "node-7.lab",
        "scheduler": "tcp://10.0.0.1:99",
        "code": where,
        "workers": [{"address": worker, "name": "5", "host": "10.0.0.1", "threads": 2}],
        "versions": {"workers": {worker: {"packages": {"x": "1.2.3.4"}}}},
        "exception": {"text": where},
    }
    copy = redacted(recording, ["paths", "hosts"])
    tables = [getattr(copy, name).to_csv() for name in ("tasks", "errors", "workers", "events")]
    tables += [copy.logs.to_csv(), copy.gaps.to_csv(), json.dumps(copy.about_facts)]
    for text in tables:
        assert "10.0.0.1" not in text
        assert "apollo" not in text
        assert "node-7" not in text
    assert copy.logs["source"].tolist() == ["worker-5", "scheduler"]
    assert copy.errors["worker"].tolist() == ["worker-5"]
    assert copy.events["message"].tolist() == ['{"worker-5": ["worker-5 x"]}']
    assert copy.worker_names["worker-5"] == "worker-5"
    assert copy.about_facts["workers"][0]["name"] == "worker-5"
    assert copy.about_facts["versions"] == {"workers": {"worker-5": {"packages": {"x": "1.2.3.4"}}}}
    assert copy.about_facts["scheduler"] == "scheduler"
    assert copy.about_facts["host"] == "host-1"


def test_the_server_of_a_share_is_a_host_wherever_it_is_named_first():
    recording = new_recording(prefixes=("apollo-read",))
    rows = make_rows(1)
    rows["prefix"][:] = 0
    recording.append_tasks(1, rows, pack_keys(0, ["apollo-1"]).data)
    said = ("apollo went away", r"cannot read \\apollo\data\x.csv", "apollo is back")
    recording.log("logs").append([log_line(1.0, "scheduler", "INFO", text) for text in said])
    recording.log("events").append(
        [logged_event(1.0, "topic", json.dumps({"path": r"\\vega\data\y.csv"}))]
    )
    recording.about_facts = {"title": "apollo and vega"}
    copy = redacted(recording, ["hosts"])
    host, other = copy.about_facts["title"].split(" and ")
    assert {host[:5], other[:5]} == {"host-"}
    cannot_read = rf"cannot read \\{host}\data\x.csv"
    assert copy.logs["text"].tolist() == [f"{host} went away", cannot_read, f"{host} is back"]
    assert copy.tasks[["prefix", "key"]].to_numpy().tolist() == [[f"{host}-read", f"{host}-1"]]
    assert json.loads(copy.events["message"][0]) == {"path": rf"\\{other}\data\y.csv"}


@pytest.mark.parametrize("before", [[{}], [["hosts"]], [None, "hosts", "more"], {"a": 1}, "code"])
def test_what_a_foreign_file_says_was_left_out_is_believed_only_as_far_as_it_can_be(before):
    recording = new_recording()
    append(recording, 1)
    recording.about_facts = {"redacted": before}
    known = ["hosts"] if "hosts" in before else []
    assert redacted(recording, ["code"]).about_facts["redacted"] == ["code", *known]


def test_a_redacted_copy_says_why_no_disk_took_what_was_dropped(tmp_path):
    (tmp_path / "file").touch()
    recording = new_recording(memory_limit=4_000_000, directory=str(tmp_path / "file"))
    while not recording.spill_error:
        append(recording, 5_000)
    facts = redacted(recording, ["paths"]).about_facts
    assert "Not a directory" in facts["spill_error"] or "File exists" in facts["spill_error"]
    assert tmp_path.name not in facts["spill_error"]
