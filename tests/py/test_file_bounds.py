"""Files that somebody made to cost much: small on disk, refused or opened within bounds."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from recording_rows import append, make_rows, new_recording
from refusals import refused

import daskscope
from daskscope.errors import DaskscopeError
from daskscope.loading import opened
from daskscope.recording import pack_keys
from daskscope.recording.file_reader import MAX_NAMES_CHARACTERS
from daskscope.recording.file_tables import _field, _indirect, encode
from daskscope.schema import (
    EVENTS,
    FILE_FORMAT,
    FILE_PART_TASKS,
    MAX_TEXT_CHARACTERS,
    NAME_KINDS,
    SYSTEM,
    WORKERS,
    Table,
    columns_of,
    tables,
)

MOST_BYTES = 400_000_000
"""Memory that opening a file may take beside its recording, whatever is in it: by far less
than the gigabytes that these files would take, and more than one member of 64 MiB does."""

MEASURED = r"""
import pathlib, re, sys
import numpy, pandas, pyarrow
import daskscope
from daskscope import loading

def most():  # resource would count the process from which this one was started, too
    return int(re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])

before = most()
try:
    daskscope.load(sys.argv[1])
except daskscope.DaskscopeError as error:
    print(error.code, end=" ")
else:
    print("opened", end=" ")
print((most() - before) * 1024)
"""

HEADER = ("daskscope.json", b'{"format": %d, "facts": {}}' % FILE_FORMAT)


def file_of(folder: Path, *members: tuple[str, bytes]) -> Path:
    path = folder / "made.daskscope"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in (HEADER, *members):
            file.writestr(name, data)
    return path


def stream(
    columns: dict[str, pa.Array], facts: dict[str, str], compression: str | None = None
) -> bytes:
    schema = pa.schema([(name, array.type) for name, array in columns.items()], metadata=facts)
    out = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(out, schema, options=options) as writer:
        writer.write_batch(pa.record_batch(list(columns.values()), schema=schema))
    return out.getvalue().to_pybytes()


def tasks_of(rows: int, tasks: int) -> bytes:
    names = ["start", "duration", "lane", "prefix", "action", "status", "nbytes", "span", "task"]
    zeros = pa.array(np.zeros(rows, "u1"))
    return stream(dict.fromkeys(names, zeros), {"first": "0", "tasks": str(tasks)})


EMPTY = {"utf8": "", "texts": ()}


def table_of(table: Table, rows: int) -> bytes:
    return encode(table.columns, {c.name: [EMPTY.get(c.type, 0)] * rows for c in table.columns})


def names_of(
    kind: str, cells: dict[str, list[Any]], rows: int = 1, number: int = 0
) -> tuple[str, bytes]:
    """Return a member with entries of a dictionary: some of their cells, the others empty."""
    declared = columns_of(tables()[kind])
    columns = {c.name: cells.get(c.name, [EMPTY.get(c.type, 0)] * rows) for c in declared}
    return f"{kind}/{number:06d}.arrow", encode(declared, columns)


def cost(path: Path) -> tuple[str, int]:
    """Return what became of a file in a process of its own, and the memory that it took."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path)], capture_output=True, text=True, check=True
    )
    outcome, size = done.stdout.split()
    return outcome, int(size)


measured = pytest.mark.skipif(
    not Path("/proc/self/status").exists(),
    reason="this system does not say how much memory was taken",
)


@pytest.mark.all
@measured
def test_a_member_of_nothing_but_separators_costs_no_object_a_key(tmp_path):
    keys = bytes(64 * 2**20)
    path = file_of(
        tmp_path,
        ("tasks/000000.arrow", tasks_of(0, len(keys) + 1)),
        ("keys/000000.txt", keys),
    )
    assert path.stat().st_size < 100_000
    outcome, size = cost(path)
    assert outcome == "bad-file"
    assert size < MOST_BYTES


