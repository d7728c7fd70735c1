"""Real clusters for the tests, and the checks that nothing outlives a test."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import dask
import pytest
from clusters import WITHOUT_DASHBOARD, SchedulerProcess, eventually
from traces import traces_on_schedulers

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from distributed import Client, LocalCluster
    from stream_scene import Scene

SELDOM = {
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.worker.profile.interval": "100ms",
}
"""Settings with which an idle cluster needs a third of the processor time."""


def pytest_configure(config: pytest.Config) -> None:
    """Add markers; an exception in a thread fails the test that runs then."""
    config.addinivalue_line("markers", "matrix: needs what `make test-all` sets up")
    config.addinivalue_line("markers", "all: with TEST_ALL=1 alone: too slow for every change")
    config.addinivalue_line("filterwarnings", "error::pytest.PytestUnhandledThreadExceptionWarning")
    # A shell without job control starts background programs with Ctrl-C ignored; CI may do so.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Reports of tests must not come into the library of whoever runs them, nor those of kernels.
    folder = tempfile.mkdtemp(prefix="daskscope-tests-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    library = str(Path(folder, "library"))
    os.environ["DASK_DASKSCOPE__LIBRARY__PATH"] = library
    dask.config.set({"daskscope.library.path": library})
    # A worker of a cluster that is restarted beside other tests may need longer than 15 s.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "120s"})
    if "PYTEST_XDIST_WORKER" in os.environ:  # others run beside it, with temporary files of theirs
        os.environ["TMPDIR"] = tempfile.tempdir = folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is too slow for every change, as the browser tests do."""
    if os.environ.get("TEST_ALL"):
        return
    slow = [item for item in items if item.get_closest_marker("all")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("all")]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Spell out what is no UTF-8 in captured output: pytest-xdist cannot send it."""
    report = yield
    report.sections = [
        (name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections
    ]
    return report


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Fail a test that leaves a session, a thread, a comm, an agent or the recorder behind."""
    yield
    leaks = []
    recorder = sys.modules.get("daskscope.recorder")
    if recorder is not None and recorder.enabled():
        recorder.disable()
        leaks.append("the flight recorder is still enabled")
    session_list = sys.modules.get("daskscope.session_list")
    if session_list is not None:
        for session in session_list.sessions():
            if not session.closed:
                leaks.append(f"open: {session}")
            session.close()
            session_list._sessions.pop(session.id, None)
    try:
        eventually(lambda: not our_threads(), seconds=20)
    except AssertionError:
        leaks.append(f"threads: {our_threads()}")
    leaks += [f"comm: {comm}" for comm in open_comms()]
    leaks += hooks_on_clients()
    try:
        eventually(lambda: not traces_on_schedulers(), seconds=20)
    except AssertionError:
        leaks += traces_on_schedulers()
    assert not leaks, leaks


def our_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("daskscope")]


def hooks_on_clients() -> list[str]:
    """Return what sessions that have ended left on clients and in settings of Dask."""
    sent = sys.modules.get("daskscope.collect.sent")
    if sent is None:
        return []
    left = [f"hook: {one}" for one in sent._open]
    frames = dask.config.get(sent.NFRAMES, 0)
    return left if frames != sent.FRAMES else [*left, f"{sent.NFRAMES}: {frames}"]


def open_comms() -> list[str]:
    comm = sys.modules.get("comm")
    if comm is None:
        return []
    return [c.target_name for c in comm.get_comm_manager().comms.values() if not c._closed]


@pytest.fixture(scope="session", autouse=True)
def without_long_waits() -> Iterator[None]:
    """Ask schedulers often, also while no page looks: most tests wait for tasks.

    What is shipped is tested in test_default_pace.py.
    """
    import dask

    with dask.config.set({"daskscope.collect.unwatched-interval": "100ms"}):
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes with two threads each; the scheduler is in this process."""
    from distributed import LocalCluster

    with dask.config.set(SELDOM):
        cluster = LocalCluster(n_workers=2, threads_per_worker=2, **WITHOUT_DASHBOARD)
    with cluster:
        yield cluster


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    from distributed import Client

    with Client(cluster) as client:
        yield client


@pytest.fixture
def scheduler_process(tmp_path: Path) -> Iterator[SchedulerProcess]:
    """A scheduler of its own process that cannot import daskscope; not yet started."""
    process = SchedulerProcess(tmp_path)
    yield process
    process.stop()


@pytest.fixture
def scene() -> Iterator[Scene]:
    """A hub with one session; at the end it has let go of timers and of the loop."""
    from stream_scene import Scene

    scene = Scene()
    yield scene
    for page in scene.pages:
        scene.hub.close(page.channel)
    assert scene.loop.timers == []
    assert scene.loop.holders == set()
