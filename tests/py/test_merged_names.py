"""Names beyond the bounds become (other): how many is counted, and told wherever losses are."""

from __future__ import annotations

import itertools
import json
import re
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from clusters import eventually, live
from distributed import Client, LocalCluster
from recording_rows import make_rows, new_recording

import daskscope
from daskscope.agent import packing
from daskscope.collect.intake import Intake
from daskscope.derive.findings import merged_notices, missing_notices
from daskscope.loading import opened
from daskscope.recording import Merged, Names, RecordingStore, pack_keys
from daskscope.recording.block_recording import BlockRecording, Positions, positions_of
from daskscope.recording.names import MAX_MERGED
from daskscope.report.redact import redacted
from daskscope.schema import ACTION_NAMES, MAX_NAMES

if TYPE_CHECKING:
    from pathlib import Path


def told(recording: RecordingStore) -> dict[str, list[str]]:
    """The figures in the notices of merged names, by their codes."""
    notices = missing_notices(recording, recording.counts)
    return {
        one.code: re.findall(r"At least|[\d,]*\d", one.text)
        for one in notices
        if one.code.endswith("-merged")
    }


def crowded(actions: int) -> RecordingStore:
    """A recording with so many actions more than have a place, all of them in rows."""
    recording = new_recording(prefixes=("inc",))
    count = ACTION_NAMES.limit - 1 + actions
    rows = make_rows(count)
    rows["prefix"][:] = 0
    known = len(recording.names.actions)
    names = [*recording.names.actions, *(f"action-{i}" for i in range(count - known))]
    rows["action"][:] = [recording.names.intern("actions", name) for name in names]
    recording.append_tasks(count, rows, pack_keys(0, ["k"] * count).data)
    return recording


def test_names_that_have_no_place_are_counted_once_each():
    names = Names()
    for _ in range(2):
        for i in range(300):
            names.intern("actions", f"action-{i}")
    assert len(names.actions) == ACTION_NAMES.limit
    assert names.merged("actions") == Merged(300 - (ACTION_NAMES.limit - 1 - 5))
    assert names.merged("prefixes") == Merged(0)


def test_of_more_names_than_are_told_apart_it_is_said_that_they_are_at_least_so_many():
    names = Names()
    for i in range(ACTION_NAMES.limit + MAX_MERGED + 10):
        names.intern("actions", f"action-{i}")
    assert names.merged("actions") == Merged(MAX_MERGED, exact=False)
    (notice,) = merged_notices(names)
    assert notice.code == "actions-merged"
    assert notice.text.startswith("At least 10,000")
    assert "127" in notice.text


def test_an_agent_counts_the_names_that_have_no_place_in_it(monkeypatch):
    monkeypatch.setattr(packing, "MAX_MERGED", 4)
    names, lanes = packing.Interned(packing.describe_name, limit=3), packing.Lanes(limit=2)
    for name in "abcdea":
        names.add(name)
    for thread in (1, 2, 3, 2, 1):
        lanes.add(("worker", thread))
    assert (len(names.merged), len(lanes.merged)) == (3, 2)
    for name in "fghijk":
        names.add(name)
    assert len(names.merged) == 4


def answer(merged: dict[str, int]) -> dict[str, Any]:
    nothing: dict[str, Any] = {"first": 0, "items": []}
    empty = {"names": {"lanes": [["worker", "1"]]}, "chunks": [], "first": 0, "incomplete": 0}
    logs = dict.fromkeys(("errors", "changes", "events", "graphs"), nothing)
    return empty | logs | {"time": 0.0, "merged": merged}


def test_what_the_agent_merged_is_exact_as_long_as_it_is_one():
    recording = RecordingStore()
    first = Intake("one", recording)
    first.take(answer({"prefixes": 0, "spans": 3, "lanes": packing.MAX_MERGED}))
    first.take(answer({"prefixes": 1, "spans": 5, "lanes": packing.MAX_MERGED}))
    assert told(recording) == {
        "prefixes-merged": ["1", "59,999", "18,180,000"],
        "lanes-merged": ["At least", "10,000", "59,999", "18,180,000"],
        "spans-merged": ["5", "59,999", "18,180,000"],
    }
    # Another agent meets some of these names again.
    Intake("another", recording).take(answer({"prefixes": 2, "spans": 4, "lanes": 0}))
    assert recording.names.merged("prefixes") == Merged(2, exact=False)
    assert recording.names.merged("spans") == Merged(5, exact=False)


