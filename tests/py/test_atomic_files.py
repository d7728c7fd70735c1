"""Files that take their place once they are whole: under which names, and who may read them."""

from __future__ import annotations

import os

import pytest
from refusals import refused
from test_files import full_recording, saved

import daskscope
from daskscope.cli import main
from daskscope.export import to_chrome


@pytest.mark.parametrize("stem", ["x" * 245, "ü" * 122, "x" + "€" * 81], ids=len)
def test_a_name_as_long_as_a_disk_takes_can_be_that_of_a_recording(stem, client, tmp_path):
    path = full_recording().save(tmp_path / f"{stem}.daskscope")
    assert daskscope.load(path).counts.kept == 320
    with daskscope.record(client, path=path) as rec:
        client.submit(pow, 2, 2).result()
        (part,) = tmp_path.glob("*.part-*.daskscope")
        assert part.name[0] == stem[0]
    assert rec.counts.kept == daskscope.load(path).counts.kept == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_what_replaces_a_file_may_be_read_by_whom_that_may(tmp_path):
    core = full_recording()
    path, report, folder = (tmp_path / name for name in ("run.daskscope", "run.html", "tables"))
    core.save(path)
    core.to_parquet(folder)
    trace = tmp_path / "trace.json"
    to_chrome(core, trace)
    assert main(["report", str(path)]) == 0
    places = (path, report, trace, folder / "tasks.parquet")
    usual = path.stat().st_mode
    for place, mode in zip(places, (0o600, 0o640, 0o400, 0o600), strict=True):
        assert place.stat().st_mode == usual
        place.chmod(mode)
    core.save(path)
    core.to_parquet(folder)
    to_chrome(core, trace)
    assert main(["report", str(path)]) == 0
    assert [place.stat().st_mode & 0o777 for place in places] == [0o600, 0o640, 0o400, 0o600]
    assert (folder / "errors.parquet").stat().st_mode == usual


@pytest.mark.parametrize("write", ["save", "to_parquet"])
def test_a_recording_goes_to_no_url_and_says_so(write, tmp_path):
    rec = daskscope.load(saved(full_recording(), tmp_path))
    with refused("bad-path", "s3://…") as told:
        getattr(rec, write)("s3://ada:secret@bucket/run")
    assert "secret" not in str(told.value)
    with refused("bad-path", "s3://…"):
        daskscope.record(path="s3://ada:secret@bucket/run.daskscope")
