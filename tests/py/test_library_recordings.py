"""Recordings in the library: those that a user asked for, beside the reports."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

import dask
import pytest
from distributed import Client, LocalCluster
from library_reports import a_library_of_its_own, listed  # noqa: F401

import daskscope


def test_recordings_that_a_user_asked_for_are_kept(client, tmp_path):
    with daskscope.record(path=tmp_path / "mine.data", title="A run"):
        client.gather(client.map(abs, range(30), pure=False))
    (kept,) = daskscope.list_performance_reports(kind="recording")
    assert (kept["kind"], kept["title"], kept["tasks"]) == ("recording", "A run", 30)
    assert kept["workers"] == 2
    assert kept["filename"].startswith("mine-")
    copy = Path(unquote(urlparse(kept["url"]).path))
    assert copy.read_bytes() == (tmp_path / "mine.data").read_bytes()
    assert daskscope.list_performance_reports() == []


def test_a_recording_without_a_place_of_its_own_is_not_kept(client, tmp_path):
    with daskscope.record() as rec:
        client.submit(abs, 1).result()
    rec.save(tmp_path / "run.daskscope")
    with (
        dask.config.set({"daskscope.library.enabled": False}),
        daskscope.record(path=tmp_path / "off.daskscope"),
    ):
        client.submit(abs, 2).result()
    assert listed() == []


def test_a_recording_of_a_block_that_raised_is_kept(client, tmp_path):
    with pytest.raises(ZeroDivisionError), daskscope.record(path=tmp_path / "run.daskscope"):
        client.submit(divmod, 1, 0).result()
    assert [one["kind"] for one in listed()] == ["recording"]


def test_the_recording_beside_a_report_is_kept_with_it(client, tmp_path):
    with daskscope.performance_report(tmp_path / "run.html", private=True, recording=True):
        client.submit(abs, 1).result()
    assert {(one["kind"], one["private"], one["tasks"]) for one in listed()} == {
        ("report", True, 1),
        ("recording", True, 1),
    }


@pytest.mark.all
def test_old_recordings_go_as_old_reports_do_each_kind_by_itself(client, tmp_path):
    with dask.config.set({"daskscope.library.keep-reports": 1}):
        for name in ("a.daskscope", "b.daskscope"):
            with daskscope.record(path=tmp_path / name):
                client.submit(abs, 1).result()
        with daskscope.performance_report(tmp_path / "c.html"):
            client.submit(abs, 2).result()
    assert [(one["kind"], one["filename"][0]) for one in listed()] == [
        ("report", "c"),
        ("recording", "b"),
    ]


@pytest.mark.asyncio
async def test_a_recording_of_an_asynchronous_client_is_kept(tmp_path):
    async with (
        LocalCluster(n_workers=1, processes=False, asynchronous=True, dashboard_address=":0") as c,
        Client(c, asynchronous=True) as client,
        daskscope.record(client, tmp_path / "run.daskscope"),
    ):
        await client.submit(abs, 1)
    assert [one["kind"] for one in listed()] == ["recording"]
