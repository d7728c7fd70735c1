"""Chunks of tasks: what the agent packs is what the kernel reads, whatever it is."""

from __future__ import annotations

import math
import zlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from daskscope.agent import packing
from daskscope.collect.graphs import Graphs
from daskscope.collect.intake import Tasks, decode, take_names
from daskscope.recording import Names, RecordingStore
from daskscope.recording.names import Places
from daskscope.schema import MAX_KEY_CHARACTERS


class Group:
    """A TaskGroup as far as packing looks at it."""

    def __init__(self, prefix: str, span_id: str | None = None) -> None:
        self.prefix = SimpleNamespace(name=prefix)
        self.span_id = span_id


GROUP = Group("inc")


def finished(*rows: tuple[str, float, float], **more: Any) -> dict[str, Any]:
    startstops = [{"action": a, "start": start, "stop": stop} for a, start, stop in rows]
    return {
        "worker": "tcp://w:1",
        "thread": 7,
        "nbytes": 28,
        "startstops": startstops,
        "status": "OK",
    } | more


class Packer:
    """The lists of an agent, without a scheduler."""

    def __init__(self) -> None:
        self.prefixes = packing.Interned(packing.describe_name)
        self.lanes = packing.Lanes()
        self.actions = packing.Interned(packing.describe_name, packing.MAX_ACTIONS)
        self.spans = packing.Interned(lambda span: [span or ""], first=[""])

    def pack(self, *pending: Any) -> dict[str, Any]:
        waiting = packing.Pending()
        for key, group, task in pending:
            if "erred" in task:
                waiting.erred.append(len(waiting))
            reported = [task[name] for name in ("startstops", "nbytes", "worker", "thread")]
            waiting.report(*reported, group, key)
        groups = packing.alike([group for _, group, _ in pending])
        names = self.prefixes, self.lanes, self.actions, self.spans
        return packing.pack(0, waiting, groups, [0], *names)

    def read(self, *pending: Any) -> tuple[Tasks, Names]:
        names = Names()
        places = Places(names)
        chunk = self.pack(*pending)
        take_names(
            places,
            {
                "prefixes": self.prefixes.described,
                "lanes": self.lanes.described,
                "actions": self.actions.described,
                "spans": self.spans.described,
            },
        )
        return decode(chunk, places, Graphs(RecordingStore())), names


def keys_of(tasks: Tasks) -> list[str]:
    return zlib.decompress(tasks.keys).decode().split("\0")


def test_rows_come_back_as_they_were_packed() -> None:
    now = 1_790_000_000.25
    tasks, names = Packer().read(
        ("inc-1", GROUP, finished(("compute", now, now + 0.5))),
        (
            ("sum-abc", 0, 1),
            Group("sum", "s1"),
            finished(
                ("transfer", now - 2, now - 1),
                ("compute", now - 1, now),
                worker="tcp://w:2",
                nbytes=2**40,
            ),
        ),
    )
    columns = tasks.columns
    assert columns["start"] == pytest.approx([now, now - 2, now - 1], rel=0, abs=1e-6)
    assert columns["duration"] == pytest.approx([0.5, 1, 1], rel=0, abs=2e-6)
    assert [names.prefixes[i] for i in columns["prefix"]] == ["inc", "sum", "sum"]
    assert [names.lanes[i] for i in columns["lane"]] == [("tcp://w:1", "7")] + [
        ("tcp://w:2", "7")
    ] * 2
    assert [names.actions[i] for i in columns["action"]] == ["compute", "transfer", "compute"]
    assert [names.spans[i] for i in columns["span"]] == [("", ()), ("s1", ()), ("s1", ())]
    assert columns["nbytes"].tolist() == [28, 2**40, 2**40]
    assert columns["task"].tolist() == [0, 1, 1]
    assert columns["status"].tolist() == [0, 0, 0]
    assert keys_of(tasks) == ["inc-1", "('sum-abc', 0, 1)"]


def test_an_erred_task_without_intervals_has_no_row_but_counts() -> None:
    tasks, names = Packer().read(
        ("a", GROUP, finished(("compute", 1.0, 2.0))),
        ("b", GROUP, finished(worker=None, thread=None, erred=True)),
    )
    assert tasks.tasks == 2
    assert tasks.columns["task"].tolist() == [0]
    assert tasks.rowless["status"].tolist() == [1]
    assert keys_of(tasks) == ["a", "b"]
    assert ("", "") in names.lanes


def test_actions_that_nobody_knew_are_kept_by_name() -> None:
    tasks, names = Packer().read(("a", GROUP, finished(("gpu-copy", 1.0, 2.0))))
    assert names.actions[tasks.columns["action"][0]] == "gpu-copy"


@pytest.mark.parametrize(
    ("rows", "starts"),
    [
        ([("compute", 5e8, 4e8)], [5e8]),
        ([("compute", 1.79e9, 1.79e9 - 7200), ("compute", 1.79e9 + 36_000, 1.79e9)], None),
        ([("compute", 0.0, 0.0), ("compute", 1.79e9, 1.79e9)], [0, 1.79e9]),
        ([("compute", math.nan, math.inf)], None),
        ([("compute", math.inf, math.inf), ("compute", 0.0, 1e300)], None),
    ],
)
def test_clocks_that_disagree_are_kept_as_they_are(rows: Any, starts: Any) -> None:
    tasks, _ = Packer().read(
        ("warm", GROUP, finished(("compute", 1.79e9, 1.79e9))), ("a", GROUP, finished(*rows))
    )
    starts = starts or [start for _, start, _ in rows]
    with np.errstate(over="ignore"):
        expected = np.array([stop - start for _, start, stop in rows]).astype("f4")
    assert tasks.columns["start"][1:] == pytest.approx(starts, rel=0, abs=1e-5, nan_ok=True)
    assert tasks.columns["duration"][1:] == pytest.approx(expected, rel=0, abs=1e-3, nan_ok=True)


