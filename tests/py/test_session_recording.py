"""What a session records of a real client."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import dask
import pytest
from clusters import WITHOUT_DASHBOARD, live, recorded
from distributed import Client, LocalCluster
from recording_rows import append

import daskscope

if TYPE_CHECKING:
    from pathlib import Path


def test_every_task_arrives_with_all_it_did(client: Client) -> None:
    with daskscope.connect(client) as s:
        live(s)
        parts = client.map(lambda i: i + 1, range(20), key="inc")
        client.submit(sum, parts, key=("sum", 0, 1)).result()
        recorded(s, 21)
        tasks = s.recording.tasks
        truth = client.get_task_stream(count=21)
    columns = (
        "start duration worker thread prefix action status nbytes span computation cell key task"
    )
    assert list(tasks.columns) == columns.split()
    assert len(tasks) >= 21
    assert set(tasks["prefix"]) == {"inc", "sum"}
    assert "('sum', 0, 1)" in set(tasks["key"])
    assert (tasks["status"] == "OK").all()
    assert (tasks.loc[tasks["action"] == "compute", "duration"] >= 0).all()
    workers = client.scheduler_info(n_workers=-1)["workers"]
    assert set(tasks["worker"]) <= set(workers)
    for message in truth:
        rows = tasks[tasks["key"] == str(message["key"])]
        assert list(rows["action"]) == [row["action"] for row in message["startstops"]]
        assert list(rows["start"]) == pytest.approx(
            [row["start"] for row in message["startstops"]], rel=0, abs=2e-6
        )
        assert set(rows["thread"]) == {str(message["thread"])}
        assert set(rows["nbytes"]) == {message["nbytes"]}


def test_spans_come_with_their_full_name(client: Client) -> None:
    from distributed import span

    with daskscope.connect(client) as s:
        live(s)
        with span("load"), span("clean") as span_id:
            client.submit(abs, -1, key="abs-1").result()
        recorded(s, 1)
        assert (span_id, ("load", "clean")) in s.recording._core.names.spans


def test_keys_with_a_token_for_each_call_have_the_span_of_that_call(client: Client) -> None:
    from distributed import span

    with daskscope.connect(client) as s:
        live(s)
        futures = []
        for name in ("monday", "tuesday"):
            with span(name):
                futures += client.map(abs, [-1], key=[(f"abs-{uuid4().hex}", 0)])
                futures += client.map(abs, [-1], pure=False)
        client.gather(futures)
        recorded(s, len(futures))
        tasks = s.recording.tasks.set_index("key")["span"]
        spans = [tasks[str(future.key)] for future in futures]
        # Dask gives all tasks of a group the span of the first, and `abs-…` are one group.
        assert spans == ["monday", "monday", "tuesday", "monday"]


def test_a_restarted_client_goes_on_in_the_same_recording() -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        live(s)
        client.submit(int, 1, key="before-1").result()
        client.restart()
        client.submit(int, 1, key="after-1").result()
        recorded(s, 2)
        assert set(s.recording.tasks["prefix"]) == {"before", "after"}
        assert "restarted" in set(s.recording.workers["what"])
        assert not len(s.recording.gaps)


def test_a_recording_spills_to_where_dask_puts_temporary_files(
    client: Client, tmp_path: Path
) -> None:
    scratch = tmp_path / "is" / "made"
    limits = {"daskscope.recording.memory-limit": 4_000_000, "temporary-directory": str(scratch)}
    with dask.config.set(limits), daskscope.connect(client) as s:
        live(s)
        core = s.recording._core
        while not core.disk_bytes and not core.spill_error:
            append(core, 5_000)
        assert core.spill_error is None
        assert scratch.is_dir()


def test_an_observer_that_fails_does_not_stop_the_recording(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with daskscope.connect(client) as s:
        s.on_change(lambda _: 1 / 0)
        client.submit(int, 1, pure=False).result()
        recorded(s, 1)
    assert "a listener for a daskscope session failed" in caplog.text


def test_wrong_settings_are_named(client: Client) -> None:
    with (
        dask.config.set({"daskscope.recording.overflow": "explode"}),
        pytest.raises(daskscope.DaskscopeError, match=r"daskscope\.recording\.overflow"),
    ):
        daskscope.connect(client)
    assert daskscope.sessions() == []