@pytest.mark.all
@measured
def test_a_member_of_millions_of_rows_is_not_unpacked_into_columns(tmp_path):
    path = file_of(
        tmp_path,
        *(names_of(kind, {}) for kind in NAME_KINDS),
        ("tasks/000000.arrow", tasks_of(7_000_000, 1)),
        ("keys/000000.txt", b""),
    )
    outcome, size = cost(path)
    assert outcome == "bad-file"
    assert size < MOST_BYTES


@pytest.mark.all
@measured
def test_as_many_separators_where_few_tasks_are_said_cost_no_object_a_key(tmp_path):
    path = file_of(
        tmp_path,
        ("tasks/000000.arrow", tasks_of(0, 10)),
        ("keys/000000.txt", bytes(64 * 2**20)),
    )
    outcome, size = cost(path)
    assert outcome == "bad-file"
    assert size < MOST_BYTES


@pytest.mark.all
@measured
def test_small_tables_of_millions_of_rows_are_not_made_into_objects(tmp_path):
    members = [
        (f"{name}.arrow", table_of(table, rows))
        for name, table, rows in (
            ("system/0", SYSTEM, 1_000_000),
            ("events", EVENTS, 3_000_000),
            ("workers", WORKERS, 2_000_000),
        )
    ]
    path = file_of(tmp_path, padding(600_000), *members)
    assert path.stat().st_size < 1_000_000
    outcome, size = cost(path)
    assert outcome == "opened"
    assert size < MOST_BYTES


def messages_of(data: bytes) -> list[pa.Message]:
    return list(pa.ipc.MessageReader.open_stream(data))


def joined(*messages: pa.Message) -> bytes:
    end = b"\xff\xff\xff\xff\0\0\0\0"
    return b"".join(message.serialize().to_pybytes() for message in messages) + end


def event_with(other: pa.Array, compression: str | None = None) -> bytes:
    """Return a table of events that has another column as well."""
    columns = {"time": pa.array([1.0]), "topic": pa.array(["a"]), "message": pa.array(["b"])}
    return stream(columns | {"other": other}, {}, compression)


def word_of(text: bytes) -> pa.Array:
    words = pa.array([text], pa.large_binary())
    return pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), words)


@pytest.mark.all
@measured
def test_a_compressed_dictionary_is_not_unpacked(tmp_path):
    schema, dictionary, _ = messages_of(event_with(word_of(bytes(10**9)), "zstd"))
    _, _, batch = messages_of(event_with(word_of(b"x")))
    path = file_of(tmp_path, ("events.arrow", joined(schema, dictionary, batch)))
    assert path.stat().st_size < 10_000
    outcome, size = cost(path)
    assert outcome == "bad-file"
    assert size < MOST_BYTES


def lying_upon_each_other(data: bytes) -> bytes:
    """Let all columns of a table be the same bytes: those of the first."""
    schema, batch = messages_of(data)
    header = bytearray(batch.metadata.to_pybytes())
    inside = _indirect(header, _field(header, _indirect(header, 0), 2))
    vector = _indirect(header, _field(header, inside, 2))
    (buffers,) = struct.unpack_from("<I", header, vector)
    for number in range(buffers):
        place = vector + 4 + 16 * number
        _, length = struct.unpack_from("<qq", header, place)
        struct.pack_into("<qq", header, place, 0, length)
    stored = batch.serialize().to_pybytes().replace(batch.metadata.to_pybytes(), bytes(header))
    return schema.serialize().to_pybytes() + stored


@pytest.mark.parametrize("what", ["as daskscope writes it", "twice", "columns upon each other"])
def test_a_table_is_one_batch_as_large_as_its_columns(tmp_path, what):
    data = event_with(pa.array([0], pa.int8()))
    schema, batch = messages_of(data)
    made = {
        "as daskscope writes it": data,
        "twice": joined(schema, batch, batch),
        "columns upon each other": lying_upon_each_other(data),
    }
    path = file_of(tmp_path, ("events.arrow", made[what]))
    if what == "as daskscope writes it":
        assert len(daskscope.load(path).events) == 1
        return
    with refused("bad-file"):
        daskscope.load(path)


