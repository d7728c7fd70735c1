"""A library that somebody else changed, or that cannot be read or written."""

# ruff: noqa: F811 - fixtures are arguments, and imported
from __future__ import annotations

import json
import os
import resource
import signal
from datetime import datetime

import dask
import fsspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
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

import daskscope
from daskscope.errors import DaskscopeError
from daskscope.library import keep
from daskscope.library.store import Store


def test_what_was_deleted_by_hand_is_no_longer_listed(report, either_place):
    gone, stays = keep(report, SUMMARY), keep(report, SUMMARY)
    assert len(listed()) == 2
    fs, root = fsspec.core.url_to_fs(either_place)
    fs.rm(f"{root}/{gone['filename']}")
    assert listed() == [stays]


def test_files_without_facts_say_themselves_what_they_are(report, tmp_path, folder, either_place):
    recording = new_recording()
    append(recording, 30)
    recording.about_facts = {"title": "Recorded", "stop": 1_790_000_100.0, "workers": [{}, {}]}
    saved = recording.save(tmp_path / "run.daskscope")
    fs, root = fsspec.core.url_to_fs(either_place)
    fs.makedirs(root, exist_ok=True)
    fs.put_file(str(report), f"{root}/by hand.html")
    fs.put_file(str(saved), f"{root}/run.daskscope")
    made, found = listed()
    assert found["filename"] == "by hand.html"
    assert found["created"] == "2026-09-21T14:13:32+00:00"
    assert (found["title"], found["tasks"], found["erred"]) == ("A run", 700, 3)
    assert (found["workers"], found["user"], found["duration"]) == (4, "ada", 12.5)
    assert (made["kind"], made["title"], made["tasks"]) == ("recording", "Recorded", 30)
    assert made["workers"] == 2


@pytest.mark.parametrize(
    ("name", "kind"),
    [("X.HTML", "report"), ("x.Htm", "report"), ("X.DASKSCOPE", "recording")],
)
def test_files_are_known_by_their_endings_as_jupyterlab_knows_them(
    report, tmp_path, either_place, name, kind
):
    recording = new_recording()
    recording.about_facts = {"title": "A run"}
    paths = {"report": report, "recording": recording.save(tmp_path / "run.daskscope")}
    fs, root = fsspec.core.url_to_fs(either_place)
    fs.makedirs(root, exist_ok=True)
    fs.put_file(str(paths[kind]), f"{root}/{name}")
    (found,) = listed()
    assert (found["filename"], found["kind"], found["title"]) == (name, kind, "A run")
    daskscope.tag(name, "mine")
    daskscope.delete_performance_report(name)
    assert listed() == []


def test_a_recording_that_was_cut_off_is_listed_by_what_it_knew_at_its_beginning(folder, tmp_path):
    recording = new_recording()
    append(recording, 30)
    recording.about_facts = {"title": "Cut", "start": 1_790_000_000.0}
    whole = recording.save(tmp_path / "run.daskscope").read_bytes()
    folder.mkdir()
    (folder / "cut.daskscope").write_bytes(whole[: len(whole) // 2])
    (found,) = listed()
    assert (found["title"], found["tasks"]) == ("Cut", None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<!doctype html><p>something else",
        b"PK\x05\x06" + bytes(18),
        b'<script id="daskscope-summary">' + b"[" * 100_000 + b"</script>",
        b'<script id="daskscope-summary">{"title": "cut off',
        b'<script id="daskscope-summary">[]</script>',
        b'<script id="daskscope-summary">' + b" " * 40_000_000 + b"{}</script>",
    ],
    ids=["empty", "html", "zip", "nested", "cut off", "list", "endless"],
)
@pytest.mark.parametrize("name", ["x.html", "x.daskscope"])
def test_files_of_others_are_passed_over_and_left_alone(report, folder, name, content):
    kept = keep(report, SUMMARY)
    (folder / name).write_bytes(content)
    (folder / f".{name}").write_text(report_text())
    (folder / "a folder.html").mkdir()
    (folder / "notes.txt").write_text(report_text())
    (folder / "dangling.html").symlink_to(folder / "nowhere.html")
    with dask.config.set({"daskscope.library.keep-reports": 1}):
        second = keep(report, SUMMARY)
    assert listed() == [second] != [kept]
    assert (folder / name).read_bytes() == content


@pytest.mark.parametrize(
    "content",
    [
        report_text().replace("700", "NaN"),
        report_text().replace("700", "1e999"),
        report_text().replace("700", "9" * 400),
        " " * 17_000_000 + report_text(),
    ],
    ids=["nan", "infinite", "large", "late"],
)
def test_no_report_is_listed_that_cannot_be_opened(folder, content):
    folder.mkdir()
    (folder / "x.html").write_text(content)
    assert listed() == []
    with pytest.raises(DaskscopeError, match="cannot be read"):
        daskscope.load(folder / "x.html")


def test_a_pipe_in_the_folder_is_not_waited_for(report, folder):
    kept = keep(report, SUMMARY)
    os.mkfifo(folder / "pipe.html")
    os.mkfifo(folder / f"{kept['filename']}.json.fifo")
    assert listed() == [kept]


def test_what_is_known_is_not_read_again(report, either_place, monkeypatch):
    kept = keep(report, SUMMARY)
    read = []
    facts = Store.facts
    monkeypatch.setattr(
        Store, "facts", lambda store, names: facts(store, read.append([*names]) or read[-1])
    )
    assert listed() == listed() == [kept]
    assert read == [[kept["filename"]], []]
    daskscope.tag(kept["filename"], "seen")
    assert listed()[0]["tags"] == ["seen"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400)])
    | st.floats()
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=6,
)
FIELDS = ("kind", "created", "title", "duration", "tasks", "erred", "workers", "user", "host")


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(st.sampled_from([*FIELDS, "private", "tags", "account", "copied"]), JSON)
    | st.binary(max_size=200)
)
def test_facts_that_somebody_else_wrote_are_checked(folder, found):
    folder.mkdir(exist_ok=True)
    (folder / "x.html").write_text(report_text())
    data = found if isinstance(found, bytes) else json.dumps({"format": 1, **found}).encode()
    (folder / "x.html.json").write_bytes(data)
    (one,) = listed()
    assert one["filename"] == "x.html"
    datetime.fromisoformat(one["created"])
    assert all(isinstance(one[name], str) for name in ("title", "user", "host", "kind"))
    assert all(isinstance(one[name], int | None) for name in ("tasks", "erred", "workers"))
    assert isinstance(one["duration"], float | None)
    assert isinstance(one["account"], str | None)
    assert isinstance(one["private"], bool)
    assert isinstance(one["tags"], list)


