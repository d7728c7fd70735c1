"""What a page is told, and in which order."""

from __future__ import annotations

import numpy as np
from recording_rows import START, gap, make_rows, task_error, worker_change

from daskscope.focus import Focus
from daskscope.recording import pack_keys
from daskscope.stream.sender import Sender


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


def test_a_page_that_hides_before_its_figures_are_complete_costs_no_turns(scene, monkeypatch):
    page = scene.page()
    scene.append(1_000)
    scene.run(1)
    monkeypatch.setattr(Sender, "_say_totals", lambda *_: False)  # there is always more to sum up
    scene.session.focus = Focus(time=(0.0, START))
    scene.session.changed()
    scene.run(1)
    turns = []
    monkeypatch.setattr(scene.hub, "_work", lambda work=scene.hub._work: turns.append(1) or work())
    scene.loop.run(1)
    assert len(turns) > 30
    page.watch(visible=False)
    turns.clear()
    scene.loop.run(10)
    assert len(turns) < 10


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


def test_events_are_sent_once_and_in_order(scene):
    page = scene.page()
    scene.recording.log("errors").append(
        [task_error(i, f"key-{i}", 0, "tcp://w", 1.0, "E" * 5_000, "T") for i in range(450)]
    )
    scene.recording.log("gaps").append([gap(1.0, 2.0, "lost", "text")])
    scene.run(1)
    errors = [error["task"] for m in page.of("events") for error in m["errors"]]
    assert errors == list(range(450))
    assert [gap["reason"] for m in page.of("events") for gap in m["gaps"]] == ["lost"]
    assert len(page.of("events")[0]["errors"][0]["exception"]) == 1_000


def test_changes_of_workers_tell_their_names_to_a_page_that_comes_late(scene):
    scene.recording.name_workers({"tcp://w:1": "3"})
    scene.recording.log("workers").append(
        [worker_change(1.0, worker, "removed", "") for worker in ("tcp://w:1", "tcp://unknown:1")]
    )
    page = scene.page()
    scene.run(1)
    changes = [change for m in page.of("events") for change in m["changes"]]
    assert [change["name"] for change in changes] == ["worker-3", ""]


def test_events_that_never_end_are_told_twice_a_second(scene):
    page = scene.page()
    for i in range(100):
        scene.recording.log("gaps").append([gap(i, i + 1, "lost", "text")])
        scene.session.changed()
        scene.run(0.02, step=0.02)
    scene.run(1)
    assert len(page.of("events")) <= 6
    assert sum(len(m["gaps"]) for m in page.of("events")) == 100


def test_hostile_text_travels_as_text(scene):
    page = scene.page()
    hostile = "<script>\U0001f600\nalert('\0')\ud800"
    scene.recording.names.intern("prefixes", hostile)
    scene.recording.log("errors").append(
        [task_error(0, hostile, 0, hostile, np.nan, hostile, hostile)]
    )
    scene.session.changed()
    assert page.of("names")[-1]["prefixes"]["items"][-1] == hostile.replace("\ud800", "\ufffd")
    assert page.of("events")[0]["errors"][0]["time"] == 0