def test_a_table_of_thousands_of_columns_is_refused(tmp_path):
    zeros = pa.array([0], pa.int8())
    path = file_of(tmp_path, ("events.arrow", stream({str(i): zeros for i in range(9_000)}, {})))
    with refused("bad-file"):
        daskscope.load(path)


def test_of_a_table_with_too_many_rows_the_newest_are_taken(tmp_path):
    rows = 10_500
    columns = {
        "time": [float(row) for row in range(rows)],
        "topic": [f"topic-{row % 10}" for row in range(rows)],
        "message": ["{}"] * rows,
    }
    recording = daskscope.load(file_of(tmp_path, ("events.arrow", encode(EVENTS.columns, columns))))
    assert recording.events["time"].tolist() == columns["time"][-10_000:]


@pytest.mark.parametrize(("kind", "most"), [("prefixes", 60_000), ("actions", 128)])
def test_names_that_no_row_can_point_at_are_refused(tmp_path, kind, most):
    same = names_of(kind, {}, most)
    assert daskscope.load(file_of(tmp_path, same)).counts.kept == 0
    path = file_of(tmp_path, same, names_of(kind, {}, number=1))
    with refused("bad-file"):
        daskscope.load(path)


def test_a_member_with_more_names_than_all_lists_hold_is_refused(tmp_path):
    path = file_of(tmp_path, names_of("prefixes", {}, 200_000))
    with refused("bad-file", "prefixes"):
        daskscope.load(path)


def padding(size: int) -> tuple[str, bytes]:
    """Return what lets other members unpack to 300 times as much."""
    return "padding.bin", np.random.default_rng(1).bytes(size)


@pytest.mark.all
@measured
def test_a_span_of_millions_of_names_is_not_made_into_objects(tmp_path):
    span = ["ab"] * 10_000_000
    path = file_of(tmp_path, padding(200_000), names_of("spans", {"name": [span]}))
    outcome, size = cost(path)
    assert outcome == "bad-file"
    assert size < MOST_BYTES


def test_a_span_of_more_names_than_a_recording_has_is_cut(tmp_path):
    span = ["\0" * 990 + f"{depth}" for depth in range(100)]
    path = file_of(tmp_path, names_of("spans", {"id": ["id"], "name": [span]}))
    assert opened(path).names.spans[1] == ("id", tuple(span[:49]))


@pytest.mark.parametrize("name", ["[1]", "{}", '"x"', "[", ""])
def test_lists_of_names_that_are_none_are_refused(tmp_path, name):
    columns = {"id": pa.array(["id"]), "name": pa.array([name])}
    path = file_of(tmp_path, ("spans/000000.arrow", stream(columns, {})))
    with refused("bad-file", "column name"):
        daskscope.load(path)


@pytest.mark.all
@measured
def test_more_text_of_names_than_any_recording_has_is_refused(tmp_path):
    members = [
        names_of("prefixes", {"name": [f"{i}-{k}" + "x" * 999 for k in range(9_000)]}, 9_000, i)
        for i in range(8)
    ]
    outcome, size = cost(file_of(tmp_path, *members))
    assert outcome == "bad-file"
    assert size < MOST_BYTES


def workers_of(addresses: list[str]) -> bytes:
    filled = {"utf8": "present", "float64": 0.0}
    columns = {c.name: [filled[c.type]] * len(addresses) for c in WORKERS.columns}
    return encode(WORKERS.columns, columns | {"worker": addresses})


def test_long_addresses_of_workers_are_cut(tmp_path):
    path = file_of(tmp_path, ("workers.arrow", workers_of(["tcp://" + "a" * 1_000_000])))
    recording = daskscope.load(path)
    (address,) = recording.worker_names
    assert len(address) == 1_000
    assert recording.workers["worker"].str.len().tolist() == [MAX_TEXT_CHARACTERS]
    assert recording.workers["name"].tolist() == ["present"]


def test_a_small_table_is_taken_once(tmp_path):
    table = ("workers.arrow", workers_of(["tcp://w:1"]))
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = file_of(tmp_path, table, table)
    with pytest.raises(DaskscopeError, match=r"it has workers\.arrow twice"):
        daskscope.load(path)


