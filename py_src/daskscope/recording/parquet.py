"""A recording as Parquet files, one a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daskscope import schema
from daskscope.recording.about import ABOUT, about_json
from daskscope.recording.frames import exported_tasks_frame
from daskscope.written import real, written_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

    from daskscope.recording.chunk import TaskChunk
    from daskscope.recording.recording_store import RecordingStore


def write_parquet(
    recording: RecordingStore,
    directory: str | PathLike[str],
    watch: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write each table into a Parquet file of a directory, and what is known of the whole as JSON.

    `watch` is told while they are written: how many rows of tasks of how many are done.
    """
    with written_folder(directory) as folder:
        _write_tasks(recording, folder / "tasks.parquet", watch)
        for name, table in schema.tables().items():
            if not isinstance(table, schema.Tasks):
                _write_table(recording.table(name), folder / f"{name}.parquet")
        (folder / ABOUT).write_bytes(about_json(recording).encode("ascii"))
        names = sorted(path.name for path in folder.iterdir())
    return [real(directory) / name for name in names]


def _write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table: the types of its columns are the same without rows.

    A NaN becomes a null, as in the table of tasks: programs leave it out of means.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = _schema(pa.Schema.from_pandas(frame.iloc[:0], preserve_index=False))
    pq.write_table(pa.Table.from_pandas(frame, kinds, preserve_index=False), path)


def _write_tasks(
    recording: RecordingStore, path: Path, watch: Callable[[int, int], None] | None
) -> None:
    """Write chunk by chunk: a long run has more rows than fit into a DataFrame."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def frame_of(chunks: Sequence[TaskChunk]) -> pd.DataFrame:
        return exported_tasks_frame(chunks, recording.names, recording.worker_names)

    chunks = recording.chunks()
    kinds = _schema(pa.Schema.from_pandas(frame_of([]), preserve_index=False))
    of, done = sum(chunk.rows for chunk in chunks), 0
    with pq.ParquetWriter(path, kinds) as writer:
        for chunk in chunks:
            frame = frame_of([chunk])
            writer.write_table(pa.Table.from_pandas(frame, preserve_index=False).cast(kinds))
            done += chunk.rows
            if watch is not None:
                watch(done, of)


def _schema(found: pa.Schema) -> pa.Schema:
    """Return the columns as any rows fit them, of a frame that has none.

    Names may come meanwhile, and pandas before 3 does not know of text that it has not seen.
    """
    import pyarrow as pa

    for place, field in enumerate(found):
        if pa.types.is_dictionary(field.type):
            wide = pa.dictionary(pa.int32(), pa.string())
            found = found.set(place, field.with_type(wide))
        elif pa.types.is_null(field.type):
            found = found.set(place, field.with_type(pa.string()))
    return found
