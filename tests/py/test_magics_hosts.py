"""`%%perfreport` where kernels are not as usual: awaited clients, terminals, nbclient, settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from clusters import eventually
from magic_cells import ANSI, CLUSTER, Cells
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.all

SOURCES = Path(__file__).parents[2] / "py_src"
PYTHONPATH = os.pathsep.join([str(SOURCES), *filter(None, [os.environ.get("PYTHONPATH")])])

ASYNCHRONOUS = """
from distributed import Client, LocalCluster
cluster = await LocalCluster(n_workers=1, threads_per_worker=2, processes=False,
                             dashboard_address=None, asynchronous=True)
client = await Client(cluster, asynchronous=True)
def tasks(n):
    import uuid
    return client.gather(client.map(lambda i: i, range(n), key="of-test-" + uuid.uuid4().hex))
"""


TYPED = """%load_ext daskscope
from distributed import Client, LocalCluster
client = Client(LocalCluster(n_workers=1, processes=False, dashboard_address=None))
%%perfreport
t = client.gather(client.map(abs, range(3)))
6 * 7


%perfreport 1 + 1
"""
"""Into a terminal: what begins with %% ends with empty lines."""


@pytest.fixture
def new_cells(tmp_path: Path) -> Iterator[Callable[..., Cells]]:
    made: list[Cells] = []

    def make(*first: str) -> Cells:
        made.append(Cells(tmp_path, *first))
        return made[-1]

    yield make
    for cells in made:
        cells.stop()


@pytest.fixture(scope="module")
def awaited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cells]:
    """A kernel whose cluster lives in the kernel's own loop."""
    cells = Cells(tmp_path_factory.mktemp("awaited"), "%load_ext daskscope", ASYNCHRONOUS)
    cells.ok("import daskscope\nsession = daskscope.connect()")
    yield cells
    cells.stop()


def test_with_an_asynchronous_client_nothing_is_missing(awaited: Cells) -> None:
    begin = time.monotonic()
    ran = awaited.ok("%%perfreport\nsome = await tasks(50)\nlen(some)")
    assert time.monotonic() - begin < 10
    assert ran.results == ["50"]
    assert len(ran.urls) == len(ran.cards) == 1
    summary = awaited.summary()
    assert summary["tasks"]["captured"] == summary["tasks"]["kept"] == 50
    assert summary["duration"] < 5
    assert {row["package"] for row in summary["versions"]} >= {"dask", "distributed"}


def test_with_an_asynchronous_client_errors_are_as_ever(awaited: Cells) -> None:
    ran = awaited.run("%%perfreport\nt = await tasks(3)\n1 / 0")
    (shown,) = ran.errors
    assert "----> 3 1 / 0" in shown
    summary = awaited.summary()
    assert summary["exception"]["type"] == "ZeroDivisionError"
    assert summary["tasks"]["captured"] == 3
    ran = awaited.run("%%perfreport nowhere/a.html\nran = True")
    assert ran.reply["ename"] == "DaskscopeError"
    assert "ran" not in awaited.value("[*globals()]")


def test_with_an_asynchronous_client_help_teaches_too(awaited: Cells) -> None:
    awaited.ok("wish = '--help'")
    for options in ("--help", "$wish"):
        ran = awaited.ok(f"%%perfreport {options}\n'not' + ' run'")
        assert "--redact WHAT" in ran.printed()
        assert not ran.urls


def test_with_an_asynchronous_client_an_interrupted_cell_has_its_report(awaited: Cells) -> None:
    request = awaited.start(
        "%%perfreport\nimport asyncio\nt = await tasks(3)\nprint('now' + 'waits')\n"
        "while True:\n    await asyncio.sleep(0.01)"
    )
    awaited.kernel.wait(lambda: "nowwaits" in str(awaited.kernel.messages[-3:]))
    awaited.kernel.manager.interrupt_kernel()
    assert "CancelledError" in awaited.of(request).errors[0]
    summary = awaited.summary()
    assert summary["exception"]["type"] == "CancelledError"
    assert summary["tasks"]["captured"] == 3


