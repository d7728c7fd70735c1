"""The command line: what it writes, what it says, and what the shell gets."""

from __future__ import annotations

import importlib
import io
import json
import os
import threading
import tomllib
import zipfile
from pathlib import Path

import fsspec
import pandas as pd
import pytest
from clusters import eventually
from test_export_chrome import checked, slices
from test_files import full_recording, saved

import daskscope
from daskscope.cli import main
from daskscope.cli.console import ERASE_LINE, Progress
from daskscope.cli.parser import build_parser
from daskscope.format import bytes_text

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("record", "report", "info", "extract", "export", "demo")
READERS = (
    ("info",),
    ("report",),
    ("extract",),
    ("export", "--to", "chrome"),
    ("export", "--to", "parquet"),
    ("export", "--to", "csv"),
)
"""Commands that read a file."""


@pytest.fixture
def run_path(tmp_path):
    return saved(full_recording(), tmp_path)


def one_line_error(capsys) -> str:
    """Return what was said of a fault: a line of its own, and nothing else."""
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("daskscope: error: ")
    return line


def test_help_teaches_by_examples(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert all(f"\n    {command} " in text for command in COMMANDS)
    assert "daskscope record --scheduler" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_each_example_of_the_help_can_be_typed(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    examples = [line for line in lines if line.startswith(f"daskscope {command}")]
    assert examples
    for example in examples:
        words = example.split("  ")[0].split(" | ")[0].replace('"', "").split()[1:]
        if "--title" in words:
            del words[words.index("--title") + 2 :]
        assert build_parser().parse_args(words).command == command


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"daskscope {daskscope.__version__}\n"


def test_the_package_installs_the_command():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, function = project["scripts"]["daskscope"].partition(":")
    assert getattr(importlib.import_module(module), function) is main


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["info"],
        ["record"],
        ["record", "--scheduler", "x", "--for", "soon"],
        ["record", "--scheduler", "x", "--for", "-5s"],
        ["export", "run.daskscope"],
        ["export", "run.daskscope", "--to", "pdf"],
        ["demo", "--seconds", "nan"],
        ["report", "run.daskscope", "--redact", "names"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err.splitlines()[-1]


def test_without_a_command_the_help_is_shown_and_nothing_is_done(capsys):
    assert main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "examples:" in said.err


def test_info_says_what_is_in_a_recording(run_path, capsys):
    assert main(["info", str(run_path)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "A run" in said.out
    assert "320 of 325, 620 rows" in said.out
    assert "5 were dropped on the scheduler" in said.out
    assert "1970-01-01 00:00:01 UTC, 8.00 s" in said.out
    assert f", {bytes_text(run_path.stat().st_size)}\n" in said.out, "as in the pages"
    assert "errors      1" in said.out


def test_info_is_json_for_programs(run_path, capsys):
    assert main(["info", str(run_path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["title"] == "A run"
    assert facts["counts"]["kept"] == 320
    assert facts["whole"] is True


def test_info_of_a_file_that_was_cut_off_says_so(run_path, tmp_path, capsys):
    whole = run_path.read_bytes()
    cut = tmp_path / "cut.daskscope"
    cut.write_bytes(whole[: len(whole) - 2_000])
    assert main(["info", str(cut)]) == 0
    assert "truncated" in capsys.readouterr().out


def test_what_a_file_says_of_itself_never_reaches_the_terminal_as_its_commands(tmp_path, capsys):
    recording = full_recording()
    hostile = "\x1b[2J\x07\r\u202eevil\u009b31m"
    recording.names.intern("prefixes", hostile)
    recording.about_facts = {
        **dict.fromkeys(("title", "user", "host", "cluster", "scheduler", "daskscope"), hostile),
        "start": 1e300,
        "stop": "never",
        "exception": {"type": hostile, "text": [hostile]},
    }
    assert main(["info", str(saved(recording, tmp_path))]) == 0
    text = capsys.readouterr().out
    assert "evil" in text
    assert all(c.isprintable() or c == "\n" for c in text.replace("\ufffd", "?"))


@pytest.mark.parametrize("arguments", READERS, ids=" ".join)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<!doctype html><title>something else</title>",
        b"PK\x03\x04",
        b"PK\x05\x06" + bytes(18),
        bytes(1000),
        b"start,duration\n1,2\n",
    ],
    ids=["empty", "html", "stub", "empty zip", "zeros", "csv"],
)
def test_a_foreign_file_is_one_line_and_leaves_nothing(arguments, content, tmp_path, capsys):
    path = tmp_path / "foreign.daskscope"
    path.write_bytes(content)
    assert main([arguments[0], str(path), *arguments[1:]]) == 1
    assert "foreign.daskscope cannot be read: it" in one_line_error(capsys)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("arguments", READERS, ids=" ".join)
def test_a_zip_bomb_is_one_line(arguments, tmp_path, capsys):
    path = saved(full_recording(), tmp_path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("later/bomb.bin", bytes(65 * 2**20))
    assert main([arguments[0], str(path), *arguments[1:]]) == 1
    said = "is a recording, not" if arguments == ("extract",) else "cannot be read: it"
    assert said in one_line_error(capsys)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("arguments", READERS, ids=" ".join)
def test_a_file_that_is_not_there_or_no_file_is_one_line(arguments, tmp_path, capsys):
    assert main([arguments[0], str(tmp_path / "nowhere.html"), *arguments[1:]]) == 1
    assert "There is no file" in one_line_error(capsys)
    for place, why in ((tmp_path, "cannot be read"), (os.sep, "cannot be read"), ("", "is empty")):
        assert main([arguments[0], str(place), *arguments[1:]]) == 1
        assert why in one_line_error(capsys)


def test_debug_shows_where_it_failed(capsys):
    assert main(["info", "nowhere.daskscope", "--debug"]) == 1
    text = capsys.readouterr().err
    assert "Traceback" in text
    assert text.splitlines()[-1].startswith("daskscope: error: There is no file")
    assert main(["--debug", "info", "nowhere.daskscope"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_export_to_chrome_goes_beside_the_recording(run_path, tmp_path, capsys):
    assert main(["export", str(run_path), "--to", "chrome"]) == 0
    path = tmp_path / "run.trace.json.gz"
    assert capsys.readouterr().out.startswith(f"{path}: 620 slices, ")
    import gzip

    assert len(slices(checked(gzip.decompress(path.read_bytes())))) == 620


def test_export_says_which_rows_a_trace_cannot_have(tmp_path, capsys):
    from recording_rows import make_rows, new_recording

    from daskscope.recording import pack_keys

    recording = new_recording()
    columns = make_rows(3)
    columns["start"][1] = 0
    recording.append_tasks(3, columns, pack_keys(0, list("abc")).data)
    path = saved(recording, tmp_path)
    assert main(["export", str(path), "--to", "chrome", "-o", str(tmp_path / "a.json")]) == 0
    said = capsys.readouterr()
    assert "2 slices" in said.out
    assert said.err.startswith("1 row left out")


@pytest.mark.parametrize(("form", "ending"), [("csv", "csv"), ("parquet", "parquet")])
def test_export_of_tables_makes_a_directory(run_path, tmp_path, form, ending, capsys):
    assert main(["export", str(run_path), "--to", form, "-o", str(tmp_path / "out")]) == 0
    assert "620 rows of tasks" in capsys.readouterr().out
    read = pd.read_csv if form == "csv" else pd.read_parquet
    assert len(read(tmp_path / "out" / f"tasks.{ending}")) == 620
    assert read(tmp_path / "out" / f"errors.{ending}")["task"].tolist() == [7]


@pytest.mark.parametrize("form", ["chrome", "csv", "parquet"])
def test_a_place_that_cannot_be_written_to_is_one_line(run_path, tmp_path, form, capsys):
    blocked = tmp_path / "a-file"
    blocked.write_text("in the way")
    arguments = ["export", str(run_path), "--to", form, "-o", str(blocked / "out")]
    assert main(arguments) == 1
    assert "could not be written: Not a directory" in one_line_error(capsys)


def test_nothing_is_written_over_what_is_read(run_path, capsys):
    before = run_path.read_bytes()
    for arguments in (["report"], ["export", "--to", "chrome"]):
        command, *options = arguments
        assert main([command, str(run_path), *options, "-o", str(run_path)]) == 1
        assert "is the input file" in one_line_error(capsys)
    assert run_path.read_bytes() == before


def test_extract_writes_nothing_over_what_is_read_either(run_path, tmp_path, capsys):
    report = tmp_path / "odd.daskscope"
    assert main(["report", str(run_path), "-o", str(report)]) == 0
    capsys.readouterr()
    assert main(["extract", str(report)]) == 1
    assert "is the input file" in one_line_error(capsys)
    assert report.read_bytes().startswith(b"<!doctype html>")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_result_that_is_there_does_not_hide_that_there_is_nothing_to_read(tmp_path, capsys):
    (tmp_path / "a.json").write_text("of last time")
    arguments = ["--to", "chrome", "-o", str(tmp_path / "a.json")]
    assert main(["export", str(tmp_path / "nowhere.daskscope"), *arguments]) == 1
    assert "There is no file" in one_line_error(capsys)


def test_a_file_may_be_a_url_and_its_results_come_here(run_path, tmp_path, capsys, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    url = f"memory://{tmp_path.name}/run.daskscope"
    with fsspec.open(url, "wb") as file:
        file.write(run_path.read_bytes())
    assert main(["info", url]) == 0
    assert "320 of 325" in capsys.readouterr().out
    assert main(["export", url, "--to", "chrome"]) == 0
    assert [path.name for path in Path().iterdir()] == ["run.trace.json.gz"]


def test_a_report_is_made_and_gives_its_recording_back(run_path, tmp_path, capsys):
    report = tmp_path / "run.html"
    assert main(["report", str(run_path), "--title", "Monday <b>"]) == 0
    assert capsys.readouterr().out.startswith(f"{report}: 320 of 325 tasks, ")
    assert b"Monday &lt;b&gt;" in report.read_bytes()
    assert main(["info", str(report)]) == 0
    assert "Monday <b>" in capsys.readouterr().out
    assert main(["extract", str(report), "--to", str(tmp_path / "out")]) == 0
    assert json.loads((tmp_path / "out" / "run.json").read_text())["title"] == "Monday <b>"
    again = daskscope.load(tmp_path / "out" / "run.daskscope")
    assert again.counts == daskscope.load(run_path).counts
    assert main(["export", str(report), "--to", "csv"]) == 0
    assert len(pd.read_csv(tmp_path / "run-csv" / "tasks.csv")) == 620


def test_a_report_that_was_cut_off_leaves_nothing(run_path, tmp_path, capsys):
    assert main(["report", str(run_path)]) == 0
    report = tmp_path / "run.html"
    whole = report.read_bytes()
    recording = whole.index(b'id="daskscope-recording"')
    report.write_bytes(whole[: recording + 200])
    capsys.readouterr()
    assert main(["extract", str(report), "--to", str(tmp_path / "out")]) == 1
    assert "truncated" in one_line_error(capsys)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_fault_of_ours_is_one_line_too(run_path, capsys, monkeypatch):
    monkeypatch.setattr("daskscope.cli.recordings.write_parquet", lambda *_: 1 / 0)
    assert main(["export", str(run_path), "--to", "parquet"]) == 1
    assert "ZeroDivisionError: division by zero" in one_line_error(capsys)


class Terminal:
    """Standard error as a terminal; `text` is what it was given."""

    def __init__(self) -> None:
        self._master, slave = os.openpty()
        self.stream = os.fdopen(slave, "w", encoding="utf-8")
        self._bytes = io.BytesIO()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1000)
            except OSError:
                return
            if not data:
                return
            self._bytes.write(data)

    @property
    def text(self) -> str:
        return self._bytes.getvalue().decode("utf-8", "replace")

    def close(self) -> None:
        self.stream.close()
        self._reader.join()
        os.close(self._master)


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.close()


def test_long_work_shows_a_bar_on_a_terminal_and_takes_it_away(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal.stream)
    with Progress("Writing \x1b[2J") as progress:
        eventually(lambda: "Writing �[2J …" in terminal.text)
        progress.at(1, 4)
        eventually(lambda: "[######------------------] 25%" in terminal.text)
    eventually(lambda: terminal.text.endswith("\r\x1b[K"))


def test_results_stand_alone_on_a_terminal(run_path, terminal, monkeypatch):
    monkeypatch.setattr("daskscope.cli.console.EVERY_S", 0)
    for stream in ("sys.stdout", "sys.stderr"):
        monkeypatch.setattr(stream, terminal.stream)
    for form in ("chrome", "csv", "parquet"):
        assert main(["export", str(run_path), "--to", form]) == 0
    assert main(["report", str(run_path)]) == 0
    eventually(lambda: "320 of 325 tasks" in terminal.text)
    assert "Writing" in terminal.text
    *lines, _ = terminal.text.split("\n")
    shown = [line.rpartition(ERASE_LINE)[2] for line in lines]
    folder = f"{run_path.parent}{os.sep}"
    assert len(shown) == 4
    assert [line.removeprefix(folder).partition(": ")[0] for line in shown] == [
        *("run.trace.json.gz", "run-csv", "run-parquet", "run.html")
    ]


def test_short_work_leaves_nothing_on_a_terminal(terminal, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal.stream)
    with Progress("Writing"):
        pass
    terminal.stream.write("next")
    terminal.stream.flush()
    eventually(lambda: terminal.text.endswith(f"{ERASE_LINE}next"))


def test_elsewhere_long_work_shows_nothing(capsys):
    with Progress("Writing") as progress:
        progress.at(1, 4)
    assert capsys.readouterr().err == ""
