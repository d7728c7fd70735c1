"""What a saved notebook holds of its panels: a small picture, no code and no styles."""

from __future__ import annotations

import base64
import io
import json
import os
from pathlib import Path

import nbformat
import pytest
from kernels import CommPage, Kernel
from nbclient import NotebookClient
from nbconvert import HTMLExporter, MarkdownExporter
from PIL import Image

PANELS = """
import time
from dask.distributed import Client
import daskscope
client = Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0")
panels = [daskscope.TaskStream(), daskscope.Summary(), daskscope.TaskStream()]
for panel in panels:
    display(panel)
end = time.monotonic() + 30  # the kernel is busy: the code is sent unasked
while any(panel._channel.code_sent_s < 0 for panel in panels) and time.monotonic() < end:
    time.sleep(0.05)
print("sent", sum(panel._channel.code_sent_s > 0 for panel in panels))
client.close()
"""
MAX_STATE_BYTES = 4_000
"""Of a panel and its layout: the loader has 2,000."""

MAX_OUTPUT_BYTES = 20_000
VIEW = "application/vnd.jupyter.widget-view+json"
PNG = "image/png"


@pytest.fixture
def executed(tmp_path, monkeypatch):
    """Executes a notebook of some cells, and returns it."""
    sources = str(Path(__file__).parents[2] / "py_src")
    paths = filter(None, [sources, os.environ.get("PYTHONPATH")])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))

    def execute(*cells):
        code = [nbformat.v4.new_code_cell(cell) for cell in cells]
        notebook = nbformat.v4.new_notebook(cells=code)
        resources = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(notebook, kernel_name="python3", resources=resources).execute()
        return notebook

    return execute


def test_a_saved_notebook_holds_neither_script_nor_styles(executed):
    notebook = executed(PANELS)
    outputs = notebook.cells[0].outputs
    printed = [output.text for output in outputs if output.output_type == "stream"]
    assert printed == ["sent 3\n"]
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    scripts = [one["state"]["_esm"] for one in state.values() if "_esm" in one["state"]]
    assert len(scripts) == 3
    assert max(len(script.encode()) for script in scripts) <= 2_000
    assert len(json.dumps(state)) <= 3 * MAX_STATE_BYTES
    assert ".ds-root" not in nbformat.writes(notebook)


CLIENT = """
from dask.distributed import Client
import daskscope, ipywidgets
client = Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0")
"""
SHOW = """
display(daskscope.Summary(), daskscope.Events(), daskscope.Logs(), daskscope.System())
daskscope.TaskStream()
"""
WORK = "total = sum(client.gather(client.map(lambda i: i + 1, range(120), pure=False)))"


def test_a_notebook_that_was_executed_without_a_page_shows_pictures(executed):
    notebook = executed(CLIENT, SHOW, WORK, "client.close()")
    outputs = notebook.cells[1].outputs
    assert len(outputs) == 5
    for output in outputs:
        assert set(output.data) == {"text/plain", PNG}
        assert len(json.dumps(output)) <= MAX_OUTPUT_BYTES
        image = Image.open(io.BytesIO(base64.b64decode(output.data[PNG])))
        assert image.size == (1200, 400)
        assert output.metadata[PNG]["width"] == 600
        assert output.metadata[PNG]["alt"].startswith("daskscope.")
    # What happened in later cells is in them.
    assert "stopped, 120 of 120 tasks" in outputs[-1].data["text/plain"]
    html, _ = HTMLExporter().from_notebook_node(notebook)
    for output in outputs:
        assert output.data[PNG].replace("\n", "") in html.replace("\n", "")
    _, files = MarkdownExporter().from_notebook_node(notebook)
    assert len(files["outputs"]) == 5


@pytest.mark.all
def test_what_is_no_panel_alone_stays_a_widget(executed):
    shown = "box = ipywidgets.VBox([daskscope.TaskStream()])\nbox"
    closed = "panel = daskscope.Summary()\ndisplay(panel)\npanel.close()"
    notebook = executed(CLIENT, shown, closed, WORK, "client.close()")
    (box,), (panel,) = notebook.cells[1].outputs, notebook.cells[2].outputs
    assert set(box.data) == {"text/plain", VIEW}
    assert box.output_type == "execute_result"
    assert set(panel.data) == {"text/plain", VIEW}


@pytest.mark.all
def test_a_panel_is_still_the_result_of_its_cell(executed):
    notebook = executed(CLIENT, "daskscope.TaskStream()", "print(Out[2] is _, _)")
    (output,) = notebook.cells[2].outputs
    assert output.text.startswith("True <daskscope.TaskStream of LocalCluster: live")


@pytest.fixture(scope="module")
def kernel():
    kernel = Kernel()
    kernel.run(CLIENT + "from daskscope import outputs")
    yield kernel
    kernel.run("client.close()")
    kernel.stop()


def shown_panel(kernel, **hello):
    """A panel in the output of a cell of a page, which has greeted it."""
    run(kernel, "panel = daskscope.TaskStream()\npanel")
    comm = kernel.evaluate("panel.comm.comm_id")["data"]["text/plain"].strip("'")
    page = CommPage(kernel, comm=comm)
    page.say("hello", protocol=2, version="0.1.0", **hello)
    page.wait("welcome")
    return page


def run(kernel, code):
    reply = kernel.reply(kernel.start(code, allow_stdin=True))
    assert reply["status"] == "ok", reply


def updates(kernel):
    """The pictures so far, once all that the kernel was asked for is done."""
    asked = kernel.start("outputs._draw_all()", silent=True)
    kernel.reply(asked)
    kernel.wait(lambda: kernel.finished(asked))
    return [m["content"] for m in kernel.messages if m["msg_type"] == "update_display_data"]


def test_a_page_that_keeps_the_widget_gets_a_picture_whenever_there_is_news(kernel):
    kernel.messages.clear()
    shown_panel(kernel, pictures=True)
    run(kernel, WORK)
    pictures = kernel.wait(lambda: updates(kernel))
    assert all(set(content["data"]) == {"text/plain", VIEW, PNG} for content in pictures)
    (first,) = (m["content"] for m in kernel.messages if m["msg_type"] == "display_data")
    assert set(first["data"]) == {"text/plain", VIEW}
    for content in pictures:
        assert content["transient"] == first["transient"]
        assert content["data"][VIEW] == first["data"][VIEW]
    kernel.wait(lambda: "120 of" in updates(kernel)[-1]["data"]["text/plain"])
    count = len(updates(kernel))
    assert len(updates(kernel)) == count <= 5  # without news there is no picture
    kernel.run("panel.close()")
    run(kernel, WORK)
    assert len(updates(kernel)) == count


def test_the_newest_outputs_alone_are_drawn_again(kernel):
    run(kernel, "panels = [daskscope.Summary() for _ in range(25)]\ndisplay(*panels)")
    run(kernel, "kept = [panel._output in outputs.Output._all for panel in panels]")
    run(kernel, "assert kept == [False] * 5 + [True] * 20, kept")
    run(kernel, "display(panels[0])\nassert panels[0]._output in outputs.Output._all")
    run(kernel, "for panel in panels: panel.close()")


def test_a_page_that_would_draw_the_widget_anew_gets_no_picture(kernel):
    kernel.messages.clear()
    shown_panel(kernel)
    run(kernel, WORK)
    assert updates(kernel) == []
    kernel.run("panel.close()")
