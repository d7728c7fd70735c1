from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_pages import unpacked

from daskscope.schema import COARSE, ERRORS, TASKS, Column
from daskscope.wire import TEXTS, Ack, BadMessageError, Watch, outgoing, pack_columns, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(deadline=None)  # the first of them waits for imports
@given(st.sampled_from([TASKS.columns, COARSE, ERRORS.columns]), st.integers(0, 40), st.booleans())
def test_packed_columns_are_the_numbers_as_they_were(declared, rows, numbered):
    dice = np.random.default_rng(rows)
    columns = {
        c.name: dice.integers(0, 200, rows).astype(c.type) for c in declared if c.type not in TEXTS
    }
    numbers = np.arange(rows, dtype="f8") if numbered else None
    read = unpacked(declared, rows, pack_columns(declared, columns, numbers), numbered=numbered)
    if numbered:
        np.testing.assert_array_equal(read.pop(""), numbers)
    assert read.keys() == columns.keys()
    for name, values in columns.items():
        np.testing.assert_array_equal(read[name], values)


def test_every_packed_column_begins_where_a_page_can_read_it_in_place():
    columns = {column.name: np.ones(3) for column in TASKS.columns}
    starts = [0, 24, 40, 48, 56, 64, 72, 88, 96, 112]  # 8, 4, 2, 2, 1, 1, 4, 2, 4, 2 bytes each
    packed = pack_columns(TASKS.columns, columns)
    assert len(packed) == 120
    for start, column in zip(starts, TASKS.columns, strict=True):
        assert np.frombuffer(packed, column.type, 3, start).tolist() == [1, 1, 1]


def test_numbers_of_64_bits_are_packed_as_floats():
    packed = pack_columns((Column("task", "int64", ""),), {"task": np.array([-1, 2**40])})
    assert np.frombuffer(packed, "<f8").tolist() == [-1, 2**40]


def test_a_size_beyond_float32_does_not_raise():
    columns = {column.name: np.ones(1) for column in TASKS.columns} | {"nbytes": np.array([1e300])}
    read = unpacked(TASKS.columns, 1, pack_columns(TASKS.columns, columns))
    assert read["nbytes"].tolist() == [np.inf]


def test_columns_of_different_lengths_are_refused():
    columns = {column.name: np.zeros(2) for column in COARSE} | {"busy": np.zeros(3)}
    with pytest.raises(ValueError, match="length"):
        pack_columns(COARSE, columns)


@given(JSON)
def test_whatever_a_kernel_says_is_plain_json(value):
    message = outgoing("error", {"text": value}).message
    json.dumps(message, allow_nan=False).encode()


@given(JSON)
def test_whatever_a_page_says_is_understood_or_refused(value):
    with suppress(BadMessageError):
        parse(value)


@given(
    st.sampled_from(["hello", "watch", "unwatch", "ack", "ask", "focus", "bye"]),
    st.dictionaries(
        st.sampled_from(
            ["page", "session", "seq", "missing", "have", "visible", "tables", "id", "args"]
        ),
        JSON,
    ),
)
def test_known_types_with_wild_fields_are_understood_or_refused(kind, fields):
    with suppress(BadMessageError):
        parse(fields | {"type": kind})


def test_numbers_may_be_written_as_javascript_does():
    message = {"type": "ack", "page": "p", "session": "s", "seq": 5.0, "missing": [1.0]}
    assert parse(message) == Ack("p", "s", 5, (1,))


@pytest.mark.parametrize(
    "wrong",
    [
        {"page": ""},
        {"page": "p" * 300},
        {"session": None},
        {"visible": "yes"},
        {"have": [[5, 3]]},
        {"have": [[-1, 3]]},
        {"have": [[0, 1e300]]},
        {"have": [[0]]},
        {"have": {}},
        {"have": [[0, float("nan")]]},
        {"have": [[0, True]]},
        {"tables": "errors"},
        {"tables": [7]},
        {"tables": ["e" * 300]},
        {"tables": ["errors"] * 2_000},
    ],
)
def test_wrong_fields_are_refused_by_name(wrong):
    good = {"type": "watch", "page": "p", "session": "s", "visible": True, "have": [[0, 3]]}
    good["tables"] = ["errors"]
    assert parse(good) == Watch("p", "s", True, ("errors",), ((0, 3),))
    with pytest.raises(BadMessageError, match=next(iter(wrong))):
        parse(good | wrong)


def test_a_type_that_nobody_knows_is_named_as_that():
    with pytest.raises(BadMessageError, match="its type is unknown"):
        parse({"type": "invented-later", "page": "p"})


def test_the_size_of_a_message_counts_text_and_buffers():
    small = outgoing("bye", {"text": ""}).size_bytes
    assert outgoing("bye", {"text": "é" * 100}, [b"x" * 1_000]).size_bytes == small + 1_200
