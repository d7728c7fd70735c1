"""A recording as CSV: a file a table, for spreadsheets and whatever reads nothing else."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.recording.frames import write_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike
    from pathlib import Path

    import pandas as pd

    from daskscope.recording import RecordingStore

TIMES: Final = ("time", "start", "stop")
FROM_ORIGIN: Final = "{}_from_origin"
"""Name of a time in seconds from the start of the recording's first task."""

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet calculates text that begins so."""


def to_csv(
    recording: RecordingStore,
    directory: str | PathLike[str],
    watch: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write each table into a CSV file of a directory, and what is known of the whole as JSON.

    `watch(done, of)` is called with the number of rows of tasks while they are written.
    """

    @contextmanager
    def open_file(path: Path, head: pd.DataFrame) -> Iterator[Callable[[pd.DataFrame], object]]:
        with path.open("wb") as file:
            file.write(_csv(head, recording, header=True))
            yield lambda rows: file.write(_csv(rows, recording, header=False))

    return write_tables(recording, directory, ".csv", open_file, watch)


def _csv(frame: pd.DataFrame, recording: RecordingStore, *, header: bool) -> bytes:
    import pandas as pd

    columns: dict[str, Any] = {}
    origin = np.nan if recording.origin is None else recording.origin
    for name in frame.columns:
        column = frame[name]
        columns[name] = column if column.dtype.kind in "fiu" else _inert(column)
        if name in TIMES:
            columns[FROM_ORIGIN.format(name)] = (column - origin).round(6)
    write = partial(pd.DataFrame(columns).to_csv, index=False, header=header, lineterminator="\n")
    text: str = write()
    if "\r" in text:  # which Python before 3.13 puts into no quotes, and readers take for an end
        text = write(quoting=csv.QUOTE_NONNUMERIC)
    return text.encode("utf-8", "replace")


def _inert(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts such that no spreadsheet calculates them.

    >>> import pandas as pd
    >>> _inert(pd.Series(["=1+1", "x-1", None], dtype=object)).tolist()
    ["'=1+1", 'x-1', None]
    """
    texts = column.astype(object)
    risky = [isinstance(text, str) and text.startswith(FORMULA) for text in texts]
    if any(risky):
        texts[risky] = "'" + texts[risky]
    return texts
