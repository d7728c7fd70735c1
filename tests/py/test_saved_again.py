"""What is opened and saved again says of itself what is true of it then."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import dask
import pytest
from recording_rows import START, append, gap, new_recording

import daskscope
from daskscope.cli import main
from daskscope.file_summary import figures_of
from daskscope.loading import opened
from daskscope.report.html import build
from daskscope.schema import FILE_FORMAT, MIN_RECORDING_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from daskscope.recording import Recording, RecordingStore

TASKS = 300_000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run as a block leaves it, with its figures."""
    recording = new_recording()
    for _ in range(TASKS // 10_000):
        append(recording, 10_000)
    recording.about_facts = {"title": "A run", "start": START, "stop": START + 750, "missing": []}
    folder = tmp_path_factory.mktemp("runs")
    with (folder / "run.html").open("wb") as file:
        build(recording, file)
    return opened(folder / "run.html").save(folder / "run.daskscope")


@pytest.fixture
def cut(run: Path, tmp_path: Path) -> Path:
    """What was written until its program was killed: some tasks, and not the end."""
    whole = run.read_bytes()
    path = tmp_path / "cut.daskscope"
    path.write_bytes(whole[: whole.index(b"tasks/000001.arrow") - 30])
    return path


def load(path: Path) -> Recording:
    with pytest.warns(UserWarning, match="truncated"):
        return daskscope.load(path)


def kept_of(figures: dict[str, Any]) -> tuple[int, int]:
    return figures["tasks"]["kept"], figures["tasks"]["captured"]


def test_a_recording_that_lost_tasks_when_it_was_opened_is_saved_with_the_figures_of_the_rest(
    run: Path, tmp_path: Path
) -> None:
    limits = {
        "daskscope.recording.memory-limit": MIN_RECORDING_BYTES,
        "daskscope.recording.overflow": "drop",
    }
    with dask.config.set(limits):
        some = daskscope.load(run)
        again = some.save(tmp_path / "again.daskscope")
    left = some.counts.kept
    assert 0 < left < TASKS
    figures = daskscope.load(again).about["summary"]
    assert kept_of(figures) == (left, TASKS)
    assert figures["counts"] == some.counts.to_json()
    # Not that threads were idle: nobody knows that of when the others ran.
    (finding,) = figures["needs_a_look"]
    assert finding["title"] == f"{TASKS - left:,} of {TASKS:,} tasks were dropped"


def test_a_file_has_its_figures_at_its_end_alone(run: Path) -> None:
    with zipfile.ZipFile(run) as members:
        header, end = (json.loads(members.read(f"{name}.json")) for name in ("daskscope", "about"))
    assert "summary" not in header["facts"]
    assert kept_of(end["summary"]) == (TASKS, TASKS)
    assert "whole" not in header["facts"] | end  # whoever reads it finds that out


def test_a_file_that_was_cut_off_has_no_figures_of_the_whole(
    run: Path, cut: Path, tmp_path: Path
) -> None:
    assert "summary" not in load(cut).about
    with zipfile.ZipFile(run) as members:
        figures = json.loads(members.read("about.json"))["summary"]
    with zipfile.ZipFile(tmp_path / "made.daskscope", "w") as made:
        facts = {"title": "A run", "summary": figures}
        made.writestr("daskscope.json", json.dumps({"format": FILE_FORMAT, "facts": facts}))
    content = (tmp_path / "made.daskscope").read_bytes()
    cut.write_bytes(content[: content.index(b"PK\x01\x02")])
    assert load(cut).about.to_dict() == {"title": "A run", "whole": False}


def test_what_is_left_of_a_file_that_was_cut_off_says_so_when_it_is_saved(
    cut: Path, tmp_path: Path
) -> None:
    half = load(cut)
    left = half.counts.kept
    assert 0 < left < TASKS
    again = daskscope.load(half.save(tmp_path / "again.daskscope"))
    twice = daskscope.load(again.save(tmp_path / "twice.daskscope"))
    for recording in (again, twice):
        assert recording.about["whole"]  # the file is
        assert kept_of(recording.about["summary"]) == (left, left)
        assert recording.about["summary"]["needs_a_look"] == []
        for missing in (recording.about["missing"], recording.about["summary"]["missing"]):
            (notice,) = missing
            assert notice["code"] == "file-cut"
            assert "made from a truncated file" in notice["text"]


def test_a_report_of_what_was_cut_off_says_so_also_when_it_is_opened(cut: Path) -> None:
    assert main(["report", str(cut)]) == 0
    again = daskscope.load(cut.with_suffix(".html"))
    page = io.BytesIO()
    for figures in (again.about["summary"], build(again._core, page)):
        assert [notice["code"] for notice in figures["missing"]] == ["file-cut"]
    assert b"made from a truncated file" in page.getvalue()


def test_what_is_told_of_losses_is_what_they_are_now(tmp_path: Path) -> None:
    recording = new_recording()
    recording.log("events").count_dropped(3)
    recording.about_facts = {
        "missing": [
            {"code": "events-dropped", "level": "warn", "text": "2 events", "next": ""},
            {"code": "not-asked", "level": "warn", "text": "versions", "next": ""},
        ]
    }
    again = daskscope.load(opened(recording.save(tmp_path / "a.daskscope")).save(tmp_path / "b"))
    other, events = again.about["missing"]
    assert other["code"] == "not-asked"
    assert events["text"].startswith("3 events were dropped")


def test_what_a_run_cost_stays_where_nobody_set_a_price(run: Path, tmp_path: Path) -> None:
    def cost(path: Path) -> Any:
        return daskscope.load(path).about["summary"]["cost"]

    core = opened(run)
    core.note_present({"tcp://10.0.0.1:0": 4}, START)
    price = {"daskscope.report.price-per-thread-hour": 0.06, "daskscope.report.currency": "€"}
    with dask.config.set(price):
        said = cost(core.save(tmp_path / "a.daskscope"))
    assert said["per_hour"] == 0.06
    assert cost(opened(tmp_path / "a.daskscope").save(tmp_path / "b.daskscope")) == said
    price = {"daskscope.report.price-per-thread-hour": 0.12}
    with dask.config.set(price):
        dearer = cost(opened(tmp_path / "a.daskscope").save(tmp_path / "c.daskscope"))
    assert dearer["amount"] == pytest.approx(2 * said["amount"])


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_of_what_was_cut_off_say_so_and_have_one_count(form: str, cut: Path) -> None:
    assert main(["export", str(cut), "--to", form]) == 0
    about = json.loads((cut.parent / f"cut-{form}" / "about.json").read_text())
    assert about["whole"] is False
    assert about["counts"]["kept"] == about["summary"]["tasks"]["kept"] == load(cut).counts.kept
    assert [notice["code"] for notice in about["missing"]] == ["file-cut"]


def test_figures_of_a_recording_that_goes_on_are_of_what_is_in_the_file(tmp_path: Path) -> None:
    recording = new_recording()
    append(recording, 100)

    def figures(core: RecordingStore) -> dict[str, Any]:
        append(recording, 150)  # as other threads do
        recording.log("gaps").append([gap(START, START + 1, "agent-left", "The agent was gone.")])
        recording.log("events").count_dropped(7)
        return figures_of(core)

    recording.make_figures = figures
    saved = daskscope.load(recording.save(tmp_path / "run.daskscope"))
    assert recording.counts.kept == 250
    assert saved.counts.kept == 100
    told = saved.about["summary"]
    assert told["counts"] == saved.counts.to_json()
    assert sum(prefix["tasks"] for prefix in told["prefixes"]) == 100
    assert sum(action["rows"] for action in told["actions"]) == told["tasks"]["rows"] == 100
    assert (told["needs_a_look"], told["missing"]) == ([], [])
