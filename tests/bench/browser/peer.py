"""Writes Dask's own task stream as a page that stands alone.

python peer.py FILE ROWS LANES
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from bokeh.embed import file_html
from bokeh.models import Range1d
from bokeh.resources import INLINE
from distributed.dashboard.components.scheduler import task_stream_figure
from distributed.diagnostics.task_stream import rectangles


def messages(rows: int, lanes: int) -> list[dict[str, object]]:
    """Tasks as Dask's TaskStreamPlugin records them, like those of bulk_rows.ts."""
    rng = random.Random(11)
    free = [1_790_000_000.0] * lanes
    out: list[dict[str, object]] = []
    made = 0
    while made < rows:
        number = len(out)
        lane = number % lanes
        start = free[lane] + 0.001
        stop = start + 0.02 * rng.random()
        startstops: list[dict[str, object]] = [{"action": "compute", "start": start, "stop": stop}]
        if rng.random() < 0.25:
            startstops.insert(0, {"action": "transfer", "start": start - 0.003, "stop": start})
        out.append(
            {
                "key": f"groupby-{number % 12}-{rng.getrandbits(128):032x}",
                "name": f"groupby-{number % 12}",
                "type": b"",
                "status": "OK",
                "nbytes": 8000,
                "thread": lane,
                "worker": f"tcp://10.0.0.{lane // 8}:40000",
                "startstops": startstops,
                "action": "compute",
                "stimulus_id": "bench",
            }
        )
        made += len(startstops)
        free[lane] = stop
    return out


def main() -> None:
    """Write the page."""
    file, rows, lanes = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    workers: dict[str, int] = {}
    data = rectangles(messages(rows, lanes), workers=workers, start_boundary=0)
    source, figure = task_stream_figure(sizing_mode="stretch_both")
    source.data.update(data)
    # As the report does it: the whole run is in view.
    stop = max(a + b / 2 for a, b in zip(data["start"], data["duration"], strict=True))
    figure.x_range = Range1d(min(data["start"]), stop)
    figure.toolbar.active_scroll = next(
        tool for tool in figure.toolbar.tools if type(tool).__name__ == "WheelZoomTool"
    )
    file.write_text(file_html(figure, INLINE, title="Task stream"), encoding="utf-8")


if __name__ == "__main__":
    main()
