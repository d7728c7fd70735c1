"""Commands that talk to a cluster, as a shell runs them: in processes of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from clusters import eventually, free_port

import daskscope
from daskscope.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.all

SOURCES = Path(__file__).resolve().parents[2] / "py_src"
ENDS_S = 60


class Shell:
    """`python -m daskscope …` with its output in files, in a group of processes of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        with self.path("out").open("wb") as out, self.path("err").open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "daskscope", *arguments],
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": str(SOURCES), **environment},
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def path(self, stream: str) -> Path:
        return self._folder / f"{stream}.txt"

    def said(self, stream: str) -> str:
        return self.path(stream).read_text()

    def stop(self) -> None:
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path)
    yield shell
    shell.stop()


def recorded_tasks(path: Path) -> int:
    recording = daskscope.load(path)
    assert recording.about["whole"]
    return recording.counts.kept


def test_a_cluster_is_recorded_for_a_time(client, shell, tmp_path):
    address = client.scheduler.address
    arguments = ("--for", "2s", "--output", "run.daskscope", "--title", "A title")
    process = shell.start("record", "--scheduler", address, *arguments)
    eventually(lambda: "Recording" in shell.said("err"), ENDS_S)
    assert len(client.gather(client.map(lambda i: i, range(50), pure=False))) == 50
    assert process.wait(ENDS_S) == 0
    assert "run.daskscope: 50 of 50 tasks, " in shell.said("out")
    assert recorded_tasks(tmp_path / "run.daskscope") == 50
    about = daskscope.load(tmp_path / "run.daskscope").about
    assert about["title"] == "A title"
    assert 1.9 < about["duration"] < 10
    assert shell.said("err").count("\n") == 1, "nothing but what it does"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_interrupts_a_recording_gets_what_there_is(client, shell, tmp_path, number):
    process = shell.start("record", "--scheduler", client.scheduler.address)
    eventually(lambda: "Recording" in shell.said("err"), ENDS_S)
    client.gather(client.map(lambda i: i, range(20), pure=False))
    os.killpg(process.pid, number)
    assert process.wait(ENDS_S) == 130
    (path,) = tmp_path.glob("*.daskscope")
    assert re.fullmatch(r"run-\d{8}-\d{6}\.daskscope", path.name)
    assert recorded_tasks(path) == 20
    assert "Traceback" not in shell.said("err")


@pytest.mark.parametrize(("asked", "code"), [((), 0), (("--for", "1h"), 1)])
def test_a_recording_ends_with_its_cluster(asked, code, scheduler_process, shell, tmp_path):
    scheduler_process.start(workers=0)
    process = shell.start(
        *("record", "--scheduler", scheduler_process.address, "--output", "run.daskscope", *asked),
        DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="2s",
    )
    eventually(lambda: "Recording" in shell.said("err"), ENDS_S)
    scheduler_process.kill_scheduler()
    assert process.wait(ENDS_S) == code
    recording, missing, gone = shell.said("err").splitlines()
    assert recording.startswith("Recording tcp://")
    assert missing.startswith("versions and logs: ")
    assert ("error" in gone, "1:00:00" in gone) == (bool(asked), bool(asked))
    assert recorded_tasks(tmp_path / "run.daskscope") == 0


def test_a_recording_whose_place_vanished_goes_to_another_one(client, shell, tmp_path):
    (tmp_path / "out").mkdir()
    process = shell.start(
        *("record", "--scheduler", client.scheduler.address, "--output", "out/run.daskscope"),
        TMPDIR=str(tmp_path),
    )
    eventually(lambda: "Recording" in shell.said("err"), ENDS_S)
    client.submit(int).result()
    shutil.rmtree(tmp_path / "out")
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(ENDS_S) == 130
    assert "could not be written to out/run.daskscope: No such file" in shell.said("err")
    (path,) = tmp_path.glob("daskscope-*/run.daskscope")
    assert shell.said("out").startswith(f"{path}: 1 of 1 task")
    assert recorded_tasks(path) == 1


def test_a_place_that_cannot_be_written_to_is_told_before_anything_is_recorded(
    client, tmp_path, capsys
):
    place = tmp_path / "nowhere" / "run.daskscope"
    assert main(["record", "--scheduler", client.scheduler.address, "-o", str(place)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("daskscope: error: ")
    assert str(place.parent) in line


def test_a_directory_or_a_device_is_no_place_for_a_recording(tmp_path, capsys):
    for place, kind in ((tmp_path, "a directory"), (Path(os.devnull), "not a regular file")):
        assert main(["record", "--scheduler", "tcp://127.0.0.1:1", "-o", str(place)]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert str(place) in line
        assert kind in line


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{port}", "foo://here", "", "localhost"])
def test_no_scheduler_is_one_line(address, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("daskscope.cli.record.CONNECT_S", 1)
    monkeypatch.chdir(tmp_path)
    assert main(["record", "--scheduler", address.format(port=free_port())]) == 1
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert line.startswith("daskscope: error: No scheduler could be reached at ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["bogus", "nonsense://x", "tcp://here:port", "tls://here:1"])
def test_after_an_address_that_is_none_nothing_else_is_said(address, shell, tmp_path):
    process = shell.start("record", "--scheduler", address, "--for", "1")
    assert process.wait(ENDS_S) == 1
    assert shell.said("out") == ""
    (line,) = shell.said("err").splitlines()
    assert line.startswith(f"daskscope: error: No scheduler could be reached at {address}: ")
    assert list(tmp_path.glob("*.daskscope")) == []


def test_the_demo_is_a_cluster_that_works_until_it_is_interrupted(shell, tmp_path):
    demo = shell.start("demo")
    eventually(lambda: "Ctrl-C" in shell.said("err"), ENDS_S)
    address = shell.said("out").strip()
    path = tmp_path / "demo.daskscope"
    recording_shell = Shell(tmp_path / "recorder")
    (tmp_path / "recorder").mkdir()
    try:
        arguments = ("--scheduler", address, "--for", "5s", "--output", str(path))
        assert recording_shell.start("record", *arguments).wait(ENDS_S) == 0
    finally:
        recording_shell.stop()
    os.killpg(demo.pid, signal.SIGINT)
    assert demo.wait(ENDS_S) == 130
    assert shell.said("err").splitlines()[-1] == "daskscope: interrupted"
    assert "Traceback" not in shell.said("err")
    tasks = daskscope.load(path).tasks
    assert {"load", "clean", "join", "score"} <= set(tasks["prefix"])
    assert {"compute", "transfer"} <= set(tasks["action"])
    rounds = tasks["key"].str.extract(r"-(\d+)'", expand=False)
    assert rounds.nunique() > 1
    assert (tasks["span"].astype(str) == "round-" + rounds).all()


def test_the_demo_ends_by_itself(shell):
    assert shell.start("demo", "--seconds", "1").wait(ENDS_S) == 0
    assert "1.00 s" in shell.said("err")
    assert "Traceback" not in shell.said("err")
