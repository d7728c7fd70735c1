"""Messages that were lost, or could not be made, come in the end."""

from __future__ import annotations

import numpy as np
import pytest
from recording_rows import append, append_cluster, gap, logged_event, new_recording, task_error
from stream_pages import EVERYTHING, PlainSession
from stream_scene import Scene

from daskscope.schema import LIMITS
from daskscope.stream.messages import Coarse, Keys, Rows, TableRows


def add_content(scene, number):
    """Something of every kind that is numbered."""
    scene.recording.names.intern("prefixes", f"prefix-{number}")
    scene.recording.names.intern("spans", (f"span-{number}", ("name",)))
    error = task_error(0, "key", 0, "tcp://w", 1.0, f"E{number}", "T")
    scene.recording.log("errors").append([error])
    scene.recording.log("gaps").append([gap(number, number + 1, "lost", "text")])
    append_cluster(scene.recording, (number, 1, 2, 3, 4, 5, 6))
    scene.append(100)


def assert_all_content(scene, page):
    recording = scene.recording
    assert page.names("prefixes") == recording.names.prefixes
    assert page.names("spans") == recording.names.spans
    errors = [row["exception"] for row in page.table("errors")]
    assert errors == [error.exception for error in recording.log("errors").since(0)]
    assert len(page.table("gaps")) == recording.log("gaps").next
    times = recording.series("system").rings[0].columns()["time"]
    assert [row["time"] for row in page.table("system")] == times.tolist()
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


def test_pages_that_lag_and_that_lose_messages_end_with_the_same_rows(scene):
    prompt, lagging, losing = (
        scene.page(name, tables=EVERYTHING) for name in ("prompt", "lagging", "losing")
    )
    rng = np.random.default_rng(1)
    losing.lose = lambda message: "seq" in message and rng.random() < 0.4
    for i in range(60):
        lagging.acks = i % 20 == 0
        lagging.watch(visible=lagging.acks, tables=EVERYTHING)
        add_content(scene, i)
        events = [logged_event(i, f"topic-{n % 3}", str(n)) for n in range(200)]
        scene.recording.log("events").append(events)
        scene.run(0.5)
    lagging.acks = True
    lagging.watch(tables=EVERYTHING)
    losing.lose = lambda _: False
    scene.run(10)
    kept = scene.recording.log("events")
    assert kept.dropped == 6_000
    for page in (prompt, lagging, losing):
        assert page.table("events") == prompt.table("events")
        assert [row["message"] for row in page.table("events")] == kept.columns()["message"]
        assert page.tables["events", 0].dropped == kept.dropped
        for table in ("errors", "gaps", "prefixes", "spans"):
            assert page.table(table) == prompt.table(table)


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
    page = scene.page(tables=EVERYTHING)
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
    page = scene.page(tables=EVERYTHING)
    add_content(scene, 0)
    scene.run(1.5)
    page.lose = lambda message: "seq" in message
    add_content(scene, 1)
    scene.run(1.5)
    page.lose = lambda message: message.get("seq") in page.missing
    scene.run(2)
    assert page.missing
    page.give_up(have=[(0, 100)], tables=EVERYTHING)
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
    assert 4 <= sent.count(sent[0]) <= 7


@pytest.mark.parametrize("kind", [Coarse, Keys, Rows, TableRows])
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
    page, other = scene.page(tables=EVERYTHING), scene.page("other", watch=False)
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
