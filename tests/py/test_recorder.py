"""The flight recorder: every client of a kernel is recorded, and none is harmed by it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any

import dask
import pytest
from clusters import SchedulerProcess, eventually, live, recorded
from distributed import Client, LocalCluster
from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.manager import KernelManager
from kernels import own_ports
from traitlets.config import Config

import daskscope
from daskscope import recorder, session_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def recording_by_itself() -> Iterator[None]:
    assert recorder.enable()
    yield
    recorder.disable()


def session_of(client: Client) -> daskscope.Session:
    found = session_list.of_client(client.id)
    assert found is not None
    return found


@pytest.mark.usefixtures("recording_by_itself")
def test_a_new_client_is_recorded_before_it_can_submit(cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as client:
        s = session_of(client)
        assert s.state == "live"
        client.submit(int, 1).result()
        recorded(s, 1)
    s.close()


@pytest.mark.usefixtures("recording_by_itself")
def test_the_last_task_of_a_client_that_takes_its_cluster_along_is_kept() -> None:
    client = Client(
        n_workers=1,
        processes=False,
        dashboard_address=":0",
        scheduler_kwargs={"dashboard": False},
    )
    s = session_of(client)
    client.gather(client.map(abs, range(-20, 0), pure=False))
    client.close()
    eventually(lambda: s.closed)
    assert s.counts.captured == 20
    s.close()


@pytest.mark.usefixtures("recording_by_itself")
def test_an_asynchronous_client_is_recorded_too(cluster: LocalCluster) -> None:
    async def work() -> daskscope.Session:
        async with Client(
            cluster.scheduler_address, asynchronous=True, set_as_default=False
        ) as client:
            s = session_of(client)
            # A new client waits for the recorder 1 s at most.
            await asyncio.to_thread(eventually, lambda: s.state == "live")
            await client.submit(int, 1)
            return s

    s = asyncio.run(work())
    eventually(lambda: s.closed)
    assert s.counts.captured == 1
    s.close()


@pytest.mark.usefixtures("recording_by_itself")
def test_clients_that_tasks_make_in_this_process_are_left_alone() -> None:
    def from_a_task() -> int:
        from distributed import worker_client

        with worker_client() as client:
            return int(client.submit(int, 5).result())

    with Client(
        n_workers=1,
        processes=False,
        dashboard_address=":0",
        scheduler_kwargs={"dashboard": False},
    ) as client:
        assert client.submit(from_a_task).result() == 5
        recorder.attach_all()
        assert daskscope.sessions() == [session_of(client)]
        recorded(session_of(client), 2)
    session_of(client).close()


def test_clients_that_exist_are_attached_when_it_starts(cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as client:
        recorder.enable()
        try:
            live(eventually(lambda: session_list.of_client(client.id)))
        finally:
            recorder.disable()
    session_of(client).close()


def test_a_client_that_a_thread_is_just_making_is_recorded(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts, may_go_on = threading.Event(), threading.Event()

    class Slow(ModuleType):
        @staticmethod
        async def dask_setup(client: Client) -> None:  # noqa: ARG004 - Dask's signature
            starts.set()
            await asyncio.to_thread(may_go_on.wait, 20)

    monkeypatch.setitem(sys.modules, "a_slow_preload", Slow("a_slow_preload"))
    made: list[Client] = []
    with dask.config.set({"distributed.client.preload": ["a_slow_preload"]}):
        maker = threading.Thread(target=lambda: made.append(Client(cluster, set_as_default=False)))
        maker.start()
        try:
            assert starts.wait(20)
            assert recorder.enable()
        finally:
            may_go_on.set()
            maker.join()
    with made[0] as client:
        eventually(lambda: session_list.of_client(client.id) is not None)
        s = live(session_of(client))
        client.submit(int, 1).result()
        recorded(s, 1)
    s.close()
    recorder.disable()


def test_a_session_that_the_user_closed_is_not_opened_again(cluster: LocalCluster) -> None:
    with Client(cluster, set_as_default=False) as client:
        closed = daskscope.connect(client)
        closed.close()
        assert recorder.attach_all() == []
        assert session_list.of_client(client.id) is closed
        session_list._sessions.pop(closed.id)  # as when later ones displace it
        assert recorder.attach_all() == []
        assert session_list.of_client(client.id) is None


@pytest.mark.usefixtures("recording_by_itself")
def test_a_refreshed_configuration_switches_it_on_again(cluster: LocalCluster) -> None:
    dask.config.refresh()
    assert not recorder.enabled()
    recorder.attach_all()
    assert recorder.enabled()
    with Client(cluster, set_as_default=False) as client:
        session_of(client).close()


def test_clients_that_come_while_the_others_are_copied_do_no_harm() -> None:
    class Changing:
        tries = 0

        def __iter__(self) -> Iterator[Any]:
            self.tries += 1
            if self.tries < 3:
                raise RuntimeError("Set changed size during iteration")
            return iter(["client"])

    assert recorder._copied(Changing()) == ["client"]  # type: ignore[comparison-overlap]


@pytest.mark.usefixtures("recording_by_itself")
def test_a_client_that_comes_while_a_thread_imports_what_sessions_need_is_recorded(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = ModuleType("daskscope.session_list")
    with Client(cluster, set_as_default=False) as client:
        session_of(client).close()
        monkeypatch.setitem(sys.modules, half.__name__, half)
        assert recorder._wanted(client)
        asyncio.run(recorder._client_closing(client))


def test_dasks_alarms_about_our_preload_are_seen_and_its_remarks_are_not() -> None:
    def passes(level: int) -> bool:
        what = ("distributed.preloading", level, "", 1, "a preload: %s", (recorder.HOOK_MODULE,))
        return bool(recorder._quiet.filter(logging.LogRecord(*what, None)))

    assert not passes(logging.INFO)
    assert passes(logging.ERROR)


def test_one_setting_switches_it_off(cluster: LocalCluster) -> None:
    with dask.config.set({"daskscope.recorder.enabled": False}):
        assert not recorder.enable()
        with Client(cluster, set_as_default=False) as client:
            assert session_list.of_client(client.id) is None
    assert not recorder.enabled()


def test_the_setting_also_counts_after_it_was_enabled(
    cluster: LocalCluster, recording_by_itself: None
) -> None:
    with (
        dask.config.set({"daskscope.recorder.enabled": False}),
        Client(cluster, set_as_default=False) as client,
    ):
        assert session_list.of_client(client.id) is None
        assert not recorder.enabled()
    assert recorder.enabled()


def test_the_ipython_extension_switches_it_on_and_off() -> None:
    shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    daskscope.load_ipython_extension(shell)
    assert recorder.enabled()
    daskscope.unload_ipython_extension(shell)
    assert not recorder.enabled()


def test_disabling_restores_the_configuration() -> None:
    with dask.config.set(
        {recorder.PRELOAD: ["mine.py"], recorder.PRELOAD_ARGV: [["--my", "argument"]]}
    ):
        recorder.enable()
        recorder.enable()
        assert dask.config.get(recorder.PRELOAD) == ["mine.py", recorder.HOOK_MODULE]
        assert dask.config.get(recorder.PRELOAD_ARGV) == [["--my", "argument"], []]
        recorder.disable()
        assert dask.config.get(recorder.PRELOAD) == ["mine.py"]
        assert dask.config.get(recorder.PRELOAD_ARGV) == [["--my", "argument"]]
    assert not hasattr(sys.modules[recorder.HOOK_MODULE], "dask_setup")


def test_a_preload_of_the_user_still_runs(cluster: LocalCluster, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.py"
    theirs.write_text("def dask_setup(client):\n    client.greeted = True\n")
    with dask.config.set({recorder.PRELOAD: str(theirs)}):
        recorder.enable()
        try:
            with Client(cluster, set_as_default=False) as client:
                assert client.greeted
                session_of(client).close()
        finally:
            recorder.disable()


@pytest.mark.usefixtures("recording_by_itself")
def test_nothing_is_logged_when_a_client_comes_and_goes(
    cluster: LocalCluster, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.INFO, logger="distributed.preloading"),
        Client(cluster, set_as_default=False) as client,
    ):
        s = session_of(client)
    s.close()
    assert not [r for r in caplog.records if r.name == "distributed.preloading"]


@pytest.mark.usefixtures("recording_by_itself")
def test_a_recorder_that_fails_or_hangs_does_not_stop_the_client(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(client: Any) -> None:
        raise RuntimeError("no session today")

    monkeypatch.setattr(session_list, "connect", fail)
    with Client(cluster, set_as_default=False) as client:
        assert client.submit(int, 1).result() == 1

    monkeypatch.setattr(session_list, "connect", lambda _: time.sleep(3))
    began = time.monotonic()
    with (
        dask.config.set({"daskscope.recorder.start-timeout": "100ms"}),
        Client(cluster, set_as_default=False) as client,
    ):
        assert time.monotonic() - began < 2
        assert client.submit(int, 1).result() == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("recording.overflow", "explode"),
        ("recording.memory-limit", float("inf")),
        ("recorder.start-timeout", "soon"),
        ("recorder.enabled", "perhaps"),
        ("recorder", False),
    ],
)
@pytest.mark.usefixtures("recording_by_itself")
def test_wrong_settings_are_told_once_and_harm_nobody(
    cluster: LocalCluster, caplog: pytest.LogCaptureFixture, key: str, value: Any
) -> None:
    wrong = {f"daskscope.{key}": value, "daskscope.collect.interval": "never"}
    with dask.config.set(wrong), Client(cluster, set_as_default=False) as client:
        assert client.submit(int, 1).result() == 1
    (told,) = [r.getMessage() for r in caplog.records if r.name == "daskscope.recorder"]
    for name, given in wrong.items():
        assert f"{name} = {given!r}" in told


@pytest.mark.all
@pytest.mark.usefixtures("recording_by_itself")
def test_clients_on_workers_without_daskscope_work_with_the_inherited_setting(
    scheduler_process: SchedulerProcess,
) -> None:
    """Nannies and cluster managers hand the kernel's configuration to their workers."""
    scheduler_process.start(
        distributed__client__preload=dask.config.get(recorder.PRELOAD),
        distributed__client__preload_argv=dask.config.get(recorder.PRELOAD_ARGV),
    )

    def from_a_task() -> int:
        from distributed import worker_client

        assert dask.config.get("distributed.client.preload")
        with worker_client() as client:
            return int(client.submit(int, 5).result())

    with Client(scheduler_process.address, set_as_default=False) as client:
        assert client.submit(from_a_task).result(timeout=30) == 5
        s = session_of(client)
        recorded(s, 2)
    s.close()


