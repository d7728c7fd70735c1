"""What the sidebar of JupyterLab asks of the library, through a kernel's hub."""

# ruff: noqa: F811 - fixtures are arguments, and imported
from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

import pytest
from clusters import eventually
from library_reports import SUMMARY, a_library_of_its_own, either_place, report  # noqa: F401
from recording_rows import append, new_recording
from stream_pages import FakeLoop, PageStub

import daskscope
from daskscope.errors import DaskscopeError
from daskscope.library import keep, library_api
from daskscope.report import base85
from daskscope.stream import Channel, Hub, sources

if TYPE_CHECKING:
    from pathlib import Path


def test_reports_are_listed_newest_first_with_their_place(report, either_place):
    keep(report, {**SUMMARY, "title": "older"})
    keep(report, {**SUMMARY, "title": "<script>"})
    answer = library_api.answer("reports", {})
    assert [entry["title"] for entry in answer["reports"]] == ["<script>", "older"]
    assert answer["total"] == 2
    assert {entry["path"] for entry in answer["reports"]} == {None}
    json.dumps(answer)


def test_a_long_list_is_cut_and_says_how_many_there_are(report, monkeypatch):
    monkeypatch.setattr(library_api, "MOST_LISTED", 2)
    for _ in range(3):
        keep(report, SUMMARY)
    answer = library_api.answer("reports", {})
    assert (len(answer["reports"]), answer["total"]) == (2, 3)


def test_a_report_below_the_root_of_the_server_has_a_path(report, tmp_path, monkeypatch):
    server = {"pid": os.getppid(), "root_dir": str(tmp_path), "base_url": "/user/ada/"}
    monkeypatch.setattr(daskscope.report.address, "_servers", lambda: [server])
    kept = keep(report, SUMMARY)
    (entry,) = library_api.answer("reports", {})["reports"]
    assert entry["path"] == f"library/{kept['filename']}"


def test_in_a_notebook_the_list_has_addresses_that_a_browser_opens(report, tmp_path, monkeypatch):
    server = {"pid": os.getppid(), "root_dir": str(tmp_path), "base_url": "/user/ada/"}
    asked_for = []
    monkeypatch.setattr(
        daskscope.report.address, "_servers", lambda: (asked_for.append(1), [server])[1]
    )
    names = [keep(report, SUMMARY)["filename"] for _ in range(3)]
    asked_for.clear()
    urls = [one["url"] for one in daskscope.list_performance_reports()]
    assert urls == [f"/user/ada/lab?daskscope-report=library/{name}" for name in reversed(names)]
    assert len(asked_for) == 1  # whatever servers there are, they are looked for once a list
    daskscope.delete_performance_report(urls[0])
    assert len(daskscope.list_performance_reports()) == 2


def test_recordings_are_listed_and_say_that_they_are(report, tmp_path):
    path = append_and_save(tmp_path / "run.daskscope")
    keep(report, SUMMARY)
    keep(path, SUMMARY, kind="recording")
    answer = library_api.answer("reports", {})
    assert [entry["kind"] for entry in answer["reports"]] == ["recording", "report"]
    assert answer["total"] == 2


def append_and_save(path: Path) -> Path:
    recording = new_recording()
    append(recording, 30)
    return recording.save(path)


def test_a_report_comes_in_pieces_as_it_is(report, either_place, monkeypatch):
    monkeypatch.setattr(library_api, "MAX_PIECE_BYTES", 1_000)
    kept = keep(report, SUMMARY)
    found, size = b"", 1
    while len(found) < size:
        answer = library_api.answer("report", {"filename": kept["filename"], "at": len(found)})
        size = answer["size"]
        piece = base85.decode(answer["text"].encode())
        assert 0 < len(piece) <= 1_000
        found += piece
    assert found == report.read_bytes()


def test_a_report_is_deleted(report):
    kept = keep(report, SUMMARY)
    assert library_api.answer("delete-report", {"filename": kept["filename"]}) == {}
    assert library_api.answer("reports", {})["reports"] == []
    assert report.exists()


@pytest.mark.parametrize(
    ("what", "args", "code"),
    [
        ("report", {"filename": "../../etc/passwd", "at": 0}, "no-report"),
        ("report", {"filename": "x", "at": -1}, "bad-message"),
        ("report", {"filename": None, "at": 0}, "bad-message"),
        ("delete-report", {"filename": "/etc/passwd"}, "no-report"),
        ("dance", {}, "bad-message"),
    ],
)
def test_what_is_not_in_the_library_cannot_be_had(what, args, code):
    with pytest.raises(DaskscopeError) as raised:
        library_api.answer(what, args)
    assert raised.value.code == code


class Scene:
    """A page and a hub that answers as it is told."""

    def __init__(self, answer):
        self.loop = FakeLoop()
        hub = Hub(self.loop, answer=answer, clock=self.loop.clock)
        self.page = PageStub(hub, None, "page-1")
        self.page.channel = Channel(self.page.take)
        hub.open(self.page.channel)
        self.page.hello()

    def ask(self, question, what="reports", **args):
        self.page.say("ask", session=None, id=question, what=what, args=args)

    def answers(self, count):
        def arrived():
            self.loop.run(0.1)
            return len(self.page.of("answer")) >= count

        eventually(arrived)
        return {answer["id"]: answer for answer in self.page.of("answer")}


def test_a_question_without_a_session_is_answered_beside_the_loop():
    threads = []

    def answer(what, args):
        threads.append(threading.current_thread())
        return {"what": what, **args}

    scene = Scene(answer)
    scene.ask("q1", more=1)
    found = scene.answers(1)["q1"]
    assert found["result"] == {"what": "reports", "more": 1}
    assert found["session"] is None
    assert threads != [threading.current_thread()]


def test_what_goes_wrong_with_a_question_comes_in_words():
    def answer(what, args):
        if what == "coded":
            raise DaskscopeError("bad-library", "It is not there.", "Look.")
        raise RuntimeError("boom")

    scene = Scene(answer)
    scene.ask("q1", "coded")
    scene.ask("q2", "other")
    found = scene.answers(2)
    problem = {"code": "bad-library", "text": "It is not there.", "next": "Look."}
    assert found["q1"]["error"] == problem
    assert found["q2"]["error"]["code"] == "no-answer"
    assert "RuntimeError: boom" in found["q2"]["error"]["text"]


def test_no_more_than_a_few_questions_are_answered_at_once():
    go = threading.Event()

    def answer(what, args):
        go.wait(10)
        return {}

    scene = Scene(answer)
    most = sources.MAX_AT_ONCE
    for number in range(most + 1):
        scene.ask(f"q{number}")
    assert scene.answers(1)[f"q{most}"]["error"]["code"] == "busy-library"
    go.set()
    assert len(scene.answers(most + 1)) == most + 1
    scene.ask("later")
    assert "result" in scene.answers(most + 2)["later"]
