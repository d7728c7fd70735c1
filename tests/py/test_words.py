"""Numbers in words, as panels write them: the cases are read by both languages."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from daskscope.derive.words import NOTHING, seconds_among, seconds_text

CASES = Path(__file__).parents[1] / "contract" / "words" / "durations.json"
DURATIONS = json.loads(CASES.read_text("utf-8"))


@pytest.mark.parametrize(("seconds", "text"), DURATIONS["alone"])
def test_a_duration_that_stands_alone(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(("seconds", "longest", "text"), DURATIONS["in a column"])
def test_a_duration_among_others_has_their_unit(seconds, longest, text):
    assert seconds_among(seconds, longest) == text


def test_what_is_no_number_is_nothing():
    assert seconds_text(math.nan) == seconds_among(math.inf, 1) == NOTHING
