"""`daskscope.MemorySampler`: what it keeps of a block, whatever happens in it."""

from __future__ import annotations

import gc
import importlib.util
import itertools
import time
import weakref
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
import pandas as pd
import pytest
from clusters import WITHOUT_DASHBOARD, SchedulerProcess, cluster_of_one_worker, eventually
from distributed import Client, LocalCluster
from distributed.diagnostics import MemorySampler as DaskMemorySampler
from refusals import refused

import daskscope
from daskscope import kernel, session_list
from daskscope.errors import DaskscopeError
from daskscope.listeners import Listeners
from daskscope.memory_sampler import FIRST_SAMPLE_S
from daskscope.memory_samples import MAX_PARTS, Reading, Run
from daskscope.recording import RecordingStore
from daskscope.schema import MEASURES, PROTOCOL
from daskscope.stream.sender import chooser

if TYPE_CHECKING:
    from collections.abc import Iterator

MB = 1_000_000


@pytest.fixture
def ms() -> daskscope.MemorySampler:
    return daskscope.MemorySampler()


def wait_for_samples(ms: daskscope.MemorySampler, label: str, more: int = 2) -> None:
    """Wait until so many further samples of a running block are here."""
    run = ms._runs[label]
    before = len(run.columns["time"])
    eventually(lambda: len(run.columns["time"]) >= before + more)


def rows_of(ms: daskscope.MemorySampler, label: str, measure: str = "process") -> dict[str, Any]:
    """Return what pages get of a label."""
    rows = ms._source.recording._core.series("samples").rings[0].columns()
    wanted = (rows["label"] == label) & (rows["measure"] == measure)
    return {name: cells[wanted] for name, cells in rows.items()}


# -- blocks ----------------------------------------------------------------------


def test_a_block_is_sampled_from_before_its_begin_to_its_end(client: Client, ms) -> None:
    with ms.sample("run", measure="managed", interval=0.01):
        assert "run" not in ms.samples  # as with distributed's
        future = client.submit(np.ones, 1_000_000)
        future.result()
        wait_for_samples(ms, "run")
    assert type(ms.samples) is dict
    (time_, size), *_, last = ms.samples["run"]
    assert type(time_) is float
    assert type(size) is int
    assert size == 0
    assert last[1] == pytest.approx(8 * MB, rel=1e-3)
    assert abs(last[0] - time.time()) < 60


def test_one_sample_is_there_also_of_a_block_that_does_nothing(client: Client, ms) -> None:
    for _ in range(2):
        with ms.sample():
            pass
    assert len(ms.samples) == 2
    assert all(len(pairs) >= 1 for pairs in ms.samples.values())


def test_a_sample_comes_at_once_where_others_sample_already(client: Client, ms) -> None:
    with daskscope.connect(client), ms.sample("a", interval=30), ms.sample("b", interval=30):
        pass
    assert ms.samples["b"]


def test_it_goes_on_with_the_next_session_of_a_client(client: Client, ms) -> None:
    for label in ("a", "b"):
        with ms.sample(label, interval=0.01):
            wait_for_samples(ms, label)
    assert list(ms.samples) == ["a", "b"]
    assert session_list.of_client(client.id).closed  # it was made for the blocks


def test_a_session_that_was_there_stays_open(client: Client, ms) -> None:
    with daskscope.connect(client) as session, ms.sample("a"):
        pass
    assert session.closed
    with daskscope.connect(client) as session:
        with ms.sample("b"):
            pass
        assert not session.closed
        assert not session._collector._memory_readers


def test_a_repeated_label_overwrites(client: Client, ms) -> None:
    with ms.sample("other", interval=0.01):
        wait_for_samples(ms, "other")
    for _ in range(2):
        with ms.sample("run", interval=0.01):
            wait_for_samples(ms, "run")
    assert list(ms.samples) == ["other", "run"]
    for label, pairs in ms.samples.items():
        assert rows_of(ms, label)["time"].tolist() == [moment for moment, _ in pairs]
    assert len(ms.to_pandas()["run"].dropna()) <= len(ms.to_pandas())


def test_of_nested_blocks_with_one_label_the_one_that_ends_last_counts(client: Client, ms) -> None:
    with ms.sample("run", interval=0.01):
        wait_for_samples(ms, "run")
        with ms.sample("run", interval=0.01):
            wait_for_samples(ms, "run")
        inner = ms.samples["run"]
    outer = ms.samples["run"]
    assert outer[0][0] < inner[0][0]
    assert {moment for moment, _ in inner} <= {moment for moment, _ in outer}
    assert rows_of(ms, "run")["time"].tolist() == [moment for moment, _ in outer]


