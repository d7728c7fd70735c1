"""Writes a Bokeh figure of the lines that come as JSON, as a page that stands alone.

python memory_peer.py FILE < [[times, values], …]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bokeh.embed import file_html
from bokeh.models import Range1d
from bokeh.palettes import Category10_10
from bokeh.plotting import figure
from bokeh.resources import INLINE


def main() -> None:
    """Write the page."""
    lines = json.load(sys.stdin)
    plot = figure(sizing_mode="stretch_both", tools="pan,wheel_zoom,reset")
    plot.toolbar.active_scroll = plot.tools[1]
    plot.x_range = Range1d(min(times[0] for times, _ in lines), max(times[-1] for times, _ in lines))
    for (times, values), colour in zip(lines, Category10_10, strict=False):
        plot.line(times, values, color=colour)
    Path(sys.argv[1]).write_text(file_html(plot, INLINE, title="Memory"), encoding="utf-8")


if __name__ == "__main__":
    main()
