"""The library: what was kept is found again, listed, tagged, deleted, and not for ever."""

# ruff: noqa: F811 - fixtures are arguments, and imported
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import dask
import fsspec
import pytest
from clusters import eventually
from fsspec.implementations.local import LocalFileSystem
from library_reports import (  # noqa: F401
    SUMMARY,
    a_library_of_its_own,
    either_place,
    folder,
    listed,
    report,
    report_text,
    start,
)
from recording_rows import append, new_recording
from refusals import refused

import daskscope
from daskscope.library import keep
from daskscope.library.library import Library
from daskscope.library.store import Store

# -- keeping and listing ----------------------------------------------------


def test_a_report_that_was_kept_is_listed_with_what_is_known_of_it(report, either_place):
    before = datetime.now(UTC).replace(microsecond=0)
    kept = keep(report, {**SUMMARY, "private": False})
    (found,) = daskscope.list_performance_reports()
    assert found == kept
    assert before <= datetime.fromisoformat(found.pop("created")) <= datetime.now(UTC)
    filename = found.pop("filename")
    assert filename.startswith("dask-report-")
    assert filename.endswith(".html")
    assert found.pop("url").endswith(f"/{filename}")
    assert found == {
        "private": False,
        "account": None,
        "title": "A run",
        "source": "",
        "duration": 12.5,
        "tasks": 700,
        "erred": 3,
        "workers": 4,
        "user": "ada",
        "host": "node-7",
        "tags": [],
        "size": report.stat().st_size,
        "kind": "report",
    }


def test_a_report_without_a_title_is_called_by_where_it_was_made(report):
    keep(report, {**SUMMARY, "title": "", "source": "try.ipynb, In [23]"})
    (found,) = listed()
    assert found["title"] == found["source"] == "try.ipynb, In [23]"


def test_what_does_not_say_where_it_was_made_is_called_by_the_file_that_it_is_a_copy_of(
    report, folder
):
    keep(report, {**SUMMARY, "title": ""})
    (found,) = listed()
    assert (found["title"], found["source"]) == ("dask-report", "")
    name = found["filename"]
    (folder / f"{name}.json").unlink()
    (folder / name).write_text(report_text({**SUMMARY, "title": ""}))
    (found,) = listed()
    assert found["title"] == found["filename"] == name


def test_a_name_that_says_when_gets_no_second_time(report, tmp_path):
    recorded = report.rename(tmp_path / "run-20261119-081846.daskscope")
    kept = keep(recorded, {**SUMMARY, "title": ""}, kind="recording")
    assert re.fullmatch(r"run-20261119-081846-[0-9a-f]{8}\.daskscope", kept["filename"])
    assert kept["title"] == "run-20261119-081846"
    assert keep(recorded, SUMMARY, kind="recording")["filename"] != kept["filename"]


def test_the_copy_is_the_same_file_and_stays_when_the_original_changes(report):
    kept = keep(report, SUMMARY)
    report.write_text("something else")
    assert Path(unquote(urlparse(kept["url"]).path)).read_text() == report_text()


def test_reports_are_listed_newest_first_and_without_recordings(report, tmp_path, either_place):
    recording = new_recording()
    append(recording, 30)
    path = recording.save(tmp_path / "run.daskscope")
    names = [keep(report, {"title": str(n)})["filename"] for n in range(3)]
    kept = keep(path, recording.about_facts, kind="recording")
    assert {one["filename"] for one in daskscope.list_performance_reports()} == set(names)
    (found,) = daskscope.list_performance_reports(kind="recording")
    assert found == kept
    assert len(listed()) == 4
    created = [one["created"] for one in listed()]
    assert created == sorted(created, reverse=True)
    with pytest.raises(ValueError, match="kind must be"):
        daskscope.list_performance_reports(kind="panel")


def test_without_a_setting_the_library_is_where_the_platform_keeps_data(report, tmp_path):
    with dask.config.set({"daskscope.library.path": None}):
        keep(report, SUMMARY)
        (found,) = listed()
    place = tmp_path / "data/daskscope/library"
    assert sorted(file.name for file in place.iterdir()) == [
        found["filename"],
        found["filename"] + ".json",
    ]
    assert place.stat().st_mode & 0o077 == 0


def test_a_library_that_nothing_was_put_into_is_empty_and_not_made(folder):
    assert listed() == []
    assert not folder.exists()


def test_a_library_that_is_switched_off_takes_nothing(report, folder):
    with dask.config.set({"daskscope.library.enabled": False}):
        assert keep(report, SUMMARY) is None
    assert not folder.exists()


def test_a_file_url_is_a_folder(report, folder):
    with dask.config.set({"daskscope.library.path": folder.as_uri()}):
        keep(report, SUMMARY)
    assert len(listed()) == 1