def test_of_overlapping_blocks_with_one_label_the_one_that_ends_last_counts(
    client: Client, ms
) -> None:
    first, second = ms.sample("run", interval=0.01), ms.sample("run", interval=0.01)
    first.__enter__()
    second.__enter__()
    wait_for_samples(ms, "run")
    first.__exit__(None, None, None)
    begin = ms.samples["run"][0][0]
    second.__exit__(None, None, None)
    assert ms.samples["run"][0][0] > begin
    assert rows_of(ms, "run")["time"].tolist() == [moment for moment, _ in ms.samples["run"]]


def test_blocks_of_different_measures_share_the_samples(client: Client, ms) -> None:
    with ms.sample("a", measure="managed", interval=0.01), ms.sample("b", interval=0.01):
        wait_for_samples(ms, "b")
    a, b = dict(ms.samples["a"]), dict(ms.samples["b"])
    assert set(b) & set(a)
    assert ms.to_pandas(measure="process")["a"].min() > MB


def test_an_exception_in_the_block_keeps_the_samples_and_propagates(client: Client, ms) -> None:
    with pytest.raises(ZeroDivisionError), ms.sample("run"):
        raise ZeroDivisionError
    assert ms.samples["run"]
    assert not ms._readings


def test_it_is_a_decorator_too(client: Client, ms) -> None:
    @ms.sample("run")
    def work() -> int:
        return 1

    assert work() == 1
    assert ms.samples["run"]


@pytest.mark.asyncio
async def test_an_asynchronous_client_gives_an_asynchronous_block(ms) -> None:
    options = {"n_workers": 1, "processes": False, "asynchronous": True, **WITHOUT_DASHBOARD}
    async with LocalCluster(**options) as cluster, Client(cluster, asynchronous=True) as client:
        async with ms.sample("run", client=client, measure="managed", interval=0.01):
            await client.submit(np.ones, 1_000_000)
        with pytest.raises(ZeroDivisionError):
            async with ms.sample("bad", client=client):
                raise ZeroDivisionError
    assert ms.samples["run"][0][1] == 0
    assert ms.samples["bad"]


def test_a_sample_without_workers_is_of_nothing(ms) -> None:
    with LocalCluster(n_workers=0, **WITHOUT_DASHBOARD) as cluster, Client(cluster), ms.sample("a"):
        pass
    assert {size for _, size in ms.samples["a"]} == {0}
    assert np.isnan(rows_of(ms, "a")["most"]).all()
    assert ms.to_pandas(by="worker").empty


def test_what_was_sampled_stays_when_the_client_is_closed_in_the_block(
    cluster: LocalCluster, ms
) -> None:
    client = Client(cluster)
    with ms.sample("run", client=client, interval=0.01):
        wait_for_samples(ms, "run")
        client.close()
    assert len(ms.samples["run"]) >= 3


def test_what_was_sampled_stays_when_the_scheduler_is_killed_in_the_block(
    scheduler_process: SchedulerProcess, ms
) -> None:
    scheduler_process.start()
    with Client(scheduler_process.address) as client:
        client.wait_for_workers(1)
        with ms.sample("run", interval=0.01):
            wait_for_samples(ms, "run")
            scheduler_process.kill_scheduler()
    assert len(ms.samples["run"]) >= 3
    assert np.isnan(rows_of(ms, "run")["limit"]).all()  # its worker has no limit


def test_without_a_scheduler_that_answers_it_says_so(
    scheduler_process: SchedulerProcess, ms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daskscope.memory_sampler.FIRST_SAMPLE_S", 0.1)
    scheduler_process.start(workers=0)
    with Client(scheduler_process.address) as client, daskscope.connect(client):
        scheduler_process.pause()
        with refused("no-sample", "process"):
            ms.sample("run").__enter__()
        scheduler_process.kill_scheduler()
    assert not ms._readings
    assert not ms.samples


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"measure": "memory"}, "measure must be one of process, managed, .*, got 'memory'"),
        ({"measure": "__class__"}, "measure must be one of"),
        ({"interval": 0}, "interval must be more than 0 seconds, got 0"),
        ({"interval": -1.5}, "interval must be more than 0 seconds, got -1.5"),
        ({"interval": float("nan")}, "interval must be more than 0 seconds, got nan"),
    ],
)
def test_an_argument_that_cannot_be_names_what_can(client: Client, ms, arguments, said) -> None:
    with pytest.raises(ValueError, match=said):
        ms.sample(**arguments)


