from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daskscope.schema import COARSE, TASKS
from daskscope.wire import Ack, BadMessageError, Watch, arrow_stream, outgoing, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_batches_are_plain_arrow_without_nulls_or_compression():
    columns = {column.name: np.arange(3) for column in TASKS.columns}
    table = pa.ipc.open_stream(arrow_stream(TASKS.columns, columns)).read_all()
    assert table.num_rows == 3
    for column in TASKS.columns:
        field = table.schema.field(column.name)
        assert not field.nullable
        assert str(field.type).replace("double", "float64").replace("float", "float32") in (
            column.type,
            column.type.replace("float64", "float3264"),
        )
        assert table[column.name].num_chunks == 1


def test_an_empty_batch_is_a_batch():
    columns = {column.name: np.empty(0) for column in COARSE}
    assert pa.ipc.open_stream(arrow_stream(COARSE, columns)).read_all().num_rows == 0


def test_a_size_beyond_float32_does_not_raise():
    columns = {column.name: np.ones(1) for column in TASKS.columns} | {"nbytes": np.array([1e300])}
    table = pa.ipc.open_stream(arrow_stream(TASKS.columns, columns)).read_all()
    assert table["nbytes"].to_pylist() == [np.inf]


@settings(deadline=None)  # the first of them waits for imports
@given(st.sampled_from([TASKS.columns, COARSE]), st.integers(0, 40))
def test_every_arrow_reader_finds_the_rows_as_they_were(declared, rows):
    dice = np.random.default_rng(rows)
    columns = {c.name: dice.integers(0, 200, rows).astype(c.type) for c in declared}
    read = pa.ipc.open_stream(arrow_stream(declared, columns)).read_all()
    read.validate(full=True)
    assert read.schema.names == [column.name for column in declared]
    for name, values in columns.items():
        assert read[name].to_numpy().dtype == values.dtype
        np.testing.assert_array_equal(read[name].to_numpy(), values)


def test_a_batch_is_little_more_than_its_rows():
    columns = {column.name: np.zeros(200) for column in TASKS.columns}
    row_bytes = sum(np.dtype(column.type).itemsize for column in TASKS.columns)
    assert len(arrow_stream(TASKS.columns, columns)) < 200 * row_bytes + 1_400


def test_columns_of_different_lengths_are_refused():
    columns = {column.name: np.zeros(2) for column in COARSE} | {"busy": np.zeros(3)}
    with pytest.raises(ValueError, match="2 and 3 rows"):
        arrow_stream(COARSE, columns)


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
        st.sampled_from(["page", "session", "seq", "missing", "have", "visible", "id", "args"]),
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
    ],
)
def test_wrong_fields_are_refused_by_name(wrong):
    good = {"type": "watch", "page": "p", "session": "s", "visible": True, "have": [[0, 3]]}
    assert parse(good) == Watch("p", "s", True, ((0, 3),))
    with pytest.raises(BadMessageError, match=next(iter(wrong))):
        parse(good | wrong)


def test_types_of_a_newer_page_are_not_an_error():
    assert parse({"type": "invented-later", "page": "p"}) is None


def test_the_size_of_a_message_counts_text_and_buffers():
    small = outgoing("bye", {"text": ""}).size_bytes
    assert outgoing("bye", {"text": "é" * 100}, [b"x" * 1_000]).size_bytes == small + 1_200
