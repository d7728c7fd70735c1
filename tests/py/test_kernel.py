"""In real kernels: what a front end does, and what comes back while a cell is busy."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from kernels import ENSURE, CommPage, Kernel

from daskscope.schema import LIMITS


def dask_alone_loads(module: str) -> bool:
    """Whether a client imports it without us, as those of early 2025 do with pandas."""
    code = f"""
import sys
from distributed import Client, LocalCluster
with LocalCluster(n_workers=0, processes=False, dashboard_address=None) as c, Client(c):
    sys.exit({module!r} in sys.modules)
"""
    return subprocess.run([sys.executable, "-c", code]).returncode == 1


CLUSTER = """
from distributed import Client, LocalCluster
client = Client(LocalCluster(n_workers=1, threads_per_worker=2, processes=False,
                             dashboard_address=None))
"""
BUSY = """
import os, uuid
futures = client.map(lambda i: i, range(300), key="busy-" + uuid.uuid4().hex)
while not os.path.exists({stop!r}):
    sum(range(1000))
"""


class BusyCell:
    """A cell that computes in pure Python until `finish`, with 300 tasks beside it."""

    def __init__(self, kernel, folder):
        self.kernel, self.stop = kernel, folder / "stop"
        self.request = kernel.start(BUSY.format(stop=str(self.stop)))

    def finish(self):
        assert not self.kernel.finished(self.request)
        self.stop.touch()
        assert self.kernel.reply(self.request)["status"] == "ok"


@pytest.fixture(autouse=True)
def busy_cells_end(tmp_path):
    """Let the busy cell of a test that failed end, for the tests after it."""
    yield
    (tmp_path / "stop").touch()


@pytest.fixture
def fresh():
    """A kernel that has not heard of Dask or daskscope."""
    kernel = Kernel()
    yield kernel
    kernel.stop()


@pytest.fixture(scope="module")
def kernel():
    """A kernel with a cluster, ready for panels."""
    kernel = Kernel()
    assert kernel.evaluate(ENSURE)["status"] == "ok"
    kernel.run(CLUSTER)
    yield kernel
    kernel.stop()


def open_page(kernel, **options):
    page = CommPage(kernel, **options)
    page.hello()
    page.wait("welcome")
    return page


def session_of(page):
    """The id of the first session, as the kernel told it."""

    def known():
        for kind in ("sessions", "welcome"):
            for message in reversed(page.got(kind)):
                if message["sessions"]:
                    return message["sessions"][-1]["id"]
        return None

    return page.kernel.wait(known)


def states(kernel):
    """What the kernel said of itself, in order: busy or idle."""
    of_status = [m["content"] for m in kernel.messages if m["msg_type"] == "status"]
    return [content["execution_state"] for content in of_status]


def live_rows(page):
    """How many rows came that are newer than the page."""
    return sum(message["rows"] for message in page.got("batch") if message["kind"] == "live")


def test_ensure_is_silent_and_leaves_no_trace(fresh):
    fresh.run("before = set(dir())")
    answer = fresh.evaluate(ENSURE)
    assert answer["status"] == "ok", answer
    assert fresh.evaluate(ENSURE)["status"] == "ok"
    fresh.pump()
    fresh.run("import sys; assert set(dir()) - before <= {'before', 'sys', '_i', '_ii', '_iii', "
               "'_i1', '_i2', '_i3', '_oh', '_dh', '_', '__', '___'}")  # fmt: skip
    fresh.run("assert 'distributed' not in sys.modules and 'pyarrow' not in sys.modules")
    kinds = {message["msg_type"] for message in fresh.messages}
    assert kinds <= {"status", "execute_input"}


@pytest.mark.all
def test_a_wrong_setting_of_the_recorder_is_named_to_who_enters_the_kernel(fresh):
    fresh.run("import dask; dask.config.set({'daskscope.recorder.enabled': 'no'})")
    answer = fresh.evaluate(ENSURE)
    assert answer["ename"] == "BadSettingError"
    assert "daskscope.recorder.enabled = 'no'" in answer["evalue"]
    fresh.run("dask.config.set({'daskscope.recorder.enabled': True})")
    assert fresh.evaluate(ENSURE)["status"] == "ok"


@pytest.mark.all
@pytest.mark.parametrize("load", ["import daskscope", "%load_ext daskscope"])
def test_a_wrong_setting_of_the_recorder_is_told_and_does_not_keep_daskscope_from_loading(
    fresh, load
):
    fresh.run("import dask; dask.config.set({'daskscope.recorder': False})")
    cell = fresh.start(load)
    assert fresh.reply(cell)["status"] == "ok"

    def told():
        texts = [
            message["content"]["text"]
            for message in fresh.messages
            if message["msg_type"] == "stream" and message["parent_header"]["msg_id"] == cell
        ]
        return fresh.finished(cell) and "".join(texts)

    text = fresh.wait(told)
    assert text.count("daskscope.recorder = False, but it must be a section") == 1
    assert "daskscope.recorder.enable()" in text
    fresh.run("import daskscope; assert not daskscope.recorder.enabled()")
    fresh.run("dask.config.set({'daskscope.recorder': {'enabled': True}})")
    fresh.run("assert daskscope.recorder.enable()")


@pytest.mark.all
def test_a_page_hears_that_the_recorder_is_off_and_of_what_is_connected_by_hand(fresh):
    fresh.run("import dask; dask.config.set({'daskscope.recorder.enabled': False})")
    fresh.run(CLUSTER)
    assert fresh.evaluate(ENSURE)["status"] == "ok"
    page = open_page(fresh)
    (welcome,) = page.got("welcome")
    assert (welcome["sessions"], welcome["recorder"]) == ([], False)
    fresh.run("import daskscope; daskscope.connect(client)")
    session_of(page)
    page.close()


def test_a_page_hears_of_a_client_that_comes_later(fresh):
    fresh.evaluate(ENSURE)
    page = open_page(fresh)
    (welcome,) = page.got("welcome")
    assert (welcome["sessions"], welcome["recorder"]) == ([], True)
    assert welcome["subshells"] is fresh.subshells
    fresh.run(CLUSTER)
    session = session_of(page)
    page.watch(session)
    fresh.run("client.gather(client.map(lambda i: i, range(100)))")
    fresh.wait(lambda: live_rows(page) >= 100)
    loaded = fresh.evaluate("'pandas' in __import__('sys').modules")["data"]["text/plain"]
    assert loaded == "False" or dask_alone_loads("pandas"), "it takes a second to import"
    page.close()


def test_rows_arrive_while_a_cell_blocks_the_kernel(kernel, tmp_path):
    page = open_page(kernel)
    page.watch(session_of(page))
    page.wait("status")
    cell = BusyCell(kernel, tmp_path)
    kernel.wait(lambda: live_rows(page) >= 300)
    cell.finish()


def test_messages_are_answered_while_a_cell_is_busy(kernel, tmp_path):
    if not kernel.subshells:
        pytest.skip("this kernel has no subshells")
    kernel.run("client.gather(client.map(lambda i: i, range(10)))")
    page = open_page(kernel, subshell=kernel.subshell())
    session = session_of(page)
    page.watch(session)
    page.wait("batch")
    cell = BusyCell(kernel, tmp_path)
    kernel.wait(lambda: live_rows(page) >= 300)
    page.say("ask", session=session, id="q1", what="task", args={"task": 3})
    answer = page.wait("answer")
    assert answer["result"]["status"] == "OK"
    page.ack(session)
    page.say("ask", session=session, id="q2", what="keys", args={"first": 0, "tasks": 5})
    assert page.wait("answer", count=2)["id"] == "q2"
    assert page.got("keys")
    cell.finish()


def test_the_kernel_says_busy_as_long_as_its_cell_runs(kernel, tmp_path):
    if not kernel.subshells:
        pytest.skip("this kernel has no subshells")

    page = open_page(kernel, subshell=kernel.subshell())
    session = session_of(page)
    cell = BusyCell(kernel, tmp_path)
    kernel.wait(lambda: states(kernel)[-1] == "busy")
    for question in ("b1", "b2"):
        page.say("ask", session=session, id=question, what="keys", args={"first": 0, "tasks": 1})
        answers = 2 if question == "b2" else 1
        page.wait("answer", count=answers)
        kernel.wait(lambda: states(kernel)[-1] == "busy")
    cell.finish()
    kernel.wait(lambda: states(kernel)[-1] == "idle")


@pytest.mark.all
def test_the_kernel_says_busy_also_where_its_idle_comes_late(fresh, tmp_path):
    if not fresh.subshells:
        pytest.skip("this kernel has no subshells")
    assert fresh.evaluate(ENSURE)["status"] == "ok"
    fresh.run(CLUSTER)
    page = open_page(fresh, subshell=fresh.subshell())
    session = session_of(page)
    # Of what we say right after an answer the kernel's own "idle" is later.
    fresh.run("import daskscope.cell_monitor; daskscope.cell_monitor.AFTER_ANSWER_S = -1.0")
    cell = BusyCell(fresh, tmp_path)
    fresh.wait(lambda: states(fresh)[-1] == "busy")
    before = len(states(fresh))
    page.say("ask", session=session, id="b", what="keys", args={"first": 0, "tasks": 1})
    page.wait("answer")
    fresh.wait(
        lambda: {"idle", "busy"} <= {*states(fresh)[before:]} and states(fresh)[-1] == "busy"
    )
    cell.finish()
    fresh.wait(lambda: states(fresh)[-1] == "idle")


def test_a_panel_opened_during_a_cell_enters_the_kernel(fresh, tmp_path):
    if not fresh.subshells:
        pytest.skip("this kernel has no subshells")
    fresh.run(CLUSTER)
    cell = BusyCell(fresh, tmp_path)
    subshell = fresh.subshell()
    content = {
        "code": "",
        "silent": True,
        "store_history": False,
        "user_expressions": {"x": ENSURE},
        "allow_stdin": False,
        "stop_on_error": False,
    }
    reply = fresh.reply(fresh.send("execute_request", content, subshell=subshell))
    assert reply["user_expressions"]["x"]["status"] == "ok"
    page = open_page(fresh, subshell=subshell)
    page.watch(session_of(page))
    page.wait("status")
    cell.finish()


def test_a_widget_streams_and_answers_while_a_cell_is_busy(kernel, tmp_path):
    kernel.run("import daskscope; stream = daskscope.TaskStream()")
    comm = kernel.evaluate("stream.comm.comm_id")["data"]["text/plain"].strip("'")
    session = kernel.evaluate("stream.session")["data"]["text/plain"].strip("'")
    page = open_page(kernel, comm=comm, subshell=kernel.subshell() if kernel.subshells else None)
    page.watch(session)
    page.wait("status")
    cell = BusyCell(kernel, tmp_path)
    kernel.wait(lambda: live_rows(page) >= 300)
    if kernel.subshells:
        page.say("ask", session=session, id="q", what="task", args={"task": 0})
        assert page.wait("answer")["result"]["status"] == "OK"
    cell.finish()
    kernel.run("stream.close()")


def test_a_burst_of_rows_loses_nothing_that_is_not_repaired(kernel):
    page = open_page(kernel)
    session = session_of(page)
    page.watch(session)
    kernel.run("client.gather(client.map(lambda i: i, range(3000)))")

    def complete():
        page.ack(session)
        return live_rows(page) >= 3_000

    kernel.wait(complete)
    numbers = [message["seq"] for message in page.got() if "seq" in message]
    assert numbers == list(range(1, len(numbers) + 1))


BURST = """
import threading
import daskscope
import numpy as np
from daskscope.recording import pack_keys

