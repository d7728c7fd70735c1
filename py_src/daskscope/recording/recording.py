"""A recording for users, read-only: tables with pandas, SQL, files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from daskscope import schema
from daskscope.atomic_files import not_written, real, text_of
from daskscope.errors import DaskscopeError
from daskscope.format import bytes_text, count_text
from daskscope.recording import frames
from daskscope.recording.names import sound

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from pathlib import Path

    import pandas as pd

    from daskscope.derive.profile_tree import ProfileTree
    from daskscope.recording.recording_store import RecordingStore
    from daskscope.recording.totals import Counts

_NO_TABLE: Final = re.compile(r"Table with name (.+?) does not exist")
"""Error message of DuckDB."""

_CHANGES: Final = re.compile(r"\s*(delete|update|insert|drop|alter|truncate)\b", re.IGNORECASE)


class Recording:
    """What was captured of a cluster: tables, counts, and ways to save it.

    It is read-only. While a session is live, each access has the latest rows.

    >>> list(rec.events.columns)
    ['time', 'topic', 'message']
    """

    def __init__(self, core: RecordingStore) -> None:
        self._read = core

    @property
    def _core(self) -> RecordingStore:
        return self._read

    @property
    def counts(self) -> Counts:
        """Exact counts: captured, kept, dropped (and where), rows, erred, changes."""
        return self._core.counts

    @property
    def origin(self) -> float | None:
        """Start of the first task, in seconds since the epoch: zero of the time axes."""
        return self._core.origin

    @property
    def memory_bytes(self) -> int:
        """Memory used for rows, keys and summaries, in bytes."""
        return self._core.memory_bytes

    @property
    def disk_bytes(self) -> int:
        """Bytes that were spilled to temporary files."""
        return self._core.disk_bytes

    @property
    def worker_names(self) -> dict[str, str]:
        """The names that panels show for workers, by address, including workers that have left.

        Use it to name the workers of ``tasks``, ``errors`` and exported CSVs:

        >>> rec.worker_names
        {'tcp://10.0.0.1:0': 'worker-0'}
        >>> rec.errors["worker"].map(rec.worker_names).tolist()
        ['worker-0']
        """
        return self._core.worker_names

    @property
    def tasks(self) -> pd.DataFrame:
        """A DataFrame with one row per start/stop interval of a task, in order of arrival.

        ===========  =================================================================
        start        seconds since the epoch by the scheduler's clock, as in Dask's
                     ``get_task_stream`` and in ``Focus(time=…)``
        duration     seconds; negative when clocks disagree
        worker       address; ``worker_names`` has what panels call it
        thread       ``threading.get_ident()`` of the thread: it identifies the thread
                     within its worker
        prefix       the part of the key that Dask colours by
        action       compute, transfer, disk-read, disk-write, deserialize, …
        status       OK or error, of the whole task
        nbytes       size of the task's result in bytes
        span         full name, such as "load / clean" if nested; "default" for tasks outside
                     of any ``with span(…)``; missing if the cluster has no spans, or the
                     scheduler refuses plugins. Dask gives all tasks of a group the span of
                     the first one: all calls of ``client.map(load, …)`` share one, unless
                     their keys are tuples with a new first element each time
        computation  number of the graph that the task came from, as in
                     ``table("computations")``; 0 is unknown, 1 a task that ran again because
                     its result was lost
        cell         the notebook cell that sent this graph, "In [7]", as in
                     ``table("cells")``; missing outside of cells
        key          the task's key as text
        task         number of the task in this recording, as in ``errors``: a key may
                     run more than once
        ===========  =================================================================

        Times are plain numbers, so ``start + duration`` is when a row stopped, and
        ``start - recording.origin`` how far into the run it began. pandas converts them to
        dates:

        >>> import pandas as pd
        >>> pd.to_datetime(rec.tasks["start"], unit="s", utc=True).dtype.kind
        'M'
        """
        return self.table(schema.TASKS.name)

    @property
    def errors(self) -> pd.DataFrame:
        """Tasks that erred: time, task, key, prefix, worker, exception, traceback.

        ``time`` is when the task stopped, as in ``tasks``; if it has no row there (its
        worker was killed), when the scheduler noticed. ``task`` is its number, as in
        ``tasks``; -1 if the scheduler dropped the task before it could be read.
        """
        return self.table(schema.ERRORS.name)

    @property
    def workers(self) -> pd.DataFrame:
        """A log of what happened to workers: time, worker, name, what, detail.

        ``what`` is "present" for workers that were there when recording began; "added" and
        "removed"; a status such as "paused" or "running"; "spilling" when some of its data
        is on disk and "not-spilling" afterwards; and "restarted", without a worker, when
        the client restarted the cluster. ``detail`` is its number of threads when it
        joined, or its previous status. ``session.workers`` has the current workers.
        """
        return self.table(schema.WORKERS.name)

    @property
    def gaps(self) -> pd.DataFrame:
        """Intervals in which tasks may be missing: start, stop, reason, text."""
        return self.table(schema.GAPS.name)

    @property
    def events(self) -> pd.DataFrame:
        """What was logged on the scheduler, by Dask or by ``log_event``: time, topic, message.

        ``message`` is JSON. ``topic`` lists all topics of an event.
        """
        return self.table(schema.EVENTS.name)

    @property
    def logs(self) -> pd.DataFrame:
        """Lines of the logs of scheduler and workers: time, source, level, text.

        They are read at the end of a ``with daskscope.record()`` block or of a report. A session
        reads them while a panel shows them.
        """
        return self.table(schema.LOGS.name)

    @property
    def system(self) -> pd.DataFrame:
        """Samples of all workers together, and of the scheduler; NaN means not measured.

        Columns: time; for the workers: workers, threads, memory_limit, process, managed,
        spilled, replicas (further copies of results), scattered (data that clients sent); for
        the scheduler: cpu, memory, loop_interval; each also with ``_least`` and ``_most``,
        which differ from it in rows that cover a ``step`` of 10, 60 or 600 seconds.
        """
        return self.table(schema.SYSTEM.name)

    def fine_metrics(
        self,
        start: float | None = None,
        stop: float | None = None,
        prefix: str | Sequence[str] | None = None,
        activity: str | Sequence[str] | None = None,
        span: str | Sequence[str] | None = None,
        cell: str | None = None,
        unit: str | Sequence[str] | None = None,
        over: str | float | None = None,
    ) -> pd.DataFrame:
        """Return Dask's Fine Performance Metrics: context, prefix, activity, span, unit, value.

        Without a time these are the totals of the scheduler, including those from before the
        recording. `start` and `stop` (seconds since the epoch, as in `tasks`) narrow them to
        that time. Pass one or several prefixes, activities, spans (full name, or id) and units;
        a span includes the spans inside it. ``cell="In [7]"`` selects the tasks of a cell; if
        other cells ran the same functions, it gets the share of its tasks.
        With `over`, as in ``over="1s"``, there is a row for each such step, with its ``time``.

        Do not add up the seconds of execute, p2p, gather-dep and get-data: they overlap. Values
        are lower bounds, since workers that close lose what they have not sent yet. Without an
        agent on the scheduler there are none.

        >>> list(rec.fine_metrics().columns)
        ['context', 'prefix', 'activity', 'span', 'unit', 'value']
        """
        from daskscope.recording.fine_metrics import fine_metrics

        names = {"prefix": prefix, "activity": activity, "span": span, "unit": unit}
        return fine_metrics(self, start, stop, names, cell=cell, over=over)

    def profile(
        self,
        start: float | None = None,
        stop: float | None = None,
        prefix: str | Sequence[str] | None = None,
        worker: str | Sequence[str] | None = None,
        scope: str = "compute",
    ) -> ProfileTree:
        """Return Dask's profile, a tree of the functions that threads were in.

        By default it covers the whole recording. With `start` and `stop` (seconds since the
        epoch, as in `tasks`), cycles partly in that time count in proportion. Pass one or
        several prefixes and workers (name or address). `scope` is ``"compute"``, the threads
        that run tasks, or ``"worker"`` or ``"scheduler"``, their event loops.

        >>> rec.profile(prefix="inc").top(1)["function"].tolist()
        ['work']
        """
        from daskscope.derive.recorded_profile import profile_of

        return profile_of(self._core, start, stop, prefix, worker, scope)

    def table(self, name: str) -> pd.DataFrame:
        """Return any table by name: those above, and ``prefixes``, ``lanes``, ``spans`` and others.

        Columns that point into tables of names have the names instead.

        >>> rec.table("prefixes")["name"].tolist()
        ['inc', 'sum']
        """
        if name not in schema.tables():
            raise ValueError(f"There is no table {name!r}. There are {_tables()}.")
        return frames.table_frame(self._core, name)

    @property
    def about(self) -> pd.Series[Any]:
        """Facts about the recording: title, start, stop, versions, code, …

        >>> rec.about["title"]
        'A run'
        """
        import pandas as pd

        facts = {_sound(name): value for name, value in self._core.about_facts.items()}
        return pd.Series(facts, name="about", dtype=object)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write everything into one ``.daskscope`` file, which `daskscope.load` opens.

        It replaces an existing file once it is complete. A live recording is saved as it was
        when this was called.

        >>> rec.save("run.daskscope").name
        'run.daskscope'
        >>> daskscope.load("run.daskscope").counts.kept
        320
        """
        from daskscope.recording.file_writer import write_file

        text_of(path)
        try:
            return write_file(self._core, path)
        except OSError as error:
            raise not_written(path, error) from error

    def to_parquet(self, directory: str | PathLike[str]) -> Path:
        """Write each table into a Parquet file of a directory, for Polars, DuckDB, Spark …

        The facts of `about` are in ``about.json`` next to them, with `counts` and `origin`.
        The directory is created if its parent exists. The files appear together, when all are
        complete. Memory use stays bounded.

        >>> import pandas as pd
        >>> tables = rec.to_parquet("tables")
        >>> len(pd.read_parquet(tables / "tasks.parquet"))
        620
        """
        from daskscope.recording.frames import write_parquet

        text_of(directory, "directory")
        write_parquet(self._core, directory)
        return real(directory)

    def sql(self, query: str) -> pd.DataFrame:
        """Run an SQL query on the tables with DuckDB (``pip install "daskscope[sql]"``).

        The tables are those of `table`: ``tasks``, ``errors``, ``workers``, ``events``, ``logs``,
        ``gaps``, ``system``, ``prefixes`` and others, and ``about`` with the columns ``index`` and
        ``value``. A statement without a result returns an empty DataFrame.

        >>> rec.sql("select prefix, sum(duration) as seconds from tasks group by prefix").columns
        Index(['prefix', 'seconds'], dtype=...)
        """
        if not isinstance(query, str):
            raise TypeError(f"query must be text, got {type(query).__name__}")
        if not query.strip(" ;\n\t"):
            raise DaskscopeError("bad-query", "The query is empty.", f"The tables are {_tables()}.")
        try:
            import duckdb
        except ImportError as error:
            raise DaskscopeError(
                "no-duckdb",
                "SQL queries need DuckDB, which is not installed.",
                'Run pip install "daskscope[sql]".',
            ) from error
        import pandas as pd

        connection = duckdb.connect()
        try:
            for name in _mentioned(query):
                connection.register(name, self._sql_table(name))
            found = connection.sql(query)
            return pd.DataFrame() if found is None else found.df()
        except (duckdb.BinderException, duckdb.CatalogException) as error:
            if (missing := _NO_TABLE.search(str(error))) is not None:
                raise DaskscopeError(
                    "bad-query", f"There is no table {missing[1]}.", f"There are {_tables()}."
                ) from error
            if _CHANGES.match(query):
                raise DaskscopeError(
                    "bad-query",
                    "A recording is read-only: SQL cannot change it.",
                    "Use select, or change the DataFrame recording.tasks.",
                ) from error
            raise
        finally:
            connection.close()

    def _sql_table(self, name: str) -> pd.DataFrame:
        if name == "about":
            return self.about.map(_sound).astype(str).rename("value").reset_index()
        return self.table(name)

    def __repr__(self) -> str:
        counts = self.counts
        cut = "" if self._core.about_facts.get("whole", True) else ", truncated"
        return (
            f"<Recording{cut}: {counts.kept:,} of {count_text(counts.captured, 'task')}, "
            f"{count_text(counts.rows, 'row')}, {bytes_text(self.memory_bytes)} in memory, "
            f"{bytes_text(self.disk_bytes)} on disk>"
        )


def store_of(recording: Recording) -> RecordingStore:
    """Return the store of a recording, for our own code."""
    return recording._core


def _mentioned(query: str) -> list[str]:
    """Return the tables whose names occur in a query: only these are built.

    >>> _mentioned("select * from Tasks join workers using (worker)")
    ['tasks', 'workers']
    """
    words = set(re.findall(r"\w+", query.lower()))
    names = [*schema.tables(), "about"]
    return [name for name in names if name in words] or names


def _tables() -> str:
    return f"{', '.join(schema.tables())} and about"


def _sound(value: Any) -> Any:
    return sound(value) if isinstance(value, str) else value