def test_reports_of_a_cluster_are_found_again_also_by_what_they_say_themselves(
    client, tmp_path, folder
):
    with daskscope.performance_report(tmp_path / "run.html", title="<b>Run</b>"):
        client.gather(client.map(abs, range(30), pure=False))
    with daskscope.performance_report(tmp_path / "mine.html", private=True):
        client.submit(abs, 1).result()
    mine, run = listed()
    assert (run["title"], run["tasks"], run["workers"]) == ("<b>Run</b>", 30, 2)
    assert [mine["private"], run["private"]] == [True, False]
    assert run["size"] == (tmp_path / "run.html").stat().st_size
    for beside in folder.glob("*.json"):
        beside.unlink()
    again = {one["filename"]: one for one in listed()}[run["filename"]]
    assert again | {"created": None} == run | {"created": None}


def test_a_report_that_was_written_to_a_url_is_kept_without_fetching_it(
    client, tmp_path, monkeypatch
):
    fs = fsspec.filesystem("memory")
    modes, opened = [], fs.open

    def open_(_: object, path: str, mode: str = "rb", **options: Any) -> Any:
        modes.append(mode)
        return opened(path, mode, **options)

    monkeypatch.setattr(type(fs), "open", open_)
    with daskscope.performance_report(f"memory://{tmp_path.name}/far.html"):
        client.submit(abs, 1).result()
    (kept,) = listed()
    assert kept["filename"].startswith("far-")
    assert kept["size"] == fs.size(f"/{tmp_path.name}/far.html")
    assert modes == ["wb"]
    fs.rm(tmp_path.name, recursive=True)


@pytest.mark.parametrize(
    "name",
    ["x" * 240, "日" * 80, "a b&c'd\"e<f>.g", "..", "-rf", "\udcff", "con\nrol", "🙂"],
    ids=ascii,
)
def test_names_of_every_kind_can_be_kept(report, tmp_path, name):
    path = report.rename(tmp_path / f"{name}.html")
    kept = keep(path, SUMMARY)
    (found,) = listed()
    assert found == kept
    daskscope.delete_performance_report(found["url"])
    assert listed() == []


def test_a_private_report_is_for_its_user_alone(report, folder):
    kept = keep(report, {**SUMMARY, "private": True})
    daskscope.tag(kept["filename"], "mine")
    assert listed()[0]["private"]
    assert [file.stat().st_mode & 0o077 for file in folder.iterdir()] == [0, 0]


def test_a_private_report_does_not_go_where_others_may_read(report, tmp_path):
    with dask.config.set({"daskscope.library.path": f"memory://{tmp_path.name}"}):
        with pytest.warns(UserWarning, match="private"):
            assert keep(report, {**SUMMARY, "private": True}) is None
        assert listed() == []


def test_a_directory_of_another_machine_is_made_when_it_is_needed(report, tmp_path):
    """Here it is of this one, through what others are reached by."""
    root = str(tmp_path / "far")
    library = Library(Store("sftp://far.example/reports", LocalFileSystem(), root))
    assert library.entries() == []
    entry = library.add(report, "report", SUMMARY, "run")
    assert library.entries() == [entry]
    assert entry.url == f"sftp://far.example/reports/{entry.filename}"
    nowhere = Library(Store("sftp://far.example/a/b", LocalFileSystem(), f"{root}/a/b"))
    with pytest.raises(FileNotFoundError):  # a path that was mistyped is not made
        nowhere.add(report, "report", SUMMARY, "run")


# -- deleting and tagging ---------------------------------------------------


def test_a_report_is_deleted_by_its_name_or_its_url(report, either_place):
    first, second = keep(report, SUMMARY), keep(report, SUMMARY)
    daskscope.delete_performance_report(first["filename"])
    assert listed() == [second]
    daskscope.delete_performance_report(second["url"])
    assert listed() == []
    assert report.exists()
    fs, root = fsspec.core.url_to_fs(either_place)
    assert fs.ls(root) == []


@pytest.mark.parametrize("name", ["dask-report.html", "../outside.html", "", "/etc/passwd"])
def test_only_what_is_listed_can_be_deleted(report, tmp_path, name):
    keep(report, SUMMARY)
    outside = tmp_path / "outside.html"
    outside.write_text(report_text())
    with refused("no-report", repr(name)):
        daskscope.delete_performance_report(name)
    assert outside.exists()
    assert len(listed()) == 1


def test_tags_are_added_and_taken_away(report, either_place):
    name = keep(report, SUMMARY)["filename"]
    assert daskscope.tag(name, "slow", "March") == ["slow", "March"]
    assert daskscope.tag(name, "slow", "seen", remove=["March"]) == ["slow", "seen"]
    assert daskscope.tag(name, remove="slow") == ["seen"]
    assert listed()[0]["tags"] == ["seen"]
    assert listed()[0]["tasks"] == 700


