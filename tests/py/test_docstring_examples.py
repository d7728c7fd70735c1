"""The examples in docstrings are run, so that they stay true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import dask
import pytest
from profile_rows import add_profile
from test_files import full_recording

import daskscope
from daskscope.recording import Recording
from daskscope.report.html import build


def modules():
    for found in pkgutil.walk_packages(daskscope.__path__, "daskscope."):
        yield found.name


@pytest.fixture(scope="module")
def rec():
    """What `with daskscope.record() as rec` gave before the examples begin."""
    recording = full_recording()
    add_profile(recording)
    return Recording(recording)


@pytest.mark.parametrize("name", list(modules()))
def test_examples_in_docstrings_are_true(name, rec, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # indexes of libraries
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    given = {"rec": rec, "daskscope": daskscope}
    for test in doctest.DocTestFinder().find(importlib.import_module(name), extraglobs=given):
        if not test.examples:
            continue
        # A user has saved it, has a report of it, and keeps a copy.
        library = tmp_path / test.name / "library"
        library.mkdir(parents=True)
        monkeypatch.chdir(library.parent)
        rec.save("run.daskscope")
        rec.save(library / "run.daskscope")
        with (library.parent / "run.html").open("wb") as file:
            build(rec._core, file)
        with dask.config.set({"daskscope.library.path": str(library)}):
            runner.run(test)
    assert runner.failures == 0


def test_there_are_examples():
    tests = [
        test
        for name in modules()
        for test in doctest.DocTestFinder().find(importlib.import_module(name))
        if test.examples
    ]
    assert len(tests) > 15
    assert daskscope.__doc__
