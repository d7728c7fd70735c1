"""What a page is told beside the data: state, figures, focus, and what does not fit."""

from __future__ import annotations

from collections import Counter

import pytest
from recording_rows import START, new_recording
from stream_pages import PageStub, PlainSession

from daskscope.focus import Focus
from daskscope.schema import LIMITS, PROTOCOL
from daskscope.stream import sender
from daskscope.wire import BadMessageError


def test_another_protocol_is_refused_with_what_to_upgrade(scene):
    page = scene.page(watch=False)
    page.messages.clear()
    page.hello(protocol=99)
    (error,) = page.messages
    assert error["code"] == "version-mismatch"
    assert "kernel's environment" in error["next"]


def test_status_comes_at_most_twice_a_second(scene):
    page = scene.page()
    for _ in range(100):
        scene.append(1)
        scene.run(0.1, step=0.1)
    assert 18 <= len(page.of("status")) <= 22
    status = page.of("status")[-1]
    assert status["state"] == "live"
    assert status["origin"] == START
    assert status["counts"]["kept"] >= 95
    assert status["workers"] == [{"address": "tcp://w", "threads": 2}]


def test_totals_follow_the_focus_but_keep_prefixes_that_are_not_isolated(scene):
    page = scene.page()
    scene.append(1_000, rows_each=2)
    scene.run(1)
    totals = page.of("totals")[-1]
    assert [row[:2] for row in totals["prefixes"]] == [[0, 500], [1, 500]]
    assert [row[:2] for row in totals["actions"]] == [[0, 1_000], [1, 1_000]]
    count = len(page.of("totals"))
    scene.run(3)
    assert len(page.of("totals")) == count
    isolated = {"time": None, "prefixes": ["sum"], "workers": [], "spans": [], "cells": []}
    page.say("focus", session="session-1", focus=isolated)
    scene.run(1)
    assert scene.session.focus.prefixes == ("sum",)
    assert len(page.of("totals")) == count
    none = {**isolated, "workers": ["tcp://elsewhere"]}
    page.say("focus", session="session-1", focus=none)
    scene.run(1)
    totals = page.of("totals")[-1]
    assert totals["focus"] == {**none, "prefixes": []}
    assert totals["prefixes"] == []


def test_totals_of_a_focus_on_a_long_run_are_complete_within_moments(scene):
    for i in range(60):
        scene.append(10_000, start=START + 25 * i)
    page = scene.page(have=[(0, 600_000)])
    scene.run(1)
    scene.session.focus = Focus(time=(START, START + 1e6))
    for _ in range(100):
        if page.of("totals")[-1]["focus"]["time"]:
            break
        scene.run(0.05)
    assert page.of("totals")[-1]["prefixes"][0][:2] == [0, 300_000]


def test_focus_travels_from_a_page_to_python_and_to_other_pages(scene):
    page, other = scene.page("page-1"), scene.page("page-2")
    focus = {"time": [1.0, 2.0], "prefixes": [], "workers": [], "spans": [], "cells": []}
    page.say("focus", session="session-1", focus=focus, setting=1)
    assert scene.session.focus == Focus(time=(1.0, 2.0))
    scene.run(1)
    assert not any(m["focus"]["time"] for m in page.of("focus"))
    message = other.of("focus")[-1]
    assert (message["focus"], message["by"]) == (focus, "page-1")


def test_a_focus_reaches_all_pages_although_an_observer_in_python_fails(scene, caplog):
    scene.session.observe(lambda _: 1 / 0, "focus")
    page, other = scene.page("page-1"), scene.page("page-2")
    page.say("focus", session="session-1", focus={"prefixes": ["inc"]}, setting=1)
    scene.run(1)
    message = other.of("focus")[-1]
    assert (message["focus"]["prefixes"], message["by"]) == (["inc"], "page-1")
    assert not any(m["focus"]["prefixes"] for m in page.of("focus"))
    assert [record.message for record in caplog.records] == [
        "an observer of the focus of a daskscope session failed"
    ]


def test_a_focus_that_changes_all_the_time_is_told_twice_a_second(scene):
    page = scene.page()
    for i in range(100):
        scene.session.focus = Focus(time=(0, i))
        scene.run(0.02, step=0.02)
    scene.run(1)
    assert len(page.of("focus")) <= 6
    assert page.of("focus")[-1]["focus"]["time"] == [0, 99]


def test_focus_travels_from_python_to_pages_also_late_ones(scene):
    page = scene.page()
    scene.session.focus = Focus(prefixes=["inc"])
    scene.run(1)
    message = page.of("focus")[-1]
    assert message["by"] == "python"
    assert message["focus"]["prefixes"] == ["inc"]
    late = scene.page("late")
    assert late.of("focus")[0]["focus"]["prefixes"] == ["inc"]


