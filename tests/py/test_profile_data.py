"""The profile of real clusters: the same counts as Dask's, and nothing lost or left behind."""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
import pytest
from clusters import WITHOUT_DASHBOARD, cluster_of_one_worker, eventually, live
from distributed import Client, LocalCluster, Worker, profile
from profile_counts import counts_by, counts_in

import daskscope
from daskscope import agent, collect
from daskscope.collect import profile as module
from daskscope.collect.link import ClientView, Link
from daskscope.recording.profile import stacks_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clusters import SchedulerProcess

    from daskscope import Session


def burn(seconds: float) -> float:
    return spin(seconds)


def spin(seconds: float) -> float:
    end = time.time() + seconds
    while time.time() < end:
        sum(range(1_000))
    return seconds


def burner() -> Any:
    """The same for workers that cannot import this module."""

    def burn(seconds: float) -> None:
        end = time.time() + seconds
        while time.time() < end:
            sum(range(1_000))

    return burn


@pytest.fixture
def session(client: Client) -> Iterator[Session]:
    with daskscope.connect(client) as s:
        yield live(s)


def total(recording: Any, *window: float, **of: Any) -> float:
    return float(counts_in(recording._core, *window, **of).sum())


def profiled(s: Session) -> dict[str, Any]:
    return {row.worker: row for row in s.recording._core.log("profiled").since(0)}


def read(s: Session) -> Any:
    """All that was sampled until now, in the recording."""
    collect.submit(s._collector.read_profile()).result(30)
    return s.recording


def ask_often(s: Session, questions: int = 1) -> None:
    """Ask ten times a second from now on, and wait until so many questions were asked."""
    tail = s._collector._profile
    collect.soon(tail.set_interval, "test", 0.1)
    for _ in range(questions):
        asked = tail._asked_s
        eventually(lambda asked=asked: tail._asked_s > asked)


def self_by_name(recording: Any, **of: Any) -> dict[str, float]:
    stacks, counts = stacks_of(recording._core.names), counts_in(recording._core, **of)
    found: dict[str, float] = {}
    for stack in np.flatnonzero(counts):
        name = stacks.frames[stacks.frame[stack]][0]
        found[name] = found.get(name, 0) + float(counts[stack])
    return found


def merged(tree: dict[str, Any]) -> dict[tuple[str, ...], int]:
    """How often each path of functions went on to another, as Dask counts: not at leaves."""
    found: dict[tuple[str, ...], int] = {}
    todo = [(tree, ())]
    while todo:
        node, path = todo.pop()
        if node["count"]:
            found[path] = found.get(path, 0) + node["count"]
        for ident, child in node["children"].items():
            todo.append((child, (*path, ident.split(";")[0])))
    return found


def inner(recording: Any, **of: Any) -> dict[tuple[str, ...], float]:
    """The same of a recording."""
    stacks, counts = stacks_of(recording._core.names), counts_in(recording._core, **of)
    totals, paths = counts.copy(), [()]
    for stack in range(len(totals) - 1, 0, -1):
        totals[stacks.parent[stack]] += totals[stack]
    for stack in range(1, len(totals)):
        name = stacks.frames[stacks.frame[stack]][0]
        paths.append((*paths[stacks.parent[stack]], name))
    found: dict[tuple[str, ...], float] = {}
    for path, count in zip(paths, totals.tolist(), strict=True):
        found[path] = found.get(path, 0) + count  # functions of one name in several files
    return found


def test_the_counts_are_those_of_the_client(client: Client, session: Session):
    client.gather(client.map(burn, [0.2 + n / 1000 for n in range(12)]))
    eventually(lambda: total(read(session)) == client.profile()["count"] > 0)
    recording, dask_s = session.recording, client.profile()
    assert session.profile().count == total(recording) == dask_s["count"]
    here = inner(recording)
    for path, count in merged(dask_s).items():
        # What is in one of several is below the same function.
        assert here[path] >= count
    assert here[()] == dask_s["count"]
    by_name = self_by_name(recording)
    assert max(by_name, key=by_name.__getitem__) == "spin"
    for prefix, count in counts_by(recording._core, "prefix").items():
        assert count == client.profile(key=prefix)["count"]
        assert count == session.profile(prefix=prefix).count
    for worker, count in counts_by(recording._core, "worker").items():
        assert count == client.profile(workers=[worker])["count"]
        assert count == session.profile(worker=worker).count


