"""Panels as widgets: the last line of a cell shows one, in any host that has anywidget.

A widget is a channel to the hub and the id of a session; all else is in the browser.
"""

from __future__ import annotations

import zlib
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import anywidget
import traitlets
from ipywidgets import Layout

from daskscope import kernel, outputs
from daskscope import session_list as known
from daskscope.errors import DaskscopeError
from daskscope.format import count_text
from daskscope.memory_sampler import labels_of, measure_of, show, source_of
from daskscope.memory_samples import SamplesSource
from daskscope.session import Session
from daskscope.stream import Channel, Code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from distributed import Client

    from daskscope.memory_sampler import MemorySampler
    from daskscope.stream.sources import Source

STATIC: Final = Path(__file__).parent / "static"


@cache
def _built(name: str) -> str:
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DaskscopeError(
            "not-built",
            f"This checkout of daskscope has no {name}: its JavaScript is not built.",
            "Run `make build` (or `npm run build`), then restart the kernel.",
        ) from None


@cache
def _code() -> Code:
    """Return what the loader waits for, of the same build: read now, before an upgrade."""
    script = _built("widget.js").encode()
    return Code(_built("build.txt"), cache(lambda: zlib.compress(script, 9)))


class Panel(anywidget.AnyWidget):
    """A live panel of a Dask client: the base of `TaskStream` and its siblings.

    All panels of a client share one recording and one selection, which is
    `daskscope.connect().focus` in Python.

    Parameters
    ----------
    client
        The Dask client, or its `daskscope.Session`, to show. By default the current
        client; without one, the last recorded client until there is a new one.
    options
        Options of any ipywidget, such as `layout`.
    """

    kind: ClassVar[str]
    """Id of the panel in the browser (`js_src/panels/index.ts`)."""

    session = traitlets.Unicode("", help="id of the session; empty before there is one").tag(
        sync=True
    )
    _kind = traitlets.Unicode().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)

    _channel: Channel | None = None
    _output: outputs.Output | None = None
    _options: Any = None
    """What the user chose, of panels that have such a trait."""

    def __init__(
        self, client: Client | Session | SamplesSource | None = None, **options: Any
    ) -> None:
        """Show a client, by default the current one: `TaskStream()`, `TaskStream(client)`.

        `options` are those of any ipywidget: `TaskStream(layout={"height": "300px"})`.
        """
        if not hasattr(self, "kind"):
            raise TypeError("Panel is a base class: use TaskStream(), Summary() or another panel")
        self._refuse_unknown(options)
        shown = _session_of(client)
        self._follows = client is None
        self._owns_layout = not isinstance(options.get("layout"), Layout)  # made for this one
        hub = kernel.the_hub()
        super().__init__(
            session=shown.id if shown is not None else "",
            _kind=self.kind,
            _esm=_built("loader.js"),
            **options,
        )
        channel = self._channel = Channel(self._send_to_pages, _code())
        self._hub = hub
        self.on_msg(lambda _widget, content, _buffers: kernel.receive(channel, content))
        hub.open(channel)
        self._unsubscribe = known.on_sessions_changed(self._find_session)
        self._find_session()

    @classmethod
    def _refuse_unknown(cls, options: Iterable[str]) -> None:
        """Name an argument that is none: traitlets would take it, and do nothing with it."""
        known = _arguments(cls)
        for name in options:
            if name not in known:
                likely = get_close_matches(name, ["client", *known], n=1)
                hint = f": did you mean {likely[0]!r}?" if likely else ""
                if name in ("height", "width"):
                    hint = f': it belongs in layout={{"{name}": "300px"}}'
                raise TypeError(f"{cls.__name__}() got an unexpected argument {name!r}{hint}")

    @traitlets.observe("comm")
    def _on_comm(self, change: Any) -> None:
        if change["new"] is not None:
            kernel.answer_where_asked(change["new"])

    def _send_to_pages(self, message: dict[str, Any], buffers: Any) -> None:
        if self.comm is None:
            raise DaskscopeError("closed", "This widget is closed.")
        self.send(message, buffers=list(buffers))

    def _find_session(self) -> None:
        """Without a client of its own: stay with a session while it lives."""
        if not self._follows:
            return
        shown = known.find(self.session)
        if shown is not None and not shown.closed:
            return
        every = known.sessions()
        living = [one for one in every if not one.closed]
        if living:
            self.session = living[-1].id
        elif shown is None and every:
            self.session = every[-1].id  # what is left of the last client

    def _recorded(self) -> Source | None:
        """Return what is shown, if it is still there."""
        return known.find(self.session)

    def picture(self) -> bytes:
        """Return what is recorded now as a PNG of at most 20 kB.

        Saved notebooks contain it, and show it where widgets cannot run.
        """
        from daskscope.picture import draw

        return draw(self.kind, self._recorded(), self._without_session(), self._options)

    def _ipython_display_(self) -> None:
        """Show the panel in an output that gets a picture, where outputs can be updated."""
        if self.comm is None or not outputs.can_update():
            raise NotImplementedError  # IPython shows it as any widget
        self._output = self._output or outputs.Output(self, self._recorded, self._keep_widgets)
        self._output.show()

    def _keep_widgets(self) -> list[bool]:
        """Return of each page that shows the panel whether it keeps it when a picture comes."""
        greetings = self._channel.greetings if self._channel is not None else {}
        return [hello.pictures for hello in list(greetings.values())]

    def close(self) -> None:
        """Remove the panel from all pages and release its resources."""
        if self._output is not None:
            self._output.close()
        channel, self._channel = self._channel, None
        if channel is not None:
            self._unsubscribe()
            self._hub.close(channel)
            if self._owns_layout:
                self.layout.close()
        super().close()

    def _without_session(self) -> str:
        kept = "its recording was dropped"
        return kept if self.session else "no Dask client in this kernel yet"

    def __repr__(self) -> str:
        name = type(self).__name__
        shown = known.find(self.session)
        if shown is None:
            return f"<daskscope.{name}: {self._without_session()}>"
        counts = shown.counts
        return (
            f"<daskscope.{name} of {shown.name}: {shown.state}, "
            f"{counts.kept:,} of {count_text(counts.captured, 'task')}>"
        )