@pytest.mark.parametrize("interval", [np.float32(0.5), np.int64(1)])
def test_an_interval_may_be_any_real_number(client: Client, ms, interval) -> None:
    with ms.sample("run", interval=interval):
        pass
    assert ms.samples["run"]


@pytest.mark.parametrize("interval", ["1s", None, 1j])
def test_an_interval_of_another_type_is_refused(client: Client, ms, interval) -> None:
    kind = type(interval).__name__
    with pytest.raises(TypeError, match=f"interval must be a number of seconds, got {kind}"):
        ms.sample(interval=interval)


def test_without_the_agent_it_says_at_once_which_measure_there_is_not(ms) -> None:
    blocked = {"distributed.scheduler.blocked-handlers": ["register_scheduler_plugin"]}
    with dask.config.set(blocked), cluster_of_one_worker() as cluster, Client(cluster):
        with ms.sample("run"):
            pass
        begun = time.monotonic()
        with refused("no-sample", "optimistic"):
            ms.sample("run", measure="optimistic").__enter__()
        assert time.monotonic() - begun < FIRST_SAMPLE_S / 2
    assert ms.to_pandas(measure="managed")["run"].notna().all()
    said = "no samples of optimistic memory for 'run': the scheduler has no agent"
    with pytest.raises(ValueError, match=said):
        ms.to_pandas(measure="optimistic")


def test_without_a_client_it_says_what_to_do(ms) -> None:
    with refused("no-client", "Client()"):
        ms.sample("run")


# -- what is read of a session -----------------------------------------------------


class Cluster:
    """A session whose table `memory` the test fills."""

    def __init__(self) -> None:
        self._recording = RecordingStore()
        self._parts = SimpleNamespace(store=self._recording)
        self._listeners = Listeners[[Any]]("a test")
        self.on_change = self._listeners.add
        self.ms = daskscope.MemorySampler()

    def sample(self, moment: float, cluster: float, **workers: float) -> None:
        """Append what the agent does: workers that changed, then the cluster; nan is gone."""
        rows = {**workers, "": cluster}
        values = np.array(list(rows.values()))
        columns = {"time": np.full(len(rows), moment), "worker": list(rows)}
        measures = dict.fromkeys(MEASURES, values) | {"limit": values * 0 + 100}
        self._recording.series("memory").append(columns | measures, now=moment)

    def read(self) -> None:
        self._listeners.notify(self)

    def begin(self, label: str) -> Reading:
        reading = Reading(self, self.ms._take)  # type: ignore[arg-type]
        run = self.ms._runs[label] = daskscope.memory_samples.Run(label, "process")
        reading.runs.append(run)
        return reading

    def end(self) -> daskscope.MemorySampler:
        self.read()
        for run in self.ms._runs.values():
            self.ms._keep(run)
        return self.ms


def test_least_median_and_most_are_of_the_workers_as_they_were_then() -> None:
    cluster = Cluster()
    cluster.sample(1.0, 60, a=10, b=20, c=30, gone=5)
    cluster.sample(2.0, 60, gone=np.nan)
    cluster.begin("run")
    cluster.sample(3.0, 60)
    cluster.read()
    cluster.sample(4.0, 105, a=55)
    cluster.sample(5.0, 50, a=np.nan)
    ms = cluster.end()
    rows = rows_of(ms, "run")
    assert rows["time"].tolist() == [3, 4, 5]
    assert rows["cluster"].tolist() == [60, 105, 50]
    assert rows["least"].tolist() == [10, 20, 20]
    assert rows["median"].tolist() == [20, 30, 25]
    assert rows["most"].tolist() == [30, 55, 30]
    assert rows["limit"].tolist() == [100] * 3


def test_of_each_worker_there_is_what_it_had_at_each_sample() -> None:
    cluster = Cluster()
    cluster.sample(1.0, 30, a=10, b=20)
    cluster.begin("run")
    cluster.sample(2.0, 30)
    cluster.sample(3.0, 1020, a=1000)  # a spike
    cluster.sample(4.0, 30, a=10)
    cluster.sample(5.0, 10, b=np.nan)
    cluster.sample(6.0, 12, c=2)
    frame = cluster.end().to_pandas(by="worker")
    assert frame.columns.names == ["label", "worker"]
    seconds = [moment.timestamp() for moment in frame.index.tz_localize("UTC")]
    assert seconds == [2, 3, 4, 5, 6]
    assert frame["run"]["a"].tolist() == [10, 1000, 10, 10, 10]
    assert frame["run"]["b"].tolist()[:3] == [20, 20, 20]
    assert frame["run"]["b"].isna().tolist() == [False, False, False, True, True]
    assert frame["run"]["c"].isna().tolist() == [True, True, True, True, False]


