"""Recordings as pandas DataFrames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope import schema
from daskscope.recording.names import indexed
from daskscope.recording.worker_names import name_of
from daskscope.schema import STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from daskscope.recording.chunk import KeyBlock, TaskChunk
    from daskscope.recording.names import Names
    from daskscope.recording.recording_store import RecordingStore


def _categorical(codes: NDArray[Any], names: Sequence[str]) -> pd.Categorical:
    """Make a categorical; equal names share a category, an empty one is missing."""
    import pandas as pd

    categories = list(dict.fromkeys(name for name in names if name))
    place = {name: i for i, name in enumerate(categories)}
    lookup = np.array([place.get(name, -1) for name in names] or [-1], dtype="i4")
    return pd.Categorical.from_codes(lookup[codes], categories=categories)


def _key_array(chunk: TaskChunk) -> pa.Array:
    """Return the keys of a chunk as an Arrow array, without a Python object a key."""
    import pyarrow as pa

    blocks = [_block_array(block) for block in chunk.keys]
    return pa.concat_arrays(blocks) if blocks else pa.array([], pa.large_string())


def _block_array(block: KeyBlock) -> pa.Array:
    import pyarrow as pa

    text = np.frombuffer(block.raw(), "u1")
    separators = np.flatnonzero(text == 0)
    if len(separators) != block.tasks - 1:
        return pa.array(block.texts(), pa.large_string())
    ends = separators - np.arange(len(separators))
    offsets = np.concatenate([[0], ends, [len(text) - len(separators)]]).astype("i8")
    data = pa.py_buffer(text[text != 0])
    array = pa.LargeStringArray.from_buffers(block.tasks, pa.py_buffer(offsets), data)
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:  # not UTF-8
        return pa.array(block.texts(), pa.large_string())
    return array


def table_frame(recording: RecordingStore, name: str) -> pd.DataFrame:
    """Return any table, with names for indexes of entries."""
    table, names = schema.tables()[name], recording.names
    if isinstance(table, schema.Dictionary):
        return _frame(table.columns, names.columns(name), names, schema.columns_of(table))
    if isinstance(table, schema.Log):
        return _frame(table.columns, recording.log(name).columns(), names)
    if isinstance(table, schema.Series):
        step = schema.Column("step", "uint16", "seconds; 0 is as measured", unit="s")
        columns = (*schema.columns_of(table), step)
        return _frame(columns, recording.series(name).rows(), names)
    return tasks_frame(recording.chunks(), names)


def _frame(
    declared: Sequence[schema.Column],
    columns: Mapping[str, Sequence[Any] | NDArray[Any]],
    names: Names,
    shown: Sequence[schema.Column] = (),
) -> pd.DataFrame:
    import pandas as pd

    kinds = indexed(declared, names)
    found: dict[str, Any] = {}
    for column in shown or declared:
        values = columns[column.name]
        if column.name in kinds:
            labels = np.array([*names.labels(kinds[column.name]), ""], "O")
            found[column.name] = pd.Series(labels[np.asarray(values, "i8")], dtype="object")
        elif column.type == "texts":
            found[column.name] = pd.Series(map(" / ".join, values), dtype="object")
        else:
            dtype = "object" if column.type == "utf8" else column.type
            found[column.name] = pd.Series(values, dtype=dtype)
    return pd.DataFrame(found)


def tasks_frame(chunks: Sequence[TaskChunk], names: Names) -> pd.DataFrame:
    """Return one row per start/stop interval of the chunks."""
    import pandas as pd
    import pyarrow as pa

    def column(name: str, dtype: str) -> NDArray[Any]:
        parts = [chunk.columns[name] for chunk in chunks]
        return np.concatenate(parts) if parts else np.empty(0, dtype)

    keys = [
        _key_array(chunk).take(pa.array(chunk.columns["task"].astype("i8") - chunk.first))
        for chunk in chunks
    ]
    lane = column("lane", "u2")
    return pd.DataFrame(
        {
            "start": column("start", "f8"),
            "duration": column("duration", "f4").astype("f8"),
            "worker": _categorical(lane, [worker for worker, _ in names.lanes]),
            "thread": _categorical(lane, [thread for _, thread in names.lanes]),
            "prefix": _categorical(column("prefix", "u2"), names.prefixes),
            "action": _categorical(column("action", "u1"), names.actions),
            "status": _categorical(column("status", "u1"), STATUSES),
            "nbytes": column("nbytes", "f8"),
            "span": _categorical(column("span", "u2"), names.labels("spans")),
            "key": pa.chunked_array(keys, pa.large_string()).to_pandas(),
            "task": column("task", "u4").astype("i8"),
        }
    )


def exported_tasks_frame(
    chunks: Sequence[TaskChunk], names: Names, worker_names: Mapping[str, str]
) -> pd.DataFrame:
    """Return the rows as files have them: with what panels call the workers beside their addresses.

    A file goes where `recording.worker_names` cannot be asked.
    """
    frame = tasks_frame(chunks, names)
    lanes = [chunk.columns["lane"] for chunk in chunks]
    of_lanes = [name_of(worker, worker_names) for worker, _ in names.lanes]
    column = _categorical(np.concatenate(lanes) if lanes else np.empty(0, "u2"), of_lanes)
    frame.insert(frame.columns.get_loc("worker") + 1, "worker_name", column)
    return frame
