"""What differs between two profiles, beyond what parts of one run differ by."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from profile_rows import LOAD, POOL, WORK, WORKERS, add_cycle, add_processes, profiled
from recording_rows import START, new_recording

from daskscope.derive.profile_tree import ProfileTree
from daskscope.errors import DaskscopeError
from daskscope.recording import Recording

if TYPE_CHECKING:
    from daskscope.derive.profile_difference import ProfileDifference

FUNCTIONS = [("f", f"/lib/{letter}.py", 1, 1, "") for letter in "abcdefghijklmnopqrst"]
STACKS = [
    (POOL, *(FUNCTIONS[at] for at in path))
    for path in ([n, m] for n in range(10) for m in range(20) if m != n)
]


def run(seed: int, cycles: int = 60, slower: float = 1.0) -> ProfileTree:
    """A run of tasks that take up to five cycles; calls of WORK take `slower` times as long."""
    random = np.random.default_rng(seed)
    recording = new_recording()
    add_processes(recording)
    for worker in WORKERS:
        left, stack = 0, STACKS[0]
        for cycle in range(cycles):
            counts: dict[Any, float] = {(POOL, WORK): float(random.poisson(30 * slower))}
            room = 70
            while room > 0:
                if left <= 0:
                    left, stack = int(random.integers(1, 500)), STACKS[random.integers(len(STACKS))]
                taken = min(left, room)
                counts[stack] = counts.get(stack, 0) + taken
                left, room = left - taken, room - taken
            add_cycle(recording, START + cycle, counts, worker=worker)
    return Recording(recording).profile()


def names(difference: ProfileDifference) -> list[str]:
    return difference.grew["function"].tolist()


def test_a_difference_names_what_grew_and_leaves_alone_what_did_not():
    change = run(1, slower=2.0) - run(2)
    grew = change.grew
    assert names(change) == ["work"]
    assert grew["difference"][0] == pytest.approx(3600, rel=0.1)
    assert list(change.shrank["function"]) == []
    assert change.count == pytest.approx(3600, rel=0.1)
    assert change.seconds == pytest.approx(36, rel=0.1)
    back = run(2) - run(1, slower=2.0)
    assert names(back) == []
    assert back.shrank["function"].tolist() == ["work"]
    table = change.to_pandas()
    beyond = table[table["total_beyond_chance"]]["function"].tolist()
    assert set(beyond) >= {"work", "run"}
    assert len(table) == 22


def phases(slower: bool) -> ProfileTree:
    """Two workers load for two seconds, then work for three, or for six."""
    recording = new_recording()
    add_processes(recording)
    for worker, extra in zip(WORKERS, (3, 0), strict=True):
        for cycle in range(8 if slower else 5):
            stack = (POOL, LOAD) if cycle < 2 else (POOL, WORK)
            add_cycle(recording, START + cycle, {stack: 95 + extra}, worker=worker)
    return Recording(recording).profile()


def test_in_a_run_of_phases_the_longer_one_is_named():
    change = phases(slower=True) - phases(slower=False)
    assert names(change) == ["work"]
    assert change.shrank.empty
    assert names(phases(slower=False) - phases(slower=False)) == []


def test_few_nodes_of_two_like_runs_differ():
    shares = []
    for seed in range(10):
        change = run(2 * seed + 10) - run(2 * seed + 11)
        shares.append(change.nodes.beyond_chance[1:].mean())
    assert np.mean(shares) <= 0.05


def test_few_nodes_of_the_halves_of_a_run_differ():
    tree = run(5, cycles=120)
    recording = tree.samples
    first, second = (
        ProfileTree(
            tree.frames,
            tree.parent,
            tree.frame,
            type(recording)(
                *(
                    getattr(recording, name)[half]
                    for name in ("time", "duration", "worker", "prefix", "node", "count")
                ),
                recording.workers,
                recording.prefixes,
            ),
        )
        for half in (recording.time < START + 60, recording.time >= START + 60)
    )
    assert (second - first).nodes.beyond_chance[1:].mean() <= 0.05


def test_one_sample_against_none_is_chance():
    a, b = profiled(), profiled()
    add_cycle(b, START + 10, {(POOL, LOAD, LOAD): 1})
    add_cycle(a, START + 10, {(POOL,): 1})
    change = Recording(b).profile() - Recording(a).profile()
    assert names(change) == []
    assert not change.nodes.beyond_chance.any()


def test_new_functions_grew_and_gone_ones_shrank():
    a, b = new_recording(), new_recording()
    for recording, stack in ((a, (POOL, LOAD)), (b, (POOL, WORK))):
        add_processes(recording)
        for cycle in range(10):
            add_cycle(recording, START + cycle, {stack: 50})
    change = Recording(b).profile() - Recording(a).profile()
    assert names(change) == ["work"]
    assert change.shrank["function"].tolist() == ["load"]
    assert change.count == 0
    assert change.grew.values.tolist() == [["work", "/home/ada/job.py", 3, 0, 500, 500]]
    assert "1 function grew" in repr(change)


def test_what_was_merged_can_be_compared():
    change = (run(1, slower=2.0) + run(3, slower=2.0)) - (run(2) + run(4))
    assert names(change) == ["work"]


def test_the_contract_is_what_python_does():
    path = Path(__file__).parents[1] / "contract" / "profile.py"
    spec = importlib.util.spec_from_file_location("contract_profile", path)
    assert spec
    assert spec.loader
    golden = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(golden)
    found = json.loads(json.dumps(golden.cases()))
    stored = json.loads(golden.FILE.read_text(encoding="utf-8"))
    assert found == stored, "run python tests/contract/profile.py, and look at what changed"
    signs = [sign for one in found["comparisons"] for sign in one["nodes"]["sign"]]
    assert {-1, 0, 1} <= set(signs)


def refusal(after: ProfileTree, before: ProfileTree) -> DaskscopeError:
    with pytest.raises(DaskscopeError) as error:
        _ = after - before
    assert error.value.code == "not-comparable"
    return error.value


def test_what_cannot_be_compared_is_refused_with_the_reason():
    tree = Recording(profiled()).profile()
    other = Recording(profiled(interval=0.02)).profile()
    assert "10 ms and 20 ms" in refusal(other, tree).text
    assert "unknown" in refusal(tree, Recording(new_recording()).profile()).text
    recording = Recording(profiled())
    assert "no samples" in refusal(recording.profile(start=START + 50), tree).text
    assert "one cycle" in refusal(tree, recording.profile(stop=START + 1)).text
    recording = profiled()
    for cycle in range(4):
        add_cycle(recording, START + cycle, {(POOL,): 4}, scope="worker", prefix="")
    assert "event loops" in refusal(Recording(recording).profile(scope="worker"), tree).text
    with pytest.raises(TypeError):
        _ = tree - 3
