"""What pages ask: keys and whole tasks."""

from __future__ import annotations

import pytest
from recording_rows import make_rows, task_error

from daskscope.recording import pack_keys
from daskscope.stream import feed


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


def test_keys_beyond_what_a_page_keeps_are_sent_only_if_asked_for(scene, monkeypatch):
    monkeypatch.setattr(feed, "PAGE_KEY_BYTES", 20_000)
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


def test_a_task_is_described_with_its_traceback(scene):
    page = scene.page()
    columns = make_rows(2, rows_each=2)
    columns["status"][2:] = 1
    scene.recording.append_tasks(2, columns, pack_keys(0, ["a", "<script>"]).data)
    scene.recording.log("errors").append(
        [task_error(1, "<script>", 1, "tcp://w", 1.0, "E()", "Trace")]
    )
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