def test_a_page_that_watches_anew_hears_that_nothing_is_selected(scene):
    page = scene.page()
    page.say("focus", session="session-1", focus={"prefixes": ["inc"]}, setting=1)
    page.say("unwatch", session="session-1")
    scene.session.focus = None
    page.messages.clear()
    page.watch(setting=1)
    scene.run(2)
    (message,) = page.of("focus")
    assert (message["focus"]["prefixes"], message["setting"]) == ([], 1)


def test_a_focus_bears_the_number_of_the_last_setting_that_was_heard_of_the_page(scene):
    page, other = scene.page(), scene.page("other")
    scene.session.focus = Focus(prefixes=["inc"])
    page.say("focus", session="session-1", focus={"prefixes": ["sum"]}, setting=1)
    scene.session.focus = Focus(prefixes=["dec"])
    scene.run(1)
    message = page.of("focus")[-1]
    assert (message["focus"]["prefixes"], message["setting"]) == (["dec"], 1)
    assert {m["setting"] for m in other.of("focus")} == {0}


def test_a_page_whose_setting_was_not_heard_or_not_taken_is_told_what_holds(scene):
    page = scene.page()
    scene.run(1)
    page.messages.clear()
    page.watch(setting=3)  # it set one while nobody could hear it
    scene.run(1)
    page.say("focus", session="session-1", focus={"time": [5, "x"]}, setting=4)
    scene.run(1)
    assert [(m["focus"]["time"], m["setting"]) for m in page.of("focus")] == [(None, 3), (None, 4)]
    page.watch(setting=4)
    scene.run(1)
    assert len(page.of("focus")) == 2


def test_a_setting_that_another_channel_delayed_is_told_back_to_its_page(scene):
    page = scene.page(setting=1)
    scene.run(1)
    page.say("focus", session="session-1", focus={"prefixes": ["inc"]}, setting=1)
    scene.run(1)
    assert [m["focus"]["prefixes"] for m in page.of("focus")] == [[], ["inc"]]


def test_nonsense_is_answered_once_and_never_raises(scene, caplog):
    page = scene.page()
    page.messages.clear()
    nonsense = [None, 7, [], {}, {"type": "ack"}, {"type": "ack", "page": "page-1"}]
    nonsense += [{"type": "watch", "page": "page-1", "session": "session-1", "visible": 1}]
    nonsense += [{"type": "later-version", "page": "page-1"}]
    for data in nonsense * 3:
        scene.hub.receive(page.channel, data)
    page.say("focus", session="session-1", focus={"time": [5, "x"]})
    page.say("focus", session="no-such-session", focus={})
    said = [(m["code"], m["page"], m["session"]) for m in page.messages]
    assert len(said) == len(set(said))
    assert {code for code, _, _ in said} == {"bad-message"}
    assert caplog.records == []


def test_an_error_is_told_once_to_every_page_and_session_that_it_concerns(scene):
    page, other = scene.page("page-1"), PageStub(scene.hub, None, "page-2")
    other.channel = page.channel
    page.channel._send = lambda m, b: [p.take(m, b) for p in (page, other)]
    other.hello()
    second = PlainSession(new_recording(), "session-2")
    scene.hub.set_sessions(lambda: [scene.session, second])
    for session in ("session-1", "session-2"):
        for each in (page, other):
            each.say("focus", session=session, focus={"time": [5, "x"]})
            each.say("focus", session=session, focus={"time": [5, "x"]})
    for each in (page, other):
        assert [m["session"] for m in each.of("error")] == ["session-1", "session-2"]


def test_errors_are_told_also_after_many_others(scene):
    page = scene.page()
    for i in range(1_000):
        page.channel.report(BadMessageError("nonsense"), page.id, f"session-{i}")
    assert len(page.of("error")) == 1_000
    assert len(page.channel._reported) <= 200


def test_a_page_that_asks_for_a_forgotten_session_is_told_calmly(scene):
    page = scene.page()
    page.watch("gone")
    page.say("focus", session="gone", focus={"prefixes": ["inc"]})
    page.say("ask", session="gone", id="q1", what="task", args={"task": 1})
    (bye,) = page.of("bye")
    assert bye["session"] == "gone"
    assert bye["text"]
    (answer,) = page.of("answer")
    assert answer["error"]["code"] == "unknown-session"
    assert page.of("error") == []
    assert scene.hub._pages[page.id].watched.keys() == {"session-1"}


