"""What the commands that make something of a recording say and leave behind."""

from __future__ import annotations

import json
import os
import threading

import dask
import pytest
from profile_rows import POOL, add_cycle, profiled
from recording_rows import START, new_recording
from test_cli import one_line_error, run_path
from test_files import full_recording, saved

import daskscope
from daskscope.cli import main
from daskscope.cli.console import Progress

__all__ = ["run_path"]

RESULTS = (
    ("report",),
    ("export", "--to", "chrome"),
    ("export", "--to", "parquet"),
    ("export", "--to", "csv"),
)


def test_a_report_that_was_asked_for_is_kept_in_the_library(run_path, tmp_path):
    with dask.config.set({"daskscope.library.path": str(tmp_path / "library")}):
        assert main(["report", str(run_path), "--title", "Monday"]) == 0
        (kept,) = daskscope.list_performance_reports()
    assert (kept["title"], kept["tasks"], kept["kind"]) == ("Monday", 325, "report")
    assert kept["filename"].startswith("run-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_report_into_a_pipe_is_not_waited_for(run_path, tmp_path):
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with dask.config.set({"daskscope.library.path": str(tmp_path / "library")}):
        assert main(["report", str(run_path), "-o", str(pipe)]) == 0
        assert daskscope.list_performance_reports() == []
    reader.join()
    assert read[0].endswith(b"</html>\n")


@pytest.mark.parametrize("command", RESULTS, ids=" ".join)
def test_a_home_that_the_shell_did_not_write_out_is_meant(
    command, run_path, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    name, *options = command
    assert main([name, f"~/{run_path.name}", *options, "--output=~/result"]) == 0
    result = tmp_path / ("result.html" if name == "report" else "result")
    assert result.exists()
    assert f"{result}: " in capsys.readouterr().out


@pytest.mark.parametrize("command", [("info",), *RESULTS], ids=" ".join)
def test_a_home_of_nobody_is_an_error_of_its_own(command, capsys):
    name, *options = command
    assert main([name, "~nobody-here/run.daskscope", *options]) == 1
    assert "~nobody-here/run.daskscope cannot be read: " in one_line_error(capsys)


@pytest.mark.parametrize("command", RESULTS, ids=" ".join)
def test_nothing_is_written_into_a_home_of_nobody(command, run_path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name, *options = command
    before = sorted(tmp_path.iterdir())
    assert main([name, str(run_path), *options, "--output=~nobody-here/result"]) == 1
    place = "~nobody-here/result.html" if name == "report" else "~nobody-here/result"
    assert f"Cannot expand {place}: no such user." in one_line_error(capsys)
    assert main(["extract", "~nobody-here/run.html"]) == 1
    assert "Cannot expand ~nobody-here: no such user." in one_line_error(capsys)
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_below_a_home_can_be_looked_into_and_taken_out(
    run_path, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert main(["info", "~/run.daskscope"]) == 0
    assert main(["report", "~/run.daskscope"]) == 0
    capsys.readouterr()
    assert main(["extract", "~/run.html", "--to=~/out"]) == 0
    assert f"{tmp_path / 'out' / 'run.daskscope'}: " in capsys.readouterr().out


@pytest.mark.parametrize("form", ["speedscope", "collapsed"])
def test_a_recording_without_a_profile_says_so(form, tmp_path, capsys):
    run_path = saved(new_recording(), tmp_path)
    before = sorted(tmp_path.iterdir())
    assert main(["export", str(run_path), "--to", form]) == 1
    assert "has no profile" in one_line_error(capsys)
    assert sorted(tmp_path.iterdir()) == before


def test_the_profile_is_exported_by_scope(tmp_path, capsys):
    recording = profiled()
    add_cycle(recording, START, {(POOL,): 4}, scope="worker", prefix="")
    path = saved(recording, tmp_path)
    assert main(["export", str(path), "--to", "speedscope"]) == 0
    assert "run.speedscope.json: samples of tasks 200, workers 4" in capsys.readouterr().out
    document = json.loads((tmp_path / "run.speedscope.json").read_text())
    assert [profile["name"] for profile in document["profiles"]] == ["tasks", "workers"]
    assert main(["export", str(path), "--to", "collapsed"]) == 0
    lines = (tmp_path / "run.collapsed.txt").read_text().splitlines()
    assert lines[-1] == "workers;run (pool.py:10) 4"
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == 204


@pytest.mark.parametrize("command", RESULTS, ids=" ".join)
def test_long_work_tells_how_far_it_is(command, run_path, monkeypatch):
    told: dict[str, list[tuple[int, int]]] = {}
    monkeypatch.setattr(
        Progress, "at", lambda bar, *at: told.setdefault(bar._what.split()[0], []).append(at)
    )
    assert main([*command, str(run_path)]) == 0
    done, of = told["Writing"][-1]
    assert 0 < done == of


def test_a_library_that_cannot_be_written_to_costs_one_line(run_path, capsys):
    with dask.config.set({"daskscope.library.path": "/dev/null/library"}):
        assert main(["report", str(run_path)]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "run.html" in line
    assert line.startswith("daskscope: warning: ")


@pytest.mark.parametrize("command", RESULTS, ids=" ".join)
def test_what_is_made_of_a_file_that_was_cut_off_says_so(command, run_path, capsys):
    run_path.write_bytes(run_path.read_bytes()[:-2_000])
    assert main([*command, str(run_path)]) == 0
    said = capsys.readouterr()
    assert str(run_path) in said.err
    assert "truncated" in said.err
    assert "320" in said.out or "slices" in said.out or "rows of tasks" in said.out


def test_extract_replaces_no_recording_and_no_summary_unless_it_is_told_to(
    run_path, tmp_path, capsys
):
    before = run_path.read_bytes()
    assert main(["report", str(run_path), "--title", "Another title"]) == 0
    report, summary = tmp_path / "run.html", tmp_path / "run.json"
    capsys.readouterr()
    assert main(["extract", str(report)]) == 1
    line = one_line_error(capsys)
    assert f"{run_path} already exists; nothing was written." in line
    assert "--to" in line
    assert "--force" in line
    assert run_path.read_bytes() == before
    assert not summary.exists()

    run_path.unlink()
    summary.write_text("of somebody else")
    assert main(["extract", str(report)]) == 1
    assert f"{summary} already exists" in one_line_error(capsys)
    assert summary.read_text() == "of somebody else"
    assert not run_path.exists()

    run_path.write_bytes(before)
    assert main(["extract", str(report), "--force"]) == 0
    assert json.loads(summary.read_text())["title"] == "Another title"
    assert daskscope.load(run_path).about["title"] == "Another title"


@pytest.mark.parametrize("command", RESULTS, ids=" ".join)
def test_results_of_other_kinds_take_the_place_of_no_recording(command, run_path, tmp_path, capsys):
    other = tmp_path / "other.data"
    other.write_bytes(run_path.read_bytes()[:-2_000])  # also of one that was cut off
    before = other.read_bytes()
    name, *options = command
    assert main([name, str(run_path), *options, "-o", str(other)]) == 1
    assert f"{other} is a recording; it is not overwritten." in one_line_error(capsys)
    assert other.read_bytes() == before


def test_a_report_takes_the_place_of_the_one_before(run_path, tmp_path):
    for title in ("first", "second"):
        assert main(["report", str(run_path), "--title", title]) == 0
    assert daskscope.load(tmp_path / "run.html").about["title"] == "second"


def test_a_report_leaves_out_what_it_must_not_tell(tmp_path):
    recording = full_recording()
    recording.about_facts |= {"code": "secret = 1", "scheduler": "tcp://10.0.0.9:8786"}
    path = saved(recording, tmp_path)
    report, again = tmp_path / "run.html", tmp_path / "again.html"
    assert main(["report", str(path), "--redact", "code"]) == 0
    found = daskscope.load(report)
    assert (found.about["code"], found.about["redacted"]) == ("", ["code"])
    assert "tcp://10.0.0.1:0" in set(found.tasks["worker"])

    assert main(["report", str(report), "--redact", "hosts", "-o", str(again)]) == 0
    found = daskscope.load(again)
    assert found.about["redacted"] == ["code", "hosts"], "and what was left out before"
    assert found.about["scheduler"] == "scheduler"
    assert not found.tasks["worker"].astype(str).str.contains("10.0.0").any()
    assert found.counts.kept == daskscope.load(path).counts.kept
    assert b"secret" not in report.read_bytes()
    assert daskscope.load(path).about["code"] == "secret = 1"


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_come_all_or_not_at_all_and_are_counted(form, run_path, tmp_path, capsys):
    folder = tmp_path / "tables"
    (folder / f"gaps.{form}").mkdir(parents=True)
    (folder / "notes.txt").write_text("of somebody else")
    arguments = ["export", str(run_path), "--to", form, "-o", str(folder)]
    assert main(arguments) == 1
    line = one_line_error(capsys)
    assert f"gaps.{form} could not be written: Is a directory. No file was written." in line
    assert len(list(folder.iterdir())) == 2

    (folder / f"gaps.{form}").rmdir()
    assert main(arguments) == 0
    files = len(list(folder.iterdir())) - 1
    assert f": {files} files, 620 rows of tasks" in capsys.readouterr().out


def test_extract_says_of_a_recording_which_commands_read_it(run_path, tmp_path, capsys):
    other = tmp_path / "monday.html"  # whatever it is called
    other.write_bytes(run_path.read_bytes()[:-2_000])  # and also if it was cut off
    before = sorted(tmp_path.iterdir())
    for path in (run_path, other):
        assert main(["extract", str(path), "--force"]) == 1
        line = one_line_error(capsys)
        assert f"{path} is a recording, not" in line
        assert "daskscope info, report and export read it" in line
    assert sorted(tmp_path.iterdir()) == before


def test_extract_leaves_no_recording_where_there_is_no_place_for_the_summary(
    run_path, tmp_path, capsys
):
    assert main(["report", str(run_path)]) == 0
    capsys.readouterr()
    (tmp_path / "out" / "run.json").mkdir(parents=True)
    assert main(["extract", str(tmp_path / "run.html"), "--to", str(tmp_path / "out")]) == 1
    assert "run.json could not be written: Is a directory" in one_line_error(capsys)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    "command",
    [
        *(("export", "RUN", "--to", form, "-o") for form in ("chrome", "parquet", "csv")),
        ("extract", "RUN", "--to"),
        ("record", "--scheduler", "tcp://127.0.0.1:1", "-o"),
    ],
    ids=" ".join,
)
def test_a_url_to_which_nothing_can_be_written_is_called_that(command, run_path, tmp_path, capsys):
    arguments = [str(run_path) if word == "RUN" else word for word in command]
    assert main([*arguments, "memory://ada:secret@bucket/result"]) == 1
    line = one_line_error(capsys)
    assert "memory://…" in line
    assert list(tmp_path.iterdir()) == [run_path]


def test_a_report_goes_to_a_url(run_path, tmp_path, capsys):
    fsspec = pytest.importorskip("fsspec")
    with dask.config.set({"daskscope.library.path": str(tmp_path / "library")}):
        assert main(["report", str(run_path), "-o", "memory://ada:secret@reports/run"]) == 0
        (kept,) = daskscope.list_performance_reports()
    assert capsys.readouterr().out.startswith("memory://reports/run.html: 320 of 325 tasks, ")
    assert (kept["tasks"], kept["filename"][:4]) == (325, "run-")
    (there,) = fsspec.filesystem("memory").find("/ada:secret@reports")
    assert daskscope.load(f"memory://{there}").counts.kept == 320
    fsspec.filesystem("memory").rm("/", recursive=True)

    place = tmp_path / "a b.html"
    assert main(["report", str(run_path), "-o", place.as_uri()]) == 0
    assert daskscope.load(place).counts.kept == 320
    capsys.readouterr()
    assert main(["report", str(run_path), "-o", "local:///proc/nowhere/run.html"]) == 1
    assert "local:///proc/nowhere/run.html could not be written" in one_line_error(capsys)
    assert main(["report", str(run_path), "-o", "nowhere://bucket/run.html"]) == 1
    assert "Nothing can be written to nowhere://bucket/run.html" in one_line_error(capsys)
