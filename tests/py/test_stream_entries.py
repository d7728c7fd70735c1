"""What a page is told of the clients that it may choose between."""

from __future__ import annotations

from types import SimpleNamespace

from daskscope.recording import recording_store


def test_a_session_is_active_while_tasks_come_and_three_seconds_longer(scene, monkeypatch):
    monkeypatch.setattr(recording_store, "time", SimpleNamespace(monotonic=scene.loop.clock))
    page = scene.page(watch=False)
    for _ in range(5):
        scene.append(1)
        scene.run(1)
    assert _active(page) == [False, True], "a second between two tasks is no pause"
    for _ in range(6):  # answers without tasks
        scene.run(0.5)
        scene.session.changed()
    assert _active(page) == [False, True, False]


def _active(page):
    return [entry["active"] for message in page.of("sessions") for entry in message["sessions"]]


def test_a_session_whose_tasks_take_long_is_active_while_they_run(scene):
    page = scene.page(watch=False)
    for running in (1, 0):
        scene.session.workers = ({"address": "tcp://w:1", "threads": 2, "running": running},)
        scene.session.changed()
        scene.run(1)
    assert _active(page)[-2:] == [True, False]


def test_a_session_that_has_stopped_is_not_active(scene):
    page = scene.page(watch=False)
    scene.append(1)
    scene.run(1)
    scene.session.state = "stopped"
    scene.session.changed()
    scene.run(1)
    assert _active(page) == [False, True, False]


def test_a_page_is_told_whether_new_clients_are_recorded_by_themselves(scene):
    scene.recorder_on = False
    page = scene.page(watch=False)
    assert [message["recorder"] for message in page.of("welcome")] == [False]
    scene.recorder_on = True
    scene.run(1)
    scene.session.changed()
    scene.run(1)
    assert page.of("sessions")[-1]["recorder"] is True
