from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
from recording_rows import START, append, make_rows, new_recording
from stream_pages import FakeLoop, PageStub, PlainSession
from stream_scene import Scene

from daskscope.recording import TaskError, pack_keys
from daskscope.schema import LIMITS
from daskscope.stream import Channel, Hub, feed, feed_keys
from daskscope.stream.contents import Coarse, Events, Keys, Names, Rows


def test_a_page_is_welcomed_and_told_the_sessions(scene):
    page = scene.page(watch=False)
    (welcome,) = page.of("welcome")
    assert welcome["kernel"] == scene.hub.id
    assert welcome["resumed"] is False
    assert welcome["sessions"] == [
        {
            "id": "session-1",
            "name": "LocalCluster",
            "address": "tcp://127.0.0.1:8786",
            "state": "live",
            "workers": 1,
            "threads": 2,
        }
    ]


def test_live_rows_arrive_at_once_with_the_names_that_they_need(scene):
    page = scene.page()
    scene.append(10)
    assert [m["type"] for m in page.messages if "seq" in m] == ["names", "batch"]
    (names,), (batch,) = page.of("names"), page.of("batch")
    assert names["prefixes"] == {"first": 0, "items": ["inc", "sum"]}
    assert names["lanes"]["items"][0] == ["tcp://10.0.0.1:0", "0"]
    assert (batch["kind"], batch["first"], batch["tasks"], batch["rows"]) == ("live", 0, 10, 10)
    assert page.rows[0]["start"][0].as_py() == START
    assert page.rows[0]["task"].to_pylist() == list(range(10))
    scene.append(5)
    assert page.of("batch")[-1]["first"] == 10
    assert [m["seq"] for m in page.messages if "seq" in m] == [1, 2, 3]


def test_a_late_page_gets_coarse_then_live_then_detail_newest_first_then_keys(scene):
    for i in range(40):
        scene.append(5_000, start=START + 13 * i)
    page = scene.page()
    scene.append(10)
    scene.run(3)
    kinds = [m.get("kind", m["type"]) for m in page.messages if "seq" in m]
    assert kinds[:2] == ["names", "coarse"]
    assert kinds.index("live") < kinds.index("keys")
    details = [m["first"] for m in page.of("batch") if m["kind"] == "detail"]
    assert details == sorted(details, reverse=True)
    assert "keys" not in kinds[: kinds.index("detail")]
    firsts = [block["first"] for m in page.of("keys") for block in m["blocks"]]
    assert firsts == sorted(firsts, reverse=True)
    coarse = page.of("batch")[0]
    assert (coarse["first"], coarse["tasks"]) == (0, 200_000)
    scene.assert_complete(page)
    assert len(page.keys) == 200_010


def test_what_a_page_holds_is_not_sent_again(scene):
    scene.append(50_000)
    page = scene.page(have=[(0, 10_000), (20_000, 49_990)])
    scene.append(10)
    scene.run(2)
    assert set(page.covered) == {*range(10_000, 20_000), *range(49_990, 50_010)}
    assert set(page.covered.values()) == {1}


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


def test_no_page_gets_more_than_its_credits(scene):
    page = scene.page()
    page.acks = False
    scene.append(400_000)
    scene.run(10)
    sent = sum(t.nbytes for t in page.rows)
    assert 4_000_000 < sent <= LIMITS["window_bytes"] + 1_000_000
    page.acks = True
    scene.run(10)
    scene.assert_complete(page)


def test_a_stalled_page_does_not_starve_another_one(scene):
    stalled, other = scene.page("stalled"), scene.page("other")
    stalled.acks = False
    scene.append(400_000)
    scene.run(10)
    scene.assert_complete(other)