def burst(recording, times, tasks=20_000):
    rows = {"start": np.arange(tasks) * 0.001 + 1.7e9, "task": np.arange(tasks)}
    for name in ("lane", "prefix", "action", "status", "span", "nbytes", "computation"):
        rows[name] = np.zeros(tasks)
    keys = pack_keys(0, [f"burst-{i}" for i in range(tasks)]).data
    for _ in range(times):
        recording.append_tasks(tasks, rows | {"duration": np.full(tasks, 0.001)}, keys)

recording = daskscope.connect(client).recording._core
recording.names.intern("lanes", ("tcp://10.0.0.1:1", "1"))
recording.names.intern("prefixes", "burst")
"""


def test_a_page_that_stalls_during_a_burst_gets_no_more_than_a_window_and_then_the_rest(fresh):
    """Half a million rows, in a thread: no cell runs, so acks could be heard."""
    fresh.evaluate(ENSURE)
    fresh.run(CLUSTER + BURST)
    page = open_page(fresh)
    session = session_of(page)
    page.watch(session)
    page.wait("status")
    fresh.run("threading.Thread(target=burst, args=(recording, 25)).start()")

    def stalled():
        *_, before, last = [None, None, *page.got("status")]
        recorded = before is not None and before["counts"]["kept"] == 500_000
        return recorded and last["last_seq"] == before["last_seq"]

    def numbered():
        return {m["seq"]: m for m in page.got() if "seq" in m}

    def rows(messages):
        return sum(m["rows"] for m in messages if m.get("kind") in ("live", "detail"))

    fresh.wait(stalled)
    unconfirmed = numbered().values()
    sizes = [sum(map(len, message["buffers"])) for message in unconfirmed]
    assert LIMITS["window_bytes"] / 2 < sum(sizes) <= LIMITS["window_bytes"]
    assert 0 < rows(unconfirmed) < 500_000

    batches = [number for number, message in numbered().items() if message["type"] == "batch"]
    lost = {batches[0], batches[len(batches) // 2], batches[-1]}

    def complete():
        copies = Counter(m["seq"] for m in page.got() if "seq" in m)
        missing = [number for number in lost if copies[number] == 1]
        page.ack(session, missing)
        return not missing and rows(numbered().values()) >= 500_000

    fresh.wait(complete)
    assert rows(numbered().values()) == 500_000
    assert sorted(numbered()) == list(range(1, max(numbered()) + 1))
    copies = Counter(m["seq"] for m in page.got() if "seq" in m)
    assert {number for number, times in copies.items() if times > 1} == lost


THREAD_ENDS = """
import threading, time
end = time.time() + 10
while any(t.name == 'daskscope' for t in threading.enumerate()):
    assert time.time() < end, 'the background thread goes on'
    time.sleep(0.01)