def test_what_cannot_be_a_tag_is_refused(report):
    name = keep(report, SUMMARY)["filename"]
    for bad in ("", " ", "x" * 101):
        with refused("bad-tag"):
            daskscope.tag(name, bad)
    with pytest.raises(TypeError, match="a tag must be text, got int"):
        daskscope.tag(name, 7)
    with pytest.raises(TypeError, match="filename must be text"):
        daskscope.tag(report, "seen")
    many = [f"{n:02d}" + "🙂" * 98 for n in range(50)]
    assert daskscope.tag(name, *many) == many
    with refused("bad-tag", "50"):
        daskscope.tag(name, "one more")
    assert listed()[0]["tags"] == many


def test_an_account_without_a_hub_is_an_error_that_says_how_to_configure_one():
    with refused("no-hub", "'physics'", "daskscope.hub.url"):
        daskscope.list_performance_reports(account="physics")
    with (
        dask.config.set({"daskscope.hub.url": "https://hub.example"}),
        refused("no-hub", "https://hub.example"),
    ):
        daskscope.list_performance_reports("physics")


# -- several kernels --------------------------------------------------------

KERNEL = """
import sys, time, pathlib
from daskscope.library import keep
me, report, go = sys.argv[1:]
print("ready", flush=True)
while not pathlib.Path(go).exists():
    time.sleep(0.001)
for number in range(20):
    keep(report, {"title": f"{me}-{number}"})
"""


def test_kernels_that_write_at_once_lose_nothing(report, tmp_path):
    go = tmp_path / "go"
    kernels = [start(KERNEL, me, report, go) for me in "ab"]
    for kernel in kernels:
        assert kernel.stdout.readline() == "ready\n"
    go.touch()
    while any(kernel.poll() is None for kernel in kernels):
        listed()  # a third one, which looks at the same time
    for kernel in kernels:
        kernel.communicate()
        assert kernel.returncode == 0
    wanted = {f"{me}-{number}" for me in "ab" for number in range(20)}
    found = listed()
    assert {one["title"] for one in found} == wanted
    assert {one["size"] for one in found} == {report.stat().st_size}


def test_a_kernel_that_is_killed_while_it_copies_leaves_nothing_that_is_listed(
    report, folder, tmp_path
):
    keep(report, SUMMARY)
    pipe = tmp_path / "slow.html"
    os.mkfifo(pipe)
    kernel = start("import sys; from daskscope.library import keep; keep(sys.argv[1], {})", pipe)
    with pipe.open("wb", buffering=0) as slow:
        slow.write(report_text().encode())
        eventually(lambda: any(file.name.endswith(".part") for file in folder.iterdir()))
        kernel.kill()
        kernel.communicate()
    assert len(listed()) == 1


# -- retention --------------------------------------------------------------


def write_back(folder: Path, kept: dict[str, Any], days: float) -> None:
    """Make a copy older than it is."""
    beside = folder / f"{kept['filename']}.json"
    facts = json.loads(beside.read_text())
    facts["created"] = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    beside.write_text(json.dumps(facts))


@pytest.mark.parametrize(
    ("limit", "left"),
    [
        ({"keep-reports": 3}, 3),
        ({"keep-reports": 1}, 1),
        ({"keep-days": 2.5}, 3),
        ({"keep-days": 0.0001}, 1),
        ({"keep-size": 2000}, 2),
        ({"keep-size": 1}, 1),
        ({"keep-size": "1 MB", "keep-reports": 2, "keep-days": 4}, 2),
        ({}, 6),
    ],
)
def test_what_is_beyond_a_limit_goes_oldest_first_and_the_newest_stays(report, folder, limit, left):
    report.write_text(report_text().ljust(1000))
    names = []
    for days in (5, 4, 3, 2, 1):
        kept = keep(report, SUMMARY)
        write_back(folder, kept, days)
        names.append(kept["filename"])
    with dask.config.set({f"daskscope.library.{key}": value for key, value in limit.items()}):
        names.append(keep(report, SUMMARY)["filename"])
    assert [one["filename"] for one in listed()] == names[::-1][:left]
    assert len(list(folder.iterdir())) == 2 * left


def test_limits_are_for_ones_own_copies(report, folder):
    keep(report, {**SUMMARY, "user": "grace"})
    (folder / "by hand.html").write_text(report_text())
    with dask.config.set({"daskscope.library.keep-reports": 1}):
        for _ in range(3):
            keep(report, SUMMARY)
    assert sorted(one["user"] for one in listed()) == ["ada", "ada", "grace"]
    assert "by hand.html" in {one["filename"] for one in listed()}


def test_limits_hold_at_a_url(report, either_place):
    with dask.config.set({"daskscope.library.keep-reports": 2}):
        kept = [keep(report, SUMMARY)["filename"] for _ in range(4)]
    assert len(listed()) == 2
    assert kept[-1] in {one["filename"] for one in listed()}


def test_nothing_is_imported_before_it_is_used():
    code = "import sys, daskscope; print('daskscope.library' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert shown.stdout == "False\n"
