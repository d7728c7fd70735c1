"""The examples in docstrings are run, so that they stay true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import daskscope


def modules():
    for found in pkgutil.walk_packages(daskscope.__path__, "daskscope."):
        yield found.name


@pytest.mark.parametrize("name", list(modules()))
def test_examples_in_docstrings_are_true(name, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # indexes of libraries
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_there_are_examples():
    tests = [
        test
        for name in modules()
        for test in doctest.DocTestFinder().find(importlib.import_module(name))
        if test.examples
    ]
    assert len(tests) > 15
    assert daskscope.__doc__
