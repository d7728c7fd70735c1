"""The notebook that `make lab` opens: every cell of it, in a kernel of its own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import nbformat
import pytest
from kernels import SOURCES
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell
from report_blocks import extract

TOUR = Path(__file__).parents[2] / "examples" / "tour.ipynb"
CELL_SECONDS = 120

SHORTER = {
    "n_workers=4": "n_workers=2",
    "+ 0.06": "+ 0.02",
    "(6000, 6000)": "(3000, 3000)",
    "list(range(180))": "list(range(40))",
    "range(5_000)": "range(500)",
    "range(10_000, 11_000)": "range(10_000, 10_100)",
    "range(24)": "range(4)",
    "10_000, 100_000": "10_000, 1_000",
    "(30, 100_000": "(30, 1_000",
}
"""The tour takes a minute, most of it more of the same. The array stays: it has to spill."""

FOUND = """
import dataclasses, json

rows = session.recording.tasks
print(json.dumps({
    "actions": sorted(set(rows.action)),
    "prefixes": sorted(set(rows.prefix)),
    "spans": sorted(set(rows.span)),
    "counts": dataclasses.asdict(session.recording.counts),
}))
"""


def shortened(notebook: nbformat.NotebookNode) -> None:
    missing = set(SHORTER)
    for cell in notebook.cells:
        for long, short in SHORTER.items():
            if cell.cell_type == "code" and long in cell.source:
                cell.source = cell.source.replace(long, short)
                missing.remove(long)
    assert not missing, "the tour has changed: shorten it anew"


@pytest.mark.all
def test_every_cell_of_the_tour_runs_and_shows_what_it_promises(tmp_path: Path) -> None:
    notebook = nbformat.read(TOUR, as_version=4)
    shortened(notebook)
    *cells, closing = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert closing.source == "# client.close()\n# cluster.close()"
    closing.source = closing.source.replace("# ", "")
    found = new_code_cell(FOUND)  # after the end: what was recorded stays readable
    notebook.cells.append(found)

    paths = [str(SOURCES), *filter(None, [os.environ.get("PYTHONPATH")])]
    surroundings = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "DASK_DASKSCOPE__LIBRARY__PATH": str(tmp_path / "library"),
    }
    here = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, timeout=CELL_SECONDS, kernel_name="python3", resources=here)
    client.execute(env=surroundings)

    printed = [output for cell in [*cells, closing] for output in cell.outputs if "name" in output]
    assert [output["name"] for output in printed] == ["stdout", "stdout"], printed
    assert printed[0]["text"] == "37 of 40 days are good\n"
    assert printed[1]["text"].startswith("Performance Report Available at: ")
    figures, _ = extract(tmp_path / "tour.html")
    assert (figures["title"], figures["tasks"]["captured"]) == ("A tour of Daskscope", 101)
    shown = [output for cell in cells for output in cell.outputs if "data" in output]
    panels = [o["data"] for o in shown if "<daskscope." in o["data"].get("text/plain", "")]
    assert ["MemoryPlot" in data["text/plain"] for data in panels] == [True, False, False]
    # An output is written again when its panel comes to its end; the client is closed by now.
    assert re.search("live|stopped", panels[1]["text/plain"])
    for data in panels:  # the picture is for where no widget can run
        assert {"application/vnd.jupyter.widget-view+json", "image/png"} & data.keys()
    assert len([o for o in shown if "daskscope-report-card" in o["data"].get("text/html", "")]) == 1

    (output,) = found.outputs
    tour = json.loads(output["text"])
    assert {"compute", "transfer", "disk-read", "disk-write"} <= set(tour["actions"])
    assert {"load", "decode", "calibrate", "combine", "step"} <= set(tour["prefixes"])
    assert {"sensors", "small", "array", "reported"} <= {
        span.split(" ")[0] for span in tour["spans"]
    }
    counts = tour["counts"]
    assert counts["erred"] == 3
    assert counts["kept"] == counts["captured"] > 700
