"""`daskscope.MemorySampler`, which replaces Dask's class of the same name."""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from collections.abc import Hashable
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

from daskscope import collect, session_list
from daskscope.errors import DaskscopeError
from daskscope.format import bytes_text, count_text, one_line, some_of
from daskscope.memory_samples import Reading, Run, SamplesSource
from daskscope.schema import MEASURES
from daskscope.session import catch_up_async, catch_up_since, parts_of, sample_memory
from daskscope.session_list import hold_session, release_session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import pandas as pd
    from distributed import Client

    from daskscope.memory_samples import Columns
    from daskscope.session import Session
    from daskscope.widgets import MemoryPlot

FIRST_SAMPLE_S: Final = 20.0
BY: Final = ("cluster", "worker")
GIB: Final = 2**30


class MemorySampler:
    """Samples how much memory a cluster uses while blocks of code run.

    It replaces `distributed.diagnostics.MemorySampler`. It also records every measure of each
    worker, and `plot()` is live.

    Examples
    --------
    ::

        ms = daskscope.MemorySampler()
        with ms.sample("run 1"):
            ...
        with ms.sample("run 2"):
            ...
        ms.plot(align=True)

    With an asynchronous client::

        async with ms.sample("run 1"):
            ...
    """

    samples: dict[str, list[tuple[float, int]]]
    """By label: time in seconds since the epoch, and bytes of all workers together.

    A label is here once its block has ended.
    """

    def __init__(self) -> None:
        self.samples = {}
        self._runs: dict[str, Run] = {}  # the latest of each label
        self._readings: dict[str, Reading] = {}  # by id of the session
        self._source = SamplesSource()
        self._plots: weakref.WeakSet[MemoryPlot] = weakref.WeakSet()

    def __repr__(self) -> str:
        found = [
            f"{label} ({count_text(len(pairs), 'sample')}, "
            f"peak {bytes_text(max((size for _, size in pairs), default=0))})"
            for label, pairs in self.samples.items()
        ]
        return one_line(f"<daskscope.MemorySampler: {some_of(found) or 'no samples yet'}>")

    @classmethod
    def from_samples(cls, other: Any, *, measure: str = "process") -> MemorySampler:
        """Return a sampler with the samples of another one, such as distributed's.

        distributed's sampler does not store the measure: pass it as `measure`.

        >>> from distributed.diagnostics import MemorySampler
        >>> ms = daskscope.MemorySampler.from_samples(MemorySampler())
        >>> ms.samples
        {}
        """
        _checked_measure(measure)
        samples = getattr(other, "samples", None)
        if not isinstance(samples, dict):
            raise TypeError(f"other must be a MemorySampler, got {type(other).__name__}")
        found = cls()
        for label, pairs in samples.items():
            if not pairs:
                continue
            run = Run.of_pairs(label, measure, pairs)
            found.samples[label] = list(pairs)
            found._runs[label] = run
            found._source.add(label, run.columns)
        return found

    def sample(
        self,
        label: str | None = None,
        *,
        client: Client | None = None,
        measure: str = "process",
        interval: float = 0.5,
    ) -> Any:
        """Return a context manager that samples the memory of the cluster.

        Use it with ``with`` or, if the client is asynchronous, with ``async with``. The first
        sample is taken before the block begins. If the block raises, the samples are kept.

        Parameters
        ----------
        label
            Name of the samples, random by default; they replace earlier samples of the same
            name.
        client
            The current client by default.
        measure
            The measure in `samples`: one of process, managed, managed_total, spilled, unmanaged,
            unmanaged_old, unmanaged_recent, optimistic, as in
            `distributed.scheduler.MemoryState`. Plots and `to_pandas()` have all of them.
        interval
            Seconds between samples. They may be more frequent if another reader asks for that:
            all share the same samples, and panels ask for one every half second.
        """
        _check_label(label)
        measure = _checked_measure(measure)
        seconds = _checked_interval(interval)
        client = session_list.current_client() if client is None else client
        if not hasattr(client, "asynchronous"):
            name = type(client).__name__
            raise TypeError(f"client must be a distributed.Client or None, got {name}")
        make = self._sample_async if client.asynchronous else self._sample_sync
        return make(client, label, measure, seconds)

    @contextmanager
    def _sample_sync(
        self, client: Client, label: str | None, measure: str, interval: float
    ) -> Iterator[None]:
        run, session = Run(label, measure, interval), hold_session(client)
        try:
            collect.wait(self._begin(session, run))
            try:
                yield
            finally:
                try:
                    collect.wait(self._end(session, run))
                finally:  # also after an interrupt
                    self._keep(run)
        finally:
            release_session(session)

    @asynccontextmanager
    async def _sample_async(
        self, client: Client, label: str | None, measure: str, interval: float
    ) -> AsyncIterator[None]:
        run, session = Run(label, measure, interval), hold_session(client)
        try:
            await session
            await collect.awaited(self._begin(session, run))
            try:
                yield
            finally:
                try:
                    await collect.awaited(self._end(session, run))
                finally:
                    self._keep(run)
        finally:
            release_session(session)

    # -- in the background loop -------------------------------------------------

    async def _begin(self, session: Session, run: Run) -> None:
        """Wait for the first sample."""
        await catch_up_async(session)  # earlier samples do not belong to the block
        reading = self._readings.get(session.id)
        if reading is None:
            reading = self._readings[session.id] = Reading(session, self._take)
        reading.runs.append(run)
        sample_memory(session, run.id, run.interval_s)
        within = f"within {FIRST_SAMPLE_S:g} s"
        try:
            async with asyncio.timeout(FIRST_SAMPLE_S):
                while not len(run.values(run.measure)[0]):
                    if run and session.state == "partly":  # this measure needs an agent
                        within = "without the agent"
                        raise TimeoutError
                    if session.state not in ("waiting", "live", "partly"):
                        raise TimeoutError
                    reading.news.clear()
                    await reading.news.wait()
            self._own(run)
            self._source.set_state("live")
        except BaseException as error:
            self._leave(session, run)
            if not isinstance(error, TimeoutError):
                raise
            raise DaskscopeError(
                "no-sample",
                f"The scheduler at {session.address} did not report {run.measure} memory {within}.",
                "`daskscope.connect().notices` shows problems of the connection.",
            ) from None

    async def _end(self, session: Session, run: Run) -> None:
        """Wait for the samples that are due by now."""
        run.stop = time.time() + parts_of(session).collector.clock.ahead_s
        try:
            await catch_up_since(session, time.monotonic())
        finally:
            self._leave(session, run)
            self._own(run)

    def _take(self, reading: Reading, samples: Columns, workers: Columns) -> None:
        self._source.add_workers(workers)
        for run in reading.runs:
            if run.workers is not None:
                run.workers.update(workers["worker"])
            taken = run.take(samples)
            if self._runs.get(run.label) is run:
                self._source.add(run.label, taken)

    def _leave(self, session: Session, run: Run) -> None:
        sample_memory(session, run.id, None)
        reading = self._readings[session.id]
        reading.runs.remove(run)
        if not reading.runs:
            reading.stop()
            del self._readings[session.id]
        if not self._readings:
            self._source.set_state("stopped")

    def _own(self, run: Run) -> None:
        """Show a run under its label; it replaces an earlier run."""
        before = self._runs.get(run.label)
        self._runs[run.label] = run
        if before is None:
            self._source.add(run.label, run.columns)
        elif before is not run:  # rows cannot be removed, so start a new source
            self._source = SamplesSource(self._source)
            for one in self._runs.values():
                self._source.add(one.label, one.columns)
            for plot in list(self._plots):
                show(self, plot)

    # -- the samples ------------------------------------------------------------

    def _keep(self, run: Run) -> None:
        times, values = run.values(run.measure)
        self.samples[run.label] = list(zip(times.tolist(), map(int, values.tolist()), strict=True))

    def to_pandas(
        self, *, align: bool = False, measure: str | None = None, by: str = "cluster"
    ) -> pd.DataFrame:
        """Return the samples as a DataFrame, with a column for each label.

        If labels have samples at different times, gaps are filled with the previous sample,
        but never after the last one.

        Parameters
        ----------
        align
            Start each label at time 0, instead of times in UTC.
        measure
            One of the measures of `sample()`; by default the one passed to it for each label.
        by
            ``"cluster"``, or ``"worker"`` for a column for each label and worker.
        """
        import pandas as pd

        if measure is not None:
            _checked_measure(measure)
        if by not in BY:
            raise ValueError(f"by must be one of {', '.join(BY)}, got {by!r:.200}")
        found = {}
        for label, pairs in self.samples.items():
            frame = self._frame(label, pairs, measure, by)
            frame.index = pd.to_datetime(frame.index, unit="s")
            frame = frame[~frame.index.duplicated()].sort_index()
            if align:
                frame.index -= frame.index[0]
            found[label] = frame
        if not found:
            return pd.DataFrame()
        times = pd.concat(found, axis=1, sort=True).index
        filled = {
            label: frame.reindex(times, method="ffill")[: frame.index[-1]]
            for label, frame in found.items()
        }
        names = ["label"] if by == "worker" else None  # the level of workers already has a name
        return pd.concat(filled, axis=1, sort=True, names=names).reindex(times)

    def _frame(
        self, label: str, pairs: list[tuple[float, int]], measure: str | None, by: str
    ) -> pd.Series | pd.DataFrame:
        """Return the samples of a label by seconds since the epoch."""
        import pandas as pd

        run = self._runs.get(label)
        own = run.measure if run else None
        if by == "cluster" and measure in (None, own):
            return pd.Series([size for _, size in pairs], [moment for moment, _ in pairs])
        measure = measure or own or MEASURES[0]
        if run and by == "cluster" and len(run.values(measure)[0]):
            times, values = run.values(measure)
            return pd.Series(values.astype("int64"), times)
        if run and by == "worker" and run.workers is not None:
            return _by_worker(self._source, run, measure)
        if run and run.workers is not None:
            raise ValueError(
                f"no samples of {measure} memory for {label!r}: the scheduler has no agent"
            )
        what = f"measure={measure!r}" if by == "cluster" else f"by={by!r}"
        raise ValueError(f"the samples of {label!r} come from another process, without {what}")

    def plot(
        self,
        *,
        align: bool = False,
        measure: str | None = None,
        backend: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return a plot of all samples, by default a widget that updates while they arrive.

        Parameters
        ----------
        align
            Start all labels at time 0; the widget has a switch for it.
        measure
            One of the measures of `sample()`, by default the one passed to it; the widget has
            a menu for it.
        backend
            ``"matplotlib"`` returns pandas' plot of every sample in GiB, as distributed does;
            ``"bokeh"`` returns a Bokeh figure. Any other name is passed to pandas.
        kwargs
            Options of the widget, such as `layout`. Other keyword arguments are passed to
            `pandas.DataFrame.plot`, and select it: ``ms.plot(grid=True)``. With
            ``backend="bokeh"`` they are properties of the figure.

        Examples
        --------
        ::

            ms = daskscope.MemorySampler()
            display(ms.plot())         # shows the samples as they arrive
            with ms.sample("run 1"):
                ...
            ms.plot(align=True, figsize=(8, 4))
        """
        measure = None if measure is None else _checked_measure(measure)
        if backend is None:
            from daskscope.widgets import MemoryPlot, takes

            if takes(MemoryPlot, kwargs):
                return MemoryPlot(self, align=align, measure=measure, **kwargs)
            backend = "matplotlib"
        if not self.samples:
            raise ValueError('there are no samples to plot: run `with ms.sample("label"):` first')
        frame = self.to_pandas(align=align, measure=measure)
        if backend == "bokeh":
            from daskscope.figures import memory_samples

            figure = memory_samples(frame, aligned=align, measure=measure or measure_of(self))
            figure.update(**kwargs)
            return figure
        if backend == "matplotlib" and find_spec(backend) is None:
            raise DaskscopeError(
                "no-matplotlib",
                "This plot needs matplotlib, which is not installed.",
                'Run `pip install matplotlib`, or use plot() or plot(backend="bokeh").',
            )
        options = {"xlabel": "time", "ylabel": "Cluster memory (GiB)", **kwargs}
        return (frame / GIB).plot(backend=backend, **options)


def source_of(sampler: MemorySampler) -> SamplesSource:
    """Return the current source for pages; overwriting a label replaces it."""
    return sampler._source


def show(sampler: MemorySampler, plot: MemoryPlot) -> None:
    """Show the samples in a plot, now and after labels are overwritten."""
    sampler._plots.add(plot)
    session_list.show(sampler, sampler._source)
    plot.session = sampler._source.id


def measure_of(sampler: MemorySampler) -> str:
    """Return the measure of the latest run."""
    return next((run.measure for run in reversed(sampler._runs.values())), MEASURES[0])


def labels_of(sampler: MemorySampler) -> list[str]:
    """Return all labels, including those that are being sampled."""
    return [*sampler._runs]


def _checked_measure(measure: str) -> str:
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r:.200}")
    return measure


def _check_label(label: object) -> None:
    """Accept any hashable label, as distributed does, except a client passed by position."""
    if isinstance(label, Hashable) and not hasattr(label, "scheduler_info"):
        return
    hint = ": pass it as client=…" if isinstance(label, Hashable) else ""
    raise TypeError(f"label must be text, got {type(label).__name__}{hint}")


def _checked_interval(interval: Any) -> float:
    if not isinstance(interval, Real):
        kind = type(interval).__name__
        raise TypeError(f"interval must be a number of seconds, got {kind}")
    if not 0 < interval < math.inf:  # type: ignore[operator]
        raise ValueError(f"interval must be more than 0 seconds, got {interval!r:.200}")
    return float(interval)


def _by_worker(source: SamplesSource, run: Run, measure: str) -> pd.DataFrame:
    """Return the memory of each worker at the time of each sample."""
    import numpy as np
    import pandas as pd

    times = np.unique(run.columns["time"])
    rows = source.memory.rows(times[0], times[-1])
    names = ("time", "step", "worker", measure, f"{measure}_most")
    table = pd.DataFrame({name: rows[name] for name in names})
    found = {}
    for worker, part in table.groupby("worker"):
        if worker in (run.workers or ()):  # others belong to another cluster
            last = np.searchsorted(part["time"], times, side="right") - 1
            here = part.iloc[last]  # the peak within a combined step, the last value after it
            values = here[measure].to_numpy(np.float64)
            within = times < (here["time"] + here["step"]).to_numpy()
            values = np.where(within, here[f"{measure}_most"], values)
            found[worker] = np.where(last < 0, np.nan, values)
    return pd.DataFrame(found, times).rename_axis(columns="worker")