class TaskStream(Panel):
    """Every task of a Dask client, live: one lane for each thread of each worker.

    In a notebook, put it on the last line of a cell. It updates while cells are busy,
    and shows what happened before it was opened. `help(daskscope.Panel)` explains
    the parameters.

    Examples
    --------
    ::

        import daskscope
        from dask.distributed import Client

        client = Client()
        daskscope.TaskStream()                                # of the current client
        daskscope.TaskStream(client, layout={"height": "300px"})

    It is an ordinary widget, and can be combined with others::

        ipywidgets.VBox([daskscope.TaskStream(), ipywidgets.Button(description="Run")])
    """

    kind = "task-stream"


class Summary(Panel):
    """Progress of a Dask client, live: tasks done, where the time went, findings.

    `daskscope.Summary()` shows the current client.
    """

    kind = "summary"


class Spans(Panel):
    """Notebook cells and Dask spans, live: how long each took, its activities and tasks.

    `daskscope.Spans()` shows the current client.
    """

    kind = "spans"


class Memory(Panel):
    """Memory of a Dask client's workers over time, live: how close to the limit, by prefix.

    `daskscope.Memory()` shows the current client.
    """

    kind = "memory"


class FineMetrics(Panel):
    """Where the threads of a Dask client spent time, live: by function, activity and idle cause.

    `daskscope.FineMetrics()` shows the current client.
    """

    kind = "fine-metrics"


class Profile(Panel):
    """Which functions the threads of a Dask client's workers are in, live: a flame graph.

    `daskscope.Profile()` shows the current client.
    """

    kind = "profile"


class Events(Panel):
    """Errors, events, workers that joined and left, and gaps of a Dask client, live.

    `daskscope.Events()` shows the current client.
    """

    kind = "events"


class Logs(Panel):
    """What the scheduler and the workers of a Dask client log, live.

    `daskscope.Logs()` shows the current client.
    """

    kind = "logs"


class System(Panel):
    """CPU, memory and event loop of the scheduler, threads and memory of the workers, live.

    `daskscope.System()` shows the current client.
    """

    kind = "system"


class MemoryPlot(Panel):
    """The widget of `daskscope.MemorySampler.plot()`: a line for each label, live.

    Examples
    --------
    ::

        ms = daskscope.MemorySampler()
        ms.plot(layout={"height": "300px"})
    """

    kind = "memory-plot"

    _options = traitlets.Dict().tag(sync=True)

    _sampler: MemorySampler | None = None

    def __init__(
        self,
        sampler: MemorySampler,
        *,
        align: bool = False,
        measure: str | None = None,
        **options: Any,
    ) -> None:
        """Show a sampler: `ms.plot()`, `ms.plot(align=True)`, see `MemorySampler.plot()`."""
        self._sampler = sampler  # keeps it alive
        super().__init__(source_of(sampler), **options)
        self._options = {"align": bool(align), "measure": measure or measure_of(sampler)}
        show(sampler, self)

    def _recorded(self) -> Source | None:
        return source_of(self._sampler) if self._sampler else None

    def close(self) -> None:
        """Remove the plot from all pages and release the samples."""
        super().close()
        self._sampler = None

    def __repr__(self) -> str:
        labels = labels_of(self._sampler) if self._sampler else ()
        return f"<daskscope.MemoryPlot: {count_text(len(labels), 'label')}>"


def _arguments(panel: type[Panel]) -> list[str]:
    return [name for name in panel.class_trait_names() if not name.startswith("_")]


def takes(panel: type[Panel], options: Iterable[str]) -> bool:
    """Return whether all of some arguments are of a panel's widget."""
    return {*options} <= {*_arguments(panel)}


def _session_of(client: Client | Session | SamplesSource | None) -> Session | SamplesSource | None:
    if isinstance(client, Session | SamplesSource):
        return client
    if client is not None:
        try:
            # Also one that the user closed: a panel shows, it does not begin to record anew.
            return known.of_client(getattr(client, "id", "")) or known.connect(client)
        except TypeError:
            from daskscope.recording import Recording

            if isinstance(client, Recording):
                raise TypeError(
                    "a recording has no live panels: double-click its file in JupyterLab, "
                    "or use daskscope.figures"
                ) from None
            raise TypeError(
                "client must be a distributed.Client, a daskscope.Session or None, "
                f"got {type(client).__name__}"
            ) from None
    try:
        return known.connect()
    except DaskscopeError as error:
        if error.code not in ("no-client", "client-closed"):
            raise
        return None