def test_with_an_asynchronous_client_a_line_that_cannot_wait_says_so(awaited: Cells) -> None:
    (shown,) = awaited.run("%perfreport 1").errors
    assert "Traceback" not in shown
    assert awaited.error_code() == "asynchronous-client"
    awaited.ok("t = await tasks(4)")
    awaited.ok("await session.caught_up()")

    def has_none() -> bool:
        awaited.run("%perfreport --last")
        return bool(awaited.error_code() == "no-tasks")

    eventually(has_none)
    summary: dict[str, Any] = {}

    def has_all() -> bool:  # a worker's clock is off until it had a quick heartbeat
        awaited.ok("t = await tasks(5)\nawait session.caught_up()")
        awaited.ok("silent = %perfreport --last\nimport os")
        summary.update(awaited.summary())
        return bool(summary["tasks"]["captured"] == 5)

    eventually(has_all)
    assert "the client is asynchronous" in str(summary["missing"])
    awaited.ok("wish = '--help'")
    assert "--redact WHAT" in awaited.ok("%perfreport --last $wish").printed()


def test_it_is_there_where_the_recorder_is_switched_off(new_cells: Callable[..., Cells]) -> None:
    off = "import dask; dask.config.set({'daskscope.recorder.enabled': False})"
    cells = new_cells(off, "%load_ext daskscope", CLUSTER)
    cells.ok("t = tasks(2)")
    cells.run("%perfreport --last")
    assert cells.error_code() == "no-cell"
    cells.ok("%%perfreport\nt = tasks(3)")
    assert cells.summary()["tasks"]["captured"] == 3
    cells.ok("import daskscope\nsession = daskscope.connect()")
    cells.ok("t = tasks(4)")
    cells.ok("%perfreport --last")
    summary = cells.summary()
    assert summary["tasks"]["captured"] == 4
    assert cells.value("[notice.code for notice in session.notices]") == ["tasks-before"]
    assert summary["missing"] == []


def test_open_needs_a_browser_on_this_computer(new_cells: Callable[..., Cells]) -> None:
    none = "import os\nfor n in ('DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'): os.environ.pop(n, 0)"
    cells = new_cells(none, "%load_ext daskscope", CLUSTER)
    ran = cells.ok("%%perfreport --open\n1")
    assert ran.printed("stderr").startswith("--open: ")
    browser, opened = cells.folder / "browser", cells.folder / "opened"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part\nmv {opened}.part {opened}\n')
    browser.chmod(0o755)
    cells.ok(f"os.environ['BROWSER'] = {str(browser)!r}")
    ran = cells.ok("%%perfreport --open\n1")
    assert ran.printed("stderr") == ""
    eventually(opened.exists)
    assert opened.read_text() == ran.urls[0]


def test_below_a_server_the_card_leads_to_its_pages(new_cells: Callable[..., Cells]) -> None:
    cells = new_cells("%load_ext daskscope", CLUSTER)
    runtime = cells.folder / "runtime"
    runtime.mkdir()
    server = {"pid": os.getpid(), "root_dir": str(cells.folder), "base_url": "/user/ada/"}
    (runtime / "jpserver-1.json").write_text(json.dumps(server))
    cells.ok(f"os.environ['JUPYTER_RUNTIME_DIR'] = {str(runtime)!r}; os.mkdir('runs')")
    cells.ok("os.environ['JPY_SESSION_NAME'] = 'runs/a.ipynb'")
    ran = cells.ok("%%perfreport runs/a.html --open\n1")
    assert ran.urls == ["/user/ada/lab?daskscope-report=runs/a.html"]
    card = ran.cards[0]["text/html"]
    assert 'href="/user/ada/lab?daskscope-report=runs/a.html"' in card
    assert 'href="/user/ada/files/runs/a.html"' in card
    (shown,) = [m["content"] for m in ran.messages if m["msg_type"] == "display_data"]
    assert shown["transient"]["daskscope"] == {"open": "runs/a.html"}
    assert "runs/a.html" not in str(shown["metadata"]), "a notebook opened again opens nothing"