def test_a_busy_kernel_without_acks_goes_on_blindly_up_to_a_bound(scene):
    page = scene.page()
    page.acks = False
    scene.cell = 1
    for i in range(200):
        scene.append(20_000, start=START + 50 * i)
        scene.run(0.5)
    sent = sum(t.nbytes for t in page.rows)
    assert LIMITS["blind_bytes"] * 0.9 < sent <= LIMITS["blind_bytes"] + 1_000_000
    rate = sent / 100
    assert rate < LIMITS["blind_bytes_per_s"] * 1.2
    assert page.of("status")[-1]["counts"]["kept"] > 3_900_000 - 20_000 * 2
    scene.cell = 0
    page.acks = True
    scene.run(30)
    scene.assert_complete(page)


def test_what_is_sent_blindly_is_bounded_over_all_tabs(scene):
    pages = [scene.page(f"page-{i}") for i in range(4)]
    for page in pages:
        page.acks = False
    scene.cell = 1
    for i in range(100):
        scene.append(20_000, start=START + 50 * i)
        scene.run(0.5)
    sent = [sum(table.nbytes for table in page.rows) for page in pages]
    assert sum(sent) <= LIMITS["blind_bytes"] + 4_000_000
    assert sum(sent) / 50 < LIMITS["blind_bytes_per_s"] * 1.3
    assert min(sent) > LIMITS["blind_bytes"] / 4 * 0.8, "each has its part"


@pytest.mark.parametrize("cell", [2, None])
def test_a_page_that_cannot_be_heard_for_long_is_not_given_up(scene, cell):
    page = scene.page()
    scene.cell = 1 if cell else None
    scene.append(10)
    scene.run(1)
    scene.cell = cell
    page.acks = False
    for _ in range(10):
        scene.append(10)
        scene.run(60)
    assert page.of("status")[-1]["counts"]["kept"] == 110
    assert len(page.covered) == 110
    scene.cell = 0
    scene.run(30)
    assert "page-1" in scene.hub._pages
    scene.run(60)
    assert scene.hub._pages == {}


def test_messages_and_bytes_per_second_are_respected(scene):
    page = scene.page()
    for _ in range(1_000):
        scene.append(20)
        scene.run(0.002, step=0.002)
    assert len(page.messages) <= 2 * LIMITS["messages_per_s"] + 50
    scene.run(2)
    scene.assert_complete(page)


def test_a_slow_page_costs_the_kernel_no_queue(scene):
    page = scene.page()
    page.acks = False
    for i in range(50):
        scene.append(20_000, start=START + 50 * i)
        scene.run(0.1)
    feed = scene.hub._pages["page-1"].watched["session-1"].feed
    assert feed.unacknowledged < 100
    assert feed.in_flight_bytes <= LIMITS["window_bytes"] + 1_000_000
    assert len(feed._held) < 100


def test_a_hidden_page_gets_status_alone_and_catches_up_when_seen(scene):
    page = scene.page(visible=False)
    for _ in range(20):
        scene.append(5_000)
        scene.run(1)
    assert {m["type"] for m in page.messages} <= {"welcome", "status", "sessions"}
    assert len(page.of("status")) <= 6
    page.watch(visible=True)
    scene.run(3)
    scene.assert_complete(page)


def test_events_that_never_end_are_told_twice_a_second(scene):
    page = scene.page()
    for i in range(100):
        scene.recording.append_gap(i, i + 1, "lost", "text")
        scene.session.changed()
        scene.run(0.02, step=0.02)
    scene.run(1)
    assert len(page.of("events")) <= 6
    assert sum(len(m["gaps"]) for m in page.of("events")) == 100


def test_events_are_sent_once_and_in_order(scene):
    page = scene.page()
    scene.recording.append_errors(
        [TaskError(i, f"key-{i}", 0, "tcp://w", 1.0, "E" * 5_000, "T") for i in range(450)]
    )
    scene.recording.append_gap(1.0, 2.0, "lost", "text")
    scene.run(1)
    errors = [error["task"] for m in page.of("events") for error in m["errors"]]
    assert errors == list(range(450))
    assert [gap["reason"] for m in page.of("events") for gap in m["gaps"]] == ["lost"]
    assert len(page.of("events")[0]["errors"][0]["exception"]) == 1_000


