"""Recordings as pandas DataFrames, and as Parquet files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from daskscope import schema
from daskscope.atomic_files import real, written_folder
from daskscope.recording.names import indexed, name_of
from daskscope.schema import STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from os import PathLike
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from daskscope.recording.chunk import TaskChunk
    from daskscope.recording.names import Names
    from daskscope.recording.recording_store import RecordingStore

    OpenFile = Callable[
        [Path, pd.DataFrame], AbstractContextManager[Callable[[pd.DataFrame], object]]
    ]


def _categorical(codes: NDArray[Any], names: Sequence[str]) -> pd.Categorical:
    """Make a categorical; equal names share a category, an empty one is missing."""
    import pandas as pd

    categories = list(dict.fromkeys(name for name in names if name))
    place = {name: i for i, name in enumerate(categories)}
    lookup = np.array([place.get(name, -1) for name in names] or [-1], dtype="i4")
    return pd.Categorical.from_codes(lookup[codes], categories=categories)


def _key_array(chunk: TaskChunk) -> pa.Array:
    """Return the keys of the rows of a chunk."""
    import pyarrow as pa

    keys = pa.array([key for block in chunk.keys for key in block.texts()], pa.large_string())
    return keys.take(pa.array(chunk.columns["task"].astype("i8") - chunk.first))


def table_frame(recording: RecordingStore, name: str) -> pd.DataFrame:
    """Return any table, with names for indexes of entries."""
    table, names = schema.tables()[name], recording.names
    if isinstance(table, schema.Dictionary):
        frame = _frame(table.columns, names.columns(name), names, schema.columns_of(table))
        if table is schema.PREFIXES:  # omit the empty prefix of metrics without prefix
            frame = frame[frame["name"] != ""].reset_index(drop=True)
        return frame
    if isinstance(table, schema.Log):
        return _frame(table.columns, recording.log(name).columns(), names)
    if isinstance(table, schema.Series):
        columns = (*schema.columns_of(table), schema.STEP)
        return _frame(columns, recording.series(name).rows(), names)
    return tasks_frame(recording, recording.chunks())


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


def cells_of_graphs(recording: RecordingStore) -> list[str]:
    """Return the cell that sent each graph, by number of the graph; "" if there is none."""
    graphs = recording.log(schema.COMPUTATIONS.name).columns()
    numbers = graphs["computation"]
    cells = [*schema.WITHOUT_GRAPH, *[""] * (max(numbers, default=1) - 1)]
    for number, cell in zip(numbers, graphs["cell"], strict=True):
        cells[number] = cell
    return cells


def tasks_frame(recording: RecordingStore, chunks: Sequence[TaskChunk]) -> pd.DataFrame:
    """Return one row per start/stop interval of some chunks of a recording."""
    import pandas as pd
    import pyarrow as pa

    names, cells = recording.names, cells_of_graphs(recording)

    def column(name: str, dtype: str) -> NDArray[Any]:
        parts = [chunk.columns[name] for chunk in chunks]
        return np.concatenate(parts) if parts else np.empty(0, dtype)

    keys = [_key_array(chunk) for chunk in chunks]
    lane, graph = column("lane", "u2"), column("computation", "u2")
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
            "computation": graph.astype("i8"),
            "cell": _categorical(np.where(graph < len(cells), graph, 0), cells),
            "key": pa.chunked_array(keys, pa.large_string()).to_pandas(),
            "task": column("task", "u4").astype("i8"),
        }
    )


def exported_tasks_frame(recording: RecordingStore, chunks: Sequence[TaskChunk]) -> pd.DataFrame:
    """Return the rows for files, with the workers' names in panels beside their addresses.

    Readers of a file cannot use `recording.worker_names`.
    """
    frame = tasks_frame(recording, chunks)
    lanes = [chunk.columns["lane"] for chunk in chunks]
    known = recording.worker_names
    of_lanes = [name_of(worker, known) for worker, _ in recording.names.lanes]
    column = _categorical(np.concatenate(lanes) if lanes else np.empty(0, "u2"), of_lanes)
    frame.insert(frame.columns.get_loc("worker") + 1, "worker_name", column)
    return frame


def write_tables(
    recording: RecordingStore,
    directory: str | PathLike[str],
    ending: str,
    open_file: OpenFile,
    watch: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write each table into a file of a directory, and facts about the recording as JSON.

    `open_file` gets a path and a frame without rows that has the columns; it yields a function that
    writes a frame. Tasks are written by chunk, as the rows of a long run may not fit into memory.
    `watch(done, of)` is called with the number of rows of tasks while they are written.
    """
    from daskscope.recording.recording_store import ABOUT, about_json

    def tasks_of(chunks: Sequence[TaskChunk]) -> pd.DataFrame:
        return exported_tasks_frame(recording, chunks)

    chunks = recording.chunks()
    of, done = sum(chunk.rows for chunk in chunks), 0
    with written_folder(directory) as folder:
        with open_file(folder / f"{schema.TASKS.name}{ending}", tasks_of([])) as write:
            for chunk in chunks:
                write(tasks_of([chunk]))
                done += chunk.rows
                if watch is not None:
                    watch(done, of)
        for name, table in schema.tables().items():
            if not isinstance(table, schema.Tasks):
                frame = recording.table(name)
                with open_file(folder / f"{name}{ending}", frame.iloc[:0]) as write:
                    write(frame)
        (folder / ABOUT).write_bytes(about_json(recording).encode("ascii"))
        names = sorted(path.name for path in folder.iterdir())
    return [real(directory) / name for name in names]


def write_parquet(
    recording: RecordingStore,
    directory: str | PathLike[str],
    watch: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write each table into a Parquet file of a directory (see `write_tables`)."""
    return write_tables(recording, directory, ".parquet", _open_parquet, watch)


@contextmanager
def _open_parquet(path: Path, head: pd.DataFrame) -> Iterator[Callable[[pd.DataFrame], object]]:
    """Open a file with the column types of `head`, which has no rows.

    NaN becomes null, which other programs leave out of means.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = _schema(pa.Schema.from_pandas(head, preserve_index=False))
    with pq.ParquetWriter(path, kinds) as writer:
        yield lambda rows: writer.write_table(
            pa.Table.from_pandas(rows, preserve_index=False).cast(kinds)
        )


def _schema(found: pa.Schema) -> pa.Schema:
    """Return column types that fit any rows, from the schema of a frame without rows.

    New names may arrive while tasks are written, and pandas before version 3 cannot know that an
    empty column is text.
    """
    import pyarrow as pa

    for place, field in enumerate(found):
        if pa.types.is_dictionary(field.type):
            wide = pa.dictionary(pa.int32(), pa.string())
            found = found.set(place, field.with_type(wide))
        elif pa.types.is_null(field.type):
            found = found.set(place, field.with_type(pa.string()))
    return found