@pytest.mark.parametrize("field", ["created", "duration", "tasks", "erred", "workers"])
def test_a_number_that_no_float_can_hold_hides_no_other_report(report, folder, field):
    keep(report, SUMMARY)
    (folder / "foreign.html").write_text(report_text())
    odd = {"format": 1, "title": "odd", field: 10**400}
    (folder / "foreign.html.json").write_text(json.dumps(odd))
    (folder / "alone.html").write_text(report_text({"title": "alone", field: 10**400}))
    # The last one cannot be opened.
    assert {one["title"] for one in listed()} == {"A run", "odd"}


def test_facts_of_later_versions_and_endless_ones_are_passed_over(report, folder):
    kept = keep(report, SUMMARY)
    beside = folder / f"{kept['filename']}.json"
    for text in ('{"format": 2, "title": "later"}', '{"format": 1, "x": "' + "y" * 10**6 + '"}'):
        beside.write_text(text)
        (found,) = listed()
        assert found["title"] == "A run"


# -- what goes wrong --------------------------------------------------------


def test_a_library_that_cannot_be_written_costs_a_warning_and_no_more(report, tmp_path):
    (tmp_path / "file").write_text("")
    with (
        dask.config.set({"daskscope.library.path": str(tmp_path / "file/library")}),
        pytest.warns(UserWarning, match="dask-report.html") as seen,
    ):
        assert keep(report, SUMMARY) is None
    assert seen[0].filename == __file__
    assert "daskscope.library.path" in str(seen[0].message)


def test_a_full_disk_leaves_nothing_half_written(report, folder):
    """A process that may write no more than this into a file."""
    keep(report, SUMMARY)
    code = (
        "import sys, warnings; from daskscope.library import keep\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    print(keep(sys.argv[1], {}), [str(one.message) for one in seen])"
    )
    report.write_text(report_text() + " " * 1_000_000)

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    said, _ = start(code, report, preexec_fn=bounded).communicate()
    assert said.startswith("None ")
    assert "File too large" in said
    assert len(list(folder.iterdir())) == 2
    assert len(listed()) == 1


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nonsense://ada:secret@host/reports", "Protocol not known"),
        ("nonsense://host/reports?sig=secret", "Protocol not known"),
        ("memory2://x", "Protocol not known"),
    ],
)
def test_a_place_that_nothing_reaches_is_named_without_its_secrets(report, place, words):
    with dask.config.set({"daskscope.library.path": place}):
        with pytest.raises(DaskscopeError, match=words) as caught:
            listed()
        with pytest.warns(UserWarning, match=words) as seen:
            assert keep(report, SUMMARY) is None
    assert caught.value.code == "bad-library"
    assert "secret" not in str(caught.value) + str(seen[0].message)


def test_a_folder_that_is_a_file_takes_nothing_and_says_so(report, folder):
    folder.write_text("")
    with pytest.warns(UserWarning, match="File exists"):
        assert keep(report, SUMMARY) is None


def test_a_wrong_setting_costs_a_warning_and_no_more(report):
    with (
        dask.config.set({"daskscope.library.keep-reports": "few"}),
        pytest.warns(UserWarning, match="keep-reports"),
    ):
        assert keep(report, SUMMARY) is None