def sizes(path: Path, folder: str) -> list[int]:
    with zipfile.ZipFile(path) as file:
        return [i.file_size for i in file.infolist() if i.filename.startswith(folder)]


def test_tasks_that_came_in_one_block_are_cut_into_parts(tmp_path):
    recording = new_recording()
    append(recording, FILE_PART_TASKS + 5, key="k")
    path = recording.save(tmp_path / "run.daskscope")
    assert len(sizes(path, "tasks/")) == len(sizes(path, "keys/")) == 2
    loaded = opened(path)
    assert loaded.counts == recording.counts
    assert loaded.key_of(FILE_PART_TASKS + 4) == "k"


@pytest.mark.all
def test_tasks_with_very_many_rows_are_cut_into_parts_that_can_be_read(tmp_path):
    recording = new_recording()
    append(recording, 5, rows_each=500_000)
    path = recording.save(tmp_path / "run.daskscope")
    assert len(sizes(path, "tasks/")) > 1
    assert daskscope.load(path).counts == recording.counts


@pytest.mark.all
def test_long_names_are_cut_into_parts_that_can_be_read(tmp_path):
    recording = new_recording()
    for i in range(8_000):
        recording.names.intern("prefixes", f"{i:04}" + "あ" * 990)
        recording.names.intern("spans", (f"{i:04}", ("あ" * 990,)))
    rows = make_rows(1) | {"prefix": [len(recording.names.prefixes) - 1]}
    recording.append_tasks(1, rows, pack_keys(0, ["last"]).data)
    path = recording.save(tmp_path / "run.daskscope")
    for kind in ("prefixes", "spans"):
        assert len(sizes(path, f"{kind}/")) > 1
        assert max(sizes(path, f"{kind}/")) < 10_000_000
    assert opened(path).names.spans == recording.names.spans
    assert daskscope.load(path).tasks["prefix"].tolist() == recording.tasks["prefix"].tolist()


@pytest.mark.all
@pytest.mark.parametrize("character", ["\1", "🦋"], ids=["escaped", "of two units"])
def test_names_that_take_more_when_they_are_written_make_a_file_that_can_be_read(
    tmp_path, character
):
    recording = new_recording()
    for i in range(60_000):
        name = f"{i}" + character * 290
        recording.names.intern("prefixes", name)
        recording.names.intern("lanes", (name, ""))
        recording.names.intern("spans", (name, ("",)))
    written = [
        json.dumps(name, ensure_ascii=False)
        for kind in NAME_KINDS
        for name in recording.names.since(kind, 0)
    ]
    in_page = sum(len(text.encode("utf-16-le")) // 2 for text in written)
    assert 50_000_000 < in_page < MAX_NAMES_CHARACTERS  # as js_src/archive/names.ts counts
    after = opened(recording.save(tmp_path / "run.daskscope"))
    assert after.names.lanes == recording.names.lanes


@pytest.mark.all
def test_keys_that_are_all_alike_make_a_file_that_can_be_read(tmp_path):
    recording = new_recording()
    append(recording, 100_000, key="k" * 2_000)
    path = recording.save(tmp_path / "run.daskscope")
    loaded = opened(path)
    assert loaded.counts == recording.counts
    assert loaded.key_of(99_999) == "k" * 2_000


def test_large_keys_among_small_ones_are_cut_into_parts_that_can_be_read(tmp_path):
    keys = [f"small-{i}" for i in range(500)]
    keys[100:110] = [f"{i}" * 9_000_000 for i in range(10)]
    recording = new_recording()
    recording.append_tasks(len(keys), make_rows(len(keys)), pack_keys(0, keys).data)
    path = recording.save(tmp_path / "run.daskscope")
    assert max(sizes(path, "keys/")) < 18_000_000
    loaded = opened(path)
    assert [loaded.key_of(task)[:9] for task in (99, 105, 110)] == [
        "small-99",
        "555555555",
        "small-110",
    ]
