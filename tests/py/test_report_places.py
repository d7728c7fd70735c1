"""Where reports are written: refused before the block where nothing can be, and never lost."""

from __future__ import annotations

import os
import resource
import stat
from typing import TYPE_CHECKING, Any

import dask
import pytest
from distributed import Client
from refusals import refused
from report_blocks import computed, extract, recording_in, somewhere_else  # noqa: F401

import daskscope
from daskscope.errors import DaskscopeError

if TYPE_CHECKING:
    from pathlib import Path


def refused_block(code: str, *arguments: Any, **options: Any) -> DaskscopeError:
    """The error of a report that cannot be; the block must not run."""
    ran = []
    with refused(code) as caught, daskscope.performance_report(*arguments, **options):
        ran.append(True)
    assert not ran
    return caught.value


def test_without_a_client_the_block_does_not_run():
    assert "client=…" in refused_block("no-client", "run.html").next
    assert not os.listdir()  # noqa: PTH208


def test_after_its_client_was_closed_a_report_asks_for_another_one(cluster):
    with Client(cluster) as client:
        with daskscope.performance_report("run.html"):
            computed(client)
        client.close()
        refused_block("client-closed")
    assert "Client()" in refused_block("client-closed", client=client).next
    assert "client=…" in refused_block("no-client").next


def test_an_account_needs_a_hub(client):
    assert "daskscope.hub.url" in str(refused_block("no-hub", account="team"))
    with dask.config.set({"daskscope.hub.url": "https://ada:secret@hub.example.org"}):
        error = refused_block("no-hub", account="team")
    assert "https://hub.example.org" in error.text
    with dask.config.set({"daskscope.hub.url": "hub.example.org"}):
        error = refused_block("bad-setting", account="team")
    assert "daskscope.hub.url = " in error.text


@pytest.mark.parametrize(
    ("filename", "why"),
    [
        ("missing/run.html", "missing"),
        (".", "directory"),
        ("", "empty"),
        ("x" * 300 + ".html", "File name too long"),
        ("a\0b.html", "NUL"),
        ("/dev/null", "/dev/null"),
        ("/proc/run.html", "/proc/run.html"),
        ("nowhere://bucket/run.html", "Protocol not known"),
        ("memory://", "memory://"),
    ],
)
def test_a_place_where_nothing_can_be_written_is_refused_before_the_block(client, filename, why):
    assert why in refused_block("bad-path", filename).text


