"""Taking a report apart: its own, and what somebody else sends as one."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples
from recording_rows import make_rows, new_recording
from refusals import refused
from report_blocks import extract
from test_files import full_recording

import daskscope
from daskscope.errors import DaskscopeError
from daskscope.recording import pack_keys
from daskscope.report import base85
from daskscope.report.extract import SLICE_BYTES, extract_to, take
from daskscope.report.html import RECORDING_BEGIN, SCRIPT_END, SUMMARY_BEGIN, build

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = io.BytesIO()


def whole_report() -> bytes:
    if not WHOLE.getvalue():
        build(full_recording(), WHOLE)
    return WHOLE.getvalue()


def without_page(report: bytes) -> bytes:
    """The same report without style and script, which nobody reads here."""
    begin, end = (
        report.index(SUMMARY_BEGIN),
        report.index(SCRIPT_END, report.index(RECORDING_BEGIN)),
    )
    return b"<!doctype html>" + report[begin : end + len(SCRIPT_END)]


def written(folder: Path, content: bytes) -> Path:
    path = folder / "run.html"
    path.write_bytes(content)
    return path


def test_summary_and_recording_come_out_as_they_went_in(tmp_path):
    figures, packed = extract(written(tmp_path, whole_report()))
    assert figures["tasks"]["kept"] == 320
    (tmp_path / "run.daskscope").write_bytes(packed)
    opened = daskscope.load(tmp_path / "run.daskscope")
    assert opened.counts == full_recording().counts


def test_a_report_opens_like_its_recording(tmp_path):
    path = written(tmp_path, whole_report())
    opened = daskscope.load(path)
    assert opened.counts == full_recording().counts
    assert opened.about["title"] == "A run"
    figures, said = extract(path)[0], opened.about["summary"]
    assert said.keys() == figures.keys()
    assert (said["tasks"], said["prefixes"]) == (figures["tasks"], figures["prefixes"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<!doctype html><title>another page</title>",
        b"PK\x03\x04",
        b"<html>" + SUMMARY_BEGIN + b"{}" + SCRIPT_END,
        b"<html>" + SUMMARY_BEGIN + b"[]" + SCRIPT_END + RECORDING_BEGIN + SCRIPT_END,
        b"<html>" + SUMMARY_BEGIN + b"[" * 100_000 + SCRIPT_END + RECORDING_BEGIN + SCRIPT_END,
        b"<html>" + SUMMARY_BEGIN + b"{}" + SCRIPT_END + RECORDING_BEGIN + b"~~~~~" + SCRIPT_END,
        b"<html>" + SUMMARY_BEGIN + b"{",
    ],
    ids=["empty", "foreign", "zip", "no recording", "list", "deep", "no base 85", "cut"],
)
def test_what_is_no_report_is_refused_in_one_sentence(tmp_path, content):
    with refused("bad-file", "run.html"):
        extract(written(tmp_path, content))


def test_a_report_whose_recording_is_none_is_refused(tmp_path):
    content = (
        b"<html>" + SUMMARY_BEGIN + b"{}" + SCRIPT_END + RECORDING_BEGIN + b"AAAAA" + SCRIPT_END
    )
    with refused("bad-file"):
        daskscope.load(written(tmp_path, content))


def test_a_report_that_was_cut_off_says_so_and_opens_with_what_is_whole(tmp_path):
    report = without_page(whole_report())
    path = written(tmp_path, report[: len(report) - 4_000])
    with refused("cut-file", path):
        extract(path)
    with pytest.warns(UserWarning, match=path.name):
        opened = daskscope.load(path)
    assert opened.counts.kept == 320
    assert not opened.about["whole"]


@pytest.mark.parametrize(
    ("names", "actions"), [(1_000, 3), pytest.param(1_000, 200, marks=pytest.mark.all)]
)
def test_a_summary_of_long_names_is_no_larger_than_can_be_read(tmp_path, names, actions):
    recording = new_recording(prefixes=[f"{i:04}" + "<" * 990 for i in range(names)])
    numbers = [recording.names.intern("actions", f"{i:03}" + "<" * 200) for i in range(actions)]
    rows = make_rows(names, rows_each=actions)
    rows["prefix"] = rows["task"].astype("u2")
    rows["action"] = np.array(numbers, "u1")[np.arange(len(rows["task"])) % actions]
    recording.append_tasks(names, rows, pack_keys(0, ["k"] * names).data)
    path = tmp_path / "run.html"
    with path.open("wb") as file:
        figures = build(recording, file)
    assert figures["prefixes"][0]["name"] in {f"{i:04}" + "<" * 295 + "…" for i in range(names)}
    assert extract(path)[0] == figures
    assert daskscope.load(path).counts == recording.counts


def test_code_of_any_length_makes_a_report_that_can_be_read(tmp_path):
    recording = full_recording()
    recording.about_facts["code"] = "<" * 3_000_000
    path = tmp_path / "run.html"
    with path.open("wb") as file:
        figures = build(recording, file)
    assert figures["code"][:1_000] == "<" * 1_000
    assert figures["code"].endswith("…")
    assert daskscope.load(path).counts == recording.counts


@pytest.mark.parametrize("shift", [0, 1, 25, 50, 54])
def test_marks_are_found_across_slices(tmp_path, shift):
    report = without_page(whole_report())
    filler = b" " * (SLICE_BYTES - len(b"<!doctype html>") - shift)
    figures, _ = extract(written(tmp_path, report[:15] + filler + report[15:]))
    assert figures["tasks"]["kept"] == 320


class _Endless(io.RawIOBase):
    """A file that goes on for ever, and counts what is read of it."""

    def __init__(self, begin: bytes, filler: bytes) -> None:
        super().__init__()
        self._begin, self._filler = io.BytesIO(begin), filler
        self.read_bytes = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._begin.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        part = self._begin.read(size) or self._filler * (size // len(self._filler))
        self.read_bytes += len(part)
        return part


@pytest.mark.parametrize("begin", [b"<html>", b"<html>" + SUMMARY_BEGIN])
def test_a_huge_page_is_given_up_soon(begin):
    endless = _Endless(begin, b"spam")
    with refused("bad-file", "endless"):
        take(endless, io.BytesIO(), "endless")
    assert endless.read_bytes < 20_000_000


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(DaskscopeError, match="There is no file"):
        extract_to(tmp_path / "none.html", io.BytesIO())


@given(st.binary(max_size=40))
def test_bytes_become_text_that_cannot_end_an_element(data):
    text = base85.encode(data)
    assert base85.decode(text) == data
    assert len(text) == len(data) + -(-len(data) // 4)
    assert not set(text) & set(b"<\0\r\n")


@pytest.mark.parametrize("text", [b"aaa\xe9", b"aaaa<", b"aaaaw", b"aaaa ", b"uuuuu"])
def test_text_that_holds_no_bytes_is_refused(text):
    with pytest.raises(ValueError, match="85"):
        base85.decode(text)


@examples(200)
@given(st.data())
def test_reports_with_changed_bytes_open_or_are_refused(data):
    content = bytearray(without_page(whole_report()))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    found = None
    with suppress(DaskscopeError):
        found = take(io.BytesIO(content), io.BytesIO(), "changed")
    assert found is None or isinstance(found[0], dict)
