"""Events in the agent: whatever a message is, within bounds, and exact in what was dropped."""

from __future__ import annotations

import json
import random
from collections import deque
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from daskscope.agent import events
from daskscope.agent.events import EventLog, json_text


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no")


class RudeDict(dict[str, int]):
    def __iter__(self) -> Any:
        raise RuntimeError("no")


class Colour(IntEnum):
    RED = 3


def nested(depth: int) -> Any:
    message: Any = "core"
    for _ in range(depth):
        message = [message]
    return message


def itself() -> Any:
    message: dict[str, Any] = {}
    message["me"] = message
    return message


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"action": "add", "count": 3, "half": 0.5, "ok": True, "no": None}, None),
        ("ünïcode ✓ \u2028", None),
        ((1, [2, ("three",)]), [1, [2, ["three"]]]),
        ({1: "a", ("x", 0): "b", None: "c"}, {"1": "a", "('x', 0)": "b", "None": "c"}),
        (float("nan"), "nan"),
        ({"up": float("inf")}, {"up": "inf"}),
        (b"\x80\x05", "b'\\x80\\x05'"),
        (Rude(), "(Rude)"),
        ({"inside": Rude()}, {"inside": "(Rude)"}),
        (RudeDict(a=1), "(a message that cannot be shown)"),
        ("lone \ud800 surrogate\0", "lone \ufffd surrogate\ufffd"),
        (2**60, 2**60),
        (10**5_000, "(an integer of 16610 bits)"),
        (Colour.RED, 3),
        (np.float64(1.5), 1.5),
        (np.int64(7), "7"),
        ({5}, [5]),
        (deque([1, 2]), [1, 2]),
    ],
    ids=lambda _: "",
)
def test_any_message_becomes_json(message: Any, expected: Any) -> None:
    assert json.loads(json_text(message)) == (message if expected is None else expected)


@pytest.mark.parametrize(
    "message",
    [
        "x" * 1_000_000,
        '"\\' * 1_000_000,
        "\ud800" * 10_000,
        "\x01" * 10_000,
        {"text": "y" * 5_000},
        {"k" * 5_000: 1},
        list(range(1_000_000)),
        {str(i): i for i in range(10_000)},
        b"\xff" * 1_000_000,
        [[["x" * 900] * 3] * 3] * 3,
        ["a" * 3_999],
        [0.123456789012345678] * 3_000,
    ],
    ids=lambda message: type(message).__name__,
)
def test_long_messages_are_cut_and_still_json(message: Any) -> None:
    text = json_text(message)
    assert len(text) <= events.MAX_MESSAGE_CHARS
    assert len(text) > events.MAX_MESSAGE_CHARS // 2
    assert json.loads(text)["cut"].endswith("…")
    text.encode()


@pytest.mark.parametrize("message", [nested(50), nested(100_000), itself()], ids=["50", "10⁵", "∞"])
def test_messages_nested_too_deep_end_somewhere(message: Any) -> None:
    text = json_text(message)
    assert json.loads(text)
    assert len(text) < 300


def test_a_message_as_long_as_the_bound_is_whole() -> None:
    whole = "x" * (events.MAX_MESSAGE_CHARS - 2)
    assert json.loads(json_text(whole)) == whole
    assert "cut" in json.loads(json_text(whole + "x"))


def logged(log: EventLog, topic: str, count: int, message: Any = "something") -> None:
    for _ in range(count):
        log.append((1.0, message), topic)


def test_a_topic_that_says_much_pushes_out_only_its_own() -> None:
    log = EventLog()
    logged(log, "mine", 3)
    logged(log, "stealing", 50_000)
    logged(log, "mine", 2)
    answer = log.since(0)
    topics = [item["topic"] for item in answer["items"]]
    assert topics == ["mine"] * 3 + ["stealing"] * events.MAX_TOPIC_EVENTS + ["mine"] * 2
    assert answer["first"] + len(topics) == log.next == 50_005


def test_a_topic_with_long_messages_pushes_out_only_its_own() -> None:
    log = EventLog()
    logged(log, "mine", 3)
    logged(log, "loud", 5_000, "x" * 3_000)
    topics = [item["topic"] for item in log.since(0)["items"]]
    assert topics[:3] == ["mine"] * 3
    assert 100 < len(topics) < 140


def test_all_topics_together_are_bounded() -> None:
    log = EventLog()
    for number in range(30_000):
        logged(log, f"topic {number}", 1)
    assert len(log.since(0)["items"]) == len(log.topics) == events.MAX_EVENTS
    for number in range(3_000):
        logged(log, f"loud {number}", 1, "x" * 3_000)
    assert log.chars <= events.MAX_LOG_CHARS
    kept = log.since(0)["items"]
    assert log.chars == sum(len(item["topic"]) + len(item["message"]) for item in kept)
    assert len(log.topics) == len(kept)


@pytest.mark.parametrize("seed", range(10))
def test_what_a_reader_misses_is_counted_exactly(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_TOPIC_EVENTS", 10)
    monkeypatch.setattr(events, "MAX_EVENTS", 25)
    chance = random.Random(seed)
    log = EventLog()
    cursor, seen, missed = 0, [], 0
    for number in range(2_000):
        log.append((number, None), chance.choice(["a", "a", "a", "b", "c", "d", "e"]))
        if chance.random() < 0.05:
            answer = log.since(cursor)
            missed += answer["first"] - cursor
            cursor = answer["first"] + len(answer["items"])
            seen += [item["time"] for item in answer["items"]]
            assert cursor == number + 1 == len(seen) + missed
    assert seen == sorted(set(seen))
    assert missed > 0


def test_an_event_of_several_topics_is_one_entry() -> None:
    log = EventLog()
    event, alike = ((1.0, message) for message in (None, None))
    for topic in ("a", "b"):
        log.append(event, topic)
    log.append(alike, "b")
    assert [item["topic"] for item in log.since(0)["items"]] == ["a, b", "b"]


def test_an_event_of_very_many_topics_is_bounded() -> None:
    log = EventLog()
    event = (1.0, None)
    for number in range(100_000):
        log.append(event, f"topic {number}")
    (item,) = log.since(0)["items"]
    assert len(item["topic"]) <= events.MAX_TOPICS_CHARS + 10
    assert item["topic"].endswith(", …")
    assert log.chars == len(item["topic"]) + len(item["message"])