def test_a_name_that_fits_only_the_report_is_refused_with_a_recording(client):
    name = "x" * 248 + ".html"
    assert "File name too long" in refused_block("bad-path", name, recording=True).text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_refused_before_the_block(client, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    error = refused_block("bad-path", tmp_path / "closed" / "run.html")
    assert "Permission denied" in error.text


@pytest.mark.parametrize(
    ("setting", "value"), [("price-per-thread-hour", "cheap"), ("price-per-thread-hour", -1)]
)
def test_a_setting_that_cannot_be_used_is_named_before_the_block(client, setting, value):
    with dask.config.set({f"daskscope.report.{setting}": value}):
        error = refused_block("bad-setting")
    assert f"daskscope.report.{setting} = " in error.text


def test_arguments_of_a_wrong_kind_are_refused(client):
    with pytest.raises(TypeError, match="filename must be text or a path, got int"):
        daskscope.performance_report(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="redact: any of 'code', 'paths', 'hosts', not 'names'"):
        daskscope.performance_report(redact=["code", "names"])


@pytest.mark.parametrize(
    ("argument", "value", "wanted"),
    [
        ("private", 1, "True or False, got int"),
        ("private", "yes", "True or False, got str"),
        ("private", None, "True or False, got NoneType"),
        ("title", 5, "text, got int"),
        ("code", 0, "text, got int"),
    ],
)
def test_what_would_silently_be_nothing_is_refused_by_its_name(client, argument, value, wanted):
    with pytest.raises(TypeError, match=f"^{argument} must be {wanted}$"):
        daskscope.performance_report(**{argument: value})
    if argument != "private":
        with pytest.raises(TypeError, match=f"^{argument} must be {wanted}$"):
            daskscope.record(client, **{argument: value})


def test_the_copy_of_a_private_report_is_for_its_user_alone(client, tmp_path):
    library = {"daskscope.library.enabled": True, "daskscope.library.path": str(tmp_path / "all")}
    with dask.config.set(library):
        with daskscope.performance_report("run.html", private=True):
            computed(client)
        (kept,) = daskscope.list_performance_reports()
        assert kept["private"] is True
        assert stat.filemode((tmp_path / "all" / kept["filename"]).stat().st_mode) == "-rw-------"


# -- where it is written ------------------------------------------------------


def test_a_file_that_is_there_is_replaced(client, tmp_path):
    path = tmp_path / "run.html"
    path.write_text("what was there")
    (tmp_path / "link.html").symlink_to(path)
    with daskscope.performance_report(tmp_path / "sub" / ".." / "link.html"):
        computed(client)
    assert (tmp_path / "link.html").is_symlink()
    assert extract(path)[0]["tasks"]["captured"] == 20
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.html", "run.html"]


def test_nothing_is_saved_before_the_block_has_ended(client, tmp_path):
    with daskscope.performance_report("run.html") as report:
        for elsewhere in ([], ["early.html"]):
            with pytest.raises(DaskscopeError, match="has not ended") as error:
                report.save(*elsewhere)
            assert "run.html" in error.value.next
        computed(client)
    assert [one.name for one in tmp_path.iterdir()] == ["run.html"]
    assert report.url == (tmp_path / "run.html").as_uri()
    assert report.save("late.html") == (tmp_path / "late.html").as_uri()
    assert extract("late.html")[0] == extract("run.html")[0]


@pytest.mark.parametrize(
    ("filename", "written"),
    [
        ("run", "run.html"),
        pytest.param("run.v2/monday", "run.v2/monday.html", marks=pytest.mark.all),
        pytest.param(".run", ".run.html", marks=pytest.mark.all),
        ("run.htm", "run.htm"),
        pytest.param("run.2026", "run.2026", marks=pytest.mark.all),
    ],
)
def test_a_name_without_an_ending_gets_that_of_a_page(client, filename, written, tmp_path, capsys):
    (tmp_path / "run.v2").mkdir()
    with daskscope.performance_report(filename) as report:
        computed(client)
    assert report.filename == written
    assert report.url == (tmp_path / written).as_uri()
    assert report.url in capsys.readouterr().out
    assert recording_in(written).counts.kept == 20
    report.save("elsewhere")
    assert report.filename == "elsewhere.html"


def test_the_directory_is_that_of_the_beginning(client, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    with daskscope.performance_report("run.html"):
        monkeypatch.chdir(tmp_path / "other")
    assert (tmp_path / "run.html").exists()


def test_a_full_disk_leaves_nothing_behind_and_the_recording_in_memory(client, tmp_path):
    """It takes what is made first, a temporary file, and not all of the report."""
    path = tmp_path / "run.html"
    path.write_text("what was there")
    _, hard = soft = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with (
            refused("not-written", "run.html") as caught,
            daskscope.performance_report("run.html", recording=True) as report,
        ):
            fill_disk(client, 200_000, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, soft)
    assert "report.save" in caught.value.next
    assert path.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [path]
    assert report.recording.counts.kept == 20
    assert report.url is None
    assert report.save("elsewhere.html") == (tmp_path / "elsewhere.html").as_uri()
    assert recording_in("elsewhere.html").counts.kept == 20


@pytest.mark.parametrize(
    ("place", "full"),
    [
        ("run.html", 2_000),
        ("memory://run.html", 2_000),
        ("memory://run.html", 200_000),  # takes the recording, and not all of the report
    ],
)
def test_a_full_temporary_disk_is_not_the_fault_of_the_reports_place(client, place, full, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    _, hard = soft = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with (
            refused("no-room") as caught,
            daskscope.performance_report(place) as report,
        ):
            fill_disk(client, full, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, soft)
    assert place not in caught.value.text
    assert "daskscope.recording.directory" in caught.value.next
    assert "report.save() writes it" in caught.value.next
    assert not list(tmp_path.iterdir())
    assert report.save().endswith("run.html")
    fsspec.filesystem("memory").rm("/", recursive=True)


def test_a_place_of_temporary_files_that_cannot_be_is_named_as_that(client, tmp_path):
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "scratch")
    with daskscope.performance_report("run.html") as report:
        computed(client)
    with (
        dask.config.set({"daskscope.recording.directory": nowhere}),
        refused("no-room", nowhere),
    ):
        report.save("elsewhere.html")


def fill_disk(client: Client, full: int, hard: int) -> None:
    """From now on no file of this process takes more than this."""
    computed(client)
    resource.setrlimit(resource.RLIMIT_FSIZE, (full, hard))


def test_a_report_that_cannot_be_written_does_not_hide_the_blocks_exception(client, tmp_path):
    (tmp_path / "sub").mkdir()
    with (
        pytest.warns(UserWarning, match="could not be written"),
        pytest.raises(ZeroDivisionError),
        daskscope.performance_report("sub/run.html"),
    ):
        remove_and_raise(tmp_path / "sub")


def remove_and_raise(folder: Path) -> None:
    folder.rmdir()
    raise ZeroDivisionError


def test_a_report_goes_to_a_url_that_fsspec_can_write(client):
    fsspec = pytest.importorskip("fsspec")
    with daskscope.performance_report("memory://reports/run.html", recording=True) as report:
        computed(client)
    assert report.url == "memory://reports/run.html"
    assert recording_in("memory://reports/run.html").counts.kept == 20
    assert recording_in("memory://reports/run.daskscope").counts.kept == 20
    fsspec.filesystem("memory").rm("/reports", recursive=True)


def test_a_storage_that_refuses_leaves_the_recording_in_memory(client):
    pytest.importorskip("fsspec")
    with (
        refused("not-written", "local:///proc/nowhere/run.html"),
        daskscope.performance_report("local:///proc/nowhere/run.html") as report,
    ):
        computed(client)
    assert report.recording.counts.kept == 20


def test_a_url_without_an_ending_gets_that_of_a_page(client):
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    with daskscope.performance_report("memory://reports/run?sig=secret") as report:
        computed(client)
    assert report.url == report.filename == "memory://reports/run.html"
    assert [file.rpartition("/")[2] for file in files.find("/")] == ["run.html?sig=secret"]
    files.rm("/", recursive=True)


def test_a_signed_url_is_shown_without_its_signature_and_the_recording_is_written_beside(client):
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    url = "memory://reports/run.html?name=run.html&sig=secret"
    with daskscope.performance_report(url, recording=True) as report:
        computed(client)
    assert report.url == report.filename == "memory://reports/run.html"
    sent = [file.rpartition("/")[2] for file in files.find("/")]
    assert sent == [f"run.{kind}?name=run.html&sig=secret" for kind in ("daskscope", "html")]
    files.rm("/", recursive=True)


def test_a_password_in_a_url_is_shown_nowhere(client, capsys, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    url = "memory://ada:secret@reports/run.html"
    with daskscope.performance_report(url, recording=True) as report:
        computed(client)
    assert [file.rpartition("/")[2] for file in files.find("/")] == ["run.daskscope", "run.html"]
    assert report.url == report.filename == "memory://reports/run.html"

    def fails(*_: object) -> None:
        raise RuntimeError(f"no answer from {url}")

    monkeypatch.setattr(type(files), "put_file", fails)
    with pytest.raises(DaskscopeError, match="no answer from memory://reports") as not_written:
        report.save(url)
    with pytest.raises(DaskscopeError) as not_known:
        daskscope.performance_report("nowhere://ada:secret@host/run.html")
    said = [capsys.readouterr().out, repr(report), *map(str, (not_written.value, not_known.value))]
    assert not [text for text in said if "secret" in text]
    files.rm("/", recursive=True)


def test_a_file_url_is_a_path(client, tmp_path):
    with daskscope.performance_report((tmp_path / "a b.html").as_uri()) as report:
        computed(client)
    assert report.url == (tmp_path / "a b.html").as_uri()
    assert (tmp_path / "a b.html").exists()
