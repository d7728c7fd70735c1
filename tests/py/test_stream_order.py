"""What a page is told, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from recording_rows import (
    START,
    append_cluster,
    gap,
    logged_event,
    make_rows,
    task_error,
    worker_change,
)

from daskscope import schema
from daskscope.focus import Focus
from daskscope.recording import pack_keys
from daskscope.schema import LIMITS
from daskscope.stream.sender import Sender


def numbered(page):
    """What came with a number, in order: the table of rows, the kind of a batch."""
    return [m.get("table") or m.get("kind") or m["type"] for m in page.messages if "seq" in m]


def test_live_rows_arrive_at_once_with_the_names_that_they_need(scene):
    page = scene.page(tables=["tasks"])
    scene.append(10)
    assert numbered(page) == ["lanes", "prefixes", "actions", "spans", "live"]
    (batch,) = page.of("batch")
    assert page.names("prefixes") == ["inc", "sum"]
    assert page.names("lanes")[0] == ("tcp://10.0.0.1:0", "0")
    assert page.names("spans") == [("", ())]
    assert (batch["first"], batch["tasks"], batch["rows"]) == (0, 10, 10)
    assert page.rows[0]["start"][0].as_py() == START
    assert page.rows[0]["task"].to_pylist() == list(range(10))
    scene.append(5)
    assert page.of("batch")[-1]["first"] == 10
    assert [m["seq"] for m in page.messages if "seq" in m] == [1, 2, 3, 4, 5, 6]


def test_names_that_are_new_in_the_middle_come_before_their_rows(scene):
    page = scene.page(tables=["tasks"])
    scene.append(10)
    index = scene.recording.names.intern("prefixes", "later")
    columns = make_rows(1)
    columns["prefix"][:] = index
    scene.recording.append_tasks(1, columns, pack_keys(0, ["later-1"]).data)
    scene.session.changed()
    assert numbered(page)[-2:] == ["prefixes", "live"]
    assert page.of("rows")[-1]["texts"] == {"name": ["later"]}
    colours = [row["colour"] for row in page.table("prefixes")]
    assert colours == scene.recording.names.colours["prefixes"]


def test_a_late_page_gets_coarse_then_live_then_detail_newest_first_then_keys(scene):
    for i in range(40):
        scene.append(5_000, start=START + 13 * i)
    page = scene.page(tables=["errors", "tasks"])
    scene.append(10)
    scene.run(3)
    kinds = numbered(page)
    assert kinds[4:6] == ["coarse", "errors"]
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
    monkeypatch.setattr(Sender, "_send_totals", lambda *_: False)  # there is always more to sum up
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


def test_a_page_gets_the_tables_that_it_subscribes_to_and_what_they_point_into(scene):
    page = scene.page(tables=["errors", "unheard-of"])
    scene.append(10)
    scene.recording.log("errors").append([task_error(3, "key", 1, "tcp://w", 1.0, "E", "T")])
    scene.recording.log("gaps").append([gap(1.0, 2.0)])
    scene.run(1)
    assert numbered(page) == ["prefixes", "errors", "errors"]
    assert page.table("errors")[0]["traceback"] == "T"
    assert page.of("totals") == page.of("summary") == []
    page.watch(tables=["gaps", "tasks"])
    scene.recording.log("errors").append([task_error(4, "key", 1, "tcp://w", 1.0, "E", "T")])
    scene.run(1)
    assert len(page.covered) == 10
    assert len(page.table("gaps")) == 1
    assert len(page.table("errors")) == 1
    page.watch(tables=["errors"])
    scene.run(1)
    assert [row["task"] for row in page.table("errors")] == [3, 4]
    assert set(page.tables["errors", 0].covered.values()) == {1}, "nothing came twice"


def test_a_table_without_rows_is_sent_once_so_that_the_page_knows(scene):
    page = scene.page(tables=["logs", "system"])
    scene.run(1)
    said = [(m["table"], m["ring"], m["rows"], m["complete"]) for m in page.of("rows")]
    assert said == [("logs", 0, 0, True), *(("system", ring, 0, True) for ring in range(4))]


def test_the_newest_rows_of_a_table_come_first_in_messages_of_bounded_size(scene):
    text = "E" * 5_000
    errors = [task_error(i, f"key-{i}", 0, "tcp://w", 1.0, text, text) for i in range(450)]
    scene.recording.log("errors").append(errors)
    page = scene.page(tables=["errors"])
    scene.run(2)
    said = [(m["first"], m["count"]) for m in page.of("rows") if m["table"] == "errors"]
    assert len(said) > 5
    assert said == sorted(said, reverse=True)
    complete = [m["complete"] for m in page.of("rows") if m["table"] == "errors"]
    assert complete == [False] * (len(said) - 1) + [True]
    assert [row["task"] for row in page.table("errors")] == list(range(450))
    assert {row["exception"] for row in page.table("errors")} == {text}
    assert page.received_bytes < 450 * 100
    sizes = [sum(map(len, m["texts"]["traceback"])) for m in page.of("rows")[1:]]
    assert max(sizes) < LIMITS["batch_bytes"] / 4


def test_a_table_that_has_more_to_send_lets_others_come_between(scene):
    text = "E" * 5_000
    errors = [task_error(i, f"key-{i}", 0, "tcp://w", 1.0, text, text) for i in range(450)]
    scene.recording.log("errors").append(errors)
    scene.recording.log("gaps").append([gap(1.0, 2.0)])
    page = scene.page(tables=["errors", "gaps"])
    scene.run(2)
    assert numbered(page)[:4] == ["prefixes", "errors", "gaps", "errors"]


def test_numbers_that_nobody_has_any_more_are_counted_as_dropped(scene):
    events = scene.recording.log("events")
    events.append([logged_event(0, "mine", "1")])
    events.append(logged_event(i, "noisy", "[]") for i in range(3_000))
    events.count_dropped(7)
    page = scene.page(tables=["events"])
    scene.run(1)
    table = page.tables["events", 0]
    assert [row["topic"] for row in page.table("events")] == ["mine"] + ["noisy"] * 2_000
    assert table.dropped == events.dropped == 1_007
    assert set(table.covered) == set(range(3_008))
    (message,) = page.of("rows")
    assert (message["rows"], message["numbered"]) == (2_001, True)


@pytest.mark.all
def test_a_million_events_in_a_minute_cost_a_page_no_more_than_their_bound(scene):
    events = scene.recording.log("events")
    page = scene.page(tables=["events"])
    events.append([logged_event(0, "mine", "1")])
    for second in range(60):
        events.append(logged_event(second, "noisy", "[]") for _ in range(16_667))
        scene.session.changed()
        scene.run(1, step=0.25)
    feed = scene.hub._pages["page-1"].watched["session-1"].feed
    assert len(page.of("rows")) <= 2 * 61
    assert sum(m["rows"] for m in page.of("rows")) <= 61 * 2_001
    assert len(page.table("events")) == 2_001
    assert page.tables["events", 0].dropped == events.dropped == 60 * 16_667 - 2_000
    assert len(feed._tables._held["events", 0]) == 1
    assert not feed._sent


def test_a_page_keeps_of_a_series_what_it_has_room_for(scene, monkeypatch):
    row_bytes = 8 * len(schema.SYSTEM.columns)
    small = replace(schema.SYSTEM, page_bytes=4 * 50 * row_bytes)
    monkeypatch.setattr(schema, "SYSTEM", small)
    append_cluster(scene.recording, *((i, 1, 2, 3, 4, 5, 6) for i in range(120)))
    page = scene.page(tables=["system"])
    scene.run(1)
    assert [row["time"] for row in page.table("system")] == list(range(70, 120))
    append_cluster(scene.recording, (120, 1, 2, 3, 4, 5, 6))
    scene.run(1)
    assert [row["time"] for row in page.table("system")] == list(range(71, 121))


def test_changes_of_workers_have_their_names_for_a_page_that_comes_late(scene):
    scene.recording.name_workers({"tcp://w:1": "3"})
    scene.recording.log("workers").append(
        [worker_change(1.0, worker, "removed", "") for worker in ("tcp://w:1", "tcp://unknown:1")]
    )
    page = scene.page()
    scene.run(1)
    assert [row["name"] for row in page.table("workers")] == ["worker-3", ""]


def test_rows_that_never_end_are_sent_twice_a_second(scene):
    page = scene.page(tables=["gaps"])
    for i in range(100):
        scene.recording.log("gaps").append([gap(i, i + 1, "lost", "text")])
        scene.session.changed()
        scene.run(0.02, step=0.02)
    scene.run(1)
    assert len(page.of("rows")) <= 7
    assert len(page.table("gaps")) == 100


def test_the_summary_comes_every_two_seconds_while_it_changes(scene):
    page, other = scene.page(tables=["summary"]), scene.page("other")
    for i in range(100):
        if i < 50:
            scene.session.figures = {"tasks": {"captured": i}}
        scene.run(0.1, step=0.1)
    assert 3 <= len(page.of("summary")) <= 5
    assert page.of("summary")[-1]["figures"] == {"tasks": {"captured": 49}}
    assert scene.session.summaries <= 7
    assert other.of("summary") == []
    page.watch(visible=False, tables=["summary"])
    scene.session.figures = {}
    scene.run(5)
    assert page.of("summary")[-1]["figures"] != {}


def test_hostile_text_travels_as_text(scene):
    page = scene.page()
    hostile = "<script>\U0001f600\nalert('\0')\ud800"
    scene.recording.names.intern("prefixes", hostile)
    scene.recording.log("errors").append(
        [task_error(0, hostile, 0, hostile, np.nan, hostile, hostile)]
    )
    scene.session.changed()
    scene.run(1)
    plain = hostile.replace("\ud800", "\ufffd")
    assert page.names("prefixes")[-1] == plain
    (error,) = page.table("errors")
    assert np.isnan(error["time"])
    assert error["traceback"] == plain
