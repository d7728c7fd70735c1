"""A session that is saved is a recording as good as that of a block."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import WITHOUT_DASHBOARD, cluster_of_one_worker, eventually, live, recorded
from distributed import Client, LocalCluster
from recording_rows import make_rows

import daskscope
from daskscope.cli import main
from daskscope.recording import pack_keys

if TYPE_CHECKING:
    from pathlib import Path


def computed(client: Client, tasks: int) -> None:
    client.gather(client.map(abs, range(tasks), pure=False))


def test_a_saved_session_has_its_figures_and_says_whose_it_is(
    client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with daskscope.connect(client) as s:
        live(s)
        computed(client, 20)
        recorded(s, 20)
        path = s.recording.save(tmp_path / "session.daskscope")
        name = s.name
    saved = daskscope.load(path)
    about, rows = saved.about, saved.tasks
    assert (about["user"], about["cluster"]) == (getpass.getuser(), name)
    assert about["scheduler"] == client.scheduler.address
    assert about["daskscope"] == daskscope.__version__
    assert about["duration"] == about["stop"] - about["start"]
    assert about["start"] <= rows["start"].min() <= about["stop"]
    figures = about["summary"]
    assert figures["counts"] == saved.counts.to_json()
    assert figures["tasks"]["kept"] == 20
    threads = sum(client.nthreads().values())
    assert figures["busy"]["threads"] == figures["cluster_facts"]["threads"] == threads
    assert main(["info", str(path)]) == 0
    said = capsys.readouterr().out
    for words in (
        "\nrecorded    20",
        f"\nby          {getpass.getuser()}@",
        f"cluster     {name} ",
    ):
        assert words in said


def test_a_block_that_is_saved_before_its_end_says_whose_it_is(
    client: Client, tmp_path: Path
) -> None:
    with daskscope.record(client, title="A run") as rec:
        saved = daskscope.load(rec.save(tmp_path / "run.daskscope")).about
        assert rec.about["title"] == saved["title"] == saved["summary"]["title"] == "A run"
        assert saved["user"] == getpass.getuser()
    assert rec.about["start"] == saved["start"]


def test_what_is_known_of_a_session_goes_on_with_it(client: Client, tmp_path: Path) -> None:
    with daskscope.connect(client) as s:
        live(s)
        computed(client, 1)
        recorded(s, 1)
        recording = s.recording
        before = recording.about["stop"]
        computed(client, 1)
        recorded(s, 2)
    stopped = recording.about["stop"]
    assert stopped > before
    after = daskscope.load(recording.save(tmp_path / "run.daskscope")).about
    assert after["stop"] == stopped
    codes = {notice["code"] for notice in after["missing"]}
    assert "session-closed" not in codes  # nothing is missing because of that
    assert [worker["threads"] for worker in after["workers"]] == list(client.nthreads().values())


@pytest.mark.parametrize(
    ("refused", "codes"),
    [
        (["register_scheduler_plugin", "events"], ["plugins-refused", "events-blocked"]),
        (["register_scheduler_plugin", "get_task_stream"], ["reading-refused"]),
    ],
)
def test_what_could_not_be_read_is_missing_also_after_the_client_is_closed(
    tmp_path: Path, refused: list[str], codes: list[str]
) -> None:
    with (
        dask.config.set({"distributed.scheduler.blocked-handlers": refused}),
        cluster_of_one_worker() as cluster,
    ):
        with Client(cluster, set_as_default=False) as client:
            s = daskscope.connect(client)
            eventually(lambda: [notice.code for notice in s.notices] == codes)
            with daskscope.record(client) as rec:
                client.close()
        eventually(lambda: s.closed)
        saved = daskscope.load(s.recording.save(tmp_path / "run.daskscope"))
    for about in (s.recording.about, saved.about):
        assert [notice["code"] for notice in about["missing"]] == codes
    assert [notice["code"] for notice in rec.about["missing"]][: len(codes)] == codes


def test_why_a_session_dropped_tasks_is_told_as_of_a_block(client: Client, tmp_path: Path) -> None:
    folder = tmp_path / "is a file"
    with dask.config.set(
        {
            "daskscope.recording.memory-limit": "4MB",
            "daskscope.recording.directory": str(folder),
        }
    ):
        s = daskscope.connect(client)
    with s:
        live(s)
        assert s.recording.about["spill_error"] == ""
        folder.write_text("")
        rows = make_rows(20_000)
        for _ in range(10):
            s._recording.append_tasks(20_000, rows, pack_keys(0, ["k"] * 20_000).data)
        assert s.recording.about["spill_error"] == s._recording.spill_error != ""


def test_a_saved_session_says_what_was_over_before_it_also_when_it_is_closed(
    tmp_path: Path,
) -> None:
    with (
        LocalCluster(n_workers=1, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
    ):
        computed(client, 3)
        with daskscope.connect(client) as s:
            live(s)
            computed(client, 2)
            recorded(s, 2)
            while_live = s.recording.save(tmp_path / "live.daskscope")
        closed = s.recording.save(tmp_path / "closed.daskscope")

    def missing(path: Path) -> Any:
        notices: list[dict[str, str]] = daskscope.load(path).about["missing"]
        return [(notice["code"], notice["text"][:13]) for notice in notices]

    assert missing(while_live) == missing(closed) == [("tasks-before", "About 3 tasks")]