def test_importing_in_a_script_records_nothing_and_is_quick() -> None:
    code = """
    import sys
    import daskscope
    heavy = {"distributed", "pandas", "pyarrow", "numpy", "dask", "ipywidgets", "anywidget"}
    heavy |= {"bokeh", "PIL"}
    assert not heavy & set(sys.modules), heavy & set(sys.modules)
    assert not daskscope.recorder.enabled()
    assert not daskscope.recorder.in_kernel()
    for name in set(dir(daskscope)) - {"figures"}:
        getattr(daskscope, name)
    assert not {"bokeh", "PIL"} & set(sys.modules), "only figures and pictures need them"
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


class Kernel:
    """A real IPython kernel."""

    def __init__(self) -> None:
        self.manager = KernelManager(**own_ports())
        self.manager.start_kernel(env=os.environ | {"PYTHONFAULTHANDLER": "1"})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code: str) -> str:
        """Run a cell; return everything that it printed, to either stream, and errors."""
        printed: list[str] = []

        def hear(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] == "stream":
                printed.append(content["text"])
            if message["msg_type"] == "error":
                printed.append("\n".join(content["traceback"]))

        try:
            self.client.execute_interactive(textwrap.dedent(code), output_hook=hear, timeout=60)
        except TimeoutError:
            self.manager.signal_kernel(signal.SIGABRT)  # it says on stderr where it hangs
            raise
        return "".join(printed)

    def stop(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    kernel = Kernel()
    yield kernel
    kernel.stop()


def test_in_a_kernel_an_import_is_enough(kernel: Kernel) -> None:
    printed = kernel.run(
        """
        import daskscope
        from distributed import Client
        client = Client(processes=False, n_workers=1, dashboard_address=":0",
                        scheduler_kwargs={"dashboard": False})
        first = client.submit(int, 1).result()
        """
    )
    assert printed == ""
    assert kernel.run("%load_ext daskscope") == ""
    printed = kernel.run(
        """
        import time
        session = daskscope.connect()
        while session.counts.captured < 1:
            time.sleep(0.01)
        print(len(daskscope.sessions()), session.state, session.counts.captured)
        client.close()
        """
    )
    assert printed == "1 live 1\n"


def test_an_interrupted_cell_leaves_the_recording_alone(kernel: Kernel) -> None:
    kernel.run(
        """
        import daskscope, time
        from distributed import Client
        client = Client(processes=False, n_workers=1, dashboard_address=":0",
                        scheduler_kwargs={"dashboard": False})
        session = daskscope.connect(client)
        """
    )
    kernel.client.execute("print('begun', flush=True)\nwhile True: pass", stop_on_error=False)
    eventually(lambda: _hears(kernel, "begun"))
    kernel.manager.interrupt_kernel()
    printed = kernel.run(
        """
        future = client.submit(int, 1)
        future.result()
        while not session.counts.captured:
            time.sleep(0.01)
        print(session.state)
        client.close()
        """
    )
    assert printed.endswith("live\n")


def _hears(kernel: Kernel, text: str) -> bool:
    message = kernel.client.get_iopub_msg(timeout=20)
    return message["msg_type"] == "stream" and text in message["content"]["text"]