def test_keys_come_at_once_when_asked_for(scene):
    page = scene.page()
    for _ in range(30):
        scene.append(100)
        scene.run(0.1)
    assert page.of("keys") == []
    page.say("ask", session="session-1", id="q1", what="keys", args={"first": 250, "tasks": 1})
    (answer,) = page.of("answer")
    assert answer["id"] == "q1"
    assert "error" not in answer
    assert sorted(page.keys) == list(range(200, 300))
    scene.run(3)
    assert sorted(page.keys) == list(range(3_000))


def test_a_task_is_described_with_its_traceback(scene):
    page = scene.page()
    columns = make_rows(2, rows_each=2)
    columns["status"][2:] = 1
    scene.recording.append_tasks(2, columns, pack_keys(0, ["a", "<script>"]).data)
    scene.recording.append_errors([TaskError(1, "<script>", 1, "tcp://w", 1.0, "E()", "Trace")])
    page.say("ask", session="session-1", id="q", what="task", args={"task": 1})
    result = page.of("answer")[0]["result"]
    assert result["key"] == "<script>"
    assert result["prefix"] == "sum"
    assert result["status"] == "error"
    assert [row["action"] for row in result["startstops"]] == ["compute", "transfer"]
    assert result["error"] == {"exception": "E()", "traceback": "Trace"}


@pytest.mark.parametrize(
    ("what", "args", "code"),
    [
        ("task", {"task": 10**9}, "unknown-task"),
        ("task", {"task": "1"}, "bad-message"),
        ("task", {}, "bad-message"),
        ("keys", {"first": 0, "tasks": 10**9}, "bad-message"),
        ("dance", {}, "bad-message"),
    ],
)
def test_questions_without_an_answer_get_an_error(scene, what, args, code):
    page = scene.page()
    page.say("ask", session="session-1", id="q", what=what, args=args)
    assert page.of("answer")[0]["error"]["code"] == code


def test_a_page_that_was_given_up_is_welcomed_again(scene):
    page = scene.page()
    page.acks = False
    scene.append(10)
    scene.run(70)
    assert scene.hub._pages == {}
    page.ack()
    page.acks = True
    page.ack()
    assert page.of("welcome")[-1]["resumed"] is False
    page.watch(have=[(0, 10)])
    scene.append(5)
    assert page.covered[12] == 1


def test_a_page_changes_its_channel_without_losing_its_count(scene):
    page = scene.page()
    scene.append(10)
    before = page.channel
    page.channel = Channel(page.take)
    scene.hub.open(page.channel)
    page.hello()
    scene.hub.close(before)
    assert page.of("welcome")[-1]["resumed"] is True
    scene.append(10)
    assert page.of("batch")[-1]["seq"] == 3
    scene.run(2)
    scene.assert_complete(page)


def test_after_unwatch_the_count_begins_anew(scene):
    page = scene.page()
    scene.append(10)
    page.say("unwatch", session="session-1")
    scene.append(10)
    assert len(page.of("batch")) == 1
    page.restart()
    page.watch(have=[(0, 10)])
    assert [m["seq"] for m in page.messages if "seq" in m][-2:] == [1, 2]
    scene.assert_complete(page)


def test_a_forgotten_session_is_sent_to_its_end_and_says_bye(scene):
    page = scene.page()
    scene.append(100_000)
    scene.hub.set_sessions(list)
    scene.run(3)
    scene.assert_complete(page)
    assert len(page.of("bye")) == 1
    assert page.of("sessions")[-1]["sessions"] == []


def test_a_forgotten_session_is_let_go_once_it_was_sent(scene):
    page = scene.page()
    second = PlainSession(new_recording(), "session-2")
    sessions = [scene.session, second]
    scene.hub.set_sessions(lambda: sessions)
    page.watch("session-2")
    append(second.recording, 1_000)
    second.changed()
    scene.run(1)
    recording = weakref.ref(sessions.pop().recording)
    scene.hub.set_sessions(lambda: sessions)
    del second
    for _ in range(10):
        scene.run(0.5)
        page.ack("session-2")
    assert [m["session"] for m in page.of("bye")] == ["session-2"]
    gc.collect()
    assert recording() is None


