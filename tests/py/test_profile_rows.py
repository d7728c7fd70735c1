"""Profiles as processes tell them, and as a recording takes them: leaves, numbers, bad bytes."""

from __future__ import annotations

import asyncio
import random
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgpack
import numpy as np
import pyarrow as pa
import pytest
from profile_counts import counts_by, counts_in
from recording_rows import START, new_recording

import daskscope
from daskscope import agent, schema
from daskscope.agent import gather
from daskscope.agent import profile as module
from daskscope.agent.profile import IN_ONE_OF, ProfileCycles
from daskscope.agent.worker import WorkerAgent
from daskscope.collect.profile import ProfileTail
from daskscope.collect.profile_rows import SILENT_S, ProfileRows
from daskscope.errors import DaskscopeError
from daskscope.recording import RecordingStore, file_tables
from daskscope.recording.block_recording import BlockRecording, Positions, positions_of
from daskscope.recording.names import NameMap, Names
from daskscope.recording.profile import intervals_of, stacks_of
from daskscope.report.redact import redacted

if TYPE_CHECKING:
    from pathlib import Path

WORKER = "tcp://10.0.0.1:4000"


def tree(count: int = 0, name: str = "root", **children: Any) -> dict[str, Any]:
    """A state as distributed has it: `count` is of those samples that go on to a child."""
    return {
        "count": count,
        "identifier": f"{name};{name}.py;7",
        "description": {
            "name": name,
            "filename": f"{name}.py",
            "line_number": 9,
            "line": f"    {name}()",
        },
        "children": {
            f"{one};{one}.py;7": tree(**{"name": one, **of}) for one, of in children.items()
        },
    }


class Process:
    """A worker with cycles of one second, which ended at START + 1, 2, …"""

    def __init__(self, *cycles: dict[str, Any], administrative: tuple[Any, ...] = ()) -> None:
        self.told = [
            [(START + 1 + number, one) for number, one in enumerate(cycles)],
            [(START + 1 + number, one) for number, one in enumerate(administrative)],
        ]
        self.interval_s, self.cycle_s, self.ahead_s = 0.01, 1.0, 0.0
        self.states = ["ok", "ok"]

    def cycles(self, scope: int) -> list[Any]:
        return self.told[scope]

    def unfinished(self, _scope: int) -> list[Any]:
        return []


class Reader:
    """A recording that reads a process."""

    def __init__(self, process: Any) -> None:
        self.cycles = ProfileCycles()
        self.process = process
        self.recording = new_recording()
        self.rows = ProfileRows(self.recording)

    def read(self, address: str = WORKER) -> bool:
        data = self.cycles.answer(self.rows.known().get(address), self.process)
        return self.rows.take(address, data, START + 100)

    def counts(self, **of: Any) -> dict[str, float]:
        """Counts by the path of a stack."""
        stacks = stacks_of(self.recording.names)
        counts = counts_in(self.recording, **of)
        paths = [""]
        for parent, frame in list(zip(stacks.parent, stacks.frame, strict=True))[1:]:
            paths.append(f"{paths[parent]}/{stacks.frames[frame][0]}")
        return {path: count for path, count in zip(paths, counts.tolist(), strict=True) if count}

    def profiled(self) -> Any:
        (row,) = self.recording.log("profiled").since(0)
        return row


def test_the_agent_knows_the_name_of_what_is_in_one_of_several():
    assert IN_ONE_OF == schema.IN_ONE_OF
    assert "WorkerAgent" in agent.worker_source()


def test_a_sample_is_of_the_only_child_or_else_in_one_of_several():
    state = tree(10, f={"count": 7, "a": {}, "b": {"count": 2, "c": {}}})
    reader = Reader(Process({"inc": state}))
    reader.read()
    # 10 - 7 are of f; of f's 7 the 2 of b are of c, and 5 of a or b.
    assert reader.counts() == {"/f": 3, "/f/b/c": 2, f"/f/{IN_ONE_OF}a, b": 5}
    assert counts_in(reader.recording).sum() == state["count"]
    frames = stacks_of(reader.recording.names).frames
    assert ("f", "f.py", 7, 9, "f()") in frames
    assert (f"{IN_ONE_OF}a, b", "", 0, 0, "") in frames


def test_of_very_many_only_some_are_named():
    reader = Reader(Process({"inc": tree(3, **{name: {} for name in "gfedcba"})}))
    reader.read()
    assert reader.counts() == {f"/{IN_ONE_OF}a, b, c, d, e, …": 3}


