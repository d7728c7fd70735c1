"""Files that are written while a block runs: how often, beyond the bounds, and on a full disk."""

from __future__ import annotations

import os
import resource
import shutil
import zipfile
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import eventually
from distributed import Client, wait
from recording_rows import append, new_recording

import daskscope
from daskscope.block.writing import Writing
from daskscope.derive.summary import summary
from daskscope.errors import DaskscopeError
from daskscope.file_summary import figures_of
from daskscope.files.target import LocalTarget
from daskscope.recording.block_recording import BlockRecording, Positions
from daskscope.recording.file_writer import FileWriter
from daskscope.recording.recording_store import about_of
from daskscope.schema import MIN_RECORDING_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daskscope.recording import RecordingStore


@pytest.fixture
def looked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daskscope.block.writing.LOOK_EVERY_S", 0.01)


@pytest.fixture
def written_often(looked_often: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daskscope.block.writing.WRITE_AFTER_S", 0.0)


@pytest.fixture
def limited_files() -> Iterator[Any]:
    """Gives a function that lets no file of this process grow beyond some bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Run:
    """A recording of which a part is written."""

    def __init__(self, path: Path, **limits: Any) -> None:
        self.source = new_recording(memory_limit=200_000_000)
        given = {"memory_limit": 50_000_000, "disk_limit": 0, "overflow": "drop"} | limits
        self.copier = BlockRecording(self.source, Positions(), **given)
        self.copy.make_figures = figures_of
        self.writing = Writing(self.copier, self.source, LocalTarget(str(path)), {})

    @property
    def copy(self) -> RecordingStore:
        return self.copier.recording

    def add(self, tasks: int, **options: Any) -> None:
        """Append, and wait until that is in the part."""
        append(self.source, tasks, **options)
        eventually(lambda: self.copy.next_task == self.source.next_task)

    def finish(self) -> None:
        self.writing.halt()
        self.writing.wait()
        self.copy.about_facts = {"missing": []}
        self.copy.about_facts = about_of(self.copy)
        self.writing.finish(quiet=False)


@pytest.mark.usefixtures("looked_often")
def test_few_tasks_do_not_make_many_members(tmp_path: Path) -> None:
    run = Run(tmp_path / "run.daskscope")
    for _ in range(20):
        run.add(10)
    run.finish()
    members = zipfile.ZipFile(tmp_path / "run.daskscope").namelist()
    assert [name for name in members if name.startswith("tasks/")] == ["tasks/000000.arrow"]


@pytest.mark.usefixtures("looked_often")
def test_many_tasks_are_written_soon(tmp_path: Path) -> None:
    run = Run(tmp_path / "run.daskscope")
    run.add(5_000)
    (part,) = tmp_path.iterdir()
    eventually(lambda: b"keys/000000.txt" in part.read_bytes())
    run.finish()


@pytest.mark.usefixtures("written_often")
def test_a_file_counts_what_is_in_it_also_where_memory_could_not_keep_it(tmp_path: Path) -> None:
    run = Run(tmp_path / "run.daskscope", memory_limit=MIN_RECORDING_BYTES)
    for _ in range(20):
        run.add(10_000)
        eventually(lambda: run.writing._written == run.copy.next_task)
    kept = run.copy.counts.kept
    assert kept < 200_000
    run.finish()
    loaded = daskscope.load(tmp_path / "run.daskscope")
    about = loaded.about
    assert loaded.counts.kept == about["counts"]["kept"] == 200_000
    assert about["counts"]["rows"] == loaded.counts.rows == 200_000
    assert about["counts"]["dropped_recording"] == 0
    summary = about["summary"]
    assert summary["tasks"] == {"captured": 200_000, "kept": 200_000, "erred": 0, "rows": 200_000}
    assert not [one for one in summary["needs_a_look"] if "dropped" in one["title"]]
    assert f"the newest {kept:,} of 200,000 tasks" in summary["missing"][-1]["text"]
    assert run.copy.about_facts["summary"]["tasks"]["kept"] == kept
    assert [one["code"] for one in run.copy.about_facts["missing"]] == ["only-in-file"]
    # Who has all tasks can make figures of all.
    again = daskscope.load(loaded.save(tmp_path / "again.daskscope")).about
    assert again["missing"] == again["summary"]["missing"] == []
    busy = [
        sum(one["seconds"] for one in of["by_prefix_action"]) for of in (again["summary"], summary)
    ]
    assert busy[0] > busy[1]


def test_a_file_whose_writer_was_killed_within_a_member_opens_with_those_before(
    tmp_path: Path,
) -> None:
    recording = new_recording()
    append(recording, 30)
    writer = FileWriter(tmp_path / "run.daskscope", {})
    writer.append(recording)
    half = zipfile.ZipInfo("tasks/000001.arrow")
    half.compress_type, half.file_size = zipfile.ZIP_DEFLATED, 1_000_000
    with writer._zip.open(half, "w") as member:
        member.write(os.urandom(500_000))
        writer._file.flush()  # its size is written when it ends
        shutil.copy(writer.part_path, tmp_path / "left.daskscope")
    writer.abandon()
    with pytest.warns(UserWarning, match="truncated"):
        assert daskscope.load(tmp_path / "left.daskscope").counts.kept == 30


@pytest.mark.all
@pytest.mark.usefixtures("written_often")
def test_what_was_written_stays_when_the_disk_is_full(
    client: Client,
    tmp_path: Path,
    limited_files: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "run.daskscope"
    block = daskscope.record(path=path)
    rec = block.__enter__()
    wait(client.map(abs, range(20), pure=False))
    (part,) = tmp_path.iterdir()
    eventually(lambda: daskscope.load(part).counts.kept == 20)
    limited_files(part.stat().st_size + 100)
    wait(client.map(abs, range(2_000), pure=False))
    eventually(lambda: str(part) in caplog.text)  # at once, and not at the end
    with pytest.raises(DaskscopeError, match="File too large") as caught:
        block.__exit__(None, None, None)
    limited_files(resource.RLIM_INFINITY)
    assert caught.value.code == "not-saved"
    assert str(part) in caught.value.text
    assert list(tmp_path.iterdir()) == [part]
    with pytest.warns(UserWarning, match="truncated"):
        kept = daskscope.load(part)
    assert kept.counts.kept >= 20
    assert not kept.about["whole"]
    assert rec.counts.kept == 2_020
    rec.save(path)
    assert daskscope.load(path).counts.kept == 2_020


@pytest.mark.usefixtures("written_often")
def test_a_file_that_could_not_be_written_is_told_also_beside_another_exception(
    client: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    block = daskscope.record(path=folder / "run.daskscope")
    block.__enter__()
    wait(client.map(abs, range(20), pure=False))
    (part,) = folder.iterdir()
    part.unlink()
    folder.rmdir()
    error = ZeroDivisionError("of the block")
    with pytest.warns(UserWarning, match=r"run\.daskscope: No such file"):
        block.__exit__(type(error), error, None)


def test_why_no_disk_took_tasks_is_known_of_a_block_and_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    limits = {
        "daskscope.recording.memory-limit": MIN_RECORDING_BYTES,
        "daskscope.recording.directory": str(tmp_path / "file"),
    }
    with (
        dask.config.set(limits),
        Client(n_workers=1, processes=False, dashboard_address=":0") as client,
        daskscope.record(client) as rec,
    ):
        client.submit(pow, 2, 2).result()
        for name in ("inc", "sum"):
            rec._core.names.intern("prefixes", name)
        while not rec._core.spill_error:
            append(rec._core, 5_000, lanes=1)
    why = rec._core.spill_error
    loaded = daskscope.load(rec.save(tmp_path / "run.daskscope"))
    for recording in (rec, loaded):
        assert recording.about["spill_error"] == why
        (told,) = summary(recording._core)["needs_a_look"]
        assert why[:60] in told["text"]  # long paths are cut
