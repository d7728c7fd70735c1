"""What the commands read from pipes, and write into them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import dask
import pytest
from refusals import refused
from test_cli import one_line_error, run_path
from test_cli_results import RESULTS
from test_export_chrome import checked, slices

import daskscope
from daskscope.cli import main

__all__ = ["run_path"]

COMMANDS = (("info",), *(pytest.param(one, marks=pytest.mark.all) for one in RESULTS))

pipes_have_paths = pytest.mark.skipif(
    not Path("/dev/fd").exists(), reason="this system has no paths of pipes"
)


def in_a_shell(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "daskscope", *arguments]
    return subprocess.run(command, capture_output=True, check=True, **options)


@pipes_have_paths
def test_results_go_into_pipes_without_names(run_path):
    said = in_a_shell("export", str(run_path), "--to", "chrome", "-o", "/dev/stdout")
    assert len(slices(checked(said.stdout))) == 620
    assert said.stderr == b"/dev/stdout: 620 slices\n", "and not into the result"
    said = in_a_shell("report", str(run_path), "-o", "/dev/stdout")
    assert said.stdout.endswith(b"</html>\n")
    assert said.stderr == b"/dev/stdout: 320 of 325 tasks\n"


@pipes_have_paths
def test_standard_output_that_is_a_file_gets_the_result_alone(run_path, tmp_path):
    result = tmp_path / "result.html"
    with result.open("wb") as file:
        command = [sys.executable, "-m", "daskscope", "report", str(run_path), "-o", "/dev/stdout"]
        subprocess.run(command, stdout=file, check=True)
    assert daskscope.load(result).counts.kept == 320


@pipes_have_paths
def test_who_reads_a_pipe_may_have_enough(run_path):
    reader, writer = os.pipe()
    os.close(reader)
    place = f"/dev/fd/{writer}"
    command = [sys.executable, "-m", "daskscope", "report", str(run_path), "-o", place]
    said = subprocess.run(command, pass_fds=[writer], capture_output=True, check=False)
    os.close(writer)
    assert (said.returncode, said.stderr) == (1, b"")


@pipes_have_paths
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_comes_through_a_pipe_is_read(command, run_path, tmp_path):
    report = tmp_path / "run.html"
    assert main(["report", str(run_path)]) == 0
    (tmp_path / "here").mkdir()
    name, *options = command
    for path in (run_path, report):
        said = in_a_shell(
            name, "/dev/stdin", *options, input=path.read_bytes(), cwd=tmp_path / "here"
        )
        assert b"320 of 325" in said.stdout or b"620" in said.stdout
        assert b"/dev/stdin, 0 B" not in said.stdout
    made = [one.name[:5] for one in (tmp_path / "here").iterdir()]
    assert made == ([] if name == "info" else ["stdin"])


@pipes_have_paths
@pytest.mark.parametrize("place", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_a_shell_redirects_is_read_and_results_stay_in_this_directory(
    command, place, run_path, tmp_path
):
    if not Path(place).exists():
        pytest.skip("this system has no such path")
    name, *options = command
    (tmp_path / "here").mkdir()
    with run_path.open("rb") as file:
        said = in_a_shell(name, place, *options, stdin=file, cwd=tmp_path / "here")
    assert b"320 of 325" in said.stdout or b"620" in said.stdout
    made = [one.name for one in (tmp_path / "here").iterdir()]
    assert len(made) == (name != "info")
    assert all(one.startswith(Path(place).name) for one in made)


@pipes_have_paths
def test_a_pipe_without_an_end_is_not_read_for_ever(capsys, monkeypatch):
    reader, writer = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), os.fdopen(writer, "wb") as file:
            while True:
                file.write(bytes(2**16))

    endless = threading.Thread(target=write)
    endless.start()
    monkeypatch.setattr("daskscope.files.reading.MAX_PIPE_BYTES", 2_000_000)
    assert main(["info", f"/dev/fd/{reader}"]) == 1
    os.close(reader)
    endless.join()
    assert "2,000,000 bytes" in one_line_error(capsys)


@pipes_have_paths
def test_where_recordings_may_take_no_disk_pipes_are_read_all_the_same(run_path):
    reader, writer = os.pipe()

    def write() -> None:
        with os.fdopen(writer, "wb") as file:
            file.write(run_path.read_bytes())

    thread = threading.Thread(target=write)
    thread.start()
    with dask.config.set({"daskscope.recording.disk-limit": 0}):
        assert daskscope.load(f"/dev/fd/{reader}").counts.kept == 320
    os.close(reader)
    thread.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_recording_takes_the_place_of_no_pipe(run_path, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    rec = daskscope.load(run_path)
    with refused("not-written", pipe):
        rec.save(pipe)
    with refused("bad-path", pipe):
        daskscope.record(path=pipe)
    with refused("not-written", pipe):
        rec.to_parquet(pipe)
    assert pipe.is_fifo()