def test_after_a_wider_step_a_worker_has_its_last_value_or_is_gone() -> None:
    cluster = Cluster()
    run = cluster.begin("run").runs[0]
    for moment in (1004.0, 1005.0, 1006.0, 1012.0):
        cluster.sample(moment, 9)
    ms = cluster.end()
    run.workers = {"gone", "here"}
    sizes = {"process": [np.nan, 2], "process_least": [1, 1], "process_most": [9, 8]}
    ms._source.memory.restore(10, {"time": [1005, 1005], "worker": ["gone", "here"], **sizes})
    frame = ms.to_pandas(by="worker")["run"]
    assert frame["gone"].tolist()[:3] == [9, 9, 9]
    assert np.isnan(frame["gone"].iloc[3])
    assert frame["here"].tolist() == [8, 8, 8, 2]


def test_many_arrivals_of_a_block_are_few_arrays() -> None:
    cluster = Cluster()
    run = cluster.begin("run").runs[0]
    for number in range(3 * MAX_PARTS):
        cluster.sample(1000.0 + number, number)
        cluster.read()
    assert len(run._parts) <= MAX_PARTS
    assert run.columns["time"].tolist() == [*np.arange(3.0 * MAX_PARTS) + 1000]


def test_a_run_that_took_none_of_the_samples_is_empty() -> None:
    run = Run("run", "process")
    run._latest = run.stop = 0.0
    run.take(Run.of_pairs("later", "process", [(1.0, 2)]).columns)
    assert not run


def test_a_sampler_keeps_less_of_the_workers_than_a_session(ms) -> None:
    assert sum(ring.limit for ring in ms._source.memory.rings) <= 50_000_000
    assert ms._source.recording._core.series("memory") is ms._source.memory


def test_samples_stay_when_the_clock_is_set_back() -> None:
    cluster = Cluster()
    cluster.begin("run")
    for moment, size in ((1000.0, 1), (1001.0, 2), (500.0, 3), (501.0, 4), (1001.0, 5)):
        cluster.sample(moment, size, a=size)
        cluster.read()
    ms = cluster.end()
    assert ms.samples["run"] == [(1000, 1), (1001, 2), (500, 3), (501, 4), (1001, 5)]
    frame = ms.to_pandas(align=True)
    assert frame.index.is_monotonic_increasing
    assert frame["run"].tolist() == [3, 4, 1, 2]


def test_a_day_of_samples_at_a_millisecond_keeps_its_peaks() -> None:
    cluster = Cluster()
    cluster.begin("run")
    series = cluster._recording.series("memory")
    count = 100_000
    moments = 1_000.0 + np.arange(count) / 1000
    for part in np.split(np.arange(count), 100):
        sizes = np.where(part == 31_313, 9_999, part % 7)
        columns = dict.fromkeys(MEASURES, sizes)
        worker = np.full(len(part), "", object)
        now = float(moments[part[-1]])
        series.append({"time": moments[part], "worker": worker, **columns}, now=now)
        cluster.read()
    ms = cluster.end()
    assert len(ms.samples["run"]) == count
    assert ms.to_pandas()["run"].max() == 9_999
    rows = ms._source.recording._core.series("samples").rows()
    assert rows["cluster_most"].max() == 9_999  # also what left the ring of samples as measured


# -- DataFrames --------------------------------------------------------------------


def test_a_measure_may_be_chosen_after_the_fact(client: Client, ms) -> None:
    with ms.sample("run", interval=0.01):
        future = client.submit(np.ones, 1_000_000)
        future.result()
        wait_for_samples(ms, "run")
    assert ms.to_pandas()["run"].tolist() == [size for _, size in ms.samples["run"]]
    assert ms.to_pandas(measure="managed")["run"].max() == pytest.approx(8 * MB, rel=1e-3)
    workers = ms.to_pandas(measure="managed", by="worker")["run"]
    assert len(workers.columns) == 2
    assert workers.max().max() == pytest.approx(8 * MB, rel=1e-3)
    with pytest.raises(ValueError, match="measure must be one of process"):
        ms.to_pandas(measure="heap")
    with pytest.raises(ValueError, match="by must be one of cluster, worker, got 'task'"):
        ms.to_pandas(by="task")


