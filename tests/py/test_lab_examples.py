"""The copies of the examples that `make lab` opens."""

from __future__ import annotations

import json
import platform
import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "lab_examples.py"
copy_examples = runpy.run_path(str(SCRIPT))["copy_examples"]


def notebook(text: str) -> str:
    language = {"name": "python", "version": "3.0"}
    return json.dumps({"cells": [text], "metadata": {"language_info": language}})


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "tour.ipynb").write_text(notebook("first"))
    return tmp_path / "examples"


def test_an_example_is_copied_as_the_python_at_hand_would_save_it(examples, tmp_path):
    assert copy_examples(examples, tmp_path / "lab") == []
    copied = json.loads((tmp_path / "lab" / "tour.ipynb").read_text())
    assert copied["cells"] == ["first"]
    assert copied["metadata"]["language_info"]["version"] == platform.python_version()


def test_a_copy_that_nobody_changed_follows_its_example(examples, tmp_path):
    copy_examples(examples, tmp_path / "lab")
    (examples / "tour.ipynb").write_text(notebook("second"))
    assert copy_examples(examples, tmp_path / "lab") == []
    assert json.loads((tmp_path / "lab" / "tour.ipynb").read_text())["cells"] == ["second"]


def test_a_copy_that_somebody_changed_stays_and_is_told_of_when_its_example_changes(
    examples, tmp_path
):
    copy_examples(examples, tmp_path / "lab")
    (tmp_path / "lab" / "tour.ipynb").write_text("mine")
    assert copy_examples(examples, tmp_path / "lab") == []
    (examples / "tour.ipynb").write_text(notebook("second"))
    assert copy_examples(examples, tmp_path / "lab") == ["tour.ipynb"]
    assert (tmp_path / "lab" / "tour.ipynb").read_text() == "mine"


def test_a_copy_that_was_deleted_is_made_anew(examples, tmp_path):
    copy_examples(examples, tmp_path / "lab")
    (tmp_path / "lab" / "tour.ipynb").unlink()
    assert copy_examples(examples, tmp_path / "lab") == []
    assert (tmp_path / "lab" / "tour.ipynb").exists()
