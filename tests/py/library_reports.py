"""Reports and places for tests of the library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import dask
import fsspec
import pytest

import daskscope
from daskscope.report.html import SCRIPT_END, SUMMARY_BEGIN

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY: dict[str, Any] = {
    "title": "A run",
    "start": 1_790_000_000.0,
    "stop": 1_790_000_012.5,
    "duration": 12.5,
    "tasks": {"captured": 700, "kept": 700, "erred": 3, "rows": 900},
    "cluster_facts": {"workers": 4, "hosts": 1, "threads": 8, "memory_limit": 1},
    "user": "ada",
    "host": "node-7",
}


def report_text(summary: dict[str, Any] | None = None) -> str:
    told = json.dumps(SUMMARY if summary is None else summary).replace("<", "\\u003c")
    begin, end = SUMMARY_BEGIN.decode(), SCRIPT_END.decode()
    return f"<!doctype html><title>A run</title>{begin}{told}{end}<script>UEsDB{end}"


@pytest.fixture(autouse=True)
def a_library_of_its_own(tmp_path, monkeypatch):
    """Nothing here touches the library of whoever runs the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with dask.config.set({"daskscope.library.path": str(tmp_path / "library")}):
        yield


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def report(tmp_path) -> Path:
    path = tmp_path / "dask-report.html"
    path.write_text(report_text())
    return path


@pytest.fixture(params=["folder", "url"])
def either_place(request, tmp_path):
    """Run a test with a folder, and with a URL."""
    if request.param == "folder":
        yield str(tmp_path / "library")
        return
    url = f"memory://{tmp_path.name}/library"
    with dask.config.set({"daskscope.library.path": url}):
        yield url
    fs = fsspec.filesystem("memory")
    if fs.exists(tmp_path.name):
        fs.rm(tmp_path.name, recursive=True)


def listed() -> list[dict[str, Any]]:
    return daskscope.list_performance_reports(kind=None)


def start(code: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Another kernel with the same library."""
    place = dask.config.get("daskscope.library.path")
    env = {**os.environ, "DASK_DASKSCOPE__LIBRARY__PATH": place}
    return subprocess.Popen(
        [sys.executable, "-W", "error::UserWarning", "-c", code, *map(str, arguments)],
        **{"env": env, "stdout": subprocess.PIPE, "text": True, **options},
    )
