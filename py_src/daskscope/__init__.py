"""Live dashboards for Dask inside JupyterLab, through the client you already have.

In a notebook, importing this package (or `%load_ext daskscope`) starts the recorder:
every Dask client of the kernel is recorded, so that a panel opened after the slow cell
still shows it. In a script, call `daskscope.connect()`. The import is fast:
pandas, pyarrow and widgets are imported when they are first needed.

    TaskStream()           an inline panel: every task of the current client
    Summary()              progress and totals; also FineMetrics(), Memory(), Profile(),
                           Spans(), Events(), Logs(), System()
    connect()              the Session of the current client; connect(client) of another one
    session.recording      what was captured: tasks, errors, workers, gaps, counts
    session.focus          what is selected in all panels, a Focus
    record()               with record() as rec: … records a block of code
    performance_report()   with performance_report(): … writes an HTML report about a block
    MemorySampler()        with ms.sample("run 1"): … then ms.plot() plots the cluster's memory
    load()                 open a recording that was saved with rec.save("run.daskscope")
    list_performance_reports()  the reports in the library; tag() and
                           delete_performance_report() change it
    figures                Bokeh figures of a recording or session: figures.task_stream(),
                           .memory(), .fine_metrics(), .profile()
    sessions()             all sessions of this process, including a few that have stopped
    recorder               automatic recording of clients: recorder.enable(), recorder.disable()
    %%perfreport           as first line of a cell: a report about it; %perfreport --help

See `help(daskscope.connect)` and so on for details. Names that `dir(daskscope)` does not
list are not public.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from daskscope import recorder

if TYPE_CHECKING:
    from daskscope import figures
    from daskscope.block import record
    from daskscope.block.report_block import performance_report
    from daskscope.errors import DaskscopeError
    from daskscope.focus import Focus
    from daskscope.library import delete_performance_report, list_performance_reports, tag
    from daskscope.loading import load
    from daskscope.memory_sampler import MemorySampler
    from daskscope.session import Session
    from daskscope.session_list import connect, sessions
    from daskscope.widgets import (
        Events,
        FineMetrics,
        Logs,
        Memory,
        MemoryPlot,
        Panel,
        Profile,
        Spans,
        Summary,
        System,
        TaskStream,
    )

__all__ = [
    "DaskscopeError",
    "Events",
    "FineMetrics",
    "Focus",
    "Logs",
    "Memory",
    "MemoryPlot",
    "MemorySampler",
    "Panel",
    "Profile",
    "Session",
    "Spans",
    "Summary",
    "System",
    "TaskStream",
    "connect",
    "delete_performance_report",
    "figures",
    "list_performance_reports",
    "load",
    "performance_report",
    "record",
    "recorder",
    "sessions",
    "tag",
]

_WHERE = {
    name: f"daskscope.{module}"
    for module, names in {
        "block": ("record",),
        "block.report_block": ("performance_report",),
        "errors": ("DaskscopeError",),
        "focus": ("Focus",),
        "library": ("delete_performance_report", "list_performance_reports", "tag"),
        "loading": ("load",),
        "memory_sampler": ("MemorySampler",),
        "session": ("Session",),
        "session_list": ("connect", "sessions"),
        "widgets": (
            "Events",
            "FineMetrics",
            "Logs",
            "Memory",
            "MemoryPlot",
            "Panel",
            "Profile",
            "Spans",
            "Summary",
            "System",
            "TaskStream",
        ),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    if name == "figures":
        return importlib.import_module("daskscope.figures")
    if name == "__version__":
        from daskscope.version import installed_version

        return installed_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def load_ipython_extension(ipython: Any) -> None:
    """Register `%%perfreport` and start the recorder: `%load_ext daskscope`."""
    from daskscope.magics import perfreport

    perfreport.load(ipython)
    recorder.enable_or_warn()


def unload_ipython_extension(ipython: Any) -> None:
    """Remove the magics, and stop recording new clients: `%unload_ext daskscope`."""
    from daskscope.magics import perfreport

    perfreport.unload(ipython)
    recorder.disable()


if recorder.in_kernel():
    load_ipython_extension(sys.modules["IPython"].get_ipython())