def test_what_jupyterlab_does_not_show_is_not_opened_and_said_to_be_in_the_library(
    new_cells: Callable[..., Cells],
) -> None:
    server = "import os\nos.environ['JPY_SESSION_NAME'] = 'a.ipynb'"
    cells = new_cells(server, "%load_ext daskscope", CLUSTER)
    ran = cells.ok("%%perfreport a.html --open\n1")
    (shown,) = [m["content"] for m in ran.messages if m["msg_type"] == "display_data"]
    assert "daskscope" not in shown["transient"]
    assert ran.printed("stderr").startswith("--open: ")


def test_what_has_no_title_is_called_by_notebook_and_cell_in_the_library(
    new_cells: Callable[..., Cells],
) -> None:
    server = "import os\nos.environ['JPY_SESSION_NAME'] = 'runs/a.ipynb'"
    cells = new_cells(server, "%load_ext daskscope", CLUSTER, "import daskscope")
    cells.ok(f"dask.config.set({{'daskscope.library.path': {str(cells.folder / 'library')!r}}})")
    record = "with daskscope.record(path='run.daskscope') as rec:\n    tasks(3)"
    record = cells.ok(record).reply["execution_count"]
    last = cells.ok("t = tasks(3)").reply["execution_count"]
    cells.ok("%perfreport --last")
    code = "with daskscope.performance_report('c.html', code='mine') as report:\n    tasks(3)"
    mine = cells.ok(code).reply["execution_count"]
    titles = cells.value(
        "[one['title'] for one in daskscope.list_performance_reports(kind=None)][::-1]"
    )
    assert titles == [f"a.ipynb, In [{number}]" for number in (record, last, mine)]
    assert cells.value("rec.about['title'], rec.about['source']") == ("", titles[0])


def test_unloading_takes_all_of_it_back(new_cells: Callable[..., Cells]) -> None:
    known = (
        "(len(get_ipython().input_transformers_cleanup),"
        " 'run_cell_async' in vars(get_ipython()),"
        " 'perfreport' in get_ipython().magics_manager.magics['cell'])"
    )
    cells = new_cells(f"before = {known}", "import daskscope", CLUSTER)
    assert cells.value(f"{known} == before") is False
    cells.ok("%load_ext daskscope")
    cells.ok("%reload_ext daskscope")
    assert len(cells.ok("%%perfreport\nt = tasks(1)").urls) == 1
    cells.ok("%unload_ext daskscope")
    assert cells.value(f"{known} == before") is True
    assert "not found" in cells.run("%%perfreport\n1").printed("stderr")
    assert cells.ok("6 * 7").results == ["42"]
    cells.ok("%load_ext daskscope")
    assert len(cells.ok("%%perfreport\nt = tasks(1)").urls) == 1


def test_nbclient_keeps_the_outputs_and_stops_at_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)
    cells = ["%load_ext daskscope", CLUSTER, "%%perfreport a.html\nt = tasks(3)\n6 * 7"]
    failing = "%%perfreport b.html\nt = tasks(3)\n1 / 0"
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in (*cells, failing, "never")]
    resources = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, timeout=60, kernel_name="python3", resources=resources)
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        client.execute()
    kinds = [output.output_type for output in notebook.cells[2].outputs]
    assert sorted(kinds) == ["display_data", "execute_result", "stream"]
    assert notebook.cells[2].source.startswith("%%perfreport")
    assert (tmp_path / "a.html").exists()
    assert (tmp_path / "b.html").exists()
    assert notebook.cells[4].outputs == []


def test_in_a_terminal_the_card_is_text(tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"],
        input=TYPED,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": PYTHONPATH, "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    shown = ANSI.sub("", shown)
    assert "42" in shown
    assert shown.count("Performance Report Available at: file://") == 2
    assert "3 tasks" in shown
    assert "<div" not in shown
