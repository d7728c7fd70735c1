"""The golden recording is what is saved now. `python tests/contract/generate.py`."""

from __future__ import annotations

import json

import pytest
from test_contract import FOLDER, STALE, generator  # noqa: F401 - a fixture

GOLDEN = FOLDER / "files" / "small.daskscope"


@pytest.fixture
def written():
    return json.loads(GOLDEN.with_suffix(".json").read_text())


def test_the_golden_recording_is_read_as_is_written_beside_it(generator, written, tmp_path):  # noqa: F811
    made = generator.save_recording(tmp_path / "made.daskscope")
    assert generator.described(GOLDEN, made) == written, STALE


def test_the_golden_recording_is_what_is_saved_now(generator, written, tmp_path):  # noqa: F811
    path = tmp_path / "made.daskscope"
    assert generator.described(path, generator.save_recording(path)) == written, STALE
