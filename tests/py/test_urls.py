"""Recordings at URLs: what they stand for is opened, and who asks for it is not shown."""

from __future__ import annotations

import re

import fsspec
import pytest
from report_blocks import extract
from test_cli import one_line_error
from test_files import full_recording, saved

import daskscope
from daskscope.cli import main
from daskscope.errors import DaskscopeError
from daskscope.report.html import build
from daskscope.urls import without_secrets


@pytest.fixture(autouse=True)
def empty_memory_afterwards():
    """Leave nothing in the file system that all tests of this process share."""
    yield
    files = fsspec.filesystem("memory")
    if files.ls("/"):
        files.rm("/", recursive=True)


@pytest.mark.parametrize("name", ["my run", "Läufe", "100 %", "a#b"])
def test_a_file_url_is_opened_whatever_the_path_is_called(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    recording = full_recording()
    for path in (folder / "run.html", folder / "run.daskscope"):
        with path.open("wb") as file:
            if path.suffix == ".html":
                build(recording, file)
            else:
                file.write(saved(recording, tmp_path).read_bytes())
        assert daskscope.load(path.as_uri()).counts == recording.counts
    figures, _ = extract((folder / "run.html").as_uri())
    assert figures["tasks"]["kept"] == recording.counts.kept
    if name in ("my run", "Läufe"):  # as people write them
        assert daskscope.load(f"file://{path}").counts == recording.counts
    with pytest.raises(DaskscopeError, match=f"There is no file {folder}"):
        daskscope.load((folder / "other.html").as_uri())


@pytest.mark.parametrize("name", ["a#b", "a?b", "100%", "[a"])
def test_a_file_url_that_was_written_by_hand_opens_what_is_called_so(tmp_path, name, monkeypatch):
    folder = tmp_path / name
    folder.mkdir()
    path = saved(full_recording(), folder)
    report = folder / "run.html"
    assert main(["report", f"file://{path}"]) == 0
    monkeypatch.chdir(tmp_path)
    urls = [f"file://{report}", f"file://localhost{report}", f"file://{name}/run.html"]
    urls.append("file://localhost" + report.as_uri().removeprefix("file://"))
    for url in urls:
        assert daskscope.load(url).counts.kept == extract(url)[0]["tasks"]["kept"]
    with pytest.raises(DaskscopeError, match="There is no file"):
        daskscope.load(f"file://{name}/none.html")


@pytest.mark.parametrize("read", [daskscope.load, extract])
@pytest.mark.parametrize(
    ("url", "content"),
    [
        ("memory://ada:secret@bucket/missing.html", None),
        ("memory://ada:secret@bucket/damaged.html", b"<!doctype html>"),
        ("memory://ada:s@cret@bucket/damaged.html", b"<!doctype html>"),
        ("nowhere://ada:secret@bucket/run.html", None),
        ("memory://ada@corp:secret@bucket/missing.html", None),
        ("http://ada:secret@127.0.0.1:1/run.html", None),
        ("http://secret@127.0.0.1:1/run.html", None),
        ("http://127.0.0.1:1/run.html?X-Amz-Signature=secret&X-Amz-Date=2", None),
        ("https://127.0.0.1:1/run.html#token=secret", None),
        ("memory://bucket/missing.html?sig=secret", None),
        ("memory://bucket/damaged.html?sig=secret%2F", b"<!doctype html>"),
        ("nowhere://bucket/run.html?sig=secret", None),
    ],
)
def test_errors_show_no_secret_of_a_url(url, content, read):
    if content is not None:
        with fsspec.open(url, "wb") as file:
            file.write(content)
    with pytest.raises(DaskscopeError) as caught:
        read(url)
    assert re.split("[?#]", url.rpartition("@")[2])[0] in str(caught.value)
    assert not re.search("ada|s.cret|sig=|Amz", str(caught.value))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("403, message='Forbidden', url='https://h/a?sig=S%3D'", "url='https://h/a'"),
        ("403, url=URL('https://h/a?name=it's&sig=S')", "url=URL('https://h/a')"),
        ("Max retries exceeded with url: /v1/a?op=OPEN&delegation=S (Caused", "url: /v1/a (Caused"),
        ("simplecache::https://ada:S@h/a?sig=S is not there", "simplecache::https://h/a is not"),
        ("<https://h/a?sig=S>; <az://box/b?sig=S>.", "<https://h/a>; <az://box/b>."),
        ('{"at": "https://h/it\'s?sig=S", "why": "who?"}', '"https://h/it\'s", "why": "who?"}'),
    ],
)
def test_of_urls_in_words_of_others_no_secret_is_shown(said, shown):
    assert shown in without_secrets(said)
    assert "S" not in without_secrets(said)