def test_so_are_those_of_a_window(client: Client, session: Session):
    client.gather(client.map(burn, [0.3 + n / 1000 for n in range(24)], key="a"))
    recording = read(session)
    rows = recording._core.series("profile_counts").rows()
    for worker in sorted({*rows["worker"].tolist()}):
        ends = rows["time"] + rows["duration"]
        times = np.unique(ends[rows["worker"] == worker])
        assert len(times) > 2
        start, stop = times[0], times[-1]
        # distributed takes cycles that end at `start` or later, and one more than asked for.
        found = client.profile(workers=[worker], start=start + 1e-6, stop=np.nextafter(stop, 0))
        ours = session.profile(start, stop, worker=worker)
        assert ours.count == pytest.approx(found["count"])


def test_a_worker_that_leaves_takes_nothing_along():
    with (
        LocalCluster(n_workers=2, processes=False, **WITHOUT_DASHBOARD) as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        read(live(s))  # from now on it is asked once a minute
        client.gather(client.map(burn, [0.2 + n / 1000 for n in range(8)]))
        workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        # Until its first cycle has ended Dask has no samples of a worker.
        eventually(lambda: all(client.profile(workers=[one])["count"] for one in workers))
        leaves, _ = workers
        before = client.profile()["count"]
        client.retire_workers([leaves])
        eventually(lambda: len(s.workers) == 1)
        assert total(read(s)) == before > client.profile()["count"]


def test_nothing_is_lost_when_dask_forgets_old_cycles():
    class Counting(deque):  # type: ignore[type-arg]
        samples = 0

        def append(self, cycle: Any) -> None:
            self.samples += cycle[1]["count"]
            super().append(cycle)

    settings = {"distributed.worker.profile.cycle": "50ms"}
    with dask.config.set({**settings, "distributed.admin.low-level-log-length": 30}):
        cluster = cluster_of_one_worker()
    with cluster, Client(cluster) as client, daskscope.connect(client) as s:
        (worker,) = cluster.workers.values()
        sampled = worker.profile_history = Counting(maxlen=30)  # instead of 1,000
        read(live(s))
        while client.profile()["count"] >= sampled.samples * 0.8:
            client.submit(burn, 0.3, pure=False).result()
            read(s)
        eventually(lambda: s.profile().count == sampled.samples)
        assert sampled.samples > client.profile()["count"] > 0
        assert not profiled(s)[worker.address].lost


def test_workers_take_turns_within_the_bandwidth(
    client: Client, cluster: LocalCluster, session: Session, monkeypatch: pytest.MonkeyPatch
):
    read(live(session))
    gather = cluster.scheduler.plugins[agent.name()].profiles
    monkeypatch.setitem(type(gather).answer.__globals__, "AT_ONCE", 1)

    async def ask_all() -> list[Any]:
        link, answers = await Link.open(ClientView(client)), list[Any]()
        while not answers or answers[-1]["next"]:
            after = answers[-1]["next"] if answers else ""
            op = agent.name() + "_profile"
            answer = await link.ask(op, reader="test", after=after, limit_bytes=1, last=True)
            answers.append(answer)
        await link.close()
        return answers

    client.gather(client.map(burn, [0.3] * 4, pure=False))
    answers = collect.submit(ask_all()).result(30)
    # Each answer has the scheduler, too; only the last one says that all workers were asked.
    assert [len(answer["workers"]) for answer in answers] == [2, 2]
    workers = [one for answer in answers for one in answer["workers"] if one]
    assert sorted(workers) == sorted(cluster.scheduler.workers)
    assert [answer["all"] is None for answer in answers] == [True, False]


def test_the_next_question_waits_for_the_bandwidth(client: Client, session: Session):
    client.gather(client.map(burn, [0.3] * 4, pure=False))
    read(live(session))
    tail = session._collector._profile
    tail._bandwidth = 4_000.0
    ask_often(session)
    eventually(lambda: tail._answer_bytes)
    asked_s, size = tail._asked_s, tail._answer_bytes
    ask_often(session)
    assert tail._asked_s - asked_s >= size / 4_000


def test_event_loops_are_read_where_distributed_samples_them():
    """distributed leaves them out on Python 3.11 alone: this samples them as it does elsewhere."""
    with dask.config.set({"distributed.worker.profile.cycle": "50ms"}):
        over = threading.Event()
        with cluster_of_one_worker() as cluster, Client(cluster) as client:
            (ident,) = client.run(threading.get_ident).values()
            cluster.scheduler.io_loop.profile = profile.watch(
                ident,
                interval="10ms",
                cycle="50ms",
                omit=("profile.py", "selectors.py"),
                stop=over.is_set,
            )
            with daskscope.connect(client) as s:
                live(s)
                while client.profile(scheduler=True)["count"] < 5:
                    client.run(burn, 0.2)  # in the event loop, which worker and scheduler share
                over.set()
                [one.join() for one in threading.enumerate() if one.name == "Profile"]
                worker, scheduler = (s.profile(scope=one) for one in ("worker", "scheduler"))
                assert scheduler.count == client.profile(scheduler=True)["count"]
                assert worker.count == client.profile(server=True)["count"]
                for tree in (worker, scheduler):
                    assert "spin" in {*tree.to_pandas()["function"]}
                    assert tree.interval == 0.05  # once a cycle
                assert not s.profile().count
                assert {row.administrative for row in profiled(s).values()} == {"ok"}


def test_of_one_that_is_killed_what_was_read_stays(scheduler_process: SchedulerProcess):
    scheduler_process.start(workers=1)
    with Client(scheduler_process.address) as client, daskscope.connect(client) as s:
        read(live(s))
        client.gather(client.map(burner(), [0.5 + n / 1000 for n in range(4)]))
        eventually(lambda: total(read(s)) == client.profile()["count"] > 0)
        count = total(s.recording)
        (worker,) = scheduler_process._workers
        worker.send_signal(signal.SIGSTOP)
        ask_often(s)  # it does not answer
        worker.kill()
        other = scheduler_process.add_worker()
        eventually(lambda: len(profiled(s)) == 3)  # it joined just now
        client.gather(client.map(burner(), [0.2 + n / 1000 for n in range(4)], key="b"))
        assert total(read(s)) > count
        assert other.poll() is None
        assert total(s.recording) == count + client.profile()["count"]


def test_a_profile_that_is_off_says_how_to_switch_it_on():
    with (
        dask.config.set({"distributed.worker.profile.enabled": False}),
        cluster_of_one_worker() as cluster,
        Client(cluster) as client,
        daskscope.connect(client) as s,
    ):
        client.submit(burn, 0.1).result()
        assert total(read(live(s))) == 0
        states = {bool(one): row[5:7] for one, row in profiled(s).items()}
        assert states == {True: ("off", "off"), False: ("", "off")}
        for scope in ("compute", "worker", "scheduler"):
            assert "distributed.worker.profile.enabled: true" in repr(s.profile(scope=scope))


def test_intervals_are_those_of_the_workers(scheduler_process: SchedulerProcess):
    scheduler_process.start(
        distributed__worker__profile__interval="50ms", distributed__worker__profile__cycle="300ms"
    )
    with Client(scheduler_process.address) as client, daskscope.connect(client) as s:
        client.submit(burner(), 0.5).result()
        read(live(s))
        (row,) = [row for worker, row in profiled(s).items() if worker]
        assert (row.interval, row.cycle) == (0.05, 0.3)


@pytest.mark.parametrize(
    "blocked", [["register_worker_plugin"], ["register_worker_plugin", "register_scheduler_plugin"]]
)
def test_if_plugins_are_refused_dask_s_own_routes_are_read(
    blocked: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "ROUTES_S", 0.2)
    with dask.config.set({"distributed.scheduler.blocked-handlers": blocked}):
        cluster = LocalCluster(n_workers=2, processes=False, **WITHOUT_DASHBOARD)
    with cluster, Client(cluster) as client, daskscope.connect(client) as s:
        eventually(lambda: s.state in ("live", "partly"))
        collect.soon(s._collector._profile.set_interval, "test", 0.2)
        client.gather(client.map(burn, [0.2 + n / 1000 for n in range(10)]))
        expected = client.profile()["count"]
        eventually(lambda: total(s.recording) == expected)
        ask_often(s, questions=3)
        assert total(s.recording) == expected == client.profile()["count"]
        assert {row.compute for row in profiled(s).values() if row.worker} == {"refused"}
        assert self_by_name(s.recording)["spin"] > 0.9 * expected
        codes = {one.code for one in s.notices}
        assert codes & {"profile-refused", "plugins-refused"}
        assert not client.run(traces)[next(iter(client.scheduler_info()["workers"]))]


def traces(dask_worker: Worker) -> list[str]:
    """What is ours on a worker."""
    name = "daskscope"
    return [one for one in (*dask_worker.handlers, *dask_worker.plugins) if one.startswith(name)]


def test_an_answer_that_cannot_be_read_is_a_notice(client: Client, session: Session):
    def spoil(dask_worker: Worker) -> None:
        (plugin,) = [one for name, one in dask_worker.plugins.items() if "daskscope" in name]
        plugin.cycles = None

    read(live(session))
    client.run(spoil)
    collect.soon(session._collector._profile.set_interval, "test", 0.2)
    eventually(lambda: "profile-unreadable" in {one.code for one in session.notices})
    assert session.state == "live"


def test_a_scheduler_that_refuses_every_route_is_a_notice(monkeypatch: pytest.MonkeyPatch):
    blocked = ["register_worker_plugin", "broadcast"]
    with dask.config.set({"distributed.scheduler.blocked-handlers": blocked}):
        cluster = cluster_of_one_worker()
    with cluster, Client(cluster) as client, daskscope.connect(client) as s:
        live(s)
        collect.soon(s._collector._profile.set_interval, "test", 0.2)
        eventually(lambda: "profile-not-read" in {one.code for one in s.notices})


def test_the_agent_leaves_workers_with_its_last_reader(client: Client, cluster: LocalCluster):
    with daskscope.connect(client) as s:
        read(live(s))
        assert all(client.run(traces).values())
        assert agent.name() in cluster.scheduler.worker_plugins
    eventually(lambda: not any(client.run(traces).values()))
    assert agent.name() not in cluster.scheduler.worker_plugins
    with daskscope.connect(client) as s:  # and comes back
        client.submit(burn, 0.2, key="again").result()
        assert total(read(live(s))) > 0


def test_what_ran_last_is_there_when_the_session_has_ended(
    client: Client, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
):
    with daskscope.connect(client) as s:
        read(live(s))
        client.gather(client.map(burn, [0.4] * 4, pure=False))
        expected = client.profile()["count"]
        # Also if an answer has not room for all workers.
        gather = cluster.scheduler.plugins[agent.name()].profiles
        monkeypatch.setitem(type(gather).answer.__globals__, "AT_ONCE", 1)
        s._collector._profile._bandwidth = 1.0
    assert total(s.recording) == expected > 0


def test_nothing_is_asked_of_workers_before_somebody_reads(client: Client, session: Session):
    client.submit(burn, 0.1).result()
    assert not any(client.run(traces).values())


def test_it_is_read_each_second_while_a_page_shows_it(client: Client, session: Session):
    collect.soon(session._set_shown_tables, frozenset({"profile_counts"}))
    client.submit(burn, 1.5).result()
    eventually(lambda: total(session.recording) > 0)
    asked = session._collector._profile._asked_s
    eventually(lambda: session._collector._profile._asked_s > asked)
    assert session._collector._profile._asked_s - asked < 5
    collect.soon(session._set_shown_tables, frozenset())
    eventually(lambda: session._collector._profile._every_s() == module.IDLE_S)


def test_clocks_that_are_off_do_not_matter(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("distributed.worker.time", lambda: time.time() - 30)
    with cluster_of_one_worker() as cluster, Client(cluster) as client:
        (worker,) = cluster.workers.values()
        eventually(lambda: abs(worker.scheduler_delay - 30) < 1)
        with daskscope.connect(client) as s:
            begun = time.time()
            client.submit(burn, 1.5).result()
            recording = read(live(s))
            over = time.time()
            assert total(recording) == client.profile()["count"] > 0
            assert total(recording, begun - 1, over + 1) == total(recording)


def test_a_block_has_the_profile_of_its_time(client: Client, session: Session, tmp_path: Path):
    client.submit(burn, 0.5, key="before").result()
    with daskscope.record(path=tmp_path / "run.daskscope") as block:
        client.gather(client.map(burn, [0.4 + n / 1000 for n in range(8)]))
        begun = time.time()
    assert time.time() - begun < 10
    loaded = daskscope.load(tmp_path / "run.daskscope")
    for recording in (block, loaded):
        spun = self_by_name(recording)["spin"]
        assert 0 < spun <= total(recording)
        assert "burn" in counts_by(recording._core, "prefix")
        about = recording.about
        rows = recording._core.series("profile_counts").rows()
        assert rows["time"].min() >= about["start"] - 1e-3
        assert (rows["time"] + rows["duration"]).max() <= about["stop"] + 1
        workers = {row.worker for row in recording._core.log("profiled").since(0)}
        assert {*rows["worker"].tolist()} <= workers
        frame = recording.table("profile_counts")
        assert frame["count"].sum() == pytest.approx(total(recording))
    assert total(loaded) == pytest.approx(total(block))


def test_a_redacted_report_has_no_line_of_code_and_no_path(
    client: Client, session: Session, tmp_path: Path
):
    from daskscope.report.redact import redacted

    client.submit(burn, 0.5).result()
    recording = read(session)
    clean = redacted(recording._core, ["code", "paths", "hosts"])
    frames = clean.names.since("frames", 0)
    assert {frame[4] for frame in frames} == {""}
    assert "spin" in {frame[0] for frame in frames}
    assert not [frame for frame in frames if "/" in frame[1]]
    assert {row.worker for row in clean.log("profiled").since(0)} >= {"worker-0"}
    assert counts_in(clean).sum() == pytest.approx(total(recording))
