"""Focus: what may be selected, and its form in messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from daskscope.focus import Focus


def test_nothing_selected_means_all() -> None:
    assert not Focus()
    assert Focus.from_json(None) == Focus()
    nothing = {"prefixes": [], "workers": [], "spans": [], "cells": []}
    assert Focus().to_json() == {"time": None, **nothing}


def test_it_survives_a_message() -> None:
    named = {"workers": ["tcp://w:1"], "spans": ["s"], "cells": ["In [2]"]}
    focus = Focus(time=(1, 2.5), prefixes=["inc", "sum"], **named)
    assert Focus.from_json(focus.to_json()) == focus
    assert hash(focus) == hash(Focus.from_json(focus.to_json()))


def test_times_may_be_numbers_of_any_kind() -> None:
    times = Focus(time=(np.int64(1), np.float32(2.5))).time
    assert times == (1.0, 2.5)
    assert times is not None
    assert [type(end) for end in times] == [float, float]


def test_names_are_kept_once_and_in_order() -> None:
    assert Focus(prefixes=["b", "a", "b"]).prefixes == ("b", "a")


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("inc", "focus"),
        ({"colour": []}, "colour"),
        ({"prefix": ["inc"]}, "has no field 'prefix': did you mean 'prefixes'"),
        ({"worker": []}, "did you mean 'workers'"),
        ({"colour": []}, "it has time, prefixes, workers, spans, cells"),
        ({7: []}, "has no field '7'"),
        ({"x" * 10**6: []}, "has no field 'xxx"),
        ({"prefixes": "inc"}, "prefixes"),
        ({"prefixes": [1]}, "prefixes"),
        ({"prefixes": [[]]}, "prefixes"),
        ({"workers": 3}, "workers"),
        ({"spans": ["x" * 20_000]}, "spans"),
        ({"workers": map(str, range(20_000))}, "workers"),
        ({"time": 1}, "time"),
        ({"time": "12"}, "time"),
        ({"time": [1, 2, 3]}, "time"),
        ({"time": [1, "2"]}, "time"),
        ({"time": [True, False]}, "time"),
        ({"time": [2, 1]}, "time"),
        ({"time": [0, math.nan]}, "time"),
        ({"time": [0, 10**400]}, "time"),
        ({"time": [-math.inf, 0]}, "time"),
    ],
)
def test_what_is_wrong_is_named(value: Any, named: str) -> None:
    with pytest.raises((TypeError, ValueError), match=named):
        Focus.from_json(value)