def test_a_first_task_without_a_time_does_not_stop_the_others() -> None:
    tasks, _ = Packer().read(
        ("a", GROUP, finished(("compute", math.nan, 1.0))),
        ("b", GROUP, finished(("compute", 1.79e9, 1.79e9 + 1))),
    )
    assert tasks.columns["start"][1] == pytest.approx(1.79e9, rel=0, abs=1e-5)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("plain", "plain"),
        (("x-1", 0, 2), "('x-1', 0, 2)"),
        (("x-1", -(2**31)), f"('x-1', {-(2**31)})"),
        (("x-1", 2**31), f"('x-1', {2**31})"),
        (("x-1", True), "('x-1', True)"),
        (("nul\0-1", 1), "('nul\\x00-1', 1)"),
        (("lone\ud800-1", 1), "('lone\\ud800-1', 1)"),
        (("t", 1, 2, 3), "('t', 1, 2, 3)"),
        (("one",), "('one',)"),
        ((), "()"),
        (
            ("x'\"\\-1", True, 1.5, ("nested", None)),
            "('x\\'\"\\\\-1', True, 1.5, ('nested', None))",
        ),
        (b"bytes-\xff", "b'bytes-\\xff'"),  # a newer Dask refuses such a key, see test_faults_keys
        ((b"b", 1), "(b'b', 1)"),
        (12, "12"),
        ((2**70, -1), f"({2**70}, -1)"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("😀\n\t", "😀\n\t"),
        ("nul\0inside", "nul\ufffdinside"),
        ("lone\ud800surrogate", "lone\ufffdsurrogate"),
        ("k" * 10_000, "k" * 10_000),
        ("k" * 200_000, "k" * MAX_KEY_CHARACTERS + "…"),
        ("", ""),
    ],
)
def test_every_kind_of_key_arrives_as_text(key: Any, text: str) -> None:
    others = [("inc-1", GROUP, finished()), (("t", 1), GROUP, finished())]
    for pending in ([], others[:1], others[1:], others):
        tasks, _ = Packer().read((key, GROUP, finished()), *pending)
        assert keys_of(tasks)[0] == text
        assert len(keys_of(tasks)) == tasks.tasks


keys = st.recursive(
    st.text() | st.binary() | st.integers() | st.booleans() | st.floats(),
    lambda children: st.tuples(children, children),
    max_leaves=4,
)


@examples(60)
@given(st.lists(keys, min_size=1, max_size=20), st.data())
def test_any_keys_and_times_survive(keys: list[Any], data: Any) -> None:
    number = st.floats(min_value=-1e11, max_value=1e11)
    pending = [
        (
            key,
            GROUP,
            finished(
                *data.draw(st.lists(st.tuples(st.text(), number, number), max_size=3)),
                nbytes=data.draw(st.integers(0, 2**50)),
            ),
        )
        for key in keys
    ]
    tasks, _ = Packer().read(*pending)
    assert keys_of(tasks) == [packing.clean_text(key) for key in keys]
    starts = [row["start"] for _, _, task in pending for row in task["startstops"]]
    assert tasks.columns["start"] == pytest.approx(starts, rel=1e-15, abs=1e-4)


def test_tuples_of_several_names_and_lengths_keep_their_order() -> None:
    keys = [(("x", "y")[i % 2], i, -i)[: 2 + i % 3 // 2] for i in range(300)]
    encoding, _ = packing.pack_keys(keys)
    assert encoding == "columns"
    tasks, _ = Packer().read(*[(key, GROUP, finished()) for key in keys])
    assert keys_of(tasks) == [str(key) for key in keys]
    encoding, _ = packing.pack_keys([("x", *range(i)) for i in range(40)])
    assert encoding == "msgpack"


@pytest.mark.parametrize("nbytes", [-1, 2**80, 1.5, "big"])
def test_a_size_that_is_no_size_does_no_harm(nbytes: Any) -> None:
    tasks, _ = Packer().read(("a", GROUP, finished(("compute", 1.0, 2.0), nbytes=nbytes)))
    assert len(tasks.columns["nbytes"]) == 1


def test_names_are_bounded_and_end_in_other() -> None:
    names = packing.Interned(packing.describe_name, limit=3)
    assert [names.add(name) for name in "abcdea"] == [0, 1, 2, 2, 2, 0]
    assert names.described == ["a", "b", packing.OTHER_NAME]
    assert len(names.index) == 2


def test_lanes_are_bounded_and_end_in_other() -> None:
    lanes = packing.Lanes(limit=2)
    assert [lanes.add(("w", thread)) for thread in (1, 2, 3, 1)] == [0, 1, 1, 0]
    assert lanes.described == [["w", "1"], [packing.OTHER_NAME, ""]]
    assert lanes.index == {"w": {1: 0}}


def test_long_names_are_cut() -> None:
    assert len(packing.describe_name("p" * 10_000)) == packing.MAX_NAME_CHARS + 1


def test_a_damaged_chunk_is_an_error_that_says_so() -> None:
    packer = Packer()
    chunk = packer.pack(("a", GROUP, finished(("compute", 1.0, 2.0))))
    places, graphs = Places(Names()), Graphs(RecordingStore())
    with pytest.raises(ValueError, match="cannot be read"):
        decode(chunk | {"data": b"no"}, places, graphs)
    with pytest.raises(ValueError, match="cannot be read"):
        decode(chunk, places, graphs)  # its names never came