def test_labels_are_filled_inside_and_never_beyond_their_end(ms) -> None:
    ms.samples["a"] = [(10.0, 1), (11.0, 2), (11.0, 3), (14.0, 4)]
    ms.samples["b"] = [(12.0, 5), (13.0, 6)]
    frame = ms.to_pandas()
    assert frame.index.tz is None
    assert [moment.second for moment in frame.index] == [10, 11, 12, 13, 14]
    assert frame["a"].tolist() == [1, 2, 2, 2, 4]
    assert frame["b"].isna().tolist() == [True, True, False, False, True]
    aligned = ms.to_pandas(align=True)
    assert aligned.index.total_seconds().tolist() == [0, 1, 4]
    assert aligned["b"].tolist()[:2] == [5, 6]
    assert np.isnan(aligned["b"].iloc[2])


@pytest.mark.parametrize("arguments", [{"grid": True}, {"backend": "bokeh"}])
def test_without_samples_a_plot_that_is_no_widget_says_what_to_run(ms, arguments) -> None:
    with pytest.raises(ValueError, match="no samples to plot: run `with"):
        ms.plot(**arguments)


def test_it_says_what_it_has() -> None:
    other = DaskMemorySampler()
    assert repr(daskscope.MemorySampler.from_samples(other)) == (
        "<daskscope.MemorySampler: no samples yet>"
    )
    other.samples = {"one\nline": [(10.0, 2**20), (11.0, 3)], "other": [(12.0, 2**30)]}
    assert repr(daskscope.MemorySampler.from_samples(other)) == (
        "<daskscope.MemorySampler: one line (2 samples, peak 1.00 MiB), "
        "other (1 sample, peak 1.00 GiB)>"
    )


def test_a_client_in_the_place_of_a_label_is_refused_before_the_block(client: Client, ms) -> None:
    with pytest.raises(TypeError, match="label must be text, got Client: pass it as client="):
        ms.sample(client)
    with pytest.raises(TypeError, match=r"got list$"):
        ms.sample(["run"])
    with ms.sample(5):  # type: ignore[arg-type]  # as distributed's takes it
        pass
    assert list(ms.samples) == [5]


def test_without_samples_there_is_an_empty_frame(ms) -> None:
    assert ms.to_pandas().empty
    assert ms.to_pandas(by="worker").empty


def test_samples_of_distributed_are_wrapped() -> None:
    other = DaskMemorySampler()
    other.samples = {"run": [(10.0, 2**40 + 1), (11.0, 3)], "none": []}
    ms = daskscope.MemorySampler.from_samples(other, measure="managed")
    assert ms.samples == {"run": other.samples["run"]}
    pd.testing.assert_frame_equal(ms.to_pandas(), ms.to_pandas(measure="managed"))
    assert rows_of(ms, "run", "managed")["time"].tolist() == [10, 11]
    assert len(rows_of(ms, "run", "process")["time"]) == 0
    for argument in ({"measure": "process"}, {"by": "worker"}):
        with pytest.raises(ValueError, match="'run'"):
            ms.to_pandas(**argument)
    with pytest.raises(TypeError, match="other must be a MemorySampler, got dict"):
        daskscope.MemorySampler.from_samples({})
    with pytest.raises(ValueError, match="measure must be one of"):
        daskscope.MemorySampler.from_samples(DaskMemorySampler(), measure="heap")


# -- plots -------------------------------------------------------------------------


@pytest.fixture
def sampled() -> daskscope.MemorySampler:
    ms = DaskMemorySampler()
    ms.samples = {"run": [(10.0, 2**30), (11.0, 2**31)], "other": [(20.0, 0), (21.0, 2**30)]}
    return daskscope.MemorySampler.from_samples(ms)


@pytest.fixture
def close_figures() -> Iterator[None]:
    plt = pytest.importorskip("matplotlib.pyplot")
    backend = plt.get_backend()
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(backend)


def test_by_default_it_is_a_widget(sampled) -> None:
    plot = sampled.plot(align=True, layout={"height": "200px"})
    try:
        assert isinstance(plot, daskscope.MemoryPlot)
        assert plot._options == {"align": True, "measure": "process"}
        assert plot.layout.height == "200px"
        assert plot.session == sampled._source.id
        assert repr(plot) == "<daskscope.MemoryPlot: 2 labels>"
        assert 1_000 < len(plot.picture()) <= 20_000
    finally:
        plot.close()


