"""A recording as CSV: a file a table, for spreadsheets and whatever reads nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from daskscope.export.written import written
from daskscope.recording.frames import tasks_frame
from daskscope.recording.recording import TABLE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    import pandas as pd

    from daskscope.recording import RecordingCore

TIMES: Final = ("time", "start", "stop")
FROM_ORIGIN: Final = "{}_from_origin"
"""Name of a time in seconds from the start of the recording's first task."""

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet calculates text that begins so."""


def to_csv(
    recording: RecordingCore,
    directory: str | PathLike[str],
    watch: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write each table into a CSV file of a directory, and what is known of the whole as JSON.

    `watch` is told while it is written: how many rows of tasks of how many are done.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [_write_tasks(recording, folder / "tasks.csv", watch)]
    paths += [
        _write(getattr(recording, name), folder / f"{name}.csv", recording)
        for name in TABLE_NAMES
        if name != "tasks"
    ]
    facts = {
        **recording.about_facts,
        "origin": recording.origin,
        "counts": recording.counts.to_json(),
    }
    with written(folder / "about.json") as file:
        file.write(json.dumps(facts, indent=1).encode("ascii"))
    return [*paths, folder / "about.json"]


def _write_tasks(
    recording: RecordingCore, path: Path, watch: Callable[[int, int], None] | None
) -> Path:
    chunks = recording.chunks()
    of = sum(chunk.rows for chunk in chunks)
    done = 0
    with written(path) as file:
        file.write(_csv(tasks_frame([], recording.names), recording, header=True))
        for chunk in chunks:
            file.write(_csv(tasks_frame([chunk], recording.names), recording, header=False))
            done += chunk.rows
            if watch is not None:
                watch(done, of)
    return path


def _write(frame: pd.DataFrame, path: Path, recording: RecordingCore) -> Path:
    with written(path) as file:
        file.write(_csv(frame, recording, header=True))
    return path


def _csv(frame: pd.DataFrame, recording: RecordingCore, *, header: bool) -> bytes:
    import pandas as pd

    columns: dict[str, Any] = {}
    origin = np.nan if recording.origin is None else recording.origin
    for name in frame.columns:
        column = frame[name]
        columns[name] = column if column.dtype.kind in "fiu" else _inert(column)
        if name in TIMES:
            columns[FROM_ORIGIN.format(name)] = (column - origin).round(6)
    text: str = pd.DataFrame(columns).to_csv(index=False, header=header, lineterminator="\n")
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