def test_event_loops_have_counts_at_their_leaves():
    state = tree(4, f={"count": 4, "a": {"count": 1}, "b": {"count": 1}})
    reader = Reader(Process(administrative=(state,)))
    reader.read()
    assert reader.counts(scope=1) == {"/f": 2, "/f/a": 1, "/f/b": 1}
    assert not reader.counts()
    assert intervals_of(reader.recording) == {0.01}
    assert intervals_of(reader.recording, scope=1) == {1.0}
    assert reader.profiled().until == START + 100 or reader.profiled().compute == "ok"


def test_each_cycle_is_read_once_and_where_it_was():
    process = Process({"inc": tree(5, f={})}, {"inc": tree(3, f={}), "sum": tree(2, g={})})
    reader = Reader(process)
    for _ in range(3):
        reader.read()
    process.told[0].append((START + 3.5, {"sum": tree(4, g={})}))
    for _ in range(3):
        reader.read()
    assert reader.counts() == {"/f": 8, "/g": 6}
    assert reader.counts(start=START, stop=START + 1) == {"/f": 5}
    assert reader.counts(start=START + 1, stop=START + 2) == {"/f": 3, "/g": 2}
    assert reader.counts(start=START + 2, stop=START + 2.75) == {"/g": 2}
    prefixes = reader.recording.names.prefixes
    assert reader.counts(prefixes=[prefixes.index("sum")]) == {"/g": 6}
    assert not reader.counts(workers=["tcp://other:1"])
    assert {*counts_by(reader.recording, "worker")} == {WORKER}
    assert reader.profiled()[:3] == (WORKER, START, START + 3.5)


def test_cycles_that_distributed_forgot_are_counted():
    process = Process(*[{"inc": tree(1, f={})}] * 3)
    reader = Reader(process)
    reader.read()
    process.told[0] = [(START + 1 + n, {"inc": tree(1, f={})}) for n in range(10, 12)]
    reader.read()
    assert reader.counts() == {"/f": 5}
    assert reader.profiled().lost == 7


