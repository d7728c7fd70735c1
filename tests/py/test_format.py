"""Numbers in words, as panels write them: the cases are read by both languages."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from daskscope.format import NOTHING, amount_text, seconds_among, seconds_text, share_text

CASES = Path(__file__).parents[1] / "contract" / "words"
DURATIONS = json.loads((CASES / "durations.json").read_text("utf-8"))
AMOUNTS = json.loads((CASES / "amounts.json").read_text("utf-8"))


@pytest.mark.parametrize(("seconds", "text"), DURATIONS["alone"])
def test_a_duration_that_stands_alone(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(("seconds", "longest", "text"), DURATIONS["in a column"])
def test_a_duration_among_others_has_their_unit(seconds, longest, text):
    assert seconds_among(seconds, longest) == text


@pytest.mark.parametrize(("amount", "text"), AMOUNTS)
def test_an_amount_of_money_has_digits_that_say_something(amount, text):
    assert amount_text(amount) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.884, "88 %"), (0.003, "< 1 %"), (0.0, "0 %"), (math.nan, NOTHING)]
)
def test_a_share_of_something_is_never_none(share, text):
    assert share_text(share) == text


def test_what_is_no_number_is_nothing():
    assert seconds_text(math.nan) == seconds_among(math.inf, 1) == amount_text(math.inf) == NOTHING
