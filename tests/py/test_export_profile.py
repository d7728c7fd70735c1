"""Profiles in the formats of other viewers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from profile_rows import POOL, WORK, add_cycle, add_processes, profiled
from recording_rows import START, new_recording

from daskscope.derive.profile_tree import Frame, ProfileTree, Samples
from daskscope.errors import DaskscopeError
from daskscope.export.profile import to_speedscope
from daskscope.recording import Recording

SPEEDSCOPE = Path(__file__).parents[2] / "node_modules" / "speedscope" / "dist" / "release"
HOSTILE = ("<b>é;\n\ud800 λ</b>", 'C:\\"x"\\<string>', 0, 0, "</script>")


def speedscope(tree: ProfileTree, folder: Path) -> Any:
    return json.loads(tree.to_speedscope(folder / "profile.json").read_bytes())


def collapsed(tree: ProfileTree, folder: Path) -> dict[str, int]:
    text = tree.to_collapsed(folder / "profile.txt").read_text(encoding="utf-8")
    lines = [line.rpartition(" ") for line in text.splitlines()]
    return {stack: int(count) for stack, _, count in lines}


def test_speedscope_says_that_it_is_in_its_form(tmp_path: Path):
    import jsonschema  # slow: only the process that runs this test imports it

    schema = json.loads((SPEEDSCOPE / "file-format-schema.json").read_text())
    recording = profiled()
    add_cycle(recording, START, {(POOL, HOSTILE): 3}, scope="worker", prefix="")
    trees = [Recording(recording).profile(scope=scope) for scope in ("compute", "worker")]
    document = json.loads(to_speedscope(trees, tmp_path / "two.json").read_bytes())
    jsonschema.validate(document, schema)
    assert [profile["name"] for profile in document["profiles"]] == ["tasks", "workers"]


def test_speedscope_has_each_stack_with_its_seconds(tmp_path: Path):
    document = speedscope(Recording(profiled()).profile(), tmp_path)
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = document["shared"]["frames"]
    (profile,) = document["profiles"]
    assert (profile["type"], profile["unit"], profile["name"]) == ("sampled", "seconds", "tasks")
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["startValue"] == 0
    assert profile["endValue"] == pytest.approx(sum(profile["weights"])) == 2.0
    stacks = {
        tuple(frames[at]["name"] for at in stack): weight
        for stack, weight in zip(profile["samples"], profile["weights"], strict=True)
    }
    assert stacks == {
        ("run",): 0.2,
        ("run", "work"): 1.2,
        ("run", "load"): 0.4,
        ("run", "load", "work"): 0.2,
    }
    assert {"name": "work", "file": "/home/ada/job.py", "line": 3} in frames


def test_without_an_interval_speedscope_counts_samples(tmp_path: Path):
    recording = new_recording()
    add_cycle(recording, START, {(POOL,): 2.5})
    (profile,) = speedscope(Recording(recording).profile(), tmp_path)["profiles"]
    assert (profile["unit"], profile["weights"]) == ("none", [2.5])


def test_collapsed_stacks_have_whole_samples_whose_sum_stays(tmp_path: Path):
    tree = Recording(profiled()).profile()
    assert collapsed(tree, tmp_path) == {
        "run (pool.py:10)": 20,
        "run (pool.py:10);work (job.py:1)": 120,
        "run (pool.py:10);load (job.py:20)": 40,
        "run (pool.py:10);load (job.py:20);work (job.py:1)": 20,
    }
    part = Recording(profiled()).profile(stop=START + 0.25)
    assert sum(collapsed(part, tmp_path).values()) == part.count == 5


def test_names_of_any_kind_are_text(tmp_path: Path):
    recording = new_recording()
    add_processes(recording)
    add_cycle(recording, START, {(POOL, HOSTILE): 3})
    tree = Recording(recording).profile()
    frames = speedscope(tree, tmp_path)["shared"]["frames"]
    assert any(frame["name"].startswith("<b>é;") and "λ" in frame["name"] for frame in frames)
    (stack,) = collapsed(tree, tmp_path)
    assert stack.count(";") == 1
    assert stack.startswith("run (pool.py:10);<b>é:")


def test_what_would_fill_a_disk_is_refused(tmp_path: Path):
    nodes = 100_001
    at = np.arange(nodes)
    none = np.zeros(nodes, int)
    samples = Samples(none + START, none + 1.0, none, none, at, none + 1.0)
    frames = [Frame(""), Frame("f", "f.py", 1)]
    tree = ProfileTree(frames, np.maximum(at - 1, 0), np.minimum(at, 1), samples)
    for write in (tree.to_speedscope, tree.to_collapsed):
        with pytest.raises(DaskscopeError) as error:
            write(tmp_path / "large")
        assert error.value.code == "too-large"
    assert not (tmp_path / "large").exists()


def test_an_empty_profile_is_a_file_too(tmp_path: Path):
    tree = Recording(new_recording()).profile()
    assert speedscope(tree, tmp_path)["profiles"][0]["samples"] == []
    assert collapsed(tree, tmp_path) == {}


def test_lines_of_two_prefixes_that_call_alike_are_one(tmp_path: Path):
    recording = profiled()
    add_cycle(recording, START + 11, {(POOL, WORK): 5}, prefix="sum")
    tree = Recording(recording).profile()
    assert collapsed(tree, tmp_path)["run (pool.py:10);work (job.py:1)"] == 125
