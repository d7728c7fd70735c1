"""Pages and the sessions that they show: greeting, leaving, channels that change or fail."""

from __future__ import annotations

import gc
import threading
import weakref

from recording_rows import append, new_recording
from stream_pages import FakeLoop, PageStub, PlainSession
from stream_scene import Scene

from daskscope.stream import Channel, Hub


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
            "active": False,
        }
    ]


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
    assert page.of("batch")[-1]["seq"] == page.of("batch")[0]["seq"] + 1
    scene.run(2)
    scene.assert_complete(page)


def test_after_unwatch_the_count_begins_anew(scene):
    page = scene.page()
    scene.append(10)
    page.say("unwatch", session="session-1")
    scene.append(10)
    assert len(page.of("batch")) == 1
    page.restart()
    before = sum("seq" in m for m in page.messages)
    page.watch(have=[(0, 10)])
    scene.run(1)
    later = [m["seq"] for m in page.messages if "seq" in m][before:]
    assert later == list(range(1, len(later) + 1))
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
    scene.run(1)
    tasks = {m["session"]: m["tasks"] for m in page.of("batch")}
    assert tasks == {"session-1": 3, "session-2": 7}
    assert len({m["seq"] for m in page.of("batch")}) == 1


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