def test_the_sessions_that_are_shown_are_those_that_are_when_they_are_looked_up():
    """Two threads may say in either order that something changed."""
    scene = Scene()
    page = scene.page()
    queued = []
    scene.loop.call_soon_threadsafe = lambda function, *args: queued.append((function, args))
    now: list[PlainSession] = []
    scene.hub.set_sessions(lambda: now)
    now.append(scene.session)
    second = PlainSession(new_recording(), "session-2")
    scene.hub.set_sessions(lambda: now)
    now.append(second)
    for function, args in reversed(queued):
        function(*args)
    scene.loop.run(1)
    assert [entry["id"] for entry in page.of("sessions")[-1]["sessions"]] == [
        "session-1",
        "session-2",
    ]


def test_sessions_that_came_before_any_page_are_known_to_it():
    loop = FakeLoop()
    hub = Hub(loop, clock=loop.clock)
    recording = new_recording()
    threads = [
        threading.Thread(target=hub.set_sessions, args=(lambda: [PlainSession(recording)],))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    page = PageStub(hub, None)
    page.channel = Channel(page.take)
    hub.open(page.channel)
    page.hello()
    assert len(page.of("welcome")[0]["sessions"]) == 1


def test_two_sessions_to_one_page_do_not_mix(scene):
    second = PlainSession(new_recording(prefixes=("mul",)), "session-2")
    scene.hub.set_sessions(lambda: [scene.session, second])
    page = scene.page()
    page.watch("session-2")
    append(second.recording, 7)
    second.changed()
    scene.append(3)
    tasks = {m["session"]: m["tasks"] for m in page.of("batch")}
    assert tasks == {"session-1": 3, "session-2": 7}
    assert {m["session"]: m["seq"] for m in page.of("batch")} == {"session-1": 2, "session-2": 2}


def test_there_is_no_timer_when_nobody_watches(scene):
    page = scene.page()
    scene.run(1)
    assert len(scene.loop.timers) == 1
    page.say("bye")
    scene.run(1)
    scene.append(10)
    assert scene.loop.timers == []


def test_a_channel_that_fails_is_dropped_quietly(scene, caplog):
    page = scene.page()

    def fail(message, buffers):
        raise RuntimeError("the comm is gone")

    page.channel._send = fail
    scene.append(10)
    scene.run(1)
    assert scene.hub._pages == {}
    assert caplog.records == []


def test_names_that_are_new_in_the_middle_come_before_their_rows(scene):
    page = scene.page()
    scene.append(10)
    index = scene.recording.names.intern("prefixes", "later")
    columns = make_rows(1)
    columns["prefix"][:] = index
    scene.recording.append_tasks(1, columns, pack_keys(0, ["later-1"]).data)
    scene.session.changed()
    assert [m["type"] for m in page.messages if "seq" in m][-2:] == ["names", "batch"]
    assert page.of("names")[-1]["prefixes"] == {"first": 2, "items": ["later"]}


def test_hostile_text_travels_as_text(scene):
    page = scene.page()
    hostile = "<script>\U0001f600\nalert('\0')\ud800"
    scene.recording.names.intern("prefixes", hostile)
    scene.recording.append_errors([TaskError(0, hostile, 0, hostile, np.nan, hostile, hostile)])
    scene.session.changed()
    assert page.of("names")[-1]["prefixes"]["items"][-1] == hostile.replace("\ud800", "?")
    assert page.of("events")[0]["errors"][0]["time"] == 0


def add_content(scene, number):
    """Something of every kind that is numbered."""
    scene.recording.names.intern("prefixes", f"prefix-{number}")
    scene.recording.names.intern("spans", (f"span-{number}", "name"))
    error = TaskError(0, "key", 0, "tcp://w", 1.0, f"E{number}", "T")
    scene.recording.append_errors([error])
    scene.recording.append_gap(number, number + 1, "lost", "text")
    scene.append(100)


def assert_all_content(scene, page):
    recording = scene.recording
    prefixes, spans = recording.names.prefixes, recording.names.spans
    assert page.names["prefixes"] == list(prefixes)
    assert page.names["spans"] == [list(span) for span in spans]
    assert page.early == []
    errors = [page.events["errors"][i]["exception"] for i in range(recording.error_log.next)]
    assert errors == [error.exception for error in recording.error_log.since(0)]
    assert sorted(page.events["gaps"]) == list(range(recording.gap_log.next))
    assert set(page.keys) == set(range(recording.next_task))
    scene.assert_complete(page)


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


@pytest.mark.parametrize("pages", [1, 9, 16])
def test_the_window_is_shared_by_all_pages(scene, pages):
    every = [scene.page(f"page-{i}") for i in range(pages)]
    for page in every:
        page.acks = False
    for i in range(40):
        scene.append(10_000, start=START + 30 * i)
        scene.run(0.1)
    scene.run(4)
    in_flight = [page.in_flight_bytes for page in scene.hub._pages.values()]
    assert len(in_flight) == pages
    assert 0.4 * LIMITS["window_bytes"] < sum(in_flight) <= LIMITS["window_bytes"]
    assert max(in_flight) <= 2.5 * min(in_flight)
    every[0].acks = True
    scene.run(20)
    assert len(every[0].covered) == 400_000


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


def test_a_full_page_gets_no_more_history_but_what_happens_now(scene, monkeypatch):
    monkeypatch.setattr(feed, "PAGE_ROWS", 60_000)
    for i in range(10):
        scene.append(20_000, start=START + 50 * i)
    page = scene.page()
    scene.run(5)
    held = len(page.covered)
    assert 60_000 <= held <= 60_000 + LIMITS["batch_rows"]
    assert min(page.covered) == 200_000 - held
    scene.append(100)
    scene.run(1)
    assert len(page.covered) == held + 100
    (notice,) = page.of("status")[-1]["notices"]
    assert notice["code"] == "page-full"
    assert f"{200_000 - held:,} tasks" in notice["text"]
    page.watch(have=[(200_000 - held, 200_100)])
    scene.run(2)
    assert len(page.covered) == held + 100
    page.watch(have=[])  # reloaded
    scene.run(5)
    assert page.covered[200_099] == 2


def test_what_a_full_page_skips_is_in_its_coarse_picture(scene, monkeypatch):
    monkeypatch.setattr(feed, "PAGE_ROWS", 10_000)
    page = scene.page()
    for _ in range(5):
        scene.append(10_000)
        scene.run(0.5)
    scene.hub._pages["page-1"].watched["session-1"].feed._live = 0
    append(scene.recording, 70_000)
    scene.run(15)
    coarse = [m for m in page.of("batch") if m["kind"] == "coarse"]
    assert len(coarse) == 1
    assert (coarse[0]["first"], coarse[0]["tasks"]) == (0, 120_000)


def test_keys_beyond_what_a_page_keeps_are_sent_only_if_asked_for(scene, monkeypatch):
    monkeypatch.setattr(feed_keys, "PAGE_KEY_BYTES", 20_000)
    for _ in range(30):
        scene.append(1_000)
    page = scene.page()
    scene.run(5)
    assert 0 < len(page.keys) < 29_000
    assert min(page.keys) == 30_000 - len(page.keys)
    for question in ("q1", "q2"):  # the page has let go of them meanwhile
        page.keys.pop(1_500, None)
        page.keys_may_repeat = True
        asked = {"first": 1_500, "tasks": 1}
        page.say("ask", session="session-1", id=question, what="keys", args=asked)
        assert 1_500 in page.keys
        scene.run(1)
    assert [m["id"] for m in page.of("answer")] == ["q1", "q2"]