"""


def test_closing_every_comm_stops_the_hub(fresh):
    fresh.evaluate(ENSURE)
    page = open_page(fresh)
    page.close()
    fresh.run(THREAD_ENDS)


def test_a_page_that_says_good_bye_takes_its_comm_along(fresh):
    fresh.evaluate(ENSURE)
    page = open_page(fresh)
    page.say("bye")

    def closed():
        return any(
            message["msg_type"] == "comm_close" and message["content"]["comm_id"] == page.comm
            for message in fresh.messages
        )

    fresh.wait(closed)
    fresh.run(THREAD_ENDS)


def test_a_forked_child_leaves_the_pages_to_its_parent(kernel):
    page = open_page(kernel)
    page.watch(session_of(page))
    page.wait("status")
    kernel.run(
        "import os, daskscope.kernel as k\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if k._hub is None and k.the_hub()._pages == {} else 1)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
    )
    kernel.run("client.gather(client.map(lambda i: i, range(50)))")
    kernel.wait(lambda: live_rows(page) >= 50)


def test_an_interrupted_cell_does_not_stop_the_stream(kernel, tmp_path):
    page = open_page(kernel)
    page.watch(session_of(page))
    cell = BusyCell(kernel, tmp_path)
    kernel.wait(lambda: live_rows(page) >= 300)
    kernel.manager.interrupt_kernel()
    assert kernel.reply(cell.request)["status"] == "error"
    kernel.run("client.gather(client.map(lambda i: i, range(50), key='after'))")
    kernel.wait(lambda: live_rows(page) >= 350)