@pytest.mark.parametrize("arguments", [{"grid": True}, {"backend": "matplotlib"}])
def test_arguments_of_pandas_select_its_plot_of_every_sample(
    sampled, close_figures, arguments
) -> None:
    axes = sampled.plot(align=True, **arguments)
    assert axes.get_ylabel() == "Cluster memory (GiB)"
    assert [line.get_ydata().tolist() for line in axes.get_lines()] == [[1, 2], [0, 1]]


def test_without_matplotlib_it_says_what_to_install(sampled, monkeypatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "daskscope.memory_sampler.find_spec",
        lambda name: None if name == "matplotlib" else find_spec(name),
    )
    with pytest.raises(DaskscopeError, match="pip install matplotlib") as error:
        sampled.plot(grid=True)
    assert error.value.code == "no-matplotlib"


def test_a_bokeh_figure_has_a_line_for_each_label(sampled) -> None:
    figure = sampled.plot(backend="bokeh", align=True, height=300)
    assert figure.height == 300
    assert len(figure.renderers) == 2


def test_an_unknown_measure_of_a_plot_is_refused(sampled) -> None:
    with pytest.raises(ValueError, match="measure must be one of"):
        sampled.plot(measure="heap")


# -- pages -------------------------------------------------------------------------


@pytest.fixture
def said(monkeypatch) -> list[dict[str, Any]]:
    """What plots say to their pages."""
    heard: list[dict[str, Any]] = []
    monkeypatch.setattr(
        daskscope.MemoryPlot, "send", lambda _, content, **_buffers: heard.append(content)
    )
    return heard


numbers = itertools.count()


def watch(plot: daskscope.MemoryPlot) -> None:
    """Let a page show a plot."""
    page = f"page-{next(numbers)}"
    say = plot._handle_custom_msg
    say({"type": "hello", "page": page, "protocol": PROTOCOL, "version": "0.1.0"}, [])
    tables = {"visible": True, "tables": ["samples"], "have": []}
    say({"type": "watch", "page": page, "session": plot.session, **tables}, [])


def test_a_page_gets_samples_while_they_come_and_lists_no_client_more(
    client: Client, ms, said
) -> None:
    plot = ms.plot()
    watch(plot)
    eventually(lambda: [m for m in said if m["type"] == "rows" and m["table"] == "samples"])
    with ms.sample("run", interval=0.01):
        eventually(lambda: sum(m["rows"] for m in said if m["type"] == "rows") >= 80)
        eventually(lambda: [m for m in said if m["type"] == "status" and m["state"] == "live"])
    states = [m["state"] for m in said if m["type"] == "status"]
    assert states[0] == "stopped"
    eventually(lambda: [m["state"] for m in said if m["type"] == "status"][-1] == "stopped")
    listed = [m["sessions"] for m in said if m["type"] in ("welcome", "sessions")]
    assert plot.session not in {entry["id"] for entries in listed for entry in entries}
    assert chooser([ms._source], recorder_on=True)["sessions"] == []
    plot.close()


def test_a_plot_shows_the_new_samples_of_a_label(client: Client, ms, said) -> None:
    with ms.sample("run", interval=0.01):
        wait_for_samples(ms, "run")
    plot = ms.plot()
    first = plot.session
    ms._source.focus = daskscope.Focus(prefixes=["x"])
    with ms.sample("run", interval=0.01):
        assert plot.session != first
        wait_for_samples(ms, "run")
    assert plot.session == ms._source.id
    assert ms._source.focus.prefixes == ("x",)
    watch(plot)
    eventually(
        lambda: (
            sum(m["rows"] for m in said if m["type"] == "rows" and m["ring"] == 0)
            == len(MEASURES) * len(ms.samples["run"])
        )
    )
    plot.close()


def test_it_is_let_go_when_nobody_holds_it_or_its_plots(sampled) -> None:
    ms = daskscope.MemorySampler.from_samples(sampled)
    plot = ms.plot()
    source = weakref.ref(ms._source)
    del ms
    gc.collect()
    known = kernel.the_hub()._sources
    assert known.get(plot.session) is source()
    assert source() in session_list.sources()
    plot.close()
    plot = None
    gc.collect()
    eventually(lambda: source() is None)
