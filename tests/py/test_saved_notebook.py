"""What a saved notebook holds of its panels: no code and no styles."""

from __future__ import annotations

import json
import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

PANELS = """
import time
from dask.distributed import Client
import daskscope
client = Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0")
panels = [daskscope.TaskStream(), daskscope.Summary(), daskscope.TaskStream()]
for panel in panels:
    display(panel)
time.sleep(0.8)  # the kernel is busy: the code is sent unasked
print("sent", sum(panel._channel.code_sent_s > 0 for panel in panels))
client.close()
"""
MAX_STATE_BYTES = 4_000
"""Of a panel and its layout: the loader has 2,000."""


def test_a_saved_notebook_holds_neither_script_nor_styles(tmp_path, monkeypatch):
    sources = str(Path(__file__).parents[2] / "py_src")
    paths = filter(None, [sources, os.environ.get("PYTHONPATH")])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    cell = nbformat.v4.new_code_cell(PANELS)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, kernel_name="python3", resources=resources).execute()
    printed = [output.text for output in cell.outputs if output.output_type == "stream"]
    assert printed == ["sent 3\n"]
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    scripts = [one["state"]["_esm"] for one in state.values() if "_esm" in one["state"]]
    assert len(scripts) == 3
    assert max(len(script.encode()) for script in scripts) <= 2_000
    assert len(json.dumps(state)) <= 3 * MAX_STATE_BYTES
    assert ".ds-root" not in nbformat.writes(notebook)
