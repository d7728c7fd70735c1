"""Files that somebody made: each opens or is refused, and what opened can be used."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from properties import examples
from recording_rows import make_rows
from test_files import full_recording, read_or_refused, saved

from daskscope.derive.summary import summary
from daskscope.export import to_chrome, to_csv
from daskscope.recording import pack_keys
from daskscope.recording.file_tables import BASE, decode, read_table
from daskscope.report.html import build
from daskscope.schema import TASKS, columns_of, tables

if TYPE_CHECKING:
    from daskscope.recording import RecordingStore

ABOUT, TASKS_MEMBER = "about.json", "tasks/000000.arrow"


@cache
def whole_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        recording = full_recording()
        recording.about_facts |= {
            "workers": [
                {"address": "tcp://10.0.0.1:0", "name": 0, "threads": 2, "host": "10.0.0.1"}
            ],
            "versions": {"client": {"packages": {"dask": "2025.1"}}, "workers": {}},
            "missing": [{"code": "a", "level": "warn", "text": "b", "next": ""}],
            "exception": {"type": "ValueError", "text": "no", "traceback": "Traceback"},
            "duration": 8.0,
            "code": "1 + 1",
        }
        return saved(recording, Path(folder)).read_bytes()


@cache
def members() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(whole_file())) as file:
        return {i.filename: file.read(i) for i in file.infolist()}


def table_of(member: str) -> str:
    return member.partition("/")[0].partition(".")[0]


def with_members(**changed: bytes) -> io.BytesIO:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in (members() | changed).items():
            file.writestr(name, content)
    return made


def use(recording: RecordingStore) -> None:
    """What a user does with what opened: none of it may fail, and JSON must be JSON."""
    assert len(recording.tasks) == recording.counts.rows
    assert len(recording.errors) <= recording.counts.erred
    for name in tables():
        recording.table(name)
    assert repr(recording)
    json.dumps(recording.about_facts, allow_nan=False)
    json.dumps(summary(recording), allow_nan=False)
    with tempfile.TemporaryDirectory() as folder:
        again = read_or_refused(io.BytesIO(saved(recording, Path(folder)).read_bytes()))
        assert again is not None
        assert again.counts == recording.counts
        to_chrome(recording, Path(folder) / "trace.json")
        json.loads((Path(folder) / "trace.json").read_bytes(), parse_constant=pytest.fail)
        to_csv(recording, Path(folder) / "csv")
        json.loads((Path(folder) / "csv" / "about.json").read_bytes(), parse_constant=pytest.fail)
        recording.to_parquet(Path(folder) / "parquet")
    out = io.BytesIO()
    build(recording, out)
    assert out.tell()


def read_and_use(content: io.BytesIO) -> bool:
    recording = read_or_refused(content)
    if recording is not None:
        use(recording)
    return recording is not None


def test_what_daskscope_wrote_can_be_used():
    assert read_and_use(with_members())


@examples(150)
@given(st.data())
def test_files_with_changed_bytes_open_or_are_refused(data):
    content = bytearray(whole_file())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    read_or_refused(io.BytesIO(content))


@examples(60)
@given(st.sampled_from(sorted(members())), st.data())
def test_members_with_changed_bytes_are_refused_or_can_be_used(name, data):
    """Behind the checksums: what somebody made on purpose."""
    content = bytearray(members()[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    read_and_use(with_members(**{name: bytes(content)}))


NUMBERS = st.one_of(
    st.sampled_from([0, -1, 2**31, 2**63, 10**400, -(10**400), 1e308, -1e308]),
    st.sampled_from([float("nan"), float("inf"), -float("inf"), 5e-324, 1e18, 1e11]),
    st.floats(),
)
VALUES = st.recursive(
    NUMBERS | st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["address", "threads", "name", "text"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)


@st.composite
def changed_json(draw: st.DrawFn) -> bytes:
    """Of what a file says of itself one to three values, wherever they stand, are others."""
    about = json.loads(members()[ABOUT])
    for _ in range(draw(st.integers(1, 3))):
        place: Any = about
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and draw(st.booleans()):
                place = place[key]
                continue
            place[key] = draw(VALUES)
            break
    return json.dumps(about).encode()


@pytest.mark.all
@examples(60)
@given(changed_json())
def test_files_that_say_odd_things_of_themselves_are_refused_or_can_be_used(about):
    read_and_use(with_members(**{ABOUT: about}))


FLOATS = st.sampled_from(
    [0.0, -1.0, 1e300, -1e300, 3e38, 1e11, 1.7e9, np.nan, np.inf, -np.inf, 5e-324]
)


@pytest.mark.all
@examples(60)
@given(st.data())
def test_rows_with_odd_numbers_are_refused_or_can_be_used(data):
    columns, facts = decode(TASKS.columns, members()[TASKS_MEMBER])
    import pyarrow as pa

    arrays = {}
    for name, column in columns.items():
        values = column.astype("f8")
        for _ in range(data.draw(st.integers(0, 2))):
            values[data.draw(st.integers(0, len(values) - 1))] = data.draw(FLOATS)
        whole = data.draw(st.booleans()) and name not in ("start", "duration", "nbytes")
        arrays[name] = pa.array(column if whole else values)
    base = data.draw(st.sampled_from(["0", "9" * 400, "nan", "-5", "1e5"]))
    steps = {
        "daskscope.encoding": data.draw(st.sampled_from(["plain", "us", "us+steps"])),
        BASE: base,
    }
    fields = [
        pa.field(name, array.type, metadata=steps if name == "start" else None)
        for name, array in arrays.items()
    ]
    schema = pa.schema(fields, metadata={name: str(value) for name, value in facts.items()})
    read_and_use(with_members(**{TASKS_MEMBER: stream(schema, list(arrays.values()))}))


@pytest.mark.all
@examples(60)
@given(
    st.sampled_from(sorted({table_of(one) for one in members()} & {*tables()} - {"tasks"})),
    st.data(),
)
def test_small_tables_with_odd_values_are_refused_or_can_be_used(table, data):
    import pyarrow as pa

    name = next((one for one in members() if table_of(one) == table), None)
    assume(name is not None)
    declared = columns_of(tables()[table])
    stored = read_table(members()[name], [column.name for column in declared])
    arrays = []
    for field, column in zip(stored.schema, stored.columns, strict=True):
        values = column.to_pylist()
        kind = field.type
        for _ in range(data.draw(st.integers(0, 2))):
            place = data.draw(st.integers(0, len(values) - 1))
            if pa.types.is_floating(kind):
                values[place] = data.draw(FLOATS)
            elif pa.types.is_integer(kind):
                values[place] = data.draw(st.sampled_from([-(2**63), 2**63 - 1, -1, 2**32]))
            else:
                values[place] = data.draw(st.text(max_size=5) | st.just("added"))
        if pa.types.is_integer(kind):
            kind = pa.int64()
            if data.draw(st.booleans()):
                values, kind = [float(value) for value in values], pa.float64()
        arrays.append(pa.array(values, kind))
    schema = pa.schema(list(zip(stored.schema.names, [a.type for a in arrays], strict=True)))
    read_and_use(with_members(**{name: stream(schema, arrays)}))


def stream(schema: Any, arrays: list[Any]) -> bytes:
    import pyarrow as pa

    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, schema) as writer:
        writer.write_batch(pa.record_batch(arrays, schema=schema))
    return out.getvalue().to_pybytes()


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 400])
def test_numbers_that_no_page_can_read_are_refused(text):
    about = b'{"title": "A run", "start": ' + text.encode() + b"}"
    assert read_or_refused(with_members(**{ABOUT: about})) is None


def test_more_dropped_tasks_than_can_be_counted_are_told_in_words():
    about = b'{"counts": {"dropped_agent": 1' + b"0" * 300 + b"}}"
    recording = read_or_refused(with_members(**{ABOUT: about}))
    assert recording is not None
    use(recording)
    assert recording.counts.dropped_agent == 2**53


def test_a_duration_without_end_adds_nothing_and_is_counted():
    recording = full_recording()
    before = recording.totals
    columns = make_rows(10) | {"duration": np.full(10, np.inf)}
    recording.append_tasks(10, columns, pack_keys(0, ["key"] * 10).data)
    assert [one.seconds for one in recording.totals.prefixes] == [
        one.seconds for one in before.prefixes
    ]
    assert recording.skewed_rows == 10
    use(recording)
