"""The profile of a recording as a tree."""

from __future__ import annotations

import json
from math import inf, nan
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from distributed.profile import plot_data
from profile_rows import LOAD, POOL, WORK, WORKERS, add_cycle, add_processes, profiled
from recording_rows import START, new_recording

from daskscope.derive.profile_tree import Frame, ProfileTree, Samples, merged
from daskscope.errors import DaskscopeError
from daskscope.loading import opened
from daskscope.recording import Recording
from daskscope.report.profile import recording_of
from daskscope.schema import STACKS

if TYPE_CHECKING:
    from pathlib import Path


def tree_of(**wanted: Any) -> ProfileTree:
    return Recording(profiled()).profile(**wanted)


def rows(tree: ProfileTree) -> dict[str, tuple[float, float]]:
    frame = tree.to_pandas()
    return {
        name: (own, total)
        for name, own, total in zip(frame["function"], frame["self"], frame["total"], strict=True)
    }


def test_functions_have_their_own_samples_and_those_of_what_they_called():
    tree = tree_of()
    assert tree.count == 200
    assert tree.seconds == 2.0
    assert rows(tree) == {"work": (140, 140), "load": (40, 60), "run": (20, 200)}
    table = tree.to_pandas()
    assert list(table.columns) == ["function", "file", "line", "self", "total"]
    assert table["line"].tolist() == [3, 22, 12]
    assert table["self"].dtype == "int64"
    assert tree.top(1)["function"].tolist() == ["work"]
    assert tree.top(1, by="total")["function"].tolist() == ["run"]


def test_a_profile_is_of_a_time_of_prefixes_and_of_workers():
    assert tree_of(prefix="inc").count == 140
    assert tree_of(prefix=["inc", "sum"]).count == 200
    assert tree_of(worker="worker-1", prefix="sum").count == 30
    assert tree_of(worker=WORKERS[0]).count == 100
    assert tree_of(start=START + 2, stop=START + 5).count == 60
    assert tree_of(start=START + 2.5, stop=START + 3).count == 10, "its share of a cycle"
    assert rows(tree_of(prefix="inc")) == {"work": (120, 120), "run": (20, 140)}


def test_event_loops_are_scopes_of_their_own():
    recording = profiled()
    add_processes(recording, [""], interval=0.02)
    add_cycle(recording, START, {(POOL,): 4}, scope="worker", prefix="")
    add_cycle(recording, START, {(LOAD,): 5}, scope="scheduler", prefix="", worker="")
    of = Recording(recording).profile
    assert of().count == 200
    assert rows(of(scope="worker")) == {"run": (4, 4)}
    assert (of(scope="scheduler").count, of(scope="scheduler").seconds) == (5, 5.0)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"prefix": "ink"}, "'inc'"),
        ({"worker": "worker-7"}, "worker-0"),
        ({"scope": "threads"}, "compute, worker, scheduler"),
        ({"scope": None}, "compute, worker, scheduler"),
        ({"scope": "worker", "prefix": "inc"}, "prefix"),
        ({"scope": "scheduler", "worker": "worker-0"}, "worker"),
        ({"start": "noon"}, "start"),
        ({"start": 2.0, "stop": 1.0}, "start"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(wanted, said):
    with pytest.raises(DaskscopeError) as error:
        tree_of(**wanted)
    assert error.value.code == "bad-query"
    assert next(iter(wanted)) in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("call", "name", "allowed"),
    [
        (lambda tree: tree.top(by="time"), "by", '"self" or "total"'),
        (lambda tree: tree.top("ten"), "n", "whole number"),
        (lambda tree: tree.top(-1), "n", "0 or more"),
        (lambda tree: tree.top(True), "n", "whole number"),
        (lambda tree: tree.merge({"count": 1}), "others", "ProfileTree"),
    ],
)
def test_a_wrong_argument_of_a_tree_is_named_with_what_is_allowed(call, name, allowed):
    with pytest.raises(DaskscopeError) as error:
        call(tree_of())
    assert error.value.code == "bad-query"
    assert f"`{name}`" in str(error.value)
    assert allowed in str(error.value)


@pytest.mark.parametrize("write", ["save", "to_speedscope", "to_collapsed"])
def test_a_path_that_is_none_is_refused(write):
    for path in (None, 7):
        with pytest.raises((DaskscopeError, TypeError), match=r"path|name"):
            getattr(tree_of(), write)(path)


@pytest.mark.parametrize("other", [1, None, {"count": 1}])
def test_only_trees_are_added_and_compared(other):
    for calculate in (lambda tree: tree + other, lambda tree: tree - other):
        with pytest.raises(TypeError, match="ProfileTree"):
            calculate(tree_of())


def test_an_empty_profile_is_a_tree_too():
    tree = Recording(new_recording()).profile()
    assert (tree.count, tree.seconds, len(tree.to_pandas())) == (0, None, 0)
    assert tree.to_dict()["children"] == {}
    assert "0 samples" in repr(tree)


def test_seconds_need_one_interval():
    recording = profiled()
    add_processes(recording, ["tcp://10.0.0.9:0"], interval=0.02)
    assert Recording(recording).profile().seconds is None
    assert Recording(recording).profile(worker=WORKERS[0]).seconds == 1.0