def test_a_status_that_cannot_be_built_stops_nobody_else(scene, caplog):
    page, other = scene.page(), scene.page("other", watch=False)
    second = PlainSession(new_recording(), "session-2")
    scene.hub.set_sessions(lambda: [scene.session, second])
    other.watch("session-2")
    scene.session.notices = None
    scene.run(3)
    assert len(other.of("status")) >= 5
    assert [m["code"] for m in page.of("error")] == ["not-sent"]
    scene.session.notices = ()
    scene.run(2)
    assert page.of("status")[-1]["notices"] == []
    assert len(page.of("error")) == 1
    assert len(caplog.records) == 1


def test_figures_that_cannot_be_built_are_said_while_that_lasts(scene, monkeypatch):
    page = scene.page()
    totals = sender.totals_message
    monkeypatch.setattr(sender, "totals_message", lambda *_: 1 / 0)
    scene.append(10)
    scene.run(3)
    (notice,) = page.of("status")[-1]["notices"]
    assert (notice["code"], notice["level"]) == ("not-sent", "error")
    monkeypatch.setattr(sender, "totals_message", totals)
    scene.run(3)
    assert page.of("status")[-1]["notices"] == []
    assert page.of("totals")
    assert page.of("error") == []


@pytest.mark.parametrize(
    ("kernel", "page_version", "says", "do"),
    [
        ("0.2.0", "0.10.0", "The kernel's daskscope 0.2.0 is older", "restart the kernel"),
        ("0.10.0", "0.2.0", "This page's daskscope 0.2.0 is older", "reload this page"),
        ("1.0.0", "1.0.0rc1", "This page's daskscope 1.0.0rc1 is older", "reload this page"),
        ("1.0.0", "my-build", "not the same", "restart the kernel"),
        ("1.0.0", "my-build", "not the same", "reload this page"),
    ],
)
def test_a_page_of_another_version_works_and_says_what_to_upgrade(
    scene, monkeypatch, kernel, page_version, says, do
):
    monkeypatch.setattr(sender, "installed_version", lambda: kernel)
    same = scene.page("same", watch=False)
    same.say("hello", protocol=PROTOCOL, version=kernel)
    same.watch()
    page = scene.page(watch=False)
    page.say("hello", protocol=PROTOCOL, version=page_version)
    page.watch()
    scene.append(10)
    scene.run(1)
    scene.assert_complete(page)
    (notice,) = page.of("status")[-1]["notices"]
    assert (notice["code"], notice["level"]) == ("version-differs", "info")
    assert says in notice["text"]
    assert kernel in notice["text"]
    assert page_version in notice["text"]
    assert "`pip install -U daskscope`" in notice["next"]
    assert do in notice["next"]
    assert same.of("status")[-1]["notices"] == []


def test_a_page_that_was_given_up_is_of_another_version_still(scene, monkeypatch):
    monkeypatch.setattr(sender, "installed_version", lambda: "1.0.0")
    page = scene.page(watch=False)
    page.say("hello", protocol=PROTOCOL, version="0.9.0")
    page.watch()
    page.acks = False
    scene.append(10)
    scene.run(70)
    assert scene.hub._pages == {}
    page.acks = True
    page.ack()  # it does not know that it was given up, so it says no version
    page.watch(have=[(0, 10)])
    scene.run(1)
    (notice,) = page.of("status")[-1]["notices"]
    assert notice["code"] == "version-differs"


@pytest.mark.parametrize("page_version", ["1.0.0-rc.1", ""])
def test_the_same_version_in_other_words_or_none_is_no_difference(scene, monkeypatch, page_version):
    monkeypatch.setattr(sender, "installed_version", lambda: "1.0.0rc1")
    page = scene.page(watch=False)
    page.say("hello", protocol=PROTOCOL, version=page_version)
    page.watch()
    scene.run(1)
    assert page.of("status")[-1]["notices"] == []


@pytest.mark.parametrize("pages", [2, pytest.param(40, marks=pytest.mark.all)])
def test_what_many_pages_are_told_leaves_most_messages_to_the_data(scene, pages):
    every = [scene.page(f"page-{i}") for i in range(pages)]
    scene.append(1_000)
    scene.run(5)
    for page in every:
        page.messages.clear()
    for i in range(100):
        scene.append(5, start=START + 1_000 + i)
        scene.session.focus = Focus(time=(0, i))
        scene.run(0.05)
    kinds = Counter(message["type"] for page in every for message in page.messages)
    said = kinds["status"] + kinds["totals"] + kinds["focus"]
    assert said <= 5 * 0.3 * LIMITS["messages_per_s"] + 3 * pages
    assert kinds["batch"] >= 5 * 0.4 * LIMITS["messages_per_s"] * min(1, pages / 5)
    batches = [len(page.of("batch")) for page in every]
    assert min(batches) > 0.5 * max(batches)
    assert all(page.of("status") for page in every)
    for page in every:
        assert max(page.covered) >= 1_400