def test_an_answer_is_bounded_and_says_that_there_is_more(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_ANSWER_ROWS", 10)
    reader = Reader(Process(*[{"inc": tree(1, f={})}] * 100))
    answers = 1
    while reader.read():
        answers += 1
    assert answers > 5
    assert reader.counts() == {"/f": 100}


def test_tables_of_names_begin_anew_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_STACKS", 20)
    process = Process()
    reader, other = Reader(process), Reader(process)
    other.cycles = reader.cycles
    for number in range(30):
        process.told[0].append((START + 1 + number, {"inc": tree(2, **{f"f{number}": {}})}))
        reader.read()
        if number % 7 == 0:
            other.read()
    other.read()
    expected = {f"/f{number}": 2 for number in range(30)}
    assert reader.counts() == other.counts() == expected
    assert reader.cycles.tables > 1


def test_a_new_agent_of_a_worker_tells_nothing_twice():
    process = Process(*[{"inc": tree(1, f={})}] * 3)
    reader = Reader(process)
    reader.read()
    reader.cycles = ProfileCycles()
    process.told[0].append((START + 4, {"inc": tree(1, f={})}))
    reader.read()
    reader.read()
    assert reader.counts() == {"/f": 4}


def test_a_clock_that_jumps_moves_no_row_far():
    process = Process({"inc": tree(1, f={})}, {"inc": tree(1, f={})})
    process.told[0][1] = (START - 30, {"inc": tree(1, f={})})
    reader = Reader(process)
    reader.read()
    assert reader.counts() == {"/f": 2}
    assert reader.counts(start=START - 31, stop=START - 30) == {"/f": 1}


@pytest.mark.parametrize("name", ["<lambda>", "f<b>", "größe", "a;b", "", "\ud800", "x" * 10_000])
def test_any_name_of_a_function_comes(name: str):
    state = tree(1)
    about = {"name": name, "filename": "<string>", "line_number": None, "line": 3}
    state["children"][f"{name};<string>;x"] = {"count": 0, "description": about, "children": {}}
    reader = Reader(Process({"inc": state}))
    reader.read()
    (path,) = reader.counts()
    assert not reader.rows.unreadable
    assert len(path) < 400
    if len(name) < 100:
        assert path == "/" + name.replace("\ud800", "\ufffd")


def gather_of(monkeypatch: pytest.MonkeyPatch, workers: list[str]) -> gather.ProfileGather:
    """The part in a scheduler, whose workers do not answer."""

    class Silent:
        async def test_profile(self, **_: Any) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(gather, "ProfiledProcess", lambda _: Process())
    made = gather.ProfileGather("test", b"")
    made.scheduler = SimpleNamespace(workers=dict.fromkeys(workers), rpc=lambda _: Silent())
    made.installing = True
    return made


@pytest.mark.asyncio
async def test_workers_that_are_silent_do_not_delay_an_answer_for_long(
    monkeypatch: pytest.MonkeyPatch,
):
    for name, value in {"AT_ONCE": 1, "WORKER_S": 0.01, "ANSWER_S": 0.05}.items():
        monkeypatch.setattr(gather, name, value)
    made = gather_of(monkeypatch, [f"tcp://{number}:1" for number in range(100)])
    answer = await made.answer("r", {}, "", None, 10**6)
    assert 0 < answer["asked"] < 100
    assert answer["next"] == f"tcp://{answer['asked'] - 1}:1"


@pytest.mark.asyncio
async def test_what_workers_left_at_another_scheduler_is_read_from_its_start(
    monkeypatch: pytest.MonkeyPatch,
):
    made = gather_of(monkeypatch, [])
    made.take_left(WORKER, b"1")

    async def left(agent_id: str) -> int:
        known = {"": msgpack.packb([agent_id, 1, 0, 0, 0, 0, 0])}
        return len((await made.answer("r", known, "", 1, 10**6))["left"]["items"])

    assert await left(made.cycles.id) == 0
    assert await left("another") == 1


def test_a_worker_that_closes_sends_all_to_a_reader_of_another_agent():
    agent_of_worker = WorkerAgent("test")
    reader = Reader(Process(*[{"inc": tree(1, f={})}] * 3))
    agent_of_worker.cycles, agent_of_worker.process = reader.cycles, reader.process
    agent_of_worker.profile("reader", msgpack.packb(["another", 1, 1, 1, 1, 3, 0]))
    reader.rows.take(WORKER, agent_of_worker.last_words(), START + 100)
    assert reader.counts() == {"/f": 3}


class Routes:
    """A connection to a scheduler with one worker."""

    def __init__(self, counts: list[tuple[float, int]]) -> None:
        self.counts = counts

    async def ask(self, _op: str, msg: dict[str, Any], **_: Any) -> Any:
        return {WORKER: {"counts": self.counts} if "metadata" in msg["op"] else tree(3, f={})}


@pytest.mark.asyncio
async def test_what_dask_s_own_routes_answer_counts_for_the_bandwidth():
    recording = new_recording()
    tail = ProfileTail(cast("Any", None), recording, 1e6, "r")
    await tail._ask_routes(cast("Any", Routes([(START + 1, 3), (START + 2, 0)])))
    assert counts_in(recording).sum() == 3
    assert tail._answer_bytes > len(msgpack.packb(tree(3, f={})))


@pytest.mark.asyncio
async def test_a_profiler_that_is_off_is_seen_by_dask_s_own_routes(
    monkeypatch: pytest.MonkeyPatch,
):
    recording = new_recording()
    tail = ProfileTail(cast("Any", None), recording, 1e6, "r")

    async def state(link: Routes) -> str:
        await tail._ask_routes(cast("Any", link))
        return next(row.compute for row in recording.log("profiled").since(0) if row.worker)

    assert await state(Routes([])) == "waiting"
    monkeypatch.setattr("daskscope.collect.profile_routes.OFF_S", -1.0)
    assert await state(Routes([])) == "off"
    assert await state(Routes([(START + 1, 3), (START + 2, 0)])) == "refused"


def changed(sent: bytes, values: dict[str, Any]) -> bytes:
    return zlib.compress(msgpack.packb(msgpack.unpackb(zlib.decompress(sent)) | values))


@pytest.mark.parametrize(
    "values",
    [
        {"rows": 3},
        {"cycles": -1},
        {"stacks": 10**12},
        {"frames": []},
        {"frames": [[1, 2, 3, 4, 5]] * 3},
        {"prefixes": []},
        {"prefixes": ["", 7]},
        {"known": [0, 0, 5]},
        {"first": [-1, 0]},
        {"next": [2**62, 0]},
        {"first": [2**63, 0], "next": [2**63 + 1, 0]},
        {"interval": float("nan")},
        {"cycle": 0},
        {"states": ["<b>", "ok"]},
        {"states": 3},
        {"data": b""},
        {"now": None},
    ],
)
def test_bytes_that_do_not_fit_are_refused_and_what_follows_is_read(values: dict[str, Any]):
    process = Process({"inc": tree(1, f={})})
    reader = Reader(process)
    data = reader.cycles.answer(None, process)
    reader.rows.take(WORKER, changed(data, values), START + 100)
    assert reader.rows.unreadable == {WORKER}
    before = reader.counts()
    reader.read()
    assert not reader.rows.unreadable
    assert reader.counts() == {"/f": 1}
    assert before in ({}, {"/f": 1})


def test_noise_is_refused():
    process = Process(*[{"inc": tree(4, f={"count": 2, "g": {}})}] * 3)
    plain = zlib.decompress(ProfileCycles().answer(None, process))
    noise = random.Random(3)
    for _ in range(500):
        broken = bytearray(plain)
        for _ in range(noise.randrange(1, 6)):
            broken[noise.randrange(len(broken))] = noise.randrange(256)
        reader = Reader(process)
        reader.rows.take(WORKER, zlib.compress(bytes(broken)), START + 100)
        reader.rows.take(WORKER, bytes(broken[:50]), START + 100)
        stacks = stacks_of(reader.recording.names)
        assert (stacks.parent[1:] < np.arange(1, len(stacks.parent))).all()


def test_a_bomb_is_refused():
    reader = Reader(Process())
    reader.rows.take(WORKER, zlib.compress(bytes(200_000_000), 9), START)
    assert reader.rows.unreadable == {WORKER}


def test_where_no_stack_has_room_what_was_seen_is_of_the_one_that_called(
    monkeypatch: pytest.MonkeyPatch,
):
    reader = Reader(Process({"inc": tree(3, f={"count": 2, "g": {"count": 1, "h": {}}})}))
    table = SimpleNamespace(**{**vars(schema.STACKS), "limit": 3, "columns": schema.STACKS.columns})
    monkeypatch.setitem(reader.recording.names.tables, "stacks", table)
    reader.read()
    assert reader.counts() == {"/f": 3}


def test_functions_without_room_are_not_kept(monkeypatch: pytest.MonkeyPatch):
    reader = Reader(Process({"inc": tree(9, **{f"f{number}": {} for number in range(9)})}))
    frames = schema.FRAMES
    table = SimpleNamespace(**{**vars(frames), "limit": 3, "columns": frames.columns})
    monkeypatch.setitem(reader.recording.names.tables, "frames", table)
    reader.read()
    assert len(reader.rows._frames) <= 3


def test_a_profile_waits_for_a_worker_that_has_just_joined_but_not_for_a_silent_one():
    reader = Reader(Process({"inc": tree(1, f={})}))
    reader.read()
    reader.rows.note_workers([WORKER, "tcp://late:1"], START + 1)
    assert reader.rows.read_until(START + 1, [WORKER])
    assert not reader.rows.read_until(START + 1, [WORKER, "tcp://late:1"])
    reader.read("tcp://late:1")
    assert reader.rows.read_until(START + 1, [WORKER, "tcp://late:1"])
    reader.rows.note_workers(["tcp://silent:1"], START + 1)
    assert reader.rows.read_until(START + 1 + SILENT_S + 1, ["tcp://silent:1"])


def test_a_profile_waits_for_the_first_cycle_of_a_worker():
    process = Process()
    reader = Reader(process)
    reader.rows.note_workers([WORKER], START + 1)
    reader.read()
    assert not reader.rows.read_until(START + 0.5, [WORKER])
    process.told[0].append((START + 1, {"inc": tree(1, f={})}))
    reader.read()
    assert reader.rows.read_until(START + 0.5, [WORKER])


def test_an_unreadable_worker_is_not_waited_for_and_is_forgotten_when_it_leaves():
    reader = Reader(Process())
    reader.rows.take(WORKER, b"noise", START)
    reader.rows.note_workers([WORKER], START)
    assert reader.rows.unreadable == {WORKER}
    assert reader.rows.read_until(START + 5, [WORKER])
    reader.rows.note_workers([], START)
    assert not reader.rows.unreadable


def removed(reader: Reader, time: float) -> None:
    """The worker leaves the cluster, and the scheduler says when."""
    reader.rows.note_workers([WORKER], time)
    row = {"time": time, "worker": WORKER, "name": "", "what": "removed", "detail": ""}
    reader.recording.log("workers").append([row])
    reader.rows.note_workers([], time)


def lost_by(reader: Reader) -> int:
    (row,) = [row for row in reader.recording.log("profiled").since(0) if row.worker]
    return int(row.lost)


def test_what_a_worker_had_sampled_when_it_was_killed_counts_as_lost():
    reader = Reader(Process(*[{"inc": tree(1, f={})}] * 3))
    reader.read()
    removed(reader, START + 3 + 42.5)
    for _ in range(3):
        reader.rows.note_workers([], START + 50)
    assert lost_by(reader) == 42


@pytest.mark.parametrize("late", [False, True])
def test_a_worker_that_sent_the_rest_when_it_closed_lost_nothing(late: bool):
    process = Process(*[{"inc": tree(1, f={})}] * 3)
    reader = Reader(process)
    reader.read()
    process.told[0] += [(START + 4 + number, {}) for number in range(40)]
    if late:
        removed(reader, START + 45.5)
        reader.rows.note_workers([], START + 46)
        assert lost_by(reader) == 42
    data = reader.cycles.answer(reader.rows.known().get(WORKER), process, last=True)
    reader.rows.take_left(WORKER, data, START + 46)
    if not late:
        removed(reader, START + 45.5)
    reader.rows.note_workers([], START + 47)
    assert lost_by(reader) == 0


def test_a_stack_that_is_very_deep_is_copied():
    source, copy = Names(), Names()
    frame = source.intern("frames", ("f", "f.py", 1, 1, ""))
    stack = 0
    for _ in range(100_000):
        stack = source.intern("stacks", (stack, frame))
    assert NameMap(source, copy).index("stacks", stack) == stack
    assert copy.count("stacks") == stack + 1
    assert copy.numbers("stacks")["parent"][-1] == stack - 1


@pytest.mark.all
def test_a_very_deep_stack_comes_from_a_file_and_is_redacted(tmp_path: Path):
    source = new_recording()
    frame = source.names.intern("frames", ("f", "/home/ada/f.py", 1, 1, "secret()"))
    stack = 0
    for _ in range(100_000):
        stack = source.names.intern("stacks", (stack, frame))
    row = {"time": START, "duration": 1.0, "worker": WORKER, "stack": stack, "count": 7}
    source.series("profile_counts").append({k: [v] for k, v in row.items()}, now=START + 1)
    loaded = daskscope.load(source.save(tmp_path / "deep.daskscope"))
    assert loaded._core.names.count("stacks") == 100_001
    assert counts_in(loaded._core)[stack] == 7
    clean = redacted(loaded._core, ["paths", "code"])
    assert clean.names.since("frames", 1) == [("f", "f.py", 1, 1, "")]
    assert counts_in(clean)[stack] == 7
    block = BlockRecording(loaded._core, Positions())
    block.advance(positions_of(loaded._core))
    assert counts_in(block.recording).sum() == 7


@pytest.mark.parametrize("parent", [2, 3, 4, 10**9])
def test_a_file_whose_stack_precedes_what_called_it_is_refused(tmp_path: Path, parent: int):
    source = new_recording()
    names = source.names
    frame = names.intern("frames", ("f", "f.py", 1, 1, ""))
    names.intern("stacks", (0, frame))
    names._lists["stacks"].append((parent, frame))  # number 2
    names._lists["stacks"].append((1, frame))
    with pytest.raises(DaskscopeError) as refused:
        daskscope.load(source.save(tmp_path / "bad.daskscope"))
    assert refused.value.code == "bad-file"


def many_rows(workers: list[str]) -> RecordingStore:
    source = new_recording()
    stack = source.names.intern("stacks", (0, source.names.intern("frames", ("f", "", 1, 1, ""))))
    rows = {"time": START + np.arange(2_000) % 9, "duration": np.ones(2_000)}
    rows |= {"stack": np.full(2_000, stack), "count": np.arange(2_000)}
    rows["worker"] = np.array([workers[n % len(workers)] for n in range(2_000)], object)
    source.series("profile_counts").append(rows, now=START + 9)
    return source


@pytest.mark.parametrize("workers", [["tcp://a:1", "", "größe"], [f"{n}" * 9 for n in range(999)]])
def test_workers_of_many_rows_come_back_from_a_file(tmp_path: Path, workers: list[str]):
    source = many_rows(workers)
    loaded = daskscope.load(source.save(tmp_path / "many.daskscope"))
    for name, cells in source.series("profile_counts").rows().items():
        assert loaded._core.series("profile_counts").rows()[name].tolist() == cells.tolist()


@pytest.mark.parametrize("texts", ["[]", "[1, 2, 3]", "{", "", '["a"]'])
def test_texts_that_numbers_do_not_stand_for_are_refused(texts: str):
    columns = many_rows(["a", "b"]).series("profile_counts").rings[0].columns()
    data = file_tables.encode(schema.PROFILE_COUNTS.columns, columns)
    with pa.ipc.open_stream(data) as reader:
        batch = reader.read_next_batch()
    fields = [
        field.with_metadata({**field.metadata, b"daskscope.texts": texts})
        if field.name == "worker"
        else field
        for field in batch.schema
    ]
    changed = file_tables._stream(batch.columns, pa.schema(fields))
    with pytest.raises(file_tables.BadTableError):
        file_tables.decode(schema.PROFILE_COUNTS.columns, changed)