@pytest.mark.parametrize(
    "text",
    [
        "file:///tmp/what?/a#b.daskscope",
        "s3://bucket/a#b.daskscope",
        "/data/really?/x=1?y=2.daskscope",
        "Is it there? Then who may read https://host/run.html?",
    ],
)
def test_what_is_no_secret_is_shown(text):
    assert without_secrets(text).rstrip("?") == text.rstrip("?")


@pytest.mark.parametrize(
    "address", ["://", "http://", "s3://a", "url: /", "http://a@", "'a", "://:@"]
)
def test_secrets_are_found_in_a_megabyte_of_addresses(address):
    text = address * (1_000_000 // len(address))
    shown = without_secrets(f"{text}s3://bucket/a?sig=secret and https://ada:secret@host/b")
    assert shown.endswith("s3://bucket/a and https://host/b")


def test_errors_name_the_container_or_the_user_of_a_url_without_a_password(capsys):
    for url in ("memory://box@acc.dfs.core.windows.net/run.html", "memory://ada@host:22/run.html"):
        with pytest.raises(DaskscopeError, match=f"There is no file {url}"):
            daskscope.load(url)
        assert main(["info", url]) == 1
        assert f"There is no file {url}." in one_line_error(capsys)


@pytest.mark.parametrize("secrets", ["ada:secret@{}/run.daskscope", "{}/run.daskscope?sig=secret"])
def test_the_warning_of_a_truncated_file_shows_no_secret(tmp_path, secrets):
    url = f"memory://{secrets.format(tmp_path.name)}"
    with fsspec.open(url, "wb") as file:
        file.write(saved(full_recording(), tmp_path).read_bytes()[:2_000])
    with pytest.warns(UserWarning, match=f"^memory://{tmp_path.name}/run.daskscope "):
        daskscope.load(url)


@pytest.mark.parametrize("secrets", ["ada:secret@{}/run.daskscope", "{}/run.daskscope?sig=secret"])
def test_commands_say_nothing_of_who_asks_for_a_url(tmp_path, capsys, monkeypatch, secrets):
    monkeypatch.chdir(tmp_path)
    url = f"memory://{secrets.format(tmp_path.name)}"
    with fsspec.open(url, "wb") as file:
        file.write(saved(full_recording(), tmp_path).read_bytes()[:-4_000])
    assert main(["info", url]) == 0
    assert main(["report", url, "--output", "run.html"]) == 0
    assert main(["report", url.replace("run.", "none.")]) == 1
    said = capsys.readouterr()
    assert f"memory://{tmp_path.name}/run.daskscope is truncated" in said.err
    assert "There is no file memory://" in said.err
    assert "secret" not in said.out + said.err


def test_commands_read_what_a_file_url_stands_for_and_write_beside_it(tmp_path, capsys):
    folder = tmp_path / "my run"
    folder.mkdir()
    path = saved(full_recording(), folder)
    assert main(["report", path.as_uri()]) == 0
    assert path.with_suffix(".html").is_file()
    assert main(["info", path.with_suffix(".html").as_uri()]) == 0
    assert str(path.with_suffix(".html")) in capsys.readouterr().out
    assert main(["export", path.as_uri(), "--to", "chrome", "--output", str(path)]) == 1
    assert "is the input file" in one_line_error(capsys)