def test_merged_names_are_told_of_files_of_their_copies_and_of_what_is_made_of_these(
    tmp_path: Path,
):
    recording = crowded(3)
    said = {"actions-merged": ["3", "127", "18,180,000"]}
    assert told(recording) == said
    path = recording.save(tmp_path / "run.daskscope")
    with zipfile.ZipFile(path) as file:
        about = json.loads(file.read("about.json"))
    assert about["merged"] == {"actions": {"names": 3, "exact": True, "session": False}}
    loaded = opened(path)
    again = opened(loaded.save(tmp_path / "again.daskscope"))
    for copy in (loaded, again, redacted(loaded, ["paths", "hosts"])):
        assert told(copy) == said
        assert copy.names.merged("actions") == Merged(3)


@pytest.mark.parametrize(
    "merged",
    [7, [], {"actions": 3}, {"actions": {"names": -1}}, {"actions": {"names": "3", "exact": True}}],
)
def test_what_is_no_count_of_names_in_a_file_is_passed_over(tmp_path, merged):
    path = crowded(3).save(tmp_path / "run.daskscope")
    with zipfile.ZipFile(path) as file:
        members = {one.filename: file.read(one) for one in file.infolist()}
    about = json.loads(members["about.json"]) | {"merged": merged}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in (members | {"about.json": json.dumps(about).encode()}).items():
            file.writestr(name, data)
    assert told(opened(path)) == {}


def test_a_block_tells_of_merged_names_only_if_it_has_some_of_them():
    source = crowded(3)
    stop = positions_of(source)
    with_some, without = (
        BlockRecording(source, since, memory_limit=4_000_000, disk_limit=0, overflow="drop")
        for since in (Positions(), stop)
    )
    rows = make_rows(2)
    source.append_tasks(2, rows | {"prefix": rows["prefix"] * 0}, pack_keys(0, ["a", "b"]).data)
    with_some.advance(stop)
    without.advance(positions_of(source))
    assert without.recording.counts.kept == 2
    assert [len(told(part.recording)) for part in (with_some, without)] == [1, 0]


def test_a_block_that_has_some_says_how_many_are_merged_in_the_session(tmp_path: Path):
    source = crowded(3)
    since = positions_of(source)
    rows = make_rows(1)
    rows["prefix"][:], rows["action"][:] = 0, source.names.intern("actions", "action-124")
    source.append_tasks(1, rows, pack_keys(0, ["k"]).data)
    part = BlockRecording(source, since, memory_limit=4_000_000, disk_limit=0, overflow="drop")
    part.advance(positions_of(source))
    block = part.recording
    loaded = opened(block.save(tmp_path / "block.daskscope"))
    for one in (block, loaded, redacted(loaded, ["hosts"])):
        assert told(one) == {"actions-merged": ["3", "127", "18,180,000"]}
        assert one.names.merged("actions").session


def test_workers_that_are_merged_stay_so_where_hosts_are_left_out():
    recording = new_recording(lanes=0, prefixes=("(other)", "inc"))
    lanes = [("tcp://10.0.0.1:1", str(i)) for i in range(MAX_NAMES)]
    places = [recording.names.intern("lanes", lane) for lane in lanes]
    rows = make_rows(1) | {"lane": places[-1:], "prefix": [0]}
    recording.append_tasks(1, rows, pack_keys(0, ["k"]).data)
    copy = redacted(recording, ["hosts"])
    assert copy.names.lanes[-1] == ("(other)", "")
    assert copy.names.prefixes == ["(other)", "inc"]
    assert copy.tasks["worker"].tolist() == ["(other)"]
    assert "lanes-merged" in told(copy)


def test_a_session_and_a_report_tell_of_merged_names(cluster: LocalCluster, tmp_path: Path):
    with Client(cluster, set_as_default=False) as client:
        session = live(daskscope.connect(client))
        (agent,) = [p for n, p in cluster.scheduler.plugins.items() if n.startswith("daskscope")]
        client.submit(abs, -1, key="known-1").result()
        eventually(lambda: session.counts.captured == 1)
        agent.prefixes.limit = len(agent.prefixes.described) + 2
        letters = ["".join(two) for two in itertools.product("abcdef", repeat=2)]
        with daskscope.performance_report(
            tmp_path / "run.html", client=client, recording=True
        ) as report:
            client.gather([client.submit(abs, -1, key=f"{name}nothing-1") for name in letters])
        code, count = "prefixes-merged", f"{len(letters) - 1} "
        (notice,) = [one for one in session.notices if one.code == code]
        assert notice.text.startswith(count)
        assert report.summary is not None
        (said,) = [one for one in report.summary["missing"] if one["code"] == code]
        assert said["text"].startswith(count)
        assert said["text"] in (tmp_path / "run.html").read_text()
        session.close()
        assert code in {one.code for one in session.notices}
