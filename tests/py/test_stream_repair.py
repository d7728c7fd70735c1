"""Messages that were lost, or could not be made, come in the end."""

from __future__ import annotations

import numpy as np
import pytest
from recording_rows import append, gap, new_recording, task_error
from stream_pages import PlainSession
from stream_scene import Scene

from daskscope.schema import LIMITS
from daskscope.stream.contents import Coarse, Events, Keys, Names, Rows


def add_content(scene, number):
    """Something of every kind that is numbered."""
    scene.recording.names.intern("prefixes", f"prefix-{number}")
    scene.recording.names.intern("spans", (f"span-{number}", ("name",)))
    error = task_error(0, "key", 0, "tcp://w", 1.0, f"E{number}", "T")
    scene.recording.log("errors").append([error])
    scene.recording.log("gaps").append([gap(number, number + 1, "lost", "text")])
    scene.append(100)


def assert_all_content(scene, page):
    recording = scene.recording
    prefixes, spans = recording.names.prefixes, recording.names.spans
    assert page.names["prefixes"] == list(prefixes)
    assert page.names["spans"] == [[span, *name] for span, name in spans]
    assert page.early == []
    errors = [page.events["errors"][i]["exception"] for i in range(recording.log("errors").next)]
    assert errors == [error.exception for error in recording.log("errors").since(0)]
    assert sorted(page.events["gaps"]) == list(range(recording.log("gaps").next))
    assert set(page.keys) == set(range(recording.next_task))
    scene.assert_complete(page)


def test_lost_messages_are_said_again_under_their_number(scene):
    page = scene.page()
    rng = np.random.default_rng(0)
    page.lose = lambda message: "seq" in message and rng.random() < 0.3
    for _ in range(30):
        scene.append(500, rows_each=2)
        scene.run(0.1)
    page.lose = lambda _: False
    scene.run(5)
    assert page.missing == set()
    scene.assert_complete(page)
    assert sum(table.num_rows for table in page.rows) == 30_000
    assert len(page.keys) == 15_000


def test_content_is_repaired_after_chunks_were_merged_and_spilled():
    scene = Scene(memory_limit=4_000_000)
    page = scene.page()
    page.lose = lambda message: message.get("seq", 0) > 1
    for _ in range(80):
        scene.append(2_500)
        scene.run(0.05)
    page.lose = lambda _: False
    scene.run(10)
    assert scene.recording.disk_bytes > 0
    scene.assert_complete(page)


def test_a_lost_last_message_is_noticed_by_the_status(scene):
    page = scene.page()
    scene.append(10)
    page.lose = lambda message: message["type"] == "batch"
    scene.append(10)
    page.lose = lambda _: False
    scene.run(1)
    assert page.of("status")[-1]["last_seq"] > 2


def test_a_whole_window_that_was_lost_is_said_again(scene):
    page = scene.page()
    add_content(scene, 0)
    scene.run(1)
    page.lose = lambda message: "seq" in message
    add_content(scene, 1)
    for _ in range(40):
        scene.append(10_000, lanes=1)
        scene.loop.run(0.05)
    assert scene.hub._pages["page-1"].in_flight_bytes > LIMITS["window_bytes"] * 0.8
    page.lose = lambda _: False
    scene.run(10)
    add_content(scene, 2)
    scene.run(5)
    assert_all_content(scene, page)


def test_what_a_page_gave_up_is_sent_under_new_numbers(scene):
    page = scene.page()
    add_content(scene, 0)
    scene.run(1.5)
    page.lose = lambda message: "seq" in message
    add_content(scene, 1)
    scene.run(1.5)
    page.lose = lambda message: message.get("seq") in page.missing
    scene.run(2)
    assert page.missing
    page.give_up(have=[(0, 100)])
    add_content(scene, 2)
    scene.run(3)
    assert_all_content(scene, page)


def test_what_is_slow_to_come_again_is_not_sent_all_the_time(scene):
    page = scene.page()
    scene.append(10)
    sent = []
    page.lose = lambda message: "seq" in message and not sent.append(message["seq"])
    scene.append(10)
    scene.run(6)
    assert 4 <= sent.count(3) <= 7


@pytest.mark.parametrize("kind", [Coarse, Events, Keys, Names, Rows])
def test_what_could_not_be_built_is_not_lost_and_stops_nobody_else(
    scene, kind, monkeypatch, caplog
):
    for i in range(6):
        add_content(scene, i)
    append(scene.recording, 100_000)
    second = PlainSession(new_recording(), "session-2")
    scene.hub.set_sessions(lambda: [scene.session, second])
    build, broken = kind.build, True

    def fail(content, recording, address):
        if broken and address["session"] == "session-1":
            raise OSError("the disk is gone")
        return build(content, recording, address)

    monkeypatch.setattr(kind, "build", fail)
    page, other = scene.page(), scene.page("other", watch=False)
    other.watch("session-2")
    append(second.recording, 10)
    second.changed()
    scene.run(3)
    assert len(other.of("batch")) == 1
    assert len(other.of("status")) >= 5
    (notice,) = page.of("status")[-1]["notices"]
    assert notice["code"] == "not-sent"
    assert "the disk is gone" in notice["text"]
    assert all(status["notices"] == [] for status in other.of("status"))
    assert page.of("error") == []
    assert len(caplog.records) == 1
    broken = False
    scene.run(5)
    assert page.of("status")[-1]["notices"] == []
    assert_all_content(scene, page)
    assert [m for m in page.of("batch") if m["kind"] == "coarse"]