@pytest.mark.parametrize("interval", [nan, inf, 0.0, -1.0])
def test_a_process_without_an_interval_leaves_those_of_others(interval: float):
    recording = profiled()
    add_processes(recording, ["tcp://10.0.0.9:0"], interval=interval)
    assert Recording(recording).profile().seconds == 2.0


def test_the_dictionary_is_what_dask_plots():
    state = tree_of().to_dict()
    assert (state["count"], state["identifier"]) == (200, "root")
    (pool,) = state["children"].values()
    assert pool["identifier"] == "run;/lib/pool.py;10"
    assert pool["description"] == {
        "filename": "/lib/pool.py",
        "name": "run",
        "line_number": 12,
        "line": "call()",
    }
    assert {child["count"] for child in pool["children"].values()} == {120, 60}
    plotted = plot_data(state, 0.01)
    assert sorted(plotted["name"]) == ["", "load", "run", "work", "work"]
    assert plotted["percentage"][0] == "100.0%"


def test_recursion_is_counted_once():
    recording = new_recording()
    add_processes(recording)
    add_cycle(recording, START, {(POOL, WORK, LOAD, WORK, WORK): 3, (POOL, WORK): 2})
    assert rows(Recording(recording).profile()) == {"work": (5, 5), "run": (0, 5), "load": (0, 3)}


def test_merging_adds_samples_and_changes_nothing():
    a, b = tree_of(prefix="inc"), tree_of(prefix="sum")
    both = a + b
    assert rows(both) == rows(tree_of())
    assert (a.count, b.count) == (140, 60)
    assert rows(a.merge(b, a)) == rows(a + b + a) == rows(sum([a, b, a]))
    assert (both.start, both.seconds) == (a.start, 2.0)
    other = Recording(profiled())
    assert rows(other.profile() + tree_of())["work"] == (280, 280)
    with pytest.raises(DaskscopeError) as error:
        _ = a + other.profile(scope="worker")
    assert error.value.code == "not-comparable"


def deep(nodes: int) -> ProfileTree:
    node = np.array([nodes - 1])
    samples = Samples(np.array([START]), np.ones(1), node * 0, node * 0, node, np.array([4.0]))
    frames = [Frame(""), Frame("f", "f.py", 1), Frame("g", "g.py", 1)]
    at = np.arange(nodes)
    frame = np.where(at, at % 2 + 1, 0)
    return ProfileTree(frames, np.maximum(at - 1, 0), frame, samples)


@pytest.mark.all
def test_a_stack_of_100_000_functions_is_a_stack(tmp_path: Path):
    tree = deep(100_001)
    assert tree.depth[-1] == 100_000
    assert rows(tree) == {"f": (4, 4), "g": (0, 4)}
    assert (tree + tree).count == 8
    state = tree.to_dict()
    while state["children"]:
        (state,) = state["children"].values()
        assert state["count"] == 4
    document = json.loads(tree.to_speedscope(tmp_path / "deep.json").read_text())
    assert len(document["profiles"][0]["samples"][0]) == 100_000
    assert tree.to_collapsed(tmp_path / "deep.txt").read_text().count(";") == 99_999


def test_a_saved_profile_has_the_same_samples(tmp_path: Path):
    tree = tree_of(prefix="inc", start=START + 2)
    where = tree.save(tmp_path / "profile")
    assert where == str(tmp_path / "profile.html")
    saved = opened(where)
    again = Recording(saved).profile()
    assert rows(again) == rows(tree)
    assert again.seconds == tree.seconds
    assert saved.about_facts["summary"]["panels"] == ["profile"]
    assert Recording(saved).profile(worker=WORKERS[1], prefix="inc").count == tree.count / 2
    assert Recording(saved).profile(start=START + 5).count == 70


@pytest.mark.parametrize(("scope", "worker"), [("worker", WORKERS[0]), ("scheduler", "")])
def test_a_saved_profile_of_event_loops_has_the_same_seconds(scope: str, worker: str):
    recording = new_recording()
    add_processes(recording, [worker])
    cycle: dict[str, Any] = {"scope": scope, "prefix": "", "worker": worker}
    add_cycle(recording, START, {(POOL,): 30}, duration=60.0, **cycle)
    tree = Recording(recording).profile(scope=scope)
    assert tree.seconds == 30.0
    assert Recording(recording_of(tree)).profile(scope=scope).seconds == tree.seconds


def test_where_no_stack_has_room_a_saved_profile_gives_samples_to_the_caller(
    monkeypatch: pytest.MonkeyPatch,
):
    saved = new_recording()
    table = SimpleNamespace(**{**vars(STACKS), "limit": 3, "columns": STACKS.columns})
    monkeypatch.setitem(saved.names.tables, "stacks", table)
    monkeypatch.setattr("daskscope.report.profile.new_recording", lambda: saved)
    recording = new_recording()
    add_cycle(recording, START, {(POOL, LOAD, WORK): 3})
    recording_of(Recording(recording).profile())
    assert rows(Recording(saved).profile()) == {"run": (3, 3)}


def test_names_of_merged_trees_stay_with_their_samples():
    both = merged([tree_of(worker=WORKERS[1]), tree_of(prefix="sum")])
    workers = np.array(both.samples.workers)[both.samples.worker]
    counts = {name: both.samples.count[workers == name].sum() for name in WORKERS}
    assert counts == {WORKERS[0]: 30, WORKERS[1]: 130}
